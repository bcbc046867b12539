"""The user's units and the standardised ones."""

import numpy as np
import pytest

from rowtrust.svr.units import Units, column_moments


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
def test_a_constant_input_keeps_the_scale_one(value):
    mean, scale = column_moments(np.full(5, value), np.arange(1.0, 6.0))
    assert mean == pytest.approx(value)
    assert scale == 1.0


@pytest.mark.parametrize("size", [1e-200, 1.0, 1e200])
def test_inputs_too_large_or_small_to_be_squared_have_a_scale(size):
    mean, scale = column_moments(size * np.array([1.0, 2.0, 3.0]), np.ones(3))
    assert mean == pytest.approx(2.0 * size)
    assert scale == pytest.approx(size * np.sqrt(2.0 / 3.0))


@pytest.mark.parametrize(("value", "scale"), [(0.0, 1.0), (7.0, 7.0), (-2.0, 2.0)])
def test_a_constant_target_keeps_its_size_as_the_scale(value, scale):
    units = Units.of(np.zeros((4, 1)), np.full(4, value), np.ones(4))
    assert (units.target_offset, units.target_scale) == (value, scale)
