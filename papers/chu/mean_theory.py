"""Section 2.4 and figures 1 and 2 of Chu, Keerthi & Ong (2001), computed: what each parameter does."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from papers.chu import formulas as printed
from papers.chu.formulas import Noise
from papers.chu.inference_theory import small_problem
from papers.chu.noise_theory import TINY, integral, library
from rowtrust.contracts import Array
from rowtrust.likelihoods.soft_insensitive import EpsilonInsensitive, Huber, Laplace, SoftInsensitive
from rowtrust.svr.solver import solve_map

FIGURE_2 = Noise(2.0, 0.5, 0.5)
"""The parameters of figure 2."""

STEP = 1e-4
"""Step of the logarithm of a parameter, where elasticities are taken."""


def insensitive_mean_violation() -> float:
    """Return how far the mean of the insensitive loss is from uniform with two atoms at +-epsilon.

    The masses of the two quadratic zones at a small beta must go to those of the atoms, the density
    between to that of the uniform part, and all to a total of one.
    """
    C, epsilon, _ = FIGURE_2
    corner = EpsilonInsensitive(C, epsilon)
    near = Noise(C, epsilon, TINY)
    inner, outer = near.edges
    mass = integral(library(near).mean_density, [inner, outer])
    t = np.linspace(-0.99, 0.99, 101) * epsilon
    uniform = corner.mean_density(t)
    total = 2.0 * corner.mean_atom + 2.0 * epsilon * float(uniform[0])
    gaps = (
        abs(mass - corner.mean_atom),
        float(np.max(np.abs(uniform - 1.0 / corner.normaliser))),
        float(np.max(np.abs(library(near).mean_density(t) - uniform))),
        abs(total - 1.0),
    )
    return max(gaps)


def huber_mean_violation() -> float:
    """Return how far the density (32), normalised, is from the library's and from (30) at beta = 1."""
    found = 0.0
    for C, epsilon in ((2.0, 0.5), (28.0, 0.002), (1.0, 1.0)):
        t = np.linspace(-1.999, 1.999, 400) * epsilon
        shape = printed.huber_mean_shape(t, C, epsilon)
        shape_of = partial(printed.huber_mean_shape, C=C, epsilon=epsilon)
        total = integral(shape_of, [-2.0 * epsilon, 2.0 * epsilon])
        ours = Huber(C, epsilon).mean_density(t)
        explicit = printed.mean_shape(t, Noise(C, epsilon, 1.0))
        found = max(found, float(np.max(np.abs(ours * total - shape)) / np.max(shape)))
        found = max(found, float(np.max(np.abs(explicit - shape)) / np.max(shape)))
    return found


def shared_deviation_violation() -> float:
    """Return how far three losses of one C are from their densities when all share one Rayleigh density.

    The convolution (31) is the mean's distribution smeared by that of the Rayleigh deviations alone.
    """
    delta = np.linspace(0.0, 2.0, 41)
    sigma = np.linspace(0.0, 3.0, 61)
    found = 0.0
    first = Laplace(2.0).standard_deviation_density(sigma)
    for noise in (EpsilonInsensitive(2.0, 0.5), SoftInsensitive(2.0, 0.5, 0.3), Huber(2.0, 0.5)):
        found = max(found, float(np.max(np.abs(noise.standard_deviation_density(sigma) - first))))
        found = max(found, float(np.max(np.abs(noise.mixture_density(delta) - noise.density(delta)))))
    return found


def mean_deviation(noise: Noise) -> float:
    """Return the standard deviation of the mean's distribution (30)."""
    inner, outer = noise.edges
    density = library(noise).mean_density
    return float(np.sqrt(integral(lambda t: t**2 * density(t), [-outer, -inner, inner, outer])))


def mean_elasticities(noise: Noise) -> dict[str, float]:
    """Return by how many per cent the mean's deviation changes where a parameter changes by one."""
    found = {}
    for name in noise._fields:
        value = getattr(noise, name)
        sides = [
            mean_deviation(noise._replace(**{name: value * np.exp(sign * STEP)})) for sign in (-1.0, 1.0)
        ]
        found[name] = float(np.log(sides[1] / sides[0]) / (2.0 * STEP))
    return found


def mean_is_governed_by_epsilon() -> tuple[bool, str]:
    """Tell whether epsilon changes the mean's deviation more than C and beta do, at figure 2 and table 1."""
    noises = (FIGURE_2, Noise(6.052, 0.053361, 0.3), Noise(2.0, 0.5, 0.1))
    found = [mean_elasticities(noise) for noise in noises]
    holds = all(e["epsilon"] > max(abs(e["C"]), abs(e["beta"])) for e in found)
    texts = [", ".join(f"{name} {value:+.2f}" for name, value in e.items()) for e in found]
    return holds, (
        "elasticity of the standard deviation of the mean at three settings (the first is figure 2's): "
        + "; ".join(texts)
    )


