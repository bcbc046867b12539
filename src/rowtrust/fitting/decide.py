"""The decision: pure functions of what candidates say, by their evidence or of rows that they have not seen.

*Evidence.* The bare evidence of a sparse fit takes too narrow a kernel on noisy data: a narrow kernel has
more columns that differ, and choosing the best k of n columns is a choice the evidence has not paid for.
Half the logarithm of the number of choices is the term that serves best. No single width wins everywhere
even then, so kernels are averaged with weights tempered from that score. The constants of it were chosen
together: about 25 rules (penalty, temperature, space of averaging) compared by test error on 20 splits each
of Ripley, Banana, Liver, Ionosphere and Cancer with 0, 5 and 10 % flipped labels.

*Left-out rows.* Where the noise is learnt with the model, the evidence of a narrow kernel may have taken
signal for less noise: left-out targets tell better. The average that says most of them is the one that is
used: of latent functions, their disagreement a part of the variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax, xlogy

from rowtrust.contracts import Array

TEMPERATURE = 20.0
"""Nats of the score by which a width may fall behind before it counts e times less. Over five data sets with
0 and 10 % flips 10 to 40 differ by 0.2 points of error in the mean. 10 and 40 move the error of Friedman #1
by -1 and 2 % for RVR and by 1 and -1 % for RobustRVR, that of sinc with outliers by 7 and 50 % (5 seeds).
Narrower widths are not tried once the score has fallen twice as many nats below the best as long as the
widest is the best; so many once a peak was passed, as scores mostly fall further then. With so many alone the
path ends in a dip before the peak on yacht's data, at twice the error; with twice as many alone a fit takes a
sixth longer, at errors and log losses that are the same within their noise (half A of the tables, three
splits of up to 1000 rows). Of all rows, where a sample has told the kernels apart, those four times as far
behind are not fitted."""

SMALLEST_SHARE = 0.02
"""A width that counts less than this is left out: it would add columns and change hardly a prediction. None
to 0.04 give the same errors on Ripley's data and moons, within 0.4 % on Friedman #1; on sinc with outliers
half of it and none cost 7 % (5 seeds)."""

INTERPOLATING = 0.5
"""Nor once a width behind the best keeps more than this share of its columns: narrower ones interpolate. It
halves the time on Friedman #1 at the same error (RVR, 5 seeds; a third for RobustRVR). 0.25 takes a third of
the time again, for an error 1 % lower; 0.75 up to half as long again. On Ripley's data, moons and sinc it
does not act."""

EVENNESS = 2.0
"""Nats that equal shares are worth, in units of their entropy: of kernels that say the same none is left out
for a rounding. 0 and 2 give errors of 0.314 and log scores of -0.395 alike on the numbers of half A (one
split, 400 rows, three families)."""

CAUTION = 2.0
"""Standard errors by which a fit without doubt must be better on left-out rows for doubt to be given up,
where it was asked for. With a tenth of outliers and 250 rows of a synthetic table it was given up in 8 of 16
fits by the mean alone, in 4 with one standard error, in one with two. On clean tables of half A, 12 splits
each, two change the mean log score from -0.32 to -0.25 (auto_imports), -0.27 to -0.25 (boston), -0.34 to
-0.31 (mpg), -0.50 to -0.32 (taxis) and 1.70 to 1.69 (yacht), and boston's root mean square error from 0.37
to 0.40; with outliers in these tables nothing changes."""

WORST = 3.0
"""Largest error that counts where two ways of fitting are compared, in deviations of the targets: of a larger
one only that it is large, as it may be an outlier's. Of RobustRVR with and without doubt the latter is then
taken on clean tables where it errs less on test rows, but for one split of yacht's data in six, and the
former with a tenth of outliers (half A of the tables, three to six splits, at one kernel)."""

WORTH_A_STEP = 0.1
"""Share that the narrowest kernel of a family must have for a narrower one to be tried."""

UNEXPLAINED = 0.5
"""Share of the targets' variance that left-out rows must see explained for a step to need a reason."""

LESS_ERROR = 0.95
"""By which factor the mean square error on left-out rows must fall for a step to be taken: the density that
is maximised forgives odd kernels that disagree. Without it the error of RVR on taxis' data rises from 0.6 to
1.1 deviations."""


def log_choices(n_columns: int, n_kept: int) -> float:
    """Return ``k (1 + ln(n / k))``: about the logarithm of the ways to keep k of n columns.

    The number of ways itself falls again beyond half of the columns, and would charge nothing for
    keeping all of them.
    """
    return n_kept * (1.0 + float(np.log(n_columns / n_kept))) if n_kept else 0.0


def width_score(bound: float, n_columns: int, n_kept: int) -> float:
    """Return the bound less half the logarithm of the choices that were made."""
    return bound - 0.5 * log_choices(n_columns, n_kept)


def is_narrow_enough(scores: Sequence[float], kept_share: float) -> bool:
    """Whether widths narrower than the last of these, widest first, are not worth a fit.

    ``kept_share`` is the share of its columns that the last one keeps.
    """
    last, best = scores[-1], max(scores)
    limit = 2.0 * TEMPERATURE if best == scores[0] else TEMPERATURE
    return last < best - limit or (last < best and kept_share > INTERPOLATING)


def tempered_shares(scores: Sequence[float]) -> Array:
    """Return how much each width counts: a softmax at ``TEMPERATURE``, without negligible ones."""
    return without_negligible(np.asarray(softmax(np.asarray(scores) / TEMPERATURE)))


