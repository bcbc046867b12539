"""The softmax likelihood of several classes through a bound that bends less where a class is clear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rowtrust.contracts import Array, Sites
from rowtrust.likelihoods.base import Likelihood, Prediction
from rowtrust.likelihoods.label_channel import LEAST_RATE
from rowtrust.likelihoods.logistic import bound_curvature
from rowtrust.numerics.array_api import at_least, like, namespace, places
from rowtrust.numerics.magnitudes import TINY


def log_sum(values: Array) -> Array:
    """Return ``ln sum exp`` over the last axis, which is kept."""
    xp = namespace(values)
    largest = xp.max(values, axis=-1, keepdims=True)
    total: Array = largest + xp.log(xp.sum(xp.exp(values - largest), axis=-1, keepdims=True))
    return total


@dataclass(frozen=True)
class Softmax(Likelihood):
    """``P(t_i = k) = exp f_ik / sum_j exp f_ij`` for targets that are rows of the unit matrix.

    All classes have latent functions in the same columns, with the same prior precisions. The bound of a row
    bends alike in all contrasts of the classes, so that one covariance serves all of them: moments are a mean
    for every class, shape ``(n, n_classes)``, and one variance, shape ``(n,)``; the difference of two classes
    has twice that variance. Means of a row sum to zero.

    Parameters
    ----------
    noise : ndarray of shape (n_classes, n_classes), default=None
        Where labels may be wrong: the probability that a row of class k was given the label j. None: none is.

    See Also
    --------
    Logistic : The same for two classes, with a bound that is tightest on average.

    Notes
    -----
    ``ln sum exp`` bends by 1/2 at most along any contrast (Boehning 1992), which is far too much for a row
    whose class is clear. Sites touch the density at the mean and bend by ``4 lambda(o)``, o the log-odds of
    the likeliest class against all others and lambda that of Jaakkola and Jordan: no more than 1/2, and of
    two classes the least with which a parabola stays below. So the coefficients settle at the maximum a
    posteriori of the exact likelihood.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.likelihoods import Softmax
    >>> Softmax().mean(np.log([[1.0, 2.0, 5.0]]))
    array([[0.125, 0.25 , 0.625]])
    >>> unsure = Softmax().predict_mean(np.log([[1.0, 2.0, 5.0]]), np.array([4.0]))
    >>> unsure.round(1)  # averaged over what is not known of f
    array([[0.2, 0.3, 0.5]])
    """

    is_bound: ClassVar[bool] = True
    is_joint: ClassVar[bool] = True

    noise: Array | None = None

    def _log_given(self, target: Array) -> Array:
        """Return ``ln p(t | z = k)`` for every class k."""
        noise: Array = np.maximum(np.transpose(np.asarray(self.noise)), LEAST_RATE)
        given: Array = np.matmul(target, like(np.log(noise), target))
        return given

    def log_density(self, target: Array, latent: Array) -> Array:
        """Return ``ln p(t | f)``, the true label summed out; the last axis counts classes."""
        if self.noise is None:
            fit: Array = namespace(latent).sum(target * latent, axis=-1)
        else:
            fit = log_sum(latent + self._log_given(target))[..., 0]
        return fit - log_sum(latent)[..., 0]

    def mean(self, latent: Array) -> Array:
        """Return the probability of every class."""
        probability: Array = namespace(latent).exp(latent - log_sum(latent))
        return probability

    def conditional_variance(self, latent: Array) -> Array:
        """Return the variance of every class's target."""
        mean = self.mean(latent)
        return mean * (1.0 - mean)

    def true_class(self, target: Array, mean: Array) -> Array:
        """Return ``q(z = k)``, the probabilities of the true label: soft targets."""
        return target if self.noise is None else self.mean(mean + self._log_given(target))

    def sites(self, target: Array, mean: Array, variance: Array) -> Sites:
        """Return the bound that touches the density at the mean.

        Behind noise ``ln p(t | f)`` has a convex first term, bounded by its tangent (as in ``LabelChannel``).
        """
        xp = namespace(mean)
        expected, true = self.mean(mean), self.true_class(target, mean)
        slope = true - expected
        fit = self.log_density(target, mean)
        square, precision = xp.sum(mean * mean, axis=-1), self.secant_curvature(mean)
        return Sites(
            precision=precision,
            shift=slope + precision[:, None] * mean,
            constant=fit - xp.sum(slope * mean, axis=-1) - 0.5 * precision * square,
            normaliser=xp.zeros_like(square),
        )

    def contrast_curvature(self, target: Array, mean: Array) -> Array:
        """Return how far ``-ln p(t | f)`` bends along a contrast of likely classes, shape (n,)."""
        xp = namespace(mean)
        expected = self.mean(mean)
        bend: Array = 1.0 - xp.sum(expected * expected, axis=-1)
        if self.noise is not None:
            true = self.true_class(target, mean)
            bend = bend - 1.0 + xp.sum(true * true, axis=-1)
        return bend

    def secant_curvature(self, mean: Array) -> Array:
        """Return how far a parabola that touches the density at the mean must bend, shape (n,).

        Between the likeliest class and the rest no less would do, of two classes (Jaakkola & Jordan 2000);
        along a contrast of unit length the log-odds change by the root of two at most.
        """
        xp = namespace(mean)
        probability = self.mean(mean)
        likeliest = xp.max(probability, axis=-1)
        is_other = places(mean) != xp.argmax(probability, axis=-1)[..., None]
        others = xp.sum(xp.where(is_other, probability, 0.0), axis=-1)
        odds = xp.log(likeliest) - xp.log(at_least(others, TINY))
        curvature: Array = 4.0 * bound_curvature(odds)
        return curvature

    def log_odds(self, mean: Array, variance: Array) -> Array:
        """Return the log-odds of every class but the first against the first, averaged over ``f``."""
        log_odds: Array = (mean[..., 1:] - mean[..., :1]) / self._widening(variance)
        return log_odds

    def latent_of_log_odds(self, log_odds: Array, variance: Array) -> Array:
        """Return the latent means whose averaged probabilities have these log-odds against the first."""
        whole = np.concatenate([np.zeros((*log_odds.shape[:-1], 1)), log_odds], axis=-1)
        latent: Array = (whole - whole.mean(axis=-1, keepdims=True)) * self._widening(variance)
        return latent

    @staticmethod
    def _widening(variance: Array) -> Array:
        root: Array = namespace(variance).sqrt(1.0 + np.pi * variance / 4.0)
        return root if root.ndim != 1 or len(root) == 1 else root[:, None]

    def predict(self, mean: Array, variance: Array, widening: float = 1.0) -> Prediction:
        """Return the averaged probabilities, and the variances of targets."""
        probability = self.predict_mean(mean, variance)
        return Prediction(probability, probability * (1.0 - probability))

    def predict_mean(self, mean: Array, variance: Array) -> Array:
        """Return the averaged probabilities."""
        return self.mean(mean / self._widening(variance))
