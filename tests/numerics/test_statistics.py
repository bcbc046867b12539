"""Statistics of rows that each stand for several."""

import numpy as np
import pytest

from rowtrust.numerics.statistics import weighted_median, weighted_quantiles

SHARES = np.array([0.0, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 1.0])


@pytest.mark.parametrize("size", [1, 7, 20, 41, 60])
def test_quantiles_have_no_direction(size):
    generator = np.random.default_rng(size)
    values, weight = generator.normal(size=size), generator.integers(1, 4, size).astype(float)
    for each in (weight, np.ones(size)):
        found = weighted_quantiles(values, each, SHARES)
        np.testing.assert_array_equal(-weighted_quantiles(-values, each, SHARES)[::-1], found)
        repeated = np.repeat(values, each.astype(int))
        np.testing.assert_array_equal(
            weighted_quantiles(repeated, np.ones(len(repeated)), SHARES), found, "weights are copies"
        )
        assert weighted_median(values, each) == pytest.approx(np.median(repeated))


def test_of_two_quantiles_that_nearer_to_the_median_is_taken():
    """One value in twenty is wild, at either end: it is no quantile of the middle nine tenths."""
    values = np.arange(20.0)
    np.testing.assert_array_equal(
        weighted_quantiles(values, np.ones(20), np.array([0.05, 0.95])), [1.0, 18.0]
    )
    np.testing.assert_array_equal(
        weighted_quantiles(values, np.ones(20), np.array([0.06, 0.94])), [1.0, 18.0]
    )
    np.testing.assert_array_equal(weighted_quantiles(values, np.ones(20), np.array([0.0, 1.0])), [0.0, 19.0])
