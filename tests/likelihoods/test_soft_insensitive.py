"""The soft insensitive loss: against quadrature, finite differences, and the corners' own closed forms."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

from rowtrust.likelihoods.soft_insensitive import EpsilonInsensitive, Huber, Laplace, SoftInsensitive

FAMILY = [
    SoftInsensitive(2.0, 0.5, 0.5),
    SoftInsensitive(6.0, 0.05, 0.3),
    SoftInsensitive(0.7, 2.0, 0.05),
    SoftInsensitive(30.0, 0.3, 0.9),
    Huber(3.0, 0.4),
    EpsilonInsensitive(3.0, 0.4),
    Laplace(2.5),
]


def integral(function, noise):
    """Integrate over the line, zone by zone."""
    flat, edge = noise.insensitive_width, noise.insensitive_width + noise.quadratic_width
    cuts = [0.0, flat, edge, edge + 5 / noise.C, edge + 20 / noise.C, edge + 60 / noise.C]
    pieces = [quad(function, low, high, epsabs=1e-13, epsrel=1e-12)[0] for low, high in pairwise(cuts)]
    return 2 * sum(pieces)


@pytest.mark.parametrize("noise", FAMILY, ids=repr)
def test_normaliser_and_variance_agree_with_quadrature(noise):
    total = integral(lambda delta: np.exp(-noise.C * noise.loss(delta)), noise)
    second = integral(lambda delta: delta**2 * noise.density(delta), noise)
    assert noise.normaliser == pytest.approx(total, rel=1e-8)
    assert noise.variance == pytest.approx(second, rel=1e-8)


@pytest.mark.parametrize("noise", FAMILY[:5], ids=repr)
def test_derivatives_agree_with_finite_differences(noise):
    flat, edge = noise.insensitive_width, noise.insensitive_width + noise.quadratic_width
    inside = np.array([0.5 * flat, 0.7 * flat + 0.3 * edge, 0.2 * flat + 0.8 * edge, 1.5 * edge])
    delta = np.concatenate([inside, -inside])
    delta = delta[np.abs(delta) > 0]
    step = 1e-4 * edge
    first = (noise.loss(delta + step) - noise.loss(delta - step)) / (2 * step)
    second = (noise.derivative(delta + step) - noise.derivative(delta - step)) / (2 * step)
    np.testing.assert_allclose(noise.derivative(delta), first, atol=1e-8)
    np.testing.assert_allclose(
        noise.curvature(delta), second, atol=1e-8 * max(1, noise.curvature(delta).max())
    )


@pytest.mark.parametrize("noise", FAMILY, ids=repr)
def test_slopes_of_the_log_normaliser(noise):
    step = 1e-5

    def log_normaliser(C, epsilon):
        return np.log(SoftInsensitive(C, epsilon, noise.beta).normaliser)

    up, down = np.exp(step), np.exp(-step)
    in_C = log_normaliser(noise.C * up, noise.epsilon) - log_normaliser(noise.C * down, noise.epsilon)
    in_epsilon = log_normaliser(noise.C, noise.epsilon * up) - log_normaliser(noise.C, noise.epsilon * down)
    np.testing.assert_allclose(
        noise.log_normaliser_slopes, [in_C / (2 * step), in_epsilon / (2 * step)], atol=1e-8
    )


def test_the_standard_deviation_is_rayleigh():
    """Eq. 25 with eq. 24: Gaussians with Rayleigh standard deviations add up to a Laplace density."""
    noise, delta = Laplace(2.5), 0.7

    def mixed(sigma):
        gaussian = np.exp(-0.5 * (delta / sigma) ** 2) / (np.sqrt(2 * np.pi) * sigma)
        return noise.standard_deviation_density(sigma) * gaussian

    assert quad(noise.standard_deviation_density, 0, np.inf)[0] == pytest.approx(1.0, abs=1e-8)
    assert quad(mixed, 1e-9, 5.0, epsabs=1e-12)[0] == pytest.approx(noise.density(delta), abs=1e-8)


@pytest.mark.parametrize("noise", FAMILY, ids=repr)
def test_the_density_of_the_mean_integrates_to_one(noise):
    """Eq. 30, normalised; in the corners without a quadratic zone two atoms carry the rest."""
    total = integral(noise.mean_density, noise)
    assert total + 2 * noise.mean_atom == pytest.approx(1.0, abs=1e-8)
    assert (noise.mean_density(np.linspace(-3, 3, 101)) >= 0).all()


@pytest.mark.parametrize("noise", FAMILY, ids=repr)
def test_the_scale_mixture_reproduces_the_density(noise):
    """Eq. 31: the density of the mean convolved with a Laplace density is the noise density (11)."""
    reach = noise.insensitive_width + noise.quadratic_width + 4 / noise.C
    delta = np.linspace(-reach, reach, 41)
    np.testing.assert_allclose(noise.mixture_density(delta), noise.density(delta), rtol=1e-8, atol=1e-8)


def test_huber_corner_has_its_closed_form():
    C, epsilon = 3.0, 0.4
    delta = np.linspace(-3, 3, 201)
    closed = np.where(np.abs(delta) <= 2 * epsilon, delta**2 / (4 * epsilon), np.abs(delta) - epsilon)
    np.testing.assert_allclose(Huber(C, epsilon).loss(delta), closed, atol=1e-14)
    np.testing.assert_allclose(SoftInsensitive(C, epsilon, 1 - 1e-10).loss(delta), closed, atol=1e-8)


def test_epsilon_insensitive_corner_has_its_closed_form():
    C, epsilon = 3.0, 0.4
    delta = np.linspace(-3, 3, 201)
    corner, nearby = EpsilonInsensitive(C, epsilon), SoftInsensitive(C, epsilon, 1e-10)
    np.testing.assert_allclose(corner.loss(delta), np.maximum(np.abs(delta) - epsilon, 0), atol=1e-14)
    np.testing.assert_allclose(nearby.loss(delta), corner.loss(delta), atol=1e-8)
    assert corner.normaliser == pytest.approx(2 * (epsilon + 1 / C), rel=1e-14)
    variance = (epsilon**3 / 3 + epsilon**2 / C + 2 * epsilon / C**2 + 2 / C**3) / (epsilon + 1 / C)
    assert corner.variance == pytest.approx(variance, rel=1e-12)
    assert nearby.normaliser == pytest.approx(corner.normaliser, rel=1e-8)
    assert nearby.variance == pytest.approx(variance, rel=1e-8)


@pytest.mark.parametrize("beta", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("epsilon", [0.0, 1e-300, 1e-12])
def test_laplace_corner_has_its_closed_form(beta, epsilon):
    C = 2.5
    noise, delta = SoftInsensitive(C, epsilon, beta), np.linspace(-3, 3, 201)
    np.testing.assert_allclose(noise.loss(delta), np.abs(delta), atol=1e-8)
    assert noise.normaliser == pytest.approx(2 / C, rel=1e-8)
    assert noise.variance == pytest.approx(2 / C**2, rel=1e-8)


def test_a_wide_huber_zone_is_gaussian():
    noise = Huber(2e6, 1e4)
    assert noise.variance == pytest.approx(2 * noise.epsilon / noise.C, rel=1e-8)
    assert noise.density(0.0) == pytest.approx(1 / np.sqrt(2 * np.pi * noise.variance), rel=1e-8)


@pytest.mark.parametrize("noise", FAMILY, ids=repr)
def test_samples_follow_the_density(noise):
    drawn = noise.sample(200_000, np.random.default_rng(0))
    assert drawn.mean() == pytest.approx(0.0, abs=5 * np.sqrt(noise.variance / 200_000))
    assert drawn.var() == pytest.approx(noise.variance, rel=0.03)
    inside = np.mean(np.abs(drawn) < noise.epsilon + 1 / noise.C)
    expected = 2 * quad(noise.density, 0, noise.epsilon + 1 / noise.C, points=[noise.epsilon], limit=200)[0]
    assert inside == pytest.approx(expected, abs=0.006)


@pytest.mark.parametrize("noise", FAMILY, ids=repr)
def test_sites_touch_the_log_density_where_they_are_made_and_lie_below_it_elsewhere(noise):
    generator = np.random.default_rng(0)
    target, mean = generator.normal(size=(2, 50))
    sites = noise.sites(target, mean, np.zeros(50))

    def site(latent):
        latent = np.broadcast_to(latent, (len(latent), 50))
        return sites.normaliser + sites.constant + sites.shift * latent - 0.5 * sites.precision * latent**2

    np.testing.assert_allclose(site(mean[None])[0], noise.log_density(target, mean), atol=1e-6)
    slope = sites.shift - sites.precision * mean
    np.testing.assert_allclose(slope, noise.C * noise.derivative(target - mean), atol=1e-6)
    assert (sites.precision >= noise.C * noise.curvature(target - mean) - 1e-9).all()
    latent = np.linspace(-8.0, 8.0, 400)[:, None]
    assert (noise.log_density(target, latent) - site(latent) > -1e-6).all()


@pytest.mark.parametrize("noise", FAMILY, ids=repr)
@pytest.mark.parametrize("variance", [0.01, 1.0])
def test_no_other_pair_of_tangents_makes_a_tighter_bound(noise, variance):
    """Expected sites made at slightly other moments are no higher."""
    target, mean = np.random.default_rng(1).normal(size=(2, 30))
    variance = np.full(30, variance)

    def expected(sites):
        return sites.constant + sites.shift * mean - 0.5 * sites.precision * (mean**2 + variance)

    best = expected(noise.sites(target, mean, variance))
    for shift, factor in ((0.02, 1.0), (-0.02, 1.0), (0.0, 1.1), (0.0, 0.9)):
        other = expected(noise.sites(target, mean + shift, factor * variance))
        assert (best >= other - 1e-9).all()


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((0, 0.1, 0.3), "C"),
        ((-1, 0.1, 0.3), "C"),
        ((np.nan, 0.1, 0.3), "C"),
        ((1, -0.1, 0.3), "epsilon"),
        ((1, 0.1, 1.5), "beta"),
        ((1, 0.1, -0.1), "beta"),
    ],
)
def test_impossible_parameters_are_refused(arguments, name):
    with pytest.raises(ValueError, match=name):
        SoftInsensitive(*arguments)
