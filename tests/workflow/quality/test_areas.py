"""Areas under curves, their intervals, and the curves, against scikit-learn and brute force."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn import metrics

from rowtrust.workflow.quality import areas


def ranked(n_rows, shift, seed=0, digits=2, share=0.4):
    generator = np.random.default_rng(seed)
    positive = generator.random(n_rows) < share
    return np.round(generator.normal(size=n_rows) + shift * positive, digits), positive


@pytest.mark.parametrize("digits", [0, 5])
def test_the_area_matches_scikit_learn(digits):
    score, positive = ranked(200, 1.0, digits=digits)
    found = areas.area_figure(score, positive, None)
    assert found.value == pytest.approx(metrics.roc_auc_score(positive, score))
    assert found.lower < found.value < found.upper


def test_placements_are_shares_of_pairs():
    score, positive = ranked(40, 1.0, digits=0)
    up, down = score[positive], score[~positive]
    pairs = (up[:, None] > down) + 0.5 * (up[:, None] == down)
    above, below = areas.placements(score, positive)
    np.testing.assert_allclose(above, pairs.mean(axis=1))
    np.testing.assert_allclose(below, pairs.mean(axis=0))
    delong = above.var(ddof=1) / len(up) + below.var(ddof=1) / len(down)
    assert areas.seen_variance(above, below, positive, None) == pytest.approx(delong, rel=0.05)


def test_rows_told_twice_say_no_more():
    score, positive = ranked(60, 1.0)
    groups = np.arange(60)
    once = areas.area_figure(score, positive, None)
    twice = areas.area_figure(*(np.tile(each, 2) for each in (score, positive)), np.tile(groups, 2))
    assert twice.value == pytest.approx(once.value)
    assert twice.upper - twice.lower == pytest.approx(once.upper - once.lower, rel=0.15)


def test_a_perfect_ranking_has_an_interval_that_more_rows_narrow():
    """DeLong's interval would be empty."""
    lower = []
    for half in (5, 20, 500):
        positive = np.arange(2 * half) >= half
        found = areas.area_figure(np.arange(2.0 * half), positive, None)
        assert (found.value, found.upper) == (1.0, 1.0)
        lower.append(found.lower)
    assert lower == sorted(lower)
    assert lower[0] < 0.85
    assert 0.99 < lower[2] < 1.0
    groups = np.arange(40) // 5
    grouped = areas.area_figure(np.arange(40.0), np.arange(40) >= 20, groups)
    assert grouped.lower < lower[1]


def test_few_groups_say_little():
    """The interval of one group was that of rows that stand alone: no variance is seen between groups."""
    score, positive = ranked(60, 1.0)
    widths = []
    for n_groups in (None, 12, 3, 2, 1):
        groups = None if n_groups is None else np.arange(60) * n_groups // 60
        found = areas.area_figure(score, positive, groups)
        widths.append(found.upper - found.lower)
    assert widths[2] > 1.2 * widths[0]
    assert min(widths[3:]) > 2.0 * widths[0]
    assert widths[1] < 1.6 * widths[0]


def test_areas_of_few_groups_that_differ_are_held():
    held = 0
    for seed in range(100):
        generator = np.random.default_rng(seed)
        groups = np.repeat(np.arange(6), 10)
        positive = groups < 3
        score = generator.normal(size=6)[groups] * 0.7 + generator.normal(size=60) * 0.7 + 1.2 * positive
        found = areas.area_figure(score, positive, groups)
        held += found.lower <= norm.cdf(1.2 / np.sqrt(2)) <= found.upper
    assert held >= 84  # 73 by the variance alone


def test_the_interval_of_the_area_is_symmetric_in_the_classes():
    score, positive = ranked(80, 1.5)
    one, other = areas.area_figure(score, positive, None), areas.area_figure(score, ~positive, None)
    assert (one.lower, one.upper) == pytest.approx((1 - other.upper, 1 - other.lower))


@pytest.mark.parametrize(("shift", "n_rows"), [(0.5, 30), (2.5, 60)])
def test_areas_are_held_as_often_as_said(shift, n_rows):
    truth = norm.cdf(shift / np.sqrt(2))
    held = 0
    for seed in range(200):
        score, positive = ranked(n_rows, shift, seed, digits=9)
        found = areas.area_figure(score, positive, None)
        held += found.lower <= truth <= found.upper
    assert held >= 168  # 180 are due; three deviations are 13


def test_average_precision_matches_scikit_learn_and_is_held():
    truth = np.mean(
        [metrics.average_precision_score(*ranked(4000, 1.0, 1000 + k, 9)[::-1]) for k in range(5)]
    )
    held = 0
    for seed in range(150):
        score, positive = ranked(150, 1.0, seed, digits=9)
        found = areas.precision_figure(score, positive, None)
        assert found.value == pytest.approx(metrics.average_precision_score(positive, score))
        held += found.lower <= truth <= found.upper
    assert held >= 120


def test_curves_are_thinned_and_keep_their_area_and_ends():
    score, positive = ranked(5000, 1.0, digits=9)
    found = areas.curves_of("sick", score, positive, None)
    for each in (found.false_positive_rate, found.true_positive_rate, found.recall, found.precision):
        assert 50 < len(each) <= areas.MOST_POINTS
    assert (found.false_positive_rate[0], found.true_positive_rate[-1]) == (0.0, 1.0)
    assert (found.recall[0], found.recall[-1]) == (1.0, 0.0)
    area = metrics.auc(found.false_positive_rate, found.true_positive_rate)
    assert area == pytest.approx(found.area.value, abs=0.005)
    assert found.base_rate == pytest.approx(positive.mean())
    assert found.average_precision.value > found.base_rate


def test_curves_of_few_rows_have_no_area():
    score, positive = np.arange(30.0), np.arange(30) > 27
    found = areas.curves_of("rare", score, positive, None)
    assert found.area is found.average_precision is None
    assert found.true_positive_rate[-1] == 1.0
