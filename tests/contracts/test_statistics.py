"""Statistics add up field by field, whatever the likelihood and the weighting put into them."""

from dataclasses import fields, replace

import numpy as np
import pytest

from rowtrust.contracts import Statistics
from rowtrust.inference.passes import log_scale
from rowtrust.likelihoods import Gaussian


def some_statistics(seed):
    rng = np.random.default_rng(seed)
    return Statistics(
        rng.normal(size=(2, 2)),
        rng.normal(size=2),
        *rng.normal(size=4),
        rng.normal(size=3),
        rng.normal(size=1),
        rng.normal(size=(2, 2)),
    )


def test_every_field_is_added():
    one, two = some_statistics(0), some_statistics(1)
    both = one + two
    for field in fields(Statistics):
        expected = getattr(one, field.name) + getattr(two, field.name)
        np.testing.assert_array_equal(getattr(both, field.name), expected, err_msg=field.name)


def test_a_curvature_that_nobody_asked_for_stays_out_of_the_sum():
    one, two = (replace(some_statistics(seed), curvature=None) for seed in (0, 1))
    assert (one + two).curvature is None
    assert (one + some_statistics(1)).curvature is None
    assert (some_statistics(0) + two).curvature is None


def test_statistics_add_up_and_rescale():
    curvature = 0.5 * np.eye(2)
    one = Statistics(np.eye(2), np.ones(2), 1.0, 2.0, 1.0, 4.0, np.empty(0), np.array([5.0]), curvature)
    both = one + one
    assert both.count == 8.0
    assert log_scale(both) == 6.0
    # A loss of half a unit per row asks for twice the precision.
    updated, rescaled = Gaussian(1.0).update(both)
    assert updated.precision == pytest.approx(2.0)
    np.testing.assert_array_equal(rescaled.gram, 4 * np.eye(2))
    np.testing.assert_array_equal(rescaled.curvature, 2 * np.eye(2))
    assert Gaussian(1.0).update(replace(both, curvature=None))[1].curvature is None
    assert rescaled.normaliser == pytest.approx(4.0 + 0.5 * 8.0 * np.log(2.0))
    np.testing.assert_array_equal(rescaled.weights, [10.0])


def test_every_field_is_scaled():
    one = some_statistics(0)
    for field in fields(Statistics):
        np.testing.assert_array_equal(
            getattr(one.scaled(0.5), field.name), 0.5 * getattr(one, field.name), err_msg=field.name
        )
    assert replace(one, curvature=None).scaled(0.5).curvature is None


def test_twice_is_one_and_the_same_again():
    one = some_statistics(0)
    for field in fields(Statistics):
        np.testing.assert_allclose(getattr(one.scaled(2.0), field.name), getattr(one + one, field.name))


def test_columns_are_put_in_order_and_back():
    one, order = some_statistics(0), np.array([1, 0])
    other = one.in_order(order)
    np.testing.assert_array_equal(other.gram, one.gram[::-1, ::-1])
    np.testing.assert_array_equal(other.vector, one.vector[::-1])
    np.testing.assert_array_equal(other.curvature, one.curvature[::-1, ::-1])
    np.testing.assert_array_equal(other.in_order(order).gram, one.gram)
    assert replace(one, curvature=None).in_order(order).curvature is None
    np.testing.assert_array_equal(one.in_order(order[:1]).gram, one.gram[1:, 1:])
