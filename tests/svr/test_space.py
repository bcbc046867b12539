"""The space in which hyperparameters are searched."""

import numpy as np
import pytest

from rowtrust.svr.hyperparameters import Slopes
from rowtrust.svr.space import LOWER, UPPER, SearchSpace

SLOPES = Slopes(C=1.0, epsilon=2.0, relevance=np.array([3.0, 4.0]), kernel_variance=5.0, bias_variance=6.0)


@pytest.mark.parametrize("n_features", [1, 2, 30])
def test_every_start_lies_between_the_bounds(n_features, choices_with):
    space = SearchSpace(choices_with(), n_features)
    generator = np.random.default_rng(0)
    for start in [space.first_start(), *(space.random_start(generator) for _ in range(20))]:
        assert start.shape == (4 + n_features,)
        assert (start >= space.lower).all()
        assert (start <= space.upper).all()


def test_random_starts_are_those_of_the_paper(choices_with):
    space = SearchSpace(choices_with(), 2)
    generator = np.random.default_rng(0)
    drawn = [space.hyperparameters(space.random_start(generator), 0.3) for _ in range(200)]
    for values, low, high in (
        ([each.C for each in drawn], 0.5, 2.0),
        ([each.epsilon for each in drawn], 0.05, 0.2),
        ([each.relevance[0] for each in drawn], 0.5, 1.0),
    ):
        assert low <= min(values) < low + 0.1 * (high - low)
        assert high - 0.1 * (high - low) < max(values) <= high
    assert all(each.relevance[0] == each.relevance[1] for each in drawn)


def test_a_point_and_its_hyperparameters(choices_with):
    space = SearchSpace(choices_with(), 2)
    found = space.hyperparameters(np.log([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), 0.7)
    values = [found.C, found.epsilon, *found.relevance, found.kernel_variance, found.bias_variance]
    np.testing.assert_allclose(values, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert found.beta == 0.7
    lowest = space.hyperparameters(space.lower, 0.7)
    highest = space.hyperparameters(space.upper, 0.7)
    assert (pytest.approx(LOWER[0]), pytest.approx(UPPER[0])) == (lowest.C, highest.C)


def test_what_is_fixed_is_no_part_of_a_vector_or_a_gradient(choices_with):
    space = SearchSpace(choices_with(epsilon=0.1, relevance=np.array([1.0, 0.0]), bias_variance=0.0), 2)
    np.testing.assert_array_equal(space.gradient(SLOPES), [1.0, 5.0])
    found = space.hyperparameters(np.log([3.0, 4.0]), 0.3)
    assert found.epsilon == pytest.approx(0.1)
    assert found.kernel_variance == pytest.approx(4.0)
    np.testing.assert_allclose(found.relevance, [1.0, 0.0], atol=1e-200)
    assert found.bias_variance < 1e-200


def test_a_tied_epsilon_follows_the_slope(choices_with):
    space = SearchSpace(choices_with(tie=0.02), 2)
    assert len(space.first_start()) == 5
    found = space.hyperparameters(space.first_start(), 1.0)
    assert found.epsilon * found.C == pytest.approx(0.02)
    np.testing.assert_array_equal(space.gradient(SLOPES), [-1.0, 3.0, 4.0, 5.0, 6.0])


def test_another_likelihood_moves_nothing_else_and_stays_between_the_bounds(choices_with):
    space = SearchSpace(choices_with(), 2)
    start = space.first_start()
    moved = space.with_likelihood(start, 7.0, 1e9)
    np.testing.assert_array_equal(moved[2:], start[2:])
    assert moved[0] == pytest.approx(np.log(7.0))
    assert moved[1] == space.upper[1]
    fixed = SearchSpace(choices_with(C=2.0), 2)
    np.testing.assert_array_equal(fixed.with_likelihood(fixed.first_start(), 7.0, 0.2), fixed.first_start())
