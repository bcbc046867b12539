"""Hwang & Jeong (2015): the printed means of tables 1 to 7, the bold ones, and the tests."""

from __future__ import annotations

import numpy as np

from papers.claims import Finding, Verdict
from papers.context import RunContext
from papers.datasets import load
from papers.experiments import Record
from papers.hwang.explanations import beside_printed, misses
from papers.hwang.judging import (
    Lead,
    judged_numbers,
    judged_order,
    judged_parts,
    numbers_text,
    only_unclear,
    order_text,
)
from papers.hwang.outcomes import (
    MEASURES,
    RANKED,
    Cells,
    Find,
    advantage,
    by_cell,
    cells_of,
    has,
    leads,
)
from papers.hwang.protocol import REAL
from papers.hwang.published import CLASSIFIERS, FRIEDMAN_P, published
from papers.hwang.tables import TABLES
from papers.statistics import Comparison, compare
from papers.tables import Cell

LEVEL = 0.05
"""Of Friedman's and Nemenyi's tests, as in the paper."""

FEW_BLOCKS = 30
"""Below as many blocks a test that does not reject says little."""

SIZES = {"liver": (345, 6), "ionosphere": (351, 34), "cancer": (683, 9)}
"""Rows and inputs that section 4.2.2 names."""


def by_protocol(cells: tuple[Cell, ...]) -> dict[str, list[Cell]]:
    """Return the cells that have a printed number, by the rules they were made with.

    Where a table counts coefficients in several ways, the first stands for the printed number. Times are
    printed once for all percentages of wrong labels.
    """
    found: dict[str, dict[tuple[object, ...], Cell]] = {}
    for cell in cells:
        if cell.paper is not None:
            timed = cell.better == "other machine"
            place = (cell.row[0], cell.row[-1], cell.measure) if timed else cell.row
            found.setdefault(cell.protocol or "paper's protocol", {}).setdefault((*place, cell.paper), cell)
    return {protocol: list(group.values()) for protocol, group in found.items()}


def printed_numbers(number: str, cells: Cells) -> Find:
    """Return the lookup of all printed means of a table, the paper's protocol first."""

    def find(context: RunContext) -> Finding:
        groups = by_protocol(TABLES[number](context).cells)
        verdicts: list[Verdict] = [judged_numbers(group) for group in groups.values()]
        text = ". ".join(f"{protocol}: {numbers_text(group)}" for protocol, group in groups.items())
        verdict: Verdict = verdicts[0] if verdicts else "not run"
        if verdict == "not run":
            return Finding(verdict, text, "Seconds of another machine and of other code: shown, not judged.")
        first = next(iter(groups.values()))
        return Finding(
            verdict, text, "" if verdict in ("reproduced", "better") else misses(context, first, cells)
        )

    return find


def bold(cells: Cells) -> Find:
    """Return the lookup of the bold cells: who is best in each column of a table."""

    def find(context: RunContext) -> Finding:
        records = by_cell(context, cells)
        found, names = [], []
        for cell in cells:
            for measure in MEASURES:
                numbers = {name: published(*cell, measure, name) for name in CLASSIFIERS}
                printed = {name: number.mean for name, number in numbers.items() if number}
                order = sorted(printed, key=lambda name: printed[name], reverse=measure == "AUC")
                winner, rival = order[0], best_of(records[cell], measure, order[1:])
                found.append(
                    Lead.of(advantage(measure, r[winner][measure], r[rival][measure]) for r in records[cell])
                )
                if found[-1].mean <= 0:
                    names.append(f"{' '.join(map(str, cell))} {measure}: {rival}, not {winner}")
        verdict = judged_order(found)
        return Finding(
            verdict,
            f"bold in the paper and best here: {sum(lead.mean > 0 for lead in found)} of {len(found)}; "
            f"{order_text(found)}",
            ""
            if verdict in ("reproduced", "better")
            else only_unclear(found) or f"Best here: {'; '.join(names)}.",
        )

    return find


