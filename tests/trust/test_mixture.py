"""Share and sharpness of predictions, learnt from targets of which some are wrong."""

import numpy as np
import pytest
from scipy import stats

from rowtrust.trust import mixture


def labels_behind(share, n=4000):
    """Return true probabilities of two classes, and labels of which a share is flipped."""
    rng = np.random.default_rng(0)
    probability = rng.beta(0.4, 0.4, n)
    truth = (rng.random(n) < probability).astype(int)
    return np.column_stack([1 - probability, probability]), np.where(rng.random(n) < share, 1 - truth, truth)


def numbers_behind(share, n=2000):
    """Return true means and deviations, and targets of which a share is anything; the flag tells which."""
    rng = np.random.default_rng(0)
    mean, deviation, wrong = rng.normal(size=n), rng.uniform(0.1, 0.5, n), rng.random(n) < share
    target = np.where(
        wrong, rng.choice([-1, 1], n) * rng.uniform(3, 30, n), mean + deviation * rng.normal(size=n)
    )
    return (mean, deviation), target, wrong


@pytest.mark.parametrize("share", [0.0, 0.1, 0.2])
def test_the_share_of_wrong_rows_is_found_from_true_predictions(share):
    assert mixture(*labels_behind(share)).share == pytest.approx(share, abs=0.03)
    prediction, target, _ = numbers_behind(share)
    found = mixture(prediction, target)
    assert found.share == pytest.approx(share, abs=0.02)


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_predictions_may_be_bold_or_timid(factor):
    (mean, deviation), target, _ = numbers_behind(0.1)
    assert mixture((mean, factor * deviation), target).share == pytest.approx(0.1, abs=0.02)


def test_evidence_prefers_the_truth_and_forgives_wrong_rows():
    """Sharp right predictions beat blunted ones even where a tenth of the labels is wrong."""
    generator = np.random.default_rng(0)
    truth = generator.integers(2, size=2000)
    label = np.where(generator.random(2000) < 0.1, 1 - truth, truth)
    right = np.clip(np.eye(2)[truth], 0.02, 0.98)
    noisy = np.where(generator.random(2000)[:, None] < 0.15, right[:, ::-1], right)
    assert mixture(right, label).log_score > mixture(noisy, label).log_score
    assert mixture(right, label).share == pytest.approx(0.1, abs=0.03)


def test_of_clean_numbers_the_score_is_their_log_density():
    (mean, deviation), target, _ = numbers_behind(0.0)
    found = mixture((mean, deviation), target, np.ones(1))
    assert found.share == 0.0
    expected = stats.norm(mean, deviation).logpdf(target)
    np.testing.assert_allclose(found.row_scores, expected, rtol=1e-9, atol=1e-9)
    assert found.log_score == pytest.approx(expected.sum())


def test_units_change_only_the_score():
    (mean, deviation), target, _ = numbers_behind(0.1)
    plain = mixture((mean, deviation), target)
    moved = mixture((5.0 + 1e3 * mean, 1e3 * deviation), 5.0 + 1e3 * target)
    assert moved.share == plain.share
    assert moved.log_score == pytest.approx(plain.log_score - 2000 * np.log(1e3), rel=1e-9)


def test_the_order_of_rows_does_not_matter():
    (mean, deviation), target, _ = numbers_behind(0.1)
    found, order = mixture((mean, deviation), target), np.random.default_rng(1).permutation(2000)
    shuffled = mixture((mean[order], deviation[order]), target[order])
    np.testing.assert_allclose(shuffled.row_scores, found.row_scores[order], atol=1e-9)


@pytest.mark.parametrize(("target", "deviation"), [(np.zeros(20), 1.0), (np.arange(20.0), 0.0)])
def test_exact_predictions_have_a_score(target, deviation):
    assert np.isfinite(mixture((target, np.full(20, deviation)), target).row_scores).all()
