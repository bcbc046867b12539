"""Rows left out have a say: how targets scatter, and whether there is a function at all."""

import warnings

import numpy as np
import pytest

from rowtrust import BayesianSVR
from rowtrust.svr.output import ConstantFitWarning
from rowtrust.svr.search import numbered_groups
from rowtrust.trust import rounding


def pure_noise(seed, n, d):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n + 500, d)), rng.normal(size=n + 500)


@pytest.mark.parametrize("seed", [0, 1])
def test_pure_noise_is_not_interpolated(seed):
    X, y = pure_noise(seed, 70, 5)
    with pytest.warns(ConstantFitWarning):
        machine = BayesianSVR().fit(X[:70], y[:70])
    assert machine.score(X[70:], y[70:]) > -0.1
    low, high = machine.predict_interval(X[70:], 0.95)
    assert np.mean((low < y[70:]) & (y[70:] < high)) == pytest.approx(0.95, abs=0.04)


@pytest.mark.parametrize("kind", ["two values", "counts"])
def test_targets_of_few_values_have_no_vanishing_noise(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(580, 2))
    level = X[:, 0] + 0.5 * X[:, 1]
    y = rng.poisson(np.exp(level)).astype(float) if kind == "counts" else (level > 0).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantFitWarning)
        machine = BayesianSVR().fit(X[:80], y[:80])
    spread = y[:80].std()
    constant = np.mean(-0.5 * ((y[80:] - y[:80].mean()) / spread) ** 2 - np.log(spread * np.sqrt(2 * np.pi)))
    assert machine.log_score(X[80:], y[80:]) > constant


def test_rounding_is_even_over_the_smallest_step():
    assert rounding(np.array([3.0, 1.0, 1.0, 7.0])) == pytest.approx(2.0 / np.sqrt(12.0))
    assert rounding(np.ones(3)) == 0.0


def test_copies_lie_in_the_same_half():
    X = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 3.0], [0.0, 3.0], [0.0, 3.0]])
    assert numbered_groups(X).tolist() == [0, 0, 1, 2, 2]
