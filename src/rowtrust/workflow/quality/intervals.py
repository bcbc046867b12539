"""Intervals of shares, means and medians that are never empty, for single rows and for rows in groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, binom, norm, t

from rowtrust.contracts import Array, Indices
from rowtrust.workflow.quality.records import LEVEL, Figure

RESAMPLES = 1000
"""Resamples of a bootstrap: a tail of 5 % is estimated from 50 of them. The usual number for BCa."""

MOST_UNITS = 2000
"""Units that are drawn in a resample. Of more, several are put together at random and drawn as one: sums
keep their variance, and the cost is bounded. Chosen for time; so many units give a variance to 3 %."""

MOST_SHIFT = 3.0
"""Deviations by which a bootstrap may correct its own bias; beyond, its resamples say too little. A guard."""

EMPTY = 1e-9
"""Width relative to the value below which an interval of a bootstrap is taken as none: rounding."""

EXACT = "exact (Clopper-Pearson)"
"""How intervals of shares are found where every row stands alone, in words."""

EXACT_GROUPS = "Clopper-Pearson for the effective number of rows (Korn-Graubard)"
"""How intervals of shares are found where rows come in groups, in words."""

BOOTSTRAP = "bootstrap (BCa)"
"""How intervals of means are found, in words."""

CAUTIOUS = "cautious: rows like none of these may be among those that were not judged"
"""How the interval of something that is the same in all rows is found, in words."""

Limits: TypeAlias = tuple[float, float]
"""Lower and upper end of an interval."""


def own_groups(groups: Indices | None) -> Indices | None:
    """Return groups as positions 0, 1, ...; None where every row is its own."""
    if groups is None:
        return None
    names, place = np.unique(groups, return_inverse=True)
    return None if len(names) == len(place) else place


def exact_limits(hits: float, n_rows: float, level: float = LEVEL) -> Limits:
    """Return Clopper and Pearson's interval of a share; counts need not be whole."""
    tail = 0.5 * (1.0 - level)
    lower = float(beta.ppf(tail, hits, n_rows - hits + 1.0)) if hits > 0 else 0.0
    upper = float(beta.ppf(1.0 - tail, hits + 1.0, n_rows - hits)) if hits < n_rows else 1.0
    return lower, upper


def share_limits(hit: NDArray[np.bool_], groups: Indices | None, level: float = LEVEL) -> Limits:
    """Return an interval of the share of hits: exact, or for the effective number of rows in groups."""
    n_rows = effective_rows(hit, groups)
    return exact_limits(float(hit.mean()) * n_rows, n_rows, level)


def effective_rows(hit: NDArray[np.bool_], groups: Indices | None) -> float:
    """Return how many rows that stand alone would say as much of a share (Korn and Graubard 1998).

    Where all rows agree, their groups count as one row each, as nothing shows how alike they are.
    """
    groups = own_groups(groups)
    if groups is None:
        return float(len(hit))
    n_rows, n_groups, share = len(hit), int(groups.max()) + 1, float(hit.mean())
    if n_groups == 1 or share in (0.0, 1.0):
        return float(n_groups)
    sums = np.bincount(groups, hit - share)
    variance = n_groups / (n_groups - 1.0) * float(sums @ sums) / n_rows**2
    tail = 0.5 + 0.5 * LEVEL
    wider = float(t.ppf(tail, n_rows - 1) / t.ppf(tail, n_groups - 1)) ** 2
    found = wider * share * (1.0 - share) / variance if variance > 0.0 else float(n_rows)
    return float(np.clip(found, 1.0, n_rows))


def median_limits(values: Array, groups: Indices | None) -> Limits:
    """Return the order statistics between which the median lies, by the binomial distribution.

    Rows in groups count as fewer. Where rows are too few for any two of them, the ends are 0 and infinity
    for the caller to bound: errors are meant, which are not negative.
    """
    ordered = np.sort(values)
    n_rows = effective_rows(values <= np.median(values), groups)
    below = int(binom.ppf(0.5 * (1.0 - LEVEL), int(n_rows), 0.5)) - 1
    if below < 0:
        return 0.0, float("inf")
    place = below * len(ordered) // int(n_rows)
    return float(ordered[place]), float(ordered[len(ordered) - 1 - place])


