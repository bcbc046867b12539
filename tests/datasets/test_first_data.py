"""Ripley's mixture and flipped labels."""

import numpy as np
import pytest

from rowtrust.datasets import flip_labels, make_ripley, ripley_probability


def test_ripley_has_the_published_centres_and_spread():
    X, y = make_ripley(40000, random_state=0)
    np.testing.assert_allclose(X[y == 0].mean(axis=0), [-0.2, 0.3], atol=0.01)
    np.testing.assert_allclose(X[y == 1].mean(axis=0), [0.05, 0.7], atol=0.01)
    np.testing.assert_allclose(X[y == 0].var(axis=0), [0.25 + 0.03, 0.03], atol=0.01)


def test_the_true_probability_errs_on_eight_percent():
    X, y = make_ripley(40000, random_state=1)
    assert np.mean((ripley_probability(X) > 0.5) != y) == pytest.approx(0.08, abs=0.01)


@pytest.mark.parametrize("labels", [np.array([0, 1]), np.array(["a", "b", "c"])])
def test_flipped_labels_are_wrong_and_counted(labels):
    y = np.tile(labels, 50)
    dirty, flipped = flip_labels(y, 0.1, random_state=0)
    np.testing.assert_array_equal(dirty != y, flipped)
    assert flipped.sum() == round(0.1 * len(y))
    assert set(dirty) <= set(labels)


def test_flipping_is_repeatable_and_refuses_nonsense():
    y = np.array([0, 1] * 10)
    one, two = (flip_labels(y, 0.2, random_state=3)[0] for _ in range(2))
    np.testing.assert_array_equal(one, two)
    with pytest.raises(ValueError, match="between 0 and 1"):
        flip_labels(y, 1.5)
    with pytest.raises(ValueError, match="two or more classes"):
        flip_labels(np.zeros(5), 0.1)
    with pytest.raises(ValueError, match="at least 2"):
        make_ripley(1)
