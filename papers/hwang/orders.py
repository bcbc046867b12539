"""Hwang & Jeong (2015): the orders in which tables 1 to 7 print classifiers, looked up in the records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from papers.claims import Finding, Verdict
from papers.context import RunContext
from papers.experiments import Record
from papers.hwang.judging import Lead, judged_order, judged_parts, only_unclear, order_text
from papers.hwang.outcomes import MEASURES, RANKED, Cells, Find, advantage, by_cell
from papers.hwang.published import CLASSIFIERS, REPEATS, published
from papers.hwang.table_findings import LEVEL, tests_of

TIMES = ("selection", "training")
"""The two times of tables 3, 6 and 7."""

LISTED = 6
"""Pairs in the other order that a reason names; of more it gives the number."""

Place = tuple[tuple[str, int], str, str, str]
"""Where two classifiers meet: cell, measure, who is printed ahead, and of whom."""


def printed_pairs(cell: tuple[str, int], measure: str, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of classifiers that print tells apart, the better one first."""
    found = []
    for one, other in combinations(names, 2):
        numbers = [published(*cell, measure, name) for name in (one, other)]
        if numbers[0] is None or numbers[1] is None or numbers[0].mean == numbers[1].mean:
            continue
        ahead = advantage(measure, numbers[0].mean, numbers[1].mean) > 0
        found.append((one, other) if ahead else (other, one))
    return found


def groups_of(context: RunContext, cells: Cells, measure: str) -> dict[tuple[str, int], list[Record]]:
    """Return records by cell; of times, which are printed once for all percentages, by data set."""
    records = by_cell(context, cells)
    if measure not in TIMES:
        return records
    found: dict[tuple[str, int], list[Record]] = {}
    for (name, _), group in records.items():
        found.setdefault((name, 0), []).extend(group)
    return found


def order_leads(
    context: RunContext, cells: Cells, measures: Iterable[str], names: Sequence[str]
) -> dict[Place, Lead]:
    """Return for every printed pair by how much the one that is printed ahead is ahead here, paired."""
    return {
        (cell, measure, winner, loser): Lead.of(
            advantage(measure, record[winner][measure], record[loser][measure]) for record in group
        )
        for measure in measures
        for cell, group in groups_of(context, cells, measure).items()
        for winner, loser in printed_pairs(cell, measure, names)
    }


def place_name(cell: tuple[str, int], measure: str) -> str:
    """Return what a reason calls a cell."""
    return cell[0] if measure in TIMES else f"{cell[0]} {cell[1]} %"


def printed_order(
    cells: Cells, measures: tuple[str, ...] = MEASURES, names: tuple[str, ...] = CLASSIFIERS
) -> Find:
    """Return the lookup of the order that print gives some classifiers, pair by pair."""

    def find(context: RunContext) -> Finding:
        found = order_leads(context, cells, measures, names)
        leads = list(found.values())
        verdict = judged_order(leads)
        by_measure = "; ".join(
            f"{measure} {sum(lead.mean > 0 for place, lead in found.items() if place[1] == measure)} of "
            f"{sum(place[1] == measure for place in found)}"
            for measure in measures
        )
        clear, contrary = sum(lead.clear for lead in leads), sum(lead.contrary for lead in leads)
        text = (
            f"pairs in the printed order, by measure: {by_measure}; {clear} of {len(leads)} beyond 2 s.e., "
            f"the other way round beyond 2 s.e. {contrary}"
        )
        kept = verdict in ("reproduced", "better")
        return Finding(verdict, text, "" if kept else turned_round(found))

    return find


