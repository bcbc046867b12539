"""Fits with several kernels as one sparse model: the average of their latent functions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rowtrust.contracts import Array, Indices
from rowtrust.fitting.decide import LeftOutNumbers
from rowtrust.fitting.fits import KernelFit
from rowtrust.fitting.plan import Training
from rowtrust.kernels import WITH_A_WIDTH, Basis, JointBasis, Kernel, joined
from rowtrust.likelihoods import Likelihood
from rowtrust.predictive import PredictiveModel
from rowtrust.weights import Unit, Weights


@dataclass(frozen=True)
class Member:
    """The columns of one kernel that any output keeps; the bias comes first in means and covariances.

    Of shapes (n_outputs, 1 + k), (n_outputs, 1 + k, 1 + k) and (n_outputs, 1 + k); outputs that share a
    covariance have one.
    """

    mean: Array
    covariance: Array
    precision: Array
    columns: Indices


def member(fit: KernelFit) -> Member:
    """Return the union of the outputs' columns, with zeros where an output has none."""
    columns = np.unique(np.concatenate([state.columns for state in fit.states]))
    shape = (fit.latent.shape[1], len(columns))
    mean, precision = np.zeros(shape), np.full(shape, np.inf)
    covariance = np.zeros((len(fit.states), len(columns), len(columns)))
    for output, solution in enumerate(fit.solutions):
        own = slice(None) if len(fit.states) < len(mean) else output  # outputs that share a covariance
        where = np.searchsorted(columns, solution.state.columns)
        mean[own, where] = solution.posterior.mean.T
        precision[own, where] = solution.state.precision
        covariance[output][np.ix_(where, where)] = solution.posterior.covariance
    return Member(mean, covariance, precision, columns[1:] - 1)


def averaged_moments(members: list[Member], shares: Array) -> tuple[Array, Array, Array]:
    """Return coefficients and covariance, bias first, of the average of the members' latent functions.

    The mean is linear in the columns, the covariance the average of the members' own. The last array is how
    far each member lies from the average, times the root of its share, shape (members, n_outputs, 1 + k).
    """
    ends = np.cumsum([1] + [len(part.columns) for part in members])
    n_outputs = len(members[0].mean)
    placed = np.zeros((len(members), n_outputs, ends[-1]))
    covariance = np.zeros((len(members[0].covariance), ends[-1], ends[-1]))
    for number, part in enumerate(members):
        where = np.r_[0, ends[number] : ends[number + 1]]
        placed[number][:, where] = part.mean
        covariance[:, where[:, None], where] += shares[number] * part.covariance
    mean = np.tensordot(shares, placed, axes=1)
    return mean, covariance, np.sqrt(shares)[:, None, None] * (placed - mean)


@dataclass(frozen=True)
class Average:
    """One model of several fits, and what is known of it.

    Attributes
    ----------
    model
        The average, ready to predict.
    best
        The fit with the most evidence.
    positions : (k,)
        Position of each centre's row in what the user gave.
    precision : (n_outputs, k)
        Prior precisions of the coefficients, infinite where an output has none.
    bias_precision : (n_outputs,)
        Prior precisions of the intercepts, averaged over kernels.
    shares
        The kernels, and how much each counts.
    bound, traces
        Bound of the best fit, summed over outputs, and those of its steps, one array per output.
    trust, latent
        Trust in every training row, and the latent means at them, shape (n, n_outputs).
    count
        What all rows weigh.
    likelihoods
        Of the targets of each output as they were given, where the model's own is of something else.
    held
        What fits outside of folds say of the targets; None where none was made of all rows.
    """

    model: PredictiveModel
    best: KernelFit
    positions: Indices
    precision: Array
    bias_precision: Array
    shares: list[tuple[Kernel, float]]
    bound: float
    traces: list[Array]
    trust: Array
    latent: Array
    count: float
    likelihoods: tuple[Likelihood, ...] | None = None
    held: LeftOutNumbers | None = None


def average(plan: Training, fits: list[KernelFit]) -> Average:
    """Return all kernels' columns side by side, weighted by their shares.

    As a mixture of posteriors the average has the spread of its members as a part of its variance, if
    the plan says so: kernels that disagree make it less sure. The average of log-odds is a logarithmic pool
    of opinions instead: one member that is twice as sure of the same class is no reason for doubt, and spread
    has no place in it.
    """
    fits = by_family(fits)
    members = [member(fit) for fit in fits]
    shares = np.array([fit.share for fit in fits])
    coefficients, covariance, spread = averaged_moments(members, shares)
    best = max(fits, key=lambda fit: fit.score)
    states = [fit.states[0] for fit in fits]
    model = PredictiveModel(
        basis=joint_basis(plan, fits, members),
        coefficients=coefficients,
        covariance=covariance,
        spread=spread if plan.disagreement and len(members) > 1 else None,
        likelihood=averaged_part([state.likelihood for state in states], shares),
        weights=weights_of_new_rows(averaged_part([state.weights for state in states], shares)),
    )
    return Average(
        model=model,
        best=best,
        positions=np.concatenate([plan.centres.positions[part.columns] for part in members]),
        precision=np.column_stack([part.precision[:, 1:] for part in members]),
        bias_precision=np.tensordot(shares, [part.precision[:, 0] for part in members], axes=1),
        shares=[(fit.kernel, fit.share) for fit in fits],
        bound=best.lower_bound,
        traces=best.traces,
        trust=np.tensordot(shares, [fit.trust for fit in fits], axes=1),
        latent=np.tensordot(shares, [fit.latent for fit in fits], axes=1),
        count=float(plan.rows.weight @ best.known),
    )


def averaged_part(parts: list[Any], shares: Array) -> Any:
    """Return one likelihood or weighting for all kernels: the average of what each of them learnt."""
    return parts[0].average(parts, shares) if parts[0].learns else parts[0]


def weights_of_new_rows(weights: Weights) -> Weights:
    """Return the weighting without what it knows of the training rows alone."""
    return weights if weights.membership is None else Unit()


def by_family(fits: list[KernelFit]) -> list[KernelFit]:
    """Return fits of the same family beside each other, otherwise in their order."""
    first = [[other.kernel.family == fit.kernel.family for other in fits].index(True) for fit in fits]
    return [fits[place] for place in np.argsort(first, kind="stable")]


def joint_basis(plan: Training, fits: list[KernelFit], members: list[Member]) -> Basis | JointBasis:
    """Return the basis functions of all members, one part a family: its centres come in several widths."""
    parts, first = [], 0
    while first < len(fits):
        kernel, end = fits[first].kernel, first + 1
        while end < len(fits) and fits[end].kernel.family == kernel.family:
            end += 1
        columns = [part.columns for part in members[first:end]]
        if kernel.function in WITH_A_WIDTH:
            widths = [fit.gamma for fit in fits[first:end]]
            kernel = replace(kernel, gamma=np.repeat(widths, [len(each) for each in columns]))
        parts.append(Basis(kernel, plan.centres.rows[np.concatenate(columns)]))
        first = end
    return joined(parts)
