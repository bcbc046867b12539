"""What Chu, Keerthi & Ong (2001) say of earlier work, computed: losses, SVR, noise models, networks."""

from __future__ import annotations

from itertools import pairwise
from time import perf_counter

import numpy as np
from scipy import optimize, stats
from sklearn.svm import SVR

from papers.chu import formulas as printed
from papers.chu.inference_theory import covariance, small_problem
from papers.chu.mean_theory import FIGURE_2, huber_mean_violation, insensitive_mean_violation
from papers.chu.noise_theory import laplace_mixture, library
from rowtrust.contracts import Array
from rowtrust.datasets import make_sinc
from rowtrust.likelihoods.soft_insensitive import EpsilonInsensitive, SoftInsensitive

SVR_ROWS, SVR_TIMED = 100, (1000, 2000, 4000)
"""Rows of sinc on which SVR's optimum is checked, and on which its training is timed."""

SVR_SETTINGS = {"C": 5.0, "epsilon": 0.2, "gamma": 0.2}
"""Of SVR on sinc with noise 0.1; the tube is two deviations wide, so that most rows lie inside."""

TIMINGS = 3
"""How often each fit is timed; the shortest counts."""

UNITS, NETWORKS = (1, 10, 100, 1000), 20_000
"""Hidden units of Neal's networks, and how many networks are drawn."""


def quadratic_violation() -> float:
    """Return how far the quadratic loss is from Gaussian noise, and its optimum from the closed form.

    The optimum of ``sum (y - f)^2 / (2 s^2) + f' Sigma^-1 f / 2`` is ``Sigma (Sigma + s^2 I)^-1 y``; a
    general optimiser has to find the same function.
    """
    delta, deviation = np.linspace(-3.0, 3.0, 61), 0.7
    drop = stats.norm(0.0, deviation).logpdf(0.0) - stats.norm(0.0, deviation).logpdf(delta)
    problem = small_problem(12)
    K, y, variance = covariance(problem), problem.target, 0.1
    closed = K @ np.linalg.solve(K + variance * np.eye(len(y)), y)

    def objective(dual: Array) -> tuple[float, Array]:
        gap = K @ dual - y
        return 0.5 * float(gap @ gap / variance + dual @ K @ dual), K @ (gap / variance + dual)

    found = optimize.minimize(objective, np.zeros(len(y)), jac=True, method="BFGS", options={"gtol": 1e-10})
    return float(
        max(np.max(np.abs(drop - delta**2 / (2.0 * deviation**2))), np.max(np.abs(K @ found.x - closed)))
    )


def svr_advantages() -> tuple[bool, str]:
    """Tell whether SVR has one minimum, leaves rows out, and is trained in less than cubic time."""
    X, y = make_sinc(SVR_ROWS, noise=0.1, random_state=0)
    machine = SVR(tol=1e-8, **SVR_SETTINGS).fit(X, y)
    gap = duality_gap(machine, X, y)
    apart = max(
        float(np.max(np.abs(other.predict(X[order]) - machine.predict(X[order]))))
        for order in (np.random.default_rng(seed).permutation(SVR_ROWS) for seed in range(3))
        for other in [SVR(tol=1e-8, **SVR_SETTINGS).fit(X[order], y[order])]
    )
    spared = 1.0 - len(machine.support_) / SVR_ROWS
    seconds = [fit_seconds(rows) for rows in SVR_TIMED]
    power = float(np.polyfit(np.log(SVR_TIMED), np.log(seconds), 1)[0])
    holds = gap < 1e-4 and apart < 1e-4 and spared > 0.5 and power < 3.0
    return holds, (
        f"sinc: duality gap {gap:.0e} of the objective, four orders of the rows give functions {apart:.0e} "
        f"apart at most; {spared:.0%} of {SVR_ROWS} rows are no support vectors; {SVR_TIMED[0]} to "
        f"{SVR_TIMED[-1]} rows take {1000 * seconds[0]:.0f} to {1000 * seconds[-1]:.0f} ms, a power of "
        f"{power:.1f} of the rows (an inverse: 3)"
    )


def duality_gap(machine: SVR, X: Array, y: Array) -> float:
    """Return how far the primal objective of a fitted SVR is above the dual one, as a share of it."""
    epsilon, C, gamma = SVR_SETTINGS["epsilon"], SVR_SETTINGS["C"], SVR_SETTINGS["gamma"]
    dual = np.zeros(len(y))
    dual[machine.support_] = machine.dual_coef_[0]
    K = np.exp(-gamma * (X - X.T) ** 2)
    norm = float(dual @ K @ dual)
    loss = np.maximum(np.abs(y - machine.predict(X)) - epsilon, 0.0)
    primal = 0.5 * norm + C * float(loss.sum())
    value = -0.5 * norm + float(dual @ y) - epsilon * float(np.abs(dual).sum())
    return abs(primal - value) / primal


