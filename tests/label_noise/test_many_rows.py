"""The noise of many labels: rates and slopes that made them are found again."""

import numpy as np
import pytest
from scipy.special import softmax

from rowtrust.label_noise.learning import DOUBT, ENOUGH_ROWS, honest_slope
from rowtrust.label_noise.many_rows import NoiseSearch, noise_of_many, slope_of_many
from rowtrust.label_noise.matrix import log_likelihood, no_noise, uniform_noise
from rowtrust.numerics.probabilities import class_probabilities

N = 10_000
TWO = [
    no_noise(2),
    uniform_noise(0.1, 2),
    uniform_noise(0.3, 2),
    np.array([[1.0, 0.0], [0.3, 0.7]]),
    np.array([[0.8, 0.2], [0.05, 0.95]]),
]
THREE = [
    no_noise(3),
    uniform_noise(0.2, 3),
    np.array([[0.8, 0.2, 0.0], [0.0, 0.9, 0.1], [0.0, 0.0, 1.0]]),
]


def three_classes(n, matrix, seed, spread=3.0):
    """Draw one-against-rest log-odds, true labels by the probabilities that they mean, and given ones."""
    rng = np.random.default_rng(seed)
    latent = softmax(spread * rng.normal(size=(n, 3)), axis=1)
    log_odds = np.log(latent) - np.log1p(-latent)
    probability = class_probabilities(log_odds)
    true = (rng.random((n, 1)) > np.cumsum(probability, axis=1)[:, :-1]).sum(axis=1)
    given = (rng.random((n, 1)) > np.cumsum(np.asarray(matrix)[true], axis=1)[:, :-1]).sum(axis=1)
    return log_odds, true, given


@pytest.mark.parametrize("matrix", TWO, ids=lambda matrix: str(matrix.ravel()))
@pytest.mark.parametrize("seed", [0, 1])
def test_the_rates_of_two_classes_are_found(matrix, seed, noisy_labels):
    """But for the doubt of the slope, which takes some noise on both sides for hard rows."""
    log_odds, _, given = noisy_labels(N, matrix, seed)
    found = noise_of_many(log_odds, given, np.ones(N), no_noise(2))
    both = min(matrix[0, 1], matrix[1, 0])
    np.testing.assert_allclose(found.matrix, matrix, atol=0.015 + 0.1 * both)
    np.testing.assert_allclose(found.matrix.sum(axis=1), 1.0)
    assert found.slope == pytest.approx(1.0, abs=0.1 + both)


@pytest.mark.parametrize("matrix", THREE, ids=lambda matrix: str(matrix.ravel()))
def test_the_rates_of_three_classes_are_found(matrix):
    log_odds, _, given = three_classes(N, matrix, 0)
    found = noise_of_many(log_odds, given, np.ones(N), uniform_noise(0.1, 3))
    np.testing.assert_allclose(found.matrix, matrix, atol=0.03)
    assert found.slope == pytest.approx(1.0, abs=0.15)


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_log_odds_that_are_too_sure_or_too_shy_are_seen_through(factor, noisy_labels):
    matrix = uniform_noise(0.1, 2)
    log_odds, _, given = noisy_labels(N, matrix, 3)
    found = noise_of_many(factor * log_odds, given, np.ones(N), no_noise(2))
    assert found.slope * factor == pytest.approx(1.0, abs=0.2)
    np.testing.assert_allclose(found.matrix, matrix, atol=0.03)


@pytest.mark.parametrize("first", [no_noise(2), uniform_noise(0.3, 2), TWO[3]])
def test_where_it_begins_does_not_matter(first, noisy_labels):
    log_odds, _, given = noisy_labels(N, TWO[4], 5)
    reference = noise_of_many(log_odds, given, np.ones(N), uniform_noise(0.1, 2))
    found = noise_of_many(log_odds, given, np.ones(N), first)
    np.testing.assert_allclose(found.matrix, reference.matrix, atol=1e-3)
    assert found.slope == pytest.approx(reference.slope, abs=2e-3)


