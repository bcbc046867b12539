"""The figures of quality and their intervals."""

import numpy as np
import pytest
from scipy.stats import norm, t
from sklearn import metrics

from rowtrust.workflow import quality


def test_area_under_the_curve_matches_scikit_learn():
    generator = np.random.default_rng(0)
    score, positive = np.round(generator.random(200), 1), generator.random(200) < 0.4
    counts = quality.resampling(200, 0)
    areas = quality.areas(counts, score, positive)
    for row in (0, 1, 50):
        assert areas[row] == pytest.approx(metrics.roc_auc_score(positive, score, sample_weight=counts[row]))


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    generator = np.random.default_rng(0)
    hits = 0
    for seed in range(100):
        label = generator.integers(2, size=150)
        right = generator.random(150) < 0.8
        probability = np.eye(2)[np.where(right, label, 1 - label)]
        accuracy = quality.class_quality(np.clip(probability, 0.01, 0.99), label, seed)[0]
        hits += accuracy.lower <= 0.8 <= accuracy.upper
    assert 80 <= hits <= 98


def by_name(figures):
    return {each.name: each.value for each in figures}


def test_figures_of_classes_match_scikit_learn():
    generator = np.random.default_rng(0)
    label = generator.integers(3, size=100)
    probability = generator.dirichlet(np.ones(3) + np.eye(3)[0], 100)
    found = by_name(quality.class_quality(probability, label, 0))
    best = probability.argmax(axis=1)
    assert found["accuracy"] == pytest.approx(metrics.accuracy_score(label, best))
    assert found["balanced accuracy"] == pytest.approx(metrics.balanced_accuracy_score(label, best))
    assert found["log loss"] == pytest.approx(metrics.log_loss(label, probability))
    assert found["Brier score"] == pytest.approx(((probability - np.eye(3)[label]) ** 2).sum(axis=1).mean())
    assert "AUC" not in found


def test_figures_of_numbers_match_scikit_learn():
    generator = np.random.default_rng(0)
    target, mean = generator.normal(size=(2, 100))
    found = by_name(quality.number_quality(mean, np.full(100, 0.5), target, 0, widen=2.0))
    assert found["RMSE"] == pytest.approx(metrics.root_mean_squared_error(target, mean))
    assert found["MAE"] == pytest.approx(metrics.mean_absolute_error(target, mean))
    assert found["median error"] == pytest.approx(metrics.median_absolute_error(target, mean))
    assert found["R²"] == pytest.approx(metrics.r2_score(target, mean))
    assert found["90% coverage"] == pytest.approx((np.abs(target - mean) <= 1.0).mean())


def test_labels_are_found_among_all_classes():
    probability = np.array([[0.1, 0.8, 0.1], [0.1, 0.1, 0.8]] * 10)
    figures = quality.quality_figures(
        probability, np.array(["b", "c"] * 10), np.array(["a", "b", "c"]), None, 0
    )
    assert figures[0].value == 1.0


def test_intervals_are_students_for_robust_noise():
    robust = type("Model", (), {"trust_prior_": 2.0})
    assert quality.interval_factor(robust, 0.9) == pytest.approx(t.ppf(0.95, 4.0))
    assert quality.interval_factor(object(), 0.9) == pytest.approx(norm.ppf(0.95))


def test_the_same_rows_of_every_array_are_resampled(monkeypatch):
    monkeypatch.setattr(quality, "MOST_ROWS", 10)
    first, second = quality.thinned(0, np.arange(100), 2 * np.arange(100))
    assert len(first) == 10
    np.testing.assert_array_equal(second, 2 * first)
