"""Section 2 of Chu, Keerthi & Ong (2001), computed: limits, derivatives, integrals, the noise model."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np

from papers.chu import formulas as printed
from papers.chu.formulas import CASES, Noise
from rowtrust.contracts import Array
from rowtrust.likelihoods.soft_insensitive import EpsilonInsensitive, Huber, Laplace, SoftInsensitive

NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)
"""Gauss-Legendre rule of one panel."""

TINY = 1e-8
"""How near to a limit is near enough."""

REACH = 40.0
"""How far integrals over the tails go, in their lengths: beyond it is 4e-18."""


def integral(function: Callable[[Array], Array], edges: list[float], pieces: int = 8) -> float:
    """Integrate between edges, where the function may have kinks, by panels."""
    total = 0.0
    for lower, upper in pairwise(edges):
        ends = np.linspace(lower, upper, pieces + 1)
        half, centre = 0.5 * np.diff(ends), 0.5 * (ends[1:] + ends[:-1])
        places = centre[:, None] + half[:, None] * NODES
        total += float(np.sum(function(places) * WEIGHTS * half[:, None]))
    return total


def over_scales(function: Callable[[Array], Array], unit: float) -> float:
    """Integrate from zero to infinity in the logarithm, where a function has one scale."""

    def in_logarithm(log: Array) -> Array:
        place = unit * np.exp(log)
        return function(place) * place

    return integral(in_logarithm, np.linspace(-30.0, 12.0, 60).tolist(), 2)


def library(noise: Noise) -> SoftInsensitive:
    """Return the library's noise of these parameters."""
    return SoftInsensitive(*noise)


def breaks(noise: Noise) -> list[float]:
    """Return where the loss changes its form, with the tails' ends."""
    inner, outer = noise.edges
    end = outer + REACH / noise.C
    return [-end, -outer, -inner, inner, outer, end]


def places(noise: Noise, clear: float = 0.0) -> Array:
    """Return residuals of all zones, at least ``clear`` away from their edges."""
    delta = np.linspace(-1.0, 1.0, 801) * (noise.edges[1] + 3.0 / noise.C)
    distance = np.min([np.abs(np.abs(delta) - edge) for edge in noise.edges], axis=0)
    return np.asarray(delta[distance > clear])


def worst(check: Callable[[Noise], float]) -> Callable[[], float]:
    """Return the worst of a check over all cases."""
    return lambda: max(check(noise) for noise in CASES)


def loss_violation(noise: Noise) -> float:
    """Return how far the library's loss is from (8)."""
    delta = places(noise)
    return float(np.max(np.abs(library(noise).loss(delta) - printed.loss(delta, noise))))


def insensitive_limit() -> float:
    """Return how far the loss is from (7) as beta goes to 0, epsilon as in figure 2."""
    delta = np.linspace(-3.0, 3.0, 601)
    target = printed.insensitive(delta, 0.5)
    near = SoftInsensitive(1.0, 0.5, TINY).loss(delta)
    corner = EpsilonInsensitive(1.0, 0.5).loss(delta)
    return float(max(np.max(np.abs(near - target)), np.max(np.abs(corner - target))))


def huber_limit() -> float:
    """Return how far the loss is from (6) as beta goes to 1."""
    delta = np.linspace(-3.0, 3.0, 601)
    target = printed.huber(delta, 0.5)
    near = SoftInsensitive(1.0, 0.5, 1.0 - TINY).loss(delta)
    return float(max(np.max(np.abs(near - target)), np.max(np.abs(Huber(1.0, 0.5).loss(delta) - target))))


def laplacian_limit() -> float:
    """Return how far SILF, Huber's and the insensitive loss are from (5) as epsilon goes to 0."""
    delta = np.linspace(-3.0, 3.0, 601)
    losses = [
        SoftInsensitive(1.0, TINY, 0.5).loss(delta),
        Laplace(1.0).loss(delta),
        printed.huber(delta, TINY),
        printed.insensitive(delta, TINY),
    ]
    return float(max(np.max(np.abs(loss - printed.laplacian(delta))) for loss in losses))


def slope_violation(noise: Noise) -> float:
    """Return how far (9) and the library's slope are from differences of (8)."""
    step = 1e-6 * noise.epsilon
    delta = places(noise, 2.0 * step)
    differences = (printed.loss(delta + step, noise) - printed.loss(delta - step, noise)) / (2.0 * step)
    found = (printed.slope(delta, noise), library(noise).derivative(delta))
    return float(max(np.max(np.abs(each - differences)) for each in found))


