"""How kernels compare by their evidence, and how much each counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln

from rowtrust.search.scores import (
    HOPELESS,
    INTERPOLATING,
    PAST_PEAK,
    SMALLEST_SHARE,
    TEMPERATURE,
    is_narrow_enough,
    log_choices,
    tempered_shares,
    width_score,
)


def test_choices_are_counted_about_right_while_few_columns_are_kept():
    """``ln (n choose k)`` lies below ``k (1 + ln(n / k))``, by little for k well below n."""
    for n, k in ((100, 1), (100, 5), (1000, 20), (5000, 100)):
        exact = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
        assert exact <= log_choices(n, k) <= 1.3 * exact


@given(n=st.integers(1, 10_000), k=st.integers(0, 9999))
def test_keeping_more_never_costs_less(n, k):
    k = min(k, n - 1)
    assert 0.0 <= log_choices(n, k) <= log_choices(n, k + 1) + 1e-9


def test_nothing_kept_is_no_choice():
    assert log_choices(50, 0) == 0.0
    assert width_score(-12.5, 50, 0) == -12.5


def test_the_score_is_the_bound_less_half_the_choices():
    assert width_score(3.0, 100, 10) == pytest.approx(3.0 - 0.5 * 10 * (1 + np.log(10.0)))


def test_narrower_widths_are_not_tried_when_hopeless_or_crowded():
    assert is_narrow_enough([0.0, -HOPELESS - 1.0], 0.0)
    assert not is_narrow_enough([0.0, -HOPELESS + 1.0], 0.0), "a dip before there was a peak"
    assert is_narrow_enough([-9.0, 0.0, -PAST_PEAK - 1.0], 0.0)
    assert not is_narrow_enough([-9.0, 0.0, -PAST_PEAK + 1.0], 0.0)
    assert is_narrow_enough([0.0, -1.0], INTERPOLATING + 0.1)
    assert not is_narrow_enough([-1.0, 0.0], INTERPOLATING + 0.1), "the best so far may keep what it likes"


def test_shares_are_a_softmax_at_a_temperature():
    shares = tempered_shares([0.0, -TEMPERATURE])
    assert shares.sum() == pytest.approx(1.0)
    assert shares[0] / shares[1] == pytest.approx(np.e)


def test_negligible_widths_are_left_out_and_the_rest_sums_to_one():
    shares = tempered_shares([-1000.0, 0.0, -5.0 * TEMPERATURE, -1.0])
    assert shares[0] == 0.0
    assert shares[2] == 0.0
    assert shares.sum() == pytest.approx(1.0)
    assert shares[shares > 0].min() >= SMALLEST_SHARE


def test_one_width_counts_alone_and_a_constant_on_all_scores_changes_nothing():
    np.testing.assert_array_equal(tempered_shares([-1e6]), [1.0])
    np.testing.assert_allclose(tempered_shares([1.0, 5.0]), tempered_shares([-1e4 + 1.0, -1e4 + 5.0]))
