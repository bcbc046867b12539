"""How kernels compare by their evidence, and how much each counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln

from rowtrust.fitting.decide import is_narrow_enough, tempered_shares, width_score


def paid(n, k):
    """Return what keeping k of n columns costs."""
    return -width_score(0.0, n, k)


def test_half_the_logarithm_of_the_choices_is_paid_about_right_while_few_columns_are_kept():
    """``ln (n choose k)`` lies below what is counted, by little for k well below n."""
    for n, k in ((100, 1), (100, 5), (1000, 20), (5000, 100)):
        exact = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
        assert exact <= 2.0 * paid(n, k) <= 1.3 * exact


@given(n=st.integers(1, 10_000), k=st.integers(0, 9999))
def test_keeping_more_never_costs_less_and_keeping_nothing_nothing(n, k):
    k = min(k, n - 1)
    assert 0.0 == paid(n, 0) <= paid(n, k) <= paid(n, k + 1) + 1e-9
    assert width_score(3.0, n, k) == pytest.approx(3.0 - paid(n, k))


def test_narrower_widths_are_not_tried_when_hopeless_or_crowded():
    assert is_narrow_enough([0.0, -100.0], 0.0)
    assert not is_narrow_enough([0.0, -25.0], 0.0), "a dip before there was a peak"
    assert is_narrow_enough([-9.0, 0.0, -25.0], 0.0)
    assert not is_narrow_enough([-9.0, 0.0, -5.0], 0.0)
    assert is_narrow_enough([0.0, -1.0], 0.8)
    assert not is_narrow_enough([-1.0, 0.0], 0.8), "the best so far may keep what it likes"


def test_shares_are_a_softmax_at_a_temperature_and_a_constant_changes_nothing():
    one, two = tempered_shares([0.0, -10.0]), tempered_shares([0.0, -20.0])
    assert one.sum() == pytest.approx(1.0)
    assert np.log(two[0] / two[1]) == pytest.approx(2.0 * np.log(one[0] / one[1]))
    np.testing.assert_allclose(one, tempered_shares([-1e4, -1e4 - 10.0]))
    np.testing.assert_array_equal(tempered_shares([-1e6]), [1.0])


def test_negligible_widths_are_left_out_and_the_rest_sums_to_one():
    shares = tempered_shares([-1000.0, 0.0, -100.0, -1.0])
    np.testing.assert_array_equal(shares > 0.0, [False, True, False, True])
    assert shares.sum() == pytest.approx(1.0)
