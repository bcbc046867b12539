"""One pass over the rows: what is added up against sums over dense matrices, whatever the blocks."""

from dataclasses import fields, replace

import numpy as np
import pytest

from rowtrust.contracts import Sites, Statistics
from rowtrust.engines import MemoryEngine
from rowtrust.inference import AsGiven, OneAgainstRest, Problem, State
from rowtrust.inference.passes import (
    LEAST_CURVATURE,
    LEAST_RESPONSE,
    curved_statistics,
    expected_loss,
    gather,
    latent_curvature,
    log_scale,
    one_pass,
    row_curvature,
    row_outputs,
    updated_parts,
    weighted_slope,
)
from rowtrust.inference.posterior import solve_posterior
from rowtrust.kernels import Basis, Kernel
from rowtrust.likelihoods import Gaussian, Logistic
from rowtrust.priors import ARD
from rowtrust.weights import Gamma, Unit

N = 31
COLUMNS = np.array([0, 4, 2])


def make(likelihood=None, weights=None, block_bytes=2**20, coding=None):
    """Return a problem and a state with three columns, as a fit on its way would have them."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (N, 1))
    y, weight = rng.integers(0, 2, N).astype(float), rng.uniform(0.5, 3.0, N)
    engine = MemoryEngine(X, y, weight, Basis(Kernel("rbf", 1.0), X[:6]), block_bytes=block_bytes)
    likelihood, weights = likelihood or Logistic(), weights or Unit()
    problem = Problem(engine, coding or AsGiven(), likelihood, weights, ARD())
    phi = engine.basis.columns(X, COLUMNS)
    posterior = solve_posterior(phi.T @ phi, phi.T @ (y - 0.5), np.ones(3))
    return problem, State(COLUMNS, np.ones(3), posterior, likelihood, weights, -np.inf)


PARTS = [
    (Logistic(), Unit()),
    (Logistic(), Gamma(1.3)),
    (Gaussian(3.0), Unit()),
    (Gaussian(3.0), Gamma(1.3)),
    (Gaussian(3.0), Gamma(1.0, learns=True)),
]


def test_the_expected_loss_is_minus_the_expected_site_without_its_normaliser():
    rng = np.random.default_rng(0)
    sites = Sites(*rng.uniform(0.5, 2.0, (4, 3)))
    mean, variance = np.array([0.3, -2.0, 0.0]), np.array([0.5, 0.0, 4.0])
    latent = mean + np.sqrt(variance) * rng.normal(size=(400_000, 3))
    value = sites.constant + sites.shift * latent - 0.5 * sites.precision * latent**2
    np.testing.assert_allclose(expected_loss(sites, mean, variance), -value.mean(axis=0), atol=0.02)


@pytest.mark.parametrize(("likelihood", "weights"), PARTS, ids=repr)
def test_gathered_statistics_are_dense_sums(likelihood, weights):
    problem, state = make(likelihood, weights)
    columns = np.array([*COLUMNS, 6, 1])
    engine = problem.engine
    phi = engine.basis.columns(engine.X, columns)
    mean, variance = state.posterior.latent_moments(phi[:, :3])
    sites = likelihood.sites(engine.y, mean, variance)
    loss = expected_loss(sites, mean, variance)
    moments = weights.learn(loss, likelihood.weight_exponent)
    weight = engine.weight * moments.expected
    found = gather(problem, state, columns)
    np.testing.assert_allclose(found.gram, phi.T @ np.diag(weight * sites.precision) @ phi, rtol=1e-12)
    np.testing.assert_allclose(found.vector, phi.T @ (weight * sites.shift), rtol=1e-10, atol=1e-12)
    assert found.constant == pytest.approx(weight @ sites.constant)
    assert found.normaliser == pytest.approx(engine.weight @ (sites.normaliser + moments.bound))
    assert found.loss == pytest.approx(weight @ loss)
    assert found.count == pytest.approx(engine.weight.sum())
    np.testing.assert_allclose(found.weights, moments.statistics @ engine.weight, rtol=1e-12)
    assert found.likelihood.shape == (0,)
    assert log_scale(found) == found.constant + found.normaliser


@pytest.mark.parametrize("block_bytes", [1, 200, 555])
@pytest.mark.parametrize(("likelihood", "weights"), PARTS, ids=repr)
def test_the_blocks_do_not_matter(likelihood, weights, block_bytes):
    whole, parts = (
        one_pass(*make(likelihood, weights, size), COLUMNS, curved_statistics)
        for size in (2**20, block_bytes)
    )
    for field in fields(Statistics):
        one, two = getattr(whole, field.name), getattr(parts, field.name)
        accuracy = 1e-9 if field.name == "curvature" else 1e-12  # of differences
        np.testing.assert_allclose(one, two, rtol=accuracy, atol=accuracy, err_msg=field.name)


@pytest.mark.parametrize(("likelihood", "weights"), PARTS, ids=repr)
def test_only_a_curved_pass_tells_of_curvature(likelihood, weights):
    problem, state = make(likelihood, weights)
    plain, curved = gather(problem, state, COLUMNS), one_pass(problem, state, COLUMNS, curved_statistics)
    assert plain.curvature is None
    for field in fields(Statistics):
        if field.name != "curvature":
            np.testing.assert_array_equal(getattr(plain, field.name), getattr(curved, field.name))
    phi = problem.engine.basis.columns(problem.engine.X, COLUMNS)
    rows = row_outputs(problem, state, lambda rows: row_curvature(rows, state))
    np.testing.assert_allclose(curved.curvature, phi.T @ (rows[:, None] * phi), rtol=1e-9)


def row_terms(state, target, mean, variance):
    """Return what each row adds to the bound, sites and weights made for this mean."""
    sites = state.likelihood.sites(target, mean, variance)
    loss = expected_loss(sites, mean, variance)
    moments = state.weights.learn(loss, state.likelihood.weight_exponent)
    return sites.normaliser + moments.bound - moments.expected * loss


@pytest.mark.parametrize(("likelihood", "weights"), PARTS, ids=repr)
def test_slope_and_curvature_are_derivatives_of_the_rows_terms(likelihood, weights):
    problem, state = make(likelihood, weights)
    copies, target = problem.engine.weight, problem.engine.y
    mean, variance, curvature, precision, shift = row_outputs(
        problem,
        state,
        lambda rows: np.stack(
            [rows.mean, rows.variance, row_curvature(rows, state), rows.precision, rows.shift]
        ),
    )
    step = 1e-3
    below, here, above = (copies * row_terms(state, target, mean + by, variance) for by in (-step, 0.0, step))
    np.testing.assert_allclose(shift - precision * mean, (above - below) / (2 * step), rtol=1e-4, atol=1e-5)
    second = (2 * here - above - below) / step**2
    np.testing.assert_allclose(
        curvature, np.clip(second, LEAST_CURVATURE * precision, precision), rtol=1e-3, atol=1e-3
    )
    assert (curvature >= (1 - 1e-12) * LEAST_CURVATURE * precision).all()
    assert (curvature <= precision).all()


def test_a_term_that_bends_upwards_counts_as_nearly_straight():
    """A Student's t is convex in its tails."""
    _, state = make(Gaussian(3.0), Gamma(1.3))
    far = np.array([8.0, -9.0, 30.0])
    zeros = np.zeros(3)
    sites = state.likelihood.sites(zeros, far, zeros)
    moments = state.weights.learn(expected_loss(sites, far, zeros), 0.5)
    slope, precision = weighted_slope(sites, moments, far)
    parts = state.likelihood, state.weights
    for least in (LEAST_CURVATURE, LEAST_RESPONSE):
        found = latent_curvature(*parts, zeros, far, zeros, slope, precision, least)
        np.testing.assert_allclose(found, least * precision, rtol=1e-12)


