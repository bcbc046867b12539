"""The outputs of Bayesian support vector regression: from the user's units to the search and back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import softmax

from rowtrust.contracts import Array, Indices
from rowtrust.kernels import Kernel, content_keys, refuse_blind
from rowtrust.predictive import Part, ShapedPart
from rowtrust.svr.halves import judged
from rowtrust.svr.hyperparameters import Choices, Hyperparameters
from rowtrust.svr.landmark_search import search_with_landmarks
from rowtrust.svr.landmarks import LandmarkPosterior
from rowtrust.svr.objective import StoppingRule, TrainingSet
from rowtrust.svr.search import SearchResult, search_from_starts
from rowtrust.svr.settings import Settings
from rowtrust.svr.units import Units, rounded
from rowtrust.trust import rounding
from rowtrust.weights import Unit


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
    is_constant
        Whether the best is no better than a constant although the targets vary.
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
    is_constant: bool

    @classmethod
    def of(
        cls,
        results: list[SearchResult],
        units: Units,
        rows: TrainingSet,
        first_copy: Indices,
        learns_function: bool = True,
    ) -> OutputMachine:
        """Translate the best of some results into the user's units."""
        best = results[0]
        found = best.hyperparameters.rescaled(units.input_scale, units.size)
        hyperparameters = replace(found, relevance=units.spread_out(found.relevance))
        return cls(
            results=results,
            units=units,
            support=first_copy[best.posterior.support],
            dual=best.posterior.dual / units.target_scale,
            hyperparameters=hyperparameters,
            noise_variance=best.noise_variance * units.size**2,
            # A density of y shrinks as y's unit does.
            log_evidence=best.log_evidence - float(rows.sample_weight.sum()) * float(np.log(units.size)),
            duality_gap=best.duality_gap,
            n_iter=best.n_iter,
            is_constant=learns_function and best.is_constant,
        )

    @property
    def n_landmarks(self) -> int | None:
        """Number of landmarks; None where the rows stand for themselves."""
        posterior = self.best.posterior
        return len(posterior.support) if isinstance(posterior, LandmarkPosterior) else None

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
        inputs = self.units.inputs(X)
        mean, within, square, noise = np.zeros((4, len(X)))
        for share, result in self._shares(mixed):
            its_mean, its_variance = result.posterior.latent_moments(inputs)
            stretch = 1.0 if result.noise is None else result.noise.stretch(its_mean)
            mean += share * its_mean
            within += share * stretch * its_variance
            square += share * its_mean**2
            noise += share * stretch * result.hyperparameters.noise_variance
        # Without a mixture the subtraction would only cost digits.
        between = np.maximum(square - mean**2, 0.0) if mixed else 0.0
        scale = self.units.target_scale
        mean = self.units.target_offset + scale * mean
        return mean, scale**2 * (within + between), scale**2 * noise

    def parts(self, X: Array, mixed: bool) -> Iterator[Part | ShapedPart]:
        """Yield what every result that predicts says of new targets."""
        inputs, offset, scale = self.units.inputs(X), self.units.target_offset, self.units.target_scale
        for share, result in self._shares(mixed):
            mean, variance = result.posterior.latent_moments(inputs)
            if result.noise is None:
                noise = result.hyperparameters.likelihood.rescaled(self.units.size)
                part = Part.of(offset + scale * mean, scale**2 * variance, noise, Unit())
                yield replace(part, share=share)
            else:
                total = result.noise.stretch(mean) * (variance + result.hyperparameters.noise_variance)
                deviation = self.units.size * np.sqrt(total)
                yield ShapedPart(
                    share, offset + scale * mean, deviation, result.noise.rescaled(offset, scale)
                )

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
    units = Units.of(X, y, weight, keep_constant=choices.relevance is not None)
    *parts, again = merged(rounded(units.inputs(X)), rounded(units.target(y)), weight)
    first_copy, rows = first_copy[again], TrainingSet(*parts)
    inside = choices.rescaled(1.0 / units.input_scale, 1.0 / units.size)
    inside = replace(inside, least_noise=rounding(rows.y))
    refuse_relevance(rows.X, choices, units)
    rule = StoppingRule(settings.max_iter, settings.tol)
    arguments = rows, inside, settings.n_restarts, rule, generator, settings.n_jobs
    n_landmarks = settings.n_landmarks(len(rows))
    if n_landmarks is None:
        results = search_from_starts(*arguments)
    else:
        results = search_with_landmarks(*arguments, n_landmarks)
    results = judged(results, rows, inside, rule, generator, settings.n_jobs)
    return OutputMachine.of(results, units, rows, first_copy, choices.learns_function)


def refuse_relevance(X: Array, choices: Choices, units: Units) -> None:
    """Refuse relevances, in the user's units, to which rows are all alike, or none is like another."""
    if choices.relevance is not None and choices.relevance.any():
        deviation = np.where(np.ptp(X, axis=0) > 0.0, units.input_scale, 0.0)
        kernel = Kernel("rbf", 0.5, metric=np.sqrt(choices.relevance) * units.input_scale)
        refuse_blind(X, deviation, [kernel])


def merged(X: Array, y: Array, weight: Array) -> tuple[Array, Array, Array, Indices]:
    """Return rows in the order of their content, equal ones as one that counts for all, and where each was.

    A weight of two and a row given twice, in any order, are then the same problem to the last digit:
    the evidence jumps, and a search over it would carry rounding errors far.
    """
    _, first, copy_of = np.unique(np.column_stack([X, y]), axis=0, return_index=True, return_inverse=True)
    copies: Array = np.bincount(copy_of.ravel(), weights=weight).astype(np.float64)
    keys = content_keys(X[first])
    order = np.lexsort((y[first], keys[:, 2], keys[:, 1]))
    first = first[order]
    return X[first], y[first], copies[order], first
