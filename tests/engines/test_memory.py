"""Blocks of rows in memory against the dense matrix, whatever the block size and what is cached."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from rowtrust.engines.memory import PROBES, MemoryEngine
from rowtrust.kernels import Basis, Kernel

N, M = 23, 9


def rows():
    return np.random.default_rng(0).normal(size=(N, 2))


def dense(X):
    return np.column_stack([np.ones(N), np.exp(-0.4 * cdist(X, X[:M], "sqeuclidean"))])


def engine_of(X, basis, **limits):
    n = X.shape[0]
    return MemoryEngine(X, np.arange(float(n)), np.ones(n), basis, **limits)


def make_engine(block_bytes=4 * 2**20, cache_bytes=2**20, sparse=False):
    X = rows()
    wrap = csr_array if sparse else np.asarray
    basis = Basis(Kernel("rbf", 0.4), wrap(X[:M]))
    return engine_of(wrap(X), basis, block_bytes=block_bytes, cache_bytes=cache_bytes)


def assembled(engine, columns):
    """Return the columns at all rows, having checked that the blocks are consecutive."""
    blocks = list(engine.blocks(len(columns)))
    edges = [(block.offset, block.offset + len(block.y)) for block in blocks]
    assert edges[0][0] == 0
    assert edges[-1][1] == N
    assert all(a[1] == b[0] for a, b in pairwise(edges))
    parts = [block.phi(columns) for block in blocks]
    assert all(len(phi) == stop - start for phi, (start, stop) in zip(parts, edges, strict=True))
    return np.vstack(parts)


def bytes_for(n_rows, n_columns):
    return 8 * n_rows * n_columns


@pytest.mark.parametrize("cached", [None, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [4, 0, 7], [2]])
@pytest.mark.parametrize("block_bytes", [1, 8, 100, 250, 1000, 4 * 2**20])
@pytest.mark.parametrize("sparse", [False, True])
def test_blocks_are_the_dense_matrix(cached, block_bytes, sparse):
    engine = make_engine(block_bytes, sparse=sparse)
    if cached is not None:
        engine.cache(np.array(cached))
    for columns in ([0], [2], [0, 3], [4, 0, 7], [7, 4, 0], [9, 8, 7, 6, 5, 4, 3, 2, 1, 0], list(range(10))):
        got = assembled(engine, np.array(columns))
        np.testing.assert_allclose(got, dense(rows())[:, columns], rtol=1e-10)


@given(
    cached=st.lists(st.integers(0, M), unique=True, max_size=M + 1),
    columns=st.lists(st.integers(0, M), unique=True, min_size=1, max_size=M + 1),
    block_bytes=st.integers(1, 3000),
)
@settings(deadline=None, max_examples=60)
def test_any_columns_in_any_order_whatever_is_cached(cached, columns, block_bytes):
    """A cache must not mix up columns, whether it hands out a view or a selection."""
    engine = make_engine(block_bytes)
    engine.cache(np.array(cached, dtype=np.intp))
    got = assembled(engine, np.array(columns))
    np.testing.assert_allclose(got, dense(rows())[:, columns], rtol=1e-10)


@pytest.mark.parametrize("cached", [None, [3, 0, 5]])
@pytest.mark.parametrize("sparse", [False, True])
def test_probes_are_rows_of_the_dense_matrix_the_same_for_every_call(cached, sparse):
    engine = make_engine(sparse=sparse)
    if cached is not None:
        engine.cache(np.array(cached))
    for columns in ([5, 0], [3], [1, 3, 0]):
        np.testing.assert_allclose(engine.probe(np.array(columns)), dense(rows())[:, columns], rtol=1e-10)


def test_probes_are_few_and_spread_over_the_rows():
    X = np.arange(3000.0)[:, None]
    engine = engine_of(X, Basis(Kernel("linear", 1.0), np.ones((1, 1))))
    probed = engine.probe(np.array([1]))[:, 0]
    assert len(probed) == PROBES
    assert np.diff(probed).max() <= 2999 / (PROBES - 1) + 1
    assert (probed[0], probed[-1]) == (0.0, 2999.0)


def test_repeated_rows_are_probed_once():
    """A row given twice must not weigh twice when columns are compared."""
    X = rows()
    basis = Basis(Kernel("rbf", 0.4), X[:M])
    repeated = engine_of(np.repeat(X, np.arange(N) % 3 + 1, axis=0), basis)
    np.testing.assert_allclose(repeated.probe(np.arange(M + 1)), dense(X), rtol=1e-10)


def count_kernel_entries(engine):
    """Let the engine compute its kernel through a counter, and return it."""
    entries = []
    kernel = engine.basis.kernel

    def counting(X, centres):
        entries.append(X.shape[0] * centres.shape[0])
        return kernel(X, centres)

    engine.basis = Basis(Kernel(counting, 0.4), engine.basis.centres)
    return entries


def test_cached_columns_are_computed_once():
    engine = make_engine(block_bytes=300)
    entries = count_kernel_entries(engine)
    engine.cache(np.array([0, 2, 5]))
    assert sum(entries) == N * 2
    for _ in range(3):
        assembled(engine, np.array([5, 2]))
        engine.cache(np.array([5, 0, 2]))
    assert sum(entries) == N * 2
    assembled(engine, np.array([5, 3]))
    assert sum(entries) == N * 4


def test_nothing_is_cached_beyond_the_limit_and_the_answers_stay_right():
    columns = np.array([0, 3, 7])
    small = make_engine(block_bytes=300, cache_bytes=bytes_for(N, 3) - 1)
    entries = count_kernel_entries(small)
    small.cache(columns)
    assert sum(entries) == 0
    for _ in range(2):
        np.testing.assert_allclose(assembled(small, columns), dense(rows())[:, columns], rtol=1e-10)
    assert sum(entries) == 2 * N * 2
    just = make_engine(cache_bytes=bytes_for(N, 3))
    entries = count_kernel_entries(just)
    just.cache(columns)
    assembled(just, columns)
    assert sum(entries) == N * 2


def test_caching_other_columns_lets_the_old_ones_go():
    engine = make_engine(cache_bytes=bytes_for(N, 3))
    engine.cache(np.array([0, 3, 7]))
    engine.cache(np.array([8, 1]))
    for columns in ([1, 8], [0, 3, 7], [8, 3]):
        got = assembled(engine, np.array(columns))
        np.testing.assert_allclose(got, dense(rows())[:, columns], rtol=1e-10)


@pytest.mark.parametrize("name", ["rbf", "laplacian", "polynomial", "linear"])
@pytest.mark.filterwarnings("error")
def test_columns_that_no_longer_fit_let_the_old_ones_go(name):
    """The pool may outgrow the limit between two scorings."""
    X = rows()
    engine = engine_of(X, Basis(Kernel(name, 0.4), X[:M]), cache_bytes=bytes_for(N, 3))
    engine.cache(np.arange(3))
    engine.cache(np.arange(M + 1))
    fresh = engine_of(X, Basis(Kernel(name, 0.4), X[:M]))
    columns = np.arange(M + 1)
    np.testing.assert_allclose(assembled(engine, columns), assembled(fresh, columns))


@pytest.mark.parametrize("cached", [None, [0, 1, 2]])
@pytest.mark.parametrize("block_bytes", [1, 200, 700, 10**6])
def test_blocks_depend_on_the_width_alone(cached, block_bytes):
    """Scoring asks one block for active columns and for many candidates: both must be the same rows."""
    engine, fresh = make_engine(block_bytes), make_engine(block_bytes)
    if cached is not None:
        engine.cache(np.array(cached))
    dense_matrix = dense(rows())
    for block in engine.blocks(10):
        taken = dense_matrix[block.offset : block.offset + len(block.y)]
        for columns in (np.array([0, 2]), np.arange(10)):
            np.testing.assert_allclose(block.phi(columns), taken[:, columns], rtol=1e-10)
    sizes = [[(block.offset, len(block.y)) for block in each.blocks(10)] for each in (engine, fresh)]
    assert sizes[0] == sizes[1]


def test_a_block_is_never_larger_than_its_limit():
    for columns in ([0, 1], [0, 1, 2, 3, 4]):
        blocks = make_engine(block_bytes=300).blocks(len(columns))
        sizes = [block.phi(np.array(columns)).nbytes for block in blocks]
        assert max(sizes) <= 300
        assert len(sizes) > 1


def test_a_block_has_at_least_one_row():
    blocks = list(make_engine(block_bytes=1).blocks(10))
    assert [len(block.phi(np.arange(10))) for block in blocks] == [1] * N


def test_the_engine_knows_its_size():
    engine = make_engine()
    assert (engine.n_rows, engine.n_columns) == (N, M + 1)
