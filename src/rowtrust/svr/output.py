"""The outputs of Bayesian support vector regression: from the user's units to the search and back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from rowtrust.contracts import Array, Indices
from rowtrust.svr.hyperparameters import Choices, Hyperparameters
from rowtrust.svr.objective import StoppingRule, TrainingSet
from rowtrust.svr.search import SearchResult, search_from_starts
from rowtrust.svr.settings import Settings
from rowtrust.svr.units import Units


@dataclass(frozen=True)
class OutputMachine:
    """The searches for one output, and what the best of them found in the user's units.

    Attributes
    ----------
    results
        Where each search ended, best evidence first.
    units
        The units they worked in.
    support : (k,)
        Training rows with a dual variable that is not zero; of equal rows, the first stands for all.
    dual : (k,)
        Their dual variables.
    hyperparameters, noise_variance, log_evidence, duality_gap, n_iter
        Of the best.
    """

    results: list[SearchResult]
    units: Units
    support: Indices
    dual: Array
    hyperparameters: Hyperparameters
    noise_variance: float
    log_evidence: float
    duality_gap: float
    n_iter: int

    @classmethod
    def of(
        cls, results: list[SearchResult], units: Units, n_observations: float, first_copy: Indices
    ) -> OutputMachine:
        """Translate the best of some results into the user's units."""
        best, scale = results[0], units.target_scale
        hyperparameters = best.hyperparameters.rescaled(units.input_scale, scale)
        return cls(
            results=results,
            units=units,
            support=first_copy[best.posterior.support],
            dual=best.posterior.dual / scale,
            hyperparameters=hyperparameters,
            noise_variance=hyperparameters.noise_variance,
            # A density of y shrinks as y's unit does.
            log_evidence=best.log_evidence - n_observations * float(np.log(scale)),
            duality_gap=best.duality_gap,
            n_iter=best.n_iter,
        )

    @property
    def best(self) -> SearchResult:
        """The result with the highest evidence."""
        return self.results[0]

    def mean(self, X: Array, mixed: bool) -> Array:
        """Return the predicted mean."""
        inputs, mean = self.units.inputs(X), np.zeros(len(X))
        for share, result in self._shares(mixed):
            mean += share * result.posterior.latent_mean(inputs)
        return self.units.target_offset + self.units.target_scale * mean

    def moments(self, X: Array, mixed: bool) -> tuple[Array, Array, Array]:
        """Return the mean of f, its variance, and the variance of the noise."""
        inputs, noise = self.units.inputs(X), 0.0
        mean, within, square = np.zeros((3, len(X)))
        for share, result in self._shares(mixed):
            its_mean, its_variance = result.posterior.latent_moments(inputs)
            mean += share * its_mean
            within += share * its_variance
            square += share * its_mean**2
            noise += share * result.hyperparameters.noise_variance
        # Without a mixture the subtraction would only cost digits.
        between = np.maximum(square - mean**2, 0.0) if mixed else 0.0
        scale = self.units.target_scale
        mean = self.units.target_offset + scale * mean
        return mean, scale**2 * (within + between), np.full(len(X), scale**2 * noise)

    def _shares(self, mixed: bool) -> Iterator[tuple[float, SearchResult]]:
        """Return the results that predict, each with its share."""
        results = self.results if mixed else self.results[:1]
        shares = softmax([result.log_evidence for result in results])
        return zip(shares.tolist(), results, strict=True)


def fit_outputs(
    X: Array, targets: Array, weight: Array, settings: Settings, generator: np.random.Generator
) -> list[OutputMachine]:
    """Return one machine per column of ``targets``, each with its own kernel."""
    choices = settings.choices(X.shape[1])
    return [fit_output(X, target, weight, choices, settings, generator) for target in targets.T]


def fit_output(
    X: Array,
    target: Array,
    weight: Array,
    choices: Choices,
    settings: Settings,
    generator: np.random.Generator,
) -> OutputMachine:
    """Merge copies, standardise, search, and keep what was found."""
    X, y, weight, first_copy = merged(X, target, weight)
    units = Units.of(X, y, weight)
    rows = TrainingSet(units.inputs(X), units.target(y), weight)
    results = search_from_starts(
        rows,
        choices.rescaled(1.0 / units.input_scale, 1.0 / units.target_scale),
        settings.n_restarts,
        StoppingRule(settings.max_iter, settings.tol),
        generator,
        settings.n_jobs,
    )
    return OutputMachine.of(results, units, float(weight.sum()), first_copy)


def merged(X: Array, y: Array, weight: Array) -> tuple[Array, Array, Array, Indices]:
    """Return rows in a canonical order, equal ones merged into one that counts for all, and where each was.

    A weight of two and a row given twice, in any order, are then the same problem to the last digit:
    the evidence jumps, and a search over it would carry rounding errors far.
    """
    _, first, copy_of = np.unique(np.column_stack([X, y]), axis=0, return_index=True, return_inverse=True)
    copies: Array = np.bincount(copy_of.ravel(), weights=weight).astype(np.float64)
    return X[first], y[first], copies, first
