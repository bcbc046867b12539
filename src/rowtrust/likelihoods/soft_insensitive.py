"""The soft insensitive loss and its noise (Chu, Keerthi & Ong 2001, section 2).

One code serves the whole family. ``Huber``, ``EpsilonInsensitive`` and ``Laplace`` are its corners,
reached as limits: no formula below divides by ``beta`` or ``epsilon``, and none subtracts terms that
cancel there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import erf, erfinv

from rowtrust.contracts import Array, Sites
from rowtrust.likelihoods.base import Likelihood
from rowtrust.likelihoods.heavy_tailed import SMALLEST_DISTANCE
from rowtrust.numerics.array_api import at_least, like, namespace
from rowtrust.numerics.magnitudes import shown

PANEL_NODES, PANEL_WEIGHTS = np.polynomial.legendre.leggauss(32)
"""Gauss-Legendre rule for one panel of the convolution (31). It does not matter: 16 and 64 nodes agree with
the density to 2e-13, too (C from 0.5 to 1000); 8 only to 4e-6."""

PANEL_LENGTH = 16.0
"""Length of a panel, in lengths of the tails. It does not matter: half, twice and four times of it agree with
the density as well."""


@dataclass(frozen=True)
class SoftInsensitive(Likelihood):
    """Noise with density proportional to ``exp(-C l(delta))``, ``l`` the soft insensitive loss (eq. 8).

    With ``u = |delta| - (1 - beta) epsilon`` the loss is 0 up to ``u = 0``, quadratic up to
    ``u = 2 beta epsilon``, and linear beyond.

    Parameters
    ----------
    C : float
        Slope of the tails: one over their length. Positive.
    epsilon : float
        Where the tails would meet the axis. Zero is the Laplace corner.
    beta : float
        Share of ``epsilon`` that is softened, from 0 (Vapnik's epsilon-insensitive loss) to 1 (Huber's).

    See Also
    --------
    Huber : The corner ``beta = 1``.
    EpsilonInsensitive : The corner ``beta = 0``.
    Laplace : The corner ``epsilon = 0``.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.likelihoods import SoftInsensitive
    >>> noise = SoftInsensitive(C=2.0, epsilon=0.5, beta=0.5)
    >>> noise.loss(np.array([0.1, 0.5, 2.0]))
    array([0.    , 0.0625, 1.5   ])
    """

    C: float
    epsilon: float
    beta: float

    is_bound: ClassVar[bool] = True
    is_location_scale: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (np.isfinite(self.C) and self.C > 0):
            raise ValueError(f"C must be a positive number, got {shown(self.C)}.")
        if not (np.isfinite(self.epsilon) and self.epsilon >= 0):
            raise ValueError(
                "epsilon must be a number of at least 0 (0 is the Laplace corner), got "
                f"{shown(self.epsilon)}."
            )
        if not 0 <= self.beta <= 1:
            raise ValueError(
                f"beta must lie between 0 (epsilon-insensitive) and 1 (Huber), got {shown(self.beta)}."
            )

    @property
    def insensitive_width(self) -> float:
        """Half-width ``(1 - beta) epsilon`` of the zone without loss."""
        return (1.0 - self.beta) * self.epsilon

    @property
    def quadratic_width(self) -> float:
        """Width ``2 beta epsilon`` of each of the two quadratic zones."""
        return 2.0 * self.beta * self.epsilon

    def excess(self, residual: Array) -> Array:
        """Return ``u = |delta| - (1 - beta) epsilon``, how far a residual sticks out."""
        return np.abs(residual) - self.insensitive_width

    def slope(self, excess: Array) -> Array:
        """Return ``|l'|`` as a function of the excess: a ramp from 0 to 1, a step where it has no width."""
        width = self.quadratic_width
        if width == 0.0:
            return np.where(excess > 0.0, 1.0, 0.0)
        return np.clip(excess, 0.0, width) / width

    def loss(self, residual: Array) -> Array:
        """Return ``l(delta)`` (eq. 8)."""
        excess = self.excess(residual)
        slope = self.slope(excess)
        return slope * (np.maximum(excess, 0.0) - 0.5 * slope * self.quadratic_width)

    def derivative(self, residual: Array) -> Array:
        """Return ``l'(delta)`` (eq. 9)."""
        return np.copysign(self.slope(self.excess(residual)), residual)

    def in_quadratic_zone(self, residual: Array) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Tell which residuals lie inside a quadratic zone."""
        excess = self.excess(residual)
        # Without an insensitive tube the two zones are one, and zero lies in its middle.
        begun = excess > 0.0 if self.insensitive_width else excess >= 0.0
        return np.asarray(begun & (excess < self.quadratic_width))

    def curvature(self, residual: Array) -> Array:
        """Return ``l''(delta)``, which exists almost everywhere (eq. 10)."""
        width = self.quadratic_width
        return np.where(self.in_quadratic_zone(residual), 1.0 / width if width else 0.0, 0.0)

    @property
    def zone_masses(self) -> tuple[float, float, float]:
        """The integrals of ``exp(-C l)`` over the flat, the quadratic and the linear zones."""
        depth = self.C * self.beta * self.epsilon
        quadratic = 2.0 / self.C * np.sqrt(np.pi * depth) * erf(np.sqrt(depth))
        linear = 2.0 / self.C * np.exp(-depth)
        return 2.0 * self.insensitive_width, float(quadratic), float(linear)

    @property
    def normaliser(self) -> float:
        """``Z_D``, the integral of ``exp(-C l)`` (eq. 12)."""
        return sum(self.zone_masses)

    @property
    def log_normaliser_slopes(self) -> tuple[float, float]:
        """Derivatives of ``ln Z_D`` in ``ln C`` and ``ln epsilon``."""
        flat, quadratic, linear = self.zone_masses
        total = flat + quadratic + linear
        return -(0.5 * quadratic + linear) / total, (flat + 0.5 * quadratic) / total

    def conditional_variance(self, latent: Array) -> Array:
        """Return the variance of the noise."""
        return np.full_like(latent, self.variance)

    @property
    def variance(self) -> float:
        """Variance of the noise."""
        C, flat, soft = self.C, self.insensitive_width, self.beta * self.epsilon
        _, quadratic, linear = self.zone_masses
        moments = (
            flat**3 / 3.0
            + 0.5 * quadratic * (2.0 * soft / C + flat**2)
            + 4.0 * soft * flat / C
            + 0.5 * linear * (flat**2 + 2.0 * (self.epsilon + soft) / C + 2.0 / C**2)
        )
        return float(2.0 * moments / self.normaliser)

    def log_density(self, target: Array, latent: Array | float = 0.0) -> Array:
        """Return ``ln p(delta) = -C l(delta) - ln Z_D`` (eq. 11) of the residual ``delta = t - f``."""
        return np.asarray(-self.C * self.loss(target - latent) - np.log(self.normaliser))

    def mean(self, latent: Array) -> Array:
        """Return ``f`` itself: the noise is symmetric."""
        return latent

    def density(self, residual: Array) -> Array:
        """Return ``p(delta)`` (eq. 11)."""
        return np.asarray(np.exp(self.log_density(residual)))

    def sample(self, size: int | tuple[int, ...], generator: np.random.Generator) -> Array:
        """Draw noise: choose a zone, then a place in it, then a side."""
        zone = generator.choice(3, size=size, p=np.array(self.zone_masses) / self.normaliser)
        place = generator.uniform(size=size)
        # The quadratic zone is a half-normal cut at its width; erfinv keeps its digits near zero.
        reach = erf(np.sqrt(self.C * self.quadratic_width / 2.0))
        inside = self.insensitive_width + np.sqrt(2.0 * self.quadratic_width / self.C) * erfinv(reach * place)
        beyond = self.insensitive_width + self.quadratic_width - np.log1p(-place) / self.C
        size_of = np.choose(zone, [self.insensitive_width * place, inside, beyond])
        return np.asarray(size_of * generator.choice([-1.0, 1.0], size=size))

    def standard_deviation_density(self, standard_deviation: Array) -> Array:
        """Return the Rayleigh density of each Gaussian's standard deviation (eq. 25)."""
        scaled = self.C * np.asarray(standard_deviation)
        return np.where(scaled >= 0.0, self.C * scaled * np.exp(-0.5 * scaled**2), 0.0)

    def mean_density(self, mean: Array) -> Array:
        """Return the density of each Gaussian's mean (eq. 30), normalised.

        In the corners without a quadratic zone two point masses of ``mean_atom`` each, at plus and
        minus ``epsilon``, come on top.
        """
        mean = np.asarray(mean, dtype=float)
        excess = self.excess(mean)
        slope = self.slope(excess)
        shape = 1.0 + self.curvature(mean) / self.C - slope**2
        inside = excess < self.quadratic_width
        return np.where(inside, shape * np.exp(-self.C * self.loss(mean)) / self.normaliser, 0.0)

    @property
    def mean_atom(self) -> float:
        """Mass of each of the two points plus and minus ``epsilon`` in the distribution of the mean."""
        return 0.0 if self.quadratic_width else 1.0 / (self.C * self.normaliser)

    def mixture_density(self, residual: Array) -> Array:
        """Return the noise density as the mean's distribution convolved with a Laplace density (eq. 31)."""
        residual = np.atleast_1d(np.asarray(residual, dtype=float))
        half = 0.5 * self.C
        total = (
            self.mean_atom
            * half
            * sum(np.exp(-self.C * np.abs(residual - side * self.epsilon)) for side in (-1.0, 1.0))
        )
        flat, edge = self.insensitive_width, self.insensitive_width + self.quadratic_width
        for lower, upper in ((-edge, -flat), (-flat, flat), (flat, edge)):
            # The Laplace density has a kink at the residual: integrate up to it and on from it.
            kink = np.clip(residual, lower, upper)
            total = total + self._smeared(residual, np.full_like(kink, lower), kink)
            total = total + self._smeared(residual, kink, np.full_like(kink, upper))
        return np.asarray(total)

    def _smeared(self, residual: Array, lower: Array, upper: Array) -> Array:
        """Integrate the mean's density times the Laplace density from ``lower`` to ``upper``."""
        panels = 1 + int(self.C * float(np.max(upper - lower, initial=0.0)) / PANEL_LENGTH)
        edges = np.linspace(lower, upper, panels + 1)
        centre, half = 0.5 * (edges[1:] + edges[:-1]), 0.5 * (edges[1:] - edges[:-1])
        nodes = centre[..., None] + half[..., None] * PANEL_NODES
        laplace = 0.5 * self.C * np.exp(-self.C * np.abs(residual[:, None] - nodes))
        return np.asarray(np.einsum("pnk,k,pn->n", self.mean_density(nodes) * laplace, PANEL_WEIGHTS, half))

    def sites(self, target: Array, mean: Array, variance: Array) -> Sites:
        """Return the tightest quadratic bound of the log density, for any of the family.

        The loss is the average of two of Huber's, one around each end of the tube: ``l(delta) = h(delta -
        epsilon) / 2 + h(delta + epsilon) / 2 - h(epsilon)`` with ``h`` quadratic up to ``beta epsilon``. As
        a function of the square of its argument ``h`` is concave, so that each has a tangent above it, best
        at ``xi**2 = E(delta -+ epsilon)**2``: the argument of Jaakkola and Jordan for the logistic.
        """
        soft = self.beta * self.epsilon
        xp = namespace(target)
        ends = target + like(np.array([[self.epsilon], [-self.epsilon]]), target)
        xi = at_least(xp.sqrt((ends - mean) ** 2 + variance), SMALLEST_DISTANCE)
        slope = 1.0 / at_least(xi, soft)
        loss = xp.where(xi < soft, 0.5 * slope * xi**2, xi - 0.5 * soft)
        half, base = 0.5 * self.C, self.epsilon - 0.5 * soft
        constant = xp.sum(0.5 * slope * (xi**2 - ends**2) - loss, axis=0)
        return Sites(
            precision=half * xp.sum(slope, axis=0),
            shift=half * xp.sum(slope * ends, axis=0),
            constant=half * constant + self.C * base,
            normaliser=xp.full_like(target, -float(np.log(self.normaliser))),
        )

    def rescaled(self, scale: float) -> SoftInsensitive:
        """Return the noise of targets that were ``scale`` times larger."""
        return SoftInsensitive(self.C / scale, self.epsilon * scale, self.beta)


