"""Which targets are wrong? Two explanations of a left-out residual: the noise of all rows, or anything.

The noise has a shape: a split Student t, with a scale of its own on either side, tails as heavy as the rows
say, and a scale that may grow with the level of the prediction. An error could be anything, or lies in a
group apart from the noise (``errors``). Rows are doubted only as far as errors explain the residuals better
than the noise does alone: heavy tails, skewed noise and noise that grows accuse nobody.

Figures in the lines of the constants: ``RobustRVR`` on a smooth function of three inputs, 400 rows, seven
shapes of noise and zeros in 30 % of the rows, seven draws each, clean and with 5 and 10 % gross errors
(``python -m benchmarks judge`` runs the same).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import digamma, expit, gammaln, logit

from rowtrust.contracts import Array, Indices
from rowtrust.numerics.magnitudes import LARGE, ROUNDING
from rowtrust.numerics.statistics import mean_and_deviation, median_and_deviation, weighted_median
from rowtrust.trust.errors import GROUP_BOUNDS, GROUP_PRIOR, PLACES, SIDES, STRAYS, Errors

PLACE = 4.0
"""Nats that errors must gain over the noise alone to be half believed: their price. Clean rows of any shape
gain 1 in the mean and 4 at most, rows with 5 % gross errors 40."""

NOISE_PRIOR = [[0.0, 3.0], [0.0, 0.5], [np.log(6.0), 1.5], [0.0, 0.5], [0.0, 0.5]]
"""Mean and deviation of what is learnt of the noise: logarithm of the scale, its growth with the level,
logarithms of the degrees of freedom above two and of the skewness, and the place where the noise is split.
All are weak beside a hundred rows."""

NOISE = len(NOISE_PRIOR)
"""How many these are."""

PRIOR = np.vstack([NOISE_PRIOR, [[logit(0.05), 1.0]], GROUP_PRIOR])
"""The same with the log-odds of the share of errors, and place and breadth of a group of them."""

BOUNDS = [(-6.0, 4.0), (-1.5, 1.5), (-3.0, 5.0), (-1.5, 1.5), (-2.0, 2.0), (-8.0, 0.0), *GROUP_BOUNDS]
"""Where they may lie: at most half of the rows are errors. Guards."""

COMMON = np.array([-0.3, 0.0, 3.0, 0.0, 0.0, -2.2])
"""A start from light tails and a tenth of errors."""

ENOUGH_ROWS, MOST_ROWS = 2000, 20_000
"""Rows beyond which more say no more about a shape that is never quite right, and beyond which the fit takes
as many of the sorted residuals. Limits on sureness and on time."""

SAME_LEVEL = 1e-3
"""Predictions that differ by less than this share of the residuals' scale have one level. A guard against a
growth that is learnt from rounding."""

GAP = np.log(2.0)
"""A group of errors lies apart if its middle is at least twice as dense as the thinnest place before it, in
logarithms. Groups of errors of 4 to 8 deviations have 0.7 to 4.5, what heavy and skewed noise looks like 0.0
to 0.6 (one of 200 draws 1.2); lower, lognormal noise of 100 rows is taken for errors."""

BETWEEN = np.linspace(0.0, 1.0, 100)
"""Places before the middle of a group, as shares of its distance: steps of a search."""

FEWEST_ROWS = 12
"""Rows below which nothing can be said of the shape of the noise. As for the folds of a fit."""

ATOM, MORE_COMMON = 0.1, 5.0
"""A value that so large a share of the targets have, so many times as many as any other, is an atom: it is no
gross error, and says nothing of the noise of the others. Without it 5 % of the rows are named where 30 % are
zeros. Counts are not: their values are about as common as the next. Nor is a number that lies further from
the other targets than ``FAR``: -999 stands for a missing value."""

FAR = 6.0
"""Median deviations of the other targets within which an atom lies."""

NO_BETTER, CUT = 0.98, 3.0
"""A model is no better than the median if its mean error is not below this share of the median's, errors cut
at so many median deviations; nor than the mean if the same holds of deviations, of targets within so many.
Then no row can be judged by it. The second, as errors shift what a model says, and as the median grade is
hard to beat: half of the tables of grades whose model explains a quarter of the variance fail the first."""

NOTHING_EXPLAINED = "the model explains nothing: its errors are as large as the median's. Add inputs or rows."
"""Why it cannot."""


@dataclass(frozen=True)
class Residuals:
    """Left-out residuals, and what their scale may grow with.

    Attributes
    ----------
    value, weight : (n,)
        The residuals, in units of their own scale, and how much each counts.
    level, unsure : (n,)
        Level of the prediction, standardised; logarithm of its deviation, relative to the median.
    """

    value: Array
    weight: Array
    level: Array
    unsure: Array

    def only(self, kept: Indices) -> Residuals:
        """Return some of the residuals."""
        return Residuals(**{name: values[kept] for name, values in vars(self).items()})

    def log_noise(self, at: Array) -> tuple[Array, Array]:
        """Return the log density of every residual if its row is right, and its gradient, shape (5, n)."""
        log_scale, growth, log_freedom, skewness, location = at
        freedom, log_scale = 2.0 + np.exp(log_freedom), log_scale + growth * self.level + self.unsure
        off = self.value - location
        side = np.where(off < 0.0, 1.0, -1.0)
        slope = off * np.exp(-2.0 * (log_scale + side * skewness)) / freedom
        square = off * slope
        half, tail = 0.5 * (freedom + 1.0), np.log1p(square)
        constant = gammaln(half) - gammaln(0.5 * freedom) - 0.5 * np.log(freedom * np.pi)
        density = constant - half * tail - log_scale - np.log(np.cosh(skewness))
        pull = 2.0 * half * square / (1.0 + square)
        by_freedom = digamma(half) - digamma(0.5 * freedom) - tail + (pull - 1.0) / freedom
        gradient = [
            pull - 1.0,
            self.level * (pull - 1.0),
            0.5 * (freedom - 2.0) * by_freedom,
            side * pull - np.tanh(skewness),
            2.0 * half * slope / (1.0 + square),
        ]
        return np.asarray(density), np.array(gradient)

    def loss(self, at: Array, side: float = 0.0) -> tuple[float, Array]:
        """Return minus the log posterior of a noise, alone or with errors or a group of them; its slope."""
        mean, deviation = PRIOR[: len(at)].T
        density, gradient = self.log_noise(at[:NOISE])
        if len(at) > NOISE:
            share = at[NOISE]
            log_error, by_group = errors_at(at, side).log_density(self.value, self.unsure)
            right, wrong = np.log(expit(-share)) + density, np.log(expit(share)) + log_error
            density = np.logaddexp(right, wrong)
            doubt = np.exp(wrong - density)
            of_errors = np.vstack([doubt - expit(share), doubt * by_group])
            gradient = np.vstack([(1.0 - doubt) * gradient, of_errors])[: len(at)]
        off = (at - mean) / deviation
        return float(0.5 * off @ off - self.weight @ density), off / deviation - gradient @ self.weight

    def best(self, *starts: Array, side: float = 0.0) -> tuple[Array, float]:
        """Return the likeliest parameters from some starts, and their loss."""
        size = len(starts[0])
        exactly = {"method": "L-BFGS-B", "bounds": BOUNDS[:size], "options": {"ftol": 1e-15, "gtol": 1e-9}}
        found = [minimize(self.loss, start, (side,), jac=True, **exactly) for start in starts]
        best = min(found, key=lambda each: float(each.fun))
        return np.asarray(best.x), float(best.fun)

    def explained(self) -> tuple[Array, Array, Errors, float]:
        """Return the noise alone, and with errors, where these lie, and what they gain beyond their price."""
        alone, loss = self.best(PRIOR[:NOISE, 0])
        found = [(*self.best(np.r_[alone, -3.0], COMMON), 0.0)]
        for side in SIDES:
            starts = [np.r_[COMMON, place, GROUP_PRIOR[1, 0]] for place in PLACES]
            mixed, less = self.best(*starts, side=side)
            if gap_before(mixed, side) > GAP:
                found.append((mixed, less, side))
        mixed, less, side = min(found, key=lambda each: each[1])
        return alone, mixed, errors_at(mixed, side), loss - less - PLACE


def errors_at(at: Array, side: float) -> Errors:
    """Return where errors lie by what was learnt."""
    place = at[NOISE + 1 :]
    return Errors(float(place[0]), float(place[1]), side, 1.0 - STRAYS) if len(place) else Errors()


def gap_before(at: Array, side: float) -> float:
    """Return by how much the middle of a group is denser than the thinnest place before it, in logarithms."""
    errors, depths = errors_at(at, side), list[float]()
    for sign in (1.0, -1.0) if side == 0.0 else (side,):
        value, level = sign * np.exp(errors.place) * BETWEEN, np.zeros(len(BETWEEN))
        noise = np.log(expit(-at[NOISE])) + Residuals(value, level, level, level).log_noise(at[:NOISE])[0]
        density = np.logaddexp(noise, np.log(expit(at[NOISE])) + errors.log_density(value, level)[0])
        depths.append(float(density[-1] - density.min()))
    return float(np.mean(depths))


@dataclass(frozen=True)
class NumberVerdict:
    """What the other rows say of targets.

    Attributes
    ----------
    wrong : (n,)
        Probability that the target as given is wrong.
    surprise : (n,)
        Log-odds of an error against the noise, which rank rows even where none is doubted.
    reason
        Why no row can be judged, and what to do; empty if rows can be.
    """

    wrong: Array
    surprise: Array
    reason: str = ""


@dataclass(frozen=True)
class NumberJudge:
    """The noise of a table of numbers, and how far errors are believed in: what judges rows, these or others.

    Attributes
    ----------
    reason
        Why no row can be judged; empty if rows can be.
    unit
        Scale of the residuals, in which the others are.
    centre, spread, usual
        Median and deviation of the predictions, and median of the logarithm of their deviations.
    atom
        The value that is no error wherever it is met; None: there is none.
    log_scale, growth, log_freedom, skewness, location
        Of the noise.
    log_odds, believed
        Log-odds of the share of errors, and the probability that there are any.
    place, breadth, side, gathered
        Of the errors.
    """

    reason: str = ""
    unit: float = 1.0
    centre: float = 0.0
    spread: float = 1.0
    usual: float = 0.0
    atom: float | None = None
    log_scale: float = 0.0
    growth: float = 0.0
    log_freedom: float = 0.0
    skewness: float = 0.0
    location: float = 0.0
    log_odds: float = 0.0
    believed: float = 0.0
    place: float = 0.0
    breadth: float = 0.0
    side: float = 0.0
    gathered: float = 0.0

    def residuals(self, target: Array, mean: Array, deviation: Array, weight: Array) -> Residuals:
        """Return left-out residuals in units of their own scale."""
        value = np.clip((target - mean) / self.unit, -LARGE, LARGE)
        level = np.clip((mean - self.centre) / self.spread, -3.0, 3.0)
        unsure = log_deviation(deviation) - self.usual
        return Residuals(value, weight, level, unsure)

    def verdict(self, target: Array, mean: Array, deviation: Array) -> NumberVerdict:
        """Judge targets by what models that have not seen them say: mean and deviation of each."""
        if self.reason:
            return NumberVerdict(np.zeros(len(target)), np.abs(target - mean), self.reason)
        rows = self.residuals(target, mean, deviation, np.ones(len(target)))
        at = np.array([self.log_scale, self.growth, self.log_freedom, self.skewness, self.location])
        errors = Errors(self.place, self.breadth, self.side, self.gathered)
        log_error = errors.log_density(rows.value, rows.unsure)[0]
        surprise = np.where(target == self.atom, -np.inf, log_error - rows.log_noise(at)[0])
        return NumberVerdict(self.believed * expit(self.log_odds + surprise), surprise)


def learn_number_judge(
    target: Array, mean: Array, deviation: Array, weight: Array | None = None
) -> NumberJudge:
    """Learn from left-out predictions how targets of a table are to be judged.

    Only differences between the deviations count: how large the noise is the residuals say. ``weight`` tells
    how many rows each stands for.
    """
    weight = np.ones(len(target)) if weight is None else weight
    value, which = np.unique(target, return_inverse=True)
    count = np.asarray(np.bincount(which, weight), dtype=float)
    if reason := why_not(target, mean, weight, count):
        return NumberJudge(reason)
    atom = atom_of(target, weight, value, count)
    free = np.flatnonzero(target != atom)
    judge, _, gain = with_errors(target[free], mean[free], deviation[free], weight[free])
    return replace(judge, atom=atom, believed=float(expit(gain)))


def learn_number_noise(
    target: Array, mean: Array, deviation: Array, weight: Array | None = None
) -> NumberJudge | None:
    """Learn how right targets scatter around left-out predictions; None where there are too few to say.

    Errors are left out of it where there surely are any, far ones or nearer ones. Rounded targets stand for
    all that is rounded to them, or the noise would be that of the most common residual.
    """
    weight = np.ones(len(target)) if weight is None else weight
    if weight.sum() < FEWEST_ROWS or not np.any(target != mean):
        return None
    half = np.repeat([-1.0, 1.0], len(target)) * rounding(target)
    target, mean, deviation, weight = (np.tile(each, 2) for each in (target, mean, deviation, 0.5 * weight))
    target = target + half
    judge, alone, gain = with_errors(target, mean, deviation, weight)
    return replace(judge, believed=float(expit(gain))) if gain > 0.0 else replace(judge, **alone)


def with_errors(
    target: Array, mean: Array, deviation: Array, weight: Array
) -> tuple[NumberJudge, dict[str, Any], float]:
    """Return what explains residuals with errors; without; and what errors gain."""
    judge, rows = measured(target, mean, deviation, weight)
    alone, mixed, errors, gain = rows.explained()
    return replace(judge, **named(mixed), **vars(errors)), named(alone), gain


def measured(target: Array, mean: Array, deviation: Array, weight: Array) -> tuple[NumberJudge, Residuals]:
    """Return a judge that knows units and levels only, and the residuals from which to learn more."""
    residual = target - mean
    centre, spread = weighted_median(mean, weight), mean_and_deviation(mean, weight)[1]
    usual = weighted_median(log_deviation(deviation), weight)
    unit = median_and_deviation(residual, weight)[1] or float(np.abs(residual).max()) or 1.0
    spread = spread if spread > SAME_LEVEL * unit else unit
    judge = NumberJudge("", unit, centre, spread, usual)
    weight = weight * min(1.0, ENOUGH_ROWS / float(weight.sum()))
    return judge, thinned(judge.residuals(target, mean, deviation, weight))


def rounding(target: Array) -> float:
    """Return the deviation of what is rounded away: the noise is even over the smallest step."""
    steps = np.diff(np.unique(target))
    return float(steps.min()) / np.sqrt(12.0) if len(steps) else 0.0


def named(at: Array) -> dict[str, Any]:
    """Return what was learnt by the names of a judge's fields."""
    names = ("log_scale", "growth", "log_freedom", "skewness", "location", "log_odds")
    return dict(zip(names, map(float, at), strict=False))