def best_of(records: list[Record], measure: str, names: list[str]) -> str:
    """Return the best of some classifiers by the mean of a measure."""
    means = {name: float(np.mean([record[name][measure] for record in records])) for name in names}
    return max(means, key=lambda name: means[name] if measure == "AUC" else -means[name])


def best_is(winner: str, cell: tuple[str, int], measures: tuple[str, ...]) -> Find:
    """Return the lookup of "this is best here", against each of the other four."""

    def find(context: RunContext) -> Finding:
        others = [name for name in CLASSIFIERS if name != winner]
        found = list(leads(context, winner, others, measures, (cell,)).values())
        records = by_cell(context, (cell,))[cell]
        best = {measure: best_of(records, measure, list(CLASSIFIERS)) for measure in measures}
        verdict = judged_order(found)
        shown = ", ".join(f"{measure} {name}" for measure, name in best.items())
        reason = (
            ""
            if verdict in ("reproduced", "better")
            else f"{only_unclear(found)} The grids from which settings are chosen are not printed; the two "
            "protocols are what was tried.".lstrip()
        )
        return Finding(verdict, f"best here: {shown}; {winner} {order_text(found)}", reason)

    return find


def tests_of(context: RunContext, measure: str, flipped: int, names: tuple[str, ...]) -> Comparison | None:
    """Compare five classifiers over all repeats of the real data; None if one is not there."""
    records = by_cell(context, tuple((name, flipped) for name in REAL))
    if not has(records, *names):
        return None
    scored = [[record[name][measure] for name in names] for group in records.values() for record in group]
    return compare(scored, higher_is_better=measure == "AUC", level=LEVEL)


def friedman(context: RunContext) -> Finding:
    """Section 4.2.2, table 7: Friedman's test rejects in all six cases."""
    texts: list[str] = []
    parts: dict[str, bool] = {}
    blocks = 0
    for protocol, names in RANKED.items():
        found = {(m, flipped): tests_of(context, m, flipped, names) for flipped in (0, 10) for m in MEASURES}
        p_values = {key: each.p_value for key, each in found.items() if each}
        if not p_values:
            continue
        if protocol == "paper's protocol":
            parts = {f"{m} {flipped} %": p < LEVEL for (m, flipped), p in p_values.items()}
            blocks = min(each.n_blocks for each in found.values() if each)
        shown = ", ".join(f"{m} {flipped} % {p:.1e}" for (m, flipped), p in p_values.items())
        texts.append(
            f"{protocol}: rejected in {sum(p < LEVEL for p in p_values.values())} of {len(p_values)} (p: "
            f"{shown})"
        )
    printed = f"printed: {min(FRIEDMAN_P.values()):.0e} to {max(FRIEDMAN_P.values()):.0e}"
    verdict = judged_parts(list(parts.values()))
    reason = "" if verdict == "reproduced" else not_rejected(parts, blocks)
    return Finding(verdict, ". ".join([*texts, printed]), reason)


def not_rejected(parts: dict[str, bool], blocks: int) -> str:
    """Name the cases that Friedman's test does not reject, and whether it had enough to go by."""
    cases = ", ".join(case for case, rejected in parts.items() if not rejected)
    few = " That is little to go by." if blocks < FEW_BLOCKS else ""
    return f"Not rejected over {blocks} blocks, by the paper's protocol: {cases}.{few}"


