"""Decays: from distances and agreement to numbers between 0 and 1."""

from __future__ import annotations

import numpy as np
import pytest

from rowtrust.memberships.distances import OFFSET, exponential_decay, linear_decay, unit_ramp
from rowtrust.numerics.magnitudes import HALF_DIGITS


def test_linear_decay_runs_from_one_to_the_offset():
    np.testing.assert_allclose(linear_decay(np.array([0.0, 2.0, 4.0]), 0.25), [1.0, 0.6, 0.2])


@pytest.mark.parametrize("gap", [0.0, 0.1 * HALF_DIGITS])
def test_distances_that_do_not_differ_rank_no_row(gap):
    np.testing.assert_array_equal(linear_decay(np.array([3.0, 3.0 * (1.0 - gap)]), OFFSET), 1.0)


def test_distances_that_differ_a_little_do_rank_their_rows():
    decayed = linear_decay(np.array([3.0, 3.0 * (1.0 - 10.0 * HALF_DIGITS)]), OFFSET)
    assert decayed[0] < decayed[1]


def test_exponential_decay_counts_copies_in_the_median():
    """Three copies of the row at distance 1 make it the typical one."""
    distance = np.array([1.0, 4.0, 9.0])
    decayed = exponential_decay(distance, np.array([3.0, 1.0, 1.0]), rate=1.0, offset=0.01)
    np.testing.assert_allclose(decayed, np.maximum(2.0 / (1.0 + np.exp(distance)), 0.01 / 1.01))


def test_a_ramp_is_flat_outside_and_straight_inside():
    np.testing.assert_allclose(
        unit_ramp(np.array([-1.0, 0.0, 1.0, 2.0, 9.0]), 0.0, 4.0), [0, 0, 0.25, 0.5, 1]
    )


def test_a_ramp_without_a_between_is_a_step():
    np.testing.assert_array_equal(unit_ramp(np.array([0.9, 1.0, 1.1]), 1.0, 1.0), [0.0, 1.0, 1.0])
