"""Section 3 of Chu, Keerthi & Ong (2001), computed on small problems: optimum, dual, evidence, slopes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from scipy import optimize, stats
from sklearn.metrics.pairwise import rbf_kernel

from rowtrust.contracts import Array
from rowtrust.datasets import make_sinc
from rowtrust.svr.covariance import GaussianCovariance
from rowtrust.svr.evidence import TrainingSet, evidence_slopes, negative_log_evidence, problem_of
from rowtrust.svr.hyperparameters import Hyperparameters
from rowtrust.svr.problem import Point, SoftProblem, dual_value, primal_value
from rowtrust.svr.solver import SoftSolution, solve_map

THETA = Hyperparameters(6.052, 0.053361, 0.3, np.array([5.65]), 1.0, 0.0)
"""The paper's hyperparameters of sinc with noise 0.1 (table 1)."""

SMALL, STARTS = 12, 6
"""Rows of the problems that general optimisers solve, and their starts."""


@cache
def rows(n: int, outlier: float = 0.0) -> TrainingSet:
    """Return a few normalised rows of sinc, the first target perhaps moved."""
    X, y = make_sinc(n, noise=0.1, random_state=0)
    X, y = (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()
    y = y + outlier * (np.arange(n) == 0)
    return TrainingSet(X, y, np.ones(n))


def small_problem(n: int, theta: Hyperparameters = THETA, outlier: float = 0.0) -> SoftProblem:
    """Return the problem of a few rows."""
    return problem_of(rows(n, outlier), theta)


def covariance(problem: SoftProblem) -> Array:
    """Return Sigma of (35)."""
    return problem.matrix.block(np.arange(len(problem.target)))


def objective(problem: SoftProblem, f: Array) -> float:
    """Return S(f) as (38) has it."""
    quadratic = 0.5 * float(f @ np.linalg.solve(covariance(problem), f))
    return problem.likelihood.C * float(np.sum(problem.loss(problem.target - f))) + quadratic


def objective_slope(problem: SoftProblem, f: Array) -> Array:
    """Return the gradient of S(f)."""
    pull = problem.likelihood.C * problem.slope(problem.target - f)
    return np.asarray(np.linalg.solve(covariance(problem), f) - pull)


def point(solution: SoftSolution) -> Point:
    """Return a solution as the certificate takes it."""
    return Point(solution.dual, solution.latent, np.zeros_like(solution.dual))


def covariance_violation() -> float:
    """Return how far the library's covariance is from (33) and from scikit-learn's Gaussian kernel."""
    generator = np.random.default_rng(0)
    X, w = generator.standard_normal((20, 3)), np.array([0.8, 0.24, 2.0])
    ours = GaussianCovariance(w)(X, X)
    printed = np.exp(-0.5 * np.sum(w * (X[:, None] - X[None]) ** 2, axis=2))
    kernel = rbf_kernel(X * np.sqrt(w), gamma=0.5)
    lowest = float(np.min(np.linalg.eigvalsh(ours)))
    return float(max(np.max(np.abs(ours - printed)), np.max(np.abs(ours - kernel)), -lowest))


def prior_violation() -> float:
    """Return how far (35) is from the normal density of covariance Sigma, in nats."""
    problem = small_problem(SMALL)
    K = covariance(problem)
    f = np.linalg.cholesky(K) @ np.random.default_rng(0).standard_normal(SMALL)
    log_normaliser = 0.5 * SMALL * np.log(2.0 * np.pi) + 0.5 * np.linalg.slogdet(K)[1]
    printed = -0.5 * float(f @ np.linalg.solve(K, f)) - log_normaliser
    return abs(float(printed) - float(stats.multivariate_normal(np.zeros(SMALL), K).logpdf(f)))


def grid_integrals() -> tuple[float, float, float, float]:
    """Integrate over f at two rows: the evidence by (43), by (44), Z_S of (37), and (46) for comparison."""
    problem = small_problem(2)
    K, noise = covariance(problem), problem.likelihood
    axis = np.linspace(-6.0, 6.0, 801)
    step = axis[1] - axis[0]
    f = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    prior = stats.multivariate_normal(np.zeros(2), K).pdf(f)
    likelihood = np.prod(noise.density(problem.target - f), axis=1)
    direct = float(np.sum(likelihood * prior)) * step**2
    energy = noise.C * np.sum(noise.loss(problem.target - f), axis=1)
    energy += 0.5 * np.einsum("ni,ij,nj->n", f, np.linalg.inv(K), f)
    posterior = float(np.sum(np.exp(-energy))) * step**2
    prior_normaliser = 2.0 * np.pi * np.sqrt(np.linalg.det(K))
    by_energy = posterior / prior_normaliser / noise.normaliser**2
    return direct, by_energy, posterior, negative_log_evidence(problem, solve_map(problem))


def bayes_violation() -> float:
    """Return how far (43) is from (44), both by integration over f at two rows, relative to it."""
    direct, by_energy, _, _ = grid_integrals()
    return abs(by_energy / direct - 1.0)


def optimum_violation() -> float:
    """Return how much lower than ours general optimisers get S(f) from random starts, or miss it by."""
    problem = small_problem(SMALL)
    ours = solve_map(problem)
    generator = np.random.default_rng(0)
    found = abs(objective(problem, ours.latent) - ours.objective)
    for _ in range(STARTS):
        result = optimize.minimize(
            lambda f: (objective(problem, f), objective_slope(problem, f)),
            2.0 * generator.standard_normal(SMALL),
            jac=True,
            method="BFGS",
            options={"gtol": 1e-9},
        )
        found = max(found, abs(result.fun - ours.objective), float(np.max(np.abs(result.x - ours.latent))))
    return found


def convexity_violation() -> float:
    """Return how far S(f) between two functions rises above the straight line, over 500 random pairs."""
    problem, generator = small_problem(SMALL), np.random.default_rng(0)
    found = 0.0
    for _ in range(500):
        one, other = generator.standard_normal((2, SMALL))
        share = generator.uniform()
        middle = objective(problem, share * one + (1.0 - share) * other)
        line = share * objective(problem, one) + (1.0 - share) * objective(problem, other)
        found = max(found, (middle - line) / line)
    return found


def slack_cost(slack: Array, problem: SoftProblem) -> Array:
    """Return c of (40)."""
    width = problem.quadratic_width
    return np.where(slack <= width, slack**2 / (2.0 * width), np.abs(slack) - 0.5 * width)


def primal_violation() -> float:
    """Return how far (40), with slack variables and solved by a general method, is from our optimum."""
    problem = small_problem(SMALL)
    inverse, n = np.linalg.inv(covariance(problem)), SMALL
    signs = np.array([1.0, -1.0])

    def value(variables: Array) -> float:
        f, slack = variables[:n], variables[n:]
        return problem.likelihood.C * float(np.sum(slack_cost(slack, problem))) + 0.5 * float(f @ inverse @ f)

    def margin(variables: Array) -> Array:
        residual = problem.target - variables[:n]
        return (problem.insensitive_width + variables[n:].reshape(2, n) - signs[:, None] * residual).ravel()

    start = np.concatenate([np.zeros(n), np.abs(problem.target), np.abs(problem.target)])
    result = optimize.minimize(
        value,
        start,
        method="SLSQP",
        bounds=[(None, None)] * n + [(0.0, None)] * (2 * n),
        constraints={"type": "ineq", "fun": margin},
        options={"maxiter": 500, "ftol": 1e-12},
    )
    ours = solve_map(problem)
    value_gap = abs(float(result.fun) - ours.objective)
    return max(value_gap, float(np.max(np.abs(result.x[:n] - ours.latent))) ** 2)


def dual_violation() -> float:
    """Return how far (41), solved by a general method, is from minus our optimum, and its f from ours."""
    problem = small_problem(SMALL)
    K, n, C = covariance(problem), SMALL, problem.likelihood.C
    soft = problem.quadratic_width / 2.0

    def value(variables: Array) -> tuple[float, Array]:
        up, down = variables[:n], variables[n:]
        f = K @ (up - down)
        cost = 0.5 * float((up - down) @ f) - float((up - down) @ problem.target)
        cost += problem.insensitive_width * float(variables.sum()) + soft / C * float(variables @ variables)
        slope = np.concatenate([f - problem.target, problem.target - f]) + problem.insensitive_width
        return cost, slope + 2.0 * soft / C * variables

    result = optimize.minimize(
        value,
        np.full(2 * n, 0.5 * C),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, C)] * (2 * n),
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5000},
    )
    ours = solve_map(problem)
    latent = K @ (result.x[:n] - result.x[n:])
    gaps = (
        abs(float(result.fun) + ours.objective),
        abs(dual_value(problem, point(ours)) + primal_value(problem, point(ours))),
        float(np.max(np.abs(latent - ours.latent))) ** 2,
        float(np.max(result.x[:n] * result.x[n:])) ** 2,
    )
    return max(gaps)


