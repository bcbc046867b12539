"""The figures of quality: of all rows, as scikit-learn has them, with intervals that are never empty."""

import numpy as np
import pytest
from scipy.stats import norm, t
from sklearn import metrics

from rowtrust.workflow.quality import figures


def by_name(found):
    return {each.name: each.value for each in found}


def some_classes(n_rows, n_classes, seed=0):
    generator = np.random.default_rng(seed)
    probability = generator.dirichlet(np.ones(n_classes), n_rows)
    label = (generator.random(n_rows)[:, None] > probability.cumsum(axis=1)).sum(axis=1)
    return probability, np.minimum(label, n_classes - 1)


@pytest.mark.parametrize(("n_classes", "n_rows"), [(2, 100), (2, 12_000), (3, 100)])
def test_figures_of_classes_match_scikit_learn_on_all_rows(n_classes, n_rows):
    """Above 5000 rows a random 5000 used to stand for all; two classes had twice the usual Brier score."""
    probability, label = some_classes(n_rows, n_classes)
    found = by_name(figures.class_quality(probability, label, 0))
    best = probability.argmax(axis=1)
    assert found["accuracy"] == pytest.approx(metrics.accuracy_score(label, best))
    assert found["balanced accuracy"] == pytest.approx(metrics.balanced_accuracy_score(label, best))
    assert found["log loss"] == pytest.approx(metrics.log_loss(label, probability))
    if n_classes == 2:
        assert found["Brier score"] == pytest.approx(metrics.brier_score_loss(label, probability[:, 1]))
        assert found["AUC"] == pytest.approx(metrics.roc_auc_score(label, probability[:, 1]))
    else:
        square = ((probability - np.eye(3)[label]) ** 2).sum(axis=1).mean()
        assert found["Brier score"] == pytest.approx(square)
        assert "AUC" not in found


@pytest.mark.parametrize(("n_classes", "guess"), [(2, "0.69 a coin"), (3, "1.10 (ln 3) an even guess")])
def test_log_loss_is_told_beside_that_of_a_guess_among_the_classes(n_classes, guess):
    """Of three classes, too, 0.69 was said to be a coin."""
    found = {each.name: each.explanation for each in figures.class_quality(*some_classes(100, n_classes), 0)}
    assert found["log loss"].endswith(f"0 is best, {guess}")


@pytest.mark.parametrize("n_rows", [100, 12_000])
def test_figures_of_numbers_match_scikit_learn_on_all_rows(n_rows):
    generator = np.random.default_rng(0)
    target, mean = generator.standard_t(3, size=(2, n_rows))
    found = by_name(figures.number_quality(mean, np.full(n_rows, 0.5), target, 0, widen=2.0))
    assert found["RMSE"] == pytest.approx(metrics.root_mean_squared_error(target, mean))
    assert found["MAE"] == pytest.approx(metrics.mean_absolute_error(target, mean))
    assert found["median error"] == pytest.approx(metrics.median_absolute_error(target, mean))
    assert found["R²"] == pytest.approx(metrics.r2_score(target, mean))
    assert found["90% coverage"] == pytest.approx((np.abs(target - mean) <= 1.0).mean())


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    """Of probabilities that are true, 60 rows: the truths are those of a million."""
    truths = by_name(figures.class_quality(*some_classes(300_000, 2, seed=99), 0))
    hits = dict.fromkeys(truths, 0)
    for seed in range(150):
        for each in figures.class_quality(*some_classes(60, 2, seed), seed):
            hits[each.name] += each.lower <= truths[each.name] <= each.upper
    for name, count in hits.items():
        assert count >= 123, (name, count)  # 135 are due; three deviations are 11
        assert count <= 149 or name in {"accuracy", "balanced accuracy", "AUC"}, (name, count)


def test_intervals_of_numbers_hold_the_truth():
    generator = np.random.default_rng(0)
    truths = {"RMSE": 1.0, "MAE": np.sqrt(2 / np.pi), "median error": norm.ppf(0.75), "90% coverage": 0.9}
    hits = dict.fromkeys(truths, 0)
    for seed in range(150):
        target = generator.normal(size=40)
        found = figures.number_quality(np.zeros(40), np.ones(40), target, seed, float(norm.ppf(0.95)))
        for each in found:
            if each.name in truths:
                hits[each.name] += each.lower <= truths[each.name] <= each.upper
    assert min(hits.values()) >= 120, hits


