"""Scores of columns against dense evidences with sites and weights written out from the formulae."""

from dataclasses import fields

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit

from rowtrust.contracts import Statistics
from rowtrust.engines import MemoryEngine
from rowtrust.inference import AsGiven, scoring
from rowtrust.inference.passes import block_statistics, curved_statistics, one_pass
from rowtrust.inference.posterior import Posterior, solve_posterior
from rowtrust.inference.records import Problem, State
from rowtrust.inference.scoring import SIMILAR, dissimilar, gains, probe_correlations, scored_pass
from rowtrust.inference.working_set import WorkingSet
from rowtrust.kernels import Basis, Kernel
from rowtrust.likelihoods import Gaussian, Logistic
from rowtrust.priors import ARD
from rowtrust.weights import Fixed, Gamma, Unit

N = 40


def make_problem(likelihood, weighting, seed=0, block_bytes=2000):
    """Return a problem of 40 rows that needs several blocks, with sample weights among them zero."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(N, 2))
    latent = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1]
    if likelihood == "logistic":
        density, target = Logistic(), (rng.uniform(size=N) < expit(3 * latent)).astype(float)
    else:
        density, target = Gaussian(4.0), latent + 0.3 * rng.normal(size=N)
    membership = rng.uniform(0.1, 1.0, N)
    weights = {
        "unit": Unit(),
        "fixed": Fixed(membership),
        "gamma": Gamma(1.3),
        "learnt": Gamma(1.0, learns=True),
    }[weighting]
    copies = rng.integers(0, 3, N).astype(float)
    basis = Basis(Kernel("rbf", 1.0), X)
    weight = copies * membership if weighting == "fixed" else copies
    engine = MemoryEngine(X, target, weight, basis, block_bytes=block_bytes)
    return Problem(engine, AsGiven(), density, weights, ARD())


def dense_phi(problem):
    return problem.engine.basis.columns(problem.engine.X, np.arange(problem.engine.n_columns))


def after_steps(problem, steps, candidates=2):
    solver = WorkingSet(candidates=candidates)
    state = solver.start(problem)
    for _ in range(steps):
        state, _ = solver.step(problem, state)
    return state


def score(problem, state, columns):
    """Return what each column would gain, from one pass."""
    return gains(problem, state, columns, scored_pass(problem, state, state.columns, columns, curved=False))


def dense_sites(problem, state):
    """Return R and kappa of every row: the formulae of the papers, on the dense matrix."""
    active = dense_phi(problem)[:, state.columns]
    mean = active @ state.posterior.mean
    variance = np.diag(active @ state.posterior.covariance @ active.T)
    t = problem.engine.y
    if isinstance(state.likelihood, Logistic):
        xi = np.sqrt(mean**2 + variance)
        precision, shift, exponent = (expit(xi) - 0.5) / xi, t - 0.5, 0.0
        loss = -(np.log(expit(xi)) + (t - 0.5) * mean - xi / 2)
    else:
        tau = state.likelihood.precision
        precision, shift, exponent = np.full(N, tau), tau * t, 0.5
        loss = 0.5 * tau * ((t - mean) ** 2 + variance)
    if isinstance(state.weights, Gamma):
        weight = (state.weights.trust + exponent) / (state.weights.trust + loss)
    else:
        weight = np.ones(N)
    weight = weight * problem.engine.weight
    return weight * precision, weight * shift


def dense_evidence(phi, precision, shift, alpha):
    inverse_covariance = phi.T @ (precision[:, None] * phi) + np.diag(alpha)
    vector = phi.T @ shift
    fit = vector @ np.linalg.solve(inverse_covariance, vector)
    return 0.5 * (fit + np.log(alpha).sum() - np.linalg.slogdet(inverse_covariance)[1])


def gain_by_search(phi, active, alpha, precision, shift, column):
    """Return the largest rise of the dense evidence over the column's own precision, and where it is."""
    wider = np.column_stack([phi[:, active], phi[:, column]])

    def negative(x):
        return -dense_evidence(wider, precision, shift, np.append(alpha, np.exp(x)))

    grid = np.linspace(-10, 18, 29)
    start = grid[np.argmin([negative(x) for x in grid])]
    found = minimize_scalar(negative, bounds=(start - 1.5, start + 1.5), method="bounded")
    return -found.fun - dense_evidence(phi[:, active], precision, shift, alpha)


