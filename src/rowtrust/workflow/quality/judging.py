"""A model judged: figures, tables of classes, curves, calibration, and other models on the same rows."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from rowtrust.contracts import Indices
from rowtrust.trust import Findings, LabelDoubt, NumberDoubt
from rowtrust.workflow.fitting import FittedModel
from rowtrust.workflow.folds import folds_of
from rowtrust.workflow.predictions import FOLDS, Prediction, cross_fit, fit_rows, predict_rows
from rowtrust.workflow.quality.calibration import calibration
from rowtrust.workflow.quality.figures import paired_differences, quality_figures
from rowtrust.workflow.quality.per_class import all_curves, class_tables, too_few
from rowtrust.workflow.quality.records import Curves, PerClass, Reference
from rowtrust.workflow.quality.references import (
    Predict,
    boosting,
    fitted_and_judged,
    note_of_rows,
    references,
)
from rowtrust.workflow.records import Part
from rowtrust.workflow.study import Judged

FEWEST_ERRORS = 0.5
"""Expected errors below which the likeliest number is none, and trust changes nothing."""


def judge(
    model: FittedModel,
    rows: Part,
    how: str,
    prediction: Prediction,
    seed: int,
    train: Part | None,
    folded: Part | None = None,
) -> Judged:
    """Judge the model by what was predicted of rows that it, or its fits without a fold, had not seen.

    Parameters
    ----------
    model
        Fitted.
    rows, how, prediction
        The rows that judge it, how it came that they are unseen, and what was predicted of them.
    seed
        Of every random choice.
    train
        The rows that references are fitted to; None to fit them without each fold in turn.
    folded
        The rows of the folds, where not all of them are predicted: the earliest by time are not.
    """
    figures = quality_figures(prediction, rows.y, model.classes, model.estimator, seed, rows.groups)
    tables, curves = of_classes(model, rows, prediction)
    verdict = calibration(prediction, rows.y, model.classes, model.estimator, seed, rows.groups)
    others, missing = other_models(model, rows, prediction, seed, train, rows if folded is None else folded)
    return Judged(
        rows,
        how,
        prediction,
        model.estimator,
        figures,
        references=others,
        per_class=tables,
        curves=curves,
        calibration=verdict,
        remarks=[*too_few(tables), *missing],
    )


def of_classes(model: FittedModel, rows: Part, prediction: Prediction) -> tuple[list[PerClass], list[Curves]]:
    """Return the tables and the curves of classes; nothing for numbers."""
    if isinstance(prediction, tuple):
        return [], []
    label = model.labels(rows.y)
    n_train: Indices = np.bincount(model.labels(model.train.y), minlength=len(model.classes))
    tables = class_tables(prediction, label, model.classes, n_train, rows.groups)
    return tables, all_curves(prediction, label, tables, rows.groups)


def other_models(
    model: FittedModel, rows: Part, prediction: Prediction, seed: int, train: Part | None, folded: Part
) -> tuple[list[Reference], list[str]]:
    """Return references, fitted to the training rows or without each fold in turn."""
    if train is None:
        fitted, note, predict = folded, "", cross_fitted(folded, len(model.classes) > 0, seed)
    else:
        predict, fitted = fitted_and_judged(train, rows.X, model.classes, seed)
        note = note_of_rows(len(fitted.y), model.n_fitted)
    return references(rows, prediction, model.classes, model.estimator, seed, fitted, predict, note)


def cross_fitted(rows: Part, is_classes: bool, seed: int) -> Predict:
    """Return how a reference is fitted without each fold in turn, the folds being those of the candidates."""
    folds = folds_of(rows, is_classes, FOLDS, seed)
    return lambda model: cross_fit(model, rows.X, rows.y, folds, lambda: None, rows.weights)


def with_trusted_boosting(judged: Judged, model: FittedModel, seed: int) -> Judged:
    """Return what judges the model, with trusted boosting beside boosting where training rows are doubted."""
    rows = fitted_and_judged(model.train, judged.rows.X, model.classes, seed)[1]
    is_alone = not any(each.name == "boosting" for each in judged.references)
    if is_alone or not len(rows.y) == len(model.train.y) == model.n_fitted:
        return judged
    start, findings = perf_counter(), model.estimator.judge_rows(model.prepared, model.train.y)
    if findings.expected_errors < FEWEST_ERRORS:
        return judged
    y, groups = judged.rows.y, judged.rows.groups
    predicted = predict_rows(fitted(rows, findings, model, seed), judged.rows.X, model.classes)
    trusted = Reference(
        "trusted boosting",
        "the same, with each row weighted by its trust (TrustedClassifier, TrustedRegressor)",
        quality_figures(predicted, y, model.classes, model.estimator, seed, groups),
        paired_differences(predicted, judged.prediction, y, model.classes, seed, groups),
        seconds=perf_counter() - start,
    )
    return replace(judged, references=[*judged.references, trusted])


def fitted(rows: Part, findings: Findings, model: FittedModel, seed: int) -> Pipeline:
    """Return boosting that has as many rounds as believed rows ask for, fitted to what is believed."""
    is_classes, weight = model.task == "classification", rows.weights
    weight = np.ones(len(rows.y)) if weight is None else weight
    if is_classes:
        classes, target = np.unique(rows.y, return_inverse=True)
        assert findings.noise is not None
        doubt: Any = LabelDoubt(target, weight, findings.p_wrong, findings.prediction, findings.noise)
    else:
        doubt = NumberDoubt(rows.y, weight, findings.p_wrong, *findings.prediction)
    once = doubt.rows(copies=False)
    once = once.only(once.weight > 0.0)
    found = fit_rows(
        boosting(rows, is_classes, seed), rows.X.iloc[once.place], rows.y[once.place], once.weight
    )
    if not is_classes or found[-1].model_.early_stopping:
        return found
    twice = doubt.rows(copies=True)
    twice = twice.only(twice.weight > 0.0)
    X = found[:-1].transform(rows.X.iloc[twice.place])
    last = clone(found[-1].model_).fit(X, classes[twice.target], twice.weight)
    return Pipeline([("prepare", found[0]), ("model", last)])
