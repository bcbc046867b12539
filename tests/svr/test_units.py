"""The user's units and the standardised ones."""

import numpy as np
import pytest

from rowtrust.svr.hyperparameters import Units, column_moments, rounded


def test_standardised_rows_have_centre_zero_and_spread_one(random_rows):
    X, y, weight = random_rows(0, n=400)
    units = Units.of(X * [1.0, 1e6, 1e-6] + 3.0, y, weight)
    inputs, target = units.inputs(X * [1.0, 1e6, 1e-6] + 3.0), units.target(y)
    np.testing.assert_allclose(np.average(inputs, axis=0, weights=weight), 0.0, atol=1e-9)
    np.testing.assert_allclose(np.average(inputs**2, axis=0, weights=weight), 1.0, rtol=1e-6)
    copies = np.repeat(target, weight.astype(int))
    assert np.median(copies) == pytest.approx(0.0, abs=1e-12)
    assert 1.4826 * np.median(np.abs(copies)) == pytest.approx(1.0)


def test_integer_weights_equal_repeated_rows(random_rows):
    X, y, weight = random_rows(0)
    copies = weight.astype(int)
    once = Units.of(X, y, weight)
    often = Units.of(np.repeat(X, copies, axis=0), np.repeat(y, copies), np.ones(copies.sum()))
    np.testing.assert_allclose(once.input_offset, often.input_offset, atol=1e-12)
    np.testing.assert_allclose(once.input_scale, often.input_scale)
    assert once.target_offset == often.target_offset
    assert once.target_scale == often.target_scale


def test_gross_outliers_hardly_move_the_target(random_rows):
    X, y, _ = random_rows(0, n=100)
    clean = Units.of(X, y, np.ones(100))
    y[:20] = 1e6
    spoilt = Units.of(X, y, np.ones(100))
    assert abs(spoilt.target_offset - clean.target_offset) < clean.target_scale
    assert spoilt.target_scale < 2.0 * clean.target_scale


@pytest.mark.parametrize("value", [0.0, 7.0, -1e-9, 1e200])
def test_a_constant_input_is_left_out_unless_it_is_to_be_kept(value, random_rows):
    X, y, weight = random_rows(0)
    X = np.column_stack([X[:, 0], np.full(60, value), X[:, 1]])
    units = Units.of(X, y, weight)
    np.testing.assert_array_equal(units.columns, [0, 2])
    assert units.inputs(X).shape == (60, 2)
    np.testing.assert_array_equal(units.spread_out(np.array([1.0, 2.0])), [1.0, 0.0, 2.0])
    kept = Units.of(X, y, weight, keep_constant=True)
    assert kept.input_scale[1] == 1.0
    np.testing.assert_allclose(kept.inputs(X)[:, 1], 0.0, atol=1e-9)


def test_inputs_that_are_all_constant_stay():
    units = Units.of(np.ones((4, 2)), np.arange(4.0), np.ones(4))
    np.testing.assert_array_equal(units.inputs(np.ones((3, 2))), np.zeros((3, 2)))


def test_a_target_and_its_negative_are_the_same_problem(random_rows):
    X, y, weight = random_rows(0)
    units, mirrored = Units.of(X, y, weight), Units.of(X, -y, weight)
    np.testing.assert_array_equal(units.target(y), mirrored.target(-y))
    assert units.size == mirrored.size > 0
    assert (weight @ np.clip(units.target(y), -3, 3) ** 3) > 0


def test_rounding_drops_a_billionth_of_a_standard_deviation_and_nothing_more():
    values = np.concatenate([np.random.default_rng(0).normal(size=1000), [0.0, -0.0, 1e9, -3e-12, 1e300]])
    short = rounded(values)
    np.testing.assert_allclose(short, values, atol=1e-9, rtol=2**-29)
    np.testing.assert_array_equal(rounded(short), short)
    # Other units perturb the last digits of a double, and those of 99.9 % of the numbers are dropped.
    assert np.mean(rounded(values * (1 + 1e-14)) == short) > 0.999


@pytest.mark.parametrize("size", [1e-200, 1.0, 1e200])
def test_inputs_too_large_or_small_to_be_squared_have_a_scale(size):
    mean, scale = column_moments(size * np.array([1.0, 2.0, 3.0]), np.ones(3))
    assert mean == pytest.approx(2.0 * size)
    assert scale == pytest.approx(size * np.sqrt(2.0 / 3.0))


@pytest.mark.parametrize(("value", "scale"), [(0.0, 1.0), (7.0, 7.0), (-2.0, 2.0)])
def test_a_constant_target_keeps_its_size_as_the_scale(value, scale):
    units = Units.of(np.zeros((4, 1)), np.full(4, value), np.ones(4))
    assert (units.target_offset, units.target_scale) == (value, scale)
