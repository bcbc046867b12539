"""Intervals of shares, medians and functions of sums, against scipy and by simulation."""

import numpy as np
import pytest
from scipy import stats

from rowtrust.workflow.quality import intervals
from rowtrust.workflow.quality.intervals import Resampling


@pytest.mark.parametrize(("hits", "n_rows"), [(0, 7), (3, 7), (7, 7), (40, 40), (812, 1000)])
def test_shares_have_the_exact_interval(hits, n_rows):
    exact = stats.binomtest(hits, n_rows).proportion_ci(0.9, method="exact")
    hit = np.arange(n_rows) < hits
    assert intervals.share_limits(hit, None) == pytest.approx((exact.low, exact.high))
    assert intervals.share_limits(hit, np.arange(n_rows)) == pytest.approx((exact.low, exact.high))


def test_groups_that_agree_count_as_one_row_each():
    groups = np.repeat(np.arange(10), 30)
    assert intervals.effective_rows(np.ones(300, dtype=bool), groups) == 10
    hit = np.repeat(np.arange(10) % 2 == 0, 30)
    assert 7 <= intervals.effective_rows(hit, groups) <= 10
    mixed = np.tile([True, False], 150)
    assert intervals.effective_rows(mixed, groups) > 100


def test_shares_of_groups_are_held_as_often_as_said():
    """Groups of eight with shares of their own: an interval of rows alone holds far too seldom."""
    generator = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), 8)
    held = np.zeros(2)
    for _ in range(200):
        hit = generator.random(240) < generator.beta(1.6, 0.4, 30)[groups]
        for place, each in enumerate((groups, None)):
            lower, upper = intervals.share_limits(hit, each)
            held[place] += lower <= 0.8 <= upper
    assert held[0] >= 168  # 180 are due; three deviations are 13
    assert held[1] < 150


@pytest.mark.parametrize("n_rows", [5, 20, 41])
def test_the_median_lies_between_order_statistics(n_rows):
    values = np.random.default_rng(0).permutation(np.arange(n_rows)).astype(float)
    lower, upper = intervals.median_limits(values, None)
    missed = stats.binom.cdf(lower, n_rows, 0.5)  # the values are 0, 1, ...: so many lie below the end
    assert missed <= 0.05
    assert stats.binom.cdf(lower + 1, n_rows, 0.5) > 0.05
    assert lower + upper == n_rows - 1


def test_the_median_of_few_rows_is_open():
    assert intervals.median_limits(np.arange(4.0), None) == (0.0, np.inf)


def ratio(sums):
    return sums[..., 0] / sums[..., 1]


def test_means_have_about_the_bootstrap_interval_of_scipy():
    values = np.random.default_rng(0).exponential(size=400)
    columns = np.stack([values, np.ones(400)], axis=1)
    value, lower, upper, method = Resampling.of(400, None, 0).interval(columns, ratio)
    known = stats.bootstrap((values,), np.mean, confidence_level=0.9, method="BCa", random_state=0)
    width = known.confidence_interval.high - known.confidence_interval.low
    assert value == pytest.approx(values.mean())
    assert method == intervals.BOOTSTRAP
    assert lower == pytest.approx(known.confidence_interval.low, abs=0.1 * width)
    assert upper == pytest.approx(known.confidence_interval.high, abs=0.1 * width)


def test_many_rows_are_drawn_in_bounded_memory_and_keep_their_variance():
    values = np.random.default_rng(0).normal(size=200_000)
    resampling = Resampling.of(200_000, None, 0)
    assert resampling.counts.size <= intervals.RESAMPLES * intervals.MOST_UNITS
    np.testing.assert_array_equal(resampling.counts.sum(axis=1), intervals.MOST_UNITS)
    columns = np.stack([values, np.ones(len(values))], axis=1)
    _, lower, upper, _ = resampling.interval(columns, ratio)
    assert upper - lower == pytest.approx(2 * 1.645 / np.sqrt(200_000), rel=0.15)


def test_rows_of_a_group_are_drawn_together():
    resampling = Resampling.of(12, np.repeat([7, 3, 9], 4), 0)
    assert resampling.n_alone == 3
    np.testing.assert_array_equal(resampling.place, np.repeat([1, 0, 2], 4))


def test_what_is_the_same_in_all_rows_may_differ_in_others():
    """As many of the other rows may be of the extreme kind as 5 % of such samples would miss."""
    columns = np.stack([np.full(50, 2.0), np.ones(50)], axis=1)
    extremes = [np.array([0.0, 1.0]), np.array([10.0, 1.0])]
    value, lower, upper, method = Resampling.of(50, None, 0).interval(columns, ratio, extremes)
    unseen = 1 - 0.05 ** (1 / 50)
    assert (value, method) == (2.0, intervals.CAUTIOUS)
    assert lower == pytest.approx(2 * (1 - unseen))
    assert upper == pytest.approx(2 + 8 * unseen)
