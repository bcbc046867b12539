"""The study of a table: split, compare, fit, judge, explain, look for wrong rows."""

from __future__ import annotations

import warnings

import pandas as pd

from rowtrust.workflow.candidates import COMPARED_ROWS, build, choose, compare, names_to_compare
from rowtrust.workflow.fitting import FittedModel, fit_model
from rowtrust.workflow.inputs import input_effects
from rowtrust.workflow.predictions import FOLDS, Prediction
from rowtrust.workflow.quality import quality_figures
from rowtrust.workflow.records import Part, Progress, Settings
from rowtrust.workflow.splitting import divided, sample, usable
from rowtrust.workflow.study import Judged, Study
from rowtrust.workflow.suspects import find_suspects
from rowtrust.workflow.tables import Schema

LATER_STEPS = 5
"""Steps of the progress bar after the comparison: those of ``_study``, and the writing of the report."""

HELD_OUT = "test rows the model has not seen"
"""How the model was judged, in words, where rows were kept from it."""

CROSS_FITTED = f"{FOLDS}-fold cross-fitting of the training rows"
"""How the model was judged, in words, where it was fitted without each fold in turn."""


def study_table(
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
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        study = _study(table, settings, test, progress or Progress())
    messages = [str(warning.message).splitlines()[0] for warning in caught if is_news(warning.category)]
    study.notes.extend(dict.fromkeys(messages))
    return study


def is_news(category: type[Warning]) -> bool:
    """Whether a warning is for the user: one about the fit, not one between libraries."""
    return issubclass(category, UserWarning | RuntimeWarning)


def _study(table: pd.DataFrame, settings: Settings, test: pd.DataFrame | None, progress: Progress) -> Study:
    schema, everything = usable(table, settings)
    train, held_out = divided(schema, everything, settings, test)
    names = candidate_names(settings, schema, len(train.y), must_cross_fit=held_out is None)
    progress.start(FOLDS * len(names) + LATER_STEPS)
    compared = sample(train, COMPARED_ROWS, settings.seed)
    candidates = compare(schema, compared, names, settings, progress.step)
    chosen = choose(candidates).name if settings.model == "auto" else settings.model
    progress.step(f"fitting: {chosen}")
    estimator = build(chosen, schema.task, len(train.y), settings.fast, settings.seed)
    model = fit_model(schema, estimator, everything, train)
    progress.step("judging")
    if held_out is None:
        prediction = next(each.prediction for each in candidates if each.name == chosen)
        judged = judge(model, compared, CROSS_FITTED, prediction, settings.seed)
    else:
        judged = judge(model, held_out, HELD_OUT, model.predict(held_out.X), settings.seed)
    progress.step("asking what matters")
    effects = input_effects(model, judged.rows, settings.seed)
    progress.step("looking for wrong rows")
    findings, suspects = find_suspects(model)
    n_unusable = len(table) - len(everything.y)
    notes = remarks(schema, n_unusable)
    return Study(settings, candidates, chosen, model, judged, effects, findings, suspects, n_unusable, notes)


def candidate_names(settings: Settings, schema: Schema, n_rows: int, must_cross_fit: bool) -> list[str]:
    """Return the models to compare; a named model is cross-fitted only if nothing else can judge it."""
    if settings.model == "auto":
        return names_to_compare(schema.task, n_rows)
    build(settings.model, schema.task, n_rows, settings.fast, settings.seed)
    return [settings.model] if must_cross_fit else []


def judge(model: FittedModel, rows: Part, how: str, prediction: Prediction, seed: int) -> Judged:
    """Judge the model by what was predicted of rows that it, or its fits without a fold, had not seen."""
    figures = quality_figures(prediction, rows.y, model.classes, model.estimator, seed)
    return Judged(rows, how, prediction, figures)


def remarks(schema: Schema, n_unusable: int) -> list[str]:
    """Say what was left out of the table."""
    found = [f"column '{name}' was not used: {why}" for name, why in schema.left_out]
    if n_unusable:
        found.append(f"{n_unusable} rows have no target and were not used")
    return found