@pytest.mark.parametrize("draw", [TWO[4], THREE[2]], ids=["two", "three"])
def test_the_gradient_is_that_of_the_loss(draw, noisy_labels):
    make = noisy_labels if len(draw) == 2 else three_classes
    log_odds, _, given = make(300, draw, 4)
    search = NoiseSearch(log_odds, given, np.random.default_rng(0).uniform(0.5, 2.0, 300))
    point = np.random.default_rng(1).normal(size=1 + int(search.beside.sum())) - 1.0
    _, gradient = search.loss(point)
    for place, step in enumerate(1e-5 * np.eye(len(point))):
        slope = (search.loss(point + step)[0] - search.loss(point - step)[0]) / 2e-5
        assert gradient[place] == pytest.approx(slope, rel=1e-4, abs=1e-8)


def test_no_other_rates_explain_the_labels_better(noisy_labels):
    """At the slope that was found, the matrix is where the likelihood peaks."""
    log_odds, _, given = noisy_labels(N, TWO[4], 6)
    found = noise_of_many(log_odds, given, np.ones(N), no_noise(2))
    probability = class_probabilities(found.slope * log_odds)

    def explained(a, b):
        return log_likelihood(probability, given, np.array([[1 - a, a], [b, 1 - b]])).sum()

    a, b = found.matrix[0, 1], found.matrix[1, 0]
    for da, db in ((0.02, 0), (-0.02, 0), (0, 0.02), (0, -0.02)):
        assert explained(a, b) > explained(a + da, b + db)


def test_weights_are_repeated_rows(noisy_labels):
    log_odds, _, given = noisy_labels(2000, uniform_noise(0.2, 2), 7)
    copies = np.random.default_rng(0).integers(1, 5, 2000)
    weighted = noise_of_many(log_odds, given, copies.astype(float), no_noise(2))
    repeated = noise_of_many(
        np.repeat(log_odds, copies, axis=0), np.repeat(given, copies), np.ones(copies.sum()), no_noise(2)
    )
    np.testing.assert_allclose(weighted.matrix, repeated.matrix, atol=1e-6)
    assert weighted.slope == pytest.approx(repeated.slope, abs=1e-3)


def test_intervals_hold_what_was_found_and_shrink_with_the_rows(noisy_labels):
    widths = []
    for n in (500, 50_000):
        log_odds, _, given = noisy_labels(n, uniform_noise(0.2, 2), 8)
        found = noise_of_many(log_odds, given, np.ones(n), no_noise(2))
        low, high = found.interval
        assert ((low <= found.matrix) & (found.matrix <= high)).all()
        widths.append((high - low)[0, 1])
    assert widths[1] == pytest.approx(widths[0] / 10.0, rel=0.3)


def test_many_rows_are_doubted_as_much_in_all_as_enough_of_them(noisy_labels):
    """The doubt of a few hundred rows, summed, is all that many thousand get."""
    log_odds, _, given = noisy_labels(ENOUGH_ROWS, TWO[1], 9)
    few = (log_odds, given, TWO[1], np.ones(ENOUGH_ROWS))
    assert slope_of_many(*few) == pytest.approx(honest_slope(*few, doubt=DOUBT))
    log_odds, _, given = noisy_labels(N, TWO[1], 10)
    many = (log_odds, given, TWO[1], np.ones(N))
    assert abs(np.log(slope_of_many(*many))) < abs(np.log(honest_slope(*many)))


def test_a_label_that_never_occurs_leaves_finite_numbers(noisy_labels):
    log_odds, _, _ = noisy_labels(1000, no_noise(2), 11)
    found = noise_of_many(log_odds, np.zeros(1000, dtype=int), np.ones(1000), no_noise(2))
    assert np.isfinite(found.matrix).all()
    assert 0 < found.slope < np.inf
