"""Chu, Keerthi & Ong (2001): the experiments, one repeat at a time."""

from __future__ import annotations

from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from papers.chu.inside import OneStart, evaluated, theta, unit_seconds
from papers.chu.published import sinc_settings
from papers.chu.rivals import Fit, Predictor, fit_gaussian_vectors, fit_ridge, fit_spline_vectors
from papers.chu.spline_kernels import anova_splines, linear_splines, polynomials
from papers.datasets import load
from papers.experiments import Record
from rowtrust.contracts import Array, Indices
from rowtrust.datasets import make_robot_arm, make_sinc, robot_arm_position
from rowtrust.estimators import BayesianSVR
from rowtrust.likelihoods.soft_insensitive import SoftInsensitive
from rowtrust.svr.hyperparameters import Hyperparameters
from rowtrust.svr.space import UPPER

BETA = 0.3
"""The paper's choice wherever it does not vary it: how much of the insensitive zone is rounded off."""

SINC_ROWS = 100
"""Rows to train on, and as many to test on."""

ARM_ROWS = 200
"""Rows to train on; two test sets of as many follow in the file, as MacKay has them."""

TEST_ROWS = 25
"""Rows of the housing data to test on; the other 481 train."""

PAPER_PRIOR: dict[str, Any] = {"kernel_variance": 1.0, "bias_variance": 0.0}
"""The paper's prior has no scale and no level of its own: it trusts the normalised targets."""

LEVELS = (0.5, 0.8, 0.9, 0.95)
"""Probabilities of the intervals whose coverage is measured."""

AT_BOUND = 0.999
"""Share of the largest C that a search allows from which on it ended at that limit."""


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
        self.X, self.y = (X - self.centre) / self.width, (y - self.level) / self.scale
        start = perf_counter()
        self.machine.fit(self.X, self.y)
        self.seconds = perf_counter() - start
        return self

    def predict(self, X: Array, **options: Any) -> Any:
        """Return predictions in the units of the data."""
        found = self.machine.predict((X - self.centre) / self.width, **options)
        if isinstance(found, tuple):
            return self.level + self.scale * found[0], self.scale * found[1]
        return self.level + self.scale * found

    def interval(self, X: Array, coverage: float) -> tuple[Array, Array]:
        """Return the interval of new targets, in the units of the data."""
        low, high = self.machine.predict_interval((X - self.centre) / self.width, coverage)
        return self.level + self.scale * low, self.level + self.scale * high

    def coverage(self, X: Array, y: Array) -> dict[str, float]:
        """Return which share of new targets lies inside the interval of each level."""
        found = {}
        for level in LEVELS:
            low, high = self.interval(X, level)
            found[f"{level:g}"] = float(np.mean((low <= y) & (y <= high)))
        return found

    @property
    def theta(self) -> Hyperparameters:
        """The learnt hyperparameters, in normalised units."""
        machine = self.machine
        prior = machine.kernel_variance_, machine.bias_variance_
        return theta(machine.C_, machine.epsilon_, machine.feature_relevance_, machine.beta_, *prior)

    def settings(self, X: Array) -> dict[str, float]:
        """Return the learnt hyperparameters, in the normalised units of the paper's tables."""
        machine = self.machine
        noise = SoftInsensitive(machine.C_, machine.epsilon_, machine.beta_)
        residual = self.y - machine.predict((X - self.centre) / self.width)
        return {
            "C": machine.C_,
            "epsilon": 100.0 * machine.epsilon_,
            "-ln P": float(-machine.evidence_ - len(self.y) * np.log(2.0)),
            "in M": int(np.sum(noise.in_quadratic_zone(residual))),
        }

    def times(self) -> dict[str, float]:
        """Return the seconds of the fit, and those of one evaluation of the evidence and its slopes."""
        return {"unit time s": unit_seconds(self.X, self.y, self.theta), "total time s": self.seconds}

    def ends(self) -> list[float]:
        """Return ``-ln P`` where each start of the search ended, best first."""
        (machine,) = self.machine.machines_
        lost = [machine.best.log_evidence - result.log_evidence for result in machine.results]
        least = float(-self.machine.evidence_ - len(self.y) * np.log(2.0))
        return [least + float(each) for each in lost]


def machine_of(start: str, beta: float, seed: int, restarts: int) -> Any:
    """Return the machine of a protocol: the estimator, or one climb from a random start as in section 4."""
    if start == "random":
        return OneStart(beta, seed)
    return BayesianSVR(beta=beta, random_state=seed, n_restarts=restarts, **PAPER_PRIOR)


def c_at_bound(machine: Any) -> bool:
    """Tell whether a search ended at the largest C that it allows."""
    found = machine.result if isinstance(machine, OneStart) else machine.machines_[0].best
    return bool(AT_BOUND * UPPER[0] <= found.hyperparameters.C)


def lost_by_print(model: Normalised, noise: float, beta: float) -> float:
    """Return by how much (46) is worse at the printed hyperparameters than where a search ended.

    Both on the rows of the search, with targets of mean zero.
    """
    C, epsilon, w = sinc_settings(noise, beta)
    printed = theta(C, epsilon / 100.0, np.array([w]), beta)
    found = [evaluated(model.X, model.y, each).value for each in (printed, model.theta)]
    return found[0] - found[1]