def fit_seconds(rows: int) -> float:
    """Return the shortest time of a fit of SVR to so many rows of sinc."""
    X, y = make_sinc(rows, noise=0.1, random_state=0)
    times = []
    for _ in range(TIMINGS):
        start = perf_counter()
        SVR(**SVR_SETTINGS).fit(X, y)
        times.append(perf_counter() - start)
    return min(times)


def pontil_violation() -> float:
    """Return how far the insensitive loss is from Gaussian noise of random mean and deviation.

    The mean is uniform in the tube with two atoms at its edges, the deviation Rayleigh's: what section 2.4
    ends with as beta goes to 0, and what Pontil et al. are said to have shown. Beside it the limits of SILF's
    own mean, for the insensitive and for Huber's loss.
    """
    C, epsilon, _ = FIGURE_2
    noise = EpsilonInsensitive(C, epsilon)
    nodes, weights = np.polynomial.legendre.leggauss(60)
    worst = 0.0
    for delta in (0.0, 0.2, 0.45, 0.7, 2.0):
        edges = sorted({-epsilon, min(delta, epsilon), epsilon})  # the integrand has a kink at the residual
        mixed = 0.0
        for lower, upper in pairwise(edges):
            t = 0.5 * (upper + lower) + 0.5 * (upper - lower) * nodes
            parts = noise.mean_density(t) * laplace_mixture(delta - t, C)
            mixed += 0.5 * (upper - lower) * float(weights @ parts)
        mixed += noise.mean_atom * float(np.sum(laplace_mixture(delta - np.array([-epsilon, epsilon]), C)))
        loss = printed.insensitive(np.array([delta]), epsilon)[0]
        worst = max(worst, abs(mixed - np.exp(-C * loss) / (2.0 * epsilon + 2.0 / C)))
    return max(worst, insensitive_mean_violation(), huber_mean_violation())


def beyond_girosi() -> tuple[bool, str]:
    """Tell whether noise of random deviation alone (22) makes the Laplacian, and cannot make SILF's.

    A mixture of Gaussians around zero, as a function of the squared residual, is convex: it is one of falling
    exponentials. SILF's density is flat in the middle, which only a random mean can make.
    """
    squared = np.linspace(0.01, 4.0, 400)
    bends = {}
    for name, loss in {
        "Laplacian": printed.laplacian,
        "SILF": SoftInsensitive(2.0, 0.5, 0.5).loss,
    }.items():
        density = np.exp(-2.0 * loss(np.sqrt(squared)))
        bends[name] = float(np.min(np.diff(density, 2)))
    holds = bends["Laplacian"] >= 0.0 > bends["SILF"]
    return holds, (
        "least second difference of the density in the squared residual, which a random deviation alone "
        "keeps above zero: " + ", ".join(f"{name} {bend:.1e}" for name, bend in bends.items())
    )


def wide_networks() -> tuple[bool, str]:
    """Tell whether the output of random networks becomes Gaussian as hidden units are added."""
    generator = np.random.default_rng(0)
    excess = []
    for units in UNITS:
        total = sum_of_units(generator, units)
        excess.append(float(stats.kurtosis(total)))
    chance = 2.0 * float(np.sqrt(24.0 / NETWORKS))
    holds = bool(excess[0] > 5.0 * chance) and abs(excess[-1]) < chance
    shown = ", ".join(f"{value:+.3f} with {units}" for units, value in zip(UNITS, excess, strict=True))
    return holds, (
        f"excess kurtosis of the output at one input over {NETWORKS} networks of hidden units: {shown} (two "
        f"s.e. of a Gaussian's: {chance:.3f})"
    )


def sum_of_units(generator: np.random.Generator, units: int) -> Array:
    """Return outputs of random networks at one input; output weights have variance 1 / units."""
    total = np.zeros(NETWORKS)
    for _ in range(units):
        hidden = np.tanh(3.0 * generator.standard_normal(NETWORKS) + generator.standard_normal(NETWORKS))
        total += hidden * generator.standard_normal(NETWORKS)
    return np.asarray(total / np.sqrt(units))


def curvature_jumps() -> tuple[bool, str]:
    """Tell whether SILF's second derivative jumps at the four edges of its zones, by 1 / (2 beta epsilon)."""
    step = 1e-9
    _, epsilon, beta = FIGURE_2
    curvature = library(FIGURE_2).curvature
    inner, outer = FIGURE_2.edges
    edges = np.array([-outer, -inner, inner, outer])
    jumps = np.abs(curvature(edges + step) - curvature(edges - step))
    holds = bool(np.allclose(jumps, 1.0 / (2.0 * beta * epsilon)))
    return holds, (
        f"jumps at {', '.join(f'{edge:g}' for edge in edges)}: {', '.join(f'{jump:g}' for jump in jumps)}"
    )
