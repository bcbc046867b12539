"""What probabilities say beyond how common the labels are, and what is said where that is nothing."""

import numpy as np
import pytest
from scipy.special import expit

from rowtrust import find_wrong_rows
from rowtrust.trust import finding, judge_numbers
from rowtrust.trust.shares import NOTHING_EXPLAINED, calibration, explains, log_shares, softened


def two(chance):
    """Probabilities of two classes from that of the second."""
    return np.column_stack([1.0 - chance, chance])


def drawn(n_rows, slope, seed=0, rate=0.5):
    """Probabilities of labels drawn from them, and the labels."""
    generator = np.random.default_rng(seed)
    chance = expit(slope * generator.normal(size=n_rows) + np.log(rate / (1.0 - rate)))
    return two(chance), (generator.random(n_rows) < chance).astype(int)


def test_softening_goes_from_the_shares_to_the_probabilities():
    probability, label = drawn(50, 2.0)
    usual = log_shares(label, np.ones(50), 2)
    np.testing.assert_allclose(softened(probability, usual, 1.0), probability)
    np.testing.assert_allclose(softened(probability, usual, 0.0), np.tile(np.exp(usual), (50, 1)))


@pytest.mark.parametrize("power", [2.0, 5.0])
def test_probabilities_that_are_too_sure_are_softened_as_much(power):
    probability, label = drawn(4000, 1.5)
    sure = probability**power / (probability**power).sum(axis=1, keepdims=True)
    assert calibration(sure, label, np.ones(4000)) == pytest.approx(1.0 / power, rel=0.1)
    assert calibration(probability, label, np.ones(4000)) == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("seed", range(3))
def test_pure_noise_cannot_be_judged_however_sure_the_model_is(seed):
    generator = np.random.default_rng(seed)
    label, chance = generator.integers(0, 2, 400), generator.beta(0.3, 0.3, 400)
    found = find_wrong_rows(y=label, probabilities=two(chance))
    assert found.reason == NOTHING_EXPLAINED
    assert found.summary.startswith("Rows cannot be judged")
    assert not len(found.flagged)
    assert not len(found.worth_a_look)


def test_weak_signal_is_judged_and_nobody_is_flagged():
    probability, label = drawn(400, 0.7)
    assert explains(probability, label, np.ones(400))
    found = find_wrong_rows(y=label, probabilities=probability)
    assert not found.reason
    assert not len(found.flagged)


@pytest.mark.parametrize("seed", range(3))
def test_a_rare_class_that_is_hard_to_tell_is_not_flagged_whole(seed):
    probability, label = drawn(400, 1.0, seed, rate=0.1)
    found = find_wrong_rows(y=label, probabilities=probability)
    assert len(found.flagged) <= 2


def test_rare_classes_are_judged_where_the_noise_is_learnt_from_other_rows(monkeypatch):
    monkeypatch.setattr(finding, "JUDGED_ROWS", 200)
    generator = np.random.default_rng(0)
    true = np.repeat([0, 1], 500)
    probability = np.full((1000, 3), 0.005)
    probability[np.arange(1000), true] = 0.99
    label = np.where(generator.random(1000) < 0.05, 1 - true, true)
    sample = np.random.RandomState(0).permutation(1000)[:200]
    rare = np.append(np.setdiff1d(np.arange(1000), sample)[:3], sample[:1])
    label[rare] = (
        2  # four rows of a class of their own, which their inputs contradict, one of them in the sample
    )
    found = find_wrong_rows(y=label, probabilities=probability)
    assert found.p_wrong[rare].min() > 0.1  # and not zero, as if nothing could be said of them


def test_probabilities_must_be_finite():
    probability, label = drawn(20, 1.0)
    probability[3, 0] = np.inf
    with pytest.raises(ValueError, match="finite"):
        find_wrong_rows(y=label, probabilities=probability)


@pytest.mark.parametrize(("share", "is_flagged"), [(0.1, True), (0.35, False)])
def test_a_group_of_more_than_a_quarter_is_a_regime(share, is_flagged):
    generator = np.random.default_rng(1)
    mean = generator.normal(size=400)
    apart = np.arange(400) < share * 400
    target = mean + 0.5 * generator.normal(size=400) + 6.0 * apart
    wrong = judge_numbers(target, mean, np.ones(400)).wrong > 0.8
    assert (wrong[apart].mean() > 0.8) == is_flagged
    assert not wrong[~apart].any()
