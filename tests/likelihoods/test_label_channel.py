"""Labels behind a channel, against the sum over the true label and the bound's own definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, log_expit

from rowtrust.inference.passes import expected_loss
from rowtrust.likelihoods import LabelChannel, Logistic

rates = st.floats(0.0, 0.45)
finite = st.floats(-40, 40)
labels = st.sampled_from([0.0, 1.0])
LATENT = np.linspace(-8, 8, 33)


def site_value(sites, latent):
    return sites.normaliser + sites.constant + sites.shift * latent - 0.5 * sites.precision * latent**2


def sites_at(channel, target, mean, variance):
    return channel.sites(np.array([target]), np.array([mean]), np.array([variance]))


@pytest.mark.parametrize("target", [0.0, 1.0])
@pytest.mark.parametrize(("false_one", "false_zero"), [(0.1, 0.3), (0.02, 0.2), (0.45, 0.01)])
def test_the_true_label_is_summed_out(false_one, false_zero, target):
    given_one = false_zero * (1 - target) + (1 - false_zero) * target
    given_zero = false_one * target + (1 - false_one) * (1 - target)
    expected = np.log(given_one * expit(LATENT) + given_zero * expit(-LATENT))
    channel = LabelChannel(false_one, false_zero)
    found = channel.log_density(np.full(33, target), LATENT)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    if target:
        np.testing.assert_allclose(np.exp(found), channel.mean(LATENT), rtol=1e-12)
    truth = given_one * expit(LATENT) / np.exp(expected)
    np.testing.assert_allclose(channel.probability_of_one(np.full(33, target), LATENT), truth, rtol=1e-12)


@pytest.mark.parametrize("target", [0.0, 1.0])
def test_without_noise_it_is_the_logistic_likelihood(target):
    targets = np.full(33, target)
    channel, plain = LabelChannel(0.0, 0.0), Logistic()
    near = np.abs(LATENT) < 5
    found, expected = channel.log_density(targets, LATENT), plain.log_density(targets, LATENT)
    np.testing.assert_allclose(found[near], expected[near], atol=2e-4)
    np.testing.assert_array_equal(channel.mean(LATENT), plain.mean(LATENT))
    ours, theirs = (each.sites(targets, LATENT, np.ones(33)) for each in (channel, plain))
    np.testing.assert_array_equal(ours.precision, theirs.precision)
    np.testing.assert_allclose(ours.shift[near], theirs.shift[near], atol=2e-4)
    np.testing.assert_allclose(ours.constant[near], theirs.constant[near], atol=1e-3)


@settings(deadline=None)
@given(latent=finite, mean=finite, variance=st.floats(0, 100), target=labels, one=rates, zero=rates)
def test_the_site_never_exceeds_the_log_density(latent, mean, variance, target, one, zero):
    channel = LabelChannel(one, zero)
    exact = channel.log_density(np.array([target]), np.array([latent]))[0]
    found = site_value(sites_at(channel, target, mean, variance), latent)[0]
    assert found <= exact + 1e-11 * (1 + latent**2 + mean**2 + variance)


@settings(deadline=None)
@given(mean=finite, target=labels, one=rates, zero=rates)
def test_the_site_touches_at_the_mean_of_a_latent_value_that_is_known(mean, target, one, zero):
    channel = LabelChannel(one, zero)
    sites = sites_at(channel, target, mean, 0.0)
    exact = channel.log_density(np.array([target]), np.array([mean]))[0]
    assert site_value(sites, mean)[0] == pytest.approx(exact, abs=1e-11 * (1 + mean**2))
    step = 1e-4
    ends = channel.log_density(np.full(2, target), np.array([mean - step, mean + step]))
    slope = sites.shift[0] - sites.precision[0] * mean
    assert slope == pytest.approx((ends[1] - ends[0]) / (2 * step), abs=1e-6)


@settings(deadline=None)
@given(latent=finite, target=labels, one=rates, zero=rates)
def test_classes_may_swap_their_names(latent, target, one, zero):
    here = LabelChannel(one, zero).log_density(np.array([target]), np.array([latent]))
    there = LabelChannel(zero, one).log_density(np.array([1.0 - target]), np.array([-latent]))
    np.testing.assert_allclose(here, there, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("target", [0.0, 1.0])
def test_no_other_belief_in_the_true_label_gives_a_higher_bound(target):
    """``q(z)`` and xi are the best there are: any other pair has a greater expected loss."""
    channel, mean, variance = LabelChannel(0.1, 0.25), 0.7, 2.0
    one, zero = channel.log_density(np.full(2, target), np.array([50.0, -50.0]))  # of true 1 and 0
    best = -expected_loss(sites_at(channel, target, mean, variance), np.array([mean]), np.array([variance]))[
        0
    ]

    def bound(q, xi):
        entropy = -q * np.log(q) - (1 - q) * np.log(1 - q)
        curvature = np.tanh(xi / 2) / (4 * xi)
        normal = log_expit(xi) - xi / 2 - curvature * (mean**2 + variance - xi**2) - mean / 2
        return q * (one + mean) + (1 - q) * zero + entropy + normal

    beliefs, points = np.meshgrid(np.linspace(0.001, 0.999, 999), np.linspace(0.05, 6, 400))
    highest = bound(beliefs, points).max()
    assert highest == pytest.approx(best, abs=1e-4)
    assert (bound(beliefs, points) <= best + 1e-12).all()


def test_a_wrong_label_pulls_less_the_more_certain_the_model_is():
    pulls = [sites_at(LabelChannel(0.1, 0.1), 0.0, mean, 0.0) for mean in (2.0, 6.0, 10.0)]
    slopes = [s.shift[0] - s.precision[0] * mean for s, mean in zip(pulls, (2.0, 6.0, 10.0), strict=True)]
    assert slopes[0] < slopes[1] < slopes[2] < 0.0
    assert abs(slopes[2]) < 1e-3
