"""The table of rows: what the others say of each, the likeliest errors first."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rowtrust.contracts import Array, Indices
from rowtrust.numerics.blocks import block_rows, row_blocks
from rowtrust.trust import LIKELY_ERROR, WORTH_A_LOOK, Findings
from rowtrust.workflow.checks.copies import distinct_rows
from rowtrust.workflow.checks.records import Check
from rowtrust.workflow.fitting import FittedModel, fit_model
from rowtrust.workflow.records import Part
from rowtrust.workflow.tables import Schema
from rowtrust.workflow.tables.errors import shortened
from rowtrust.workflow.tables.schema import MISSING

GIVEN_LENGTH = 30
"""Characters of a label in a reason; readability of a line alone."""

VECTOR_LENGTH = 20
"""Characters of a label beside a row to compare with; readability of a line alone."""

LEAST_SHOWN = 0.001
"""Probability below which a reason says only that it is below; readability alone."""

COMPARED_ROWS = 200
"""Rows of the ranking whose neighbours are looked for, flagged or not: it bounds the time, and nobody
compares more by eye."""

MOST_FITTED_AGAIN = 20_000
"""Rows up to which a table with copies is fitted once more, without them, to judge the rows: beyond that the
second fit would take minutes, and copies are few beside their neighbours. Chosen for time."""

ASKED = "asked for"
"""The list of a row that ``--cut`` names although it is on no other list."""


def rank_rows(model: FittedModel) -> tuple[Findings, pd.DataFrame]:
    """Judge every training row by the model without it; return what it says, and the ranking as a table.

    Where rows are there more than once, a model of one row of each kind judges: copies of a wrong row would
    vouch for each other.
    """
    again = fitted_once(model.schema, clone(model.estimator), model.train) if can_fit_again(model) else None
    judge = again or model
    findings = judge.estimator.judge_rows(judge.prepared, model.train.y)
    return findings, table_of_rows(findings, model.prepared, model.train, model.task)


def can_fit_again(model: FittedModel) -> bool:
    """Whether all rows of the fit are at hand and few enough to be fitted once more."""
    return model.n_fitted == len(model.train.y) <= MOST_FITTED_AGAIN


def vouching(model: FittedModel) -> list[str]:
    """Say that copies of a wrong row are believed, where they are not left out of the fit that judges."""
    X, y = model.train.X, model.train.y
    if can_fit_again(model) or len(distinct_rows(X, y, model.task == "classification")) == len(y):
        return []
    why = "wrong rows among them may be missed. Remove the duplicates first"
    return [f"duplicate rows support each other: {why}"]


def fitted_once(schema: Schema, estimator: Any, rows: Part) -> FittedModel | None:
    """Return a model of one row of each set of copies, that knows all rows as its own; None without copies.

    It is fitted only to explain, so it does not matter if it has not quite converged.
    """
    first = distinct_rows(rows.X, rows.y, schema.task == "classification")
    if len(first) == len(rows.y):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = fit_model(schema, estimator, rows, rows.take(first))
    return replace(found, train=rows, relevance=first[found.relevance])


def table_of_rows(findings: Findings, X: Array, train: Part, task: str) -> pd.DataFrame:
    """Return the ranking as a table, whose index is the number of the row in the file.

    Parameters
    ----------
    findings
        What the other rows say of each row.
    X
        Prepared inputs.
    train
        The rows as given, with their numbers in the file, and their names where they have some.
    task
        "classification" or "regression".
    """
    order = findings.order
    nearest = neighbours(findings, X, train, task)
    agreement = "probability" if task == "classification" else "residual"
    first, second = neighbour_names(task)
    named = {} if train.ids is None else {"id": train.ids[order]}
    return pd.DataFrame(
        {
            **named,
            "given": train.y[order],
            "likely": findings.likely[order],
            agreement: findings.agreement[order],
            "p_wrong": findings.p_wrong[order],
            "list": findings.on_lists[order],
            "trust": findings.trust[order],
            first: row_numbers(train, nearest[0]),
            second: row_numbers(train, nearest[1]),
        },
        index=pd.Index(train.rows[order], name="row"),
    )


def neighbour_names(task: str) -> tuple[str, str]:
    """Return the columns of the table that name the rows to compare with."""
    return ("nearest_given", "nearest_likely") if task == "classification" else ("nearest", "second_nearest")


def row_numbers(train: Part, places: Indices) -> pd.arrays.IntegerArray:
    """Return the numbers in the file of rows of the fit; nothing where there is no row."""
    return pd.arrays.IntegerArray(np.append(train.rows, 0)[places].astype(np.int64), places < 0)


def neighbours(findings: Findings, X: Array, train: Part, task: str) -> Indices:
    """Return the rows to compare with of the first rows of the ranking, in its order; -1 for the others.

    They are the nearest rows that are not worth a look themselves. The model's relevance vectors would be
    found faster, but they are few and often far away, and a wrong row can be one of them. Nor are rows of
    many missing values taken: filled with medians they are near to many, but say little.
    """
    shown = findings.order[:COMPARED_ROWS]
    trusted = fullest(np.setdiff1d(findings.order, findings.worth_a_look), train, task)
    found = nearest_vectors(np.nan_to_num(X), train.y, findings.likely, shown, trusted, task)
    nobody = np.full((2, len(findings.order) - len(shown)), -1, dtype=np.intp)
    return np.concatenate([found, nobody], axis=1)


def fullest(rows: Indices, train: Part, task: str) -> Indices:
    """Return those of some rows that have no more gaps than half of them, of classes half of their class."""
    X = train.X.iloc[rows]
    gaps = (X.isna() | (X == MISSING)).sum(axis=1).reset_index(drop=True)
    kinds = train.y[rows] if task == "classification" else np.zeros(len(rows))
    few: NDArray[np.bool_] = (gaps <= gaps.groupby(kinds).transform("median")).to_numpy()
    return rows[few]


def is_flagged(table: pd.DataFrame) -> pd.Series[bool]:
    """Return which rows of the table are likely errors, or were asked for."""
    return table["list"].isin([LIKELY_ERROR, ASKED])


def flagged_rows(table: pd.DataFrame) -> list[int]:
    """Return the numbers of the flagged rows in the file, the first row below the header being 1."""
    return [int(row) for row in table.index[is_flagged(table)]]


def with_cut(table: pd.DataFrame, cut: int) -> pd.DataFrame:
    """Return the table with so many first rows flagged, whatever they would be otherwise."""
    is_first, was_listed = np.arange(len(table)) < cut, table["list"] != ""
    flagged, rest = np.where(was_listed, LIKELY_ERROR, ASKED), np.where(was_listed, WORTH_A_LOOK, "")
    return table.assign(list=np.where(is_first, flagged, rest).astype(object))


def listed_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the table that are on a list: the flagged ones, then those worth a look."""
    return pd.concat([table[is_flagged(table)], table[table["list"] == WORTH_A_LOOK]])