@pytest.mark.parametrize("steps", [2, 5])
@pytest.mark.parametrize(
    ("likelihood", "weighting"),
    [
        ("logistic", "unit"),
        ("logistic", "fixed"),
        ("logistic", "gamma"),
        ("gaussian", "unit"),
        ("gaussian", "fixed"),
        ("gaussian", "gamma"),
        ("gaussian", "learnt"),  # learnt trust belongs to Gaussian noise
    ],
)
def test_scores_are_the_gains_of_the_dense_evidence(likelihood, weighting, steps):
    problem = make_problem(likelihood, weighting)
    state = after_steps(problem, steps)
    assert len(state.columns) > 1
    phi = dense_phi(problem)
    precision, shift = dense_sites(problem, state)
    columns = np.arange(problem.engine.n_columns)
    gain = score(problem, state, columns)
    inverse = np.linalg.inv(
        phi[:, state.columns].T @ (precision[:, None] * phi[:, state.columns]) + np.diag(state.precision)
    )
    cross = phi[:, state.columns].T @ (precision[:, None] * phi)
    sparsity = precision @ phi**2 - np.einsum("ij,ij->j", cross, inverse @ cross)
    quality = phi.T @ shift - cross.T @ (inverse @ (phi[:, state.columns].T @ shift))
    assert (gain[state.columns] == -np.inf).all()
    out = np.setdiff1d(columns, state.columns)
    worth = quality[out] ** 2 > sparsity[out]
    assert worth.any()
    assert not worth.all()
    for j in out[worth]:
        searched = gain_by_search(phi, state.columns, state.precision, precision, shift, j)
        assert gain[j] == pytest.approx(searched, rel=1e-5, abs=1e-5)
    for j in out[~worth]:
        assert gain[j] <= 0
        assert gain[j] == pytest.approx(quality[j] ** 2 / sparsity[j] - 1, abs=1e-7)


@pytest.mark.parametrize("block_bytes", [400, 2000, 10**7])
def test_scores_do_not_depend_on_the_blocks_nor_on_what_is_cached(block_bytes):
    whole = make_problem("logistic", "gamma")
    state = after_steps(whole, 2)
    columns = np.random.default_rng(0).permutation(whole.engine.n_columns)
    expected = score(whole, state, columns)
    problem = make_problem("logistic", "gamma", block_bytes=block_bytes)
    np.testing.assert_allclose(score(problem, state, columns), expected, rtol=1e-9, atol=1e-9)
    problem.engine.cache(columns)
    np.testing.assert_allclose(score(problem, state, columns), expected, rtol=1e-9, atol=1e-9)


def test_scores_follow_the_order_of_the_columns_asked_for():
    problem = make_problem("gaussian", "unit")
    state = after_steps(problem, 1)
    everything = score(problem, state, np.arange(problem.engine.n_columns))
    some = np.array([31, 4, 17, 9, 22, 2, 40])
    np.testing.assert_allclose(score(problem, state, some), everything[some], rtol=1e-9)


