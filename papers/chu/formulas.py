"""The formulas of Chu, Keerthi & Ong (2001), section 2, written down as they are printed.

They share no code with the library: what holds between them and it was computed twice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from rowtrust.contracts import Array


class Noise(NamedTuple):
    """The parameters of the loss and of its noise."""

    C: float
    epsilon: float
    beta: float

    @property
    def edges(self) -> tuple[float, float]:
        """Where the quadratic zone begins and ends."""
        return (1.0 - self.beta) * self.epsilon, (1.0 + self.beta) * self.epsilon


CASES = (
    Noise(2.0, 0.5, 0.5),
    Noise(6.052, 0.053361, 0.3),
    Noise(28.326, 0.002116, 0.3),
    Noise(9.01, 0.112, 0.005),
    Noise(1.0, 1.0, 1.0),
)
"""Parameters at which formulas are checked: those of figure 2, of tables 1 to 3, and a corner."""


def laplacian(delta: Array) -> Array:
    """Eq. 5."""
    return np.abs(delta)


def huber(delta: Array, epsilon: float) -> Array:
    """Eq. 6."""
    size = np.abs(delta)
    return np.where(size <= 2.0 * epsilon, size**2 / (4.0 * epsilon), size - epsilon)


def insensitive(delta: Array, epsilon: float) -> Array:
    """Eq. 7."""
    return np.where(np.abs(delta) <= epsilon, 0.0, np.abs(delta) - epsilon)


def zones(delta: Array, noise: Noise) -> list[NDArray[np.bool_]]:
    """Return the conditions of eq. 8 in their order: C*, M*, 0, M, C."""
    inner, outer = noise.edges
    return [
        delta < -outer,
        (delta >= -outer) & (delta <= -inner),
        (delta > -inner) & (delta < inner),
        (delta >= inner) & (delta <= outer),
        delta > outer,
    ]


def loss(delta: Array, noise: Noise) -> Array:
    """Eq. 8."""
    _, epsilon, beta = noise
    inner, width = noise.edges[0], 4.0 * beta * epsilon
    parts = [
        -delta - epsilon,
        (delta + inner) ** 2 / width,
        np.zeros_like(delta),
        (delta - inner) ** 2 / width,
        delta - epsilon,
    ]
    return np.select(zones(delta, noise), parts)


def slope(delta: Array, noise: Noise) -> Array:
    """Eq. 9."""
    _, epsilon, beta = noise
    inner, width, one = noise.edges[0], 2.0 * beta * epsilon, np.ones_like(delta)
    parts = [-one, (delta + inner) / width, 0.0 * one, (delta - inner) / width, one]
    return np.select(zones(delta, noise), parts)


def curvature(delta: Array, noise: Noise) -> Array:
    """Eq. 10."""
    _, left, _, right, _ = zones(delta, noise)
    return np.where(left | right, 1.0 / (2.0 * noise.beta * noise.epsilon), 0.0)


def normaliser(noise: Noise) -> float:
    """Eq. 12."""
    C, epsilon, beta = noise
    soft = beta * epsilon
    middle = 2.0 * np.sqrt(soft * np.pi / C) * erf(np.sqrt(C * soft))
    return float(2.0 * (1.0 - beta) * epsilon + middle + 2.0 / C * np.exp(-C * soft))


def gaussian(delta: Array, deviation: Array, mean: Array | float = 0.0) -> Array:
    """Eq. 13."""
    scaled = (delta - mean) / deviation
    return np.asarray(np.exp(-0.5 * scaled**2) / (np.sqrt(2.0 * np.pi) * deviation))


def rayleigh(deviation: Array, C: float) -> Array:
    """Eq. 25."""
    return C**2 * deviation * np.exp(-0.5 * (C * deviation) ** 2)


def mean_weight(t: Array, noise: Noise) -> Array:
    """Eq. 29: the weight of a mean, not normalised."""
    C = noise.C
    bracket = C + curvature(t, noise) - C * slope(t, noise) ** 2
    return np.asarray(0.5 * bracket * np.exp(-C * loss(t, noise)))


def mean_shape(t: Array, noise: Noise) -> Array:
    """Eq. 30: the same weight in explicit form, up to a factor."""
    C, epsilon, beta = noise
    inner, outer = noise.edges
    size = np.abs(t)
    share = (size - inner) / (2.0 * beta * epsilon)
    soft = (1.0 + 1.0 / (2.0 * C * beta * epsilon) - share**2) * np.exp(-C * loss(size, noise))
    return np.where(size < inner, 1.0, np.where(size <= outer, soft, 0.0))


def huber_mean_shape(t: Array, C: float, epsilon: float) -> Array:
    """Eq. 32."""
    bracket = 1.0 + 1.0 / (2.0 * C * epsilon) - (t / (2.0 * epsilon)) ** 2
    return np.asarray(bracket * np.exp(-C * t**2 / (4.0 * epsilon)))