def without_negligible(shares: Array) -> Array:
    """Return shares without those that are negligible."""
    shares = np.where(shares < SMALLEST_SHARE, 0.0, shares)
    return np.asarray(shares / shares.sum())


@dataclass(frozen=True)
class LeftOutNumbers:
    """What candidates say of targets that they have not seen: the table that decides about numbers.

    Attributes
    ----------
    target, copies : (n,)
        The targets, and how many copies of itself each row stands for.
    mean, variance : (n, m)
        Of the targets by each of the m candidates.
    freedom
        Degrees of freedom of the noise, Student's t; infinite for a Gaussian.
    count : (n,)
        How many copies each row stands for, whatever it is believed.
    """

    target: Array
    copies: Array
    mean: Array
    variance: Array
    freedom: float
    count: Array

    def average(self, shares: Array) -> LeftOutNumbers:
        """Return what an average says of the targets, as one candidate."""
        mean = self.mean @ shares
        variance = (self.variance + self.mean**2) @ shares - mean**2
        return replace(self, mean=mean[:, None], variance=variance[:, None])


@dataclass(frozen=True)
class Stack:
    """How much each candidate counts, by left-out rows.

    Attributes
    ----------
    shares : (m,)
        How much each counts.
    squares, copies : (n,)
        Squares of the average's errors, large ones cut, and what their rows count.
    alone : (m,)
        Mean square of each candidate's errors alone.
    averaged
        What the average says of the rows.
    """

    shares: Array
    squares: Array
    copies: Array
    alone: Array
    averaged: LeftOutNumbers

    @property
    def error(self) -> float:
        """Mean square of the average's errors."""
        return float(np.average(self.squares, weights=self.copies))


def stacked(table: LeftOutNumbers) -> Stack:
    """Return the average that says most of the left-out rows."""
    shares = stacked_shares(table)
    alone = [np.average(squares(table, each), weights=table.copies) for each in np.eye(len(shares))]
    return Stack(shares, squares(table, shares), table.copies, np.array(alone), table.average(shares))


def squares(table: LeftOutNumbers, shares: Array) -> Array:
    """Return the squares of an average's errors, each error at most ``WORST``."""
    return np.minimum(np.abs(table.target - table.mean @ shares), WORST) ** 2


def is_surely_less(squares: Array, others: Array, weight: Array) -> bool:
    """Whether squares of errors are less than others of the same rows, by more than chance explains."""
    gain = others - squares
    mean = float(np.average(gain, weights=weight))
    variance = float(np.average((gain - mean) ** 2, weights=weight))
    return bool(mean > CAUTION * np.sqrt(variance / float(weight.sum())))


def worth_a_step(stack: Stack, families: Sequence[object], idle: list[int]) -> list[int]:
    """Return candidates of which a narrower one is worth a trial, those that count most first.

    They count, and the errors of the family fell towards them, or nothing has been explained yet. Those where
    a step did not help are ``idle``.
    """
    worthy = []
    for place in map(int, np.argsort(-stack.shares, kind="stable")):
        own = [other for other, kind in enumerate(families) if kind == families[place]]
        falls = stack.alone[place] <= stack.alone[own].min() or stack.error > UNEXPLAINED
        if stack.shares[place] > WORTH_A_STEP and place not in idle and falls:
            worthy.append(place)
    return worthy


def most_worthy(shares: Array, most: int) -> Array:
    """Return the shares of the few candidates that count most."""
    kept = np.where(shares >= np.sort(shares)[-min(most, len(shares))], shares, 0.0)
    return np.asarray(kept / kept.sum())


def stacked_shares(table: LeftOutNumbers) -> Array:
    """Return how much each candidate counts in the average that says most of the left-out rows."""

    def loss(logits: Array) -> tuple[float, Array]:
        shares = softmax(logits)
        value, gradient = log_density(table, shares)
        value -= EVENNESS * float(xlogy(shares, shares).sum())
        gradient = gradient - EVENNESS * (np.log(np.maximum(shares, np.finfo(float).tiny)) + 1.0)
        return -value, -shares * (gradient - shares @ gradient)

    found = minimize(loss, np.zeros(table.mean.shape[1]), jac=True, method="L-BFGS-B")
    return without_negligible(softmax(found.x))


def log_density(table: LeftOutNumbers, shares: Array) -> tuple[float, Array]:
    """Return the log density of the targets under an average, and its gradient in the shares."""
    mean = table.mean @ shares
    variance = (table.variance + table.mean**2) @ shares - mean**2
    off = table.target - mean
    if np.isinf(table.freedom):
        pull, widen = off / variance, 0.5 * (off**2 / variance - 1.0) / variance
        density = -0.5 * (np.log(variance) + off**2 / variance)
    else:
        tail = table.freedom * variance + off**2
        pull = (table.freedom + 1.0) * off / tail
        widen = 0.5 * ((table.freedom + 1.0) * off**2 / tail - 1.0) / variance
        density = -0.5 * (
            np.log(variance) + (table.freedom + 1.0) * np.log1p(off**2 / (table.freedom * variance))
        )
    by_variance = table.variance + table.mean**2 - 2.0 * mean[:, None] * table.mean
    gradient = (table.copies * pull) @ table.mean + (table.copies * widen) @ by_variance
    return float(table.copies @ density), np.asarray(gradient)
