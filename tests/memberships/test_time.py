"""Time: the newest row counts fully, the oldest as much as the floor says."""

from __future__ import annotations

import numpy as np
import pytest

from rowtrust.memberships import Time


def test_time_runs_from_floor_to_one(side_of):
    X = np.zeros((5, 1))
    linear = Time("linear", floor=0.2)(X, np.zeros(5), side_of())
    quadratic = Time("quadratic", floor=0.2)(X, np.zeros(5), side_of())
    np.testing.assert_allclose(linear, [0.2, 0.4, 0.6, 0.8, 1.0])
    np.testing.assert_allclose(quadratic, [0.2, 0.25, 0.4, 0.65, 1.0])


def test_given_times_decide_in_any_order_and_unit(side_of):
    times = [3.0, 1.0, 5.0]
    X = np.zeros((3, 1))
    expected = [0.55, 0.1, 1.0]
    dates = np.array(["2020-01-03", "2020-01-01", "2020-01-05"], dtype="datetime64[ns]")
    np.testing.assert_allclose(Time(times=times)(X, np.zeros(3), side_of()), expected)
    np.testing.assert_allclose(Time(times=dates)(X, np.zeros(3), side_of()), expected)


def test_rows_of_one_time_are_all_new(side_of):
    np.testing.assert_array_equal(Time(times=[4, 4])(np.zeros((2, 1)), np.zeros(2), side_of()), 1.0)


@pytest.mark.parametrize(
    "times", [[1.0, 2.0], [1.0, np.nan, 2.0], np.array(["2020", "NaT", "2021"], "M8[Y]")]
)
def test_times_that_do_not_fit_the_rows_are_refused(times, side_of):
    with pytest.raises(ValueError, match=r"one finite number or date per row, shape \(3,\)"):
        Time(times=times)(np.zeros((3, 1)), np.zeros(3), side_of())


@pytest.mark.parametrize(
    ("membership", "message"),
    [
        (Time(order="cubic"), "order must be one of 'linear', 'quadratic'"),
        (Time(floor=0.0), r"floor must be in \(0, 1\]"),
    ],
)
def test_an_option_that_makes_no_sense_is_named(rows, membership, message):
    X, y, side = rows
    with pytest.raises(ValueError, match=message):
        membership(X, y, side)
