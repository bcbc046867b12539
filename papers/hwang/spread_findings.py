"""Hwang & Jeong (2015): the standard deviations of tables 1 to 7, and what section 4.2.2 says of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from papers.claims import Finding
from papers.context import RunContext
from papers.experiments import Record
from papers.hwang.judging import Lead, judged_order, judged_parts, order_text
from papers.hwang.outcomes import MEASURES, Find, by_cell, cells_of, loss
from papers.hwang.protocol import REAL
from papers.hwang.published import CLASSIFIERS, published
from papers.hwang.table_findings import by_protocol
from papers.hwang.tables import TABLES
from papers.judging import beyond_chance
from papers.spreads import NEAR, judged_spreads, spread_ratio
from papers.tables import Cell
from rowtrust.contracts import Array


def printed_spreads(number: str) -> Find:
    """Return the lookup of all printed standard deviations of a table, by the paper's protocol."""

    def find(context: RunContext) -> Finding:
        cells = by_protocol(TABLES[number](context).cells)["paper's protocol"]
        found = judged_spreads(cells, varied_more(cells))
        grown = growth(cells)
        if grown is None or found.verdict == "not run":
            return found
        words = f"from no flips to the most the printed ones grow {grown[0]:.2f} times, ours"
        return Finding(found.verdict, f"{found.figure}; {words} {grown[1]:.2f} times (medians)", found.reason)

    return find


def growth(cells: Sequence[Cell]) -> tuple[float, float] | None:
    """Return how many times the spread with the most flips is that with none, printed and here, in medians.

    The percentage of flips stands before the classifier in a row.
    """
    spreads: dict[tuple[str, ...], dict[int, tuple[float, float]]] = {}
    for cell in cells:
        ratio = spread_ratio(cell)
        if ratio is not None and np.isfinite(ratio) and cell.paper is not None:
            place = (*cell.row[:-2], cell.row[-1], cell.measure)
            pair = (cell.paper.deviation or 0.0, cell.ours.deviation or 0.0)
            spreads.setdefault(place, {})[int(cell.row[-2])] = pair
    grown = [
        (each[max(each)][0] / each[min(each)][0], each[max(each)][1] / each[min(each)][1])
        for each in spreads.values()
        if len(each) > 1 and min(each[min(each)]) > 0
    ]
    return (
        None
        if not grown
        else (float(np.median([g[0] for g in grown])), float(np.median([g[1] for g in grown])))
    )


def varied_more(cells: Sequence[Cell]) -> str:
    """Return the likeliest reason of other spreads: the flips, where print's grow with them and ours do not.

    A growth that is no further from ours than a spread may be says nothing.
    """
    grown = growth(cells)
    if grown is not None and grown[0] > NEAR * grown[1]:
        return (
            "The printed spread grows with the flips, ours hardly does: the paper's flips, or its choice of "
            "settings, varied more than its text says."
        )
    return "The grids that settings are chosen from are not printed, and a choice that varies makes a spread."


def large_spreads(context: RunContext) -> Finding:
    """Section 4.2.2: no difference between means seems significant, because of large standard deviations."""
    inside, printed, clear = [], [], []
    for cell, group in by_cell(context, cells_of(*REAL)).items():
        for measure in MEASURES:
            values = np.array([[record[name][measure] for record in group] for name in CLASSIFIERS])
            for one, other in combinations(values, 2):
                gap, lead = one - other, Lead.of(one - other)
                inside.append(bool(abs(gap.mean()) < max(one.std(ddof=1), other.std(ddof=1))))
                clear.append(lead.clear or lead.contrary)
            numbers = [published(*cell, measure, name) for name in CLASSIFIERS]
            given = [(each.mean, each.deviation or 0.0) for each in numbers if each]
            printed += [abs(p[0] - q[0]) < max(p[1], q[1]) for p, q in combinations(given, 2)]
    parts = [all(inside), not beyond_chance(sum(clear), len(clear))]
    verdict = judged_parts(parts)
    return Finding(
        verdict,
        f"pairs of classifiers in a column of table 7: {sum(inside)} of {len(inside)} lie within the larger "
        f"of their standard deviations (in print {sum(printed)}); paired by repeat, "
        f"{len(clear) - sum(clear)} are not told apart by 2 s.e.",
        ""
        if verdict == "reproduced"
        else f"{len(inside) - sum(inside)} pairs differ by more than a standard deviation, {sum(clear)} by "
        "more than 2 s.e. Repeats are paired: the spread over splits is shared, and says nothing of "
        "differences.",
    )


def degraded_together(context: RunContext) -> Finding:
    """Section 4.2.2: unlucky flips make all classifiers worse at once.

    That is a sentence about what a split loses to its flips; errors of one split correlate without any.
    Half of the pairs correlate above zero by chance alone, so that more of them must do so clearly than by
    chance, or nothing of it is seen.
    """
    records = by_cell(context, cells_of(*REAL))
    losses = [
        lead
        for name in REAL
        for lead in correlations(
            np.array([loss(records[name, 0], records[name, 10], each, "ERR") for each in CLASSIFIERS])
        )
    ]
    errors = [
        float(np.mean([lead.mean for name in REAL for lead in correlations(errors_of(records[name, share]))]))
        for share in (0, 10)
    ]
    verdict = judged_order(losses)
    if verdict == "in part" and not beyond_chance(sum(lead.clear for lead in losses), len(losses)):
        verdict = "not reproduced"
    values = [lead.mean for lead in losses] or [0.0]
    return Finding(
        verdict,
        f"what a split's error gains from 0 to 10 % correlates between two classifiers by "
        f"{np.mean(values):.2f} on average ({min(values):.2f} to {max(values):.2f}, {len(losses)} pairs): "
        f"{order_text(losses)}; their errors themselves by {errors[0]:.2f} at 0 % and "
        f"{errors[1]:.2f} at 10 %",
        "" if verdict in ("reproduced", "better") else "What is shared is the split, with or without flips.",
    )


def errors_of(group: list[Record]) -> Array:
    """Return the errors of shape (classifiers, repeats)."""
    return np.array([[record[name]["ERR"] for record in group] for name in CLASSIFIERS])


def correlations(values: Array) -> list[Lead]:
    """Return the correlation of every two rows that vary; of nothing else there is one."""
    varied = values[values.std(axis=1) > 0]
    table = np.atleast_2d(np.corrcoef(varied)) if len(varied) > 1 else np.zeros((0, 0))
    return [correlation(table[i, j], values.shape[1]) for i, j in combinations(range(len(table)), 2)]


def correlation(value: float, count: int) -> Lead:
    """Return a correlation of some pairs as a lead over none, with its standard error.

    Two pairs always correlate fully, which says nothing.
    """
    return Lead(float(value), (1.0 - float(value) ** 2) / np.sqrt(count - 1.0) if count > 2 else np.inf)
