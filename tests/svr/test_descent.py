"""Coordinate descent on the dual."""

import numpy as np
import pytest

from rowtrust.svr.problem import dual_value, relative_gap
from rowtrust.svr.solver import coordinate_pass, descend_dual, initial_point, largest_step, newton_jump


def test_coordinate_descent_alone_never_raises_the_dual(random_problem):
    problem = random_problem(1)
    point, values = initial_point(problem, None), []
    for _ in range(5):
        point = coordinate_pass(problem, point)
        values.append(dual_value(problem, point))
    assert (np.diff(values) <= 1e-12).all()


@pytest.mark.parametrize("seed", range(5))
def test_a_newton_jump_never_raises_the_dual_and_stays_in_the_box(seed, random_problem):
    problem = random_problem(seed)
    before = coordinate_pass(problem, initial_point(problem, None))
    after = newton_jump(problem, before)
    assert dual_value(problem, after) <= dual_value(problem, before)
    assert (np.abs(after.dual) <= problem.bound * (1 + 1e-12)).all()


def test_descent_starts_inside_the_box_wherever_it_is_sent_from(random_problem):
    problem = random_problem(0)
    outside = initial_point(problem, None)
    outside = type(outside)(3.0 * problem.bound, outside.latent, outside.zone)
    point, passes = descend_dual(problem, outside, tol=1e-10)
    assert relative_gap(problem, point) <= 1e-10
    assert passes >= 1


def test_a_step_ends_at_the_first_wall(random_problem):
    problem = random_problem(0)
    dual = 0.5 * problem.bound
    goal = dual.copy()
    assert largest_step(problem, dual, goal) == 1.0
    goal[3], goal[4] = 2.5 * problem.bound[3], -0.5 * problem.bound[4]
    assert largest_step(problem, dual, goal) == pytest.approx(0.25)