def friedman_by_data(context: RunContext) -> Finding:
    """The same test as Demsar means it: a block is a data set, so there are three."""
    p_values = []
    for flipped in (0, 10):
        records = by_cell(context, tuple((name, flipped) for name in REAL))
        for measure in MEASURES:
            means = [
                [float(np.mean([record[name][measure] for record in group])) for name in CLASSIFIERS]
                for group in records.values()
            ]
            p_values.append(compare(means, higher_is_better=measure == "AUC").p_value)
    rejected, least = (
        sum(p < LEVEL for p in p_values),
        compare([list(range(len(CLASSIFIERS)))] * len(REAL)).p_value,
    )
    verdict = judged_parts([p < LEVEL for p in p_values])
    return Finding(
        verdict,
        f"three blocks, the means of each data set: p from {min(p_values):.3f} to {max(p_values):.3f}, "
        f"rejected in {rejected} of 6",
        ""
        if verdict == "reproduced"
        else "The printed p values need a block for every repeat. Repeats of one data set share "
        "its rows and are not independent, so those p values are far too small; three data sets cannot "
        f"give one below {least:.3f}.",
    )


def nemenyi(context: RunContext) -> Finding:
    """Figure 6: at 10 % RRVM is significantly better than all others, whatever the measure."""
    texts: list[str] = []
    parts: list[bool] = []
    level: list[str] = []
    for protocol, names in RANKED.items():
        for measure in MEASURES:
            found = tests_of(context, measure, 10, names)
            if found is None:
                continue
            ahead = [
                bool(found.mean_ranks[-1] < found.mean_ranks[i] and found.pair_p_values[-1, i] < LEVEL)
                for i in range(4)
            ]
            if protocol == "paper's protocol":
                parts += ahead
                behind = [name for name, is_ahead in zip(names[:-1], ahead, strict=True) if not is_ahead]
                level += [f"{measure} {', '.join(behind)}"] if behind else []
            ranks = ", ".join(
                f"{name} {rank:.2f}" for name, rank in zip(names, found.mean_ranks, strict=True)
            )
            texts.append(
                f"{protocol}, {measure}: {names[-1]} significantly ahead of {sum(ahead)} of 4 (mean ranks "
                f"{ranks})"
            )
    verdict = judged_parts(parts)
    return Finding(
        verdict,
        ". ".join(texts),
        ""
        if verdict == "reproduced"
        else f"Not significantly behind RRVM, by the paper's protocol: {'; '.join(level)}. "
        + beside_printed(context, tuple((name, 10) for name in REAL)),
    )


def sizes_of_real_data(context: RunContext) -> Finding:
    """Section 4.2.2: rows and inputs of the three real data sets."""
    found = {name: load(name, context.store.data)[0].shape for name in SIZES}
    verdict = judged_parts([found[name] == size for name, size in SIZES.items()])
    shown = ", ".join(f"{name} {rows} x {inputs}" for name, (rows, inputs) in found.items())
    return Finding(verdict, shown, "" if verdict == "reproduced" else "Another edition of the data.")


def slow_on_cancer(context: RunContext) -> Finding:
    """Section 4.2.2: on BC Wisconsin RRVM takes longer than the SVM, elsewhere not."""
    records = by_cell(context, cells_of(*REAL))
    totals: dict[str, list[float]] = {}
    for (name, _), group in records.items():
        for classifier in ("SVM", "RRVM"):
            spent = [record[classifier]["selection"] + record[classifier]["training"] for record in group]
            totals.setdefault(f"{name} {classifier}", []).extend(spent)
    mean = {key: float(np.mean(values)) for key, values in totals.items()}
    longer = {name: mean[f"{name} RRVM"] > mean[f"{name} SVM"] for name in REAL}
    verdict = judged_parts([longer["cancer"], not longer["liver"], not longer["ionosphere"]])
    shown = ", ".join(
        f"{name} RRVM {mean[f'{name} RRVM']:.2f} s, SVM {mean[f'{name} SVM']:.2f} s" for name in REAL
    )
    return Finding(
        verdict,
        shown,
        ""
        if verdict == "reproduced"
        else "The package's solver keeps few columns where the paper's loop inverts a matrix of "
        "all rows, so the number of rows is not what costs it time; and scikit-learn's SVM on small tables "
        "is quick.",
    )
