"""What the other rows say of each row: robust leave-one-out predictions from a single fit.

A fit that has seen a wrong row has bent towards it, so a row is judged by a model that left it out.
With one shared prior precision instead of one per basis function nothing in the prior was chosen for a
single row, and the leave-one-out posterior of a Gaussian site is exact: divide the row's site out of the
posterior. That is as cheap as the fit, where cross-validation costs many fits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rowtrust.contracts import Array, Statistics
from rowtrust.kernels.kernels import rbf
from rowtrust.weights import Gamma

LANDMARKS = 64
SMALLEST_EIGENVALUE = 1e-4
"""Directions of the kernel below this share of the largest say little and cost time."""

WIDTHS = (0.1, 0.3, 1.0, 3.0)
"""Of the kernel, as multiples of scikit-learn's "scale"."""

PRIOR_PRECISION = 0.05
BIAS_PRECISION = 1e-3
"""Weak priors: what a row without support may do is left to the average over widths."""

TEMPER = 10.0
"""Nats; models that much apart in evidence differ by a factor e in the average."""

SWEEPS = 4
"""Sites and weights settle to the accuracy of a ranking within a few sweeps."""


@dataclass(frozen=True)
class LeftOut:
    """Latent moments of every row without its own target; ``trust`` is its expected weight."""

    mean: Array
    variance: Array
    trust: Array
    noise: Any


def every_model(X: Array, target: Array, noise: Any, trust: float, seed: int) -> Iterator[LeftOut]:
    """Yield what each width says of one target, always in the same order."""
    scale = 1.0 / max(X.shape[1] * float(X.var()), 1e-12)
    size = min(LANDMARKS, len(X))
    centres = X[np.random.default_rng(seed).choice(len(X), size, replace=False)]
    for width in WIDTHS:
        yield leave_each_out(features(X, centres, width * scale), target, noise, trust)


def features(X: Array, centres: Array, gamma: float) -> Array:
    """Return Nyström features of the rbf kernel, and a column of ones."""
    values, vectors = np.linalg.eigh(rbf(centres, centres, gamma))
    kept = values > SMALLEST_EIGENVALUE * values[-1]
    root = vectors[:, kept] / np.sqrt(values[kept])
    return np.column_stack([rbf(X, centres, gamma) @ root, np.ones(len(X))])


def leave_each_out(phi: Array, target: Array, noise: Any, trust: float) -> LeftOut:
    """Fit once with learnt weights; return the moments of every row under the others."""
    weights = Gamma(trust)
    expected = np.ones(len(phi))
    sites = noise.sites(target, np.zeros(len(phi)), np.ones(len(phi)))
    for _ in range(SWEEPS):
        pull, push = expected * sites.precision, expected * sites.shift
        mean, variance = latent_moments(phi, pull, push)
        sites = noise.sites(target, mean, variance)
        loss = sites.expected_loss(mean, variance)
        noise = settled(noise, expected, loss)
        expected = weights.learn(loss, noise.weight_exponent, slice(None)).expected
        sites = noise.sites(target, mean, variance)
    # Dividing a row's own site out of its marginal leaves what the other rows say.
    rest = np.maximum(1.0 - pull * variance, 1e-6)
    return LeftOut((mean - variance * push) / rest, variance / rest, expected, noise)


def latent_moments(phi: Array, pull: Array, push: Array) -> tuple[Array, Array]:
    """Return mean and variance of the latent function at every row, given all sites."""
    weighted = phi * np.sqrt(pull)[:, None]
    gram = weighted.T @ weighted
    gram[np.diag_indices(len(gram))] += PRIOR_PRECISION
    gram[-1, -1] += BIAS_PRECISION - PRIOR_PRECISION
    covariance = np.linalg.inv(gram)
    mean = phi @ (covariance @ (phi.T @ push))
    return mean, np.einsum("ij,ij->i", phi @ covariance, phi)


def settled(noise: Any, expected: Array, loss: Array) -> Any:
    """Return the noise with its own parameter re-estimated."""
    nothing = np.empty(0)
    statistics = Statistics(nothing, nothing, 0.0, 0.0, float(expected @ loss), float(len(loss)), 0.0)
    return noise.update(statistics)[0]
