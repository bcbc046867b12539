"""Boosting fitted to rows as far as they are believed, beside boosting alone."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from rowtrust.trust import Findings, LabelDoubt, NumberDoubt
from rowtrust.workflow.fitting import FittedModel
from rowtrust.workflow.predictions import fit_rows, predict_rows
from rowtrust.workflow.quality.differences import paired_differences
from rowtrust.workflow.quality.figures import quality_figures
from rowtrust.workflow.quality.records import Reference
from rowtrust.workflow.quality.references import boosting, fitted_and_judged
from rowtrust.workflow.records import Part
from rowtrust.workflow.study import Judged

FEWEST_ERRORS = 0.5
"""Expected errors below which the likeliest number is none, and trust changes nothing."""


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
        "the same, fitted to each row as far as it is believed (TrustedClassifier, TrustedRegressor)",
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
