"""The interior-point method."""

import numpy as np
import pytest

from rowtrust.svr.solver import Interior, centre, predictor_corrector, solve_interior, solve_map


@pytest.mark.parametrize("seed", range(5))
def test_it_finds_the_solution_of_newton_steps(seed, random_problem):
    problem = random_problem(seed)
    latent = problem.matrix.apply(solve_interior(problem, tol=1e-11))
    np.testing.assert_allclose(latent, solve_map(problem).latent, atol=1e-5)


def test_an_iteration_stays_inside_and_lowers_the_complementarity(random_problem):
    problem = random_problem(0)
    point = centre(problem)
    for _ in range(8):
        following = predictor_corrector(problem, point)
        assert all((part > 0).all() for part in following.parts)
        np.testing.assert_allclose(following.inside + following.slack, [problem.bound] * 2, rtol=1e-9)
        assert following.complementarity < point.complementarity
        point = following


def test_the_longest_step_ends_at_the_first_wall():
    ones = np.ones((2, 3))
    direction = np.zeros((2, 3))
    direction[1, 2] = -4.0
    point = Interior(ones, ones, ones, ones)
    assert point.longest_step(Interior(direction, ones, ones, ones)) == pytest.approx(0.25)
    assert point.longest_step(Interior(ones, ones, ones, ones)) == 1.0


def test_targets_of_zero_have_the_zero_solution(random_problem):
    problem = random_problem(0)
    problem.target[:] = 0.0
    np.testing.assert_allclose(solve_interior(problem), 0.0, atol=1e-6)
