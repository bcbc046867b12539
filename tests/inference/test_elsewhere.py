"""Rows on a device: what every block function returns of them is what it returns of rows in memory."""

from dataclasses import dataclass, fields, is_dataclass
from functools import partial

import numpy as np
import pytest

from rowtrust.engines import Block
from rowtrust.inference import AsGiven, OneAgainstRest, State
from rowtrust.inference.passes import RowPass, Stacked, block_statistics, curved_statistics
from rowtrust.inference.posterior import solve_posterior
from rowtrust.inference.run import last_pass
from rowtrust.inference.scoring import block_scores
from rowtrust.kernels import Basis, JointBasis, Kernel
from rowtrust.likelihoods import (
    EpsilonInsensitive,
    Gaussian,
    HeavyTailed,
    LabelChannel,
    Likelihood,
    Logistic,
    SoftInsensitive,
)
from rowtrust.numerics.array_api import all_to_numpy, expit, is_elsewhere, log_expit, namespace
from rowtrust.weights import Fixed, Gamma, Unit

N = 41
COLUMNS = np.array([0, 2, 5, 9])


@dataclass(frozen=True)
class Student(HeavyTailed):
    """Noise of which only the log density is written, in whatever namespace the rows are."""

    def log_density(self, target, latent):
        return -2.5 * namespace(latent).log1p((target - latent) ** 2 / 4.0)


@dataclass(frozen=True)
class ByQuadrature(Likelihood):
    """The logistic likelihood without its closed form."""

    def log_density(self, target, latent):
        return target * latent + log_expit(-latent)

    def mean(self, latent):
        return expit(latent)


CLASSES = [Logistic(), LabelChannel(0.1, 0.03), LabelChannel(0.0, 0.2), ByQuadrature()]
NUMBERS = [
    Gaussian(3.0),
    Student(),
    SoftInsensitive(2.0, 0.5, 0.5),
    EpsilonInsensitive(3.0, 0.4),
]
WEIGHTS = [Unit(), Fixed(np.ones(N)), Gamma(1.3), Gamma(1.5, learns=True)]
every_model = pytest.mark.parametrize(
    ("likelihood", "weights"),
    [(likelihood, weights) for likelihood in CLASSES + NUMBERS for weights in WEIGHTS],
    ids=lambda part: type(part).__name__,
)
REDUCTIONS = {
    "block_statistics": block_statistics,
    "curved_statistics": curved_statistics,
    "block_scores": partial(block_scores, tiles=[np.array([1, 3, 4]), np.array([10, 7, 6])], curved=True),
    "last_pass": last_pass,
    "row_outputs": lambda rows, _: Stacked((rows.precision, rows.shift, rows.loss)),
}


@pytest.fixture
def rows():
    """Rows, class numbers, real targets and weights, and a basis of two kernels."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (N, 2))
    basis = JointBasis((Basis(Kernel("rbf", 1.0), X[:6]), Basis(Kernel("laplacian", 0.7), X[:6])))
    return X, rng.integers(0, 3, N), rng.normal(size=N), rng.uniform(0.5, 3.0, N), basis


def block_and_state(rows, likelihood, weights):
    X, label, number, weight, basis = rows
    y, coding = (label, OneAgainstRest(1)) if likelihood in CLASSES else (number, AsGiven())
    phi = basis.columns(X, COLUMNS)
    posterior = solve_posterior(phi.T @ phi, phi.T @ (coding(y) - 0.4), np.ones(len(COLUMNS)))
    state = State(COLUMNS, np.ones(len(COLUMNS)), posterior, likelihood, weights, -np.inf)
    return Block(X, y, weight, 0, basis), state, coding


def arrays(value):
    """Yield every number and array of a sum, at any depth."""
    if is_dataclass(value):
        value = [getattr(value, each.name) for each in fields(value)]
    if isinstance(value, list | tuple):
        for part in value:
            yield from arrays(part)
    else:
        yield value


def moved(block, move):
    return Block(move(block.X), move(block.y), move(block.weight), block.offset, block.basis)


@every_model
def test_what_is_added_up_is_the_same(likelihood, weights, rows, elsewhere):
    block, state, coding = block_and_state(rows, likelihood, weights)
    for reduction in REDUCTIONS.values():
        assert_same_sums(RowPass(coding, COLUMNS, reduction), block, state, likelihood, elsewhere)


def assert_same_sums(function, block, state, likelihood, elsewhere):
    there = list(arrays(function(moved(block, elsewhere), state)))
    here = list(arrays(function(block, state)))
    assert sum(map(is_elsewhere, there)) >= 2  # the larger sums are made where the rows are
    assert len(here) == len(there)
    for mine, truth in zip(all_to_numpy(there), here, strict=True):
        if truth is None:
            assert mine is None
            continue
        assert np.shape(mine) == np.shape(truth)
        # Where a slope is a difference already, how it bends is a difference of differences: eight digits.
        digits = 1e-7 if isinstance(likelihood, Student) else 1e-10
        np.testing.assert_allclose(mine, truth, rtol=digits, atol=digits)
