"""Section 2 of Li et al. (2008), computed: the formulas of the relevance vector machine on rows of sinc."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from scipy import stats
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from rowtrust.contracts import Array
from rowtrust.datasets import make_imbalanced_blobs, make_ripley, make_sinc
from rowtrust.estimators import RVC, RVR, FuzzyRVC, FuzzyRVR

ROWS, GAMMA = 100, 0.2
"""Rows of sinc, and the kernel's inverse squared width."""

AS_PRINTED: dict[str, Any] = {"scaling": None, "sparsity": 0.0, "basis": None, "random_state": 0}
"""One kernel on the inputs as they are, one basis function a row."""


@dataclass(frozen=True)
class Fitted:
    """A fitted machine and what the formulas need of it.

    Parameters
    ----------
    X, t
        Rows; the targets have mean zero, around which the library puts its intercept.
    phi
        Basis functions of the relevance vectors at the rows, a one before them.
    alpha, noise
        Precisions of the weights, and the noise variance.
    mean, covariance
        The library's posterior of the weights.
    machine, level
        The machine, and the mean that was taken off the targets.
    """

    X: Array
    t: Array
    phi: Array
    alpha: Array
    noise: float
    mean: Array
    covariance: Array
    machine: Any
    level: float

    def basis(self, X: Array) -> Array:
        """Return the basis functions at some inputs: those of (1)."""
        return basis(X, self.machine.relevance_vectors_)

    @property
    def marginal(self) -> Array:
        """C of (7)."""
        return np.asarray(self.noise * np.eye(len(self.t)) + (self.phi / self.alpha) @ self.phi.T)


def basis(X: Array, centres: Array) -> Array:
    """Return a one and the kernel between inputs and centres."""
    return np.column_stack([np.ones(len(X)), np.exp(-GAMMA * (X - centres.T) ** 2)])


@cache
def fitted() -> Fitted:
    """Fit the relevance vector regressor to sinc."""
    X, y = make_sinc(ROWS, noise=0.1, random_state=0)
    machine = RVR(kernel="rbf", gamma=GAMMA, **AS_PRINTED).fit(X, y)
    level = float(y.mean())
    mean = np.concatenate([machine.intercept_ - level, machine.dual_coef_[0]])
    alpha = np.concatenate([machine.intercept_precision_, machine.weight_precision_[0]])
    phi = basis(X, machine.relevance_vectors_)
    noise = 1.0 / float(machine.noise_precision_)
    return Fitted(X, y - level, phi, alpha, noise, mean, machine.covariance_[0], machine, level)


def model_violation() -> float:
    """Return how far predictions are from the weighted sum of kernels (1)."""
    found = fitted()
    new = np.linspace(-9.0, 9.0, 50)[:, None]
    return float(np.max(np.abs(found.machine.predict(new) - found.level - found.basis(new) @ found.mean)))


def posterior_violation() -> float:
    """Return how far the library's posterior is from (5) and (6), relative to the largest entry."""
    found = fitted()
    covariance = np.linalg.inv(found.phi.T @ found.phi / found.noise + np.diag(found.alpha))
    mean = covariance @ found.phi.T @ found.t / found.noise
    gaps = (
        np.max(np.abs(covariance - found.covariance)) / np.max(np.abs(covariance)),
        np.max(np.abs(mean - found.mean)) / np.max(np.abs(mean)),
    )
    return float(max(gaps))


def bayes_violation() -> float:
    """Return how far prior (2) times likelihood (3) over posterior (4) is from (7), in nats.

    At five random weights: the quotient must be the same everywhere.
    """
    found = fitted()
    generator = np.random.default_rng(0)
    root = np.linalg.cholesky(found.covariance)
    evidence = marginal_log_likelihood()
    worst = 0.0
    for _ in range(5):
        weights = found.mean + root @ generator.standard_normal(len(found.mean))
        prior = float(np.sum(stats.norm(0.0, found.alpha**-0.5).logpdf(weights)))
        residual = found.t - found.phi @ weights
        likelihood = -0.5 * ROWS * np.log(2.0 * np.pi * found.noise) - 0.5 * residual @ residual / found.noise
        posterior = stats.multivariate_normal(found.mean, found.covariance, allow_singular=True)
        worst = max(worst, abs(float(prior + likelihood - posterior.logpdf(weights) - evidence)))
    return worst


