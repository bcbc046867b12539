"""Kernel parameters and the solver alternate (Tipping 2001, appendix C).

With the sites, the columns and their prior precisions frozen, the log evidence is a smooth function of the
kernel's parameters with an analytic gradient, and a few quasi-Newton steps raise it; then the solver fits
again at the new parameters. What the parameters are is the caller's business: this module knows the
evidence and its derivative by the design matrix.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from rowtrust.contracts import Array
from rowtrust.inference import Problem, State
from rowtrust.inference.passes import row_outputs
from rowtrust.inference.posterior import Posterior, site_log_evidence, solve_posterior
from rowtrust.kernels import Kernel
from rowtrust.search.fits import FitPlan, KernelFit, fit_kernel
from rowtrust.search.scores import HOPELESS
from rowtrust.search.starts import fits_along

ROUNDS = 30
"""Rounds at most: a guard, as ``ENOUGH`` ended ten climbs on Friedman #1 and moons with useless inputs after
2 to 11 rounds."""

STEPS = 8
"""Quasi-Newton steps a round: the sites are only right near where they were made. Half as many move the bound
by 0.4 nats in the mean, twice as many by +2.5 on Friedman #1 and -2.8 on moons (RVR and RVC, useless inputs,
120 rows, 2 seeds each; the same below), with errors 2 % lower and half as large again. Taken over without a
finer study."""

ENOUGH, IDLE_ROUNDS = 0.5, 2
"""Nats of the bound below which a round is the last, if it is so often in a row. Bounds of refits scatter by
tenths of a nat, as they end in other local maxima. Half of the first gains 0.1 nats at most; twice of it, or
one round instead of two, loses 1 to 5 in the mean, and makes half as many errors again on moons."""

FIRST_ROUNDS = 4
"""Rounds that every start gets before only the highest goes on; set on Friedman #1 and moons with useless
inputs, seeds 0 to 4. Half or twice as many end the same."""

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
    precision, shift = row_outputs(problem, state, lambda rows: np.stack([rows.precision, rows.shift]))
    return FrozenSites(precision, shift, centres[state.columns[1:] - 1], state.precision)


def design_log_evidence(phi: Array, frozen: FrozenSites) -> tuple[float, Array]:
    """Return the log evidence of frozen sites and its derivative by the design matrix, bias first.

    The derivative is ``(kappa - R Phi mu) mu' - R Phi Sigma``, of the shape of ``phi``.
    """
    posterior = frozen_posterior(phi, frozen)
    value = site_log_evidence(0.0, phi.T @ frozen.site_shift, frozen.prior_precision, posterior)
    weighted = frozen.site_precision[:, None] * phi
    residual = frozen.site_shift - weighted @ posterior.mean
    return value, np.outer(residual, posterior.mean) - weighted @ posterior.covariance


def frozen_posterior(phi: Array, frozen: FrozenSites) -> Posterior:
    """Return the posterior of the coefficients, bias first, that the frozen sites have with a design."""
    gram = phi.T @ (frozen.site_precision[:, None] * phi)
    return solve_posterior(gram, phi.T @ frozen.site_shift, frozen.prior_precision)


@dataclass(frozen=True)
class Trial:
    """A fit at some parameters: its bound, its score as a width has one, and its outputs' sites."""

    bound: float
    score: float
    outputs: Sequence[FrozenSites]


FitAt = Callable[[Array], Trial]
"""Fits at given parameters."""

Evidence = Callable[[Array, FrozenSites], tuple[float, Array]]
"""The log evidence of one output's frozen sites at given parameters, and its gradient."""


