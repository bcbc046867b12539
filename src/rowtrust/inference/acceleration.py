"""Where the next pass makes its sites: guesses that save passes, with the bound as the safeguard.

Bounds such as Jaakkola and Jordan's hold wherever their sites are made, and so do noise and trust priors: a
solver may go on from any point. Sites touch the rows' terms of the bound but bend more than these do, so
that from pass to pass the coefficients creep. Newton's method knows the true curvature. Noise and trust
priors are few numbers, whose last two steps tell where they lead (Aitken). A guess from which a pass ends
below what was reached already is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from rowtrust.contracts import Array, Indices, Statistics
from rowtrust.inference.posterior import solve_posterior
from rowtrust.inference.records import State

LARGEST_CHANGE = 1.0
"""Parameters of likelihood and weights move by no more than this beyond a step, on their logarithmic scale: a
guard against two steps of nearly the same length."""

MOST_SECANTS = 12
"""Steps that quasi-Newton guesses remember. Not studied."""


@dataclass(frozen=True)
class Secants:
    """How the rows' slope changed with the coefficients of several outputs, step by step.

    Attributes
    ----------
    columns
        Those of the model.
    mean, slope : (k, n_outputs)
        Where the last pass made its sites, and the slope of the rows' terms of the bound there.
    pairs
        Changes of both, the last step last.
    """

    columns: Indices = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    mean: Array = field(default_factory=lambda: np.empty(0))
    slope: Array = field(default_factory=lambda: np.empty(0))
    pairs: tuple[tuple[Array, Array], ...] = ()


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


def next_secants(before: Secants, state: State, led: State, kept: Indices, statistics: Statistics) -> Secants:
    """Return the memory of slopes with what a pass has found; entered columns make it forget."""
    mean = np.zeros_like(statistics.vector)
    mean[: len(state.columns)] = state.posterior.mean
    slope = (statistics.vector - statistics.gram @ mean)[kept]
    mean = mean[kept]
    pairs: tuple[tuple[Array, Array], ...] = ()
    if np.isin(led.columns, before.columns).all():
        order = np.argsort(before.columns)
        at = order[np.searchsorted(before.columns, led.columns, sorter=order)]
        last = (mean - before.mean[at], before.slope[at] - slope)
        pairs = (*((change[at], bent[at]) for change, bent in before.pairs), last)[-MOST_SECANTS:]
    return Secants(led.columns, mean, slope, pairs)


def with_secant_mean(led: State, secants: Secants) -> State:
    """Return ``led`` with the mean of a quasi-Newton step of the bound (L-BFGS).

    Outputs that share a covariance have sites that bend too much, by how much differs between them; the
    change of slopes in earlier steps tells it without a matrix of all outputs.
    """
    precision, root = led.precision[:, None], led.posterior.root
    step = secants.slope - precision * secants.mean
    known = [(s, bent) for s, y in secants.pairs if np.vdot(s, bent := y + precision * s) > 0.0]
    shares = []
    for change, bent in reversed(known):
        share = float(np.vdot(change, step) / np.vdot(change, bent))
        step = step - share * bent
        shares.append(share)
    step = root @ (root.T @ step)
    for (change, bent), share in zip(known, reversed(shares), strict=True):
        step = step + (share - float(np.vdot(bent, step) / np.vdot(change, bent))) * change
    return replace(led, posterior=replace(led.posterior, mean=secants.mean + step))