PERFECT = (np.tile([[0.01, 0.99], [0.99, 0.01]], (20, 1)), np.tile([1, 0], 20))
CERTAIN = (np.tile([[0.0, 1.0], [1.0, 0.0]], (20, 1)), np.tile([1, 0], 20))
ALL_WRONG = (PERFECT[0], 1 - PERFECT[1])
ONE_CLASS = (np.tile([0.2, 0.8], (30, 1)), np.ones(30, dtype=int))


@pytest.mark.parametrize("groups", [None, np.arange(40) // 4])
@pytest.mark.parametrize(("probability", "label"), [PERFECT, CERTAIN, ALL_WRONG, ONE_CLASS])
def test_no_interval_of_classes_is_empty(probability, label, groups):
    """100 % of 40 rows used to be "100.0 to 100.0 %"."""
    groups = None if groups is None else groups[: len(label)]
    for each in figures.class_quality(probability, label, 0, groups):
        assert each.lower <= each.value <= each.upper
        assert each.upper - each.lower > 1e-3, each
        assert each.method


def test_all_of_40_rows_are_93_to_100_percent():
    accuracy = figures.class_quality(*PERFECT, 0)[0]
    assert (accuracy.value, accuracy.upper) == (1.0, 1.0)
    assert accuracy.lower == pytest.approx(0.05 ** (1 / 40))


@pytest.mark.parametrize("error", [0.0, 0.5])
def test_no_interval_of_constant_errors_is_empty(error):
    target = np.arange(40.0)
    found = figures.number_quality(target + error, np.ones(40), target, 0, 1.6)
    for each in found:
        assert each.lower <= each.value <= each.upper
        if each.name != "median error":  # exact: half of the rows surely err by just this
            assert each.upper - each.lower > 1e-6, each


def test_equal_targets_have_no_share_of_variance():
    found = by_name(figures.number_quality(np.arange(20.0), np.ones(20), np.full(20, 3.0), 0, 1.6))
    assert "R²" not in found
    assert np.isfinite(list(found.values())).all()


def test_no_ranking_is_judged_by_one_positive_row():
    """The AUC of one positive row used to be shown, with an interval of no meaning."""
    probability, _ = some_classes(40, 2)
    label = np.zeros(40, dtype=int)
    label[probability[:, 1].argmax()] = 1
    assert "AUC" not in by_name(figures.class_quality(probability, label, 0))


def test_rows_in_groups_have_wider_intervals():
    probability, label = (np.repeat(each, 8, axis=0) for each in some_classes(50, 2))
    alone = figures.class_quality(probability, label, 0)
    together = figures.class_quality(probability, label, 0, np.repeat(np.arange(50), 8))
    for one, other in zip(alone, together, strict=True):
        assert one.value == pytest.approx(other.value)
        ratio = (other.upper - other.lower) / (one.upper - one.lower)
        assert 2.0 < ratio < 4.0, one.name  # rows that are told eight times: the root of eight


def test_labels_are_found_among_all_classes():
    probability = np.array([[0.1, 0.8, 0.1], [0.1, 0.1, 0.8]] * 10)
    found = figures.quality_figures(
        probability, np.array(["b", "c"] * 10), np.array(["a", "b", "c"]), None, 0
    )
    assert found[0].value == 1.0


def test_deviations_that_are_not_known_give_no_coverage():
    target = np.arange(20.0)
    found = figures.quality_figures((target + 1, np.full(20, np.nan)), target, np.empty(0), None, 0)
    assert [each.name for each in found] == ["RMSE", "MAE", "median error", "R²"]


def test_intervals_are_students_for_robust_noise():
    robust = type("Model", (), {"trust_prior_": 2.0})
    assert figures.interval_factor(robust, 0.9) == pytest.approx(t.ppf(0.95, 4.0))
    assert figures.interval_factor(object(), 0.9) == pytest.approx(norm.ppf(0.95))
