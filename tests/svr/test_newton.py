"""Newton steps and the line search between them."""

from dataclasses import replace

import numpy as np
import pytest

from rowtrust.svr.problem import Point, primal_value, relative_gap
from rowtrust.svr.solver import LEVEL, Line, initial_point, line_search, newton_step, newton_steps, solve_map

STEP = 1e-6


def between(point, direction, change, step):
    return replace(point, dual=point.dual + step * direction, latent=point.latent + step * change)


def along(problem, point, direction, change):
    first, bend = float(point.dual @ change), float(direction @ change)
    return Line(problem.target - point.latent, change, first, bend)


@pytest.fixture
def line(random_problem):
    """A problem, a point and a random direction downhill with the change of the latent function."""

    def made(seed):
        problem = random_problem(seed)
        point, direction = initial_point(problem, None), np.random.default_rng(seed).normal(size=40)
        direction *= problem.bound
        change = problem.matrix.apply(direction)
        downhill = -np.sign(along(problem, point, direction, change).slopes(problem, 0.0)[0])
        return problem, point, downhill * direction, downhill * change

    return made


@pytest.mark.parametrize("seed", range(5))
def test_slopes_along_a_line_match_finite_differences(seed, line):
    problem, point, direction, change = line(seed)
    slope, bend = along(problem, point, direction, change).slopes(problem, 0.3)
    up, middle, down = (
        primal_value(problem, between(point, direction, change, 0.3 + step)) for step in (STEP, 0.0, -STEP)
    )
    assert slope == pytest.approx((up - down) / (2 * STEP), rel=1e-5)
    assert bend > 0
    assert middle <= 0.5 * (up + down) + 1e-9 * abs(middle)


@pytest.mark.parametrize("seed", range(5))
def test_the_line_search_ends_lower_and_nearly_level(seed, line):
    problem, point, direction, change = line(seed)
    way = along(problem, point, direction, change)
    step = line_search(problem, way)
    assert 0.0 < step <= 1.0
    first, last = way.slopes(problem, 0.0)[0], way.slopes(problem, step)[0]
    assert last <= 1e-6 * abs(first)
    assert step == 1.0 or last >= LEVEL * first
    values = [primal_value(problem, between(point, direction, change, s)) for s in (0.0, step)]
    assert values[1] < values[0]


@pytest.mark.parametrize("seed", range(5))
def test_the_objective_never_rises(seed, random_problem):
    problem = random_problem(seed)
    point = initial_point(problem, None)
    for _ in range(10):
        following, _ = newton_step(problem, point)
        assert primal_value(problem, following) <= primal_value(problem, point) + 1e-9
        point = following


@pytest.mark.parametrize("seed", range(5))
def test_a_step_that_confirms_its_zones_is_the_solution(seed, random_problem):
    problem = random_problem(seed)
    solution = solve_map(problem)
    start = initial_point(problem, problem.share(solution.dual), from_residual=True)
    point, confirmed = newton_step(problem, start)
    assert confirmed
    assert relative_gap(problem, point) <= 1e-8


def test_the_solution_confirms_itself_in_one_step(random_problem):
    problem = random_problem(0)
    solution = solve_map(problem)
    start = initial_point(problem, problem.share(solution.dual))
    point, steps, solved = newton_steps(problem, start, 1e-10, 40)
    assert solved
    assert steps == 1
    np.testing.assert_allclose(point.latent, solution.latent, atol=1e-9)


def test_too_few_steps_are_reported(random_problem):
    problem = random_problem(0)
    zeros = np.zeros(40)
    _, steps, solved = newton_steps(problem, Point(zeros, zeros, zeros), 0.0, 1)
    assert steps == 1
    assert not solved