def optimality_violation() -> float:
    """Return the duality gap of 100 rows, and how far ``nu = C l'(y - f)`` and ``f = Sigma nu`` fail."""
    problem = small_problem(100)
    ours = solve_map(problem)
    slope = problem.likelihood.C * problem.slope(problem.target - ours.latent)
    gaps = (
        ours.duality_gap,
        float(np.max(np.abs(ours.dual - slope))) / problem.likelihood.C,
        float(np.max(np.abs(ours.latent - covariance(problem) @ ours.dual))),
    )
    return max(gaps)


def expansion_violation() -> float:
    """Return how far the second derivatives of S at its minimum are from (45), and the first from zero.

    By differences so small that no row changes its zone; relative to the largest second derivative.
    """
    problem = small_problem(SMALL)
    ours = solve_map(problem)
    curved = np.zeros(SMALL)
    curved[ours.quadratic] = problem.likelihood.C / problem.quadratic_width
    expected = np.linalg.inv(covariance(problem)) + np.diag(curved)
    step = 1e-7
    columns = [
        (objective_slope(problem, ours.latent + step * e) - objective_slope(problem, ours.latent - step * e))
        / (2.0 * step)
        for e in np.eye(SMALL)
    ]
    largest = float(np.max(np.abs(expected)))
    gradient = float(np.max(np.abs(objective_slope(problem, ours.latent))))
    return max(float(np.max(np.abs(np.array(columns) - expected))) / largest, gradient / largest)


