"""An audit: the likely errors of a table, the cut, and what leaving them out or correcting them does."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from rowtrust.contracts import Array, Indices
from rowtrust.estimators import budget
from rowtrust.trust import Findings
from rowtrust.workflow.candidates import build
from rowtrust.workflow.checks.records import Check, ordered
from rowtrust.workflow.fitting import FittedModel, fit_model
from rowtrust.workflow.flagged import (
    fitted_once,
    flagged_rows,
    listed_rows,
    rank_rows,
    with_cut,
    wrong_rows_text,
)
from rowtrust.workflow.folds import group_folds, row_folds
from rowtrust.workflow.records import Settings
from rowtrust.workflow.row_contents import Content, contents
from rowtrust.workflow.rows import study_rows
from rowtrust.workflow.splitting import doubtful_classes
from rowtrust.workflow.tables.column_checks import reading_checks
from rowtrust.workflow.tables.describing import column_facts
from rowtrust.workflow.tables.errors import brief

FOLDS = 5
"""Folds of the cross-fitting: ten fits, five before the change and five after it. A habit, not studied."""

MOST_ROWS = 1500
"""Other rows on which the effect is measured, drawn at random where there are more: they bound the
time of ten fits. Not studied."""

CHANCE = 2.0
"""Standard errors up to which a difference may be chance; a convention."""


FEWEST_KEPT = 20
"""Rows without the flagged ones below which the effect of the cut is not measured: noise alone."""

FEWEST_PER_CLASS = 5
"""Rows of the rarest class that the effect needs, each of another group: one for each fold of its
cross-fitting."""

GAIN_ROWS = 500
"""Rows on which a report measures what a correction would gain: twenty small fits on them take some three
seconds. Chosen for time."""

SHOWN_ROWS = 100
"""Rows of the ranking in the JSON, or all flagged ones if those are more; the CSV has every row."""


@dataclass(frozen=True)
class Effect:
    """The error on the other rows of a model fitted before and after some rows are changed.

    The share of wrong classes, or the root of the mean squared error; every row was predicted by a fit
    that had not seen it. ``noise`` is the standard error of the difference over these rows.
    """

    model: str
    measure: str
    before: float
    after: float
    n_rows: int
    noise: float

    @property
    def is_chance(self) -> bool:
        """Whether the difference is so small that it may be chance."""
        return abs(self.after - self.before) <= CHANCE * self.noise


@dataclass(frozen=True, eq=False)
class Change:
    """Rows of a table that are left out, or corrected.

    Attributes
    ----------
    X, y
        Prepared inputs, and targets as given.
    changed
        Rows that are left out, or corrected.
    task
        "classification" or "regression".
    seed
        Of the folds, and of the draw where rows are many.
    corrected
        Those of the changed rows that stay, and their new targets; None where all are left out.
    most_rows
        Rows on which the effect is measured.
    groups
        Rows of one group are never in a fit that predicts others of it; None where every row stands alone.
    """

    X: Array
    y: NDArray[Any]
    changed: Indices
    task: str
    seed: int = 0
    corrected: tuple[Indices, NDArray[Any]] | None = None
    most_rows: int = MOST_ROWS
    groups: Indices | None = None

    def drawn(self) -> tuple[Indices, Indices]:
        """Return the rows that are left alone, and the changed ones: a sample of both where they are many."""
        kept, changed = np.setdiff1d(np.arange(len(self.y)), self.changed), self.changed
        if len(kept) <= self.most_rows:
            return kept, changed
        generator = np.random.default_rng(self.seed)
        n_changed = max(1, round(len(changed) * self.most_rows / len(kept)))  # the share that they are
        changed = np.sort(generator.permutation(changed)[:n_changed])
        return np.sort(generator.permutation(kept)[: self.most_rows]), changed


def effect_of_change(build: Callable[[], Any], change: Change) -> Effect:
    """Cross-fit a model on all rows, and on the rows after a change; judge both on those left alone.

    Parameters
    ----------
    build
        Returns an unfitted estimator.
    change
        What is done to which rows.
    """
    X, y, task = change.X, change.y, change.task
    kept, changed = change.drawn()
    stay, targets = change.corrected if change.corrected is not None else (changed[:0], y[:0])
    known = np.isin(stay, changed)
    versions = {"before": (changed, y[changed]), "after": (stay[known], targets[known])}
    groups = np.arange(len(y)) if change.groups is None else change.groups
    errors: dict[str, list[Array]] = {name: [] for name in versions}
    for train, test in folds(y[kept], groups[kept], task, change.seed):
        for name, (rows, values) in versions.items():
            foreign = ~np.isin(groups[rows], groups[kept[test]])
            inputs = np.concatenate([X[kept[train]], X[rows[foreign]]])
            fitted = build().fit(inputs, np.concatenate([y[kept[train]], values[foreign]]))
            errors[name].append(error_of(fitted.predict(X[kept[test]]), y[kept[test]], task))
    return effect_of_errors(type(build()).__name__, task, *map(np.concatenate, errors.values()))


def effect_of_errors(model: str, task: str, before: Array, after: Array) -> Effect:
    """Return the effect, from each row's error before and after."""
    first, second = float(before.mean()), float(after.mean())
    noise = float(np.std(after - before) / np.sqrt(len(before)))
    if task == "classification":
        return Effect(model, "error", first, second, len(before), noise)
    first, second = float(np.sqrt(first)), float(np.sqrt(second))
    slope = first + second  # of the difference of squares
    return Effect(model, "RMSE", first, second, len(before), noise / slope if slope else 0.0)


