"""The outputs of Bayesian support vector regression: from the user's units to the search and back."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning

from rowtrust.contracts import Array, Indices, LandmarksWarning
from rowtrust.engines.limits import largest_square
from rowtrust.kernels import Basis, Kernel, content_keys, refuse_blind
from rowtrust.likelihoods import SoftInsensitive
from rowtrust.predictive import LEAST_REST, Part, PredictiveModel, ShapedPart
from rowtrust.svr.evidence import StoppingRule, TrainingSet
from rowtrust.svr.hyperparameters import Choices, Hyperparameters, Settings, Units, rounded
from rowtrust.svr.landmarks import search_with_landmarks
from rowtrust.svr.posterior import LandmarkPosterior
from rowtrust.svr.search import SearchResult, judged, search_from_starts
from rowtrust.svr.space import SearchSpace
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

    def random_starts(space: SearchSpace) -> list[Array]:
        return [space.random_start(generator) for _ in range(settings.n_restarts)]

    arguments = rows, inside, rule, settings.n_jobs
    if (n_landmarks := settings.n_landmarks(len(rows))) is None:
        results = search_from_starts(*arguments, random_starts)
    else:
        results = search_with_landmarks(n_landmarks, *arguments, random_starts)
    results = judged(results, *arguments)
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


def predictive_model(machine: OutputMachine) -> PredictiveModel:
    """Return the best result of a machine as one model in the user's units.

    The mean is linear in kernel values. The variance is the prior's, which the bias column carries, less what
    the rows in a quadratic zone explain.
    """
    posterior, units = machine.best.posterior, machine.units
    prior, scale = posterior.covariance, units.target_scale
    mean = np.append(prior.bias_variance * posterior.dual.sum(), prior.kernel_variance * posterior.dual)
    mean *= scale
    mean[0] += units.target_offset
    narrowing, columns = posterior.variance_root()
    root = np.zeros((len(narrowing), 1 + len(posterior.vectors)))
    root[:, 0] = prior.bias_variance * narrowing.sum(axis=1)
    root[:, 1 + columns] = prior.kernel_variance * narrowing
    form = np.zeros((1 + len(posterior.vectors),) * 2)
    form[0, 0] = prior.variance
    found, noise = machine.hyperparameters, machine.best.noise
    return PredictiveModel(
        basis=Basis(
            Kernel(
                "rbf",
                0.5,
                metric=units.spread_out(np.sqrt(prior.relevance) / units.input_scale),
                origin=units.spread_out(units.input_offset),
            ),
            units.spread_out(posterior.vectors * units.input_scale + units.input_offset),
        ),
        coefficients=mean[None, :],
        covariance=scale**2 * form[None, :, :],
        likelihood=SoftInsensitive(found.C, found.epsilon, found.beta),
        weights=Unit(),
        narrowing=scale * root[None, :, :],
        noise=None if noise is None else noise.rescaled(units.target_offset, scale),
    )


def left_out(model: PredictiveModel, X: Array, y: Array) -> tuple[Array, Array]:
    """Return what the other rows say of each: mean and variance of the function, of the first output.

    The posterior is Laplace's: a row has the curvature of its loss at the most probable function, none
    outside the quadratic zones, and pulls with the slope of its loss. Every row counts once.
    """
    likelihood = model.likelihood
    if not isinstance(likelihood, SoftInsensitive):
        raise TypeError(f"expected the likelihood of BayesianSVR, got {type(likelihood).__name__}.")
    mean, variance = (each[:, 0] for each in model.fitted_moments(X, model.covariance))
    residual = y - mean
    pull = likelihood.C * likelihood.derivative(residual)
    rest = np.maximum(1.0 - likelihood.C * likelihood.curvature(residual) * variance, LEAST_REST)
    return mean - variance * pull / rest, variance / rest


MOST_ROWS = 20_000
"""Rows beyond which an exact fit is refused however large the memory: a round number, four matrices of 3
GiB, not measured."""

LARGEST_GAP = 1e-6
"""Relative duality gap above which a fit warns: ten thousand times what the solver asks for. Taken over
without a study; fits to Boston, sinc and the robot arm end near 1e-25."""

MATRIX_COPIES = 4
"""n x n matrices at the peak: correlations, factor and inverse of the quadratic zone, and their product.
Counted, not chosen."""


class ConstantFitWarning(UserWarning):
    """The fit is no better than a constant: no start found a dependence that explains held-out rows."""


def warn_of_gap(gap: float) -> None:
    """Say so if the solver could not close the duality gap."""
    if gap > LARGEST_GAP:
        warnings.warn(
            f"The solution may lie above the optimum by {gap:.1e} of the objective (the duality gap). "
            "C is too large, or the loss too sharp, for double precision: fix C or epsilon to a number.",
            ConvergenceWarning,
            stacklevel=4,
        )


def warn_of_constants(machines: list[OutputMachine]) -> None:
    """Say so if the best model that was found does not depend on the inputs."""
    for position, machine in enumerate(machines):
        if machine.is_constant:
            which = f"output {position}" if len(machines) > 1 else "y"
            warnings.warn(
                f"The fit is no better than a constant, {machine.units.target_offset:.4g}: no start, from "
                f"short scales to long, found a dependence of {which} on X that the evidence prefers and "
                f"that explains held-out rows (log evidence {machine.log_evidence:.1f}, noise of standard "
                f"deviation {machine.noise_variance**0.5:.3g}). More rows, other inputs or n_restarts may "
                "find one.",
                ConstantFitWarning,
                stacklevel=4,
            )


def warn_of_landmarks(n_rows: int, n_landmarks: int) -> None:
    """Say that landmarks stand for the rows."""
    warnings.warn(
        f"{n_rows} rows are many for a kernel matrix of all: the hyperparameters were learnt from a sample, "
        f"and {n_landmarks} landmarks stand for all rows (n_landmarks_). basis={n_landmarks} says that you "
        "know; basis=None fits all rows exactly, however long it takes.",
        LandmarksWarning,
        stacklevel=4,
    )


def check_size(n_rows: int) -> None:
    """Refuse more rows than the kernel matrix allows."""
    most = min(MOST_ROWS, largest_square(MATRIX_COPIES))
    if n_rows > most:
        raise ValueError(
            f"BayesianSVR(basis=None) needs the {n_rows} x {n_rows} kernel matrix in memory; on this machine "
            f'it takes at most {most} rows. Leave basis="auto", or give a number of landmarks: basis=1000.'
        )
