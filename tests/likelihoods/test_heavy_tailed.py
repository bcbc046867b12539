"""One bound for all symmetric noise with tails heavier than a Gaussian's."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import log_expit
from scipy.stats import t as student

from rowtrust import SparseBayesRegressor
from rowtrust.likelihoods import Gaussian, HeavyTailed, Laplace
from rowtrust.weights import Gamma


@dataclass(frozen=True)
class Logistic(HeavyTailed):
    scale: float = 0.5

    def log_density(self, target, latent):
        z = (target - latent) / self.scale
        return log_expit(z) + log_expit(-z) - np.log(self.scale)

    def rescaled(self, scale):
        return Logistic(self.scale * scale)


@dataclass(frozen=True)
class Student(HeavyTailed):
    degrees: float = 3.0

    def log_density(self, target, latent):
        return student.logpdf(target - latent, self.degrees)


@dataclass(frozen=True)
class Normal(HeavyTailed):
    def log_density(self, target, latent):
        return Gaussian(2.0).log_density(target, latent)


@dataclass(frozen=True)
class AbsoluteValue(HeavyTailed):
    def log_density(self, target, latent):
        return Laplace(1.5).log_density(target, latent)


KINDS = [Logistic(), Student(), Normal(), AbsoluteValue()]


@pytest.mark.parametrize("noise", KINDS, ids=repr)
@pytest.mark.parametrize("variance", [0.0, 0.3])
def test_the_site_lies_below_the_log_density_and_touches_it_at_both_sides(noise, variance):
    target, mean = np.random.default_rng(0).normal(size=(2, 40))
    sites = noise.sites(target, mean, np.full(40, variance))

    def site(latent):
        return sites.normaliser + sites.constant + sites.shift * latent - 0.5 * sites.precision * latent**2

    latent = np.linspace(-9.0, 9.0, 500)[:, None]
    assert (noise.log_density(target, latent) >= site(latent) - 1e-6).all()
    xi = np.sqrt((target - mean) ** 2 + variance)
    for side in (-1.0, 1.0):
        np.testing.assert_allclose(
            site(target + side * xi), noise.log_density(target, target + side * xi), atol=1e-6
        )


def test_the_limit_is_the_gaussian_itself():
    target, mean = np.random.default_rng(0).normal(size=(2, 40))
    found, exact = (each.sites(target, mean, np.full(40, 0.2)) for each in (Normal(), Gaussian(2.0)))
    np.testing.assert_allclose(found.precision, exact.precision, rtol=1e-5)
    np.testing.assert_allclose(found.shift, exact.shift, rtol=1e-5, atol=1e-9)


def test_losses_are_never_negative_so_that_rows_can_be_doubted():
    """A learnt weight multiplies the loss: with a negative one it would exceed one, or turn negative."""
    X = np.linspace(-10, 10, 120)[:, None]
    y = np.sinc(X[:, 0] / np.pi) + 0.02 * np.random.default_rng(0).normal(size=120)
    y[::15] += 4.0
    model = SparseBayesRegressor(
        likelihood=Logistic(0.02), weights=Gamma(), gamma=0.1, scaling=None, sparsity=0.0
    ).fit(X, y)
    assert 0.0 < model.expected_weight_.min() < 0.5
    assert model.expected_weight_.max() <= 1.0
    assert model.expected_weight_[::15].max() < np.median(model.expected_weight_)


def test_a_scale_that_nobody_can_change_is_refused_before_the_fit():
    with pytest.raises(ValueError, match=r"Student .* rescaled\(scale\)"):
        SparseBayesRegressor(likelihood=Student()).fit(np.arange(6.0)[:, None], np.arange(6.0))


def test_a_fit_never_lowers_its_bound_and_withstands_outliers():
    X = np.linspace(-10, 10, 120)[:, None]
    truth = np.sinc(X[:, 0] / np.pi)
    y = truth + 0.05 * np.random.default_rng(0).normal(size=120)
    y[::15] += 4.0
    model = SparseBayesRegressor(likelihood=Logistic(0.05), gamma=0.1, scaling=None, sparsity=0.0).fit(X, y)
    assert (np.diff(model.lower_bounds_) > -1e-6).all()
    assert np.sqrt(np.mean((model.predict(X) - truth) ** 2)) < 0.08
