"""An audit: the suspects of a table, the cut, and what leaving them out does."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from rowtrust.auditing import Findings, find_wrong_rows
from rowtrust.auditing.effect import Effect, effect_of_leaving_out
from rowtrust.auditing.reasons import vectors_of
from rowtrust.workflow.candidates import COMPARED_BASIS, build
from rowtrust.workflow.records import Part, Settings
from rowtrust.workflow.run import usable
from rowtrust.workflow.suspects import suspect_table
from rowtrust.workflow.tables import pipeline

VECTOR_BASIS = 50
"""Centres of the sparse model whose relevance vectors explain the ranking."""


Function = TypeVar("Function", bound=Callable[..., Any])


def without_convergence_warnings(function: Function) -> Function:
    """Silence the fits that only explain: a reason does not change with the last nat of evidence."""

    @functools.wraps(function)
    def quiet(*args: Any, **kwargs: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return function(*args, **kwargs)

    return quiet  # type: ignore[return-value]


@dataclass(frozen=True)
class Audit:
    """What was found out about the rows of a table."""

    task: str
    target: str
    findings: Findings
    table: pd.DataFrame
    effects: list[Effect] = field(default_factory=list)

    @property
    def suspect_rows(self) -> list[int]:
        """Numbers of the suspects in the file, the first row below the header being 1."""
        return [int(row) for row in self.table.loc[self.table["suspect"], "row"]]

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        share, count = self.findings.mixture.share, len(self.suspect_rows)
        return (
            f"{len(self.table)} rows; about {share:.0%} seem wrong in '{self.target}'. "
            f"The first {count} of this ranking are the suspects."
        )

    @property
    def effect_lines(self) -> list[str]:
        """What leaving the suspects out does, a line a model."""
        return [
            f"Without the suspects the {each.measure} of {each.model} on the other rows goes from "
            f"{each.with_suspects:.4g} to {each.without_suspects:.4g}."
            for each in self.effects
        ]

    def as_json(self) -> dict[str, Any]:
        """Return the audit as JSON can hold it."""
        rows = self.table.head(max(100, len(self.suspect_rows)))
        return {
            "task": self.task,
            "target": self.target,
            "rows": len(self.table),
            "estimated_share": self.findings.mixture.share,
            "suspects": self.suspect_rows,
            "effects": [vars(each) for each in self.effects],
            "ranking": [
                {
                    name: value.item() if isinstance(value, np.generic) else value
                    for name, value in row.items()
                }
                for row in rows.to_dict("records")
            ],
        }


@without_convergence_warnings
def audit_rows(
    table: pd.DataFrame,
    target: str,
    task: str | None,
    drop: tuple[str, ...],
    cut: int | None,
    seed: int,
    measure_effect: bool,
) -> Audit:
    """Audit a table: rank its rows, propose a cut, and measure what it does."""
    schema, part = usable(table, Settings("", target, task=task, drop=drop))
    estimator = build("robust", schema.task, len(part.y), fast=False, seed=seed)
    estimator.set_params(basis=min(VECTOR_BASIS, len(part.y)), gamma="scale")
    model = pipeline(schema, estimator).fit(part.X, part.y)
    X = np.asarray(model[:-1].transform(part.X))
    findings = find_wrong_rows(X, part.y, task=schema.task, seed=seed)
    ranking = suspect_table(findings, X, part.y, part.rows, vectors_of(estimator), schema.task)
    if cut is not None:
        ranking["suspect"] = np.arange(len(ranking)) < cut
    n_suspects = int(ranking["suspect"].sum())
    effects = (
        measured(part, X, findings, n_suspects, schema.task, seed) if measure_effect and n_suspects else []
    )
    return Audit(schema.task, target, findings, ranking, effects)


def measured(part: Part, X: Any, findings: Findings, cut: int, task: str, seed: int) -> list[Effect]:
    """Return the effect of the cut on the plain and on the robust model, where enough rows remain."""
    suspects = findings.order[:cut]
    rest = np.delete(part.y, suspects)
    if len(rest) < 20 or (task == "classification" and np.unique(rest, return_counts=True)[1].min() < 5):
        return []

    def cheap(name: str) -> Any:
        basis = min(COMPARED_BASIS, len(rest))
        return build(name, task, len(rest), False, seed).set_params(basis=basis, gamma="scale")

    models = [partial(cheap, name) for name in ("plain", "robust")]
    return [effect_of_leaving_out(model, X, part.y, suspects, task, seed) for model in models]
