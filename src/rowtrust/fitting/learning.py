"""The hyperparameters of a scikit-learn kernel object, learnt by the evidence (Tipping 2001, appendix C).

With the sites, the columns and their prior precisions frozen, the log evidence is a smooth function of the
hyperparameters with an analytic gradient, and a few quasi-Newton steps raise it; then the solver fits again.
scikit-learn gives the gradient of ``kernel(X, X)`` only: that of the kernel between rows and centres is the
corner of it that belongs to a tile of rows beside a tile of centres.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import minimize

from rowtrust.contracts import Array
from rowtrust.fitting.budget import Budget
from rowtrust.fitting.fits import KernelFit, fit_kernel, fits_along
from rowtrust.fitting.plan import Training
from rowtrust.inference import Problem, State, row_outputs
from rowtrust.inference.posterior import site_log_evidence, solve_posterior
from rowtrust.kernels import Kernel
from rowtrust.numerics.blocks import row_blocks

FACTORS = (4.0, 2.0, 0.5, 0.25)
"""On the length scales that the user gave, where the climb may start too. Chosen with the starts of learnt
scales on Friedman #1 and moons; other factors were not studied."""

ENOUGH, IDLE_ROUNDS = 0.5, 2
"""Nats of the bound below which a round is the last, if it is so often in a row. Bounds of refits scatter by
tenths of a nat, as they end in other local maxima. Half of the first gains 0.1 nats at most; twice of it, or
one round instead of two, loses 1 to 5 in the mean, and makes half as many errors again on moons."""

LARGEST_CHANGE = 2.0
"""Each logarithm moves by no more than this in a round: further away the frozen sites say nothing. Half or
twice of it moves the mean bound by -0.1 and +1.6 nats on Friedman #1 and by -0.5 and -0.6 on moons, the
errors by up to 2 % and a fifth."""


@dataclass(frozen=True)
class FrozenSites:
    """One output's weighted sites, its centres (unscaled) and their prior precisions, bias first."""

    site_precision: Array
    site_shift: Array
    centres: Array
    prior_precision: Array


def freeze_sites(problem: Problem, state: State, centres: Array) -> FrozenSites:
    """Make the sites at a state, and keep them."""
    sites = row_outputs(problem, state, lambda rows: np.vstack([rows.precision, rows.shift.T]))
    shift = sites[1] if state.posterior.mean.ndim == 1 else sites[1:].T
    return FrozenSites(sites[0], shift, centres[state.columns[1:] - 1], state.precision)


def design_log_evidence(phi: Array, frozen: FrozenSites) -> tuple[float, Array]:
    """Return the log evidence of frozen sites and its derivative by the design matrix, bias first.

    The derivative is ``(kappa - R Phi mu) mu' - R Phi Sigma``, of the shape of ``phi``.
    """
    weighted, vector = frozen.site_precision[:, None] * phi, phi.T @ frozen.site_shift
    posterior = solve_posterior(phi.T @ weighted, vector, frozen.prior_precision)
    value = site_log_evidence(0.0, vector, frozen.prior_precision, posterior)
    residual, mean = frozen.site_shift - weighted @ posterior.mean, posterior.mean
    fit = np.outer(residual, mean) if mean.ndim == 1 else residual @ mean.T
    return value, fit - weighted @ posterior.covariance


@dataclass(frozen=True)
class Trial:
    """A fit at some parameters: its bound, its score as a width has one, and its outputs' sites."""

    bound: float
    score: float
    outputs: Sequence[FrozenSites]


FitAt = Callable[[Array], Trial]
"""Fits at given parameters."""


