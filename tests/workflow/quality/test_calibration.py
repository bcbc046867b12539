"""Whether probabilities and intervals can be taken at face value, in words."""

import numpy as np
import pytest
from scipy.special import expit

from rowtrust.workflow.quality import calibration
from rowtrust.workflow.quality.calibration import class_calibration, number_calibration


def told(n_rows, sharpness, seed=0):
    """Two classes whose log odds are told too large by a factor, or too small."""
    generator = np.random.default_rng(seed)
    odds = 1.5 * generator.normal(size=n_rows)
    label = (generator.random(n_rows) < expit(odds)).astype(int)
    said = expit(sharpness * odds)
    return np.stack([1 - said, said], axis=1), label


@pytest.mark.parametrize(
    ("sharpness", "verdict", "words"),
    [
        (1.0, "right", "can be taken at face value"),
        (3.0, "too sure", "Probabilities are overconfident: where it says"),
        (0.3, "too careful", "Probabilities are underconfident: where it says"),
    ],
)
def test_probabilities_get_a_verdict_in_words(sharpness, verdict, words):
    found = class_calibration(*told(800, sharpness), 0)
    assert found.verdict == verdict
    assert words in found.words
    assert sum(each.n_rows for each in found.bins) == found.n_rows == 800
    assert all(each.lower <= each.seen <= each.upper for each in found.bins)


def test_true_probabilities_are_seldom_called_wrong():
    wrong = sum(
        class_calibration(*told(200, 1.0, seed), seed).verdict not in {"right", "nearly right"}
        for seed in range(200)
    )
    assert wrong <= 6  # two are due


def test_the_test_has_its_level():
    p_values = np.array([class_calibration(*told(150, 1.0, seed), seed).p_value for seed in range(200)])
    assert (p_values < 0.1).mean() < 0.17
    assert (
        np.array([class_calibration(*told(150, 4.0, s), s).p_value for s in range(20)]) < 0.01
    ).mean() > 0.9


def test_small_faults_that_are_sure_are_called_small():
    probability, label = told(200_000, 1.08)
    found = class_calibration(probability, label, 0)
    assert found.p_value < 0.01
    assert found.verdict == "nearly right"


def test_few_rows_are_said_to_be_few():
    found = class_calibration(*told(40, 1.0), 0)
    assert found.verdict == "too few rows"
    assert "40 rows are too few to be sure" in found.words


def test_rows_told_many_times_do_not_make_it_surer():
    probability, label = told(40, 1.6, seed=3)
    many = np.repeat(probability, 25, axis=0), np.repeat(label, 25)
    alone = class_calibration(*many, 0)
    together = class_calibration(*many, 0, np.repeat(np.arange(40), 25))
    assert alone.p_value < 0.01 < together.p_value


def test_certainty_that_fails_is_too_sure():
    probability = np.tile([0.0, 1.0], (200, 1))
    label = np.ones(200, dtype=int)
    assert class_calibration(probability, label, 0).verdict == "right"
    label[:10] = 0
    found = class_calibration(probability, label, 0)
    assert found.verdict == "too sure"
    assert "where it says 100 %, 95 % of 200 rows are right" in found.words


@pytest.mark.parametrize(
    ("told_deviation", "verdict", "words"),
    [
        (1.0, "right", "Intervals can be taken at face value: those of 90 % contain"),
        (0.5, "too sure", "They should be 2 times as wide."),
        (2.0, "too careful", "They should be 0.5 times as wide."),
    ],
)
def test_intervals_get_a_verdict_in_words(told_deviation, verdict, words):
    target = np.random.default_rng(0).normal(size=4000)
    found = number_calibration(np.zeros(4000), np.full(4000, told_deviation), target, None)
    assert found.verdict == verdict
    assert words in found.words
    assert found.factor == pytest.approx(1.0 / told_deviation, rel=0.05)
    assert [each.said for each in found.bins] == [0.5, 0.9]


def test_peaked_errors_are_uneven():
    generator = np.random.default_rng(0)
    target = np.where(generator.random(3000) < 0.85, 0.2, 3.0) * generator.normal(size=3000)
    found = number_calibration(np.zeros(3000), np.full(3000, 1.0), target, None)
    assert found.verdict == "uneven"
    assert "the usual error is smaller than the intervals say" in found.words


def test_either_kind_of_prediction_is_taken():
    probability, label = told(300, 1.0)
    words = np.array(["a", "b"])
    found = calibration.calibration(probability, words[label], words, None, 0, np.arange(300))
    assert found == class_calibration(probability, label, 0)
    target = np.random.default_rng(0).normal(size=50)
    found = calibration.calibration((np.zeros(50), np.ones(50)), target, np.empty(0), None, 0)
    assert found.verdict == "too few rows"
