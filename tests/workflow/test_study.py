"""The choice between models, and the figures of quality."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from rowtrust.auditing import Mixture
from rowtrust.workflow import Settings, quality, run_study
from rowtrust.workflow.candidates import Candidate, choose


def candidate(name, evidence):
    evidence = np.asarray(evidence, dtype=float)
    zero = np.zeros(len(evidence))
    return Candidate(name, name, None, Mixture(0.0, float(evidence.sum()), evidence, zero, zero), None)


def test_the_best_evidence_wins_beyond_its_error():
    noise = np.random.default_rng(0).normal(size=400)
    robust, plain = candidate("robust", noise), candidate("plain", noise + 0.2)
    assert choose([robust, plain]).name == "plain"
    wavering = candidate("plain", noise + np.random.default_rng(1).normal(0.01, 1.0, 400))
    assert choose([robust, wavering]).name == "robust"


def test_outliers_do_not_win_for_the_plain_model():
    generator = np.random.default_rng(0)
    x = generator.uniform(-3, 3, 90)
    y = np.sin(x) + 0.1 * generator.normal(size=90)
    y[:9] += generator.choice([-8, 8], 9)
    study = run_study(pd.DataFrame({"x": x, "y": y}), Settings("d", "y"))
    assert study.chosen in ("robust", "svr")
    by_name = {each.name: each.evidence_per_row for each in study.candidates}
    assert by_name["robust"] > by_name["plain"]


def test_area_under_the_curve_matches_scikit_learn():
    generator = np.random.default_rng(0)
    score, positive = np.round(generator.random(200), 1), generator.random(200) < 0.4
    counts = quality.resampling(200, 0)
    areas = quality.areas(counts, score, positive)
    for row in (0, 1, 50):
        assert areas[row] == pytest.approx(roc_auc_score(positive, score, sample_weight=counts[row]))


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


def test_rare_class_and_multiclass_and_many_inputs():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(120, 12))
    y = np.digitize(X[:, 0], [-0.5, 0.5]).astype(object)
    y[0] = "only one"
    table = pd.DataFrame(X, columns=[f"x{n}" for n in range(12)]).assign(y=y)
    study = run_study(table, Settings("d", "y", model="robust"))
    assert len(study.classes) == 4
    assert study.figures[0].value > 0.5
    assert study.relevance[0].name == "x0"