@dataclass(frozen=True)
class Resampling:
    """Resamples of rows, or of groups of rows, for functions of sums over rows.

    Attributes
    ----------
    place
        The unit of each row: itself, its group, or several of them drawn as one.
    counts : (resamples, units)
        How often each unit is drawn.
    n_alone
        Rows or groups that stand alone.
    """

    place: Indices
    counts: Array
    n_alone: int

    @classmethod
    def of(cls, n_rows: int, groups: Indices | None, seed: int) -> Resampling:
        """Return resamples of so many rows."""
        generator = np.random.default_rng(seed)
        groups = own_groups(groups)
        place = np.arange(n_rows) if groups is None else groups
        n_alone = n_units = int(place.max()) + 1
        if n_alone > MOST_UNITS:
            n_units = MOST_UNITS
            place = (generator.permutation(n_alone) % n_units)[place]
        draws = generator.integers(n_units, size=(RESAMPLES, n_units))
        draws += n_units * np.arange(RESAMPLES)[:, None]
        counts = np.bincount(draws.ravel(), minlength=RESAMPLES * n_units).reshape(RESAMPLES, n_units)
        return cls(place, counts.astype(float), n_alone)

    def interval(
        self, columns: Array, statistic: Callable[[Array], Array], extremes: Sequence[Array] = ()
    ) -> tuple[float, float, float, str]:
        """Return a statistic of all rows, its interval, and how that was found.

        Parameters
        ----------
        columns : (n, k)
            Values of the rows whose sums the statistic is of.
        statistic
            From sums, along the last axis, to values.
        extremes
            Columns of the best and the worst row that might have been. They are mixed in if all resamples
            give one value, as many as may be without one of them among the rows.
        """
        units = np.stack([np.bincount(self.place, each, self.counts.shape[1]) for each in columns.T], axis=1)
        total = units.sum(axis=0)
        value = float(statistic(total))
        drawn = statistic(self.counts @ units)
        drawn = drawn[np.isfinite(drawn)]
        if not len(drawn) or np.ptp(drawn) <= EMPTY * max(abs(value), np.finfo(float).tiny):
            unseen = 1.0 - (0.5 - 0.5 * LEVEL) ** (1.0 / self.n_alone)
            mixed = [(1.0 - unseen) * total + unseen * len(columns) * each for each in extremes]
            ends = [value, *(float(statistic(each)) for each in mixed)]
            return value, min(ends), max(ends), CAUTIOUS
        lower, upper = accelerated(drawn, value, statistic(total - units))
        return value, min(lower, value), max(upper, value), BOOTSTRAP

    def figure(self, name: str, meaning: str, *sums: Any) -> Figure:
        """Return a statistic with its interval as a figure; arguments as of ``interval``."""
        value, lower, upper, method = self.interval(*sums)
        return Figure(name, value, lower, upper, meaning, method)


def accelerated(drawn: Array, value: float, without: Array) -> Limits:
    """Return the BCa interval (Efron 1987), with Student's quantiles, as units are few.

    Parameters
    ----------
    drawn
        Values of the resamples.
    value
        That of all units.
    without
        Values without each unit in turn.
    """
    n_units = len(without)
    below = (drawn < value).mean() + 0.5 * (drawn == value).mean()
    bias = float(np.clip(norm.ppf(below), -MOST_SHIFT, MOST_SHIFT))
    pull = np.nanmean(without) - without
    pull = np.nan_to_num(pull[np.isfinite(pull)])
    spread = float((pull**2).sum())
    bend = float((pull**3).sum()) / (6.0 * spread**1.5) if spread > 0.0 else 0.0
    reach = float(t.ppf(0.5 + 0.5 * LEVEL, max(n_units - 1, 1))) * np.sqrt(n_units / max(n_units - 1.0, 1.0))
    shares = []
    for ahead in (bias - reach, bias + reach):
        slope = max(1.0 - bend * ahead, 0.1)
        shares.append(float(norm.cdf(bias + ahead / slope)))
    lower, upper = np.quantile(drawn, shares)
    return float(lower), float(upper)
