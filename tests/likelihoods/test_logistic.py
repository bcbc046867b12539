"""The logistic bound of Jaakkola and Jordan against its own definition, quadrature and finite differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial.hermite_e import hermegauss
from scipy.integrate import trapezoid
from scipy.special import expit, log_expit

from rowtrust.inference.passes import expected_loss
from rowtrust.likelihoods.logistic import Logistic, bound_curvature

finite = st.floats(-60, 60)
spread = st.floats(0, 400)


def site_value(sites, latent):
    return sites.normaliser + sites.constant + sites.shift * latent - 0.5 * sites.precision * latent**2


def hwang_bound(latent, target, xi):
    """Return ln h of eq. 5, written out from the paper rather than from the code."""
    z = (2 * target - 1) * latent
    curvature = (expit(xi) - 0.5) / (2 * xi)
    return log_expit(xi) + (z - xi) / 2 - curvature * (z**2 - xi**2)


def gaussian_average(function, mean, variance, nodes=120):
    points, weights = hermegauss(nodes)
    return weights @ function(mean + np.sqrt(variance) * points) / np.sqrt(2 * np.pi)


@settings(deadline=None)
@given(latent=finite, mean=finite, variance=spread, target=st.sampled_from([0.0, 1.0]))
def test_the_site_never_exceeds_the_log_likelihood(latent, mean, variance, target):
    sites = Logistic().sites(np.array([target]), np.array([mean]), np.array([variance]))
    exact = log_expit((2 * target - 1) * latent)
    assert site_value(sites, latent)[0] <= exact + 1e-11 * (1 + latent**2 + mean**2 + variance)


@settings(deadline=None)
@given(mean=finite, variance=spread, target=st.sampled_from([0.0, 1.0]))
def test_the_site_touches_the_log_likelihood_at_plus_and_minus_xi(mean, variance, target):
    sites = Logistic().sites(np.array([target]), np.array([mean]), np.array([variance]))
    xi = np.sqrt(mean**2 + variance)
    for latent in (xi, -xi):
        exact = log_expit((2 * target - 1) * latent)
        assert site_value(sites, latent)[0] == pytest.approx(exact, abs=1e-11 * (1 + xi**2))


@pytest.mark.parametrize("target", [0.0, 1.0])
def test_the_site_is_equation_5_with_xi_from_equation_16(target):
    rng = np.random.default_rng(0)
    mean, variance = rng.normal(0, 3, 50), rng.exponential(2, 50)
    sites = Logistic().sites(np.full(50, target), mean, variance)
    for latent in (-4.0, 0.0, 0.3, 7.0):
        np.testing.assert_allclose(
            site_value(sites, latent), hwang_bound(latent, target, np.sqrt(mean**2 + variance)), atol=1e-12
        )


def test_the_expected_loss_is_the_closed_form_at_the_optimal_xi():
    rng = np.random.default_rng(1)
    mean, variance = rng.normal(0, 4, 200), rng.exponential(3, 200)
    target = rng.integers(0, 2, 200).astype(float)
    loss = expected_loss(Logistic().sites(target, mean, variance), mean, variance)
    xi = np.sqrt(mean**2 + variance)
    np.testing.assert_allclose(loss, -(log_expit(xi) + (target - 0.5) * mean - xi / 2), atol=1e-12)


@pytest.mark.parametrize("target", [0.0, 1.0])
@pytest.mark.parametrize(("mean", "variance"), [(0.0, 0.5), (-2.0, 1.0), (1.5, 9.0), (6.0, 0.01)])
def test_the_expected_loss_is_the_average_of_the_bound_over_the_latent(mean, variance, target):
    sites = Logistic().sites(np.array([target]), np.array([mean]), np.array([variance]))
    xi = np.sqrt(mean**2 + variance)
    average = gaussian_average(lambda f: hwang_bound(f, target, xi), mean, variance)
    loss = expected_loss(sites, np.array([mean]), np.array([variance]))
    assert loss[0] == pytest.approx(-average, abs=1e-10)


@pytest.mark.parametrize(("mean", "variance"), [(0.0, 0.5), (-2.0, 1.0), (1.5, 9.0), (6.0, 0.01)])
def test_xi_maximises_the_expected_bound(mean, variance):
    def expected(xi):
        return gaussian_average(lambda f: hwang_bound(f, 1.0, xi), mean, variance)

    sites = Logistic().sites(np.array([1.0]), np.array([mean]), np.array([variance]))
    reached = -expected_loss(sites, np.array([mean]), np.array([variance]))[0]
    xi, step = np.sqrt(mean**2 + variance), 1e-4
    assert abs(expected(xi + step) - expected(xi - step)) / (2 * step) < 1e-7
    assert reached == pytest.approx(expected(xi), abs=1e-10)
    for other in xi * np.array([0.2, 0.7, 0.95, 1.05, 1.5, 4.0]):
        assert expected(other) < reached


def test_lambda_tends_to_one_eighth_and_is_even():
    assert bound_curvature(np.zeros(1))[0] == 0.125
    xi = np.array([1e-12, 1e-6, 1e-3, 0.5, 30.0])
    np.testing.assert_array_equal(bound_curvature(-xi), bound_curvature(xi))
    np.testing.assert_allclose(bound_curvature(xi[:2]), 0.125, rtol=1e-12)


def test_lambda_is_smooth_where_the_series_meets_the_closed_form():
    """Two more terms of the series are the truth on both sides of the joint at 1e-4."""
    xi = np.linspace(0.2e-4, 5e-4, 400)
    series = 0.125 - xi**2 / 96 + xi**4 / 960
    np.testing.assert_allclose(bound_curvature(xi), series, rtol=2e-15)
    assert (np.diff(bound_curvature(xi)) <= 1e-16).all()


def test_lambda_far_out_is_a_quarter_over_xi():
    xi = np.array([80.0, 1e3, 1e8])
    np.testing.assert_allclose(bound_curvature(xi), 0.25 / xi, rtol=1e-14)


def test_sites_stay_finite_for_certain_rows():
    """Separable classes give latent values in the thousands; nothing may overflow."""
    mean = np.array([-1e6, 1e6, 0.0])
    sites = Logistic().sites(np.array([0.0, 1.0, 1.0]), mean, np.zeros(3))
    loss = expected_loss(sites, mean, np.zeros(3))
    np.testing.assert_allclose(loss, [0.0, 0.0, np.log(2)], atol=1e-8)


@pytest.mark.parametrize("variance", [0.01, 0.5, 2.0, 8.0, 30.0])
def test_the_averaged_probability_is_close_to_quadrature(variance):
    """MacKay's approximation is good to about 0.02; quadrature on a fine grid is the truth."""
    z = np.linspace(-9, 9, 4001)
    density = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
    mean = np.linspace(-12, 12, 49)
    exact = trapezoid(density * expit(mean[:, None] + np.sqrt(variance) * z), z, axis=1)
    by_hermite = [gaussian_average(expit, m, variance, 180) for m in mean]
    np.testing.assert_allclose(exact, by_hermite, atol=1e-4)
    assert np.abs(Logistic().predict_mean(mean, np.full_like(mean, variance)) - exact).max() < 0.02


def test_the_averaged_probability_is_exact_without_variance_and_one_half_at_zero():
    mean = np.linspace(-40, 40, 81)
    np.testing.assert_allclose(Logistic().predict_mean(mean, np.zeros_like(mean)), expit(mean), rtol=1e-15)
    assert Logistic().predict_mean(np.zeros(1), np.array([7.0]))[0] == 0.5


@settings(deadline=None)
@given(mean=st.floats(-30, 30), low=st.floats(0, 50), more=st.floats(0.01, 50))
def test_more_variance_moves_the_probability_towards_one_half(mean, low, more):
    near = Logistic().log_odds(np.array([mean]), np.array([low]))[0]
    far = Logistic().log_odds(np.array([mean]), np.array([low + more]))[0]
    assert abs(far) <= abs(near)
    assert far * mean >= 0


def test_the_logistic_has_nothing_to_learn():
    likelihood, statistics = Logistic().update("untouched")
    assert likelihood == Logistic()
    assert statistics == "untouched"
    assert Logistic.weight_exponent == 0.0
    assert not Logistic.learns
