"""The decision: how much each candidate counts follows from a table of left-out moments and nothing else."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from rowtrust.fitting.decide import (
    EVENNESS,
    LeftOutNumbers,
    is_surely_less,
    log_density,
    stacked,
)

RNG = np.random.default_rng(0)
N = 50
TARGET = RNG.normal(size=N)
COPIES = RNG.integers(1, 4, N).astype(float)
MEAN = TARGET[:, None] + RNG.normal(size=(N, 3)) * [0.3, 1.0, 2.0]
VARIANCE = RNG.uniform(0.2, 2.0, (N, 3))
SHARES = np.array([0.5, 0.2, 0.3])
TABLE = LeftOutNumbers(TARGET, COPIES, MEAN, VARIANCE, np.inf, COPIES)
FREEDOMS = pytest.mark.parametrize("freedom", [np.inf, 3.0])


def written(target, means, deviations, freedom=np.inf, copies=None):
    """Return a table of candidates, each with its own deviation everywhere."""
    target, mean = np.asarray(target, dtype=float), np.column_stack(means).astype(float)
    variance = np.tile(np.square(deviations), (len(target), 1))
    copies = np.ones(len(target)) if copies is None else copies
    return LeftOutNumbers(target, copies, mean, variance, freedom, copies)


def zigzag(size):
    """Return errors of one size that fall on both sides."""
    return size * np.where(np.arange(40) % 2, 1.0, -1.0)


LINE = np.linspace(-2.0, 2.0, 40)

# Shares


@FREEDOMS
def test_a_candidate_that_is_obviously_better_gets_nearly_all(freedom):
    said = [LINE + zigzag(2.0), LINE + zigzag(0.1), np.zeros(40)]
    shares = stacked(written(LINE, said, [2.0, 0.1, 1.5], freedom)).shares
    assert shares[1] > 0.95
    assert shares.sum() == pytest.approx(1.0)


@FREEDOMS
def test_candidates_that_say_the_same_share_evenly(freedom):
    said = [LINE + zigzag(0.3)] * 3
    shares = stacked(written(LINE, said, [0.3] * 3, freedom)).shares
    np.testing.assert_allclose(shares, 1.0 / 3.0, atol=1e-6)


@FREEDOMS
def test_a_candidate_that_is_sure_and_wrong_loses_to_one_that_is_unsure(freedom):
    """Both err alike; one knows it."""
    said = [LINE + zigzag(1.0), LINE + zigzag(1.01)]
    modest, boasting = (stacked(written(LINE, said, [sure, 1.0], freedom)).shares[0] for sure in (1.0, 0.05))
    assert modest == pytest.approx(0.5, abs=0.1)
    assert boasting < 0.2


def test_neither_order_of_rows_nor_of_candidates_changes_the_shares():
    found, order, places = stacked(TABLE).shares, RNG.permutation(N), [2, 0, 1]
    shuffled = LeftOutNumbers(
        TARGET[order], COPIES[order], MEAN[order], VARIANCE[order], np.inf, COPIES[order]
    )
    np.testing.assert_allclose(stacked(shuffled).shares, found, atol=1e-4)
    moved = LeftOutNumbers(TARGET, COPIES, MEAN[:, places], VARIANCE[:, places], np.inf, COPIES)
    np.testing.assert_allclose(stacked(moved).shares, found[places], atol=1e-4)


def test_copies_are_rows():
    times = COPIES.astype(int)
    columns = [np.repeat(each, times, axis=0) for each in (TARGET, np.ones(N), MEAN, VARIANCE)]
    one, two = stacked(TABLE), stacked(LeftOutNumbers(*columns, np.inf, columns[1]))
    np.testing.assert_allclose(two.shares, one.shares, atol=1e-5)
    assert two.error == pytest.approx(one.error, rel=1e-4)


@FREEDOMS
def test_shares_are_the_best_of_a_grid(freedom):
    mean = TARGET[:, None] + np.random.default_rng(1).normal(size=(N, 2)) * [0.8, 1.0]
    two = LeftOutNumbers(TARGET, COPIES, mean, VARIANCE[:, :2], freedom, COPIES)
    grid = np.linspace(0.001, 0.999, 999)
    values = [
        log_density(two, np.array([p, 1 - p]))[0] + EVENNESS * stats.bernoulli(p).entropy() for p in grid
    ]
    best = grid[int(np.argmax(values))]
    assert 0.05 < best < 0.95  # otherwise the smaller share counts as negligible
    np.testing.assert_allclose(stacked(two).shares, [best, 1 - best], atol=2e-3)


# What an average is worth


@pytest.mark.parametrize("freedom", [np.inf, 4.5])
def test_the_average_is_judged_as_one_density_of_the_mixtures_moments(freedom):
    """A Gaussian or Student's t, but for a constant that no share changes."""
    found, expected = [], []
    for shares in (SHARES, SHARES[::-1]):
        mean = MEAN @ shares
        deviation = np.sqrt(VARIANCE @ shares + (MEAN - mean[:, None]) ** 2 @ shares)
        found.append(log_density(replace(TABLE, freedom=freedom), shares)[0])
        expected.append(COPIES @ stats.t(freedom, mean, deviation).logpdf(TARGET))
    assert found[0] - found[1] == pytest.approx(expected[0] - expected[1])


@pytest.mark.parametrize("freedom", [np.inf, 1.0, 4.5, 60.0])
def test_the_gradient_is_that_of_finite_differences(freedom, slope):
    table = replace(TABLE, freedom=freedom)
    numeric = slope(lambda shares: log_density(table, shares)[0], SHARES, step=1e-6)
    np.testing.assert_allclose(log_density(table, SHARES)[1], numeric, rtol=1e-6, atol=1e-6)


# Doubt


def gives_up_doubt(doubting, plain):
    """Whether a table of fits without doubt is taken instead of one with it."""
    one, other = stacked(plain), stacked(doubting)
    return is_surely_less(one.squares, other.squares, other.copies)


def test_doubt_is_given_up_where_all_rows_are_told_better_without_it():
    doubting, plain = (written(LINE, [LINE + zigzag(error)], [0.5]) for error in (0.5, 0.1))
    assert gives_up_doubt(doubting, plain)
    assert not gives_up_doubt(plain, doubting)


def test_doubt_is_kept_where_nothing_or_few_rows_tell_against_it():
    """A few rows that one way tells better by much are no sign for all."""
    same = written(LINE, [LINE + zigzag(0.3)], [0.3])
    assert not gives_up_doubt(same, same)
    lucky = np.where(np.arange(40) < 2, 2.0, 0.3) * np.sign(zigzag(1.0))
    assert not gives_up_doubt(written(LINE, [LINE + lucky], [0.3]), same)


def test_of_an_outlier_counts_only_that_it_is_large():
    """However large it is, and whichever way missed it by more."""
    far, farther = (LINE.copy() for _ in range(2))
    far[3], farther[3] = 1e2, 1e6
    said = [[LINE + zigzag(0.2)], [0.2], 3.0]
    one, two = (stacked(written(target, *said)) for target in (far, farther))
    np.testing.assert_array_equal(one.squares, two.squares)
    assert 4.0 < one.squares.max() < 100.0
    missed = LINE + zigzag(0.2)
    missed[3] -= 1e3
    assert not gives_up_doubt(written(far, [missed], [0.2]), written(far, *said))


# Narrower kernels
