"""Rows that are seen once and forgotten: what is remembered of them is what all rows together would say."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from scipy.special import expit

from rowtrust.engines import MemoryEngine
from rowtrust.inference import AsGiven, Problem, WorkingSet, solve
from rowtrust.inference.passes import gather, one_pass, row_moments
from rowtrust.inference.posterior import solve_posterior
from rowtrust.inference.running import all_columns, begun, lasting_statistics, learned, touching
from rowtrust.kernels import Basis, Kernel
from rowtrust.likelihoods import Gaussian, Logistic
from rowtrust.priors import ARD
from rowtrust.weights import Gamma, Unit


@dataclass(frozen=True)
class KnownNoise(Gaussian):
    learns: ClassVar[bool] = False


SOLVER = WorkingSet(tol=1e-6, entry=1e-2)
generator = np.random.default_rng(0)
X = generator.uniform(-3.0, 3.0, (120, 2))
NUMBERS = np.sin(2.0 * X[:, 0]) + 0.3 * X[:, 1] + 0.2 * generator.normal(size=120)
LABELS = (np.sin(2.0 * X[:, 0]) + 0.5 * generator.normal(size=120) > 0).astype(float)
BASIS = Basis(Kernel("rbf", 0.5), X[:40])


def problem(rows, likelihood, weights=None, copies=1.0):
    target = LABELS if isinstance(likelihood, Logistic) else NUMBERS
    engine = MemoryEngine(X[rows], target[rows], np.full(len(X[rows]), copies), BASIS)
    return Problem(engine, AsGiven(), likelihood, weights or Unit(), ARD())


def start(rows, likelihood, weights=None):
    first = problem(rows, likelihood, weights)
    return begun(first, solve(first, SOLVER, 500).state)


def streamed(blocks, likelihood, weights=None, factor=1.0):
    running = start(blocks[0], likelihood, weights)
    for rows in blocks[1:]:
        state = running.state
        block = problem(rows, state.likelihood, state.weights)
        running = learned(block, running, factor, SOLVER)
    return running


@pytest.mark.parametrize("cuts", [(30, 60, 90), (60,), (20, 110)])
@pytest.mark.parametrize("order", [1, -1])
def test_with_known_gaussian_noise_blocks_are_all_rows(cuts, order):
    """The sites are the rows' own terms, so that nothing depends on when they were made."""
    blocks = np.split(np.arange(120)[::order], cuts)
    running = streamed(blocks, KnownNoise(25.0))
    state = running.state
    whole = gather(problem(np.arange(120), KnownNoise(25.0)), state, np.arange(41)[state.columns])
    expected = solve_posterior(whole.gram, whole.vector, state.precision)
    np.testing.assert_allclose(state.posterior.mean, expected.mean, atol=1e-8)
    np.testing.assert_allclose(running.posterior.covariance, expected.covariance, atol=1e-8)


def test_learnt_noise_is_that_of_all_rows():
    running = streamed(np.split(np.arange(120), 4), Gaussian(4.0))
    state = running.state
    all_rows = problem(np.arange(120), state.likelihood)
    whole = gather(all_rows, state, state.columns)
    best, _ = state.likelihood.update(whole)
    assert state.likelihood.precision == pytest.approx(best.precision, rel=0.01)
    np.testing.assert_allclose(running.statistics.in_order(state.columns).gram, whole.gram, rtol=1e-8)


def test_a_fading_memory_is_a_fit_with_faded_weights():
    """With known noise the statistics are the weighted sums over rows, whatever came between."""
    blocks = np.split(np.arange(120), 3)
    running = streamed(blocks, KnownNoise(25.0), factor=0.5)
    weight = np.repeat([0.25, 0.5, 1.0], 40)
    phi = BASIS.columns(X, np.arange(41))
    np.testing.assert_allclose(running.statistics.gram, 25.0 * phi.T @ (weight[:, None] * phi), rtol=1e-10)
    np.testing.assert_allclose(running.statistics.vector, 25.0 * phi.T @ (weight * NUMBERS), atol=1e-9)
    assert running.statistics.count == pytest.approx(weight.sum())


