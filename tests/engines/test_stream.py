"""An engine over a source against one in memory: the same sums, and functions that can travel."""

import pickle
from dataclasses import fields, replace
from functools import partial

import numpy as np
import pytest

from rowtrust.contracts import Statistics
from rowtrust.engines import ArraySource, Chunk, MemoryEngine, StreamEngine
from rowtrust.engines.stream import ChunkFunction
from rowtrust.inference import AsGiven, OneAgainstRest, Problem, State, WorkingSet, solve
from rowtrust.inference.passes import RowPass, gather, row_outputs
from rowtrust.inference.posterior import solve_posterior
from rowtrust.inference.run import last_sums
from rowtrust.inference.scoring import block_scores, gains, scored_pass
from rowtrust.kernels import Basis, Kernel, distinct_rows, joined
from rowtrust.likelihoods import Gaussian, Huber, LabelChannel, Laplace, Logistic
from rowtrust.priors import ARD
from rowtrust.weights import Gamma, Unit

N, M = 240, 15
COLUMNS = np.array([0, 3, 8, 11])
PARTS = [
    (Logistic(), Unit()),
    (Logistic(), Gamma(1.3)),
    (LabelChannel(0.1, 0.2), Unit()),
    (Gaussian(3.0), Unit()),
    (Gaussian(3.0), Gamma(1.0, learns=True)),
    (Huber(3.0, 0.4), Unit()),
    (Laplace(1.5), Unit()),
]
every_part = pytest.mark.parametrize(("likelihood", "weights"), PARTS, ids=lambda part: type(part).__name__)


def one_kernel(X):
    return Basis(Kernel("rbf", 1.0), X[:M])


def two_kernels(X):
    return joined([Basis(Kernel("rbf", 1.0), X[:7]), Basis(Kernel("laplacian", 0.5), X[:8])])


both_bases = pytest.mark.parametrize("basis_of", [one_kernel, two_kernels])


def rows(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (N, 2))
    y = (np.sin(2 * X[:, 0]) + 0.5 * rng.normal(size=N) > 0).astype(float)
    return X, y, rng.uniform(0.5, 3.0, N)


def engines(basis_of, chunk_rows=50, block_bytes=700):
    X, y, weight = rows()
    basis = basis_of(X)
    memory = MemoryEngine(X, y, weight, basis, np.arange(N))
    source = ArraySource(X, y, weight, chunk_rows, 2)
    return memory, StreamEngine(source, basis, memory.probes, block_bytes=block_bytes)


def state_of(engine, likelihood, weights):
    X, y, _ = rows()
    phi = engine.basis.columns(X, COLUMNS)
    posterior = solve_posterior(phi.T @ phi, phi.T @ (y - 0.5), np.ones(len(COLUMNS)))
    return State(COLUMNS, np.ones(len(COLUMNS)), posterior, likelihood, weights, -np.inf)


def assert_same(one, other):
    for field in fields(one):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if a is None or b is None:
            assert a is b
            continue
        size = max(np.abs(np.asarray(a)).max(initial=0.0), 1e-12)
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-10 * size, err_msg=field.name)


@both_bases
@every_part
@pytest.mark.parametrize("curved", [False, True])
def test_statistics_are_those_of_rows_in_memory(likelihood, weights, basis_of, curved):
    found = []
    for engine in engines(basis_of):
        problem = Problem(engine, AsGiven(), likelihood, weights, ARD())
        found.append(gather(problem, state_of(engine, likelihood, weights), COLUMNS, curved))
    assert isinstance(found[0], Statistics)
    assert_same(*found)


@both_bases
@every_part
def test_columns_that_are_out_gain_the_same(likelihood, weights, basis_of):
    scored, found = np.arange(1, M + 1), []
    for engine in engines(basis_of):
        problem = Problem(engine, AsGiven(), likelihood, weights, ARD())
        state = state_of(engine, likelihood, weights)
        scores = scored_pass(problem, state, COLUMNS, scored, curved=False)
        found.append(gains(problem, state, scored, scores))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-8, atol=1e-10)


@both_bases
@pytest.mark.parametrize("chunk_rows", [17, 240])
def test_row_outputs_come_in_the_order_of_the_rows(basis_of, chunk_rows):
    found = []
    for engine in engines(basis_of, chunk_rows):
        problem = Problem(engine, AsGiven(), Logistic(), Gamma(1.3), ARD())
        state = state_of(engine, Logistic(), Gamma(1.3))
        found.append(row_outputs(problem, state, lambda each: np.stack([each.weights.expected, each.mean])))
    assert found[0].shape == (2, N)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-10)