def records(table: pd.DataFrame) -> Any:
    """Return the rows of the table as dictionaries, their numbers among the columns."""
    return table.reset_index().to_dict("records")


def label_of(row: Any) -> str:
    """Return how a row of the table is called: by its name where it has one, and by its number."""
    return f"{row['row']} ({shortened(row['id'], VECTOR_LENGTH)})" if "id" in row else str(row["row"])


def wrong_rows_text(findings: Findings, checks: Iterable[Check], task: str) -> str:
    """Say how many rows are likely errors, and that fewer may be where rows of one kind differ in class.

    Parameters
    ----------
    findings
        What the other rows say of each row.
    checks
        What was found about the data.
    task
        "classification" or "regression".
    """
    overlap, is_classes = "", task == "classification"
    if is_classes and len(findings.flagged) and any(each.code == "contradictions" for each in checks):
        more = "More" if "may be right" in findings.flagged_text else "Some"
        why = "classes overlap here, and unusual but correct rows can look like errors"
        overlap = f"{more} of them may be right: {why}."
    sentences = [findings.flagged_text, overlap, findings.worth_a_look_text, findings.expected_text]
    return " ".join(filter(None, sentences))


def reason(row: Any, task: str) -> str:
    """Say in a sentence why a row of the table is on a list, and which rows to compare it with."""
    if task == "regression":
        kin: list[tuple[Any, object]] = [(row["nearest"], ""), (row["second_nearest"], "")]
    else:
        kin = [(row["nearest_likely"], row["likely"]), (row["nearest_given"], row["given"])]
    return f"{doubt(row, task)}{compared(kin)}"


