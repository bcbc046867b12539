"""As many rows are called wrong as the promised share of false ones allows, none that is likelier right."""

from itertools import combinations

import numpy as np
import pytest

from rowtrust.numerics.accusations import accused


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("false_share", [0.05, 0.2, 0.5, 0.7])
def test_no_larger_set_of_rows_keeps_the_promise(seed, false_share):
    """Against every set of rows there is."""
    wrong = np.random.default_rng(seed).beta(0.7, 0.7, 9)
    named = accused(wrong, false_share)
    allowed = [
        len(rows)
        for size in range(1, 10)
        for rows in combinations(np.flatnonzero(wrong > min(0.5, 1.0 - false_share)), size)
        if np.mean(1.0 - wrong[list(rows)]) <= false_share
    ]
    assert named.sum() == max(allowed, default=0)
    if named.any():
        assert np.mean(1.0 - wrong[named]) <= false_share
        assert wrong[named].min() >= wrong[~named].max(initial=0.0)


def test_the_order_of_the_rows_does_not_matter():
    generator = np.random.default_rng(0)
    wrong, order = generator.beta(0.5, 2.0, 200), generator.permutation(200)
    np.testing.assert_array_equal(accused(wrong[order]), accused(wrong)[order])


def test_certainties():
    np.testing.assert_array_equal(accused(np.array([0.0, 1.0, 0.0, 1.0])), [False, True, False, True])
    assert not accused(np.full(10, 0.79)).any()
    assert accused(np.full(10, 0.81)).all()


def test_calibrated_probabilities_keep_the_promise_in_truth():
    generator = np.random.default_rng(0)
    wrong = generator.beta(0.3, 0.6, 20_000)
    truth = generator.random(20_000) < wrong
    for false_share in (0.05, 0.1, 0.15):
        assert np.mean(~truth[accused(wrong, false_share)]) == pytest.approx(false_share, abs=0.02)


def test_rows_that_are_likelier_right_are_not_named_for_the_company_of_sure_ones():
    wrong = np.array([1.0] * 20 + [0.1] * 4)
    assert accused(wrong, 0.2).sum() == 20
    assert accused(wrong, 0.95).sum() == 24
