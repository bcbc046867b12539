"""Hwang & Jeong (2015): what the records say of the sentences about tables 1 to 7."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from papers.claims import Finding, Verdict
from papers.context import RunContext
from papers.experiments import Record
from papers.hwang.judging import Lead, judged_order, only_unclear, order_text
from papers.hwang.plan import gathered
from papers.hwang.protocol import REAL, SYNTHETIC, flips_of
from papers.hwang.published import published

Cells = tuple[tuple[str, int], ...]
"""Data sets and percentages of wrong labels."""

Find = Callable[[RunContext], Finding]
"""Looks a claim up."""

MEASURES = ("ERR", "AUC", "RMSE")
"""The paper's measures of performance."""

RANKED = {
    "paper's protocol": ("1-NN", "k-NN", "SVM", "RVM", "RRVM"),
    "ours": ("1-NN", "k-NN", "SVM", "RVC", "RobustRVC"),
}
"""The five classifiers by the paper's rules, and with our estimators as they come in place of two; the robust
one is last."""

EVERYWHERE: Cells = tuple((name, flipped) for name in (*SYNTHETIC, *REAL) for flipped in flips_of(name))
"""All cells of tables 1, 4 and 7."""

CONTAMINATED: Cells = tuple(cell for cell in EVERYWHERE if cell[1])
"""Those with wrong labels."""


def cells_of(*names: str) -> Cells:
    """Return the cells of some data sets."""
    return tuple(cell for cell in EVERYWHERE if cell[0] in names)


def by_cell(context: RunContext, cells: Cells) -> dict[tuple[str, int], list[Record]]:
    """Return the records of some cells."""
    found = gathered(context, tuple(dict.fromkeys(name for name, _ in cells)))
    return {cell: found[cell] for cell in cells}


def has(records: dict[Any, list[Record]], *classifiers: str) -> bool:
    """Return whether all records have these classifiers."""
    return all(name in record for group in records.values() for record in group for name in classifiers)


def advantage(measure: str, one: float, other: float) -> float:
    """Return by how much one is better than the other."""
    return one - other if measure == "AUC" else other - one


def printed_lead(cell: tuple[str, int], measure: str, winner: str, loser: str) -> float | None:
    """Return by how much the paper prints one classifier ahead of another."""
    one, other = (published(*cell, measure, name) for name in (winner, loser))
    return advantage(measure, one.mean, other.mean) if one and other else None


def as_good_as_printed(records: list[Record], cell: tuple[str, int], measure: str, name: str) -> bool:
    """Return whether a classifier's mean is as good as the paper's."""
    printed = published(*cell, measure, name)
    mean = float(np.mean([record[name][measure] for record in records]))
    return printed is not None and advantage(measure, mean, printed.mean) >= 0


def leads(
    context: RunContext, winner: str, losers: Iterable[str], measures: Iterable[str], cells: Cells
) -> dict[tuple[str, str, tuple[str, int]], Lead]:
    """Return how far one classifier is ahead of others, by measure, loser and cell.

    The printed lead goes with it where the winner is no worse than printed: a lead that grew because
    others got worse is no better result.
    """
    records = by_cell(context, cells)
    return {
        (measure, loser, cell): Lead.of(
            (advantage(measure, record[winner][measure], record[loser][measure]) for record in records[cell]),
            printed_lead(cell, measure, winner, loser)
            if measure in (*MEASURES, "kept") and as_good_as_printed(records[cell], cell, measure, winner)
            else None,
        )
        for measure in measures
        for loser in losers
        for cell in cells
        if has({cell: records[cell]}, winner, loser)
    }


def ahead_by_measure(found: dict[tuple[str, str, tuple[str, int]], Lead]) -> str:
    """Say for each measure in how many cells something is ahead."""
    measures = dict.fromkeys(key[0] for key in found)
    return "; ".join(
        f"{measure}: {order_text([lead for key, lead in found.items() if key[0] == measure])}"
        for measure in measures
    )


