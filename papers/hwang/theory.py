"""Hwang & Jeong (2015), equations (1) to (17) as printed: dense, slow, and independent of the package."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from scipy.special import digamma, expit, gammaln

from rowtrust.contracts import Array

SUGGESTED_R = 2.0 - float(np.log(2.0))
"""The paper's hyperparameter r, section 3.2."""

VAGUE = 1e-5
"""The paper's a and b, section 3.2."""

THRESHOLD = 1e-5
"""The paper's example of a rise of the bound at which to stop, section 3.4."""


def logistic_loss(margin: Array) -> Array:
    """Return l(u), section 2."""
    return np.asarray(np.logaddexp(0.0, -margin))


def log_label(latent: Array, label: Array) -> Array:
    """Return ln p(t | beta) as section 2 defines it, at a latent value."""
    probability = expit(latent)
    return np.asarray(label * np.log(probability) + (1.0 - label) * np.log1p(-probability))


def curvature(tangent: Array) -> Array:
    """Return lambda(xi) of equation (5); its limit at zero is an eighth."""
    xi = np.maximum(np.abs(tangent), 1e-6)
    return np.asarray(np.tanh(xi / 2.0) / (4.0 * xi))


def log_lower(latent: Array, tangent: Array) -> Array:
    """Return the logarithm of the right side of (5)."""
    slope = curvature(tangent) * (latent**2 - tangent**2)
    return np.asarray(-logistic_loss(tangent) + (latent - tangent) / 2.0 - slope)


def log_h(latent: Array, label: Array, tangent: Array) -> Array:
    """Return ln h(beta, xi), the bound on ln p(t | beta) of section 3.1, at a latent value."""
    slope = curvature(tangent) * (latent**2 - tangent**2)
    return np.asarray(-logistic_loss(tangent) + latent * label - (latent + tangent) / 2.0 - slope)


def expected_log_h(mean: Array, variance: Array, label: Array, tangent: Array) -> Array:
    """Return E ln h for a Gaussian latent value: the first line of (15)."""
    slope = curvature(tangent) * (mean**2 + variance - tangent**2)
    return np.asarray(-logistic_loss(tangent) + (label - 0.5) * mean - tangent / 2.0 - slope)


def log_expected_h(mean: Array, variance: Array, label: Array, tangent: Array) -> Array:
    """Return ln E h for a Gaussian latent value: the second line of (15)."""
    rate, shift = curvature(tangent), label - 0.5
    spread = 1.0 + 2.0 * rate * variance
    inside = (shift * mean + shift**2 * variance / 2.0 - rate * mean**2) / spread
    scale = -logistic_loss(tangent) - tangent / 2.0 + rate * tangent**2
    return np.asarray(scale - np.log(spread) / 2.0 + inside)


def weighted_loss(margin: Array, r: float) -> Array:
    """Return r l / (r + l), the weighted loss of section 3.2."""
    loss = logistic_loss(margin)
    return np.asarray(r * loss / (r + loss))


@dataclass(frozen=True)
class Problem:
    """Rows for the loop of section 3.4.

    Parameters
    ----------
    basis
        A row per observation, the constant first.
    label
        0 or 1.
    a, b, c, d
        Of the Gamma priors over precisions and weights.
    weighted
        Whether weights are learnt; without them this is the variational RVM of Bishop & Tipping (2000).
    """

    basis: Array
    label: Array
    a: float = VAGUE
    b: float = VAGUE
    c: float = SUGGESTED_R
    d: float = SUGGESTED_R
    weighted: bool = True


@dataclass(frozen=True)
class Factors:
    """The parameters of Q, equations (7) to (9), and the tangent points.

    Parameters
    ----------
    mean, covariance
        Of the coefficients.
    a, b
        Of the precisions.
    c, d
        Of the weights.
    tangent
        xi.
    """

    mean: Array
    covariance: Array
    a: Array
    b: Array
    c: Array
    d: Array
    tangent: Array

    @property
    def precision(self) -> Array:
        """E(alpha)."""
        return self.a / self.b

    @property
    def weight(self) -> Array:
        """E(w)."""
        return self.c / self.d

    @property
    def second_moment(self) -> Array:
        """E(beta_i squared)."""
        return np.asarray(self.mean**2 + np.diag(self.covariance))


def gaussian_basis(X: Array, centres: Array, width: float) -> Array:
    """Return the constant and the Gaussian kernel of section 2: the squared distance over the width."""
    squares = np.sum((X[:, None, :] - centres[None, :, :]) ** 2, axis=2)
    return np.column_stack([np.ones(len(X)), np.exp(-squares / width)])


def first_factors(problem: Problem, tangent: float) -> Factors:
    """Step 1: the priors' means and one tangent point for all rows."""
    rows, columns = problem.basis.shape
    return Factors(
        np.zeros(columns),
        np.eye(columns),
        np.full(columns, problem.a),
        np.full(columns, problem.b),
        np.full(rows, problem.c),
        np.full(rows, problem.d),
        np.full(rows, tangent),
    )