@both_bases
@pytest.mark.parametrize(("likelihood", "weights"), [PARTS[0], PARTS[1], PARTS[4]])
def test_a_whole_fit_is_the_same_and_every_pass_a_reading(likelihood, weights, basis_of):
    memory, stream = engines(basis_of)
    solutions = [
        solve(Problem(engine, AsGiven(), likelihood, weights, ARD()), WorkingSet(), 200)
        for engine in (memory, stream)
    ]
    one, other = solutions
    np.testing.assert_array_equal(one.state.columns, other.state.columns)
    np.testing.assert_allclose(one.posterior.mean, other.posterior.mean, rtol=1e-5, atol=1e-8)
    assert other.state.bound == pytest.approx(one.state.bound, rel=1e-9)
    assert stream.source.reads >= len(other.trace) + 1


def test_nothing_of_the_size_of_the_rows_is_kept_on_request():
    _, stream = engines(one_kernel)
    problem = Problem(stream, AsGiven(), Gaussian(), Unit(), ARD())
    whole = solve(problem, WorkingSet(), 200)
    lean = solve(problem, WorkingSet(), 200, of_rows=False)
    assert len(whole.expected_weight) == len(whole.latent_mean) == N
    assert len(lean.expected_weight) == len(lean.latent_mean) == 0
    np.testing.assert_array_equal(whole.posterior.covariance, lean.posterior.covariance)
    np.testing.assert_array_equal(whole.posterior.mean, lean.posterior.mean)


def scaled(chunk, factor):
    return Chunk(factor * chunk.X, chunk.y.astype(float), None, chunk.offset)


def test_rows_are_prepared_where_they_are():
    """Rows as stored, prepared chunk by chunk, are rows that were prepared before."""
    X, y, _ = rows()
    basis = one_kernel(3.0 * X)
    stored = StreamEngine(
        ArraySource(X, y.astype(int), None, 50), basis, 3.0 * X, partial(scaled, factor=3.0)
    )
    ready = MemoryEngine(3.0 * X, y, np.ones(N), basis)
    found = [
        gather(
            Problem(each, OneAgainstRest(1), Logistic(), Unit(), ARD()), state_of(ready, *PARTS[0]), COLUMNS
        )
        for each in (ready, stored)
    ]
    assert_same(*found)
    np.testing.assert_array_equal(np.concatenate([block.X for block in stored.blocks(4)]), 3.0 * X)


def functions(basis_of):
    """Return what a fit sends to the rows."""
    X, _, _ = rows()
    basis = basis_of(X)
    tiles = [np.arange(1, 9), np.arange(9, M + 1)]
    for reduce in (partial(block_scores, tiles=tiles, curved=True), last_sums):
        for likelihood, weights in PARTS:
            memory, _ = engines(basis_of)
            function = RowPass(AsGiven(), COLUMNS, reduce)
            state = state_of(memory, likelihood, weights)
            yield ChunkFunction(function, state, basis, partial(scaled, factor=1.0), 33)


@both_bases
def test_functions_travel_and_say_the_same_there(basis_of):
    X, y, _ = rows()
    chunk = Chunk(X, y, None, 0)
    for function in functions(basis_of):
        sent = pickle.dumps(function)
        assert len(sent) < 20_000
        there, here = pickle.loads(sent)(chunk), function(chunk)
        inside = [getattr(each, "inside", None) or each for each in (there, here)]
        name = "gram" if hasattr(inside[0], "gram") else "curvature"
        np.testing.assert_array_equal(getattr(inside[0], name), getattr(inside[1], name))


def test_what_a_fit_sends_does_not_grow_with_the_rows(monkeypatch):
    sizes = []
    original = ArraySource.map_reduce

    def spied(self, function):
        sizes[-1].append(len(pickle.dumps(function)))
        return original(self, function)

    monkeypatch.setattr(ArraySource, "map_reduce", spied)
    X, y, weight = rows()
    for times in (1, 20):
        sizes.append([])
        source = ArraySource(np.tile(X, (times, 1)), np.tile(y, times), np.tile(weight, times) / times, 300)
        engine = StreamEngine(source, one_kernel(X), X[distinct_rows(X)])
        solve(Problem(engine, AsGiven(), Logistic(), Unit(), ARD()), WorkingSet(), 200, of_rows=False)
    assert max(sizes[1]) < 1.2 * max(sizes[0])


def test_chunks_without_rows_add_nothing():
    function = next(iter(functions(one_kernel)))
    X, y, _ = rows()
    assert replace(function)(Chunk(X[:0], y[:0], None, 0)) is None
