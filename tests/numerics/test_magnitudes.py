"""Sizes of numbers that squares would over- or underflow."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from rowtrust.numerics.magnitudes import (
    cure,
    deviations,
    refuse_spreads,
    unit_of,
    within_doubles,
    within_reach,
)


def exact_variance(column, weight):
    """The variance in exact fractions."""
    values, weights = [Fraction(each) for each in column], [Fraction(each) for each in weight]
    total = sum(weights)
    mean = sum(w * x for w, x in zip(weights, values, strict=True)) / total
    return sum(w * (x - mean) ** 2 for w, x in zip(weights, values, strict=True)) / total


@pytest.mark.parametrize("storage", [np.asarray, csr_array])
@pytest.mark.parametrize("share_of_zeros", [0.0, 0.05, 0.5, 0.95])
def test_deviations_are_exact(storage, share_of_zeros):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 3)) + np.array([0.0, 1e6, -3.0])
    X[generator.random(X.shape) < share_of_zeros] = 0.0
    weight = generator.integers(1, 4, 60).astype(float)
    exact = [float(exact_variance(column, weight)) ** 0.5 for column in X.T]
    np.testing.assert_allclose(deviations(storage(X), weight), exact, rtol=1e-9)


@pytest.mark.parametrize("storage", [np.asarray, csr_array])
@pytest.mark.parametrize("exponent", [-900, -515, 515, 1000])
def test_other_units_are_the_same_number(storage, exponent):
    X = np.random.default_rng(1).normal(size=(40, 2))
    X[::3, 1] = 0.0
    moved = deviations(storage(np.ldexp(X, exponent)), np.ones(40))
    np.testing.assert_array_equal(moved, np.ldexp(deviations(storage(X), np.ones(40)), exponent))


def test_a_constant_has_no_deviation():
    assert deviations(np.full((5, 1), 1e300), np.ones(5)) == [0.0]
    assert deviations(csr_array(np.full((5, 1), 0.1)), np.ones(5)) == [0.0]
    assert deviations(csr_array((5, 1)), np.ones(5)) == [0.0]


def test_the_largest_doubles_differ_by_a_double_too_many():
    largest = np.finfo(float).max
    assert np.isfinite(deviations(np.array([[-0.5 * largest], [0.5 * largest]]), np.ones(2))).all()


def test_spreads_that_cannot_be_divided_by_are_refused_with_the_cure():
    refuse_spreads(np.array([0.0, 1e-280, 1.0, 1e280]))
    with pytest.raises(ValueError, match=r"Input 1 spreads over 1.0e-300, too small.*Multiply it by 1e\+300"):
        refuse_spreads(np.array([1.0, 1e-300]))
    with pytest.raises(ValueError, match="too large"):
        refuse_spreads(np.array([1e300]))
    assert float(cure(1e-200).split(" by ")[1].split(":")[0]) == 1e200


def test_numbers_are_moved_to_the_nearest_that_will_do():
    assert within_reach(np.array([-1e300, 2.0, np.inf])).tolist() == [-1e150, 2.0, 1e150]
    assert np.isfinite(within_doubles(np.array([np.inf, 5e-324, 0.0, 1.0]))).all()
    assert within_doubles(np.array([0.0])).tolist() == [0.0]
    assert unit_of(np.array([[3.0, 0.0], [-5.0, 0.0]])).tolist() == [4.0, 1.0]