class Huber(SoftInsensitive):
    """Huber's loss (eq. 6), the corner ``beta = 1``: quadratic up to ``2 epsilon``, linear beyond.

    Parameters
    ----------
    C : float
        Slope of the tails.
    epsilon : float
        Half of where the loss becomes linear.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.likelihoods import Huber
    >>> Huber(C=1.0, epsilon=0.5).loss(np.array([0.0, 1.0, 3.0]))
    array([0. , 0.5, 2.5])
    """

    def __init__(self, C: float, epsilon: float) -> None:
        super().__init__(C, epsilon, 1.0)


class EpsilonInsensitive(SoftInsensitive):
    """Vapnik's loss (eq. 7), the corner ``beta = 0``: nothing up to ``epsilon``, linear beyond.

    Parameters
    ----------
    C : float
        Slope of the tails.
    epsilon : float
        Half-width of the zone without loss.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.likelihoods import EpsilonInsensitive
    >>> EpsilonInsensitive(C=1.0, epsilon=0.5).loss(np.array([0.0, 0.5, 3.0]))
    array([0. , 0. , 2.5])
    """

    def __init__(self, C: float, epsilon: float) -> None:
        super().__init__(C, epsilon, 0.0)


class Laplace(SoftInsensitive):
    """The absolute loss (eq. 5), the corner ``epsilon = 0``.

    Parameters
    ----------
    C : float
        Slope of the loss: one over the length of the noise's tails.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.likelihoods import Laplace
    >>> noise = Laplace(C=2.0)
    >>> noise.loss(np.array([-1.0, 0.0, 3.0]))
    array([1., 0., 3.])
    >>> bool(abs(noise.variance - 2.0 / 2.0**2) < 1e-12)
    True
    """

    def __init__(self, C: float) -> None:
        super().__init__(C, 0.0, 0.0)