def marginal_log_likelihood() -> float:
    """Return ln N(t | 0, C) of (7)."""
    found = fitted()
    return float(stats.multivariate_normal(np.zeros(ROWS), found.marginal).logpdf(found.t))


def marginal_violation() -> float:
    """Return how far the library's bound, which is exact for Gaussian noise, is from (7), in nats."""
    return abs(marginal_log_likelihood() - float(fitted().machine.lower_bound_))


def predictive_violation() -> float:
    """Return how far (9), (10) and the library's predictions are from conditioning N(0, C) on the targets.

    With a new row beside the others (7) is their joint distribution; what it says of the new target, given
    the others, is (8), without any weights.
    """
    found = fitted()
    new = found.X[:20]
    phi = found.basis(new)
    cross = (phi / found.alpha) @ found.phi.T
    gain = np.linalg.solve(found.marginal, cross.T).T
    mean = gain @ found.t
    variance = found.noise + np.sum(phi**2 / found.alpha, axis=1) - np.sum(gain * cross, axis=1)
    printed = found.noise + np.einsum("ij,jk,ik->i", phi, found.covariance, phi)
    model = replace(found.machine.predictive_model_, noise=None, far=None)  # what rows left out say is ours
    ours = model.predict(new)
    ours, spread = ours.mean[:, 0] - found.level, ours.variance[:, 0]
    gaps = (mean - phi @ found.mean, mean - ours, variance - printed, variance - spread)
    return float(max(np.max(np.abs(gap)) for gap in gaps))


def sparse_optimum() -> tuple[bool, str]:
    """Tell whether few rows are left, and whether any other would raise the marginal likelihood."""
    found = fitted()
    inverse = np.linalg.inv(found.marginal)
    every = basis(found.X, found.X)[:, 1:]
    out = np.setdiff1d(np.arange(ROWS), found.machine.relevance_)
    s = np.einsum("ij,ik,kj->j", every, inverse, every)[out]
    q = (every.T @ inverse @ found.t)[out]
    ratio = np.maximum(q**2 / s, 1.0)
    gain = float(np.max(0.5 * (ratio - 1.0 - np.log(ratio))))
    kept = len(found.machine.relevance_)
    holds = kept < ROWS / 4 and gain < 1.0
    return holds, (
        f"{kept} of {ROWS} rows of sinc are relevance vectors; each of the others, taken in, would raise (7) "
        f"by {gain:.3f} nats at most"
    )


def algorithm() -> tuple[bool, str]:
    """Tell whether Algorithm 1's result is what it says: vectors among the rows, and a function."""
    found = fitted()
    machine = found.machine
    inside = all(np.any(np.all(vector == found.X, axis=1)) for vector in machine.relevance_vectors_)
    bounds = np.asarray(machine.lower_bounds_)
    falls = float(np.max(bounds[:-1] - bounds[1:], initial=0.0))
    error = float(np.mean((machine.predict(found.X) - np.sinc(found.X[:, 0] / np.pi)) ** 2))
    holds = inside and error < 0.01
    return holds, (
        f"{len(machine.relevance_)} relevance vectors, all training rows; squared distance to sinc "
        f"{error:.4f}; {len(bounds)} steps, the evidence fell by {falls:.1g} nats at most"
    )


def multiquadric(X: Array, Y: Array) -> Array:
    """Return a kernel that is not positive definite."""
    return np.sqrt(1.0 + (X - Y.T) ** 2)


def any_kernel() -> tuple[bool, str]:
    """Tell whether the machine works with a kernel that does not satisfy Mercer's condition."""
    X, y = make_sinc(ROWS, noise=0.1, random_state=0)
    lowest = float(np.linalg.eigvalsh(multiquadric(X, X)).min())
    machine = RVR(kernel=multiquadric, **AS_PRINTED).fit(X, y)
    error = float(np.mean((machine.predict(X) - np.sinc(X[:, 0] / np.pi)) ** 2))
    holds = lowest < -1.0 and error < 0.01
    return holds, f"lowest eigenvalue {lowest:.1f}; squared distance to sinc {error:.4f} (its noise: 0.01)"


