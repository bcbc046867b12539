"""Chu, Keerthi & Ong (2001), section 3.3: the evidence by Laplace's method beside the integral (43)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.linalg import cholesky
from scipy.special import gammaln, logsumexp, softmax
from scipy.stats import chi2, norm, qmc

from papers.chu.inside import Evaluated, evaluated, theta
from papers.experiments import Record
from rowtrust.contracts import Array
from rowtrust.datasets import make_sinc
from rowtrust.likelihoods.soft_insensitive import SoftInsensitive

SIZES = (3, 6, 12)
"""Rows of the small problems."""

BETAS = (0.01, 0.1, 0.3, 1.0)
"""Shares of the insensitive zone that are rounded off; 0.3 is the paper's, 1 Huber's loss."""

NOISE = 0.1
"""Standard deviation of the noise on sinc, as in table 2."""

GRIDS = {
    "full": ((1.0, 5.0), (2.0, 5.0, 12.0, 30.0), (0.01, 0.05, 0.2, 0.5)),
    "quick": ((5.0,), (2.0, 12.0), (0.05, 0.2)),
}
"""Values of w, C and epsilon at which the evidence is measured: around those of tables 1 and 2."""

SAMPLES = 4096
"""Points of the integral, a power of two as Sobol's sequence wants it."""

ROUNDS = 4
"""Times that the proposal learns from its own points."""

LEAST_POINTS = 20
"""Points per dimension that must count before a proposal learns from them."""

SCRAMBLES = 4
"""Independent scramblings of the sequence: their spread is the standard error."""

FREEDOM = 5.0
"""Degrees of freedom of the proposal: tails heavier than the posterior's, which has a Gaussian prior."""

JITTER = 1e-10
"""Added to the covariance's diagonal before it is factored: of no consequence beside the noise."""


@dataclass(frozen=True)
class Integral:
    """An integral by importance sampling.

    Parameters
    ----------
    value
        ``-ln P(D | theta)``.
    error
        Its standard error, in nats.
    effective
        How many of the points count, by Kish's formula.
    """

    value: float
    error: float
    effective: float


@dataclass(frozen=True)
class Posterior:
    """Likelihood times prior in coordinates ``f = L z`` with ``L L' = K``: the prior is standard there."""

    L: Array
    target: Array
    noise: SoftInsensitive

    def log_density(self, z: Array) -> Array:
        """Return the log of likelihood times prior; it integrates to the evidence."""
        prior = -0.5 * np.sum(z**2, axis=1) - 0.5 * z.shape[1] * np.log(2.0 * np.pi)
        return np.asarray(prior + self.noise.log_density(self.target, z @ self.L.T).sum(axis=1))


@dataclass(frozen=True)
class Student:
    """Student's t with a centre and a root of its scale matrix, the proposal."""

    centre: Array
    root: Array

    def draw(self, samples: int, seed: int) -> tuple[Array, Array]:
        """Return points of a scrambled Sobol sequence, and their log densities."""
        n = len(self.centre)
        points = qmc.Sobol(n + 1, seed=np.random.default_rng(seed)).random(samples)
        points = np.clip(points, 1e-12, 1.0 - 1e-12)
        scale = np.sqrt(FREEDOM / chi2.ppf(points[:, 0], FREEDOM))
        standard = scale[:, None] * norm.ppf(points[:, 1:])
        constant = gammaln(0.5 * (FREEDOM + n)) - gammaln(0.5 * FREEDOM) - 0.5 * n * np.log(FREEDOM * np.pi)
        constant -= float(np.log(np.diag(self.root)).sum())
        square = np.sum(standard**2, axis=1)
        log_density = constant - 0.5 * (FREEDOM + n) * np.log1p(square / FREEDOM)
        return self.centre + standard @ self.root.T, log_density


def integrated(model: Evaluated, seed: int) -> Integral:
    """Return the integral (43) of likelihood times prior, by adaptive importance sampling.

    The proposal begins around the most probable function, with the covariance that Gaussian noise of the same
    variance would leave, and takes over the posterior's own mean and covariance as it learns them.
    """
    problem, noise = model.problem, model.problem.likelihood
    n = len(problem.target)
    L = cholesky(problem.matrix.block(np.arange(n)) + JITTER * np.eye(n), lower=True)
    posterior = Posterior(L, problem.target, noise)
    covariance = np.linalg.inv(np.eye(n) + L.T @ L / noise.variance)
    # f_MP = K nu, so that z_MP = L' nu.
    proposal = Student(L.T @ model.solution.dual, cholesky(covariance, lower=True))
    for step in range(ROUNDS):
        z, log_proposal = proposal.draw(SAMPLES // 2, seed + SCRAMBLES + step)
        proposal = moved(z, posterior.log_density(z) - log_proposal)
    parts = []
    for each in range(SCRAMBLES):
        z, log_proposal = proposal.draw(SAMPLES, seed + each)
        parts.append(posterior.log_density(z) - log_proposal)
    return summary(np.array(parts))


def moved(z: Array, log_weights: Array) -> Student:
    """Return the proposal with the mean and covariance of weighted points.

    Weights are flattened until enough points count, or a few would decide.
    """
    power = 1.0
    while effective(power * log_weights) < LEAST_POINTS * z.shape[1]:
        power *= 0.8
    weights = softmax(power * log_weights)
    centre = weights @ z
    covariance = (weights * (z - centre).T) @ (z - centre)
    return Student(centre, cholesky(covariance + JITTER * np.eye(len(centre)), lower=True))


def effective(log_weights: Array) -> float:
    """Return how many points count, by Kish's formula."""
    return float(1.0 / np.sum(softmax(log_weights) ** 2))


def summary(log_weights: Array) -> Integral:
    """Return value, error and effective number of points; one row of weights per scrambling."""
    each = logsumexp(log_weights, axis=1) - np.log(log_weights.shape[1])
    value = logsumexp(log_weights) - np.log(log_weights.size)
    error = float(np.exp(each - value).std(ddof=1) / np.sqrt(len(each)))
    return Integral(-float(value), error, effective(log_weights.ravel()))


def small_problem(rows: int, seed: int) -> tuple[Array, Array]:
    """Return a few normalised rows of sinc."""
    X, y = make_sinc(rows, noise=NOISE, random_state=seed)
    return (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()


def evidence_once(seed: int, data: str | None, *, rows: int, beta: float, grid: str) -> Record:
    """Return (46) and the integral (43) at every point of a grid, and which point each likes best."""
    X, y = small_problem(rows, seed)
    points = []
    for w, C, epsilon in product(*GRIDS[grid]):
        model = evaluated(X, y, theta(C, epsilon, np.array([w]), beta))
        exact = integrated(model, seed)
        points.append(
            {
                "w": w,
                "C": C,
                "epsilon": epsilon,
                "laplace": model.value,
                "integral": exact.value,
                "error": exact.error,
                "effective": exact.effective,
                "in M": len(model.solution.quadratic),
            }
        )
    by_laplace = min(points, key=lambda point: point["laplace"])
    by_integral = min(points, key=lambda point: point["integral"])
    return {
        "points": points,
        "same point": by_laplace is by_integral,
        "lost nats": by_laplace["integral"] - by_integral["integral"],
    }
