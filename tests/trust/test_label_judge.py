"""Probabilities of labels to be wrong, on labels of which the truth is known."""

import numpy as np
import pytest
from scipy.special import expit, softmax

from rowtrust.numerics.statistics import class_probabilities, log_odds_of
from rowtrust.trust import LabelJudge, judge_labels, learn_label_judge, learn_label_noise, no_noise
from rowtrust.trust.lists import is_flagged
from rowtrust.trust.matrix import uniform_noise

NOISES = [uniform_noise(0.15, 2), np.array([[0.9, 0.1], [0.3, 0.7]]), np.array([[1.0, 0.0], [0.3, 0.7]])]


def judged(log_odds, matrix, given, weight=None):
    """Judge labels by true log-odds, the noise learnt from probabilities of labels as given."""
    weight = np.ones(len(given)) if weight is None else weight
    noise = learn_label_noise(class_probabilities(log_odds) @ matrix, given, weight)
    return learn_label_judge(log_odds, given, weight, noise).verdict(log_odds, given)


def test_one_judge_of_one_mind_follows_bayes_rule():
    matrix = np.array([[0.9, 0.1], [0.3, 0.7]])
    judge = LabelJudge(np.array([2.0]), matrix[None], np.array([1.0]), np.ones(2, dtype=bool))
    found = judge.verdict(np.array([[0.4], [0.4]]), np.array([0, 1]))
    p = expit(0.8)
    np.testing.assert_allclose(found.probability, [[1 - p, p]] * 2, rtol=1e-12)
    wrong = [p * 0.3 / (p * 0.3 + (1 - p) * 0.9), (1 - p) * 0.1 / ((1 - p) * 0.1 + p * 0.7)]
    np.testing.assert_allclose(found.wrong, wrong, rtol=1e-12)


def test_judges_of_two_minds_are_averaged():
    matrices, slopes = np.array([no_noise(2), NOISES[1]]), np.array([1.0, 3.0])
    log_odds, given, can = np.linspace(-2, 2, 9)[:, None], np.arange(9) % 2, np.ones(2, dtype=bool)
    both = LabelJudge(slopes, matrices, np.array([0.25, 0.75]), can).verdict(log_odds, given)
    alone = [
        LabelJudge(slopes[i : i + 1], matrices[i : i + 1], np.ones(1), can).verdict(log_odds, given)
        for i in (0, 1)
    ]
    assert (alone[0].wrong == 0.0).all()
    np.testing.assert_allclose(both.wrong, 0.75 * alone[1].wrong, rtol=1e-12)
    np.testing.assert_allclose(
        both.probability, 0.25 * alone[0].probability + 0.75 * alone[1].probability, rtol=1e-12
    )


@pytest.mark.parametrize("matrix", NOISES, ids=str)
def test_of_the_rows_named_about_as_many_are_right_as_promised(noisy_labels, matrix):
    log_odds, true, given = noisy_labels(4000, matrix, spread=8.0)
    found = judged(log_odds, matrix, given)
    truth = true != given
    named = is_flagged(found.wrong)
    assert named.sum() > 50
    assert np.mean(~truth[named]) < 0.25
    assert found.wrong.sum() == pytest.approx(truth.sum(), rel=0.25)
    assert found.errors[0] <= truth.sum() <= found.errors[1]


def test_hard_rows_whose_labels_are_right_are_not_named(noisy_labels):
    log_odds, _, given = noisy_labels(3000, no_noise(2))
    wrong = judged(log_odds, no_noise(2), given).wrong
    hard = (log_odds[:, 0] > 0) != given
    assert hard.sum() > 300
    assert is_flagged(wrong).sum() == 0
    assert wrong[hard].mean() < 0.25


def test_weights_are_copies(noisy_labels):
    log_odds, _, given = noisy_labels(300, NOISES[0])
    copies = 1 + np.arange(300) % 3
    many = np.repeat(np.arange(300), copies)
    one = judged(log_odds, NOISES[0], given, copies.astype(float)).wrong
    two = judged(log_odds[many], NOISES[0], given[many]).wrong
    np.testing.assert_allclose(one[many], two, rtol=1e-6)