@pytest.mark.parametrize("tile", [1, 7, 40])
def test_tiles_do_not_change_scores(monkeypatch, tile):
    problem = make_problem("logistic", "gamma")
    state = after_steps(problem, 3)
    columns = np.arange(problem.engine.n_columns)
    expected = score(problem, state, columns)
    monkeypatch.setattr(scoring, "TILE", tile)
    scores = scored_pass(problem, state, state.columns, columns, curved=False)
    assert len(scores.tiles) == -(-len(columns) // tile)
    np.testing.assert_allclose(gains(problem, state, columns, scores), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("curved", [False, True])
def test_a_scoring_pass_has_the_statistics_of_a_plain_one(curved):
    problem = make_problem("logistic", "gamma")
    state = after_steps(problem, 3)
    working = np.append(state.columns, np.setdiff1d(np.arange(9), state.columns)[:2])
    scores = scored_pass(problem, state, working, np.arange(1, 20), curved)
    plain = one_pass(problem, state, working, curved_statistics if curved else block_statistics)
    for field in fields(Statistics):
        one, two = getattr(scores.inside, field.name), getattr(plain, field.name)
        if field.name == "curvature" and not curved:
            assert one is None
            assert two is None
        else:
            np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-12, err_msg=field.name)


def test_a_pass_that_scores_nothing_has_no_tiles():
    problem = make_problem("gaussian", "unit")
    state = after_steps(problem, 2)
    assert scored_pass(problem, state, state.columns, np.empty(0, dtype=np.intp), curved=True).tiles == ()


def test_a_copy_of_a_column_in_the_model_is_worth_nothing():
    X = np.random.default_rng(0).normal(size=(30, 2))
    centres = np.vstack([X[:4], X[:4]])
    target = np.sin(X[:, 0])
    engine = MemoryEngine(X, target, np.ones(30), Basis(Kernel("rbf", 1.0), centres))
    problem = Problem(engine, AsGiven(), Gaussian(50.0), Unit(), ARD())
    phi = engine.basis.columns(X, np.arange(5))
    # A prior of next to nothing, so that the columns in the model explain their copies entirely.
    alpha = np.full(5, 1e-11)
    posterior = solve_posterior(50.0 * phi.T @ phi, 50.0 * phi.T @ target, alpha)
    state = State(np.arange(5), alpha, posterior, problem.likelihood, problem.weights, 0.0)
    assert (score(problem, state, np.arange(5, 9)) <= 0).all()


def test_fewer_columns_than_are_in_the_model_can_be_scored():
    problem = make_problem("gaussian", "unit", block_bytes=1000)
    columns = np.arange(12)
    blank = Posterior(np.zeros(12), np.zeros((12, 12)), 0.0)
    state = State(columns, np.ones(12), blank, problem.likelihood, problem.weights, 0.0)
    everything = score(problem, state, np.arange(41))
    some = np.array([20, 30])
    np.testing.assert_allclose(score(problem, state, some), everything[some], rtol=1e-9)


# Mutually dissimilar columns


def correlations(phi):
    centred = phi - phi.mean(axis=0)
    length = np.linalg.norm(centred, axis=0)
    unit = centred / np.where(length > 0, length, 1.0)
    return np.abs(unit.T @ unit)


@pytest.mark.parametrize("size", [1, 3, 8, 41])
@pytest.mark.parametrize("seed", range(3))
def test_chosen_columns_are_mutually_dissimilar_and_best_first(seed, size):
    problem = make_problem("gaussian", "unit", seed)
    columns = np.random.default_rng(seed).permutation(41)
    gain = np.random.default_rng(seed + 1).normal(size=41)
    chosen = dissimilar(problem, columns, gain, size)
    assert 1 <= len(chosen) <= size
    value = dict(zip(columns.tolist(), gain, strict=True))
    picked = np.array([value[c] for c in chosen])
    assert (np.diff(picked) < 0).all()
    assert picked[0] == gain.max()
    between = correlations(dense_phi(problem)[:, chosen])
    assert (between[np.triu_indices(len(chosen), 1)] < SIMILAR).all()


def test_a_column_is_passed_over_only_for_a_better_one_that_is_like_it():
    problem = make_problem("gaussian", "unit")
    columns = np.arange(41)
    gain = np.random.default_rng(5).normal(size=41)
    chosen = dissimilar(problem, columns, gain, 41)
    between = correlations(dense_phi(problem))
    passed_over = np.setdiff1d(columns, chosen)
    assert len(passed_over) > 0
    for c in passed_over:
        better = chosen[gain[chosen] > gain[c]]
        assert (between[c, better] >= SIMILAR).any()


def test_columns_in_the_model_are_never_chosen():
    problem = make_problem("gaussian", "unit")
    gain = np.random.default_rng(5).normal(size=41)
    inside = np.array([0, 3, 7, 20])
    gain[inside] = -np.inf
    assert not np.isin(dissimilar(problem, np.arange(41), gain, 41), inside).any()
    assert len(dissimilar(problem, np.arange(41), np.full(41, -np.inf), 5)) == 0


def test_correlations_are_exact_when_every_row_is_probed():
    problem = make_problem("gaussian", "unit")
    columns = np.array([3, 0, 17])
    np.testing.assert_allclose(
        probe_correlations(problem, columns), correlations(dense_phi(problem)[:, columns]), atol=1e-6
    )


def test_repeated_rows_do_not_make_columns_more_alike():
    X = np.random.default_rng(0).normal(size=(30, 2))
    basis = Basis(Kernel("rbf", 1.0), X[:8])

    def between(rows):
        n = len(rows)
        engine = MemoryEngine(rows, np.zeros(n), np.ones(n), basis)
        problem = Problem(engine, AsGiven(), Gaussian(), Unit(), ARD())
        return probe_correlations(problem, np.arange(9))

    repeated = np.repeat(X, np.random.default_rng(1).integers(1, 5, 30), axis=0)
    np.testing.assert_allclose(between(repeated), between(X), rtol=1e-12)