def test_exact_sites_with_given_weights_bend_as_the_rows_do():
    problem, state = make(Gaussian(3.0), Unit())
    found = one_pass(problem, state, COLUMNS, curved_statistics)
    np.testing.assert_allclose(found.curvature, found.gram, rtol=1e-9)


def test_a_likelihood_that_learns_gets_the_sums_it_asked_for():
    class Counting(Gaussian):
        """Asks for the weighted sums of its targets and of its latent means."""

        def row_statistics(self, target, mean, variance):
            return np.stack([target, mean])

    problem, state = make(Counting(2.0), Gamma(1.3), block_bytes=200)
    engine = problem.engine
    found = gather(problem, state, COLUMNS)
    weight = engine.weight * row_outputs(problem, state, lambda rows: rows.weights.expected)
    mean, _ = state.posterior.latent_moments(engine.basis.columns(engine.X, COLUMNS))
    np.testing.assert_allclose(found.likelihood, [weight @ engine.y, weight @ mean], rtol=1e-12)


def test_row_outputs_are_stacked_in_order_along_the_last_axis():
    problem, state = make(block_bytes=150)
    engine = problem.engine
    mean, variance = state.posterior.latent_moments(engine.basis.columns(engine.X, COLUMNS))
    found = row_outputs(problem, state, lambda rows: np.stack([rows.mean, rows.variance, rows.target]))
    assert found.shape == (3, N)
    np.testing.assert_allclose(found, [mean, variance, engine.y], rtol=1e-12)
    np.testing.assert_array_equal(row_outputs(problem, state, lambda rows: rows.block.weight), engine.weight)


def test_weighted_precisions_and_shifts_carry_both_weights():
    problem, state = make(Gaussian(3.0), Gamma(1.3))
    weight, precision, shift = row_outputs(
        problem, state, lambda rows: np.stack([rows.weights.expected, rows.precision, rows.shift])
    )
    total = problem.engine.weight * weight
    np.testing.assert_allclose(precision, 3.0 * total)
    np.testing.assert_allclose(shift, 3.0 * total * problem.engine.y)


def test_targets_are_what_the_coding_makes_of_y():
    problem, state = make(coding=OneAgainstRest(0))
    targets = row_outputs(problem, state, lambda rows: rows.target)
    np.testing.assert_array_equal(targets, problem.engine.y == 0)


def test_one_pass_reads_every_row_once():
    problem, state = make(block_bytes=100)
    assert one_pass(problem, state, state.columns, lambda rows, _: len(rows.target)) == N
    widest = np.arange(7)
    sizes = one_pass(problem, state, state.columns, lambda rows, _: [len(rows.target)], widest)
    assert max(sizes) == max(1, 100 // (8 * 7))


def test_only_what_learns_is_updated():
    problem, state = make(Gaussian(3.0), Gamma(1.0, learns=True))
    statistics = gather(problem, state, COLUMNS)
    likelihood, weights, restated = updated_parts(state, statistics)
    assert likelihood.precision != 3.0
    assert weights.trust != 1.0
    assert restated is not statistics
    plain = replace(state, likelihood=Logistic(), weights=Gamma(1.0))
    assert updated_parts(plain, statistics) == (plain.likelihood, plain.weights, statistics)
