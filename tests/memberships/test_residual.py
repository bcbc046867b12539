"""Residual: rows that a first fit misses are doubted."""

from __future__ import annotations

import numpy as np
import pytest

from rowtrust.memberships import Residual, resolve


def test_residual_by_hand(side_of):
    residual = np.array([0.0, 1.0, -4.0])
    values = Residual(offset=0.25)(np.zeros((3, 1)), np.zeros(3), side_of(first_fit=residual))
    np.testing.assert_allclose(values, [1.0, 0.8, 0.2])


@pytest.mark.parametrize("residual", [[0.0, 0.0, 0.0], [2.0, -2.0, 2.0]])
def test_residuals_of_one_size_doubt_nobody(residual, side_of):
    values = Residual()(np.zeros((3, 1)), np.zeros(3), side_of(first_fit=residual))
    np.testing.assert_array_equal(values, 1.0)


def test_the_unit_of_the_residuals_does_not_matter(side_of):
    residual = np.array([0.3, -1.0, 2.5])
    values = [
        Residual()(np.zeros((3, 1)), np.zeros(3), side_of(first_fit=scale * residual))
        for scale in (1e-200, 1.0, 1e200)
    ]
    np.testing.assert_allclose(values[0], values[1])
    np.testing.assert_allclose(values[2], values[1])


@pytest.mark.parametrize("outcome", [np.ones(2), np.ones((3, 1)), np.array([1.0, np.nan, 1.0])])
def test_a_first_fit_that_failed_is_reported(outcome, side_of):
    with pytest.raises(ValueError, match=r"first_fit must return one finite number per row, shape \(3,\)"):
        Residual()(np.zeros((3, 1)), np.zeros(3), side_of(first_fit=outcome))


def test_residual_refuses_class_numbers(rows):
    X, y, side = rows
    with pytest.raises(ValueError, match=r"needs real targets .* use 'class_centre'"):
        resolve("residual", X, y, side)


@pytest.mark.parametrize(
    ("membership", "message"),
    [
        (Residual(offset=-1.0), "offset must be"),
    ],
)
def test_an_option_that_makes_no_sense_is_named(rows, membership, message):
    X, y, side = rows
    with pytest.raises(ValueError, match=message):
        membership(X, y, side)