def test_the_order_of_rows_does_not_matter(noisy_labels):
    log_odds, _, given = noisy_labels(500, NOISES[1])
    order = np.random.default_rng(0).permutation(500)
    here, there = judged(log_odds, NOISES[1], given), judged(log_odds[order], NOISES[1], given[order])
    np.testing.assert_allclose(there.wrong, here.wrong[order], rtol=1e-9)


def test_classes_may_swap_their_names(noisy_labels):
    log_odds, _, given = noisy_labels(500, NOISES[2])
    swapped = judged(-log_odds, NOISES[2][::-1, ::-1], 1 - given)
    np.testing.assert_allclose(swapped.wrong, judged(log_odds, NOISES[2], given).wrong, rtol=1e-6)


def test_a_single_row_of_a_class_is_not_judged():
    label = np.append(np.arange(200) % 2, 2)
    probability = np.where(np.eye(3)[label] > 0, 0.9, 0.05)
    probability[-1] = [0.9, 0.05, 0.05]
    _, judge = judge_labels(probability, label, np.ones(201))
    assert judge.verdict(log_odds_of(probability), label).wrong[-1] == 0.0


def of_classes(n_classes, matrix, seed=0, n_rows=1000):
    """Return right probabilities of labels as given behind a noise, these labels, and which are wrong."""
    rng = np.random.default_rng(seed)
    centre = rng.integers(n_classes, size=n_rows)
    probability = softmax(6.0 * np.eye(n_classes)[centre] + rng.normal(size=(n_rows, n_classes)), axis=1)
    true = (probability.cumsum(axis=1) > rng.random((n_rows, 1))).argmax(axis=1)
    given = (matrix[true].cumsum(axis=1) > rng.random((n_rows, 1))).argmax(axis=1)
    return probability @ matrix, given, given != true


@pytest.mark.parametrize("n_classes", [3, 5, 30])
def test_rows_of_each_class_that_were_given_the_next_are_found(n_classes):
    matrix = 0.75 * np.eye(n_classes) + 0.25 * np.roll(np.eye(n_classes), 1, axis=1)
    probability, given, wrong = of_classes(n_classes, matrix, n_rows=200 * n_classes)
    noise, judge = judge_labels(probability, given, np.ones(len(given)))
    assert np.abs(np.diag(noise.matrix) - 0.75).mean() < 0.08
    named = is_flagged(judge.verdict(log_odds_of(probability), given).wrong)
    assert named[wrong].mean() > 0.6
    assert wrong[named].mean() > 0.7


def test_of_right_labels_hardly_any_is_named():
    probability, given, _ = of_classes(4, np.eye(4))
    noise, judge = judge_labels(probability, given, np.ones(1000))
    assert is_flagged(judge.verdict(log_odds_of(probability), given).wrong).mean() < 0.01
    assert np.diag(noise.matrix).min() > 0.93


def test_the_order_of_classes_and_rows_does_not_matter():
    matrix = 0.8 * np.eye(3) + 0.2 * np.roll(np.eye(3), 1, axis=1)
    probability, given, _ = of_classes(3, matrix)
    turned, rows = np.array([2, 0, 1]), np.random.default_rng(0).permutation(1000)
    other, label = probability[:, np.argsort(turned)][rows], turned[given][rows]
    here = judge_labels(probability, given, np.ones(1000))[1].verdict(log_odds_of(probability), given)
    there = judge_labels(other, label, np.ones(1000))[1].verdict(log_odds_of(other), label)
    np.testing.assert_allclose(there.wrong, here.wrong[rows], atol=1e-9)


def test_a_probability_is_none_above_one():
    """Ten shares of 0.1 add up to more than one by rounding: the report refused such a row."""
    matrices = np.tile(uniform_noise(0.5, 2), (10, 1, 1))
    judge = LabelJudge(np.ones(10), matrices, np.full(10, 0.1 + 1e-16), np.ones(2, dtype=bool))
    found = judge.verdict(np.array([[500.0], [-500.0]]), np.array([0, 1]))
    assert found.wrong.min() >= 0.0
    assert found.wrong.max() <= 1.0
