"""Kernel parameters and the solver take turns (Tipping 2001, appendix C).

With the sites, the columns and their prior precisions held, the log evidence is a smooth function of the
kernel's parameters with an analytic gradient, and a few quasi-Newton steps raise it; then the solver fits
again at the new parameters. What the parameters are is the caller's business: this module knows the
evidence and its derivative by the design matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from rowtrust.contracts import Array
from rowtrust.inference.passes import row_moments
from rowtrust.inference.posterior import Posterior, site_log_evidence, solve_posterior
from rowtrust.inference.records import Problem, State
from rowtrust.search.widths import HOPELESS

ROUNDS = 30
"""Turns at most."""

STEPS = 8
"""Quasi-Newton steps a turn: the sites are only right near where they were made."""

ENOUGH = 0.5
"""Nats of the bound below which a turn is the last, twice in a row."""

FIRST_TURNS = 4
"""Turns that every start gets before only the highest goes on."""

LARGEST_CHANGE = 2.0
"""Each logarithm moves by no more than this in a turn."""


@dataclass(frozen=True)
class HeldSites:
    """One output's weighted sites, its centres (unscaled) and their prior precisions, bias first."""

    site_precision: Array
    site_shift: Array
    centres: Array
    prior_precision: Array


def hold_sites(problem: Problem, state: State, centres: Array) -> HeldSites:
    """Make the sites at a state, and keep them."""
    blocks = list(row_moments(problem, state, state.columns))
    return HeldSites(
        np.concatenate([block.precision for block in blocks]),
        np.concatenate([block.shift for block in blocks]),
        centres[state.columns[1:] - 1],
        state.precision,
    )


def design_log_evidence(phi: Array, held: HeldSites) -> tuple[float, Array]:
    """Return the log evidence of held sites and its derivative by the design matrix, bias first.

    The derivative is ``(kappa - R Phi mu) mu' - R Phi Sigma``, of the shape of ``phi``.
    """
    posterior = held_posterior(phi, held)
    value = site_log_evidence(0.0, phi.T @ held.site_shift, held.prior_precision, posterior)
    weighted = held.site_precision[:, None] * phi
    residual = held.site_shift - weighted @ posterior.mean
    return value, np.outer(residual, posterior.mean) - weighted @ posterior.covariance


def held_posterior(phi: Array, held: HeldSites) -> Posterior:
    """Return the posterior of the coefficients, bias first, that the held sites have with a design."""
    gram = phi.T @ (held.site_precision[:, None] * phi)
    return solve_posterior(gram, phi.T @ held.site_shift, held.prior_precision)


@dataclass(frozen=True)
class Trial:
    """A fit at some parameters: its bound, its score as a width has one, and its outputs' sites."""

    bound: float
    score: float
    outputs: Sequence[HeldSites]


Turn = Callable[[Array], Trial]
"""Fits at given parameters."""

Evidence = Callable[[Array, HeldSites], tuple[float, Array]]
"""The log evidence of one output's held sites at given parameters, and its gradient."""


@dataclass(frozen=True)
class Climb:
    """How parameters are learnt: fits and evidence at given values, and where these may lie."""

    turn: Turn
    evidence: Evidence
    lower: Array
    upper: Array

    def improve(self, at: Array, outputs: Sequence[HeldSites]) -> Array:
        """Take a few quasi-Newton steps uphill, with all outputs' sites held."""

        def descend(trial: Array) -> tuple[float, Array]:
            parts = [self.evidence(trial, held) for held in outputs]
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
        Parameters of the next turn.
    best, bound
        The highest bound met, and its parameters.
    idle
        Turns in a row that gained less than ``ENOUGH``.
    """

    at: Array
    best: Array
    bound: float = -np.inf
    idle: int = 0

    @property
    def over(self) -> bool:
        """Whether nothing more is to be gained."""
        return self.idle >= 2

    def after(self, trial: Trial, climb: Climb) -> Ascent:
        """Return where the climb stands after a fit at ``at``."""
        idle = 0 if trial.bound > self.bound + ENOUGH else self.idle + 1
        at = self.at if idle >= 2 else climb.improve(self.at, trial.outputs)
        if trial.bound > self.bound:
            return Ascent(at, self.at, trial.bound, idle)
        return Ascent(at, self.best, self.bound, idle)


def take_turns(climb: Climb, ascent: Ascent, rounds: int = ROUNDS) -> Ascent:
    """Let the solver and the parameters take at most so many turns; stop when little is gained."""
    for _ in range(rounds):
        if ascent.over:
            break
        ascent = ascent.after(climb.turn(ascent.at), climb)
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
        starts.append(Start(at, climb.turn(at)))
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
    """Return the parameters with the highest bound met; after a few turns only the best start goes on."""
    distinct = {id(start): start for start in starts}.values()
    ascents = [Ascent(start.at, start.at).after(start.trial, climb) for start in distinct]
    if len(ascents) > 1:
        ascents = [take_turns(climb, each, FIRST_TURNS) for each in ascents]
    return take_turns(climb, max(ascents, key=lambda ascent: ascent.bound)).best