def robust_beats(
    losers: Sequence[int],
    cells: Cells,
    measures: tuple[str, ...] = MEASURES,
    reason: Callable[[RunContext], str] | None = None,
) -> Find:
    """Return the lookup of "RRVM is better than these": losers are places in RANKED.

    The verdict is that of the paper's protocol; ours stands beside it.
    """

    def find(context: RunContext) -> Finding:
        verdict: Verdict = "not run"
        texts = []
        unclear = ""
        for protocol, names in RANKED.items():
            beaten = [names[place] for place in losers]
            found = leads(context, names[-1], beaten, measures, cells)
            if protocol == "paper's protocol":
                verdict = judged_order(list(found.values()))
                unclear = only_unclear(list(found.values()))
            if found:
                against = beaten[0] if len(beaten) == 1 else "the others"
                texts.append(f"{protocol}: {names[-1]} against {against}, {ahead_by_measure(found)}")
        kept = verdict in ("reproduced", "better")
        because = "" if kept or reason is None else f"{unclear} {reason(context)}".lstrip()
        return Finding(verdict, ". ".join(texts), because)

    return find


def fewer(winner: str, losers: tuple[str, ...], cells: Cells, reason: str = "") -> Find:
    """Return the lookup of "this keeps fewer coefficients than those"."""

    def find(context: RunContext) -> Finding:
        found = leads(context, winner, losers, ("kept",), cells)
        verdict = judged_order(list(found.values()))
        text = f"{winner} keeps {kept_text(context, winner, cells)}"
        text += "".join(f", {loser} {kept_text(context, loser, cells)}" for loser in losers)
        ours = {"RVM": "RVC", "RRVM": "RobustRVC"}[winner]
        beside = kept_text(context, ours, cells)
        text += f": {order_text(list(found.values()))}" + (f". Ours: {ours} keeps {beside}" if beside else "")
        kept = verdict in ("reproduced", "better")
        return Finding(verdict, text, "" if kept else not_so(found, reason))

    return find


def not_so(found: dict[tuple[str, str, tuple[str, int]], Lead], reason: str) -> str:
    """Say in which cells, and beside whom, something is not ahead on the mean, and the likeliest reason."""
    behind = [
        f"{cell[0]} {cell[1]} % ({loser}{', beyond 2 s.e.' if lead.contrary else ''})"
        for (_, loser, cell), lead in found.items()
        if lead.mean <= 0
    ]
    return only_unclear(list(found.values())) or f"Not so: {', '.join(behind)}. {reason}".strip()


def kept_text(context: RunContext, classifier: str, cells: Cells) -> str:
    """Say between which mean percentages a classifier keeps coefficients; nothing if it is not there."""
    records = by_cell(context, cells)
    if not has(records, classifier):
        return ""
    means = [float(np.mean([record[classifier]["kept"] for record in group])) for group in records.values()]
    return f"{min(means):.1f} to {max(means):.1f} %" if len(means) > 1 else f"{means[0]:.1f} %"


def times_order(
    measure: str,
    winner: str,
    losers: tuple[str, ...],
    cells: Cells,
    *,
    longer: bool = False,
    reason: str = "",
) -> Find:
    """Return the lookup of "this takes less time than those", or more."""

    def find(context: RunContext) -> Finding:
        records = by_cell(context, cells)
        found = leads(context, winner, losers, (measure,), cells)
        if longer:
            found = {key: Lead(-lead.mean, lead.error) for key, lead in found.items()}
        verdict = judged_order(list(found.values()))
        flat = [record for group in records.values() for record in group]
        seconds = {
            name: float(np.mean([record[name][measure] for record in flat])) for name in (winner, *losers)
        }
        shown = ", ".join(f"{name} {each:.3g} s" for name, each in seconds.items())
        text = f"{measure}: {shown}; {'longer' if longer else 'shorter'}: {order_text(list(found.values()))}"
        kept = verdict in ("reproduced", "better")
        return Finding(verdict, text, "" if kept else not_so(found, reason))

    return find