@dataclass(frozen=True)
class Climb:
    """How parameters are learnt: fits and evidence at given values, and where these may lie."""

    fit_at: FitAt
    evidence: Evidence
    lower: Array
    upper: Array

    def improve(self, at: Array, outputs: Sequence[FrozenSites]) -> Array:
        """Take a few quasi-Newton steps uphill, with all outputs' sites frozen."""

        def descend(trial: Array) -> tuple[float, Array]:
            parts = [self.evidence(trial, frozen) for frozen in outputs]
            return -sum(part[0] for part in parts), -np.sum([part[1] for part in parts], axis=0)

        lower = np.maximum(at - LARGEST_CHANGE, self.lower)
        upper = np.minimum(at + LARGEST_CHANGE, self.upper)
        bounds = list(zip(lower, np.maximum(lower, upper), strict=True))
        found = minimize(descend, at, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": STEPS})
        return np.asarray(found.x)


@dataclass(frozen=True)
class Ascent:
    """Where a climb stands.

    Attributes
    ----------
    at
        Parameters of the next fit_at.
    best, bound
        The highest bound met, and its parameters.
    idle
        Rounds in a row that gained less than ``ENOUGH``.
    """

    at: Array
    best: Array
    bound: float = -np.inf
    idle: int = 0

    @property
    def over(self) -> bool:
        """Whether nothing more is to be gained."""
        return self.idle >= IDLE_ROUNDS

    def after(self, trial: Trial, climb: Climb) -> Ascent:
        """Return where the climb stands after a fit at ``at``."""
        idle = 0 if trial.bound > self.bound + ENOUGH else self.idle + 1
        at = self.at if idle >= IDLE_ROUNDS else climb.improve(self.at, trial.outputs)
        if trial.bound > self.bound:
            return Ascent(at, self.at, trial.bound, idle)
        return Ascent(at, self.best, self.bound, idle)


def alternate(climb: Climb, ascent: Ascent, rounds: int = ROUNDS) -> Ascent:
    """Let the solver and the parameters alternate for at most so many rounds; stop when little is gained."""
    for _ in range(rounds):
        if ascent.over:
            break
        ascent = ascent.after(climb.fit_at(ascent.at), climb)
    return ascent


@dataclass(frozen=True)
class Start:
    """Parameters to start from, and the fit there."""

    at: Array
    trial: Trial


def fit_along(climb: Climb, path: Sequence[Array]) -> list[Start]:
    """Fit along a path from wide to narrow, until the score is hopeless."""
    starts: list[Start] = []
    for at in path:
        starts.append(Start(at, climb.fit_at(at)))
        if starts[-1].trial.score < best_score(starts).trial.score - HOPELESS:
            break
    return starts


def best_score(starts: Sequence[Start]) -> Start:
    """Return the start with the highest score."""
    return max(starts, key=lambda start: start.trial.score)


def best_bound(starts: Sequence[Start]) -> Start:
    """Return the start with the highest bound."""
    return max(starts, key=lambda start: start.trial.bound)


def climb_from(climb: Climb, *starts: Start) -> Array:
    """Return the parameters with the highest bound met; after a few rounds only the best start goes on."""
    distinct = {id(start): start for start in starts}.values()
    ascents = [Ascent(start.at, start.at).after(start.trial, climb) for start in distinct]
    if len(ascents) > 1:
        ascents = [alternate(climb, each, FIRST_ROUNDS) for each in ascents]
    return alternate(climb, max(ascents, key=lambda ascent: ascent.bound)).best


def learn_kernel(
    plan: FitPlan, kernel_at: Callable[[Array], Kernel], learn: Callable[[FitAt], Array]
) -> list[KernelFit]:
    """Return the fit at the parameters that were learnt."""

    def fit_at(parameters: Array) -> Trial:
        return trial(fit_kernel(plan, kernel_at(parameters)))

    with warnings.catch_warnings():
        # Fits on the way need not converge; the last one warns if it has not.
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = learn(fit_at)
    return list(fits_along(plan, [kernel_at(found)]))


def trial(fit: KernelFit) -> Trial:
    """Return what the learning needs to know of a fit."""
    pairs, centres = zip(fit.problems, fit.states, strict=True), fit.engine.basis.centres
    return Trial(fit.bound, fit.score, [freeze_sites(*pair, centres) for pair in pairs])
