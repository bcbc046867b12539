"""Weights: Hwang & Jeong's propositions, the Gamma posterior by quadrature, Student's t, learnt trust."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.special import log_expit
from scipy.stats import gamma as gamma_distribution
from scipy.stats import t as student

from rowtrust.contracts import Statistics
from rowtrust.inference.passes import expected_loss
from rowtrust.likelihoods import Gaussian, Logistic
from rowtrust.weights import HWANG_TRUST_PRIOR, Fixed, Gamma, Unit
from rowtrust.weights.gamma import maximise_trust


def logistic_rows(seed, n=300):
    rng = np.random.default_rng(seed)
    mean, variance = rng.normal(0, 20, n), rng.exponential(5, n)
    target = rng.integers(0, 2, n).astype(float)
    loss = expected_loss(Logistic().sites(target, mean, variance), mean, variance)
    return target, mean, variance, loss


def statistics_with(moments, copies):
    """Return statistics in which only what the weights' own update reads is filled in."""
    return Statistics(
        gram=np.zeros((1, 1)),
        vector=np.zeros(1),
        constant=0.0,
        normaliser=float(copies @ moments.bound),
        loss=0.0,
        count=float(copies.sum()),
        likelihood=np.empty(0),
        weights=moments.statistics @ copies,
    )


def prior_and_entropy(trust, shape, rate):
    """Return E ln p(w) - E ln q(w) and E ln w under q = Gamma(shape, rate), by quadrature and scipy."""
    posterior = gamma_distribution(shape, scale=1 / rate)
    prior = gamma_distribution(trust, scale=1 / trust)
    expected_log_prior = posterior.expect(prior.logpdf, lb=0, epsabs=1e-12, limit=200)
    expected_log = posterior.expect(np.log, lb=0, epsabs=1e-12, limit=200)
    return expected_log_prior + posterior.entropy(), expected_log


# Fixed weights


def test_unit_weights_count_every_row_once_and_cost_nothing():
    moments = Unit().learn(np.array([0.0, 3.0, 900.0]), 0.5)
    np.testing.assert_array_equal(moments.expected, np.ones(3))
    np.testing.assert_array_equal(moments.bound, np.zeros(3))
    assert moments.statistics.shape == (0, 3)


def test_fixed_weights_travel_with_the_rows_and_leave_nothing_to_learn():
    membership = np.linspace(0.1, 1.0, 10)
    weights = Fixed(membership)
    np.testing.assert_array_equal(weights.membership, membership)
    moments = weights.learn(np.arange(4.0), 0.0)
    np.testing.assert_array_equal(moments.expected, np.ones(4))
    np.testing.assert_array_equal(moments.bound, np.zeros(4))
    assert moments.statistics.shape == (0, 4)


@pytest.mark.parametrize("weights", [Unit(), Fixed(np.ones(3)), Gamma(1.5)])
def test_weights_that_are_not_learnt_leave_the_statistics_alone(weights):
    statistics = statistics_with(Unit().learn(np.ones(3), 0.0), np.ones(3))
    same, restated = weights.update(statistics)
    assert same is weights
    assert restated is statistics


# Propositions 1 and 2, and the choice of r


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("trust", [0.05, HWANG_TRUST_PRIOR, 40.0])
def test_proposition_1_the_weighted_logistic_loss_is_bounded_by_r(trust, seed):
    target, mean, _, loss = logistic_rows(seed)
    expected = Gamma(trust).learn(loss, Logistic.weight_exponent).expected
    plug_in = -log_expit((2 * target - 1) * mean)
    assert loss.max() > 20
    assert (expected * loss < trust).all()
    assert (expected * plug_in <= expected * loss + 1e-12).all()


def test_the_bound_of_proposition_1_is_reached_far_out():
    loss = np.array([1e3, 1e6, 1e9])
    weighted = Gamma(1.3).learn(loss, 0.0).expected * loss
    np.testing.assert_allclose(weighted, 1.3, rtol=2e-3)
    assert (np.diff(weighted) > 0).all()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("trust", [0.05, HWANG_TRUST_PRIOR, 40.0])
def test_proposition_2_weights_lie_between_zero_and_one(trust, seed):
    _, _, _, loss = logistic_rows(seed)
    expected = Gamma(trust).learn(loss, Logistic.weight_exponent).expected
    assert (expected > 0).all()
    assert (expected <= 1).all()
    order = np.argsort(loss)
    assert (np.diff(expected[order]) <= 0).all()