def evidence_violation() -> float:
    """Return how far (46) and the library's evidence are from the determinants of footnote 2, in nats."""
    problem = small_problem(SMALL)
    ours, K, noise = solve_map(problem), covariance(problem), problem.likelihood
    curved = np.zeros(SMALL)
    curved[ours.quadratic] = noise.C / problem.quadratic_width
    apart = np.linalg.slogdet(K)[1] + np.linalg.slogdet(np.linalg.inv(K) + np.diag(curved))[1]
    together = np.linalg.slogdet(np.eye(SMALL) + K * curved)[1]
    block = K[np.ix_(ours.quadratic, ours.quadratic)]
    size = len(ours.quadratic)
    part = np.linalg.slogdet(np.eye(size) + noise.C / problem.quadratic_width * block)[1]
    values = [
        ours.objective + 0.5 * each + SMALL * np.log(noise.normaliser) for each in (apart, together, part)
    ]
    library = negative_log_evidence(problem, ours)
    return float(max(abs(value - library) for value in values))


def slopes_violation() -> float:
    """Return how far the slopes of (46) are from differences, relative to the largest."""
    problem = small_problem(30)
    slopes = evidence_slopes(problem, solve_map(problem))
    names = ("C", "epsilon", "relevance", "kernel_variance")
    step, found, sizes = 1e-6, [], []
    for name in names:
        values = []
        for sign in (-1.0, 1.0):
            moved = replace(THETA, **{name: getattr(THETA, name) * np.exp(sign * step)})
            other = small_problem(30, moved)
            values.append(negative_log_evidence(other, solve_map(other)))
        exact = float(np.sum(getattr(slopes, name)))
        found.append(abs((values[1] - values[0]) / (2.0 * step) - exact))
        sizes.append(abs(exact))
    return max(found) / max(sizes)