@pytest.mark.parametrize(
    ("likelihood", "weights"), [(Logistic(), Unit()), (Gaussian(4.0), Gamma(2.0)), (Logistic(), Gamma(1.3))]
)
def test_two_copies_of_a_block_are_one_of_weight_two(likelihood, weights):
    before = start(np.arange(60), likelihood, weights)
    state, rows = before.state, np.arange(60, 120)
    twice = learned(problem(np.r_[rows, rows], state.likelihood, state.weights), before, 0.8, SOLVER)
    heavy = learned(problem(rows, state.likelihood, state.weights, 2.0), before, 0.8, SOLVER)
    np.testing.assert_allclose(twice.statistics.gram, heavy.statistics.gram, rtol=1e-8, atol=1e-10)
    np.testing.assert_array_equal(twice.state.columns, heavy.state.columns)
    np.testing.assert_allclose(twice.state.posterior.mean, heavy.state.posterior.mean, rtol=1e-6, atol=1e-9)


def test_blocks_of_labels_come_near_the_fit_to_all():
    """Nearer than the first block alone, and nearer to it than classes are to even odds."""
    phi = BASIS.columns(X, np.arange(41))

    def probability(state):
        return expit(phi[:, state.columns] @ state.posterior.mean)

    fitted = probability(solve(problem(np.arange(120), Logistic()), SOLVER, 500).state)
    blocks = np.split(np.arange(120), [60, 80, 100])
    last = np.abs(probability(streamed(blocks, Logistic()).state) - fitted).mean()
    first = np.abs(probability(start(blocks[0], Logistic()).state) - fitted).mean()
    assert last < 0.7 * first
    assert last < 0.25 * np.abs(fitted - 0.5).mean()


def test_what_stays_of_rows_slopes_as_their_terms_do():
    """Value and slope of what is remembered are those of the rows' own bound, at the place it was made."""
    running = start(np.arange(120), Logistic())
    state, kept = running.state, running.statistics.in_order(running.state.columns)
    one = problem(np.arange(120), Logistic())
    phi = BASIS.columns(X, state.columns)
    rows = row_moments(AsGiven(), state, next(iter(one.engine.blocks(41))), phi)
    slope = phi.T @ (rows.shift - rows.precision * rows.mean)
    mean = state.posterior.mean
    np.testing.assert_allclose(kept.vector - kept.curvature @ mean, slope, atol=1e-8)
    spread = np.einsum("ij,ij->", kept.curvature @ state.posterior.root, state.posterior.root)
    value = kept.constant + kept.vector @ mean - 0.5 * (mean @ kept.curvature @ mean + spread)
    assert value == pytest.approx(-rows.loss.sum())


def test_sites_touch_what_is_remembered_wherever_the_posterior_is():
    running = start(np.arange(120), Logistic())
    order = all_columns(running.state, 41)
    old = running.statistics.in_order(order)
    size = len(running.state.columns)
    moved = replace(
        running.state,
        posterior=replace(running.state.posterior, mean=running.state.posterior.mean + 0.3),
    )
    sites = touching(old, moved)
    mean = np.zeros(41)
    mean[:size] = moved.posterior.mean
    np.testing.assert_allclose(sites.vector - sites.gram @ mean, old.vector - old.curvature @ mean, atol=1e-9)
    further = mean + np.random.default_rng(1).normal(size=41)

    def value(s, bend, at):
        return s.constant + s.vector @ at - 0.5 * at @ bend @ at

    root = moved.posterior.root
    spread = 0.5 * np.einsum("ij,ij->", (old.gram - old.curvature)[:size, :size] @ root, root)
    gap = value(old, old.curvature, mean) - value(sites, sites.gram, mean)
    assert gap == pytest.approx(-spread)  # in expectation they touch
    assert value(sites, sites.gram, further) - spread <= value(old, old.curvature, further) + 1e-9


def test_a_block_says_the_same_in_one_pass_or_in_parts():
    state = start(np.arange(60), Logistic()).state
    whole, *parts = (
        one_pass(problem(rows, Logistic()), state, all_columns(state, 41), lasting_statistics)
        for rows in (np.arange(120), np.arange(50), np.arange(50, 120))
    )
    both = parts[0] + parts[1]
    np.testing.assert_allclose(both.curvature, whole.curvature, atol=1e-10)
    np.testing.assert_allclose(both.vector, whole.vector, atol=1e-10)
    assert both.constant == pytest.approx(whole.constant)
