"""Class centres: Lin and Wang's formula, in input space and in the kernel's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from rowtrust.memberships import ClassCentre, resolve


def test_class_centre_by_hand(side_of):
    """Class 0 has mean 2 and distances 2, 1, 3; class 1 has mean (10, 4) and distances 4, 0, 4."""
    X = np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 0.0], [10.0, 0.0], [10.0, 4.0], [10.0, 8.0]])
    y = np.array([0, 0, 0, 1, 1, 1])
    values = ClassCentre(offset=0.25)(X, y, side_of())
    distance, radius = np.array([2.0, 1.0, 3.0, 4.0, 0.0, 4.0]), np.array([3.0, 3.0, 3.0, 4.0, 4.0, 4.0])
    np.testing.assert_allclose(values, 1.0 - distance / (1.25 * radius))


def test_linear_kernel_measures_the_distances_of_input_space(rows, side_of):
    X, y, _ = rows
    values = ClassCentre("kernel")(X, y, side_of(X @ X.T))
    np.testing.assert_allclose(values, ClassCentre("input")(X, y, side_of()), rtol=1e-9)


def test_kernel_class_centre_equals_explicit_features(rows, side_of):
    """Rows of a root of the kernel matrix are features whose inner products are the kernel."""
    X, y, side = rows
    value, vector = np.linalg.eigh(rbf_kernel(X, gamma=0.3))
    features = vector * np.sqrt(np.maximum(value, 0.0))
    np.testing.assert_allclose(
        ClassCentre("kernel")(X, y, side), ClassCentre("input")(features, y, side_of()), rtol=1e-7
    )


def test_kernel_class_centre_by_brute_force(rows):
    X, y, side = rows
    kernel = rbf_kernel(X, gamma=0.3)
    expected = np.empty(40)
    for k in range(3):
        own = kernel[np.ix_(y == k, y == k)]
        distance = np.sqrt(np.diag(own) - 2.0 * own.mean(axis=1) + own.mean())
        expected[y == k] = 1.0 - distance / (1.001 * distance.max())
    np.testing.assert_allclose(ClassCentre("kernel")(X, y, side), expected, rtol=1e-9)


def test_farther_from_the_centre_is_believed_less(rows, side_of):
    X, y, _ = rows
    values = ClassCentre()(X, y, side_of())
    for k in range(3):
        distance = np.linalg.norm(X[y == k] - X[y == k].mean(axis=0), axis=1)
        assert (np.diff(values[y == k][np.argsort(distance)]) <= 0.0).all()


def test_a_far_origin_costs_no_accuracy(rows, side_of):
    X, y, _ = rows
    np.testing.assert_allclose(
        ClassCentre()(X + 1e6, y, side_of()), ClassCentre()(X, y, side_of()), rtol=1e-5
    )


def test_two_rows_a_class_are_not_erased(side_of):
    """Both are the farthest from their midpoint, which says nothing against either."""
    X = np.array([[0.1], [0.3], [5.0], [6.7]])
    y = np.array([0, 0, 1, 1])
    np.testing.assert_array_equal(ClassCentre()(X, y, side_of()), 1.0)
    np.testing.assert_array_equal(ClassCentre("kernel")(X, y, side_of(rbf_kernel(X))), 1.0)


def test_a_kernel_that_is_not_positive_gives_valid_memberships(side_of):
    kernel = np.array([[-1.0, 2.0, 0.0], [2.0, -1.0, 0.5], [0.0, 0.5, 3.0]])
    values = resolve("kernel_class_centre", np.zeros((3, 1)), np.zeros(3, dtype=int), side_of(kernel))
    assert values.min() > 0.0


@pytest.mark.parametrize("offset", [1e-300, 1e-3, 1.0])
def test_the_farthest_row_keeps_a_positive_membership(offset, side_of):
    values = ClassCentre(offset=offset)(np.array([[0.0], [1.0], [5.0]]), np.zeros(3, int), side_of())
    assert values.min() == pytest.approx(offset / (1.0 + offset), rel=1e-12, abs=0.0)
    assert values.min() > 0.0


def test_a_precomputed_kernel_stands_for_its_inputs(rows, side_of):
    X, y, _ = rows
    precomputed = replace(side_of(X @ X.T), precomputed=True)
    expected = ClassCentre()(X, y, side_of())
    np.testing.assert_allclose(ClassCentre()(X @ X.T, y, precomputed), expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("membership", "message"),
    [
        (ClassCentre(space="output"), "space must be one of 'input', 'kernel'; got 'output'"),
        (ClassCentre(offset=0.0), "offset must be a finite number above 0"),
    ],
)
def test_an_option_that_makes_no_sense_is_named(rows, membership, message):
    X, y, side = rows
    with pytest.raises(ValueError, match=message):
        membership(X, y, side)