def folds(y: NDArray[Any], groups: Indices, task: str, seed: int) -> list[tuple[Indices, Indices]]:
    """Return folds with equal shares of the classes that cut no group."""
    if len(np.unique(groups)) < len(groups):
        return group_folds(groups, y if task == "classification" else None, FOLDS, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of classes that are rarer than folds: the checks tell
        return list(row_folds(y, task == "classification", FOLDS, seed))


def error_of(predicted: NDArray[Any], target: NDArray[Any], task: str) -> Array:
    """Return each row's error: one for a wrong class, or the squared difference."""
    if task == "classification":
        return np.asarray(predicted != target, dtype=float)
    return np.asarray((predicted - target) ** 2, dtype=float)


@dataclass(frozen=True)
class Audit:
    """What was found out about the rows of a table."""

    task: str
    target: str
    findings: Findings
    table: pd.DataFrame
    effects: list[Effect] = field(default_factory=list)
    contents: dict[int, Content] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)

    @property
    def flagged_rows(self) -> list[int]:
        """Numbers of the flagged rows in the file."""
        return flagged_rows(self.table)

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        named, proposed = len(self.flagged_rows), len(self.findings.flagged)
        if named != proposed:
            return f"The first {named} of {len(self.table)} rows are flagged, as requested."
        return f"'{self.target}': {wrong_rows_text(self.findings, self.checks, self.task)}"

    @property
    def effect_lines(self) -> list[str]:
        """What leaving the flagged rows out does, a line per model."""
        return [f"Without the flagged rows {sentence(each)}" for each in self.effects]

    def as_json(self) -> dict[str, Any]:
        """Return the audit for JSON."""
        shown = self.table.head(max(SHOWN_ROWS, len(self.flagged_rows))).reset_index()
        return {
            "task": self.task,
            "target": self.target,
            "rows": len(self.table),
            "expected_share": self.findings.share,
            "expected_more": self.findings.missed,
            "flagged": self.flagged_rows,
            "worth_a_look": [int(row) for row in listed_rows(self.table).index],
            "expected_errors": self.findings.expected_errors,
            "expected_errors_interval": list(self.findings.expected_errors_interval),
            "checks": [asdict(each) for each in self.checks],
            "effects": [vars(each) for each in self.effects],
            "ranking": shown.astype(object).where(shown.notna(), None).to_dict("records"),
        }


def audit_rows(
    table: pd.DataFrame, settings: Settings, *, cut: int | None = None, measure_effect: bool = True
) -> Audit:
    """Audit a table: rank its rows, propose a cut unless one is given, and measure what it does.

    The models are fitted only to explain, so it does not matter if they have not quite converged.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = study_rows(table, replace(settings, test=0.0))
        schema, rows = found.schema, found.everything
        estimator = build("robust", schema.task, fast=False, seed=settings.seed)
        model = fitted_once(schema, estimator, rows) or fit_model(schema, estimator, rows, rows)
        findings, ranking = rank_rows(model)
        ranking = ranking if cut is None else with_cut(ranking, cut)
        flagged = findings.order[: len(flagged_rows(ranking))]
        effects = effects_of_cut(model, flagged, settings.seed) if measure_effect else []
        content_by_row = contents(model, listed_rows(ranking))
    checks = ordered([*found.checks, *reading_checks(table, schema, column_facts(table, schema))])
    notes = doubtful_classes(rows)
    return Audit(schema.task, settings.target, findings, ranking, effects, content_by_row, notes, checks)


def effects_of_cut(model: FittedModel, flagged: Indices, seed: int) -> list[Effect]:
    """Return what leaving the flagged rows out does to the plain and to the robust model."""
    rows = model.train
    return effects_of_change(Change(model.prepared, rows.y, flagged, model.task, seed, groups=rows.groups))


def effects_of_correction(model: FittedModel, findings: Findings, seed: int) -> list[Effect]:
    """Return what the change would do that ``rowtrust clean`` makes if every flagged row is confirmed.

    Rows get their likely class; numbers are left out.
    """
    flagged, corrected = findings.flagged, None
    if model.task == "classification":
        corrected = (flagged, findings.likely[flagged])
    rows = model.train
    return effects_of_change(
        Change(model.prepared, rows.y, flagged, model.task, seed, corrected, GAIN_ROWS, rows.groups)
    )


def effects_of_change(change: Change) -> list[Effect]:
    """Return what a change of rows does to the plain and to the robust model, if that can be told."""
    rest, task = np.delete(change.y, change.changed), change.task
    if not len(change.changed) or len(rest) < FEWEST_KEPT:
        return []
    label = np.unique(rest, return_inverse=True)[1] if task == "classification" else np.zeros(len(rest), int)
    groups = np.arange(len(change.y)) if change.groups is None else change.groups
    apart = np.delete(groups, change.changed)
    if np.bincount(np.unique(np.column_stack([label, apart]), axis=0)[:, 0]).min() < FEWEST_PER_CLASS:
        return []
    n_rows = min(change.most_rows, len(rest))
    return [
        effect_of_change(partial(cheap, name, task, n_rows, change.seed), change)
        for name in ("plain", "robust")
    ]


def sentence(effect: Effect) -> str:
    """Say what a change does, after words that name the change."""
    before, after = (
        f"{value:.1%}" if effect.measure == "error" else brief(value)
        for value in (effect.before, effect.after)
    )
    return (
        f"the {effect.measure} of {effect.model} on {effect.n_rows} other rows goes from "
        f"{before} to {after}{', which may be chance' * effect.is_chance}."
    )


def cheap(name: str, task: str, n_rows: int, seed: int) -> Any:
    """Return an unfitted estimator of one width on few centres."""
    estimator = build(name, task, fast=False, seed=seed)
    return estimator.set_params(basis=min(budget().compared_landmarks, n_rows), gamma="scale")