def sinc_once(
    seed: int, data: str | None, *, noise: float, beta: float, start: str = "designed", restarts: int = 0
) -> Record:
    """Fit 100 noisy rows of the sinc function and measure on 100 others, as noisy."""
    X, y = make_sinc(SINC_ROWS, noise=noise, random_state=seed)
    X_test, y_test = make_sinc(SINC_ROWS, noise=noise, random_state=seed + 1)
    model = Normalised(machine_of(start, beta, seed, restarts)).fit(X, y)
    error = model.predict(X_test) - y_test
    squared, absolute = float(np.mean(error**2)), float(np.mean(np.abs(error)))
    own = {} if start == "random" else {"coverage": model.coverage(X_test, y_test), "ends": model.ends()}
    return {
        **model.settings(X),
        "w": float(model.machine.feature_relevance_[0]),
        "ASE": squared,
        "ASE x 100": 100.0 * squared,
        "AAE": absolute,
        "explained": 1.0 - squared / float(y_test.var()),
        "C at bound": c_at_bound(model.machine),
        "nats lost by print": lost_by_print(model, noise, beta),
        **model.times(),
        **own,
    }


def arm_once(seed: int, data: str | None, *, drawn: bool, restarts: int, start: str = "designed") -> Record:
    """Fit 200 rows of the robot arm and measure on two sets of 200: MacKay's own rows, or fresh ones."""
    X, Y = make_robot_arm(3 * ARM_ROWS, random_state=seed) if drawn else load("robot arm", data)
    settings: Record = {}
    coverage: Record = {}
    predicted = np.empty((2 * ARM_ROWS, 2))
    for output, name in enumerate(("y1", "y2")):
        model = Normalised(machine_of(start, BETA, seed, restarts))
        model.fit(X[:ARM_ROWS], Y[:ARM_ROWS, output])
        relevance = model.machine.feature_relevance_
        settings[name] = {
            **model.settings(X[:ARM_ROWS]),
            "w1": float(relevance[0]),
            "w2": float(relevance[1]),
            **model.times(),
        }
        predicted[:, output] = model.predict(X[ARM_ROWS:])
        if start != "random":
            coverage[name] = model.coverage(X[ARM_ROWS:], Y[ARM_ROWS:, output])
    test = Y[ARM_ROWS:]
    noise, error = test - robot_arm_position(X[ARM_ROWS:]), predicted - test
    return {
        "settings": settings,
        "errors": arm_errors(noise, error),
        "rivals": arm_rivals(X, Y, seed if start == "random" else None),
        "coverage": coverage,
    }


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


def arm_rivals(X: Array, Y: Array, seed: int | None) -> Record:
    """Return the position's squared error of a Gaussian process, by scikit-learn (table 5).

    Its search begins at lengths of one, or at random ones.
    """
    generator = np.random.default_rng(seed)
    total = 0.0
    for target in Y.T:
        lengths = np.ones(2) if seed is None else np.exp(generator.uniform(-1.0, 1.0, 2))
        covariance = ConstantKernel() * RBF(lengths) + WhiteKernel(0.01, (1e-6, 1.0))
        process = GaussianProcessRegressor(covariance, random_state=seed)
        model = Normalised(process).fit(X[:ARM_ROWS], target[:ARM_ROWS])
        total += float(np.mean((model.predict(X[ARM_ROWS:]) - target[ARM_ROWS:]) ** 2))
    return {"Gaussian processes of Williams": total}


def boston_once(seed: int, data: str | None, *, restarts: int) -> Record:
    """Split 481/25 and fit every regression of tables 6 and 7."""
    X, y, test, train = boston_split(seed, data)
    model = bayesian(seed, restarts).fit(X[train], y[train])
    times = model.times()
    found: Record = {
        "Bayesian SVR, Gaussian": {
            **errors(model.predict(X[test]), y[test], times["total time s"], times["unit time s"]),
            "coverage": model.coverage(X[test], y[test]),
        }
    }
    for name, fit in boston_methods(seed, restarts).items():
        if name not in found:
            start = perf_counter()
            predict, _ = fit(X[train], y[train])
            seconds = perf_counter() - start
            found[name] = errors(predict(X[test]), y[test], seconds, seconds)
    return found


def boston_split(seed: int, data: str | None) -> tuple[Array, Array, Indices, Indices]:
    """Return inputs and targets of the housing data, and the rows to test and to train on."""
    X, y = load("boston", data)
    order = np.random.default_rng(seed).permutation(len(y))
    return X, y, order[:TEST_ROWS], order[TEST_ROWS:]


def errors(predicted: Array, target: Array, seconds: float, unit: float) -> Record:
    """Return the measures of table 6."""
    squared = float(np.mean((predicted - target) ** 2))
    return {
        "ASE": squared,
        "NMSE": squared / float(target.var()),
        "AAE": float(np.mean(np.abs(predicted - target))),
        "unit time s": unit,
        "total time s": seconds,
    }


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


def bayesian(seed: int, restarts: int) -> Normalised:
    """Return a Bayesian SVR that learns the prior's scale and level too, with beta as in the paper."""
    return Normalised(BayesianSVR(beta=BETA, random_state=seed, n_restarts=restarts))


def fit_bayesian(X: Array, y: Array, seed: int, restarts: int) -> tuple[Predictor, int]:
    """Fit a Bayesian SVR."""
    model = bayesian(seed, restarts).fit(X, y)
    return model.predict, model.machine.n_iter_
