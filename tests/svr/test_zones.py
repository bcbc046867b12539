"""The zones of the loss."""

from dataclasses import replace

import numpy as np
import pytest

from rowtrust.likelihoods.soft_insensitive import SoftInsensitive
from rowtrust.svr.problem import dual_zones, quadratic_rows, residual_zones, solve_in_zones


@pytest.mark.parametrize("beta", [1e-6, 0.3, 1.0])
def test_zones_agree_with_the_likelihood_at_every_edge(beta, random_problem):
    likelihood = SoftInsensitive(2.0, 0.5, beta)
    problem = replace(random_problem(0), likelihood=likelihood)
    flat, edge = likelihood.insensitive_width, likelihood.insensitive_width + likelihood.quadratic_width
    edges = [flat, edge, *np.nextafter(flat, [0, 1]), *np.nextafter(edge, [0, 1])]
    sizes = [0.0, *edges, 0.5 * (flat + edge), 9.0]
    residual = np.concatenate([sizes, np.negative(sizes)])
    zone = residual_zones(problem, residual)
    np.testing.assert_array_equal(np.abs(zone) == 1.0, likelihood.in_quadratic_zone(residual))
    beyond = likelihood.excess(residual) >= likelihood.quadratic_width
    np.testing.assert_array_equal(np.abs(zone) == 2.0, beyond)
    assert (zone * residual >= 0.0).all()


def test_dual_variables_imply_zones(random_problem):
    problem = random_problem(0)
    share = np.zeros(40)
    share[:5] = [0.0, 0.5, -0.5, 1.0, -1.0]
    np.testing.assert_array_equal(dual_zones(problem, share * problem.bound)[:5], [0, 1, -1, 2, -2])


def test_within_fixed_zones_the_gradient_vanishes(random_problem):
    problem = random_problem(1)
    zone = np.random.default_rng(0).choice([-2.0, -1.0, 0.0, 1.0, 2.0], 40)
    dual = solve_in_zones(problem, zone)
    rows = quadratic_rows(zone)
    residual = problem.target - problem.matrix.apply(dual)
    pull = problem.ridge * dual + zone * problem.insensitive_width
    np.testing.assert_allclose(residual[rows], pull[rows], atol=1e-10)
    np.testing.assert_array_equal(dual[zone == 0.0], 0.0)
    linear = np.abs(zone) == 2.0
    np.testing.assert_allclose(dual[linear], np.sign(zone[linear]) * problem.bound[linear])