def test_a_row_without_loss_is_trusted_fully():
    assert Gamma(0.7).learn(np.zeros(1), 0.0).expected[0] == 1.0


def test_rows_are_trusted_whatever_their_loss_as_the_prior_hardens():
    expected = Gamma(1e12).learn(np.array([0.0, 5.0, 50.0]), 0.0).expected
    np.testing.assert_allclose(expected, 1.0, rtol=1e-9)


def second_derivative_of_weighted_loss(trust):
    """Return the curvature at u = 0 of E(w) l(u), l the logistic loss, by a fourth-order difference."""
    step = 1e-2
    u = step * np.arange(-3, 4)
    loss = np.log1p(np.exp(-u))
    weighted = Gamma(trust).learn(loss, 0.0).expected * loss
    stencil = np.array([1 / 90, -3 / 20, 3 / 2, -49 / 18, 3 / 2, -3 / 20, 1 / 90])
    return float(stencil @ weighted / step**2)


def test_hwangs_r_puts_the_inflection_on_the_decision_boundary():
    assert pytest.approx(2 - np.log(2)) == HWANG_TRUST_PRIOR
    assert second_derivative_of_weighted_loss(HWANG_TRUST_PRIOR) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(("trust", "sign"), [(0.5, -1), (1.0, -1), (1.25, -1), (1.36, 1), (2.0, 1), (9.0, 1)])
def test_no_other_r_puts_the_inflection_there(trust, sign):
    assert sign * second_derivative_of_weighted_loss(trust) > 1e-3


# The Gamma posterior


@pytest.mark.parametrize("exponent", [0.0, 0.5])
@pytest.mark.parametrize("trust", [0.6, HWANG_TRUST_PRIOR, 6.0])
@pytest.mark.parametrize("loss", [0.0, 0.3, 4.0, 60.0])
def test_moments_against_quadrature_of_prior_times_weighted_likelihood(trust, loss, exponent):
    prior = gamma_distribution(trust, scale=1 / trust)

    def integral(function):
        def integrand(x):  # w = exp(x) removes the pole that a small shape has at zero
            w = np.exp(x)
            return function(w) * np.exp(prior.logpdf(w) + exponent * x - loss * w + x)

        return quad(integrand, -60, 6, limit=400, epsabs=0, epsrel=1e-11, points=[-10, -4, -2, 0, 2])[0]

    total = integral(lambda w: 1.0)
    expected = integral(lambda w: w) / total
    expected_log = integral(np.log) / total
    moments = Gamma(trust, learns=True).learn(np.array([loss]), exponent)
    assert moments.expected[0] == pytest.approx(expected, rel=1e-8)
    assert moments.statistics[0, 0] == pytest.approx(expected_log - expected, rel=1e-8)
    # At the exact posterior the bound is the log of the integral.
    assert moments.bound[0] - expected * loss == pytest.approx(np.log(total), abs=1e-8)


@pytest.mark.parametrize("exponent", [0.0, 0.5])
@pytest.mark.parametrize("trust", [0.8, HWANG_TRUST_PRIOR, 6.0])
@pytest.mark.parametrize("loss", [0.0, 0.9, 25.0])
def test_the_bound_field_is_the_sum_of_its_terms(trust, loss, exponent):
    """h E ln w + E ln p(w) - E ln q(w), each from scipy.stats; the code has E ln w cancelled."""
    difference, expected_log = prior_and_entropy(trust, trust + exponent, trust + loss)
    moments = Gamma(trust).learn(np.array([loss]), exponent)
    assert moments.bound[0] == pytest.approx(exponent * expected_log + difference, abs=1e-6)


@pytest.mark.parametrize("trust", [0.5, 1.0, HWANG_TRUST_PRIOR, 5.0, 50.0])
@pytest.mark.parametrize("precision", [0.1, 1.0, 30.0])
def test_gaussian_noise_with_gamma_weights_is_student_t(trust, precision):
    """Without latent variance the row's share of the bound is the exact marginal, nu = 2c."""
    target = np.linspace(-8, 8, 33)
    mean, variance = np.full_like(target, 0.4), np.zeros_like(target)
    likelihood = Gaussian(precision)
    sites = likelihood.sites(target, mean, variance)
    loss = expected_loss(sites, mean, variance)
    moments = Gamma(trust).learn(loss, likelihood.weight_exponent)
    share = moments.bound - moments.expected * loss + sites.normaliser
    exact = student.logpdf(target, 2 * trust, loc=0.4, scale=precision**-0.5)
    np.testing.assert_allclose(share, exact, rtol=1e-10, atol=1e-10)


