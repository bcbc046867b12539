"""Synthetic data: the truth they claim, and the same rows for the same seed."""

import numpy as np
import pytest

from rowtrust import datasets

GENERATORS = (
    "make_ripley",
    "make_sinc",
    "make_robot_arm",
    "make_friedman",
    "make_lone_outlier",
    "make_imbalanced_blobs",
)


@pytest.mark.parametrize("name", GENERATORS)
def test_a_seed_repeats_itself(name):
    make = getattr(datasets, name)
    for first, second in zip(make(random_state=3), make(random_state=3), strict=True):
        np.testing.assert_array_equal(first, second)
    assert not np.array_equal(make(random_state=3)[0], make(random_state=4)[0])


def test_noise_free_sinc_is_sinc():
    X, y = datasets.make_sinc(20, noise=0.0, random_state=0)
    np.testing.assert_allclose(y, np.sin(X[:, 0]) / X[:, 0])


def test_robot_arm_ranges():
    X, y = datasets.make_robot_arm(2000, random_state=0)
    assert np.abs(X[:, 0]).min() >= 0.453
    assert np.abs(X[:, 0]).max() <= 1.932
    assert 0.534 <= X[:, 1].min() <= X[:, 1].max() <= 3.142
    assert (y - datasets.robot_arm_position(X)).std() == pytest.approx(0.05, rel=0.05)


def test_friedman_is_one_of_three():
    assert [datasets.make_friedman(number, 5)[0].shape[1] for number in (1, 2, 3)] == [10, 4, 4]
    with pytest.raises(ValueError, match="1, 2 and 3"):
        datasets.make_friedman(4)


def test_the_lone_outlier_lies_on_the_wrong_side():
    X, y, outlier = datasets.make_lone_outlier(60, random_state=0)
    assert outlier.sum() == 1
    assert y[outlier][0] == 1
    assert X[outlier][0].sum() < 0


@pytest.mark.parametrize("ratio", [1, 10, 100])
def test_blobs_have_the_ratio(ratio):
    _, y = datasets.make_imbalanced_blobs(606, ratio=ratio, random_state=0)
    assert (y == 0).sum() / y.sum() == pytest.approx(ratio, rel=0.05)
    with pytest.raises(ValueError, match="at least 1"):
        datasets.make_imbalanced_blobs(ratio=0.5)


def test_ripley_has_the_published_centres_and_spread():
    X, y = datasets.make_ripley(40000, random_state=0)
    np.testing.assert_allclose(X[y == 0].mean(axis=0), [-0.2, 0.3], atol=0.01)
    np.testing.assert_allclose(X[y == 1].mean(axis=0), [0.05, 0.7], atol=0.01)
    np.testing.assert_allclose(X[y == 0].var(axis=0), [0.25 + 0.03, 0.03], atol=0.01)


def test_the_true_probability_errs_on_eight_percent():
    X, y = datasets.make_ripley(40000, random_state=1)
    assert np.mean((datasets.ripley_probability(X) > 0.5) != y) == pytest.approx(0.08, abs=0.01)


def test_a_mixture_needs_a_row_of_each_class():
    with pytest.raises(ValueError, match="at least 2"):
        datasets.make_ripley(1)
