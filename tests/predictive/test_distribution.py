"""Quantiles and densities of new targets, against sums and integrals of their own."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from rowtrust.likelihoods import Gaussian, Huber, Laplace, Logistic, SoftInsensitive
from rowtrust.predictive.distribution import NODES, Noise, Part, TargetDistribution, tabulated
from rowtrust.weights import Gamma, Unit

LEVELS = [0.005, 0.05, 0.3, 0.5, 0.9, 0.999]
DEVIATIONS = [0.0, 0.02, 0.3, 1.0, 4.0, 60.0]


def one(mean, variance, likelihood, weights=None):
    part = Part.of(np.array([mean]), np.array([variance]), likelihood, weights or Unit())
    return TargetDistribution((part,))


def test_gaussian_noise_has_gaussian_quantiles():
    found = one(2.0, 3.0, Gaussian(precision=0.25))
    for level in LEVELS:
        assert found.quantile(level)[0] == pytest.approx(stats.norm.ppf(level, 2.0, np.sqrt(7.0)))
    assert found.log_density(np.array([5.0]))[0] == pytest.approx(stats.norm.logpdf(5.0, 2.0, np.sqrt(7.0)))
    assert found.cdf(np.array([5.0]))[0] == pytest.approx(stats.norm.cdf(5.0, 2.0, np.sqrt(7.0)))


@pytest.mark.parametrize("deviation", DEVIATIONS)
def test_the_sum_over_latent_values_is_a_gaussian_where_the_noise_is(deviation):
    """Noise below a step of the sum is widened a little."""
    residual = tabulated(1.0)
    log_density = Gaussian().log_density
    noise = Noise(log_density, "a Gaussian", 1.0, residual, stats.norm.cdf(residual))
    found = TargetDistribution((Part(1.0, np.zeros(1), np.array([deviation]), noise),))
    total, error = np.hypot(1.0, deviation), 5e-3 if deviation > 10.0 else 2e-4
    for level in LEVELS:
        expected = stats.norm.ppf(level) * total
        assert found.quantile(level)[0] == pytest.approx(expected, rel=error, abs=1e-6 * total)
    expected = stats.norm.logpdf(2.0, scale=total)
    assert found.log_density(np.array([2.0]))[0] == pytest.approx(expected, abs=error)


def test_gamma_weights_without_rows_left_out_are_as_wide_as_students_t_at_95_percent():
    found = one(0.0, 0.0, Gaussian(precision=4.0), Gamma(1.0))
    assert found.quantile(0.975)[0] == pytest.approx(0.5 * stats.t.ppf(0.975, 2.0))


@pytest.mark.parametrize("likelihood", [Huber(3.0, 0.5), Laplace(2.0), SoftInsensitive(2.0, 0.5, 0.3)])
def test_other_noise_by_sums_over_its_density(likelihood):
    """A grid of targets by a grid of latent values."""
    found = one(0.3, 0.49, likelihood)
    latent = 0.3 + 0.7 * np.linspace(-7.0, 7.0, 2001)
    share = stats.norm.pdf(latent, 0.3, 0.7)
    target = np.linspace(-12.0, 12.0, 2401)
    density = np.exp(likelihood.log_density(target[:, None], latent)) @ (share / share.sum())
    below = np.cumsum(density) * 0.01 - 0.005 * density
    np.testing.assert_allclose(np.exp(found.log_density(target[1320:1321])), density[1320], rtol=1e-3)
    for level in LEVELS:
        assert np.interp(found.quantile(level)[0], target, below) == pytest.approx(level, abs=1e-4)


def test_a_mixture_lies_between_its_parts():
    low, high = one(-3.0, 0.1, Laplace(2.0)).parts[0], one(3.0, 0.1, Laplace(5.0)).parts[0]
    found = TargetDistribution((replace(low, share=0.25), replace(high, share=0.75)))
    assert found.quantile(0.25)[0] == pytest.approx(0.0, abs=1.5)
    for level in LEVELS:
        assert found.cdf(found.quantile(level))[0] == pytest.approx(level, abs=1e-7)
    each = [np.exp(part.log_density(np.array([1.0]))[0]) for part in (low, high)]
    assert np.exp(found.log_density(np.array([1.0]))[0]) == pytest.approx(0.25 * each[0] + 0.75 * each[1])


@pytest.mark.parametrize("weights", [Unit(), Gamma(2.0)])
def test_units_do_not_matter(weights):
    small = one(1.0, 0.5, Gaussian(2.0), weights)
    large = one(1e6, 0.5e12, Gaussian(2e-12), weights)
    for level in LEVELS:
        assert large.quantile(level)[0] == pytest.approx(1e6 * small.quantile(level)[0], rel=1e-6)
    shifted = large.log_density(np.array([2e6]))[0] + np.log(1e6)
    assert shifted == pytest.approx(small.log_density(np.array([2.0]))[0])


def test_many_rows_are_as_each_of_them():
    generator = np.random.default_rng(0)
    mean, variance = generator.normal(size=5000), generator.gamma(1.0, size=5000)
    part = Part.of(mean, variance, Laplace(2.0), Unit())
    found = TargetDistribution((part,)).quantile(0.9)
    for row in (0, 4095, 4999):
        alone = TargetDistribution((part.at(slice(row, row + 1)),)).quantile(0.9)
        assert found[row] == pytest.approx(alone[0], abs=1e-7)
    assert len(NODES) * len(mean) > 2**19  # several blocks


def test_a_link_has_densities_but_no_quantiles():
    found = one(0.4, 1.0, Logistic())
    given = found.log_density(np.array([1.0]))[0]
    expected = quad(lambda f: stats.norm.pdf(f, 0.4) / (1.0 + np.exp(-f)), -9, 9)[0]
    assert np.exp(given) == pytest.approx(expected, rel=1e-6)
    with pytest.raises(ValueError, match=r"Logistic has a link.*return_std"):
        found.quantile(0.5)


@pytest.mark.filterwarnings("error")
def test_noise_below_the_rounding_of_the_mean_leaves_the_mean():
    """Nothing lies between the ends of the bracket, nor between their shares."""
    found = one(1e9, 1e-30, SoftInsensitive(1e12, 1e-13, 0.5))
    for level in (0.05, 0.5, 0.95):
        np.testing.assert_allclose(found.quantile(level), 1e9, rtol=1e-12)