def judge_numbers(target: Array, mean: Array, deviation: Array, weight: Array | None = None) -> NumberVerdict:
    """Judge targets by what models that have not seen them say, the noise learnt from the same rows."""
    return learn_number_judge(target, mean, deviation, weight).verdict(target, mean, deviation)


def log_deviation(deviation: Array) -> Array:
    """Return logarithms of deviations; those that are hardly more than zero beside the largest are cut."""
    return np.asarray(np.log(np.maximum(deviation, ROUNDING * float(np.max(deviation)) or 1.0)))


def atom_of(target: Array, weight: Array, value: Array, count: Array) -> float | None:
    """Return the value that is an atom; None where there is none."""
    most = int(count.argmax())
    rest = target != value[most]
    median = weighted_median(target[rest], weight[rest])
    spread = weighted_median(np.abs(target[rest] - median), weight[rest])
    is_common = count[most] > max(ATOM * float(count.sum()), MORE_COMMON * float(np.sort(count)[-2]))
    return float(value[most]) if is_common and abs(value[most] - median) <= FAR * spread else None


def thinned(rows: Residuals) -> Residuals:
    """Return every so manyth of the sorted residuals where there are many, each of which counts for more."""
    step = -(-len(rows.value) // MOST_ROWS)
    few = rows.only(np.argsort(rows.value, kind="stable")[step // 2 :: step])
    return replace(few, weight=step * few.weight)


def why_not(target: Array, mean: Array, weight: Array, count: Array) -> str:
    """Say why targets cannot be judged; nothing if they can."""
    total = float(count.sum())
    if total < FEWEST_ROWS:
        return f"{total:.0f} rows are too few, {FEWEST_ROWS} are needed."
    if len(count) < 3:
        return "the target has two values at most. Take it for a class: use a classifier."
    if count.max() > 0.5 * total:
        return (
            f"{count.max() / total:.0%} of the targets are the same number. Judge whether a target is "
            "that number with a classifier, and the other rows by themselves."
        )
    return "" if explains(target, mean, weight) else NOTHING_EXPLAINED


def explains(target: Array, mean: Array, weight: Array) -> bool:
    """Whether errors are smaller than those of the median, or of the mean among targets that are not far."""
    off = np.abs(target - weighted_median(target, weight))
    cut = CUT * weighted_median(off[off > 0.0], weight[off > 0.0])
    near = weight * (off <= cut)
    is_nearer = weight @ np.minimum(np.abs(target - mean), cut) < NO_BETTER * (weight @ np.minimum(off, cut))
    return bool(
        is_nearer or spread_of(target - mean, near, cut) < NO_BETTER * spread_of(target, near, np.inf)
    )


def spread_of(value: Array, weight: Array, cut: float) -> float:
    """Return the deviation of values around their mean, none counting as more than a cut."""
    off = np.minimum(np.abs(value - np.average(value, weights=weight)), cut)
    return float(np.sqrt(weight @ off**2))