def improved(kernel: Any, X: Array, at: Array, outputs: Sequence[FrozenSites], steps: int) -> Array:
    """Take a few quasi-Newton steps uphill from a ``theta``, with all outputs' sites frozen."""

    def descend(theta: Array) -> tuple[float, Array]:
        parts = [kernel_log_evidence(theta, kernel, X, frozen) for frozen in outputs]
        return -sum(part[0] for part in parts), -np.sum([part[1] for part in parts], axis=0)

    lower, upper = np.transpose(kernel.bounds)
    lower, upper = np.maximum(at - LARGEST_CHANGE, lower), np.minimum(at + LARGEST_CHANGE, upper)
    bounds = list(zip(lower, np.maximum(lower, upper), strict=True))
    found = minimize(descend, at, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": steps})
    return np.asarray(found.x)


def climb_from(fit_at: FitAt, kernel: Any, X: Array, at: Array, budget: Budget) -> tuple[Array, float]:
    """Let the solver and the parameters alternate; return the highest bound met, and its parameters.

    It ends when little was gained several times in a row.
    """
    best, bound, idle = at, -np.inf, 0
    for _ in range(budget.rounds):
        trial = fit_at(at)
        idle = 0 if trial.bound > bound + ENOUGH else idle + 1
        if trial.bound > bound:
            best, bound = at, trial.bound
        if idle == IDLE_ROUNDS:
            break
        at = improved(kernel, X, at, trial.outputs, budget.round_steps)
    return best, bound


def kernel_log_evidence(theta: Array, kernel: Any, X: Array, frozen: FrozenSites) -> tuple[float, Array]:
    """Return the log evidence of frozen sites and its gradient in the kernel's ``theta``."""
    kernel = kernel.clone_with_theta(theta)
    gradient = np.zeros(len(theta))
    if not len(frozen.centres):
        return design_log_evidence(np.ones((len(X), 1)), frozen)[0], gradient
    phi = np.column_stack([np.ones(len(X)), kernel(X, frozen.centres)])
    value, by_design = design_log_evidence(phi, frozen)
    for rows, centres in tiles(len(X), len(frozen.centres)):
        by_theta = cross_gradient(kernel, X[rows], frozen.centres[centres])
        gradient += np.tensordot(by_design[:, 1:][rows, centres], by_theta, axes=2)
    return value, gradient


def tiles(n_rows: int, n_centres: int) -> Iterator[tuple[slice, slice]]:
    """Yield pairs of slices that cover rows x centres; the nearer to square, the less is wasted."""
    edge = min(max(n_centres, 100), 400)  # the gradient of a tile must fit into memory
    return product(row_blocks(n_rows, edge), row_blocks(n_centres, edge))


def cross_gradient(kernel: Any, X: Array, centres: Array) -> Array:
    """Return ``d kernel(X, centres) / d theta``, of shape ``(len(X), len(centres), len(theta))``."""
    together = np.concatenate([X, centres])
    try:
        gradient = np.asarray(kernel(together, eval_gradient=True)[1], dtype=float)
    except (TypeError, ValueError, AttributeError, NotImplementedError) as error:
        raise ValueError(no_gradient(kernel, f"{type(error).__name__}: {error}")) from error
    expected = (len(together), len(together), len(kernel.theta))
    if gradient.shape != expected or not np.isfinite(gradient).all():
        what = f"an array of shape {gradient.shape}, where a finite one of shape {expected} was expected"
        raise ValueError(no_gradient(kernel, what))
    return gradient[: len(X), len(X) :]


def no_gradient(kernel: Any, what: str) -> str:
    """Say that a kernel cannot be learnt, and what to do."""
    return (
        f"The hyperparameters of kernel={kernel!r} cannot be learnt, as eval_gradient=True gave {what}. "
        'Give them the bounds "fixed", or use the kernel as it is with gamma="scale".'
    )


def learn_theta(fit_at: FitAt, kernel: Any, X: Array, budget: Budget) -> Array:
    """Return the ``theta`` of the kernel with the highest bound that was met.

    Parameters
    ----------
    fit_at
        Fits the model at a given ``theta``.
    kernel
        A scikit-learn kernel with free hyperparameters, whose own bounds hold. It is not changed.
    X
        Training rows.
    budget
        How many rounds and steps it may take.
    """
    starts = [np.clip(theta, *np.transpose(kernel.bounds)) for theta in (kernel.theta, *other_starts(kernel))]
    best = max(starts, key=lambda each: fit_at(each).score)
    chosen = starts[:1] if best is starts[0] else [starts[0], best]
    climbs = [climb_from(fit_at, kernel, X, start, budget) for start in chosen]
    return max(climbs, key=lambda found: found[1])[0]


def other_starts(kernel: Any) -> list[Array]:
    """Return the kernel's ``theta`` with all length scales made longer or shorter, if there are any.

    A long length scale makes a nearly linear model, a local optimum that no gradient leaves.
    """
    free = [each for each in kernel.hyperparameters if not each.fixed]
    is_length = np.repeat([each.name.endswith("length_scale") for each in free], [e.n_elements for e in free])
    return [kernel.theta + np.log(each) * is_length for each in FACTORS] if is_length.any() else []


def reachable(kernel: Any) -> list[Kernel]:
    """Return the kernel with the hyperparameters given, others where a climb may start, and its bounds."""
    thetas = [kernel.theta, *other_starts(kernel), *np.transpose(kernel.bounds)]
    return [
        Kernel(kernel.clone_with_theta(np.clip(each, *np.transpose(kernel.bounds))), 1.0) for each in thetas
    ]


def learn_kernel(plan: Training, kernel: Any) -> list[KernelFit]:
    """Fit with a scikit-learn kernel object whose free hyperparameters are learnt."""
    quietly = replace(plan, warns=False)  # fits on the way need not converge; the last one warns

    def fit_at(theta: Array) -> Trial:
        fit = fit_kernel(quietly, Kernel(kernel.clone_with_theta(theta), 1.0))
        pairs, centres = zip(fit.problems, fit.states, strict=True), fit.engine.basis.centres
        return Trial(fit.bound, fit.score, [freeze_sites(*pair, centres) for pair in pairs])

    theta = learn_theta(fit_at, kernel, plan.rows.X, plan.budget)
    return list(fits_along(plan, [Kernel(kernel.clone_with_theta(theta), 1.0)]))
