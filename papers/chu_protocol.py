"""Chu, Keerthi & Ong (2001): the experiments, one repeat at a time."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.preprocessing import StandardScaler

from papers.models import AS_PUBLISHED, select_width
from papers.spline_kernels import anova_splines, linear_splines, polynomials
from papers.store import Record
from rowtrust.contracts import Array
from rowtrust.datasets import fetch_boston, fetch_robot_arm, make_robot_arm, make_sinc, robot_arm_position
from rowtrust.estimators import RVR, BayesianSVR
from rowtrust.likelihoods.soft_insensitive import SoftInsensitive

BETA = 0.3
"""The paper's choice wherever it does not vary it: how much of the insensitive zone is rounded off."""

SINC_ROWS = 100
"""Rows to train on, and as many to test on."""

ARM_ROWS = 200
"""Rows to train on; two test sets of as many follow in the file, as MacKay has them."""

TEST_ROWS = 25
"""Rows of the housing data to test on; the other 481 train."""

VALIDATION_ROWS = 80
"""Training rows by which ridge regressions choose kernel and penalty, as in Saunders et al."""

WIDTHS = (0.8, 1.6, 3.2, 6.4)
"""Squared kernel widths per input of variance one, from which the Gaussian relevance vectors choose."""

PENALTIES = tuple(10.0**power for power in range(-5, 2))
"""Of ridge regression, for kernels of mean diagonal one."""

PAPER_PRIOR: dict[str, Any] = {"kernel_variance": 1.0, "bias_variance": 0.0}
"""The paper's prior has no scale and no level of its own: it trusts the normalised targets."""


class Normalised:
    """A regressor on inputs and targets of mean zero and variance one, as the paper has them.

    Parameters
    ----------
    machine
        The regressor inside; its settings are those of normalised data.
    """

    def __init__(self, machine: Any) -> None:
        self.machine = machine

    def fit(self, X: Array, y: Array) -> Normalised:
        """Normalise and fit."""
        self.centre, self.level = X.mean(axis=0), y.mean()
        self.width = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
        self.scale = y.std()
        self.y = (y - self.level) / self.scale
        self.machine.fit((X - self.centre) / self.width, self.y)
        return self

    def predict(self, X: Array, **options: Any) -> Any:
        """Return predictions in the units of the data."""
        found = self.machine.predict((X - self.centre) / self.width, **options)
        if isinstance(found, tuple):
            return self.level + self.scale * found[0], self.scale * found[1]
        return self.level + self.scale * found

    def settings(self, X: Array) -> dict[str, float]:
        """Return the learnt hyperparameters, in the normalised units of the paper's tables."""
        machine = self.machine
        noise = SoftInsensitive(machine.C_, machine.epsilon_, machine.beta_)
        residual = self.y - machine.predict((X - self.centre) / self.width)
        return {
            "C": machine.C_,
            "epsilon": 100.0 * machine.epsilon_,
            "-ln P": -machine.evidence_ - len(self.y) * np.log(2.0),
            "in M": int(np.sum(noise.in_quadratic_zone(residual))),
        }


def sinc_once(seed: int, data: str | None, *, noise: float, beta: float) -> Record:
    """Fit 100 noisy rows of the sinc function and measure on 100 others, as noisy."""
    X, y = make_sinc(SINC_ROWS, noise=noise, random_state=seed)
    X_test, y_test = make_sinc(SINC_ROWS, noise=noise, random_state=seed + 1)
    model = Normalised(BayesianSVR(beta=beta, random_state=seed, **PAPER_PRIOR)).fit(X, y)
    error = model.predict(X_test) - y_test
    squared, absolute = float(np.mean(error**2)), float(np.mean(np.abs(error)))
    return {
        **model.settings(X),
        "w": float(model.machine.feature_relevance_[0]),
        "ASE": squared,
        "ASE x 100": 100.0 * squared,
        "AAE": absolute,
    }


