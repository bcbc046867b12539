"""The algebra of noise matrices, against Bayes' rule by hand and counts of simulated labels."""

import numpy as np
import pytest

from rowtrust.trust import is_known, is_noise, no_noise, output_rates, stated_noise, true_shares
from rowtrust.trust.matrix import log_likelihood, probability_of_true, uniform_noise

THREE = np.array([[0.8, 0.15, 0.05], [0.0, 0.9, 0.1], [0.2, 0.1, 0.7]])
SHARES = np.array([0.5, 0.3, 0.2])
CLASSES = np.array(["a", "b", "c"])


def simulated(n=200_000, seed=0):
    """Return true and given labels of rows that all have the same probabilities."""
    generator = np.random.default_rng(seed)
    true = generator.choice(3, n, p=SHARES)
    given = (generator.random(n)[:, None] > THREE.cumsum(axis=1)[true]).sum(axis=1)
    return true, given


def test_bayes_rule_by_hand():
    matrix = np.array([[0.9, 0.1], [0.2, 0.8]])
    probability = np.array([[0.3, 0.7], [0.3, 0.7]])
    found = probability_of_true(probability, np.array([1, 0]), matrix)
    right, wrong = 0.7 * 0.8 / (0.7 * 0.8 + 0.3 * 0.1), 0.3 * 0.9 / (0.3 * 0.9 + 0.7 * 0.2)
    np.testing.assert_allclose(found, [[1 - right, right], [wrong, 1 - wrong]], rtol=1e-12)


def test_a_label_that_cannot_be_says_nothing():
    matrix, probability = np.array([[1.0, 0.0], [0.3, 0.7]]), np.array([[1.0, 0.0]])
    np.testing.assert_array_equal(probability_of_true(probability, np.array([1]), matrix), probability)
    assert np.isfinite(log_likelihood(probability, np.array([1]), matrix)).all()


def test_log_likelihood_sums_the_truth_out():
    probability = np.random.default_rng(0).dirichlet(np.ones(3), 20)
    label = np.arange(20) % 3
    expected = [np.log(sum(probability[i, k] * THREE[k, label[i]] for k in range(3))) for i in range(20)]
    np.testing.assert_allclose(log_likelihood(probability, label, THREE), expected, rtol=1e-12)


def test_rates_of_outputs_are_counts():
    true, given = simulated()
    rates = output_rates(THREE, np.bincount(given) / len(given))
    assert rates.shape == (3, 2)
    for label, (false_one, false_zero) in enumerate(rates):
        one = true == label
        assert false_one == pytest.approx(np.mean(given[~one] == label), abs=0.005)
        assert false_zero == pytest.approx(np.mean(given[one] != label), abs=0.005)


def test_two_classes_have_one_output():
    matrix = np.array([[0.9, 0.1], [0.3, 0.7]])
    for shares in ([0.5, 0.5], [0.02, 0.98]):
        np.testing.assert_allclose(output_rates(matrix, np.array(shares)), [[0.1, 0.3]])


def test_shares_of_the_truth():
    np.testing.assert_allclose(true_shares(THREE, SHARES @ THREE), SHARES, atol=1e-12)
    np.testing.assert_allclose(true_shares(no_noise(3), SHARES), SHARES)
    impossible = true_shares(np.array([[0.7, 0.3], [0.0, 1.0]]), np.array([0.9, 0.1]))
    assert (impossible > 0.0).all()
    assert impossible.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_uniform_noise(n_classes):
    matrix = uniform_noise(0.2, n_classes)
    np.testing.assert_allclose(matrix.sum(axis=1), 1.0)
    np.testing.assert_allclose(np.diag(matrix), 0.8)
    assert np.ptp(matrix[~np.eye(n_classes, dtype=bool)]) < 1e-15
    assert is_noise(matrix)
    assert not is_noise(uniform_noise(0.0, n_classes))
    assert not is_noise(no_noise(n_classes))


def test_what_users_may_state():
    np.testing.assert_allclose(stated_noise(0.3, CLASSES), [uniform_noise(0.3, 3)])
    np.testing.assert_allclose(stated_noise(THREE.tolist(), CLASSES), [THREE])
    by_class = stated_noise({"a": 0.2, "c": 0.1}, CLASSES)
    np.testing.assert_allclose(by_class, [[[0.8, 0.1, 0.1], [0.0, 1.0, 0.0], [0.05, 0.05, 0.9]]])
    np.testing.assert_array_equal(stated_noise({}, CLASSES), [no_noise(3)])
    np.testing.assert_allclose(stated_noise({1: 0.4}, np.array([0, 1])), [[[1.0, 0.0], [0.4, 0.6]]])


def test_what_is_left_to_be_learnt():
    assert np.isnan(stated_noise("channel", CLASSES)).all()
    sides = stated_noise("one-sided", CLASSES)
    assert sides.shape == (3, 3, 3)
    np.testing.assert_array_equal(np.isnan(sides).all(axis=2), np.eye(3) > 0)
    partly = stated_noise({"a": None, "c": 0.1}, CLASSES)[0]
    assert np.isnan(partly[0]).all()
    np.testing.assert_allclose(partly[1:], [[0.0, 1.0, 0.0], [0.05, 0.05, 0.9]])
    assert is_known(stated_noise(0.1, CLASSES))
    assert not is_known(partly)


def test_a_rate_above_one_half_may_be_told_apart():
    mostly_missing = np.array([[1.0, 0.0], [0.86, 0.14]])
    np.testing.assert_array_equal(stated_noise(mostly_missing, np.array([0, 1]))[0], mostly_missing)


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        (np.eye(2), "one column per class, 3 of them"),
        (np.full((3, 3), 0.5), "sum to one"),
        (np.where(np.eye(3) > 0, np.nan, 0.0), "sum to one"),
        (0.7, "largest entry of every column"),
        (np.array([[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [0.6, 0.0, 0.4]]), "largest entry of every column"),
        ({"d": 0.1}, "names 'd', which is none of"),
        ({"a": -0.1}, "sum to one"),
    ],
)
def test_noise_that_cannot_be(stated, message):
    with pytest.raises(ValueError, match=message):
        stated_noise(stated, CLASSES)
