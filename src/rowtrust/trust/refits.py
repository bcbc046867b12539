"""What any learner makes of P(wrong): which rows it is fitted to, whether doubt helps, and its intervals.

Two guards stand between a judge and a learner. A row is doubted only where neither the judge nor the
learner explains it; and doubt is kept only if it predicts held-out rows better by more than the noise of the
comparison.

Figures in the lines of the constants: boosting and a forest on the tables of half A, up to 400 rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from rowtrust.contracts import Array, Indices
from rowtrust.numerics.magnitudes import ROUNDING
from rowtrust.numerics.statistics import class_probabilities, log_odds_of
from rowtrust.trust.labels import LabelJudge, LabelNoise, learn_label_judge
from rowtrust.trust.lists import is_flagged
from rowtrust.trust.matrix import log_likelihood, no_noise
from rowtrust.trust.numbers import NumberJudge, learn_number_judge
from rowtrust.trust.slopes import calibration_slope

NEGLIGIBLE = 0.02
"""Trust up to which a row is left out: rows of next to no weight change little, but trees count them in full
where they ask for so many in a leaf."""

LEAST_DOUBT = 0.5
"""P(wrong) of a label is at least half of the share of errors, and at most one minus that share: the judge
errs, too. Log loss of boosting with wrong labels is 0.50 with it and 0.55 without (0.62 as given), on the two
clean tables where errors are believed in 0.58 and 0.69 (0.61); errors 19.1 and 18.8 % (24.5 as given)."""

SURE = 2.0
"""Standard errors by which labels must become likelier. With one, errors that are none are believed in on one
clean table more; with 2.5 a fifth of what is gained on wrong labels is lost."""

RATHER_WRONG = 0.5
"""P(wrong) from which a number is left out: a tree that grows until every row has a leaf of its own follows
it, however little it counts. RMSE of a forest over the oracle's is 1.03 in the mean with it, 1.08 with 0.9
and 1.11 with 0.98, of boosting 1.01, 1.02 and 1.02."""

SUREST = 0.999
"""A learner's probabilities are moved inside of this before labels are judged by them: trees say 0 and 1 of
rows that they have hardly looked at. As all noise matrices have it, by reason alone."""

FENCE = 1.5
"""Interquartile ranges beyond the quartiles, at which targets are cut in the first fits of a learner that is
its own judge (Tukey's fences). As they are, 10 % gross errors make boosting explain nothing on half of the
tables, so that none is found."""


@dataclass(frozen=True)
class RowsToFit:
    """Rows that a learner is fitted to.

    Attributes
    ----------
    place, target, weight : (m,)
        Which row, with what target, and how much it counts. A row may stand there twice.
    """

    place: Indices
    target: NDArray[Any]
    weight: Array

    def among(self, rows: Indices) -> RowsToFit:
        """Return what stands for some rows."""
        return self.only(np.isin(self.place, rows))

    def only(self, kept: NDArray[np.bool_]) -> RowsToFit:
        """Return some of them."""
        return RowsToFit(self.place[kept], self.target[kept], self.weight[kept])


def as_given(target: NDArray[Any], weight: Array) -> RowsToFit:
    """Return all rows with what is written there."""
    return RowsToFit(np.arange(len(target)), target, weight)


def without_flagged(target: NDArray[Any], p_wrong: Array, weight: Array, is_classes: bool) -> RowsToFit:
    """Return the rows that are no likely errors; of a class of which none would be left, all."""
    kept = ~is_flagged(p_wrong)
    if is_classes:
        kept |= ~np.isin(target, target[kept])
    return as_given(target, weight).only(kept)


def within_fences(target: Array) -> Array:
    """Return targets, those far outside cut to where most others end."""
    low, high = np.quantile(target, [0.25, 0.75])
    reach = FENCE * (high - low)
    return np.clip(target, low - reach, high + reach)


def is_better(gain: Array, weight: Array, errors: float = 1.0) -> bool:
    """Whether rows gain more than so many standard errors of what they gain."""
    total = float(weight @ gain)
    return total > errors * float(np.sqrt(weight @ (gain - total / weight.sum()) ** 2))


@dataclass(frozen=True)
class NumberDoubt:
    """Targets as far as they are believed.

    Attributes
    ----------
    target, weight, p_wrong : (n,)
        As given, how many rows each stands for, and its probability to be wrong.
    mean, deviation : (n,)
        What the judge's other rows say of it.
    """

    target: Array
    weight: Array
    p_wrong: Array
    mean: Array
    deviation: Array

    def rows(self, copies: bool) -> RowsToFit:
        """Return the rows to fit: each counts by the trust in it, none that is rather wrong."""
        trust = np.where(self.p_wrong < RATHER_WRONG, 1.0 - self.p_wrong, 0.0)
        return as_given(self.target, self.weight * trust)

    def guard(self, mean: Array) -> NumberJudge:
        """Return what judges rows by the learner's own predictions, made without them and with doubt.

        The noise is learnt from the rows as far as they are trusted. How many errors there are the judge
        says: a learner that errors have spoilt takes them for noise.
        """
        trust = self.weight * np.maximum(1.0 - self.p_wrong, ROUNDING)
        own = learn_number_judge(self.target, mean, np.ones(len(mean)), trust)
        share = float(np.clip(np.average(self.p_wrong, weights=self.weight), ROUNDING, 0.5))
        return own if own.reason else replace(own, log_odds=float(logit(share)), believed=1.0)

    def guarded(self, guard: NumberJudge, mean: Array) -> NumberDoubt:
        """Return the doubt that the learner's own predictions share."""
        own = guard.verdict(self.target, mean, np.ones(len(mean))).wrong
        return self if guard.reason else replace(self, p_wrong=np.minimum(self.p_wrong, own))

    def helps(self, before: Array, after: Array) -> bool:
        """Whether held-out errors fall by doubt, from predictions without it and with it."""
        return is_better(np.abs(self.target - before) - np.abs(self.target - after), self.weight)


@dataclass(frozen=True)
class LabelDoubt:
    """Labels as far as they are believed.

    Attributes
    ----------
    target, weight, p_wrong : (n,)
        Numbers of the labels as given, how many rows each stands for, and its probability to be wrong.
    probability : (n, n_classes)
        Of the true labels, by the inputs alone.
    noise : (n_classes, n_classes)
        By which the labels were judged.
    """

    target: Indices
    weight: Array
    p_wrong: Array
    probability: Array
    noise: Array

    @property
    def likely(self) -> Indices:
        """The label that each row likely has if its own is wrong."""
        joint = self.probability * self.noise[:, self.target].T
        joint[np.arange(len(joint)), self.target] = -1.0
        return np.asarray(joint.argmax(axis=1))

    def rows(self, copies: bool) -> RowsToFit:
        """Return the rows to fit: each counts by the trust in it, and once more with its likely label.

        Without copies no row stands there twice.
        """
        share = float(np.average(self.p_wrong, weights=self.weight))
        doubt = np.clip(self.p_wrong, LEAST_DOUBT * share, 1.0 - share)
        trust = np.where(doubt < 1.0 - NEGLIGIBLE, 1.0 - doubt, 0.0)
        once, again = as_given(self.target, self.weight * trust), np.flatnonzero(doubt * copies)
        return RowsToFit(
            np.append(once.place, again),
            np.append(once.target, self.likely[again]),
            np.append(once.weight, (self.weight * doubt)[again]),
        )

    def guard(self, probability: Array) -> LabelJudge:
        """Return what judges rows by the learner's own probabilities, with the noise that the judge found."""
        return learn_label_judge(inside(probability), self.target, self.weight, LabelNoise.known(self.noise))

    def guarded(self, guard: LabelJudge, probability: Array) -> LabelDoubt:
        """Return the doubt that the learner's own predictions share."""
        own = guard.verdict(inside(probability), self.target).wrong
        return self if guard.reason else replace(self, p_wrong=np.minimum(self.p_wrong, own))

    def helps(self, before: Array, after: Array) -> bool:
        """Whether held-out labels are likelier by doubt than without it, with the noise or none."""
        scores = self.scores(after, self.noise)
        plain = [self.scores(before, matrix) for matrix in (self.noise, no_noise(len(self.noise)))]
        return all(is_better(scores - each, self.weight, SURE) for each in plain)

    def scores(self, probability: Array, matrix: Array) -> Array:
        """Return the log likelihood of every given label behind a noise, by calibrated probabilities."""
        log_odds = inside(probability)
        slope = calibration_slope(log_odds, self.target, matrix, self.weight)
        return log_likelihood(class_probabilities(slope * log_odds), self.target, matrix)


def inside(probability: Array) -> Array:
    """Return log-odds of a learner's probabilities, none of them too sure."""
    return log_odds_of((1.0 - SUREST) / probability.shape[1] + SUREST * probability)


# intervals ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HeldOutResiduals:
    """Held-out residuals, in units of a scale that depends on the level, as intervals need them.

    Attributes
    ----------
    value, weight, copy : (n,)
        Sorted, how far each is believed, and one copy of it.
    one
        How far a new row is believed: as one copy of these is, in the mean.
    centre, spread, growth
        The scale at the level m is ``exp(growth * clip((m - centre) / spread, -3, 3))``.
    """

    value: Array
    weight: Array
    copy: Array
    one: float
    centre: float
    spread: float
    growth: float

    @classmethod
    def of(
        cls, target: Array, mean: Array, copies: Array, trust: Array, judge: NumberJudge
    ) -> HeldOutResiduals:
        """Return the residuals of predictions that have not seen the rows, and of who knows their noise."""
        weight = copies * trust
        one = float(weight @ trust / weight.sum())
        found = cls(np.empty(0), weight, trust, one, judge.centre, judge.spread, judge.growth)
        value = (target - mean) / found.scale(mean)
        order = np.argsort(value, kind="stable")
        copy = np.minimum(weight, trust)
        return replace(found, value=value[order], weight=weight[order], copy=copy[order])

    def scale(self, mean: Array) -> Array:
        """Return the scale of the residuals at some predictions."""
        return np.asarray(np.exp(self.growth * np.clip((mean - self.centre) / self.spread, -3.0, 3.0)))

    def interval(self, mean: Array, coverage: float) -> tuple[Array, Array]:
        """Return between what a new target lies with so much probability, as much below as above.

        The new row counts as one of these beyond either end (Tibshirani et al. 2019).
        """
        below = np.cumsum(self.weight)
        total = below[-1] + self.one
        tail, least = 0.5 * (1.0 - coverage) * total, ROUNDING * total
        first = below - self.weight + self.copy
        low = max(int(np.searchsorted(first, tail + least, side="right")) - 1, 0)
        high = min(int(np.searchsorted(below, total - tail - least)), len(below) - 1)
        return mean + self.scale(mean) * self.value[low], mean + self.scale(mean) * self.value[high]
