"""What a likelihood must answer; quadrature answers whatever has no closed form.

A new likelihood writes ``log_density`` and ``mean``. Sites, log-odds and predictions then follow by
Gauss-Hermite quadrature over the latent function's Gaussian, until a closed form overrides them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np
from scipy.special import logsumexp

from rowtrust.contracts import Array, Sites, Statistics
from rowtrust.numerics.array_api import at_least, like, namespace, nothing_of

Self = TypeVar("Self", bound="Likelihood")

NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(32)
NODE_WEIGHTS = NODE_WEIGHTS / NODE_WEIGHTS.sum()
"""Gauss-Hermite rule for a standard Gaussian. Expected value, slope and curvature of ``ln sigma(f)`` are
right to 1e-13 at a latent deviation of 1, to 3e-8 at 2, 4e-4 at 5 and 1e-2 at 10 (means from -6 to 6); those
of ``ln Phi(f)`` are two to ten times worse. 20 nodes lose half a digit to three digits, 64 gain as many.
Probit fits to moons with deviations up to 2.6 move by 2e-3 and 6e-5 of the latent function's spread with
them, one of nearly separable classes with 22 by 0.1 and 0.05; Poisson fits, whose deviations are below 1, by
1e-13, but one in five that ends in another maximum."""

SMALLEST_DEVIATION = 1e-3
"""Latent deviation below which quadrature smooths no less: derivatives by quadrature divide by its square,
and rounding would be amplified far below. It does not matter much: nine probit and Poisson fits are the same
from 1e-5 to 2e-3; with 1e-2 one, to counts near 150, ends in another maximum."""

SMALLEST_CURVATURE = 1e-10
"""Floor of a site's precision: a density that is not log-concave has rows with none. A guard: from 1e-12 to
1e-6 nine probit and Poisson fits agree to 1e-5."""

LARGEST_LATENT, HALVINGS = 1e3, 60
"""Where a latent mean of given log-odds is looked for, and how often that range is halved: 2000 / 2^60 is
rounding."""


@dataclass(frozen=True)
class Prediction:
    """Mean and variance of new targets, each of the shape of the latent moments they were made from.

    Parameters
    ----------
    mean : ndarray
        Expected targets.
    variance : ndarray
        Their variances, function and noise together.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.likelihoods import Gaussian
    >>> told = Gaussian(precision=4.0).predict(np.array([1.0]), np.array([0.5]))
    >>> told.mean, told.variance
    (array([1.]), array([0.75]))
    """

    mean: Array
    variance: Array


class Likelihood(ABC):
    """How targets scatter around the latent function ``f``.

    Subclasses are frozen dataclasses whose fields are their parameters.

    See Also
    --------
    Gaussian : Noise of one size.
    HeavyTailed : A base for symmetric noise with heavier tails.
    Logistic : Labels of two classes.

    Examples
    --------
    A likelihood of one's own has two methods; a third, ``conditional_variance``, would give error bars:

    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> from scipy.special import gammaln
    >>> from rowtrust import SparseBayesRegressor
    >>> from rowtrust.likelihoods import Likelihood
    >>> @dataclass(frozen=True)
    ... class Poisson(Likelihood):
    ...     def log_density(self, target, latent):
    ...         return target * latent - np.exp(latent) - gammaln(target + 1.0)
    ...
    ...     def mean(self, latent):
    ...         return np.exp(latent)
    >>> X = np.linspace(0.0, 3.0, 60)[:, None]
    >>> y = np.random.default_rng(0).poisson(np.exp(X[:, 0]))
    >>> model = SparseBayesRegressor(likelihood=Poisson(), gamma=0.3).fit(X, y)
    >>> bool(abs(model.predict([[2.0]])[0] - np.exp(2.0)) < 2.0)
    True
    """

    weight_exponent: ClassVar[float] = 0.0
    """Power of a learnt weight in the normaliser: 1/2 where it scales a Gaussian's precision."""

    is_bound: ClassVar[bool] = False
    """Whether the sites are exact or bound the density from below, so that no step lowers the bound. If not,
    the solvers damp their steps."""

    is_location_scale: ClassVar[bool] = False
    """Whether ``f`` is in units of the target, so that targets may be standardised (see ``rescaled``)."""

    is_joint: ClassVar[bool] = False
    """Whether a target has several latent functions at once, whose posteriors share a covariance: see
    ``Softmax``."""

    learns: ClassVar[bool] = False
    """Whether ``update`` re-estimates anything."""

    @abstractmethod
    def log_density(self, target: Array, latent: Array) -> Array:
        """Return ``ln p(t | f)``; the arguments broadcast.

        Parameters
        ----------
        target, latent : ndarrays
            ``t`` and ``f``.

        Returns
        -------
        ndarray
            Finite for every latent value, of the shape that the arguments broadcast to.
        """

    @abstractmethod
    def mean(self, latent: Array) -> Array:
        """Return ``E(t | f)``.

        Parameters
        ----------
        latent : ndarray
            ``f``.

        Returns
        -------
        ndarray
            Of the same shape.
        """

    def check_targets(self, target: Array) -> None:
        """Refuse targets that no latent value could have brought about."""
        self._finite_log_density(target, np.zeros_like(target))

    def conditional_variance(self, latent: Array) -> Array:
        """Return ``Var(t | f)``, which error bars of new targets need.

        Parameters
        ----------
        latent : ndarray
            ``f``.

        Returns
        -------
        ndarray
            Of the same shape.
        """
        name = type(self).__name__
        raise NotImplementedError(
            f"{name} does not say how targets vary around their mean. Give it a method "
            f"conditional_variance(latent), or ask {name} for means only."
        )

    def sites(self, target: Array, mean: Array, variance: Array) -> Sites:
        """Return Gaussian sites that agree with the density in expectation under ``N(mean, variance)``.

        Shift and precision are the expected slope and curvature of the log density, by Stein's
        identities: a pass with them is a step of variational inference with a Gaussian posterior.

        Parameters
        ----------
        target, mean, variance : ndarrays of shape (n,)
            Targets of some rows, and the moments of the latent function at them.

        Returns
        -------
        Sites
            Precision, shift, constant and normaliser of each row.
        """
        deviation = at_least(namespace(variance).sqrt(variance), SMALLEST_DEVIATION)
        nodes, node_weights = like(NODES, mean), like(NODE_WEIGHTS, mean)
        here = self._finite_log_density(target, mean)
        # Around the middle: what is left is small where the deviation is, and so is its rounding.
        change = (
            self._finite_log_density(target[:, None], mean[:, None] + deviation[:, None] * nodes)
            - here[:, None]
        )
        slope = change @ (node_weights * nodes) / deviation
        curvature = change @ (node_weights * (1.0 - nodes**2)) / deviation**2
        precision = at_least(curvature, SMALLEST_CURVATURE)
        shift = slope + precision * mean
        peak = self._log_peak(target)
        expected = here + change @ node_weights - peak
        constant = expected - shift * mean + 0.5 * precision * (mean**2 + variance)
        return Sites(precision, shift, constant, peak)

    def _log_peak(self, target: Array) -> Array:
        """Return the part of the log density that no latent value changes, and no learnt weight multiplies.

        What is left is a loss that is never negative: a probability is at most one, and the density of noise
        around ``f`` is highest at ``f`` itself.
        """
        if not self.is_location_scale:
            none: Array = namespace(target).zeros_like(target)
            return none
        return self._finite_log_density(target, target)

    def _finite_log_density(self, target: Array, latent: Array) -> Array:
        xp = namespace(latent)
        values: Array = xp.asarray(self.log_density(target, latent), dtype=xp.float64)
        if not xp.all(xp.isfinite(values)):
            raise ValueError(
                f"{type(self).__name__}.log_density is infinite or NaN for some target and latent value. The "
                "targets must lie in its support, and its link must allow every latent value (use log or "
                "exp links)."
            )
        return values

    def row_statistics(self, target: Array, mean: Array, variance: Array) -> Array:
        """Return what ``update`` needs to know of each row, shape ``(s, n)``; none by default.

        Summed over rows, each times its weight, it comes back as ``statistics.likelihood``.
        """
        return nothing_of(target)

    def update(self: Self, statistics: Statistics) -> tuple[Self, Statistics]:
        """Re-estimate the likelihood's own parameters; return it with the statistics restated.

        Statistics that scale with a parameter scale together, ``curvature`` too if it is not None.
        """
        return self, statistics

    @property
    def coordinates(self) -> Array:
        """What ``update`` re-estimates, on scales without limits; nothing unless a subclass says so.

        Solvers extrapolate it with the rest (see ``moved_to``).
        """
        return np.empty(0)

    def moved_to(self: Self, coordinates: Array) -> Self:
        """Return the likelihood with these coordinates."""
        return self

    @classmethod
    def average(cls, parts: Sequence[Likelihood], shares: Array) -> Likelihood:
        """Return one likelihood for an average of models: by default that of the model that counts most."""
        return parts[int(np.argmax(shares))]

    def rescaled(self: Self, scale: float) -> Self:
        """Return the likelihood of targets that were ``scale`` times larger before they were standardised.

        Parameters
        ----------
        scale : float
            Above zero.

        Returns
        -------
        Likelihood
            In the units of the user.
        """
        raise NotImplementedError(f"{type(self).__name__} has no scale: give it a method rescaled(scale).")

    def predict(self, mean: Array, variance: Array, widening: float = 1.0) -> Prediction:
        """Return mean and variance of new targets, the latent function being ``N(mean, variance)``.

        Parameters
        ----------
        mean, variance : ndarrays
            Moments of the latent function.
        widening : float, default=1.0
            By how much the weights widen the noise, in variance (``Weights.widening``).

        Returns
        -------
        Prediction
            Mean and variance of the targets.
        """
        latent = mean[..., None] + np.sqrt(variance)[..., None] * NODES
        means = self.mean(latent)
        expected = means @ NODE_WEIGHTS
        noise = np.broadcast_to(self.conditional_variance(latent), latent.shape) @ NODE_WEIGHTS
        spread = np.square(means - expected[..., None]) @ NODE_WEIGHTS
        return Prediction(expected, spread + widening * noise)

    def predict_mean(self, mean: Array, variance: Array) -> Array:
        """Return the mean of new targets alone."""
        latent = mean[..., None] + np.sqrt(variance)[..., None] * NODES
        return np.asarray(self.mean(latent) @ NODE_WEIGHTS)

    def latent_of_log_odds(self, log_odds: Array, variance: Array) -> Array:
        """Return the latent mean at which the averaged log-odds are these, by halving an interval."""
        low, high = np.full_like(variance, -LARGEST_LATENT), np.full_like(variance, LARGEST_LATENT)
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            below = self.log_odds(middle, variance) < log_odds
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return 0.5 * (low + high)

    def log_odds(self, mean: Array, variance: Array) -> Array:
        """Return the log-odds of target 1 against target 0, averaged over ``f ~ N(mean, variance)``.

        Parameters
        ----------
        mean, variance : ndarrays
            Moments of the latent function.

        Returns
        -------
        ndarray
            Of the same shape.
        """
        latent = mean[..., None] + np.sqrt(variance)[..., None] * NODES
        one, zero = (
            logsumexp(self.log_density(np.full_like(latent, target), latent), b=NODE_WEIGHTS, axis=-1)
            for target in (1.0, 0.0)
        )
        return np.asarray(one - zero)
