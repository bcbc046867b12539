"""What a learner makes of P(wrong)."""

import numpy as np
import pytest

from rowtrust.trust import HeldOutResiduals, LabelDoubt, NumberDoubt, as_given, within_fences, without_flagged
from rowtrust.trust.numbers import NumberJudge
from rowtrust.trust.refits import is_better

LABEL = np.array([0, 1, 1, 2])
DOUBT = LabelDoubt(
    LABEL, np.array([1.0, 2.0, 1.0, 1.0]), np.array([0.0, 0.4, 1.0, 0.01]), np.full((4, 3), 1 / 3), np.eye(3)
)


def noisy(matrix, probability):
    return LabelDoubt(LABEL, np.ones(4), np.full(4, 0.5), probability, matrix)


def test_labels_are_softened():
    rows = DOUBT.rows(copies=True)
    assert rows.place.tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    share = (2.0 * 0.4 + 1.0 + 0.01) / 5.0  # no row is surer than half of it, nor than all but it
    np.testing.assert_allclose(rows.weight[4:], [0.5 * share, 0.8, 1.0 - share, 0.5 * share])
    np.testing.assert_allclose(rows.weight[:4], DOUBT.weight - rows.weight[4:])
    assert (rows.target[4:] != LABEL).all()
    alone = DOUBT.rows(copies=False)
    assert alone.place.tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(alone.weight, rows.weight[:4])


def test_softening_keeps_what_each_row_counts():
    rows = DOUBT.rows(copies=True)
    np.testing.assert_allclose(np.bincount(rows.place, rows.weight), DOUBT.weight)


def test_the_likely_label_is_no_given_one_and_follows_the_noise():
    probability = np.tile([0.1, 0.5, 0.4], (4, 1))
    assert noisy(np.full((3, 3), 1 / 3), probability).likely.tolist() == [1, 2, 2, 1]
    only_first = np.array([[0.4, 0.3, 0.3], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    assert noisy(only_first, probability).likely[[1, 2, 3]].tolist() == [0, 0, 0]


def test_numbers_count_by_trust():
    doubt = NumberDoubt(
        np.arange(3.0), np.array([1.0, 2.0, 1.0]), np.array([0.0, 0.4, 1.0]), *np.zeros((2, 3))
    )
    np.testing.assert_allclose(doubt.rows(copies=True).weight, [1.0, 1.2, 0.0])


def test_flagged_rows_are_left_out_but_no_class():
    p_wrong = np.array([0.95, 0.0, 0.9, 0.9])
    assert without_flagged(LABEL[:4], p_wrong, np.ones(4), is_classes=True).place.tolist() == [0, 1, 3]
    assert without_flagged(LABEL[:4], p_wrong, np.ones(4), is_classes=False).place.tolist() == [1]


def test_rows_among_some():
    rows = as_given(np.arange(4.0), np.ones(4)).among(np.array([1, 3]))
    assert rows.target.tolist() == [1.0, 3.0]


def test_the_guard_takes_back_doubt_that_the_learner_explains_and_keeps_the_rest():
    rng = np.random.default_rng(0)
    mean = np.linspace(-5.0, 5.0, 300)
    target = mean + rng.normal(size=300)
    target[:20] += 30.0
    p_wrong = np.where(np.arange(300) < 40, 0.9, 0.0)
    doubt = NumberDoubt(target, np.ones(300), p_wrong, np.zeros(300), np.ones(300))
    after = doubt.guarded(doubt.guard(mean), mean).p_wrong
    assert after[:20].min() > 0.8
    assert after[20:].max() < 0.1
    labels = np.repeat([0, 1], 150)
    sure = np.where(np.eye(2)[labels] > 0, 0.95, 0.05)
    noise = np.array([[0.9, 0.1], [0.1, 0.9]])
    given = np.where(np.arange(300) < 10, 1, labels)
    doubt = LabelDoubt(given, np.ones(300), np.where(np.arange(300) < 20, 0.9, 0.0), sure, noise)
    after = doubt.guarded(doubt.guard(sure), sure).p_wrong
    assert after[:10].min() > 0.6
    assert after[10:].max() < 0.2


def test_doubt_is_kept_only_beyond_the_noise():
    rng = np.random.default_rng(0)
    gain = rng.normal(size=400)
    gain -= gain.mean()
    one = np.ones(400)
    assert not is_better(gain, one)
    assert not is_better(gain + 0.9 / 20.0, one)
    assert is_better(gain + 1.1 / 20.0, one)
    assert is_better(np.repeat(gain, 2), np.ones(800)) == is_better(gain, 2.0 * one)


def test_targets_far_outside_are_cut():
    target = np.append(np.linspace(0.0, 1.0, 101), [1e9, -1e9])
    cut = within_fences(target)
    np.testing.assert_array_equal(cut[:101], target[:101])
    assert -2.0 < cut.min() < cut.max() < 3.0


def test_intervals_of_residuals_are_their_quantiles():
    """With equal weights they are those of split conformal prediction: ranks of n + 1."""
    residual = np.random.default_rng(0).permutation(np.arange(-49.0, 50.0))
    found = HeldOutResiduals.of(residual, np.zeros(99), np.ones(99), np.ones(99), NumberJudge())
    lower, upper = found.interval(np.array([10.0]), 0.9)
    assert (lower[0], upper[0]) == (10.0 - 45.0, 10.0 + 45.0)


def test_rows_that_are_not_believed_do_not_widen_intervals():
    residual = np.append(np.random.default_rng(0).normal(size=400), np.full(40, 50.0))
    trust, one = np.append(np.ones(400), np.zeros(40)), np.ones(440)
    all_rows = HeldOutResiduals.of(residual, np.zeros(440), one, trust, NumberJudge())
    right = HeldOutResiduals.of(residual[:400], np.zeros(400), one[:400], trust[:400], NumberJudge())
    for coverage in (0.5, 0.9, 0.99):
        np.testing.assert_allclose(
            all_rows.interval(np.zeros(1), coverage), right.interval(np.zeros(1), coverage)
        )


def test_copies_of_a_residual_are_a_weight():
    rng = np.random.default_rng(0)
    residual, trust, copies = rng.normal(size=30), rng.uniform(size=30), rng.integers(1, 9, 30)
    weighted = HeldOutResiduals.of(residual, np.zeros(30), copies.astype(float), trust, NumberJudge())
    many = [np.repeat(each, copies) for each in (residual, np.zeros(30), np.ones(30), trust)]
    copied = HeldOutResiduals.of(*many, NumberJudge())
    for coverage in (0.5, 0.9, 0.97):
        found = weighted.interval(np.zeros(1), coverage), copied.interval(np.zeros(1), coverage)
        np.testing.assert_array_equal(*found)


def test_intervals_grow_with_the_level():
    mean = np.array([-1.0, 0.0, 1.0])
    one = np.ones(101)
    found = HeldOutResiduals.of(np.linspace(-1, 1, 101), np.zeros(101), one, one, NumberJudge(growth=1.0))
    lower, upper = found.interval(mean, 0.8)
    assert (upper - lower) == pytest.approx((upper - lower)[1] * np.exp(mean))
