"""Imbalance: Batuwita and Palade's formulae, each class scaled to the smallest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rowtrust.memberships import MEMBERSHIPS, ClassCentre, Imbalance, resolve

IMBALANCE = [name for name in MEMBERSHIPS if name.startswith("imbalance_")]


@pytest.mark.parametrize("name", IMBALANCE)
def test_classes_of_one_shape_differ_by_the_ratio_of_their_sizes(name, side_of):
    """Row by row: f(x) in the smaller class, f(x) n_min / n_k in the larger."""
    shape = np.array([[-2.0, 0.0], [0.0, 0.0], [0.0, 1.0], [3.0, 0.0]])
    away = np.array([0.0, 7.0])
    X = np.concatenate([shape + away, shape - away, shape - away])
    y = np.repeat([0, 1], [4, 8])
    margin = np.tile([0.1, -0.2, 3.0, 1.0], 3)
    if "overall" in name:
        # Only where the classes lie on each other are they of one shape as seen from the overall centre.
        X = np.concatenate([shape, shape, shape])
    values = resolve(name, X, y, side_of(first_fit=margin))
    np.testing.assert_allclose(values[4:8], 0.5 * values[:4], rtol=1e-9)
    np.testing.assert_allclose(values[8:], 0.5 * values[:4], rtol=1e-9)


def test_every_class_is_scaled_to_the_smallest(rows, side_of):
    X, y, _ = rows
    ratio = Imbalance("class_centre", "linear")(X, y, side_of()) / ClassCentre()(X, y, side_of())
    np.testing.assert_allclose(ratio, np.array([5 / 24, 5 / 11, 1.0])[y], rtol=1e-12)


def test_linear_imbalance_by_hand(side_of):
    """Mean 4 over all; class 0 at distances 4, 2; class 1 at 0, 1, 5, of which two thirds count."""
    X, y = np.array([[0.0], [2.0], [4.0], [5.0], [9.0]]), np.array([0, 0, 1, 1, 1])
    values = Imbalance("overall_centre", "linear", offset=0.25)(X, y, side_of())
    f = 1.0 - np.array([4 / 5, 2 / 5, 0.0, 1 / 6.25, 5 / 6.25])
    np.testing.assert_allclose(values, f * np.array([1, 1, 2 / 3, 2 / 3, 2 / 3]))


def test_exponential_imbalance_by_hand(side_of):
    """Distances count in units of their class's median: 1, 2, 4 over 2 and 10, 30 over 20."""
    margin, y = np.array([1.0, -2.0, 4.0, 10.0, -30.0]), np.array([0, 0, 0, 1, 1])
    values = Imbalance("boundary", "exponential", rate=3.0)(np.zeros((5, 1)), y, side_of(first_fit=margin))
    f = 2.0 / (1.0 + np.exp(3.0 * np.array([0.5, 1.0, 2.0, 0.5, 1.5])))
    np.testing.assert_allclose(values, f * np.array([2 / 3, 2 / 3, 2 / 3, 1, 1]))


@pytest.mark.parametrize("decay", ["linear", "exponential"])
def test_near_the_boundary_is_believed_more_on_either_side(decay, side_of):
    margin = np.array([0.1, -0.1, 1.0, -1.0, 5.0, -5.0])
    values = Imbalance("boundary", decay)(np.zeros((6, 1)), np.zeros(6, int), side_of(first_fit=margin))
    np.testing.assert_array_equal(values[::2], values[1::2])
    assert values[0] > values[2] > values[4] > 0.0


def test_an_outlier_far_beyond_the_exponential_range_stays_above_zero(side_of):
    margin = np.append(np.ones(9), 1e12)
    values = Imbalance("boundary", "exponential")(np.zeros((10, 1)), np.zeros(10, int), side_of(None, margin))
    assert values[-1] == pytest.approx(1e-3 / 1.001)


def test_a_majority_of_rows_on_the_boundary_still_leaves_a_scale(side_of):
    margin = np.array([0.0, 0.0, 0.0, 2.0])
    values = Imbalance("boundary", "exponential")(np.zeros((4, 1)), np.zeros(4, int), side_of(None, margin))
    np.testing.assert_allclose(values, [1.0, 1.0, 1.0, 2.0 / (1.0 + np.e)])


def test_the_recommended_imbalance_needs_neither_kernel_nor_fit(rows, side_of):
    X, y, _ = rows
    expected = resolve("imbalance_exponential_class_centre", X, y, side_of())
    np.testing.assert_array_equal(resolve("imbalance", X, y, side_of()), expected)


@pytest.mark.parametrize("distance", ["class_centre", "overall_centre"])
def test_a_precomputed_kernel_stands_for_its_inputs(rows, side_of, distance):
    X, y, _ = rows
    precomputed = replace(side_of(X @ X.T), precomputed=True)
    expected = Imbalance(distance)(X, y, side_of())
    np.testing.assert_allclose(Imbalance(distance)(X @ X.T, y, precomputed), expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("membership", "message"),
    [
        (Imbalance(distance="edge"), "distance must be one of 'class_centre', 'overall_centre', 'boundary'"),
        (Imbalance(decay="sudden"), "decay must be one of 'linear', 'exponential'"),
        (Imbalance(rate=np.inf), "rate must be"),
        (Imbalance(offset=np.nan), "offset must be"),
    ],
)
def test_an_option_that_makes_no_sense_is_named(rows, membership, message):
    X, y, side = rows
    with pytest.raises(ValueError, match=message):
        membership(X, y, side)
