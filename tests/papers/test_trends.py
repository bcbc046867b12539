"""Whether numbers with standard errors rise."""

import numpy as np
import pytest

from papers.trends import apart, falls, mean_and_error, median_and_error, rises


@pytest.mark.parametrize(
    ("values", "error", "holds"),
    [
        ((1.0, 2.0, 3.0), 0.1, True),
        ((1.0, 2.0, 1.9, 3.0), 0.1, True),
        ((1.0, 2.0, 1.5, 3.0), 0.1, False),
        ((1.0, 1.1, 1.2), 0.1, False),
        ((3.0, 2.0, 1.0), 0.1, False),
        ((1.0, 2.0, 3.0), np.nan, False),
    ],
)
def test_errors_decide_whether_numbers_rise(values, error, holds):
    numbers = [(value, error) for value in values]
    assert rises(numbers) is holds
    assert falls([(-value, error) for value in values]) is holds


def test_both_errors_count():
    assert apart((0.0, 0.3), (1.01, 0.4))
    assert not apart((0.0, 0.3), (0.99, 0.4))
    assert not apart((1.01, 0.4), (0.0, 0.3))


def test_errors_of_means_and_medians():
    values = np.random.default_rng(0).normal(size=(2000, 51))
    means, medians = (
        np.array([function(row) for row in values]) for function in (mean_and_error, median_and_error)
    )
    assert np.median(means[:, 1]) == pytest.approx(means[:, 0].std(), rel=0.05)
    assert np.median(medians[:, 1]) == pytest.approx(medians[:, 0].std(), rel=0.1)
    assert median_and_error([1.0, 2.0, 3.0, 4.0, 1e6])[1] < 2.0
    assert np.isnan(mean_and_error([1.0])[1])
    assert np.isnan(median_and_error([1.0])[1])
