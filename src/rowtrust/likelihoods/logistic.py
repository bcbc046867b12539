"""Logistic noise through the bound of Jaakkola and Jordan (Hwang & Jeong 2015, section 3.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit

from rowtrust.contracts import Array, Sites, Statistics


def bound_curvature(xi: Array) -> Array:
    """Return ``lambda(xi) = tanh(xi/2) / (4 xi)`` (below eq. 5), which tends to 1/8 at zero."""
    small = np.abs(xi) < 1e-4
    safe = np.where(small, 1.0, xi)
    return np.where(small, 0.125 - xi**2 / 96.0, np.tanh(safe / 2) / (4 * safe))


def averaged_probability(mean: Array, variance: Array) -> Array:
    """Return the logistic function averaged over ``f ~ N(mean, variance)`` (MacKay 1992)."""
    return np.asarray(expit(moderated(mean, variance)))


def moderated(mean: Array, variance: Array) -> Array:
    """Return the log-odds of the averaged probability."""
    return mean / np.sqrt(1.0 + np.pi * variance / 8.0)


@dataclass(frozen=True)
class Logistic:
    """``P(t_i = 1) = sigma(f_i)`` for targets 0 and 1."""

    weight_exponent = 0.0

    def sites(self, target: Array, mean: Array, variance: Array) -> Sites:
        """Return the bound ``h`` at its tightest, ``xi_i**2 = E f_i**2`` (eq. 16)."""
        xi = np.sqrt(mean**2 + variance)
        curvature = bound_curvature(xi)
        return Sites(
            precision=2.0 * curvature,
            shift=target - 0.5,
            constant=log_expit(xi) - 0.5 * xi + curvature * xi**2,
            normaliser=np.zeros_like(target),
        )

    def update(self, statistics: Statistics) -> tuple[Logistic, Statistics]:
        """Return itself: the logistic has no parameter of its own."""
        return self, statistics