def figure_1_violation() -> float:
    """Return how far the library's four losses are from (5), (6), (7) where figure 1 draws them."""
    delta = np.linspace(-3.0, 3.0, 601)
    pairs = (
        (Laplace(1.0), printed.laplacian(delta)),
        (Huber(1.0, 0.5), printed.huber(delta, 0.5)),
        (EpsilonInsensitive(1.0, 0.5), printed.insensitive(delta, 0.5)),
    )
    return float(max(np.max(np.abs(noise.loss(delta) - loss)) for noise, loss in pairs))


def figure_2_facts() -> tuple[bool, str]:
    """Tell whether figure 2's curves are as drawn: flat in the middle, one maximum, total mass of one."""
    noise = library(FIGURE_2)
    inner, outer = FIGURE_2.edges
    delta = np.linspace(0.0, 2.0, 401)
    density = noise.density(delta)
    flat = float(np.ptp(density[delta < inner]))
    mass = integral(noise.density, [-20.0, -outer, -inner, inner, outer, 20.0], 40)
    holds = flat == 0.0 and bool(np.all(np.diff(density) <= 0.0)) and abs(mass - 1.0) < 1e-9
    return holds, (
        f"zones change at {inner:g} and {outer:g}; density {density[0]:.3f} = 1 / Z_D in the middle, "
        f"{float(noise.density(np.array([outer]))[0]):.3f} at the outer edge, mass {mass:.9f}"
    )


def smoothness() -> tuple[bool, str]:
    """Tell whether the slopes of the Laplacian and insensitive losses jump, and SILF's and Huber's do not."""
    step = 1e-9
    jumps = {}
    losses = {
        "Laplacian": Laplace(1.0),
        "insensitive": EpsilonInsensitive(1.0, 0.5),
        "Huber": Huber(1.0, 0.5),
        "SILF": SoftInsensitive(1.0, 0.5, 0.3),
    }
    edges = np.array([0.0, 0.35, 0.5, 0.65, 1.0])
    for name, loss in losses.items():
        jump = loss.derivative(edges + step) - loss.derivative(edges - step)
        jumps[name] = float(np.max(np.abs(jump)))
    holds = min(jumps["Laplacian"], jumps["insensitive"]) > 0.5 > 1e-6 > max(jumps["Huber"], jumps["SILF"])
    return holds, "largest jump of the slope: " + ", ".join(f"{n} {j:.1g}" for n, j in jumps.items())


def huber_is_a_mixture() -> float:
    """Return how far Huber's loss is from a parabola inside, and from a shifted Laplacian outside."""
    inside, outside = np.linspace(-1.0, 1.0, 101), np.linspace(1.0, 5.0, 101)
    loss = Huber(1.0, 0.5)
    gaps = (np.abs(loss.loss(inside) - inside**2 / 2.0), np.abs(loss.loss(outside) - (outside - 0.5)))
    return float(max(np.max(gap) for gap in gaps))


def outlier_influence() -> tuple[bool, str]:
    """Tell how far one outlier pulls the function, by the quadratic loss and by SILF.

    The first target is moved down by 10 and by 1000 deviations; the quadratic loss has the noise variance of
    the soft insensitive one.
    """
    pulls: dict[str, list[float]] = {"quadratic": [], "SILF": []}
    for size in (-10.0, -1000.0):
        clean, dirty = small_problem(30), small_problem(30, outlier=size)
        soft = [solve_map(problem).latent for problem in (clean, dirty)]
        K = clean.matrix.block(np.arange(30))
        factor = cho_factor(K + clean.likelihood.variance * np.eye(30))
        plain: list[Array] = [K @ cho_solve(factor, problem.target) for problem in (clean, dirty)]
        pulls["SILF"].append(float(np.max(np.abs(soft[1] - soft[0]))))
        pulls["quadratic"].append(float(np.max(np.abs(plain[1] - plain[0]))))
    growth = {name: values[1] / values[0] for name, values in pulls.items()}
    holds = growth["quadratic"] > 10.0 and growth["SILF"] < 1.0 + 1e-6
    return holds, "; ".join(
        f"{name}: the function moves by {values[0]:.2f} and {values[1]:.2f}" for name, values in pulls.items()
    )
