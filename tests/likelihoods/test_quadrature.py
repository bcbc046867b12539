"""What quadrature makes of a log density and a mean, against a fine grid and against closed forms."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import expit, log_expit, logit

from rowtrust.likelihoods import Gaussian, Likelihood, Logistic
from rowtrust.likelihoods.base import SMALLEST_CURVATURE

GRID = np.linspace(-12.0, 12.0, 24001)
DENSITY = np.exp(-0.5 * GRID**2) / np.exp(-0.5 * GRID**2).sum()


@dataclass(frozen=True)
class PlainLogistic(Likelihood):
    """The logistic with nothing but its log density and its mean."""

    def log_density(self, target, latent):
        return target * latent + log_expit(-latent)

    def mean(self, latent):
        return expit(latent)


@dataclass(frozen=True)
class PlainGaussian(Likelihood):
    """A Gaussian with nothing but its log density and its mean."""

    precision: float = 1.0

    def log_density(self, target, latent):
        return Gaussian(self.precision).log_density(target, latent)

    def mean(self, latent):
        return latent


def average(function, mean, deviation):
    return np.array([DENSITY @ function(m + deviation * GRID) for m in mean])


@pytest.mark.parametrize(
    ("deviation", "accuracy"),
    [(0.01, 1e-11), (0.5, 1e-11), (1.0, 1e-11), (2.0, 1e-7), (5.0, 1e-3), (10.0, 2e-2)],
)
def test_the_logistic_site_is_exact_for_moderate_deviations(deviation, accuracy):
    mean = np.linspace(-6, 6, 25)
    variance = np.full_like(mean, deviation**2)
    sites = PlainLogistic().sites(np.ones_like(mean), mean, variance)
    value = sites.constant + sites.shift * mean - 0.5 * sites.precision * (mean**2 + variance)
    np.testing.assert_allclose(value, average(log_expit, mean, deviation), rtol=0, atol=accuracy)
    slope = average(lambda f: expit(-f), mean, deviation)
    np.testing.assert_allclose(sites.shift - sites.precision * mean, slope, rtol=0, atol=accuracy)
    curvature = average(lambda f: expit(f) * expit(-f), mean, deviation)
    np.testing.assert_allclose(sites.precision, curvature, rtol=0, atol=accuracy)


@pytest.mark.parametrize("variance", [0.0, 1e-12, 1e-6, 1e-3, 1.0, 50.0])
def test_the_site_of_a_plain_gaussian_is_the_closed_form(variance):
    target, mean = np.array([-2.0, 0.1, 3.0]), np.array([-1.9, 0.0, 2.5])
    sites = PlainGaussian(3.0).sites(target, mean, np.full(3, variance))
    exact = Gaussian(3.0).sites(target, mean, np.full(3, variance))
    np.testing.assert_allclose(sites.precision, exact.precision, rtol=1e-8)
    np.testing.assert_allclose(sites.shift, exact.shift, rtol=1e-8, atol=1e-8)
    normaliser = sites.normaliser + sites.constant
    np.testing.assert_allclose(normaliser, exact.normaliser + exact.constant, rtol=1e-5, atol=1e-5)


def test_log_odds_and_predictions_are_averages():
    mean = np.linspace(-5, 5, 21)
    for deviation, accuracy in ((0.1, 1e-9), (1.0, 1e-9), (2.0, 1e-6)):
        variance = np.full_like(mean, deviation**2)
        probability = average(expit, mean, deviation)
        np.testing.assert_allclose(
            PlainLogistic().log_odds(mean, variance), logit(probability), rtol=0, atol=accuracy
        )
        np.testing.assert_allclose(
            PlainLogistic().predict_mean(mean, variance), probability, rtol=0, atol=accuracy
        )


def test_log_odds_stay_finite_where_probabilities_round_to_zero_and_one():
    odds = PlainLogistic().log_odds(np.array([-300.0, 300.0]), np.full(2, 4.0))
    np.testing.assert_allclose(odds, [-298.0, 298.0], atol=1e-3)


def test_a_latent_mean_is_found_by_halving():
    mean, variance = np.linspace(-8, 8, 17), np.linspace(0.0, 9.0, 17)
    odds = PlainLogistic().log_odds(mean, variance)
    np.testing.assert_allclose(PlainLogistic().latent_of_log_odds(odds, variance), mean, atol=1e-9)


def test_no_precision_is_zero():
    mean = np.array([-60.0, -20.0, 0.0, 40.0, 700.0])
    sites = PlainLogistic().sites(np.ones(5), mean, np.full(5, 0.01))
    assert (sites.precision >= SMALLEST_CURVATURE).all()


def test_the_variance_of_new_targets_must_be_given():
    with pytest.raises(NotImplementedError, match=r"PlainLogistic .* conditional_variance\(latent\)"):
        PlainLogistic().predict(np.zeros(2), np.ones(2))


def test_a_density_that_is_not_finite_is_an_error_that_names_the_cure():
    @dataclass(frozen=True)
    class Exponential(Likelihood):
        """With the identity as its link, which leaves half of all latent values out."""

        def log_density(self, target, latent):
            with np.errstate(invalid="ignore", divide="ignore"):
                return np.log(latent) - latent * target

        def mean(self, latent):
            return 1.0 / latent

    with pytest.raises(ValueError, match=r"Exponential.log_density .* \(use log or exp links\)"):
        Exponential().sites(np.ones(1), np.zeros(1), np.ones(1))


def test_by_default_nothing_is_learnt_and_the_model_that_counts_most_speaks_for_all():
    first, second = PlainGaussian(1.0), PlainGaussian(2.0)
    assert first.update("untouched") == (first, "untouched")
    assert first.row_statistics(np.ones(4), np.ones(4), np.ones(4)).shape == (0, 4)
    assert PlainGaussian.average([first, second], np.array([0.3, 0.7])) is second
    with pytest.raises(NotImplementedError, match="PlainGaussian has no scale"):
        first.rescaled(2.0)
    assert not any([PlainGaussian.learns, PlainGaussian.is_bound, PlainGaussian.is_location_scale])


def test_gaussians_average_their_variances():
    found = Gaussian.average([Gaussian(1.0), Gaussian(4.0)], np.array([0.5, 0.5]))
    assert 1.0 / found.precision == pytest.approx(0.5 * (1.0 + 0.25))


def test_closed_forms_and_quadrature_agree_in_probability():
    """MacKay's approximation of the logistic average, to its known two hundredths."""
    mean = np.linspace(-9, 9, 37)
    for variance in (0.1, 2.0, 20.0):
        closed, plain = (
            part.predict_mean(mean, np.full_like(mean, variance)) for part in (Logistic(), PlainLogistic())
        )
        assert np.abs(closed - plain).max() < 0.02
