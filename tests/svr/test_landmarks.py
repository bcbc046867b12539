"""Landmarks: with every row as one the model is the exact one; with few it solves its own problem."""

import numpy as np
import pytest
from scipy.optimize import minimize

from rowtrust.likelihoods.soft_insensitive import SoftInsensitive
from rowtrust.svr import landmarks as landmarks_module
from rowtrust.svr.covariance import CovarianceMatrix, GaussianCovariance
from rowtrust.svr.evidence import negative_log_evidence
from rowtrust.svr.landmarks import (
    LandmarkProblem,
    choose_landmarks,
    fixed_sample,
    landmark_evidence,
    landmark_posterior,
    left_out_of_landmarks,
    solve_landmarks,
    stationarity_gap,
)
from rowtrust.svr.posterior import SoftPosterior, left_out_rows
from rowtrust.svr.problem import SoftProblem
from rowtrust.svr.solver import solve_map

COVARIANCE = GaussianCovariance(np.array([0.8, 0.3, 0.1]), 1.2, 0.3)
NOISE = SoftInsensitive(4.0, 0.3, 0.4)


def made(rows, chosen):
    X, y, weight = rows
    return LandmarkProblem(X, y, weight, NOISE, COVARIANCE, np.asarray(chosen))


@pytest.fixture
def exact(random_rows):
    X, y, weight = random_rows(0)
    problem = SoftProblem(CovarianceMatrix(COVARIANCE, X), y, weight, NOISE)
    return problem, solve_map(problem)


def test_with_every_row_a_landmark_the_fit_is_exact(exact, random_rows):
    rows, (problem, solution) = random_rows(0), exact
    sparse = made(rows, np.arange(60))
    found = solve_landmarks(sparse)
    np.testing.assert_allclose(found.latent, solution.latent, atol=1e-5)
    assert -landmark_evidence(sparse, found) == pytest.approx(
        -negative_log_evidence(problem, solution), abs=1e-3
    )
    new = random_rows(1)[0]
    for ours, theirs in zip(
        landmark_posterior(sparse, found).latent_moments(new),
        SoftPosterior.of(problem, solution).latent_moments(new),
        strict=True,
    ):
        np.testing.assert_allclose(ours, theirs, atol=1e-4)
    for ours, theirs in zip(
        left_out_of_landmarks(sparse, found, np.arange(60)), left_out_rows(problem, solution), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, atol=1e-3)


def test_few_landmarks_solve_their_own_problem(random_rows):
    problem = made(random_rows(0), np.arange(0, 60, 5))
    found = solve_landmarks(problem)
    features = np.concatenate([part for _, part in problem.blocks()], axis=1)

    def objective(weights):
        return problem.objective(weights, weights @ features)

    best = minimize(objective, np.zeros(12), method="BFGS", options={"gtol": 1e-8})
    assert found.objective <= best.fun + 1e-7
    np.testing.assert_allclose(found.weights, best.x, atol=1e-3)
    assert stationarity_gap(problem, found) < 1e-20


def test_the_gap_sees_a_point_that_is_no_solution(random_rows):
    problem = made(random_rows(0), np.arange(0, 60, 5))
    found = solve_landmarks(problem)
    for share in (0.5, 0.0):
        worse = landmarks_module.LandmarkSolution(
            share * found.weights, share * found.latent, found.hessian_factor, found.objective
        )
        assert stationarity_gap(problem, worse) > 1e-3


def test_the_posterior_sums_over_landmarks_and_knows_less_far_away(random_rows):
    problem = made(random_rows(0), np.arange(0, 60, 5))
    posterior = landmark_posterior(problem, solve_landmarks(problem))
    X = random_rows(1)[0]
    np.testing.assert_allclose(
        posterior.latent_mean(X), COVARIANCE(X, problem.X[problem.chosen]) @ posterior.dual, rtol=1e-10
    )
    _, variance = posterior.latent_moments(np.vstack([problem.X[:1], np.full((1, 3), 50.0)]))
    assert variance[0] < 0.5 * COVARIANCE.variance
    # Nothing is known of the function there; its level is known a little.
    assert COVARIANCE.kernel_variance < variance[1] <= COVARIANCE.variance


def test_features_made_anew_in_every_pass_give_the_same_fit(monkeypatch, random_rows):
    chosen = np.arange(0, 60, 5)
    kept = solve_landmarks(made(random_rows(0), chosen))
    monkeypatch.setattr(landmarks_module, "STORED_NUMBERS", 0)
    monkeypatch.setattr(landmarks_module, "FEATURE_NUMBERS", 12 * 7)
    problem = made(random_rows(0), chosen)
    anew = solve_landmarks(problem)
    assert not problem.stored
    np.testing.assert_allclose(anew.latent, kept.latent, atol=1e-9)


def test_landmarks_are_distinct_rows_spread_over_the_inputs():
    generator = np.random.default_rng(0)
    X = np.concatenate([generator.normal(0, 0.01, (500, 2)), generator.normal(5, 0.01, (5, 2))])
    chosen = choose_landmarks(X, 20)
    assert len(np.unique(chosen)) == len(chosen) <= 20
    assert (chosen >= 500).any()
    np.testing.assert_array_equal(choose_landmarks(X, 20), chosen)
    assert len(fixed_sample(10, 20)) == 10
