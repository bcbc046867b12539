"""The MAP solver: against a generic convex solver, other machines in the limits, and its own dual."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from rowtrust.likelihoods.soft_insensitive import Huber, SoftInsensitive
from rowtrust.svr.covariance import CovarianceMatrix, GaussianCovariance
from rowtrust.svr.problem import SoftProblem
from rowtrust.svr.solver import descend_dual, initial_point, solve_interior, solve_map


@pytest.mark.parametrize("seed", range(20))
def test_map_agrees_with_a_generic_convex_solver(seed, random_problem):
    cvxpy = pytest.importorskip("cvxpy")
    problem = random_problem(seed)
    solution = solve_map(problem)
    # The dual (41): its solution nu gives f = K nu, whatever the conditioning of K.
    covariance = problem.matrix.block(np.arange(len(problem.target)))
    root = np.linalg.cholesky(covariance + 1e-12 * np.eye(len(covariance)))
    nu = cvxpy.Variable(len(problem.target))
    objective = (
        0.5 * cvxpy.sum_squares(root.T @ nu)
        - problem.target @ nu
        + problem.likelihood.insensitive_width * cvxpy.norm1(nu)
        + 0.5 * cvxpy.sum_squares(cvxpy.multiply(np.sqrt(problem.ridge), nu))
    )
    constraint = [cvxpy.abs(nu) <= problem.bound]
    cvxpy.Problem(cvxpy.Minimize(objective), constraint).solve(
        solver="CLARABEL", tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12
    )
    assert solution.duality_gap <= 1e-8
    np.testing.assert_allclose(solution.latent, covariance @ nu.value, atol=1e-6)


@pytest.mark.parametrize("seed", range(10))
def test_stationarity_holds_row_by_row(seed, random_problem):
    """``nu = C l'(y - K nu)`` is all there is to the solution."""
    problem = random_problem(seed)
    solution = solve_map(problem)
    pull = problem.bound * problem.likelihood.derivative(problem.target - solution.latent)
    np.testing.assert_allclose(solution.dual, pull, atol=1e-7 * problem.likelihood.C)


@pytest.mark.parametrize("seed", range(10))
def test_integer_weights_equal_repeated_rows(seed, random_problem):
    problem = random_problem(seed)
    copies = problem.sample_weight.astype(int)
    repeated = SoftProblem(
        CovarianceMatrix(problem.matrix.covariance, np.repeat(problem.matrix.X, copies, axis=0)),
        np.repeat(problem.target, copies),
        np.ones(copies.sum()),
        problem.likelihood,
    )
    once, often = solve_map(problem), solve_map(repeated)
    np.testing.assert_allclose(np.repeat(once.latent, copies), often.latent, atol=1e-8)
    assert once.objective == pytest.approx(often.objective, rel=1e-10)


def test_a_warm_start_changes_the_work_not_the_solution(random_problem):
    problem = random_problem(3, n=120)
    cold = solve_map(problem)
    likelihood = problem.likelihood
    steeper = SoftInsensitive(1.02 * likelihood.C, likelihood.epsilon, likelihood.beta)
    nearby = replace(problem, likelihood=steeper)
    warm = solve_map(nearby, problem.share(cold.dual))
    np.testing.assert_allclose(warm.latent, solve_map(nearby).latent, atol=1e-9)
    assert warm.n_iter <= cold.n_iter


@pytest.mark.parametrize("seed", range(5))
def test_every_method_finds_the_same_solution(seed, random_problem):
    """Newton, the interior point and coordinate descent on the dual agree."""
    problem = random_problem(seed)
    newton = solve_map(problem)
    interior = problem.matrix.apply(solve_interior(problem, tol=1e-11))
    descent, _ = descend_dual(problem, initial_point(problem, None), tol=1e-10)
    np.testing.assert_allclose(interior, newton.latent, atol=1e-5)
    np.testing.assert_allclose(descent.latent, newton.latent, atol=1e-5)


@pytest.mark.parametrize(
    ("C", "epsilon", "beta"),
    [(10.0, 0.1, 1e-4), (10.0, 0.1, 1e-6), (1000.0, 1e-3, 0.3), (100.0, 0.01, 0.3), (0.01, 3.0, 0.3)],
)
def test_the_gap_closes_under_extreme_noise(C, epsilon, beta):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(150, 3))
    y = np.sin(X[:, 0]) + 0.3 * generator.standard_normal(150)
    matrix = CovarianceMatrix(GaussianCovariance(np.full(3, 0.2), 1.0, 0.1), X)
    solution = solve_map(SoftProblem(matrix, y, np.ones(150), SoftInsensitive(C, epsilon, beta)))
    assert solution.duality_gap <= 1e-8


def test_beta_to_zero_is_the_support_vector_machine_without_bias():
    """scikit-learn's SVR has a bias; targets mirrored at mirrored inputs of an odd kernel make it zero."""
    from sklearn.svm import SVR

    generator = np.random.default_rng(0)
    half = generator.uniform(0.3, 3, (40, 1))
    X = np.concatenate([half, -half])
    target = np.sin(2 * half[:, 0]) + 0.2 * generator.standard_normal(40)
    y = np.concatenate([target, -target])
    C, epsilon, relevance = 5.0, 0.15, 1.4
    covariance = GaussianCovariance(np.array([relevance]), 1.0, 0.0)
    problem = SoftProblem(CovarianceMatrix(covariance, X), y, np.ones(80), SoftInsensitive(C, epsilon, 1e-7))
    reference = SVR(C=C, epsilon=epsilon, gamma=relevance / 2, tol=1e-8).fit(X, y)
    assert abs(reference.intercept_[0]) < 1e-6
    np.testing.assert_allclose(solve_map(problem).latent, reference.predict(X), atol=1e-4)


def test_a_wide_huber_zone_is_gaussian_process_regression():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(80, 2))
    y = np.sin(2 * X[:, 0]) + 0.1 * generator.standard_normal(80)
    variance, epsilon = 0.01, 1e4
    covariance = GaussianCovariance(np.array([1.0, 0.25]), 1.3, 0.4)
    problem = SoftProblem(
        CovarianceMatrix(covariance, X), y, np.ones(80), Huber(2 * epsilon / variance, epsilon)
    )
    kernel = 1.3 * RBF([1.0, 2.0]) + ConstantKernel(0.4) + WhiteKernel(variance)
    reference = GaussianProcessRegressor(kernel, optimizer=None, alpha=0.0).fit(X, y)
    np.testing.assert_allclose(solve_map(problem).latent, reference.predict(X), atol=1e-6)


def test_one_gross_outlier_pulls_no_harder_than_its_bound(random_problem):
    """However far a target goes, its pull is C: the function moves by a bounded amount."""
    problem = random_problem(4)
    far, farther = problem.target.copy(), problem.target.copy()
    far[0], farther[0] = 1e3, 1e9
    once = solve_map(replace(problem, target=far))
    again = solve_map(replace(problem, target=farther))
    np.testing.assert_allclose(once.latent, again.latent, atol=1e-6)
    before = solve_map(problem)
    assert (
        np.abs(once.latent - before.latent).max() <= 2 * problem.bound[0] * problem.matrix.covariance.variance
    )