def worse_with_flips(name: str) -> Find:
    """Return the lookup of "the more wrong labels, the worse": every classifier, step by step."""

    def find(context: RunContext) -> Finding:
        cells = cells_of(name)
        records = by_cell(context, cells)
        found = {
            f"{classifier} {measure} {one[1]} to {two[1]} %": Lead.of(
                advantage(measure, before[classifier][measure], after[classifier][measure])
                for before, after in zip(records[one], records[two], strict=True)
            )
            for one, two in pairwise(cells)
            for classifier in RANKED["paper's protocol"]
            for measure in MEASURES
        }
        every = list(found.values())
        verdict = judged_order(every)
        return Finding(
            verdict,
            f"5 classifiers, 3 measures, {len(cells) - 1} steps: worse, {order_text(every)}",
            "" if verdict in ("reproduced", "better") else only_unclear(every) or not_worse(found),
        )

    return find


def not_worse(found: dict[str, Lead]) -> str:
    """Name the steps to more wrong labels that make nothing worse."""
    contrary = [step for step, lead in found.items() if lead.contrary]
    level = [step for step, lead in found.items() if lead.mean <= 0 and not lead.contrary]
    return (
        f"Better with more wrong labels beyond 2 s.e.: {', '.join(contrary) or 'none'}; no worse on the "
        f"mean, within 2 s.e.: {', '.join(level) or 'none'}."
    )


def loses_least(names: tuple[str, ...], measures: tuple[str, ...] = ("ERR",)) -> Find:
    """Return the lookup of "RRVM loses less to wrong labels than the others"."""

    def find(context: RunContext) -> Finding:
        records = by_cell(context, cells_of(*names))
        texts: list[str] = []
        verdict: Verdict = "not run"
        reason = ""
        for protocol, ranked in RANKED.items():
            if not has(records, *ranked):
                continue
            losses = {
                (name, measure, classifier): loss(records[name, 0], records[name, 10], classifier, measure)
                for name in names
                for measure in measures
                for classifier in ranked
            }
            found = [
                Lead.of(losses[name, measure, other] - losses[name, measure, ranked[-1]])
                for name in names
                for measure in measures
                for other in ranked[:-1]
            ]
            if protocol == "paper's protocol":
                verdict = judged_order(found)
                reason = who_loses_less(found, len(names) * len(measures), ranked[:-1])
            shown = ", ".join(
                f"{classifier} "
                f"{np.mean([losses[name, measures[0], classifier].mean() for name in names]):+.2f}"
                for classifier in ranked
            )
            texts.append(
                f"{protocol}: {measures[0]} lost from 0 to 10 %: {shown}; {ranked[-1]} {order_text(found)}"
            )
        return Finding(verdict, ". ".join(texts), "" if verdict in ("reproduced", "better") else reason)

    return find


def who_loses_less(found: Sequence[Lead], groups: int, others: Sequence[str]) -> str:
    """Say which classifiers lose less to wrong labels than RRVM does, and where."""
    behind = [
        sum(found[place + group * len(others)].mean <= 0 for group in range(groups))
        for place in range(len(others))
    ]
    shown = ", ".join(
        f"{name} in {count} of {groups}" for name, count in zip(others, behind, strict=True) if count
    )
    if not shown:
        return only_unclear(found)
    return (
        f"Not more lost than by RRVM: {shown}. A classifier that is worse on clean labels has less to lose; "
        "and flips near the boundary are no outliers, which is what weights find."
    )


def loss(clean: list[Record], dirty: list[Record], classifier: str, measure: str) -> Any:
    """Return what each repeat loses to wrong labels; the repeats are paired."""
    return np.array(
        [
            advantage(measure, before[classifier][measure], after[classifier][measure])
            for before, after in zip(clean, dirty, strict=True)
        ]
    )
