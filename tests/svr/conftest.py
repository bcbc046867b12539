"""Problems and rows that several of the tests of Bayesian support vector regression share."""

import numpy as np
import pytest

from rowtrust.likelihoods.soft_insensitive import SoftInsensitive
from rowtrust.svr.covariance import CovarianceMatrix, GaussianCovariance
from rowtrust.svr.hyperparameters import Choices
from rowtrust.svr.problem import SoftProblem


def make_problem(seed, n=40):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, 2))
    y = np.sin(2 * X[:, 0]) + generator.standard_t(2, n) * generator.uniform(0.05, 0.5)
    covariance = GaussianCovariance(
        np.exp(generator.uniform(-2, 1, 2)),
        np.exp(generator.uniform(-1, 1)),
        np.exp(generator.uniform(-3, 0)),
    )
    likelihood = SoftInsensitive(
        np.exp(generator.uniform(-0.5, 3)), np.exp(generator.uniform(-3.5, -0.5)), generator.uniform(0.02, 1)
    )
    weight = generator.integers(1, 4, n).astype(float)
    return SoftProblem(CovarianceMatrix(covariance, X), y, weight, likelihood)


def make_rows(seed, n=60, d=3):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, d))
    y = np.sin(2 * X[:, 0]) + 0.2 * generator.standard_t(4, n)
    return X, y, generator.integers(1, 4, n).astype(float)


def make_choices(**fixed):
    names = ("C", "epsilon", "relevance", "kernel_variance", "bias_variance")
    return Choices(**(dict.fromkeys(names) | {"beta": 0.3} | fixed))


@pytest.fixture
def random_problem():
    """A function of a seed: a small problem with everything drawn at random."""
    return make_problem


@pytest.fixture
def random_rows():
    """A function of a seed: inputs, targets with heavy tails, and integer weights."""
    return make_rows


@pytest.fixture
def choices_with():
    """A function of what is fixed: choices that leave the rest to be learnt."""
    return make_choices
