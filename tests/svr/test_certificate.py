"""Objective, dual and duality gap."""

import warnings

import numpy as np
import pytest

from rowtrust.svr.problem import Point, dual_value, duality_gap, primal_value, relative_gap
from rowtrust.svr.solver import initial_point, solve_map


def test_the_gap_is_primal_plus_dual_and_never_negative(random_problem):
    problem = random_problem(2)
    generator = np.random.default_rng(0)
    for _ in range(20):
        dual = generator.uniform(-1, 1, len(problem.target)) * problem.bound
        point = Point(dual, problem.matrix.apply(dual), dual)
        gap = duality_gap(problem, point)
        assert gap >= 0
        assert gap == pytest.approx(primal_value(problem, point) + dual_value(problem, point), rel=1e-9)


def test_off_the_box_there_is_no_bound(random_problem):
    problem = random_problem(2)
    dual = 1.001 * problem.bound
    assert duality_gap(problem, Point(dual, problem.matrix.apply(dual), dual)) == np.inf


def test_the_gap_vanishes_at_the_solution_alone(random_problem):
    problem = random_problem(5)
    solution = solve_map(problem)
    solved = Point(solution.dual, solution.latent, solution.dual)
    assert relative_gap(problem, solved) <= 1e-10
    assert relative_gap(problem, initial_point(problem, None)) > 1e-3


def test_a_gross_outlier_hides_no_gap(random_problem):
    """The scale of the relative gap counts a row's loss as one nat at most."""
    problem = random_problem(3)
    problem.target[0] = 1e9
    point = initial_point(problem, np.where(np.arange(len(problem.target)) == 0, 1.0, 0.0))
    assert relative_gap(problem, point) > 1e-3


def test_a_gap_beside_no_objective_at_all_is_infinite_without_a_warning(random_problem):
    """Where no row has a loss and the function is zero, nothing is left to compare the gap with."""
    problem = random_problem(3)
    problem.target[:] = -0.5 * problem.insensitive_width  # a pull upwards is wrong there
    dual = np.full(len(problem.target), 1e-3 * problem.bound.min())
    point = Point(dual, np.zeros_like(dual), dual)
    assert primal_value(problem, point) == 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert relative_gap(problem, point) == np.inf
        assert relative_gap(problem, Point(0.0 * dual, 0.0 * dual, dual)) == 0.0
