"""Hyperparameters and what is fixed of them, in one unit and in another."""

import numpy as np
import pytest

from rowtrust.svr.hyperparameters import Hyperparameters

INPUT_SCALE = np.array([2.0, 10.0])


@pytest.fixture
def parameters():
    return Hyperparameters(4.0, 0.2, 0.3, np.array([1.0, 0.5]), 2.0, 0.1)


def test_the_noise_scales_with_the_target(parameters):
    rescaled = parameters.rescaled(INPUT_SCALE, 5.0)
    assert rescaled.noise_variance == pytest.approx(25.0 * parameters.noise_variance)
    assert rescaled.likelihood.beta == parameters.beta


def test_distances_do_not_depend_on_units(parameters):
    rescaled = parameters.rescaled(INPUT_SCALE, 5.0)
    step = np.array([0.7, -1.1])
    assert rescaled.relevance @ (INPUT_SCALE * step) ** 2 == pytest.approx(parameters.relevance @ step**2)
    assert rescaled.kernel_variance == pytest.approx(25.0 * parameters.kernel_variance)
    assert rescaled.bias_variance == pytest.approx(25.0 * parameters.bias_variance)


def test_what_is_fixed_rescales_as_the_hyperparameters_do(parameters, choices_with):
    fixed = {name: getattr(parameters, name) for name in ("C", "epsilon", "relevance", "bias_variance")}
    choices = choices_with(**fixed, beta=0.3, tie=0.5, beta_is_given=False).rescaled(INPUT_SCALE, 5.0)
    rescaled = parameters.rescaled(INPUT_SCALE, 5.0)
    for name in fixed:
        np.testing.assert_allclose(getattr(choices, name), getattr(rescaled, name))
    assert choices.kernel_variance is None
    assert (choices.beta, choices.tie, choices.beta_is_given) == (0.3, 0.5, False)


def test_there_and_back_is_the_same(parameters):
    back = parameters.rescaled(INPUT_SCALE, 5.0).rescaled(1.0 / INPUT_SCALE, 0.2)
    np.testing.assert_allclose(back.relevance, parameters.relevance)
    assert pytest.approx(parameters.C) == back.C
    assert pytest.approx(parameters.epsilon) == back.epsilon
