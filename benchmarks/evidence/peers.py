"""What else a user would take: scikit-learn and cleanlab, tuned where the name says so.

Grid searches, calibration and cleanlab have five folds; the oracle is fitted without the wrong rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import LogisticRegressionCV, RidgeCV
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from benchmarks.evidence.cases import Case, dirty_case
from benchmarks.evidence.measures import Found, Learner, Said, by_class, evaluate, normal_interval
from benchmarks.evidence.models import BOOSTING, BOOSTING_OF_NUMBERS, FOREST, FOREST_OF_NUMBERS
from benchmarks.evidence.real import probabilities, real_case

Array = NDArray[Any]

FOLDS = 5
"""Of searches, of calibration and of cleanlab."""

PENALTIES, WIDTHS, TUBES = (0.1, 1.0, 10.0, 100.0, 1000.0), (1 / 16, 1 / 4, 1.0, 4.0), (0.01, 0.1)
"""The grid: C, multiples of scikit-learn's "scale" of gamma, and for numbers epsilon in deviations."""

MOST_STEPS = 200_000
"""Of a fit of SVR. Large C on noisy targets would take hours else."""

STRENGTHS = np.logspace(-4, 4, 9)
"""Penalties of the linear models."""


# classes --------------------------------------------------------------------------------------------


def plain(model: Any, case: Case) -> Said:
    """Fit a classifier that believes all labels."""
    return Said(by_class(clone(model).fit(case.X, case.given), case.X_test, case.labels))


def oracle(model: Any, case: Case) -> Said:
    """Fit a classifier without the wrong rows."""
    right = case.without_errors()
    return Said(by_class(clone(model).fit(right.X, right.given), case.X_test, case.labels))


def folds_of(case: Case) -> Any:
    """Return folds that every class reaches."""
    least = int(np.unique(case.given, return_counts=True)[1].min())
    return StratifiedKFold(max(2, min(FOLDS, least)), shuffle=True, random_state=case.seed)


def gammas(X: Array) -> list[float]:
    return [factor / (X.shape[1] * X.var()) for factor in WIDTHS]


def tuned_svc(case: Case) -> Said:
    """Search the grid, and calibrate the best point by sigmoids."""
    grid, folds = {"C": PENALTIES, "gamma": gammas(case.X)}, folds_of(case)
    best = GridSearchCV(SVC(), grid, cv=folds, refit=False).fit(case.X, case.given).best_params_
    return plain(CalibratedClassifierCV(SVC(**best), cv=folds, ensemble=False), case)


def logistic(case: Case) -> Said:
    model = LogisticRegressionCV(Cs=STRENGTHS, cv=folds_of(case), scoring="neg_log_loss", max_iter=1000)
    return plain(model, case)


def cleaned(model: Any, case: Case) -> Said:
    """Find errors with ``CleanLearning`` and fit what it leaves, all as its documentation has it."""
    from cleanlab.classification import CleanLearning

    cleaner = CleanLearning(
        clone(model), seed=case.seed, cv_n_folds=FOLDS, find_label_issues_kwargs={"n_jobs": 1}
    )
    cleaner.fit(case.X, case.given)
    issues = cleaner.get_label_issues()
    flagged = issues["is_label_issue"].to_numpy(dtype=bool)
    found = Found(1.0 - issues["label_quality"].to_numpy(), flagged, flagged)
    return Said(
        by_class(cleaner.clf, case.X_test, case.labels) if len(case.X_test) else None,
        found=found,
    )


CLASSIFIERS: dict[str, Learner] = {
    "SVC tuned": tuned_svc,
    "forest": partial(plain, FOREST),
    "boosting": partial(plain, BOOSTING),
    "logistic tuned": logistic,
    "cleanlab forest": partial(cleaned, FOREST),
    "cleanlab boosting": partial(cleaned, BOOSTING),
    "oracle forest": partial(oracle, FOREST),
    "oracle boosting": partial(oracle, BOOSTING),
}


# numbers --------------------------------------------------------------------------------------------


def plain_numbers(model: Any, case: Case) -> Said:
    """Fit a regressor that believes all targets."""
    return Said(clone(model).fit(case.X, case.given).predict(case.X_test))


def oracle_of_numbers(model: Any, case: Case) -> Said:
    """Fit a regressor without the wrong rows."""
    return plain_numbers(model, case.without_errors())


def tuned_svr(case: Case) -> Said:
    """Search the grid on targets of variance one."""
    machine = TransformedTargetRegressor(SVR(max_iter=MOST_STEPS), transformer=StandardScaler())
    grid = {"regressor__C": PENALTIES, "regressor__gamma": gammas(case.X), "regressor__epsilon": TUBES}
    folds = KFold(FOLDS, shuffle=True, random_state=case.seed)
    return plain_numbers(GridSearchCV(machine, grid, cv=folds, scoring="neg_mean_squared_error"), case)


def gaussian_process(case: Case) -> Said:
    """Fit a length scale per input, from one start."""
    inputs = case.X.shape[1]
    kernel = ConstantKernel(1.0, (1e-3, 1e3)) * RBF(np.full(inputs, np.sqrt(inputs)), (1e-2, 1e3))
    model = GaussianProcessRegressor(kernel + WhiteKernel(0.1, (1e-5, 10.0)), normalize_y=True)
    mean, deviation = model.fit(case.X, case.given).predict(case.X_test, return_std=True)
    return Said(mean, deviation, normal_interval(mean, deviation))


def cleaned_numbers(model: Any, case: Case) -> Said:
    """Find errors with cleanlab's regression and fit what it leaves, all as its documentation has it."""
    from cleanlab.regression.learn import CleanLearning

    cleaner = CleanLearning(clone(model), seed=case.seed, cv_n_folds=FOLDS).fit(case.X, case.given)
    issues = cleaner.get_label_issues()
    flagged = issues["is_label_issue"].to_numpy(dtype=bool)
    found = Found(1.0 - issues["label_quality"].to_numpy(), flagged, flagged)
    return Said(np.asarray(cleaner.predict(case.X_test)) if len(case.X_test) else None, found=found)


REGRESSORS: dict[str, Learner] = {
    "SVR tuned": tuned_svr,
    "forest": partial(plain_numbers, FOREST_OF_NUMBERS),
    "boosting": partial(plain_numbers, BOOSTING_OF_NUMBERS),
    "ridge tuned": partial(plain_numbers, RidgeCV(STRENGTHS)),
    "GPR": gaussian_process,
    "cleanlab forest": partial(cleaned_numbers, FOREST_OF_NUMBERS),
    "cleanlab boosting": partial(cleaned_numbers, BOOSTING_OF_NUMBERS),
    "oracle forest": partial(oracle_of_numbers, FOREST_OF_NUMBERS),
    "oracle boosting": partial(oracle_of_numbers, BOOSTING_OF_NUMBERS),
}


# what is measured -----------------------------------------------------------------------------------


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
    return evaluate({"cleanlab": found_by_probabilities}, settings["learner"], case)


def found_by_probabilities(case: Case) -> Said:
    """Find label issues by held-out probabilities alone, which are the case's inputs."""
    from cleanlab.filter import find_label_issues
    from cleanlab.rank import get_label_quality_scores

    score = 1.0 - get_label_quality_scores(case.given, case.X)
    flagged = np.asarray(find_label_issues(case.given, case.X, n_jobs=1))
    return Said(found=Found(score, flagged, flagged))
