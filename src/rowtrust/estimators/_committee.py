"""Fits at several widths, and the one sparse model that is their average."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from rowtrust.inference.passes import expected_weights
from rowtrust.search.widths import width_score


@dataclass(frozen=True)
class Fit:
    """One width: its problems, one per output, and their solutions."""

    gamma: float
    design: Any
    centre_rows: np.ndarray
    problems: list
    solutions: list
    share: float = 1.0

    def replace(self, **changes):
        """Return a copy with some fields changed."""
        return replace(self, **changes)

    @property
    def states(self):
        """Where the solver ended, output by output."""
        return [solution.state for solution in self.solutions]

    @cached_property
    def score(self):
        """The evidence for this width, summed over outputs."""
        n_columns = self.design.n_columns - 1
        return sum(width_score(state.bound, n_columns, len(state.columns) - 1) for state in self.states)

    @property
    def kept_share(self):
        """The share of columns kept, on average over outputs."""
        return float(np.mean([len(state.columns) - 1 for state in self.states])) / (self.design.n_columns - 1)

    @property
    def bound(self):
        """The lower bound, summed over outputs."""
        return sum(state.bound for state in self.states)

    def trust(self):
        """Return the expected weight of each row, the smallest over outputs."""
        pairs = zip(self.problems, self.states, strict=True)
        return np.min([expected_weights(*pair) for pair in pairs], axis=0)

    def traces(self):
        """Return the bounds of the steps, one array per output."""
        return [np.array([info.bound for info in solution.trace]) for solution in self.solutions]


@dataclass(frozen=True)
class Member:
    """The columns of one width that any output keeps; the bias comes first in means and covariances.

    Of shapes (n_outputs, 1 + k), (n_outputs, 1 + k, 1 + k) and (n_outputs, k).
    """

    mean: np.ndarray
    covariance: np.ndarray
    precision: np.ndarray
    relevance: np.ndarray
    vectors: Any


def member(fit):
    """Return the union of the outputs' columns, with zeros where an output has none."""
    columns = np.unique(np.concatenate([state.columns for state in fit.states]))
    shape = (len(fit.states), len(columns))
    mean, precision = np.zeros(shape), np.full(shape, np.inf)
    covariance = np.zeros((*shape, len(columns)))
    for output, state in enumerate(fit.states):
        where = np.searchsorted(columns, state.columns)
        mean[output, where] = state.posterior.mean
        precision[output, where] = state.precision
        covariance[output][np.ix_(where, where)] = state.posterior.covariance
    inside = columns[1:] - 1
    vectors = fit.design.basis.centres[inside]
    return Member(mean, covariance, precision[:, 1:], fit.centre_rows[inside], vectors)


def average(fits, members, disagreement):
    """Return intercepts, coefficients and covariance of the average of the members' latent functions.

    The mean is linear in the columns. As a mixture of posteriors its covariance is the members' own and, if
    ``disagreement``, their spread around the mean, so that widths that disagree make the average less sure.
    The average of log-odds is a logarithmic pool of opinions instead: one member that is twice as sure of
    the same class is no reason for doubt, and spread has no place in it.
    """
    ends = np.cumsum([1] + [part.precision.shape[1] for part in members])
    n_outputs = len(members[0].mean)
    placed = np.zeros((len(members), n_outputs, ends[-1]))
    covariance = np.zeros((n_outputs, ends[-1], ends[-1]))
    for number, (fit, part) in enumerate(zip(fits, members, strict=True)):
        where = np.r_[0, ends[number] : ends[number + 1]]
        placed[number][:, where] = part.mean
        covariance[:, where[:, None], where] += fit.share * part.covariance
    shares = np.array([fit.share for fit in fits])
    mean = np.tensordot(shares, placed, axes=1)
    if disagreement and len(members) > 1:
        spread = placed - mean
        covariance += np.einsum("g,goi,goj->oij", shares, spread, spread)
    return mean[:, 0], mean[:, 1:], covariance


def stack(vectors):
    """Return the members' relevance vectors below each other."""
    if sparse.issparse(vectors[0]):
        return sparse.vstack(vectors, format="csr")
    return np.concatenate(vectors)