def arm_once(seed: int, data: str | None, *, drawn: bool, restarts: int) -> Record:
    """Fit 200 rows of the robot arm and measure on two sets of 200: MacKay's own rows, or fresh ones."""
    X, Y = (
        make_robot_arm(3 * ARM_ROWS, random_state=seed) if drawn else fetch_robot_arm(data, return_X_y=True)
    )
    settings: Record = {}
    predicted = np.empty((2 * ARM_ROWS, 2))
    for output, name in enumerate(("y1", "y2")):
        machine = BayesianSVR(beta=BETA, random_state=seed, n_restarts=restarts, **PAPER_PRIOR)
        model = Normalised(machine).fit(X[:ARM_ROWS], Y[:ARM_ROWS, output])
        relevance = model.machine.feature_relevance_
        settings[name] = {
            **model.settings(X[:ARM_ROWS]),
            "w1": float(relevance[0]),
            "w2": float(relevance[1]),
        }
        predicted[:, output] = model.predict(X[ARM_ROWS:])
    test = Y[ARM_ROWS:]
    noise, error = test - robot_arm_position(X[ARM_ROWS:]), predicted - test
    return {"settings": settings, "errors": arm_errors(noise, error), "rivals": arm_rivals(X, Y, seed)}


def arm_errors(noise: Array, error: Array) -> Record:
    """Return squared and absolute noise and error by test set and coordinate (table 4)."""
    found: Record = {}
    for number, rows in (("set 1", slice(0, ARM_ROWS)), ("set 2", slice(ARM_ROWS, 2 * ARM_ROWS))):
        for name, columns in (("y1", [0]), ("y2", [1]), ("position", [0, 1])):
            squared = [(part[rows][:, columns] ** 2).sum(axis=1) for part in (noise, error)]
            found[f"{number}, {name}"] = {
                "ASN x 1000": 1000.0 * float(squared[0].mean()),
                "ASE x 1000": 1000.0 * float(squared[1].mean()),
                "AAN": float(np.sqrt(squared[0]).mean()),
                "AAE": float(np.sqrt(squared[1]).mean()),
            }
    return found


def arm_rivals(X: Array, Y: Array, seed: int) -> Record:
    """Return the position's squared error of a Gaussian process, by scikit-learn (table 5)."""
    total = 0.0
    for target in Y.T:
        covariance = ConstantKernel() * RBF([1.0, 1.0]) + WhiteKernel(0.01, (1e-6, 1.0))
        process = GaussianProcessRegressor(covariance, random_state=seed)
        model = Normalised(process).fit(X[:ARM_ROWS], target[:ARM_ROWS])
        total += float(np.mean((model.predict(X[ARM_ROWS:]) - target[ARM_ROWS:]) ** 2))
    return {"Gaussian processes of Williams": total}


@cache
def boston(data: str | None) -> tuple[Array, Array]:
    """Return the housing data."""
    X, y = fetch_boston(data, return_X_y=True)
    return X, y


def boston_once(seed: int, data: str | None, *, restarts: int) -> Record:
    """Split 481/25 and fit every regression of tables 6 and 7."""
    X, y = boston(data)
    order = np.random.default_rng(seed).permutation(len(y))
    test, train = order[:TEST_ROWS], order[TEST_ROWS:]
    found = {}
    for name, fit in boston_methods(seed, restarts).items():
        start = perf_counter()
        predict, evaluations = fit(X[train], y[train])
        seconds = perf_counter() - start
        found[name] = errors(predict(X[test]), y[test], seconds, evaluations)
    return found


def errors(predicted: Array, target: Array, seconds: float, evaluations: int) -> dict[str, float]:
    """Return the measures of table 6."""
    squared = float(np.mean((predicted - target) ** 2))
    return {
        "ASE": squared,
        "NMSE": squared / float(target.var()),
        "AAE": float(np.mean(np.abs(predicted - target))),
        "unit time s": seconds / evaluations,
        "total time s": seconds,
    }


Predictor = Callable[[Array], Array]
"""Returns predictions for new inputs."""