def slope_jump(noise: Noise) -> float:
    """Return the largest jump of the slope at the edges of the zones."""
    step = 1e-9 * noise.beta * noise.epsilon
    edges = np.array([side * edge for edge in noise.edges for side in (-1.0, 1.0)])
    return float(np.max(np.abs(library(noise).derivative(edges + step) - printed.slope(edges - step, noise))))


def curvature_violation(noise: Noise) -> float:
    """Return how far (10) and the library's curvature are from differences of (9), relative to it."""
    step = 1e-4 * noise.beta * noise.epsilon
    delta = places(noise, 2.0 * step)
    differences = (printed.slope(delta + step, noise) - printed.slope(delta - step, noise)) / (2.0 * step)
    scale = 1.0 / (2.0 * noise.beta * noise.epsilon)
    found = (printed.curvature(delta, noise), library(noise).curvature(delta))
    return float(max(np.max(np.abs(each - differences)) for each in found)) / scale


def normaliser_violation(noise: Noise) -> float:
    """Return how far (12) and the library's normaliser are from the integral in (11), relative to it."""
    by_panels = integral(lambda d: np.exp(-noise.C * printed.loss(d, noise)), breaks(noise))
    found = (printed.normaliser(noise), library(noise).normaliser)
    return max(abs(float(each / by_panels) - 1.0) for each in found)


def density_violation(noise: Noise) -> float:
    """Return how far the library's density (11) is from integrating to one."""
    return abs(integral(library(noise).density, breaks(noise)) - 1.0)


def likelihood_violation(noise: Noise) -> float:
    """Return how far the product (3) of densities is from (17) and (36), in nats a row."""
    delta = places(noise)
    product = float(np.sum(library(noise).log_density(delta)))
    n = len(delta)
    joint = -noise.C * float(np.sum(printed.loss(delta, noise))) - n * np.log(printed.normaliser(noise))
    return float(abs(product - joint)) / n


def laplace_mixture(distance: Array, C: float) -> Array:
    """Return Gaussians (13) around zero, averaged over the Rayleigh deviations (25), at some distances."""
    ends = np.linspace(-30.0, 12.0, 61)
    half, centre = 0.5 * np.diff(ends), 0.5 * (ends[1:] + ends[:-1])
    sigma = np.exp((centre[:, None] + half[:, None] * NODES).ravel()) / C
    weight = (half[:, None] * WEIGHTS).ravel() * sigma * printed.rayleigh(sigma, C)
    return np.asarray(printed.gaussian(distance[:, None], sigma) @ weight)


def laplace_integrand(sigma: Array, delta: float, C: float) -> Array:
    """Return what (24) integrates."""
    exponent = -0.5 * (C * sigma) ** 2 - 0.5 * (delta / sigma) ** 2
    return np.asarray(np.sqrt(2.0 / np.pi) * C * np.exp(exponent))


def rayleigh_violation() -> float:
    """Return how far (22) with (25), and (24), are from ``exp(-C |delta|)``."""
    found = 0.0
    for C in (0.5, 2.0, 30.0):
        for length in (0.0, 0.1, 1.0, 5.0):
            delta = length / C
            mixed = 2.0 / C * float(laplace_mixture(np.array([delta]), C)[0])
            direct = over_scales(partial(laplace_integrand, delta=delta, C=C), 1.0 / C)
            found = max(found, abs(mixed - np.exp(-length)), abs(direct - np.exp(-length)))
    return found


def rayleigh_density_violation() -> float:
    """Return how far (25) is from a density, and the library's from it."""
    found = 0.0
    for noise in CASES:
        sigma = np.linspace(0.0, 6.0, 200) / noise.C
        printed_density = printed.rayleigh(sigma, noise.C)
        ours = library(noise).standard_deviation_density(sigma)
        found = max(found, float(np.max(np.abs(ours - printed_density))) / noise.C)
        total = over_scales(partial(printed.rayleigh, C=noise.C), 1.0 / noise.C)
        found = max(found, abs(total - 1.0))
    return found


def exponential_integrand(eta: Array, x: float) -> Array:
    """Return what (23) integrates."""
    return np.asarray(eta**-1.5 * np.exp(-0.25 / eta - x * eta))


def exponential_identity_violation() -> float:
    """Return how far the two sides of (23) are from each other, relative to the left."""
    found = 0.0
    for x in (0.0, 0.01, 0.5, 2.0, 30.0):
        right = over_scales(partial(exponential_integrand, x=x), 1.0)
        if x == 0.0:  # the tail falls as a power only: what lies beyond is 2 / sqrt(end)
            right += 2.0 / np.sqrt(np.exp(12.0))
        left = 2.0 * np.sqrt(np.pi) * np.exp(-np.sqrt(x))
        found = max(found, abs(right / left - 1.0))
    return found