def turned_round(found: dict[Place, Lead]) -> str:
    """Name the pairs that stand the other way round here, and say how far apart print puts such pairs."""
    turned = {place: lead for place, lead in found.items() if lead.mean <= 0}
    if not turned:
        return only_unclear(list(found.values()))
    clear = [place for place, lead in turned.items() if lead.contrary]
    shown = "; ".join(
        f"{place_name(cell, measure)} {measure}: {loser} ahead of {winner}"
        for cell, measure, winner, loser in clear[:LISTED]
    )
    more = f" and {len(clear) - LISTED} more" if len(clear) > LISTED else ""
    apart = float(np.median([printed_distance(place) for place in turned]))
    others = float(np.median([printed_distance(place) for place in found if place not in turned] or [np.nan]))
    close = "closer together than the others" if apart < others else "no closer together than the others"
    timed = (
        " Times are those of other code on another machine."
        if {place[1] for place in found} & set(TIMES)
        else ""
    )
    return (
        f"The other way round beyond 2 s.e.: {shown or 'none'}{more}; within 2 s.e.: "
        f"{len(turned) - len(clear)} of {len(found)}. Print puts these pairs {close}: {apart:.1f} of its "
        f"standard errors apart in the median, the others {others:.1f}.{timed}"
    )


def printed_distance(place: Place) -> float:
    """Return how far apart print puts two classifiers, in standard errors of its repeats."""
    cell, measure, *names = place
    one, other = (published(*cell, measure, name) for name in names)
    if one is None or other is None:
        return np.nan
    spread = np.hypot(one.deviation or 0.0, other.deviation or 0.0) / np.sqrt(REPEATS)
    return float(abs(one.mean - other.mean) / spread) if spread > 0 else np.inf


def in_all(context_cells: Cells, losers: tuple[str, ...], reason: str) -> Find:
    """Return the lookup of "RRVM takes no longer than these", selection and training together."""

    def find(context: RunContext) -> Finding:
        records = by_cell(context, context_cells)
        totals = {
            name: {cell: [seconds(record, name) for record in group] for cell, group in records.items()}
            for name in ("RRVM", *losers)
        }
        by_place = {
            f"{loser} on {place_name(cell, '')}": Lead.of(
                np.subtract(totals[loser][cell], totals["RRVM"][cell])
            )
            for loser in losers
            for cell in context_cells
        }
        found = list(by_place.values())
        verdict = judged_order(found)
        shown = ", ".join(
            f"{name} {np.mean(np.concatenate(list(each.values()))):.3g} s" for name, each in totals.items()
        )
        kept = verdict in ("reproduced", "better")
        text = f"selection and training together: {shown}; shorter: {order_text(found)}"
        slower = ", ".join(place for place, lead in by_place.items() if lead.mean <= 0)
        return Finding(
            verdict, text, "" if kept else only_unclear(found) or f"Not longer than RRVM: {slower}. {reason}"
        )

    return find


def seconds(record: Record, name: str) -> float:
    """Return the seconds that a classifier spent in a repeat, to choose and to train."""
    return float(record[name]["selection"] + record[name]["training"])


def rejection_names_a_pair(context: RunContext) -> Finding:
    """Section 4.2.2: where Friedman's test rejects, at least one pair differs significantly."""
    parts: dict[str, bool] = {}
    counts: list[int] = []
    for flipped in (0, 10):
        for measure in MEASURES:
            found = tests_of(context, measure, flipped, RANKED["paper's protocol"])
            if found is not None and found.p_value < LEVEL:
                pairs = int(np.sum(np.triu(found.pair_p_values < LEVEL, 1)))
                parts[f"{measure} {flipped} %"] = pairs > 0
                counts.append(pairs)
    verdict: Verdict = judged_parts(list(parts.values()))
    if verdict == "not run":
        return Finding(verdict, "Friedman's test rejects in no case", "Nothing is left to be compared.")
    failed = ", ".join(case for case, told in parts.items() if not told)
    figure = (
        f"of 10 pairs Nemenyi's test tells apart {min(counts)} to {max(counts)}, in {len(parts)} cases that "
        "Friedman's rejects"
    )
    reason = f"No pair is told apart: {failed}. Nemenyi's test is weaker than Friedman's." if failed else ""
    return Finding(verdict, figure, reason)
