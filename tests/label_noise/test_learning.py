"""Noise and slopes, learnt from log-odds that are known to be the true ones."""

import numpy as np
import pytest
from scipy.stats import beta

from rowtrust.label_noise import LabelNoise, hypotheses, learn_label_noise, learning, no_noise
from rowtrust.label_noise.learning import LARGEST_CHANGE, credible_interval, honest_slope
from rowtrust.label_noise.matrix import uniform_noise

UNIFORM, ONE_SIDED = uniform_noise(0.2, 2), np.array([[1.0, 0.0], [0.3, 0.7]])


def learnt(log_odds, label, weight=None):
    tried = hypotheses(max(2, log_odds.shape[1]))
    weight = np.ones(len(label)) if weight is None else weight
    return learn_label_noise(tried, [log_odds] * len(tried), label, weight)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_hypotheses_are_noises_and_none_comes_first(n_classes):
    tried = hypotheses(n_classes)
    np.testing.assert_array_equal(tried[0], no_noise(n_classes))
    for matrix in tried:
        np.testing.assert_allclose(matrix.sum(axis=1), 1.0)
        assert (np.diag(matrix) > 0.5).all()


def test_clean_labels_that_can_be_told_apart_have_no_noise():
    label = np.arange(300) % 2
    found = learnt(8.0 * (2.0 * label[:, None] - 1.0), label)
    np.testing.assert_allclose(found.matrix, np.eye(2), atol=1e-3)
    three = np.arange(300) % 3
    found = learnt(8.0 * (2.0 * np.eye(3)[three] - 1.0), three)
    np.testing.assert_allclose(found.matrix, np.eye(3), atol=1e-3)


@pytest.fixture
def no_doubt(monkeypatch):
    """Take the doubt away that lowers all slopes, and with them the noise that is seen."""
    monkeypatch.setattr(learning, "DOUBT", 0.0)


EVERY = pytest.mark.parametrize("truth", [no_noise(2), UNIFORM, ONE_SIDED, ONE_SIDED[::-1, ::-1]], ids=str)


@EVERY
@pytest.mark.parametrize("spread", [1.5, 3.0])
def test_noise_is_found(noisy_labels, no_doubt, truth, spread):
    log_odds, _, given = noisy_labels(4000, truth, spread=spread)
    found = learnt(log_odds, given)
    np.testing.assert_allclose(found.matrix, truth, atol=0.05)
    np.testing.assert_allclose(found.matrix.sum(axis=1), 1.0)
    assert found.slope == pytest.approx(1.0, abs=0.15)


@EVERY
def test_doubt_costs_little_noise_where_models_are_sure(noisy_labels, truth):
    log_odds, _, given = noisy_labels(4000, truth)
    np.testing.assert_allclose(learnt(log_odds, given).matrix, truth, atol=0.05)


def test_uniform_noise_of_three_classes_is_found(no_doubt):
    generator = np.random.default_rng(0)
    true = generator.integers(3, size=1500)
    given = np.where(generator.random(1500) < 0.2, (true + generator.integers(1, 3, 1500)) % 3, true)
    found = learnt(5.0 * (2.0 * np.eye(3)[true] - 1.0), given)
    np.testing.assert_allclose(found.matrix, uniform_noise(0.2, 3), atol=0.07)
    low, high = found.interval
    assert ((low < uniform_noise(0.2, 3)) & (uniform_noise(0.2, 3) < high)).all()


@pytest.mark.parametrize("truth", [UNIFORM, ONE_SIDED], ids=str)
def test_intervals_contain_the_truth(noisy_labels, truth):
    inside = []
    for seed in range(10):
        log_odds, _, given = noisy_labels(400, truth, seed)
        low, high = learnt(log_odds, given).interval
        inside.append((low <= truth + 1e-6) & (truth <= high + 1e-6))
    assert np.mean(inside) >= 0.75


def test_fewer_rows_are_less_sure(noisy_labels):
    widths = []
    for n in (100, 4000):
        log_odds, _, given = noisy_labels(n, UNIFORM)
        widths.append(np.ptp(learnt(log_odds, given).interval, axis=0).max())
    assert widths[0] > 1.5 * widths[1]


def test_classes_may_swap_their_names(noisy_labels):
    log_odds, _, given = noisy_labels(500, ONE_SIDED)
    one, two = learnt(log_odds, given), learnt(-log_odds, 1 - given)
    np.testing.assert_allclose(two.matrix, one.matrix[::-1, ::-1], atol=1e-6)
    assert two.slope == pytest.approx(one.slope, rel=1e-3)


def test_weights_are_copies(noisy_labels):
    log_odds, _, given = noisy_labels(200, UNIFORM)
    copies = np.arange(200) % 3
    weighted = learnt(log_odds, given, copies.astype(float))
    repeated = learnt(np.repeat(log_odds, copies, axis=0), np.repeat(given, copies))
    np.testing.assert_allclose(weighted.matrix, repeated.matrix, rtol=1e-9)
    assert weighted.slope == pytest.approx(repeated.slope, rel=1e-9)


@pytest.mark.parametrize("matrix", [no_noise(2), UNIFORM, ONE_SIDED], ids=str)
@pytest.mark.parametrize("factor", [0.6, 1.0, 2.0])
def test_a_known_factor_is_taken_back(noisy_labels, no_doubt, matrix, factor):
    """But no model of labels that are all right is made surer."""
    log_odds, _, given = noisy_labels(20_000, matrix)
    slope = honest_slope(factor * log_odds, given, matrix, np.ones(20_000))
    expected = min(1.0, 1.0 / factor) if matrix[0, 0] == matrix[1, 1] == 1.0 else 1.0 / factor
    assert slope == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize("matrix", [UNIFORM, ONE_SIDED], ids=str)
def test_doubt_keeps_a_model_behind_noise_from_certainty(monkeypatch, matrix):
    """Labels that only the noise contradicts would want any slope there is."""
    generator = np.random.default_rng(0)
    true = np.arange(2000) % 2
    given = (generator.random(2000) < matrix[true, 1]).astype(int)
    log_odds, weight = 1.0 * (2.0 * true[:, None] - 1.0), np.ones(2000)
    doubting = honest_slope(log_odds, given, matrix, weight)
    assert 1.0 < doubting < 0.99 * np.exp(LARGEST_CHANGE)
    monkeypatch.setattr(learning, "DOUBT", 0.0)
    assert honest_slope(log_odds, given, matrix, weight) > 1.1 * doubting


def test_few_rows_keep_the_prior_slope():
    label = np.array([0, 1])
    log_odds = 20.0 * (1.0 - 2.0 * label[:, None])
    assert honest_slope(log_odds[:0], label[:0], no_noise(2), np.ones(0)) == pytest.approx(1.0, rel=0.01)
    assert honest_slope(log_odds, label, no_noise(2), np.full(2, 1e-6)) == pytest.approx(1.0, rel=0.01)


def test_intervals_are_quantiles_of_a_beta_distribution_of_these_moments():
    truth = beta(3.0, 17.0)
    low, high = credible_interval(np.array([truth.mean()]), np.array([truth.var()]))
    np.testing.assert_allclose([low[0], high[0]], truth.ppf([0.05, 0.95]), rtol=1e-9)


def test_what_is_known_has_no_interval():
    known = LabelNoise.known(ONE_SIDED)
    np.testing.assert_array_equal(known.interval, [ONE_SIDED, ONE_SIDED])
    assert known.slope == 1.0
    np.testing.assert_array_equal(credible_interval(ONE_SIDED, np.zeros((2, 2))), [ONE_SIDED, ONE_SIDED])
