"""Hwang & Jeong (2015): cells of the tables, and the comparison of all classifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from papers.context import RunContext
from papers.experiments import Record
from papers.hwang.plan import Key, gathered
from papers.hwang.protocol import REAL
from papers.hwang.published import PROTOCOLS, published
from papers.statistics import Comparison, compare
from papers.tables import Cell, Direction, Number

BETTER: dict[str, Direction] = {
    "ERR": "lower",
    "AUC": "higher",
    "RMSE": "lower",
    "kept": "lower",
    "kept rows": "lower",
    "kept 1 %": "lower",
    "selection": "other machine",
    "training": "other machine",
}
"""Which way each measure is better."""

HEADINGS = {
    "kept": "non-zero coefficients %",
    "kept rows": "rows with a coefficient %",
    "kept 1 %": "coefficients above 1 % of the largest, %",
    "selection": "model selection s",
    "training": "model training s",
    "ERR": "ERR %",
    "AUC": "AUC %",
}
"""What the tables call a measure, where it has another name in the records."""

PROTOCOL_HEADINGS = {"paper": "paper's protocol", "ours": "ours"}
"""What the tables call a protocol."""

RANKED = ("ERR", "AUC", "RMSE")
"""The measures that Friedman's test compares the classifiers by."""

MACHINES = ("RVM", "RRVM")
"""The paper's classifiers that are ours; the others are scikit-learn's."""


def usual_cells(classifiers: Sequence[str]) -> list[tuple[str, str]]:
    """Return classifiers with their protocols: only the machines that are ours have two."""
    return [
        (classifier, protocol)
        for classifier in classifiers
        for protocol in PROTOCOLS
        if protocol == "paper" or classifier in MACHINES
    ]


def number(records: Sequence[Record], classifier: str, measure: str) -> Number:
    """Return the mean of a measure over the records that have it; `left_out` tells how many do not."""
    return Number.of(value for record in records if np.isfinite(value := record[classifier][measure]))


def left_out(cells: Sequence[Cell], repeats: Mapping[tuple[str, ...], int]) -> tuple[str, ...]:
    """Say which means lack repeats, whose value is not finite; nothing if none does.

    Repeats are given by how the rows of a table begin.
    """
    found = []
    for each in cells:
        asked = next(count for start, count in repeats.items() if each.row[: len(start)] == start)
        if each.ours.count < asked:
            protocol = f", {each.protocol}" if each.protocol else ""
            place = f"{' '.join(each.row)}, {each.measure}{protocol}"
            found.append(f"{place}: {asked - each.ours.count} of {asked}")
    return (
        (f"Repeats left out of a mean, as their value is not finite: {'; '.join(found)}.",) if found else ()
    )


def cell(
    records: Sequence[Record],
    key: Key,
    measure: str,
    classifier: str,
    protocol: str,
    row: tuple[str, ...],
) -> Cell:
    """Return one number of a protocol beside the printed one."""
    ours = number(records, PROTOCOLS[protocol][classifier], measure)
    return Cell(
        row,
        HEADINGS.get(measure, measure),
        ours,
        published(*key, measure, classifier),
        BETTER[measure],
        rival=classifier not in MACHINES,
        protocol=PROTOCOL_HEADINGS[protocol],
    )


def comparison(context: RunContext, measure: str, flipped: int, protocol: str = "paper") -> Comparison:
    """Compare the classifiers of a protocol, "paper" or "ours", over all repeats of the real data."""
    records = gathered(context, REAL)
    scored = [
        [record[classifier][measure] for classifier in PROTOCOLS[protocol].values()]
        for name in REAL
        for record in records[name, flipped]
    ]
    return compare(scored, higher_is_better=BETTER[measure] == "higher")
