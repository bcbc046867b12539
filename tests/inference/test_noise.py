"""Noise and coefficients in balance, against the dense evidence of the targets."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import multivariate_normal

from rowtrust.contracts import Statistics
from rowtrust.inference.noise import with_settled_noise
from rowtrust.inference.passes import log_scale
from rowtrust.inference.sequential import maximise_evidence
from rowtrust.likelihoods import Gaussian, Logistic
from rowtrust.priors import ARD


def rows(seed, n=40):
    rng = np.random.default_rng(seed)
    phi = np.column_stack([np.ones(n), rng.normal(size=(n, 4))])
    return phi, phi @ np.array([0.5, 1.0, 0.0, -2.0, 0.0]) + 0.3 * rng.normal(size=n)


def statistics_of(likelihood, phi, target):
    tau, n = likelihood.precision, len(target)
    return Statistics(
        gram=tau * phi.T @ phi,
        vector=tau * phi.T @ target,
        constant=float(-0.5 * tau * target @ target),
        normaliser=0.5 * n * np.log(tau / (2 * np.pi)),
        loss=1.0,
        count=float(n),
        likelihood=np.empty(0),
        weights=np.empty(0),
    )


def settled(seed, precision, tol=1e-9):
    phi, target = rows(seed)
    likelihood = Gaussian(precision)
    statistics = statistics_of(likelihood, phi, target)
    chosen = maximise_evidence(ARD(), statistics.gram, statistics.vector, np.ones(5), tol)
    before = log_scale(statistics) + chosen.log_evidence
    return phi, target, before, *with_settled_noise(ARD(), likelihood, statistics, chosen, tol)


def dense_evidence(phi, target, precision, chosen):
    part = phi[:, chosen.kept]
    covariance = np.eye(len(target)) / precision + (part / chosen.precision) @ part.T
    return float(multivariate_normal.logpdf(target, np.zeros(len(target)), covariance))


@pytest.mark.parametrize("precision", [0.1, 2.0, 300.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_noise_ends_where_the_evidence_is_highest(seed, precision):
    phi, target, before, likelihood, statistics, chosen = settled(seed, precision)
    evidence = log_scale(statistics) + chosen.log_evidence
    assert evidence > before
    assert evidence == pytest.approx(dense_evidence(phi, target, likelihood.precision, chosen), abs=1e-8)
    best = minimize_scalar(
        lambda x: -dense_evidence(phi, target, np.exp(x), chosen), bounds=(-3, 6), method="bounded"
    )
    assert evidence > -best.fun - 1e-2


def test_the_statistics_are_those_of_the_noise_it_ends_with():
    phi, target, _, likelihood, statistics, _ = settled(0, 2.0)
    scratch = statistics_of(likelihood, phi, target)
    for name in ("gram", "vector", "constant", "normaliser"):
        np.testing.assert_allclose(getattr(statistics, name), getattr(scratch, name), rtol=1e-9)


def test_what_does_not_learn_stays():
    phi, target = rows(0)
    statistics = statistics_of(Gaussian(1.0), phi, target)
    chosen = maximise_evidence(ARD(), statistics.gram, statistics.vector, np.ones(5), 1e-6)
    likelihood = Logistic()
    assert with_settled_noise(ARD(), likelihood, statistics, chosen, 1e-6) == (likelihood, statistics, chosen)
