"""What a learner is worth on a case: its predictions of clean rows, and the wrong rows that it finds."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn.metrics import average_precision_score, f1_score
from threadpoolctl import threadpool_limits

from benchmarks.evidence.cases import Case

Array = NDArray[Any]

LEAST = 1e-6
"""The least probability that a log loss is taken of, the same for all: forests say zero."""

BINS = 10
"""Bins of the calibration error, as usual."""

COVERAGE = 0.9
"""The share of new targets that an interval promises to hold."""


@dataclass(frozen=True)
class Found:
    """What a learner says of the rows it was fitted to.

    Attributes
    ----------
    score
        How suspicious every row is.
    flagged, look
        Which rows are on its list of likely errors, and on the longer one if it has two.
    """

    score: Array
    flagged: Array
    look: Array


@dataclass(frozen=True)
class Said:
    """What a fitted learner says.

    Attributes
    ----------
    prediction
        Of test rows: probabilities with a column per class given, or numbers; None if there are none.
    deviation, interval
        Of test rows, for numbers, where the learner has them.
    found
        Of the rows fitted, where the learner looks for errors.
    """

    prediction: Array | None = None
    deviation: Array | None = None
    interval: tuple[Array, Array] | None = None
    found: Found | None = None


Learner = Callable[[Case], Said]


def measured(learner: Learner, case: Case) -> dict[str, Any]:
    """Return what a learner is worth, and the CPU seconds from bare rows to all that it says."""
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        np.random.seed(case.seed)  # noqa: NPY002  some learners draw from NumPy's own generator
        start = process_time()
        said = learner(case)
        line: dict[str, Any] = {"seconds": process_time() - start}
    line |= {"n_fit": len(case.given), "wrong": int(case.wrong.sum())}
    if said.prediction is not None and len(case.y_test):
        line |= (of_classes if case.is_classes else of_numbers)(said, case)
    return line | (finding(said.found, case.wrong) if said.found else {})


def of_classes(said: Said, case: Case) -> dict[str, float]:
    """Return error in percent, log loss and calibration error in percent."""
    assert said.prediction is not None
    probability = np.clip(said.prediction, LEAST, 1.0)
    probability = probability / probability.sum(axis=1, keepdims=True)
    if not np.isfinite(probability).all():
        raise ValueError("probabilities that are not finite.")
    right = probability.argmax(axis=1) == case.y_test
    of_truth = np.where(
        case.y_test < 0, LEAST, probability[np.arange(len(right)), np.maximum(case.y_test, 0)]
    )
    two = probability.shape[1] == 2
    sure, truth = (probability[:, 1], case.y_test == 1) if two else (probability.max(axis=1), right)
    return {
        "error": 100.0 * float(1.0 - right.mean()),
        "log_loss": float(-np.log(of_truth).mean()),
        "calibration": 100.0 * calibration_error(sure, truth),
    }


def calibration_error(probability: Array, truth: Array) -> float:
    """Return the mean distance, over rows, of their bin's rate from their bin's mean probability."""
    bins = np.minimum((probability * BINS).astype(int), BINS - 1)
    excess = np.bincount(bins, weights=truth - probability, minlength=BINS)
    return float(np.abs(excess).sum() / len(truth))


def of_numbers(said: Said, case: Case) -> dict[str, float]:
    """Return RMSE and width in deviations of the right targets, coverage in percent, the log loss."""
    assert said.prediction is not None
    unit = float(np.std(case.y_test))
    off = said.prediction - case.y_test
    line = {"rmse": float(np.sqrt(np.mean(off**2))) / unit}
    if said.deviation is not None:
        line["log_score"] = float(-norm.logpdf(off / unit, scale=said.deviation / unit).mean())
    if said.interval is not None:
        low, high = said.interval
        line["covered"] = 100.0 * float(np.mean((low <= case.y_test) & (case.y_test <= high)))
        line["width"] = float(np.mean(high - low)) / unit
    return line


def finding(found: Found, wrong: Array) -> dict[str, float]:
    """Return average precision, F1 of both lists, and the share missed in as many rows as are wrong."""
    line = {"flagged": int(found.flagged.sum()), "right": int((found.flagged & wrong).sum())}
    if wrong.any():
        first = np.argsort(-found.score, kind="stable")[: wrong.sum()]
        line["precision"] = float(average_precision_score(wrong, found.score))
        line["f1"] = float(f1_score(wrong, found.flagged, zero_division=0.0))
        line["f1_look"] = float(f1_score(wrong, found.look, zero_division=0.0))
        line["missed"] = 100.0 * float(1.0 - wrong[first].mean())
    return line


def evaluate(learners: Mapping[str, Learner], name: str, case: Case) -> dict[str, Any]:
    """Return what one of the learners is worth on a case."""
    return measured(learners[name], case)


def by_class(model: Any, X: Array, labels: Array) -> Array:
    """Return a fitted model's probabilities, one column per label, zero where it has never seen one."""
    probability = np.zeros((len(X), len(labels)))
    probability[:, np.searchsorted(labels, model.classes_)] = model.predict_proba(X)
    return probability


def normal_interval(mean: Array, deviation: Array) -> tuple[Array, Array]:
    """Return the interval of a normal distribution."""
    far = norm.ppf(0.5 + COVERAGE / 2.0) * deviation
    return mean - far, mean + far
