"""Whether probabilities and intervals can be taken at face value, in a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from rowtrust.contracts import Array, Indices
from rowtrust.workflow.quality.figures import interval_factor
from rowtrust.workflow.quality.intervals import effective_rows, exact_limits, own_groups, share_limits
from rowtrust.workflow.quality.records import LEVEL, Bin, Calibration
from rowtrust.workflow.quality.sentences import percent

MOST_BINS, ROWS_OF_A_BIN = 10, 25
"""Groups of rows of like probability, and how many rows each has at least: a share of so few is known to some
10 points. The ten are customary."""

DRAWS = 2000
"""Sets of labels that are drawn from the probabilities, to see what chance does: a level of 1 % is estimated
from 20 of them."""

SURE = 0.01
"""Probability that a model without fault is said to have one. A choice between false alarms and silence."""

SMALL = 0.02
"""Shares that are off by less are called nearly right, however sure that is: it changes no decision."""

FEW_ROWS = 100
"""Rows below which the sentence says that they are few: only gross faults show in them. A round number."""

INNER = 0.5
"""Probability of the narrower intervals whose coverage is looked at, beside those of ``LEVEL``."""


def calibration(
    prediction: Any,
    target: NDArray[Any],
    classes: NDArray[Any],
    estimator: Any,
    seed: int,
    groups: Indices | None = None,
) -> Calibration:
    """Return whether what was said of the rows came true as often as it should; arguments as of figures."""
    groups = own_groups(groups)
    if isinstance(prediction, tuple):
        mean, deviation = prediction
        return number_calibration(mean, deviation, target, estimator, groups)
    return class_calibration(prediction, np.searchsorted(classes, target), seed, groups)


def class_calibration(
    probability: Array, label: NDArray[np.intp], seed: int, groups: Indices | None = None
) -> Calibration:
    """Compare the probability of the predicted class with the share that is right.

    Two statistics are tested by labels drawn from the probabilities: the sum of all deviations, and the sum
    of their squares over bins. In groups of rows, deviations shrink by the variance that groups add.
    """
    said, hit = np.minimum(probability.max(axis=1), 1.0), probability.argmax(axis=1) == label
    place = bins_of(said)
    n_rows, expected, seen = (np.bincount(place, each) for each in (np.ones(len(said)), said, hit))
    shares = np.clip(expected / n_rows, 0.0, 1.0)
    extra = added_variance(hit - said, said * (1.0 - said), groups)
    generator = np.random.default_rng(seed)
    drawn: Array = generator.binomial(n_rows.astype(int), shares, size=(DRAWS, len(n_rows))).astype(float)
    spread = n_rows * shares * (1.0 - shares) + 1e-9  # where all is certain, one miss is far too many
    off: Array = (seen - expected) / extra**0.5
    p_value = chance_of(off, drawn - expected, spread)
    bins = tuple(
        Bin(
            float(shares[number]),
            float(hit[place == number].mean()),
            *share_limits(hit[place == number], None if groups is None else groups[place == number]),
            int(n_rows[number]),
        )
        for number in range(len(n_rows))
    )
    beyond = float((((seen - expected) ** 2 - spread) / n_rows).sum())
    verdict = class_verdict(bins, p_value, beyond)
    return Calibration(verdict, class_words(verdict, bins), p_value, len(label), bins)


def chance_of(off: Array, drawn: Array, spread: Array) -> float:
    """Return how often drawn deviations of the bins are as bad, by the worse of two statistics."""
    p_value = 1.0
    for scale, power in ((np.ones(len(off)), 1), (spread**0.5, 2)):
        seen, chance = (np.abs(((each / scale) ** power).sum(axis=-1)) for each in (off, drawn))
        as_bad = float((chance >= seen * (1.0 - 1e-12)).sum())
        p_value = min(p_value, 2.0 * (as_bad + 1.0) / (DRAWS + 1.0))
    return p_value


def bins_of(said: Array) -> NDArray[np.intp]:
    """Return the bin of each row; rows of the same probability share one."""
    n_bins = int(np.clip(len(said) // ROWS_OF_A_BIN, 1, MOST_BINS))
    edges = np.unique(np.quantile(said, np.linspace(0.0, 1.0, n_bins + 1))[1:-1])
    return np.unique(np.searchsorted(edges, said, side="left"), return_inverse=True)[1]


def added_variance(deviation: Array, variance: Array, groups: Indices | None) -> float:
    """Return by what groups multiply the variance of a sum of rows; at least one."""
    if groups is None or variance.sum() <= 0.0:
        return 1.0
    sums = np.bincount(groups, deviation)
    return max(1.0, float(sums @ sums) / float(variance.sum()))


def class_verdict(bins: tuple[Bin, ...], p_value: float, squares: float) -> str:
    """Return the verdict on probabilities; ``squares`` are rows times squared deviations, less chance's."""
    n_rows = sum(each.n_rows for each in bins)
    if p_value >= SURE:
        return "right" if n_rows >= FEW_ROWS else "too few rows"
    off = np.array([each.n_rows * (each.said - each.seen) for each in bins])
    if max(squares / n_rows, 0.0) ** 0.5 < SMALL and abs(off.sum()) / n_rows < SMALL:
        return "nearly right"
    lean = off.sum() / np.abs(off).sum()
    return "too sure" if lean > 0.5 else "too careful" if lean < -0.5 else "uneven"


