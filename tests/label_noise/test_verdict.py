"""Probabilities of labels to be wrong, on labels of which the truth is known."""

import numpy as np
import pytest
from scipy.special import expit

from rowtrust.label_noise import Judge, appoint_judge, no_noise
from rowtrust.label_noise.matrix import uniform_noise
from rowtrust.numerics.accusations import accused

NOISES = [uniform_noise(0.1, 2), np.array([[0.9, 0.1], [0.3, 0.7]]), np.array([[1.0, 0.0], [0.3, 0.7]])]


def judged(log_odds, given):
    return appoint_judge(log_odds, given, np.ones(len(given))).verdict(log_odds, given)


def test_one_judge_of_one_mind_follows_bayes_rule():
    matrix = np.array([[0.9, 0.1], [0.3, 0.7]])
    judge = Judge(np.array([2.0]), matrix[None], np.array([1.0]))
    found = judge.verdict(np.array([[0.4], [0.4]]), np.array([0, 1]))
    p = expit(0.8)
    np.testing.assert_allclose(found.probability, [[1 - p, p]] * 2, rtol=1e-12)
    wrong = [p * 0.3 / (p * 0.3 + (1 - p) * 0.9), (1 - p) * 0.1 / ((1 - p) * 0.1 + p * 0.7)]
    np.testing.assert_allclose(found.wrong, wrong, rtol=1e-12)


def test_judges_of_two_minds_are_averaged():
    matrices, slopes = np.array([no_noise(2), NOISES[1]]), np.array([1.0, 3.0])
    log_odds, given = np.linspace(-2, 2, 9)[:, None], np.arange(9) % 2
    both = Judge(slopes, matrices, np.array([0.25, 0.75])).verdict(log_odds, given)
    alone = [
        Judge(slopes[i : i + 1], matrices[i : i + 1], np.ones(1)).verdict(log_odds, given) for i in (0, 1)
    ]
    assert (alone[0].wrong == 0.0).all()
    np.testing.assert_allclose(both.wrong, 0.75 * alone[1].wrong, rtol=1e-12)
    np.testing.assert_allclose(
        both.probability, 0.25 * alone[0].probability + 0.75 * alone[1].probability, rtol=1e-12
    )


@pytest.mark.parametrize("matrix", NOISES, ids=str)
def test_of_the_rows_named_about_as_many_are_right_as_promised(noisy_labels, matrix):
    log_odds, true, given = noisy_labels(4000, matrix)
    wrong = judged(log_odds, given).wrong
    truth = true != given
    named = accused(wrong)
    assert named.sum() > 50
    assert np.mean(~truth[named]) == pytest.approx(0.2, abs=0.08)
    assert wrong.sum() == pytest.approx(truth.sum(), rel=0.25)
    for low, high in ((0.1, 0.5), (0.5, 0.9)):
        among = (wrong > low) & (wrong < high)
        assert truth[among].mean() == pytest.approx(wrong[among].mean(), abs=0.1)


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_timid_and_bold_models_name_the_same_rows(noisy_labels, factor):
    log_odds, _, given = noisy_labels(3000, NOISES[1])
    plain, other = (accused(judged(each * log_odds, given).wrong) for each in (1.0, factor))
    assert np.mean(plain != other) < 0.02


def test_hard_rows_whose_labels_are_right_are_not_named(noisy_labels):
    log_odds, _, given = noisy_labels(3000, no_noise(2))
    wrong = judged(log_odds, given).wrong
    hard = (log_odds[:, 0] > 0) != given
    assert hard.sum() > 300
    assert accused(wrong).sum() < 0.01 * 3000
    assert wrong[hard].mean() < 0.25


def test_weights_are_copies(noisy_labels):
    log_odds, _, given = noisy_labels(300, NOISES[0])
    copies = 1 + np.arange(300) % 3
    weighted = appoint_judge(log_odds, given, copies.astype(float))
    repeated = appoint_judge(
        np.repeat(log_odds, copies, axis=0), np.repeat(given, copies), np.ones(copies.sum())
    )
    one, two = (judge.verdict(log_odds, given).wrong for judge in (weighted, repeated))
    np.testing.assert_allclose(one, two, rtol=1e-6)


def test_classes_may_swap_their_names(noisy_labels):
    log_odds, _, given = noisy_labels(500, NOISES[2])
    np.testing.assert_allclose(judged(-log_odds, 1 - given).wrong, judged(log_odds, given).wrong, rtol=1e-6)


def test_several_classes():
    generator = np.random.default_rng(0)
    true = generator.integers(4, size=1200)
    flipped = generator.random(1200) < 0.15
    given = np.where(flipped, (true + generator.integers(1, 4, 1200)) % 4, true)
    log_odds = 3.0 * (2.0 * np.eye(4)[true] - 1.0) + generator.normal(size=(1200, 4))
    found = judged(log_odds, given)
    np.testing.assert_allclose(found.probability.sum(axis=1), 1.0)
    named = accused(found.wrong)
    assert flipped[named].mean() > 0.75
    assert named[flipped].mean() > 0.9
