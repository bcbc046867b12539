"""The evidence and its slopes: finite differences, repeated rows, the Gaussian limit, the search."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from rowtrust.likelihoods.soft_insensitive import Huber, SoftInsensitive
from rowtrust.svr.covariance import CovarianceMatrix, GaussianCovariance
from rowtrust.svr.evidence import evidence_slopes, negative_log_evidence
from rowtrust.svr.hyperparameters import Choices, SearchSpace
from rowtrust.svr.newton import solve_map
from rowtrust.svr.problem import SoftProblem
from rowtrust.svr.search import (
    EvidenceObjective,
    Patience,
    TrainingSet,
    candidates_by_evidence,
    climb,
    mixture_weights,
)

STEP = 1e-5


def rows_of(seed, n=60, d=3):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, d))
    y = np.sin(2 * X[:, 0]) + 0.2 * generator.standard_t(4, n)
    return X, y, generator.integers(1, 4, n).astype(float)


def problem_at(logs, rows, beta):
    C, epsilon, *relevance, kernel_variance, bias_variance = np.exp(logs)
    X, y, weight = rows
    covariance = GaussianCovariance(np.array(relevance), kernel_variance, bias_variance)
    return SoftProblem(CovarianceMatrix(covariance, X), y, weight, SoftInsensitive(C, epsilon, beta))


def evidence_at(logs, rows, beta):
    problem = problem_at(logs, rows, beta)
    solution = solve_map(problem)
    return negative_log_evidence(problem, solution), solution.quadratic


@pytest.mark.parametrize("beta", [0.1, 0.3, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_slopes_match_finite_differences_while_no_row_changes_zone(seed, beta):
    rows = rows_of(seed)
    generator = np.random.default_rng(100 + seed)
    logs = np.log([5, 0.2, 0.6, 0.3, 0.1, 1.3, 0.4]) + 0.3 * generator.standard_normal(7)
    problem = problem_at(logs, rows, beta)
    slopes = evidence_slopes(problem, solve_map(problem))
    analytic = np.concatenate(
        [[slopes.C, slopes.epsilon], slopes.relevance, [slopes.kernel_variance, slopes.bias_variance]]
    )
    checked = 0
    for position in range(7):
        step = STEP * np.eye(7)[position]
        (up, zone_up), (down, zone_down) = (
            evidence_at(logs + step, rows, beta),
            evidence_at(logs - step, rows, beta),
        )
        if np.array_equal(zone_up, zone_down):
            scale = max(1.0, abs(analytic[position]))
            assert analytic[position] == pytest.approx((up - down) / (2 * STEP), abs=1e-6 * scale)
            checked += 1
    assert checked >= 4


@pytest.mark.parametrize("seed", range(3))
def test_integer_weights_equal_repeated_rows(seed):
    X, y, weight = rows_of(seed)
    logs = np.log([5, 0.2, 0.6, 0.3, 0.1, 1.3, 0.4])
    copies = weight.astype(int)
    repeated = np.repeat(X, copies, axis=0), np.repeat(y, copies), np.ones(copies.sum())
    assert evidence_at(logs, (X, y, weight), 0.3)[0] == pytest.approx(
        evidence_at(logs, repeated, 0.3)[0], rel=1e-9
    )


def test_covariance_slopes_match_finite_differences():
    X, _, _ = rows_of(0)
    generator = np.random.default_rng(1)
    vector, rows = generator.standard_normal(60), np.sort(generator.choice(60, 25, replace=False))
    weights = generator.standard_normal((25, 25))
    weights = weights + weights.T
    logs = np.log([0.6, 0.3, 0.1, 1.3, 0.4])

    def matrix(logs):
        *relevance, kernel_variance, bias_variance = np.exp(logs)
        return CovarianceMatrix(GaussianCovariance(np.array(relevance), kernel_variance, bias_variance), X)

    def quadratic(logs):
        return vector @ matrix(logs).apply(vector)

    def trace(logs):
        return np.sum(weights * matrix(logs).block(rows))

    for function, slopes in (
        (quadratic, matrix(logs).quadratic_slopes(vector)),
        (trace, matrix(logs).trace_slopes(np.tril(weights), rows)),
    ):
        numeric = [
            (function(logs + step) - function(logs - step)) / (2 * STEP) for step in STEP * np.eye(len(logs))
        ]
        np.testing.assert_allclose(slopes, numeric, rtol=1e-6, atol=1e-7)


def test_a_wide_huber_zone_has_the_evidence_of_a_gaussian_process():
    X, y, _ = rows_of(0)
    variance, epsilon = 0.04, 1e4
    covariance = GaussianCovariance(np.array([1.0, 0.25, 0.25]), 1.3, 0.4)
    problem = SoftProblem(
        CovarianceMatrix(covariance, X), y, np.ones(60), Huber(2 * epsilon / variance, epsilon)
    )
    kernel = 1.3 * RBF([1.0, 2.0, 2.0]) + ConstantKernel(0.4) + WhiteKernel(variance)
    reference = GaussianProcessRegressor(kernel, optimizer=None, alpha=0.0).fit(X, y)
    ours = -negative_log_evidence(problem, solve_map(problem))
    assert ours == pytest.approx(reference.log_marginal_likelihood_value_, abs=1e-6)


def everything_learnt(**fixed):
    names = ("C", "epsilon", "relevance", "kernel_variance", "bias_variance")
    return Choices(**(dict.fromkeys(names) | {"beta": 0.3} | fixed))


def test_a_climb_never_ends_below_its_start():
    rows = TrainingSet(*rows_of(0))
    space = SearchSpace(everything_learnt(), 3)
    for beta in (0.05, 0.3, 1.0):
        objective = EvidenceObjective(rows, space, beta)
        start = space.first_start()
        before = objective(start)[0]
        best = climb(objective, start, Patience(30, 0.1))
        assert EvidenceObjective(rows, space, beta)(best)[0] <= before + 1e-8


def test_what_is_fixed_stays_fixed():
    rows = TrainingSet(*rows_of(0))
    choices = everything_learnt(C=4.0, relevance=np.array([1.0, 0.5, 0.0]), bias_variance=0.0)
    (found,) = candidates_by_evidence(rows, choices, 0, Patience(20, 0.1), np.random.default_rng(0), None)
    assert pytest.approx(4.0) == found.hyperparameters.C
    np.testing.assert_allclose(found.hyperparameters.relevance, [1.0, 0.5, 0.0], atol=1e-12)
    assert found.hyperparameters.bias_variance < 1e-12


def test_a_tied_epsilon_follows_the_slope_in_value_and_slope():
    rows = TrainingSet(*rows_of(0))
    objective = EvidenceObjective(rows, SearchSpace(everything_learnt(tie=0.5, beta=1.0), 3), 1.0)
    start = objective.space.first_start()
    assert len(start) == 6
    _, slope = objective(start)
    step = STEP * np.eye(6)[0]
    numeric = (objective(start + step)[0] - objective(start - step)[0]) / (2 * STEP)
    assert slope[0] == pytest.approx(numeric, rel=1e-5, abs=1e-5)


def test_restarts_side_by_side_give_what_they_give_in_turn():
    rows = TrainingSet(*rows_of(0, n=40))
    runs = [
        candidates_by_evidence(
            rows, everything_learnt(), 2, Patience(10, 0.1, rounds=1), np.random.default_rng(0), n_jobs
        )
        for n_jobs in (None, 2)
    ]
    values = [[candidate.log_evidence for candidate in run] for run in runs]
    np.testing.assert_allclose(values[0], values[1])
    assert values[0] == sorted(values[0], reverse=True)
    shares = mixture_weights(runs[0])
    assert shares.sum() == pytest.approx(1.0)
    assert (np.diff(shares) <= 0).all()