def latent_moments(problem: Problem, factors: Factors) -> tuple[Array, Array]:
    """Return mean and variance of every row's latent value."""
    spread = np.sum((problem.basis @ factors.covariance) * problem.basis, axis=1)
    return problem.basis @ factors.mean, np.maximum(spread, 0.0)


def weights(problem: Problem, factors: Factors) -> Array:
    """Return E(w), or ones where weights are not learnt."""
    return factors.weight if problem.weighted else np.ones(len(problem.label))


def updated_coefficients(problem: Problem, factors: Factors) -> Factors:
    """Equations (10) and (11)."""
    weight = weights(problem, factors)
    rates = 2.0 * weight * curvature(factors.tangent)
    covariance = np.linalg.inv(np.diag(factors.precision) + (problem.basis.T * rates) @ problem.basis)
    mean = covariance @ (problem.basis.T @ (weight * (problem.label - 0.5)))
    return replace(factors, mean=mean, covariance=(covariance + covariance.T) / 2.0)


def updated_precisions(problem: Problem, factors: Factors) -> Factors:
    """Equations (12) and (13)."""
    columns = len(factors.mean)
    return replace(factors, a=np.full(columns, problem.a + 0.5), b=problem.b + factors.second_moment / 2.0)


def updated_weights(problem: Problem, factors: Factors) -> Factors:
    """Equations (14) and (15), its first line."""
    if not problem.weighted:
        return factors
    mean, variance = latent_moments(problem, factors)
    expected = expected_log_h(mean, variance, problem.label, factors.tangent)
    return replace(factors, c=np.full(len(expected), problem.c), d=problem.d - expected)


def updated_tangents(problem: Problem, factors: Factors) -> Factors:
    """Equation (16)."""
    mean, variance = latent_moments(problem, factors)
    return replace(factors, tangent=np.sqrt(mean**2 + variance))


def gamma_terms(shape: float, rate: float, mean: Array, log_mean: Array) -> float:
    """Return the expected logarithm of a Gamma density over some variables."""
    constant = shape * np.log(rate) - gammaln(shape)
    return float(np.sum(constant + (shape - 1.0) * log_mean - rate * mean))


def gamma_entropy(shape: Array, rate: Array) -> float:
    """Return the entropy of independent Gamma variables."""
    return float(np.sum(shape - np.log(rate) + gammaln(shape) + (1.0 - shape) * digamma(shape)))


def lower_bound(problem: Problem, factors: Factors) -> float:
    """Return the bound (17), term by term."""
    mean, variance = latent_moments(problem, factors)
    log_precision = digamma(factors.a) - np.log(factors.b)
    columns = len(factors.mean)
    rows = weights(problem, factors) * expected_log_h(mean, variance, problem.label, factors.tangent)
    coefficients = log_precision - np.log(2.0 * np.pi) - factors.precision * factors.second_moment
    total = float(rows.sum() + coefficients.sum() / 2.0)
    total += gamma_terms(problem.a, problem.b, factors.precision, log_precision)
    total += (columns * (1.0 + np.log(2.0 * np.pi)) + np.linalg.slogdet(factors.covariance)[1]) / 2.0
    total += gamma_entropy(factors.a, factors.b)
    if problem.weighted:
        log_weight = digamma(factors.c) - np.log(factors.d)
        total += gamma_terms(problem.c, problem.d, factors.weight, log_weight)
        total += gamma_entropy(factors.c, factors.d)
    return float(total)


@dataclass(frozen=True)
class Training:
    """What the loop of section 3.4 did.

    Parameters
    ----------
    factors
        Where it ended.
    bounds
        The bound after each iteration.
    weights
        E(w) after each iteration, a row each.
    converged
        Whether the bound rose by less than the threshold.
    seconds
        How long it took.
    """

    factors: Factors
    bounds: Array
    weights: Array
    converged: bool
    seconds: float


def train(problem: Problem, tangent: float = 1.0, threshold: float = THRESHOLD, most: int = 3000) -> Training:
    """Steps 1 to 5 of section 3.4."""
    start = perf_counter()
    factors = first_factors(problem, tangent)
    bounds: list[float] = []
    seen: list[Array] = []
    converged = False
    while len(bounds) < most and not converged:
        factors = updated_weights(
            problem, updated_precisions(problem, updated_coefficients(problem, factors))
        )
        factors = updated_tangents(problem, factors)
        bounds.append(lower_bound(problem, factors))
        seen.append(weights(problem, factors))
        converged = len(bounds) > 1 and bounds[-1] - bounds[-2] < threshold
    return Training(factors, np.array(bounds), np.array(seen), converged, perf_counter() - start)
