"""The study of a table: split, compare, fit, measure, audit."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline

from rowtrust.auditing import find_wrong_rows
from rowtrust.auditing.reasons import vectors_of
from rowtrust.workflow import inputs, quality
from rowtrust.workflow.candidates import (
    COMPARED_ROWS,
    FOLDS,
    Candidate,
    build,
    choose,
    compare,
    names_to_compare,
    predicted,
)
from rowtrust.workflow.records import Part, Progress, Settings, Study
from rowtrust.workflow.suspects import suspect_table
from rowtrust.workflow.tables import InputError, Schema, pipeline

FEWEST_ROWS = 10


def run_study(
    table: pd.DataFrame,
    settings: Settings,
    test: pd.DataFrame | None = None,
    progress: Progress | None = None,
) -> Study:
    """Study a table: which model, how good, which rows are wrong, how sure.

    Parameters
    ----------
    table
        All columns, the target among them.
    settings
        What the user asked for.
    test
        Rows to judge the model by, instead of a share of the table.
    progress
        Told of every step.
    """
    progress = progress or Progress()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        study = _run(table, settings, test, progress)
    messages = [str(warning.message).splitlines()[0] for warning in caught if is_news(warning.category)]
    study.notes.extend(dict.fromkeys(messages))
    return study


def is_news(category: type[Warning]) -> bool:
    """Whether a warning is for the user: one about the fit, not one between libraries."""
    return issubclass(category, UserWarning | RuntimeWarning)


def _run(table: pd.DataFrame, settings: Settings, test: pd.DataFrame | None, progress: Progress) -> Study:
    schema, everything = usable(table, settings)
    train, judged = divided(schema, everything, settings, test)
    names = candidate_names(settings, schema, len(train.y), judged is None)
    progress.start(FOLDS * len(names) + 5)
    compared = sample(train, COMPARED_ROWS, settings.seed)
    candidates = compare(schema, compared.X, compared.y, names, settings.fast, settings.seed, progress.step)
    chosen = choose(candidates).name if settings.model == "auto" else settings.model
    progress.step(f"fitting: {chosen}")
    model = fitted(schema, chosen, train, settings)
    progress.step("judging")
    classes = np.unique(everything.y) if schema.task == "classification" else np.empty(0)
    return described(
        schema,
        settings,
        model,
        chosen,
        candidates,
        train,
        judged,
        compared,
        classes,
        progress,
        len(table) - len(everything.y),
    )


def usable(table: pd.DataFrame, settings: Settings) -> tuple[Schema, Part]:
    """Find the columns; return the rows that have a target."""
    schema, target = Schema.find(table, settings.target, settings.task, settings.drop)
    if len(target.rows) < FEWEST_ROWS:
        raise InputError(
            f"only {len(target.rows)} rows have a target; at least {FEWEST_ROWS} are needed. Give more rows."
        )
    numbers = np.asarray(table.index, dtype=np.intp)[target.rows] + 1
    return schema, Part(schema.conform(table.iloc[target.rows]), target.values, numbers)


def divided(
    schema: Schema, everything: Part, settings: Settings, test: pd.DataFrame | None
) -> tuple[Part, Part | None]:
    """Return the rows to fit and those to judge by, None where cross-fitting must do."""
    if test is not None:
        return everything, test_part(schema, everything, test)
    if settings.test == 0.0:
        return everything, None
    stratify = None
    if schema.task == "classification":
        counts = np.unique(everything.y, return_counts=True)[1]
        stratify = everything.y if counts.min() >= 2 else None
    try:
        train, held = train_test_split(
            np.arange(len(everything.y)),
            test_size=settings.test,
            stratify=stratify,
            random_state=settings.seed,
        )
    except ValueError as error:
        raise InputError(
            f"{settings.test:.0%} of {len(everything.y)} rows cannot be held out with every class in them. "
            "Use --no-test, or another --test."
        ) from error
    train_part = everything.take(np.sort(train))
    if schema.task == "classification" and len(np.unique(train_part.y)) < 2:
        raise InputError("no two classes are left after holding out test rows. Use --no-test.")
    return train_part, everything.take(np.sort(held))


def test_part(schema: Schema, everything: Part, test: pd.DataFrame) -> Part:
    """Return the rows of a test file, which must have the columns and the classes of the table."""
    from rowtrust.workflow.tables.targets import labels, numbers_target

    test = test.rename(columns=str)
    if schema.target not in test.columns:
        raise InputError(f"the test file has no column '{schema.target}'. Add the target.")
    if schema.task == "regression":
        found = numbers_target(test[schema.target])
        values, rows = found.values, found.rows
    else:
        rows = np.flatnonzero(test[schema.target].notna())
        values = labels(test[schema.target].iloc[rows])
        unknown = np.setdiff1d(values.astype(str), everything.y.astype(str))
        if len(unknown):
            raise InputError(
                f"the test file has the class '{unknown[0]}', which the data lack. Mend its labels."
            )
        values = values.astype(everything.y.dtype)
    return Part(schema.conform(test.iloc[rows]), values, rows + 1)


def candidate_names(settings: Settings, schema: Schema, n_rows: int, must_cross_fit: bool) -> list[str]:
    """Return the models to compare; a named model is cross-fitted only if nothing else can judge it."""
    if settings.model == "auto":
        return names_to_compare(schema.task, n_rows)
    build(settings.model, schema.task, n_rows, settings.fast, settings.seed)
    return [settings.model] if must_cross_fit else []


def sample(part: Part, most: int, seed: int) -> Part:
    """Return at most so many of the rows, at random."""
    if len(part.y) <= most:
        return part
    chosen = np.random.default_rng(seed).choice(len(part.y), most, replace=False)
    return part.take(np.sort(chosen))


def fitted(schema: Schema, name: str, train: Part, settings: Settings) -> Pipeline:
    """Return the chosen model fitted on all training rows."""
    estimator = build(name, schema.task, len(train.y), settings.fast, settings.seed)
    try:
        return pipeline(schema, estimator).fit(train.X, train.y)
    except ValueError as error:
        raise InputError(f"the model cannot be fitted: {str(error).splitlines()[0]}") from error


def described(
    schema: Schema,
    settings: Settings,
    model: Pipeline,
    chosen: str,
    candidates: list[Candidate],
    train: Part,
    judged: Part | None,
    compared: Part,
    classes: NDArray[Any],
    progress: Progress,
    n_unusable: int,
) -> Study:
    """Measure, explain and audit a fitted model."""
    seed = settings.seed
    if judged is None:
        judged_on, rows = f"{FOLDS}-fold cross-fitting of the training rows", compared
        prediction = next(each.prediction for each in candidates if each.name == chosen)
    else:
        judged_on, rows = "test rows the model has not seen", judged
        prediction = predicted(model, judged.X, classes)
    figures = measured(prediction, rows.y, classes, model[-1], seed)
    progress.step("asking what matters")
    ranking = inputs.relevances(schema, model, rows.X, rows.y, classes, seed)
    outcome: Callable[[pd.DataFrame], Any] = inputs.outcome_of(model, classes)
    curves = inputs.curves(schema, outcome, train.X, ranking, seed)
    surface = inputs.surface(schema, model, train.X, train.y, classes)
    progress.step("looking for wrong rows")
    prepared = np.asarray(model[:-1].transform(train.X))
    findings = find_wrong_rows(prepared, train.y, task=schema.task, seed=seed)
    suspects = suspect_table(findings, prepared, train.y, train.rows, vectors_of(model[-1]), schema.task)
    return Study(
        settings, schema, classes, train, rows, judged_on, candidates, chosen, model, prediction,
        figures, ranking, curves, surface, findings, suspects, n_unusable, remarks(schema, n_unusable),
    )  # fmt: skip


def measured(
    prediction: Any, target: NDArray[Any], classes: NDArray[Any], estimator: Any, seed: int
) -> list[quality.Figure]:
    """Return the figures of quality for a task."""
    if isinstance(prediction, tuple):
        mean, deviation = prediction
        factor = quality.interval_factor(estimator)
        return quality.number_quality(mean, deviation, target, seed, factor)
    return quality.class_quality(prediction, np.searchsorted(classes, target), seed)


def remarks(schema: Schema, n_unusable: int) -> list[str]:
    """Say what was left out of the table."""
    found = [f"column '{name}' was not used: {why}" for name, why in schema.left_out]
    if n_unusable:
        found.append(f"{n_unusable} rows have no target and were not used")
    return found
