"""The learners of this library, all with their default settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from benchmarks.evidence.cases import Case, dirty_case
from benchmarks.evidence.measures import COVERAGE, Found, Learner, Said, by_class, evaluate
from benchmarks.evidence.models import BOOSTING, BOOSTING_OF_NUMBERS, FOREST, FOREST_OF_NUMBERS
from benchmarks.evidence.real import probabilities, real_case
from rowtrust.estimators import (
    RVC,
    RVR,
    BayesianSVR,
    RobustRVC,
    RobustRVR,
    TrustedClassifier,
    TrustedRegressor,
)
from rowtrust.trust import Findings, find_wrong_rows

Array = NDArray[Any]


def lists(findings: Findings) -> Found:
    """Return what the judge says, with its two lists as masks."""
    rows = np.arange(len(findings.p_wrong))
    score = np.empty(len(rows))
    score[findings.order] = -rows  # their order has no ties
    return Found(score, np.isin(rows, findings.flagged), np.isin(rows, findings.worth_a_look))


def classifier(build: Callable[[], Any], case: Case) -> Said:
    """Fit a classifier, and let it judge its rows."""
    model = build().fit(case.X, case.given)
    found = lists(model.judge_rows(case.X, case.given))
    return Said(by_class(model, case.X_test, case.labels) if len(case.X_test) else None, found=found)


def regressor(build: Callable[[], Any], case: Case) -> Said:
    """Fit a regressor, and let it judge its rows."""
    model = build().fit(case.X, case.given)
    found = lists(model.judge_rows(case.X, case.given))
    if not len(case.X_test):
        return Said(found=found)
    interval = model.predict_interval(case.X_test, coverage=COVERAGE)
    if isinstance(model, TrustedRegressor):
        return Said(model.predict(case.X_test), interval=interval, found=found)
    mean, deviation = model.predict(case.X_test, return_std=True)
    return Said(mean, deviation, interval, found)


CLASSIFIERS: dict[str, Learner] = {
    "RVC": partial(classifier, RVC),
    "RobustRVC": partial(classifier, RobustRVC),
    "trusted boosting": partial(classifier, lambda: TrustedClassifier(clone(BOOSTING))),
    "trusted forest": partial(classifier, lambda: TrustedClassifier(clone(FOREST))),
}
REGRESSORS: dict[str, Learner] = {
    "RVR": partial(regressor, RVR),
    "RobustRVR": partial(regressor, RobustRVR),
    "BayesianSVR": partial(regressor, BayesianSVR),
    "trusted boosting": partial(regressor, lambda: TrustedRegressor(clone(BOOSTING_OF_NUMBERS))),
    "trusted forest": partial(regressor, lambda: TrustedRegressor(clone(FOREST_OF_NUMBERS))),
}


def labels(settings: Mapping[str, Any], data: Path) -> dict[str, Any]:
    """Measure a cell of dirty labels."""
    return evaluate(CLASSIFIERS, settings["learner"], dirty_case(settings, data))


def values(settings: Mapping[str, Any], data: Path) -> dict[str, Any]:
    """Measure a cell of dirty numbers."""
    return evaluate(REGRESSORS, settings["learner"], dirty_case(settings, data))


def real(settings: Mapping[str, Any], data: Path) -> dict[str, Any]:
    """Measure a cell of real errors."""
    case = real_case(settings, data)
    return evaluate(CLASSIFIERS if case.is_classes else REGRESSORS, settings["learner"], case)


def real_probabilities(settings: Mapping[str, Any], data: Path) -> dict[str, Any]:
    """Measure what is found by probabilities of somebody's network."""
    case = probabilities(settings, data)
    return evaluate({"find_wrong_rows": found_by_probabilities}, settings["learner"], case)


def found_by_probabilities(case: Case) -> Said:
    """Find wrong rows by held-out probabilities alone, which are the case's inputs."""
    return Said(found=lists(find_wrong_rows(y=case.given, probabilities=case.X)))
