"""One output of Bayesian support vector regression: from the user's units to the search and back."""

from dataclasses import dataclass

import numpy as np

from rowtrust.svr.hyperparameters import Choices
from rowtrust.svr.search import TrainingSet, candidates_by_evidence, mixture_weights
from rowtrust.svr.units import Units

DEFAULT_BETA = {"soft_insensitive": 0.3, "huber": 1.0, "epsilon_insensitive": 1e-3, "laplace": 1.0}
"""Chu's 0.3; the corners, with Vapnik's approached as closely as the evidence survives."""

LAPLACE_ZONE = 0.02
"""Half-width of the quadratic zone that stands for the kink of the absolute loss, times C / 2."""


def choices_of(estimator, n_features):
    """Translate constructor arguments into what is fixed and what is learnt."""
    loss = estimator.loss
    if estimator.beta != "auto" and loss != "soft_insensitive":
        raise ValueError(
            f"beta={estimator.beta!r} has no meaning for loss={loss!r}, which is one value of it: "
            'leave beta="auto" or use loss="soft_insensitive".'
        )
    if loss == "laplace" and not isinstance(estimator.epsilon, str):
        raise ValueError(
            f'epsilon={estimator.epsilon!r} has no meaning for loss="laplace", which is the limit of '
            'epsilon going to zero: leave epsilon="evidence" or use loss="soft_insensitive".'
        )
    return Choices(
        C=number_or_none(estimator.C),
        epsilon=number_or_none(estimator.epsilon),
        beta=DEFAULT_BETA[loss] if estimator.beta == "auto" else float(estimator.beta),
        relevance=relevance_or_none(estimator.relevance, n_features),
        kernel_variance=number_or_none(estimator.kernel_variance),
        bias_variance=number_or_none(estimator.bias_variance),
        beta_is_given=estimator.beta != "auto" or loss != "soft_insensitive",
        tie=LAPLACE_ZONE if loss == "laplace" else None,
    )


def number_or_none(value):
    """Return None for what is to be learnt."""
    return None if isinstance(value, str) else float(value)


def relevance_or_none(relevance, n_features):
    """Return one weight per input, or None if they are to be learnt."""
    if isinstance(relevance, str):
        return None
    values = np.asarray(relevance, dtype=np.float64)
    if values.ndim == 0:
        return np.full(n_features, float(values))
    if values.shape != (n_features,) or not (np.isfinite(values).all() and (values >= 0).all()):
        raise ValueError(
            f"relevance must be one number of at least 0 per input, {n_features} of them, got {relevance!r}."
        )
    return values


def merged(X, y, weight):
    """Return rows in a canonical order, equal ones merged into one that counts for all, and where each was.

    A weight of two and a row given twice, in any order, are then the same problem to the last digit:
    the evidence jumps, and a search over it would carry rounding errors far.
    """
    _, first, copy_of = np.unique(np.column_stack([X, y]), axis=0, return_index=True, return_inverse=True)
    return X[first], y[first], np.bincount(copy_of.ravel(), weights=weight), first


@dataclass(frozen=True)
class OutputMachine:
    """The searches for one output, best evidence first, with the units they worked in."""

    candidates: list
    units: Units
    n_observations: float
    first_copy: np.ndarray

    @classmethod
    def fit(cls, rows, target, choices, n_restarts, patience, generator, n_jobs):
        """Merge copies, standardise, search, and keep what was found."""
        X, y, weight, first_copy = merged(rows.X, target, rows.weight)
        units = Units.of(X, y, weight)
        standard = TrainingSet(units.inputs(X), units.target(y), weight)
        within = choices.rescaled(1.0 / units.input_scale, 1.0 / units.target_scale)
        found = candidates_by_evidence(standard, within, n_restarts, patience, generator, n_jobs)
        return cls(found, units, float(weight.sum()), first_copy)

    @property
    def best(self):
        """The candidate with the highest evidence."""
        return self.candidates[0]

    @property
    def support(self):
        """Rows with a dual variable that is not zero; of equal rows, the first stands for all."""
        return self.first_copy[self.best.posterior.support]

    def dual_on(self, rows):
        """Return the dual variables of some rows, zero where they support nothing, in the user's units."""
        dual = np.zeros(len(rows))
        dual[np.searchsorted(rows, self.support)] = self.best.posterior.dual / self.units.target_scale
        return dual

    @property
    def hyperparameters(self):
        """The best candidate's, in the user's units."""
        return self.best.hyperparameters.rescaled(self.units.input_scale, self.units.target_scale)

    @property
    def noise_variance(self):
        """The best candidate's, in the user's units."""
        return self.best.noise.variance * self.units.target_scale**2

    @property
    def log_evidence(self):
        """The best candidate's; a density of y shrinks as y's unit does."""
        return self.best.log_evidence - self.n_observations * np.log(self.units.target_scale)

    def _shares(self, mixed):
        """Return the candidates that predict, each with its share."""
        if not mixed:
            return [(1.0, self.best)]
        return list(zip(mixture_weights(self.candidates), self.candidates, strict=True))

    def mean(self, X, mixed):
        """Return the predicted mean."""
        inputs = self.units.inputs(X)
        mean = sum(share * each.posterior.latent_mean(inputs) for share, each in self._shares(mixed))
        return self.units.target_offset + self.units.target_scale * mean

    def moments(self, X, mixed):
        """Return the mean of f, its variance, and the variance of the noise."""
        inputs, mean, square, noise = self.units.inputs(X), 0.0, 0.0, 0.0
        for share, each in self._shares(mixed):
            its_mean, its_variance = each.posterior.latent_moments(inputs)
            mean = mean + share * its_mean
            square = square + share * (its_variance + its_mean**2)
            noise = noise + share * each.noise.variance
        scale = self.units.target_scale
        # Without a mixture the subtraction would only cost digits.
        variance = np.maximum(square - mean**2, 0.0) if mixed else its_variance
        mean = self.units.target_offset + scale * mean
        return mean, scale**2 * variance, np.full(len(X), scale**2 * noise)