def class_words(verdict: str, bins: tuple[Bin, ...]) -> str:
    """Return the verdict on probabilities for people."""
    n_rows = sum(each.n_rows for each in bins)
    said, seen = (
        sum(each.n_rows * getattr(each, part) for each in bins) / n_rows for part in ("said", "seen")
    )
    average = f"on average it says {percent(said)} and {percent(seen)} are right"
    weight = {each: each.n_rows * (each.said - each.seen) for each in bins}
    most, least = max(bins, key=lambda each: weight[each]), min(bins, key=lambda each: weight[each])
    if verdict == "right" and abs(said - seen) > SMALL:
        return f"No fault of the probabilities shows in {n_rows} rows, though {average}."
    faults = {
        "nearly right": f"nearly right, off by less than {SMALL * 100:.0f} points: {average}",
        "too sure": f"overconfident: {example(most)}",
        "too careful": f"underconfident: {example(least)}",
        "uneven": f"uneven: {example(most)}, and {example(least)}",
    }
    return verdict_words("Probabilities", verdict, n_rows, average, faults)


def verdict_words(what: str, verdict: str, n_rows: int, seen: str, faults: dict[str, str]) -> str:
    """Return a verdict for people: what was seen where there is no fault, else the fault."""
    if verdict == "right":
        return f"{what} can be taken at face value: {seen}."
    if verdict == "too few rows":
        return f"No fault of the {what.lower()} shows, but {n_rows} rows are too few to be sure: {seen}."
    return f"{what} are {faults[verdict]}."


def example(part: Bin) -> str:
    """Say what was said of some rows and what was seen."""
    return f"where it says {percent(part.said)}, {percent(part.seen)} of {part.n_rows} rows are right"


def number_calibration(
    mean: Array, deviation: Array, target: Array, estimator: Any, groups: Indices | None = None
) -> Calibration:
    """Compare the share of rows inside their intervals with what it should be, by an exact test."""
    size = np.abs(target - mean) / np.maximum(deviation, np.finfo(float).tiny)
    bins, p_values = [], []
    for level in (INNER, LEVEL):
        inside = size <= interval_factor(estimator, level)
        n_rows = max(1, int(effective_rows(inside, groups)))
        hits = round(float(inside.mean()) * n_rows)
        p_values.append(float(binomtest(hits, n_rows, level).pvalue))
        lower, upper = exact_limits(float(inside.mean()) * n_rows, n_rows)
        bins.append(Bin(level, float(inside.mean()), lower, upper, len(target)))
    factor = float(np.quantile(size, LEVEL)) / interval_factor(estimator)
    off = [
        each.seen - each.said if 2.0 * p_value < SURE else 0.0
        for each, p_value in zip(bins, p_values, strict=True)
    ]
    verdict = number_verdict(off[0], off[1], len(target))
    words = number_words(verdict, bins[0], bins[1], off, factor)
    return Calibration(verdict, words, min(1.0, 2.0 * min(p_values)), len(target), tuple(bins), factor)


def number_verdict(inner: float, outer: float, n_rows: int) -> str:
    """Return the verdict on intervals, from how far the coverage is off where that is sure."""
    if inner == outer == 0.0:
        return "right" if n_rows >= FEW_ROWS else "too few rows"
    if max(abs(inner), abs(outer)) < SMALL:
        return "nearly right"
    if abs(outer) < SMALL or inner * outer < 0.0:
        return "uneven"
    return "too sure" if outer < 0.0 else "too careful"


def number_words(verdict: str, inner: Bin, outer: Bin, off: list[float], factor: float) -> str:
    """Return the verdict on intervals for people."""
    contain = f"those of {percent(outer.said)} contain {percent(outer.seen)} of the rows"
    both = f"{contain}, those of {percent(inner.said)} contain {percent(inner.seen)}"
    small = "smaller" if off[0] > 0.0 else "larger"
    wide = f"They should be {factor:.2g} times as wide"
    faults = {
        "nearly right": f"nearly right: {both}",
        "too sure": f"too narrow: {contain}. {wide}",
        "too careful": f"too wide: {contain}. {wide}",
        "uneven": f"uneven: {both}, so that the usual error is {small} than the intervals say",
    }
    return verdict_words("Intervals", verdict, outer.n_rows, contain, faults)
