"""The system of a zone, by its own factor and by that of a similar zone."""

import numpy as np
import pytest

from rowtrust.svr.problem import MOST_BORDERED


def dense(problem, rows):
    return problem.matrix.block(rows) + np.diag(problem.ridge[rows])


@pytest.fixture(params=["same", "fewer", "more", "both"])
def zones(request, random_problem):
    """A problem, the zone that is factored first, and another that differs in up to two rows."""
    problem = random_problem(3)
    base = np.sort(np.random.default_rng(0).choice(40, 30, replace=False))
    outside = np.setdiff1d(np.arange(40), base)
    other = {
        "same": base,
        "fewer": np.delete(base, [2, 17]),
        "more": np.sort(np.append(base, outside[:2])),
        "both": np.sort(np.append(np.delete(base, 5), outside[4])),
    }[request.param]
    return problem, base, other


def test_a_similar_zone_is_solved_as_with_its_own_factor(zones):
    problem, base, rows = zones
    problem.zone_system(base)
    system = problem.zone_system(rows)
    assert system.is_exact == np.array_equal(base, rows)
    matrix, wanted = dense(problem, rows), np.random.default_rng(1).normal(size=len(rows))
    np.testing.assert_allclose(system.solve(wanted), np.linalg.solve(matrix, wanted), rtol=1e-7)
    assert system.half_log_determinant() == pytest.approx(0.5 * np.linalg.slogdet(matrix)[1], rel=1e-9)


def test_the_inverse_of_a_similar_zone_is_that_of_its_matrix_and_zero_elsewhere(zones):
    problem, base, rows = zones
    problem.zone_system(base)
    lower, order = problem.zone_system(rows).inverse()
    full = np.zeros((40, 40))
    full[np.ix_(order, order)] = lower + np.tril(lower, -1).T
    expected = np.zeros((40, 40))
    expected[np.ix_(rows, rows)] = np.linalg.inv(dense(problem, rows))
    np.testing.assert_allclose(full, expected, atol=1e-8 * np.abs(expected).max())


def test_a_zone_that_differs_much_is_factored_anew(random_problem):
    problem = random_problem(3)
    problem.zone_system(np.arange(30))
    differing = int(MOST_BORDERED * 30) + 1
    assert problem.zone_system(np.arange(30 + differing)).is_exact
    assert not problem.zone_system(np.arange(30 + differing - 1)).is_exact


def test_a_factor_asked_for_by_name_is_always_the_zones_own(zones):
    problem, base, rows = zones
    problem.zone_system(base)
    problem.zone_system(rows)
    factor = problem.quadratic_factor(rows)
    np.testing.assert_allclose(factor @ factor.T, dense(problem, rows), rtol=1e-10)