# Learnt trust


def objective(trust, moments, copies):
    """Return the sum of E ln Gamma(w | trust, trust), given E ln w and E w of every row.

    ln p(w) = ln p(1) + trust + (trust - 1) ln w - trust w, with ln p(1) from scipy.stats.
    """
    constant = gamma_distribution.logpdf(1.0, trust, scale=1 / trust) + trust
    expected_log = moments.statistics[0] + moments.expected
    return float(copies @ (constant + (trust - 1) * expected_log - trust * moments.expected))


@settings(deadline=None)
@given(mean_log_trust=st.floats(-30, -1.0005))
def test_maximise_trust_against_a_search(mean_log_trust):
    def negative(log_trust):
        c = np.exp(log_trust)
        return -(gamma_distribution.logpdf(1.0, c, scale=1 / c) + c + c * mean_log_trust)

    found = maximise_trust(mean_log_trust)
    search = minimize_scalar(negative, bounds=(-8, 10), method="bounded", options={"xatol": 1e-9})
    assert negative(np.log(found)) <= search.fun + 1e-9
    assert np.log(found) == pytest.approx(search.x, abs=2e-3)


@pytest.mark.parametrize("mean_log_trust", [-1.0, -1.0 - 1e-12])
def test_maximise_trust_survives_rows_that_all_agree(mean_log_trust):
    """Certain weights want an infinite trust; the answer is huge and finite."""
    found = maximise_trust(mean_log_trust)
    assert np.isfinite(found)
    assert found > 1e6


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("start", [1.0, 3.0, 10.0])
def test_learning_trust_restates_the_normaliser_exactly_and_never_lowers_it(seed, start):
    rng = np.random.default_rng(seed)
    scale = [0.01, 0.3, 0.8, 2.0, 8.0, 60.0][seed]
    loss, copies = rng.exponential(scale, 400), rng.integers(0, 4, 400).astype(float)
    weights = Gamma(start, learns=True)
    moments = weights.learn(loss, 0.5)
    statistics = statistics_with(moments, copies)
    updated, restated = weights.update(statistics)
    gain = objective(updated.trust, moments, copies) - objective(start, moments, copies)
    assert restated.normaliser - statistics.normaliser == pytest.approx(gain, rel=1e-8, abs=1e-7)
    assert gain >= -1e-9
    assert updated.learns
    search = minimize_scalar(
        lambda c: -objective(c, moments, copies), bounds=(Gamma.lower, Gamma.upper), method="bounded"
    )
    assert objective(updated.trust, moments, copies) >= -search.fun - 1e-6


@pytest.mark.parametrize(("start", "scale"), [(0.5, 5.0), (20.0, 1e-4)])
def test_learning_trust_never_lowers_the_bound_from_a_start_outside_its_limits(start, scale):
    loss = np.random.default_rng(0).exponential(scale, 200)
    weights = Gamma(start, learns=True)
    statistics = statistics_with(weights.learn(loss, 0.5), np.ones(200))
    _, restated = weights.update(statistics)
    assert restated.normaliser >= statistics.normaliser - 1e-9


def test_learnt_trust_finds_the_tail_of_student_noise():
    """Iterated on rows drawn from Student's t, twice the trust comes back as nu."""
    draw = student.rvs(6.0, size=20000, random_state=0)
    weights = Gamma(1.0, learns=True)
    for _ in range(200):
        moments = weights.learn(0.5 * draw**2, 0.5)
        weights, _ = weights.update(statistics_with(moments, np.ones_like(draw)))
    assert 2 * weights.trust == pytest.approx(6.0, rel=0.1)


def test_learning_trust_leaves_everything_but_the_normaliser():
    moments = Gamma(2.0, learns=True).learn(np.array([0.1, 3.0, 0.2]), 0.5)
    statistics = statistics_with(moments, np.ones(3))
    _, restated = Gamma(2.0, learns=True).update(statistics)
    assert restated.gram is statistics.gram
    assert restated.vector is statistics.vector
    assert (restated.constant, restated.loss) == (statistics.constant, statistics.loss)
    assert restated.count == statistics.count
    assert restated.weights is statistics.weights
    assert restated.likelihood is statistics.likelihood
