"""Where the next pass makes its sites: guesses that save passes, with the bound as the safeguard.

Bounds such as Jaakkola and Jordan's hold wherever their sites are made, and so do noise and trust priors: a
solver may go on from any point. Sites touch the rows' terms of the bound but bend more than these do, so
that from pass to pass the coefficients creep. Newton's method knows the true curvature. Noise and trust
priors are few numbers, whose last two steps tell where they lead (Aitken). A guess from which a pass ends
below what was reached already is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rowtrust.contracts import Array, Indices, Statistics
from rowtrust.inference.posterior import solve_posterior
from rowtrust.inference.records import State

LARGEST_CHANGE = 1.0
"""Parameters of likelihood and weights move by no more than this beyond a step, on their logarithmic scale: a
guard against two steps of nearly the same length."""


@dataclass(frozen=True)
class Hyper:
    """Parameters of likelihood and weights, on scales without limits: where a step began, where it led."""

    begun: Array
    led: Array


def hyper_step(begun: State, led: State) -> Hyper:
    """Return what a step did to the parameters of likelihood and weights."""
    return Hyper(*(np.concatenate([s.likelihood.coordinates, s.weights.coordinates]) for s in (begun, led)))


def with_newton_mean(state: State, led: State, kept: Indices, statistics: Statistics) -> State:
    """Return ``led`` with the mean of a Newton step of the bound, from ``state``, in the latent function.

    Parameters
    ----------
    state, led
        Where a pass made its sites, and where its statistics lead; columns may have entered or left.
    kept, statistics
        What the pass found of the columns of ``state`` and of those that might enter, and which of these
        are in ``led``.
    """
    if statistics.curvature is None:
        return led
    before = np.zeros(len(statistics.vector))
    before[: len(state.columns)] = state.posterior.mean
    start = before[kept]
    gone = before.copy()
    gone[kept] = 0.0
    slope = statistics.vector - statistics.gram @ before + statistics.curvature @ gone
    curvature = statistics.curvature.take(kept, axis=0).take(kept, axis=1)
    step = solve_posterior(curvature, slope[kept] - led.precision * start, led.precision)
    return replace(led, posterior=replace(led.posterior, mean=start + step.mean))


def with_extrapolated_parts(led: State, before: Hyper, last: Hyper) -> State:
    """Return ``led`` with likelihood and weights where their last two steps lead (Aitken's rule)."""
    first, second = before.led - before.begun, last.led - last.begun
    difference = second - first
    length = float(difference @ difference)
    if not length > 0.0:
        return led
    share = float(difference @ second) / length
    change = np.clip(share * (last.led - before.led), -LARGEST_CHANGE, LARGEST_CHANGE)
    at, size = last.led - change, len(led.likelihood.coordinates)
    return replace(
        led,
        likelihood=led.likelihood.moved_to(at[:size]),
        weights=led.weights.moved_to(at[size:]),
    )
