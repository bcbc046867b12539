"""The table of suspects: every row with the reasons to doubt it, the most suspicious first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from rowtrust.auditing import Findings, audit_fit
from rowtrust.auditing.reasons import nearest_vectors
from rowtrust.contracts import Array, Indices
from rowtrust.workflow.fitting import FittedModel
from rowtrust.workflow.records import Part
from rowtrust.workflow.tables.errors import shortened

GIVEN_LENGTH = 30
"""Characters of a label in a reason; readability of a line alone."""

VECTOR_LENGTH = 20
"""Characters of a label beside a row to compare with; readability of a line alone."""


def find_suspects(model: FittedModel) -> tuple[Findings, pd.DataFrame]:
    """Judge every training row by the model without it; return what it says, and the ranking as a table."""
    X = model.prepared
    findings = audit_fit(model.estimator, X, model.train.y)
    return findings, suspect_table(findings, X, model.train, model.vectors, model.task)


def suspect_table(findings: Findings, X: Array, train: Part, vectors: Indices, task: str) -> pd.DataFrame:
    """Return the ranking as a table.

    Parameters
    ----------
    findings
        What the other rows say of each row.
    X
        Prepared inputs.
    train
        The rows as given, with their numbers in the file.
    vectors
        Training rows that the model keeps.
    task
        "classification" or "regression".
    """
    order = findings.order
    nearest = nearest_vectors(X, train.y, findings.likely, order, vectors, task)
    numbers = np.append(train.rows, 0)
    agreement = "probability" if task == "classification" else "residual"
    names = ("nearest_given", "nearest_likely") if task == "classification" else ("nearest", "second_nearest")
    return pd.DataFrame(
        {
            "row": train.rows[order],
            "given": train.y[order],
            "likely": findings.likely[order],
            agreement: findings.agreement[order],
            "wrong": findings.wrong[order],
            "trust": findings.trust[order],
            names[0]: numbers[nearest.own],
            names[1]: numbers[nearest.other],
            "suspect": np.isin(order, findings.suspects),
        }
    )


def suspect_rows(table: pd.DataFrame) -> list[int]:
    """Return the numbers of the suspects in the file, the first row below the header being 1."""
    return [int(row) for row in table.loc[table["suspect"], "row"]]


def reason(row: Any, task: str) -> str:
    """Say in a sentence why a row of the table is doubted, and which relevance vectors to compare it with."""
    if task == "regression":
        side = "above" if row["residual"] > 0 else "below"
        kin = compared([(row["nearest"], ""), (row["second_nearest"], "")])
        return f"{abs(row['residual']):.1f} deviations {side} what the other rows say{kin}"
    kin = compared([(row["nearest_likely"], row["likely"]), (row["nearest_given"], row["given"])])
    return f"P({shortened(row['given'], GIVEN_LENGTH)}) = {row['probability']:.1%} by the other rows{kin}"


def compared(vectors: list[tuple[int, object]]) -> str:
    """Name the nearest relevance vectors."""
    known = [
        f"{number} ({shortened(name, VECTOR_LENGTH)})" if name != "" else str(number)
        for number, name in vectors
        if number
    ]
    known = list(dict.fromkeys(known))
    return f"; compare row{'s' * (len(known) > 1)} {' and '.join(known)}" if known else ""
