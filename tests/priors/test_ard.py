"""Automatic relevance determination against scipy.stats, quadrature and one-dimensional searches."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.stats import gamma as gamma_distribution
from scipy.stats import norm

from rowtrust.priors.ard import ARD, log_evidence_share, optimal_precision

positive = st.floats(1e-3, 1e3)


def share(precision, sparsity, quality):
    """Return l(alpha) of one column as a difference of Gaussian log densities.

    For a column of one row with noise precision s and shift q, t = q/s is N(0, 1/s + 1/alpha) with the
    column and N(0, 1/s) without it.
    """
    t = quality / sparsity
    with_column = norm.logpdf(t, 0, np.sqrt(1 / sparsity + 1 / precision))
    return with_column - norm.logpdf(t, 0, np.sqrt(1 / sparsity))


@pytest.mark.parametrize(("shape", "rate"), [(1.0, 1.0), (0.3, 2.0), (4.0, 0.1)])
@pytest.mark.parametrize("second_moment", [0.01, 1.0, 40.0])
def test_expected_precision_by_quadrature_of_the_conjugate_posterior(shape, rate, second_moment):
    """q(alpha) is the prior times sqrt(alpha) exp(-alpha E beta^2 / 2)."""
    prior = gamma_distribution(shape, scale=1 / rate)

    def integral(power):
        def integrand(x):
            alpha = np.exp(x)
            log_weight = prior.logpdf(alpha) + 0.5 * x - 0.5 * alpha * second_moment
            return np.exp(log_weight + (power + 1) * x)

        return quad(integrand, -60, 8, limit=400, epsabs=0, epsrel=1e-11, points=[-6, -3, 0, 2, 4])[0]

    expected = ARD(shape, rate).expected_precision(np.array([second_moment]))
    assert expected[0] == pytest.approx(integral(1) / integral(0), rel=1e-8)


@pytest.mark.parametrize(("shape", "rate"), [(1.0, 1.0), (0.3, 2.0), (4.0, 0.1)])
@pytest.mark.parametrize("second_moment", [0.01, 1.0, 40.0])
def test_the_bound_is_the_sum_of_its_terms(shape, rate, second_moment):
    posterior = gamma_distribution(shape + 0.5, scale=1 / (rate + 0.5 * second_moment))
    prior = gamma_distribution(shape, scale=1 / rate)
    expected_log = posterior.expect(np.log, lb=0, epsabs=1e-12, limit=200)
    log_beta = 0.5 * expected_log - 0.5 * np.log(2 * np.pi) - 0.5 * posterior.mean() * second_moment
    log_alpha = posterior.expect(prior.logpdf, lb=0, epsabs=1e-12, limit=200)
    terms = log_beta + log_alpha + posterior.entropy()
    assert ARD(shape, rate).bound(np.array([second_moment])) == pytest.approx(terms, abs=1e-6)


def test_the_bound_adds_over_coefficients():
    prior, moments = ARD(), np.array([1e-6, 0.3, 7.0, 1e5])
    apart = sum(prior.bound(moments[j : j + 1]) for j in range(4))
    assert prior.bound(moments) == pytest.approx(apart, rel=1e-13)


def test_no_other_gamma_posterior_does_better():
    """expected_precision belongs to the q(alpha) that maximises the bound over all Gamma densities."""
    shape, rate, second_moment = 0.7, 1.2, 2.5
    prior = gamma_distribution(shape, scale=1 / rate)

    def bound(a, b):
        q = gamma_distribution(a, scale=1 / b)
        log_beta = 0.5 * q.expect(np.log, lb=0) - 0.5 * np.log(2 * np.pi) - 0.5 * q.mean() * second_moment
        return log_beta + q.expect(prior.logpdf, lb=0) + q.entropy()

    best = ARD(shape, rate).bound(np.array([second_moment]))
    for a, b in [(1.3, 2.45), (1.1, 2.45), (1.2, 2.6), (1.2, 2.3), (2.4, 4.9)]:
        assert bound(a, b) < best


@settings(deadline=None)
@given(sparsity=positive, quality=st.floats(-100, 100))
def test_optimal_precision_maximises_the_log_evidence_share(sparsity, quality):
    assume(quality**2 > 1.01 * sparsity)
    best = float(optimal_precision(np.array([sparsity]), np.array([quality]))[0])
    search = minimize_scalar(
        lambda x: -share(np.exp(x), sparsity, quality),
        bounds=(np.log(best) - 8, np.log(best) + 8),
        method="bounded",
        options={"xatol": 1e-9},
    )
    reached = float(log_evidence_share(np.array([best]), np.array([sparsity]), np.array([quality]))[0])
    assert reached >= -search.fun - 1e-9 * (1 + abs(search.fun))
    assert reached > 0


@settings(deadline=None)
@given(precision=st.floats(1e-6, 1e6), sparsity=positive, quality=st.floats(-100, 100))
def test_the_share_is_a_difference_of_log_densities(precision, sparsity, quality):
    got = float(log_evidence_share(np.array([precision]), np.array([sparsity]), np.array([quality]))[0])
    assert got == pytest.approx(share(precision, sparsity, quality), rel=1e-9, abs=1e-9 * (1 + quality**2))


@settings(deadline=None)
@given(sparsity=positive, quality=st.floats(-40, 40))
def test_the_precision_is_infinite_exactly_when_the_column_explains_too_little(sparsity, quality):
    best = optimal_precision(np.array([sparsity]), np.array([quality]))[0]
    assert np.isinf(best) == (quality**2 <= sparsity)
    assert best > 0


@pytest.mark.filterwarnings("error")
def test_the_boundary_itself_is_outside():
    np.testing.assert_array_equal(optimal_precision(np.array([4.0, 4.0]), np.array([2.0, -2.0])), np.inf)


def test_a_column_that_explains_too_little_gains_nothing_at_any_precision():
    precision = np.logspace(-8, 8, 200)
    gain = log_evidence_share(precision, np.full(200, 4.0), np.full(200, 1.9))
    assert (gain < 0).all()
    assert (np.diff(gain) > 0).all()


def test_the_share_at_infinity_is_zero_and_reached_continuously():
    sparsity, quality = np.array([0.1, 3.0, 50.0]), np.array([0.0, 9.0, -2.0])
    at_infinity = log_evidence_share(np.full(3, np.inf), sparsity, quality)
    np.testing.assert_array_equal(at_infinity, np.zeros(3))
    np.testing.assert_allclose(log_evidence_share(np.full(3, 1e13), sparsity, quality), 0.0, atol=1e-10)


def test_the_optimum_is_the_fixed_point_of_the_variational_update():
    """With shape and rate at zero, alpha = 1 / E beta^2 stands still at s^2 / (q^2 - s)."""
    sparsity, quality = np.array([0.5, 2.0, 30.0]), np.array([3.0, -1.6, 8.0])
    alpha = optimal_precision(sparsity, quality)
    mean, variance = quality / (alpha + sparsity), 1 / (alpha + sparsity)
    np.testing.assert_allclose(ARD(0.0, 0.0).expected_precision(mean**2 + variance), alpha, rtol=1e-12)
