"""The models that may be fitted, and the choice between them."""

from types import SimpleNamespace

import numpy as np
import pytest

from rowtrust import RVR, BayesianSVR
from rowtrust.estimators import budget
from rowtrust.trust import mixture
from rowtrust.workflow import Part, Settings
from rowtrust.workflow.candidates import (
    Candidate,
    build,
    choose,
    compare,
    lead,
    names_to_compare,
    own_bound,
)
from rowtrust.workflow.tables import InputError


def scored(name, scores):
    """What the choice looks at."""
    return SimpleNamespace(name=name, row_scores=scores, log_score=scores.mean())


def test_the_best_log_score_wins_beyond_its_error():
    noise = np.random.default_rng(0).normal(size=400)
    robust, plain = scored("robust", noise), scored("plain", noise + 0.2)
    assert choose([robust, plain]).name == "plain"
    wavering = np.random.default_rng(1).normal(size=400)
    ahead = scored("plain", noise + wavering - wavering.mean() + 0.02)
    assert ahead.log_score > robust.log_score
    assert choose([robust, ahead]).name == "robust"


def test_the_log_score_is_a_mean_over_rows():
    probability = np.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]])
    scores = mixture(probability, np.array([0, 1, 0]), np.ones(1))
    candidate = Candidate("plain", "RVC", probability, scores, None)
    assert candidate.log_score == pytest.approx(np.log([0.9, 0.8, 0.7]).mean())
    assert candidate.row_scores == pytest.approx(np.log([0.9, 0.8, 0.7]))


def test_the_log_scores_differ_by_the_lead():
    """The log score was that of another sharpness than those of the rows, so a lead did not match it."""
    generator = np.random.default_rng(1)
    label, found = generator.integers(0, 2, 60), []
    for _ in range(2):
        odds = np.where(label == 1, 1.0, -1.0) + generator.normal(size=60)
        right = 1.0 / (1.0 + np.exp(-odds))
        probability = np.column_stack([1.0 - right, right])
        found.append(Candidate("plain", "RVC", probability, mixture(probability, label), None))
    assert found[0].mixture.log_score > found[0].row_scores.sum() + 1e-3
    gain, _ = lead(*found)
    assert found[0].log_score - found[1].log_score == pytest.approx(gain / 60)


def test_the_command_has_the_estimators_that_users_get_and_fast_ones_on_landmarks():
    plain = RVR(random_state=3).get_params()
    assert build("plain", "regression", fast=False, seed=3).get_params() == plain
    fast = build("plain", "regression", fast=True, seed=3).get_params()
    assert fast == plain | {"basis": budget().fast_landmarks}
    assert (
        build("svr", "regression", fast=True, seed=3).get_params() == BayesianSVR(random_state=3).get_params()
    )
    with pytest.raises(InputError, match="svr is for regression"):
        build("svr", "classification", fast=False, seed=0)


def test_the_support_vector_machine_joins_on_few_rows_of_numbers():
    assert names_to_compare("regression", budget().svr_rows) == ["robust", "plain", "svr", "fuzzy"]
    assert names_to_compare("regression", budget().svr_rows + 1) == ["robust", "plain", "fuzzy"]
    assert names_to_compare("classification", 10) == ["robust", "plain", "fuzzy"]


def test_candidates_are_compared_on_few_centres(class_model):
    steps = []
    rows = Part(class_model.train.X, class_model.train.y, class_model.train.rows)
    (found,) = compare(class_model.schema, rows, ["plain"], Settings("d", "kind"), steps.append)
    assert (found.name, found.estimator) == ("plain", "RVC")
    assert found.prediction.shape == (len(rows.y), 2)
    assert (found.prediction.argmax(axis=1) == (rows.y == "yes")).mean() > 0.9
    assert steps == ["comparing: plain"] * 3
    assert len(rows.y) < budget().compared_landmarks


def test_a_model_that_says_nothing_of_itself_has_no_bound():
    assert own_bound(object()) is None
    assert own_bound(type("Model", (), {"lower_bound_": np.float64(-3.0)})) == -3.0
    assert own_bound(type("Model", (), {"evidence_": -4})) == -4.0