def transform(function: Callable[[Array], Array], omega: float, edges: list[float]) -> float:
    """Return the Fourier transform of an even function."""
    return integral(lambda t: function(t) * np.cos(omega * t), edges, 20)


def fourier_violation(noise: Noise) -> float:
    """Return how far (26), (27) are from holding, with all transforms by integration, relative to Z_D."""
    C, edges, found = noise.C, breaks(noise), 0.0

    def exponential(t: Array) -> Array:
        return np.asarray(np.exp(-C * printed.loss(t, noise)))

    for omega in np.array([0.0, 0.3, 1.0, 3.0]) * C:
        whole = transform(exponential, omega, edges)
        mean = transform(partial(printed.mean_weight, noise=noise), omega, edges[1:-1])
        found = max(found, abs(whole - mean * 2.0 * C / (C**2 + omega**2)))
    return found / printed.normaliser(noise)


def mean_weight_violation(noise: Noise) -> float:
    """Return how far (29) is from (28) by differences, and (30) from (29), relative to its largest value."""
    step = 1e-3 * noise.beta * noise.epsilon
    t = places(noise, 2.0 * step)
    exponential = [np.exp(-noise.C * printed.loss(t + shift, noise)) for shift in (-step, 0.0, step)]
    second = (exponential[0] - 2.0 * exponential[1] + exponential[2]) / step**2
    by_differences = (noise.C**2 * exponential[1] - second) / (2.0 * noise.C)
    weight = printed.mean_weight(t, noise)
    shape = 0.5 * noise.C * printed.mean_shape(t, noise)
    gap = max(np.max(np.abs(weight - by_differences)), np.max(np.abs(weight - shape)))
    return float(gap / np.max(weight))


def mean_density_violation(noise: Noise) -> float:
    """Return how far (30) is from a density, once normalised, and the library's from it."""
    edges = breaks(noise)[1:-1]
    shape = partial(printed.mean_shape, noise=noise)
    total = integral(shape, edges)
    t = places(noise, 1e-9 * noise.epsilon)
    ours = library(noise).mean_density(t)
    gap = float(np.max(np.abs(ours - shape(t) / total)) / np.max(ours))
    negative = float(max(0.0, -np.min(shape(t))))
    return max(gap, negative, abs(integral(library(noise).mean_density, edges) - 1.0))


def mean_weight_total(noise: Noise) -> float:
    """Return how far the integral of (29) is from ``C Z_D / 2``, relative to it."""
    total = integral(partial(printed.mean_weight, noise=noise), breaks(noise)[1:-1])
    return abs(total / (0.5 * noise.C * printed.normaliser(noise)) - 1.0)


def with_kink(noise: Noise, place: float) -> list[float]:
    """Return the edges of the mean's distribution, and a place inside where the integrand has a kink."""
    inner, outer = noise.edges
    return sorted({-outer, -inner, inner, outer, float(np.clip(place, -outer, outer))})


def convolution_violation(noise: Noise) -> float:
    """Return how far (31), with (29), is from ``exp(-C l)``, and the library's mixture from its density."""
    found, delta = 0.0, np.linspace(0.0, noise.edges[1] + 2.0 / noise.C, 13)
    for place in delta:

        def laplacians(t: Array, place: float = float(place)) -> Array:
            return np.asarray(printed.mean_weight(t, noise) * np.exp(-noise.C * np.abs(place - t)))

        mixed = integral(laplacians, with_kink(noise, float(place)))
        found = max(found, abs(mixed - float(np.exp(-noise.C * printed.loss(place[None], noise)[0]))))
    density = library(noise).density(delta)
    ours = np.max(np.abs(library(noise).mixture_density(delta) - density)) / density[0]
    return max(found, float(ours))


def general_model_violation(noise: Noise) -> float:
    """Return how far (16) and (18), both integrals done, are from the density (11) and the loss (8)."""
    inner, outer = noise.edges
    C, ours, found = noise.C, library(noise), 0.0
    for place in (0.0, inner, outer, outer + 1.0 / C):

        def over_means(t: Array, place: float = place) -> Array:
            gaussians = laplace_mixture(place - t.ravel(), C)
            return np.asarray(ours.mean_density(t) * gaussians.reshape(t.shape))

        mixed = integral(over_means, with_kink(noise, place), 1)
        density = float(ours.density(np.array([place]))[0])
        loss = -np.log(printed.normaliser(noise) * mixed) / C
        lost = abs(loss - float(printed.loss(np.array([place]), noise)[0])) * C
        found = max(found, abs(mixed / density - 1.0), lost)
    return found