Fit = Callable[[Array, Array], tuple[Predictor, int]]
"""Returns a predictor, and how many times the fit evaluated its objective."""


def boston_methods(seed: int, restarts: int) -> dict[str, Fit]:
    """Return the regressions of table 7 by their names there, and Gaussian relevance vectors beside."""
    return {
        "Bayesian SVR, Gaussian": partial(fit_bayesian, seed=seed, restarts=restarts),
        "ridge regression, polynomials": partial(
            fit_ridge, kernels=[partial(polynomials, degree=degree) for degree in (2, 3, 4, 5)]
        ),
        "ridge regression, splines": partial(fit_ridge, kernels=[linear_splines]),
        "ridge regression, ANOVA splines": partial(
            fit_ridge, kernels=[partial(anova_splines, order=order) for order in (1, 2, 3, 4, 5)]
        ),
        "relevance vectors, linear splines": partial(fit_spline_vectors, seed=seed),
        "relevance vectors, Gaussian": partial(fit_gaussian_vectors, seed=seed),
    }


def fit_bayesian(X: Array, y: Array, seed: int, restarts: int) -> tuple[Predictor, int]:
    """Fit a Bayesian SVR that learns the prior's scale and level too, with beta as in the paper."""
    model = Normalised(BayesianSVR(beta=BETA, random_state=seed, n_restarts=restarts)).fit(X, y)
    return model.predict, model.machine.n_iter_


class UnitRange:
    """Inputs brought to [0, 1], where spline kernels live."""

    def __init__(self, X: Array) -> None:
        self.low = X.min(axis=0)
        width = X.max(axis=0) - self.low
        self.width = np.where(width > 0, width, 1.0)

    def __call__(self, X: Array) -> Array:
        """Return the inputs in the range."""
        return np.asarray(np.clip((X - self.low) / self.width, 0.0, 1.0))


def fit_ridge(X: Array, y: Array, kernels: list[Callable[[Array, Array], Array]]) -> tuple[Predictor, int]:
    """Fit kernel ridge regression; kernel and penalty by 80 rows left out, as Saunders et al. did."""
    unit, level = UnitRange(X), y.mean()
    U = unit(X)
    inside, outside = slice(VALIDATION_ROWS, None), slice(0, VALIDATION_ROWS)
    best = (np.inf, kernels[0], PENALTIES[0])
    for kernel in kernels:
        K = kernel(U, U) / np.mean(np.diag(kernel(U, U)))
        for penalty in PENALTIES:
            ridge = KernelRidge(alpha=penalty, kernel="precomputed").fit(
                K[inside, inside], (y - level)[inside]
            )
            error = float(np.mean((ridge.predict(K[outside, inside]) + level - y[outside]) ** 2))
            best = min(best, (error, kernel, penalty), key=lambda choice: choice[0])
    _, kernel, penalty = best
    scale = np.mean(np.diag(kernel(U, U)))
    ridge = KernelRidge(alpha=penalty, kernel="precomputed").fit(kernel(U, U) / scale, y - level)
    return lambda new: ridge.predict(kernel(unit(new), U) / scale) + level, 1


def fit_spline_vectors(X: Array, y: Array, seed: int) -> tuple[Predictor, int]:
    """Fit relevance vectors with the spline kernel on inputs in [0, 1]."""
    unit = UnitRange(X)
    U = unit(X)
    model = RVR(**{**AS_PUBLISHED, "kernel": "precomputed"}, random_state=seed).fit(linear_splines(U, U), y)
    return lambda new: model.predict(linear_splines(unit(new), U)), 1


def fit_gaussian_vectors(X: Array, y: Array, seed: int) -> tuple[Predictor, int]:
    """Fit relevance vectors with a Gaussian kernel, its width by the bound."""
    scaler = StandardScaler().fit(X)
    gammas = [1.0 / (width * X.shape[1]) for width in WIDTHS]
    model = select_width(RVR(**AS_PUBLISHED, random_state=seed), scaler.transform(X), y, gammas).model
    return lambda new: model.predict(scaler.transform(new)), 1
