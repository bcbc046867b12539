"""The audit finds what was made wrong, and nothing where nothing was."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from rowtrust.auditing import find_wrong_rows, mixture
from rowtrust.auditing.reasons import nearest_vectors
from rowtrust.datasets import flip_labels, make_ripley


def blobs(n_classes, seed=0):
    generator = np.random.default_rng(seed)
    y = np.arange(300) % n_classes
    angle = 2 * np.pi * y / n_classes
    return 3 * np.column_stack([np.cos(angle), np.sin(angle)]) + generator.normal(size=(300, 2)), y


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_flipped_labels_come_first(n_classes):
    X, y = blobs(n_classes)
    given, flipped = flip_labels(y, 0.1, random_state=0)
    found = find_wrong_rows(X, given)
    assert average_precision_score(flipped, found.mixture.surprise) > 0.85
    assert 0.03 <= found.mixture.share <= 0.13
    assert flipped[found.suspects].mean() > 0.85
    assert (found.likely[found.suspects] == y[found.suspects]).mean() > 0.85
    assert found.trust[flipped].mean() < found.trust[~flipped].mean()


def test_gross_errors_in_numbers_come_first():
    generator = np.random.default_rng(0)
    X = generator.uniform(-3, 3, (200, 2))
    y = 100 + 5 * np.sin(X[:, 0]) + X[:, 1] + 0.3 * generator.normal(size=200)
    wrong = np.arange(200) < 10
    y[wrong] += generator.choice([-40, 40], 10)
    found = find_wrong_rows(X, y, task="regression")
    assert set(found.order[:10]) == set(range(10))
    assert 10 <= len(found.suspects) <= 14
    np.testing.assert_allclose(found.likely[wrong], 100 + 5 * np.sin(X[wrong, 0]) + X[wrong, 1], atol=1.5)


@pytest.mark.parametrize("seed", range(3))
def test_clean_data_have_no_suspects(seed):
    X, y = make_ripley(300, random_state=seed)
    assert find_wrong_rows(X, y).mixture.share <= 0.03
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(200, 3))
    assert len(find_wrong_rows(X, X[:, 0] + generator.normal(size=200), task="regression").suspects) <= 4


def test_share_of_wrong_rows_is_found_from_true_probabilities():
    generator = np.random.default_rng(0)
    probability = generator.beta(0.4, 0.4, 4000)
    truth = (generator.random(4000) < probability).astype(int)
    both = np.column_stack([1 - probability, probability])
    for share in (0.0, 0.1, 0.2):
        label = np.where(generator.random(4000) < share, 1 - truth, truth)
        assert abs(mixture(both, label).share - share) < 0.03


def test_evidence_prefers_the_truth_and_forgives_wrong_rows():
    """Sharp right predictions beat blunted ones even where a tenth of the labels is wrong."""
    generator = np.random.default_rng(0)
    truth = generator.integers(2, size=2000)
    label = np.where(generator.random(2000) < 0.1, 1 - truth, truth)
    right = np.clip(np.eye(2)[truth], 0.02, 0.98)
    noisy = np.where(generator.random(2000)[:, None] < 0.15, right[:, ::-1], right)
    assert mixture(right, label).log_score > mixture(noisy, label).log_score
    assert abs(mixture(right, label).share - 0.1) < 0.03


def test_a_row_is_never_its_own_reason():
    X, y = blobs(2)
    near = nearest_vectors(X, y, 1 - y, np.arange(300), np.arange(300), "classification")
    assert (near.own != np.arange(300)).all()
    assert (y[near.own] == y).all()
    assert (y[near.other] == 1 - y).all()
    alone = nearest_vectors(X, y, 1 - y, np.array([0]), np.array([0]), "classification")
    assert alone.own.tolist() == alone.other.tolist() == [-1]


@pytest.mark.parametrize("n_rows", [10, 12, 30])
def test_few_rows_and_constant_inputs(n_rows):
    X = np.zeros((n_rows, 2))
    found = find_wrong_rows(X, np.arange(n_rows) % 2)
    assert sorted(found.order) == list(range(n_rows))
    assert np.isfinite(found.mixture.surprise).all()
    assert np.isfinite(find_wrong_rows(X, np.arange(n_rows), task="regression").mixture.surprise).all()
