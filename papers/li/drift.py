"""After Li et al. (2008): one repeat of the study of rows in order of time, whose world changes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss

from papers.experiments import Record
from rowtrust.contracts import Array
from rowtrust.datasets import make_rotating_stream
from rowtrust.estimators import RVC, RVR, FuzzyRVC, FuzzyRVR, RobustRVC, RobustRVR
from rowtrust.memberships import Time

MOMENTS, TEST_ROWS = 30, 2000
"""The past has thirty moments; many rows of the next moment are tested on."""

STEPS = 100
"""Of a degree: the boundary's angle is rounded to these."""

NOISE = 0.2
"""Standard deviation of the noise on the sine."""

COVERAGE = 0.9
"""Of the regressors' intervals."""

SHARES = {"all rows": 1.0, "last half": 0.5, "last quarter": 0.25}
"""How much of the past the plain machine is given."""

TIMES: dict[str, Time] = {
    "time linear": Time("linear"),
    "time quadratic": Time("quadratic"),
    "time quadratic, floor 0.01": Time("quadratic", floor=0.01),
}
"""The time memberships; the oldest row keeps 0.1 of its weight, or the floor."""

METHODS = (*SHARES, *TIMES, "robust, all rows")
"""What is compared: the plain machine on some rows, the fuzzy one and the robust one on all."""

CLASS_MEASURES = ("error %", "log loss")
"""Of classifiers."""

REGRESSION_MEASURES = ("RMSE", "coverage %")
"""Of regressors; the RMSE includes the noise."""


def angles(change: str, amount: float) -> Array:
    """Return where the world stands at each moment of the past and at the next, in degrees.

    Parameters
    ----------
    change
        "gradual": evenly from 0 at the first moment to ``amount`` at the next. Else the share of the past,
        as a number, after which it jumps there.
    amount
        How far it goes, in degrees.
    """
    progress = np.arange(MOMENTS + 1) / MOMENTS
    if change == "gradual":
        return amount * progress
    return np.where(progress >= float(change), amount, 0.0)


def classes_once(seed: int, data: str | None, *, change: str, amount: float, rows: int) -> Record:
    """Learn a rotating boundary from the past and measure on the next moment."""
    world = make_rotating_stream(period=360.0 * STEPS, random_state=seed)
    generator = np.random.default_rng(seed)

    def moment(angle: float, size: int) -> tuple[Array, NDArray[Any]]:
        X = generator.standard_normal((size, 2))
        return X, (generator.random(size) < world.probability(X, round(STEPS * angle))).astype(int)

    X, y, X_test, y_test = past_and_next(moment, angles(change, amount), rows)

    def measured(model: Any) -> dict[str, float]:
        probability = np.clip(model.predict_proba(X_test)[:, 1], 1e-15, 1 - 1e-15)
        error = 100.0 * float(np.mean(model.predict(X_test) != y_test))
        return {"error %": error, "log loss": float(log_loss(y_test, probability))}

    return {name: measured(model) for name, model in fitted(X, y, seed, (RVC, FuzzyRVC, RobustRVC)).items()}


def regression_once(seed: int, data: str | None, *, change: str, amount: float, rows: int) -> Record:
    """Learn a sine whose phase moves from the past and measure on the next moment."""
    generator = np.random.default_rng(seed)

    def moment(angle: float, size: int) -> tuple[Array, Array]:
        X = generator.uniform(-np.pi, np.pi, (size, 1))
        return X, np.sin(X[:, 0] + np.deg2rad(angle)) + NOISE * generator.standard_normal(size)

    X, y, X_test, y_test = past_and_next(moment, angles(change, amount), rows)

    def measured(model: Any) -> dict[str, float]:
        low, high = model.predict_interval(X_test, COVERAGE)
        error = float(np.sqrt(np.mean((model.predict(X_test) - y_test) ** 2)))
        return {"RMSE": error, "coverage %": 100.0 * float(np.mean((low <= y_test) & (y_test <= high)))}

    return {name: measured(model) for name, model in fitted(X, y, seed, (RVR, FuzzyRVR, RobustRVR)).items()}


def past_and_next(moment: Any, degrees: Array, rows: int) -> tuple[Array, NDArray[Any], Array, NDArray[Any]]:
    """Return the rows of all moments but the last in order of time, and many of the last."""
    past = [moment(angle, rows // MOMENTS) for angle in degrees[:-1]]
    X, y = (np.concatenate(parts) for parts in zip(*past, strict=True))
    X_test, y_test = moment(degrees[-1], TEST_ROWS)
    return X, y, X_test, y_test


def fitted(X: Array, y: NDArray[Any], seed: int, machines: tuple[Any, Any, Any]) -> dict[str, Any]:
    """Fit the plain machine to some rows, the fuzzy and the robust one to all."""
    plain, fuzzy, robust = machines
    found = {}
    for name, share in SHARES.items():
        first = len(y) - round(share * len(y))
        found[name] = plain(random_state=seed).fit(X[first:], y[first:])
    for name, membership in TIMES.items():
        found[name] = fuzzy(membership=membership, random_state=seed).fit(X, y)
    found["robust, all rows"] = robust(random_state=seed).fit(X, y)
    return found
