"""Noise of labels: counted in cores, undone, chosen by folds; and how sure log-odds may be behind it."""

import numpy as np
import pytest
from scipy.stats import beta

from rowtrust.numerics.probabilities import class_probabilities
from rowtrust.trust import (
    LabelNoise,
    alternatives,
    calibration_slope,
    chosen_noise,
    labels,
    learn_label_noise,
    no_noise,
    slopes,
    stated_noise,
)
from rowtrust.trust.labels import (
    core_counts,
    credible_interval,
    mixture_interval,
    sharpness,
    undone,
    with_unknown,
)
from rowtrust.trust.matrix import uniform_noise

UNIFORM, ONE_SIDED = uniform_noise(0.2, 2), np.array([[1.0, 0.0], [0.3, 0.7]])
UNEVEN = np.array([[0.8, 0.2], [0.05, 0.95]])
IN_A_ROW = np.array([[0.8, 0.2, 0.0], [0.0, 0.8, 0.2], [0.2, 0.0, 0.8]])
N = 4000


def learnt(log_odds, matrix, label, weight=None, unknown=None):
    """Learn from the probabilities of given labels that rows behind a noise have."""
    weight = np.ones(len(label)) if weight is None else weight
    return learn_label_noise(class_probabilities(log_odds) @ matrix, label, weight, unknown)


@pytest.fixture
def no_doubt(monkeypatch):
    """Take the doubt away that lowers all slopes, and with them the noise that is seen."""
    monkeypatch.setattr(slopes, "DOUBT", 0.0)


# What is found


@pytest.mark.parametrize("n_classes", [2, 3])
def test_clean_labels_that_can_be_told_apart_have_no_noise(n_classes):
    label = np.arange(600) % n_classes
    probability = np.where(np.eye(n_classes)[label] > 0, 0.999, 0.001)
    found = learn_label_noise(probability, label, np.ones(600))
    np.testing.assert_allclose(found.matrix, np.eye(n_classes), atol=2e-3)


@pytest.mark.parametrize("truth", [UNIFORM, ONE_SIDED, UNEVEN, uniform_noise(0.2, 3), IN_A_ROW], ids=str)
def test_the_noise_of_classes_that_hardly_overlap_is_found(noisy_labels, truth):
    log_odds, _, given = noisy_labels(N, truth, spread=12.0)
    found = learnt(log_odds, truth, given)
    np.testing.assert_allclose(found.matrix, truth, atol=0.06)
    np.testing.assert_allclose(found.matrix.sum(axis=1), 1.0)
    assert found.shares.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("spread", [1.5, 3.0])
def test_classes_that_overlap_are_not_taken_for_noise(noisy_labels, spread):
    log_odds, _, given = noisy_labels(N, no_noise(2), spread=spread)
    found = learnt(log_odds, no_noise(2), given)
    np.testing.assert_array_equal(found.matrices[found.shares.argmax()], np.eye(2))
    assert (1.0 - np.diag(found.matrix)).max() < 0.05


def test_classes_may_swap_their_names(noisy_labels):
    log_odds, _, given = noisy_labels(2000, ONE_SIDED, spread=8.0)
    one = learnt(log_odds, ONE_SIDED, given)
    two = learnt(-log_odds, ONE_SIDED[::-1, ::-1], 1 - given)
    np.testing.assert_allclose(two.matrix, one.matrix[::-1, ::-1], atol=1e-9)


def test_weights_are_copies_and_the_order_of_rows_does_not_matter(noisy_labels):
    log_odds, _, given = noisy_labels(2000, UNIFORM)
    copies = 1 + np.arange(2000) % 3
    which = np.random.default_rng(0).permutation(np.repeat(np.arange(2000), copies))
    weighted = learnt(log_odds, UNIFORM, given, copies.astype(float))
    repeated = learnt(log_odds[which], UNIFORM, given[which])
    np.testing.assert_allclose(weighted.matrix, repeated.matrix, atol=1e-9)


def test_the_core_of_a_class_are_the_rows_of_which_models_are_surest():
    sure = np.linspace(0.99, 0.55, 40)
    probability = np.vstack([np.column_stack([sure, 1.0 - sure]), np.column_stack([1.0 - sure, sure])])
    label = np.repeat([0, 1], 40)
    label[3], label[38], label[45] = 1, 1, 0  # in the core of 0, at its border, in the core of 1
    counts = core_counts(probability, label, np.ones(80)) - labels.RIGHT_ROWS * np.eye(2)
    np.testing.assert_allclose(counts, [[29.0, 1.0], [1.0, 29.0]])


@pytest.mark.parametrize("matrix", [UNIFORM, UNEVEN, IN_A_ROW], ids=str)
def test_noise_is_undone(matrix):
    clean = np.random.default_rng(0).dirichlet(np.ones(len(matrix)) * 5.0, 50)
    clean = clean[clean.min(axis=1) > 0.1]
    np.testing.assert_allclose(undone(clean @ matrix, matrix), clean, atol=1e-12)
    surer = np.linspace(0.0, 1.0, 9)[:, None] * [1.0, -1.0] + [0.0, 1.0]
    first = undone(surer, UNIFORM)[:, 0]
    assert (np.diff(first) > 0.0).all()  # more than the noise allows is cut, and stays in order
    assert 0.0 <= first.min() <= first.max() <= 1.0


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("rate", [0.1, 0.25])
def test_undoing_a_noise_of_overlapping_classes_is_no_evidence_of_it(n_classes, rate):
    """All that it adds is the magnification; classes that the noise hid come out sharper than that."""
    weight, matrix = np.ones(3000), uniform_noise(rate, n_classes)
    overlapping = np.random.default_rng(0).dirichlet(np.full(n_classes, 4.0), 3000)
    sharp = np.eye(n_classes)[np.arange(3000) % n_classes] * 0.96 + 0.04 / n_classes
    assert sharpness(undone(overlapping, matrix), matrix, weight) < sharpness(
        overlapping, no_noise(n_classes), weight
    )
    assert sharpness(undone(sharp @ matrix, matrix), matrix, weight) > sharpness(
        sharp @ matrix, no_noise(n_classes), weight
    )