def beside_support_vectors() -> tuple[bool, str]:
    """Compare plain RVM and an SVM of cross-validated C and width on Ripley's problem: errors and vectors."""
    X, y = make_ripley(250, random_state=0)
    X_test, y_test = make_ripley(2000, random_state=1)
    widths = [0.5, 2.0, 8.0]
    search = GridSearchCV(SVC(), {"C": [0.1, 1.0, 10.0, 100.0], "gamma": widths}, cv=5).fit(X, y)
    support = search.best_estimator_
    machines = [RVC(kernel="rbf", gamma=width, **AS_PRINTED).fit(X, y) for width in widths]
    machine = max(machines, key=lambda each: float(each.lower_bound_))
    errors = [100.0 * float(np.mean(model.predict(X_test) != y_test)) for model in (machine, support)]
    vectors = [len(machine.relevance_), len(support.support_)]
    error = np.sqrt(2.0 * errors[1] * (100.0 - errors[1]) / len(y_test))
    holds = errors[0] < errors[1] + 2.0 * error and vectors[0] < vectors[1] / 4
    return holds, (
        f"error {errors[0]:.1f} % with {vectors[0]} relevance vectors (width by the evidence), "
        f"{errors[1]:.1f} % with {vectors[1]} support vectors (C and width by 5-fold cross-validation)"
    )


def class_probabilities() -> tuple[bool, str]:
    """Tell whether a classifier's probabilities are those of the classes, on rows of Ripley's problem."""
    X, y = make_ripley(250, random_state=0)
    X_test, y_test = make_ripley(5000, random_state=1)
    found = RVC(kernel="rbf", gamma=2.0, **AS_PRINTED).fit(X, y).predict_proba(X_test)
    told = np.clip(found[:, 1], 1e-15, 1.0 - 1e-15)
    loss = -float(np.mean(np.where(y_test == 1, np.log(told), np.log1p(-told))))
    places = np.minimum((5.0 * told).astype(int), 4)
    gaps = [abs(float((y_test[places == p] - told[places == p]).mean())) for p in np.unique(places)]
    holds = loss < 0.5 * float(np.log(2.0)) and max(gaps) < 0.15
    return holds, (
        f"log loss {loss:.3f} (guessing: {np.log(2.0):.3f}); in five groups of probabilities the share of "
        f"the class is off by {max(gaps):.2f} at most"
    )


def uniform_trust() -> tuple[bool, str]:
    """Tell whether the plain machine weighs all rows alike, and the fuzzy one does not."""
    X, y = make_imbalanced_blobs(200, ratio=10, random_state=0)
    machine = RVC(kernel="rbf", gamma=GAMMA, **AS_PRINTED).fit(X, y)
    plain = getattr(machine, "expected_weight_", np.ones(len(y)))
    fuzzy = (
        FuzzyRVC(kernel="rbf", gamma=GAMMA, membership="imbalance", **AS_PRINTED).fit(X, y).expected_weight_
    )
    holds = float(np.ptp(plain)) == 0.0 < float(np.ptp(fuzzy))
    rare = y == 1
    return holds, (
        f"weights of the plain machine {plain.min():g} to {plain.max():g}; of the fuzzy one "
        f"{fuzzy.min():.2f} to {fuzzy.max():.2f}, {fuzzy[rare].mean():.2f} in the rare class on average and "
        f"{fuzzy[~rare].mean():.2f} in the other"
    )


def weighted_violation() -> float:
    """Return how far the fuzzy posterior is from (5) with every row's error weighted by its membership."""
    X, y = make_sinc(ROWS, noise=0.1, random_state=0)
    trust = np.random.default_rng(0).uniform(0.1, 1.0, ROWS)
    machine = FuzzyRVR(
        kernel="rbf", gamma=GAMMA, membership=trust, normalise_membership=False, **AS_PRINTED
    ).fit(X, y)
    alpha = np.concatenate([machine.intercept_precision_, machine.weight_precision_[0]])
    phi = basis(X, machine.relevance_vectors_)
    weighted = phi.T @ (phi * trust[:, None]) * float(machine.noise_precision_)
    covariance = np.linalg.inv(weighted + np.diag(alpha))
    return float(np.max(np.abs(covariance - machine.covariance_[0])) / np.max(np.abs(covariance)))