def doubt(row: Any, task: str) -> str:
    """Say in a few words why a row of the table is on a list."""
    if task == "regression":
        side = "above" if row["residual"] > 0 else "below"
        return f"{abs(row['residual']):.1f} standard deviations {side} what the other rows predict"
    said = f"= {row['probability']:.1%}" if row["probability"] >= LEAST_SHOWN else f"< {LEAST_SHOWN:.1%}"
    return f"P({shortened(row['given'], GIVEN_LENGTH)}) {said} given the other rows"


def compared(vectors: list[tuple[Any, object]]) -> str:
    """Name the rows to compare with, as far as there are some."""
    known = [
        f"{number} ({shortened(name, VECTOR_LENGTH)})" if name != "" else str(number)
        for number, name in vectors
        if not pd.isna(number)
    ]
    known = list(dict.fromkeys(known))
    return f"; compare row{'s' * (len(known) > 1)} {' and '.join(known)}" if known else ""


def nearest_vectors(
    X: Array, y: NDArray[Any], likely: NDArray[Any], rows: Indices, vectors: Indices, task: str
) -> Indices:
    """Return the nearest of ``vectors``, rows to compare with, of some rows; never the row itself.

    Of classes the nearest of the label as given and of the likely one, of numbers the nearest and the second
    nearest, in two rows of an array; -1 where there is none.
    """
    blocks = row_blocks(len(rows), block_rows(len(vectors)))
    parts = [nearest_of_block(X, y, likely, rows[block], vectors, task) for block in blocks]
    return np.concatenate([np.empty((2, 0), dtype=np.intp), *parts], axis=1)


def nearest_of_block(
    X: Array, y: NDArray[Any], likely: NDArray[Any], rows: Indices, vectors: Indices, task: str
) -> Indices:
    """Return the nearest rows to compare with of few enough rows for all distances to be in memory."""
    distance = cdist(X[rows], X[vectors])
    distance[rows[:, None] == vectors[None, :]] = np.inf
    if task == "regression":
        order = nearest_two(distance)
        return np.stack([ranked(distance, order, vectors, place) for place in (0, 1)])
    labels = (y[rows], likely[rows])
    return np.stack([closest(distance, each[:, None] == y[vectors], vectors) for each in labels])


def nearest_two(distance: Array) -> Indices:
    """Return the places of the two least distances of every row, in order, without sorting the others."""
    few = min(2, distance.shape[1])
    if not few:
        return np.empty(distance.shape, dtype=np.intp)
    found = np.sort(np.argpartition(distance, few - 1, axis=1)[:, :few], axis=1)
    order = np.argsort(np.take_along_axis(distance, found, axis=1), axis=1, kind="stable")
    return np.take_along_axis(found, order, axis=1)


def closest(distance: Array, allowed: NDArray[np.bool_], vectors: Indices) -> Indices:
    """Return the vector of least distance among those allowed, -1 where none is."""
    if not len(vectors):
        return np.full(len(distance), -1, dtype=np.intp)
    masked = np.where(allowed, distance, np.inf)
    best = masked.argmin(axis=1)
    return np.where(np.isfinite(masked[np.arange(len(best)), best]), vectors[best], -1)


def ranked(distance: Array, order: Indices, vectors: Indices, place: int) -> Indices:
    """Return the vector at a place of the ranking by distance, -1 where there is none."""
    nobody = np.full(len(distance), -1, dtype=np.intp)
    if order.shape[1] <= place:
        return nobody
    chosen = order[:, place]
    return np.where(np.isfinite(distance[np.arange(len(chosen)), chosen]), vectors[chosen], nobody)