def test_what_was_stated_is_not_learnt():
    counted = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.0, 0.7]])
    stated = stated_noise({"b": None, "c": 0.2}, np.array(["a", "b", "c"]))[0]
    found = with_unknown(stated, counted, 0.5)
    np.testing.assert_allclose(found, [[1.0, 0.0, 0.0], [0.05, 0.9, 0.05], [0.1, 0.1, 0.8]])
    np.testing.assert_array_equal(with_unknown(counted, np.eye(3), 1.0), counted)


@pytest.mark.parametrize("side", [0, 1])
def test_noise_of_one_side_is_found_on_that_side(noisy_labels, side):
    truth = ONE_SIDED if side else ONE_SIDED[::-1, ::-1]
    log_odds, _, given = noisy_labels(N, truth, spread=8.0)
    found = learnt(log_odds, truth, given, unknown=stated_noise("one-sided", np.arange(2))).matrix
    assert found[side, 1 - side] == pytest.approx(0.3, abs=0.08)
    assert found[1 - side, side] < 0.02


# What folds say


def test_folds_choose_the_noise_that_their_fits_were_told_of(noisy_labels):
    log_odds, _, given = noisy_labels(1000, ONE_SIDED)
    tried = alternatives(LabelNoise.known(no_noise(2)))
    told = [log_odds if np.allclose(each.matrix, ONE_SIDED) else 0.3 * log_odds - 0.5 for each in tried]
    found = chosen_noise(tried, told, given, np.ones(1000))
    np.testing.assert_allclose(found.matrix, ONE_SIDED, atol=0.03)
    same = chosen_noise(tried, [log_odds * 0.0] * len(tried), given, np.ones(1000))
    assert found.matrix[1, 0] > same.matrix[1, 0]


def test_several_classes_have_no_sides():
    noise = LabelNoise.known(IN_A_ROW)
    assert alternatives(noise) == [noise]


# How well it is known


def test_intervals_are_quantiles_of_a_beta_distribution_of_these_moments():
    truth = beta(3.0, 17.0)
    low, high = credible_interval(np.array([truth.mean()]), np.array([truth.var()]))
    np.testing.assert_allclose([low[0], high[0]], truth.ppf([0.05, 0.95]), rtol=1e-9)


def test_intervals_of_counts_are_quantiles_of_the_mixture():
    rng = np.random.default_rng(0)
    drawn = np.where(
        rng.random(400_000) < 0.3, rng.normal(10.0, 3.0, 400_000), rng.normal(40.0, 5.0, 400_000)
    )
    found = mixture_interval(np.array([0.3, 0.7]), np.array([10.0, 40.0]), np.array([3.0, 5.0]), 100)
    np.testing.assert_allclose(found, np.quantile(drawn, [0.05, 0.95]), atol=1.0)
    np.testing.assert_array_equal(mixture_interval(np.ones(1), np.zeros(1), np.zeros(1), 100), [0, 0])


def test_intervals_hold_what_was_found(noisy_labels):
    log_odds, _, given = noisy_labels(400, UNIFORM)
    found = learnt(log_odds, UNIFORM, given)
    low, high = found.interval
    assert ((low <= found.matrix) & (found.matrix <= high)).all()
    known = LabelNoise.known(ONE_SIDED)
    np.testing.assert_array_equal(known.interval, [ONE_SIDED, ONE_SIDED])


# Slopes


@pytest.mark.parametrize("matrix", [no_noise(2), UNIFORM, ONE_SIDED], ids=str)
@pytest.mark.parametrize("factor", [0.6, 1.0, 2.0])
def test_a_known_factor_is_taken_back(noisy_labels, no_doubt, matrix, factor):
    """But no model of labels that are all right is made surer."""
    log_odds, _, given = noisy_labels(20_000, matrix)
    slope = calibration_slope(factor * log_odds, given, matrix, np.ones(20_000))
    expected = 1.0 / factor if (matrix != no_noise(2)).any() else min(1.0, 1.0 / factor)
    assert slope == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize("matrix", [UNIFORM, ONE_SIDED], ids=str)
def test_doubt_keeps_a_model_behind_noise_from_certainty(monkeypatch, matrix):
    """Labels that only the noise contradicts would want any slope there is."""
    generator = np.random.default_rng(0)
    true = np.arange(500) % 2
    given = (generator.random(500) < matrix[true, 1]).astype(int)
    log_odds, weight = 2.0 * true[:, None] - 1.0, np.ones(500)
    doubting = calibration_slope(log_odds, given, matrix, weight)
    monkeypatch.setattr(slopes, "DOUBT", 0.0)
    assert 1.1 < 1.1 * doubting < calibration_slope(log_odds, given, matrix, weight)
