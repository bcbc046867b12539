"""The design matrix in blocks against the dense matrix, whatever the block size and what is held."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from rowtrust.engines.memory import PROBES, Design
from rowtrust.kernels import Basis, Kernel

N, M = 23, 9


def rows():
    return np.random.default_rng(0).normal(size=(N, 2))


def dense(X):
    return np.column_stack([np.ones(N), np.exp(-0.4 * cdist(X, X[:M], "sqeuclidean"))])


def design(block_bytes=4 * 2**20, held_bytes=2**20, sparse=False):
    X = rows()
    wrap = csr_array if sparse else np.asarray
    basis = Basis(Kernel("rbf", 0.4), wrap(X[:M]))
    return Design(wrap(X), basis, block_bytes=block_bytes, held_bytes=held_bytes)


def assembled(blocks):
    blocks = list(blocks)
    edges = [(rows.start, rows.stop) for rows, _ in blocks]
    assert edges[0][0] == 0
    assert edges[-1][1] == N
    assert all(a[1] == b[0] for a, b in pairwise(edges))
    assert all(len(phi) == rows.stop - rows.start for rows, phi in blocks)
    return np.vstack([phi for _, phi in blocks])


def bytes_for(n_rows, n_columns):
    return 8 * n_rows * n_columns


@pytest.mark.parametrize("held", [None, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [4, 0, 7], [2]])
@pytest.mark.parametrize("block_bytes", [1, 8, 100, 250, 1000, 4 * 2**20])
@pytest.mark.parametrize("sparse", [False, True])
def test_blocks_are_the_dense_matrix(held, block_bytes, sparse):
    matrix = design(block_bytes, sparse=sparse)
    if held is not None:
        matrix.hold(np.array(held))
    for columns in ([0], [2], [0, 3], [4, 0, 7], [7, 4, 0], [9, 8, 7, 6, 5, 4, 3, 2, 1, 0], list(range(10))):
        got = assembled(matrix.blocks(np.array(columns)))
        np.testing.assert_allclose(got, dense(rows())[:, columns], rtol=1e-10)


@given(
    held=st.lists(st.integers(0, M), unique=True, max_size=M + 1),
    columns=st.lists(st.integers(0, M), unique=True, min_size=1, max_size=M + 1),
    block_bytes=st.integers(1, 3000),
)
@settings(deadline=None, max_examples=60)
def test_any_columns_in_any_order_whatever_is_held(held, columns, block_bytes):
    """A held design must not mix up columns, whether it hands out a view or a selection."""
    matrix = design(block_bytes)
    matrix.hold(np.array(held, dtype=np.intp))
    got = assembled(matrix.blocks(np.array(columns)))
    np.testing.assert_allclose(got, dense(rows())[:, columns], rtol=1e-10)


@pytest.mark.parametrize("held", [None, [3, 0, 5]])
@pytest.mark.parametrize("sparse", [False, True])
def test_probes_are_rows_of_the_dense_matrix_the_same_for_every_call(held, sparse):
    matrix = design(sparse=sparse)
    if held is not None:
        matrix.hold(np.array(held))
    for columns in ([5, 0], [3], [1, 3, 0]):
        np.testing.assert_allclose(matrix.probe(np.array(columns)), dense(rows())[:, columns], rtol=1e-10)


def test_probes_are_few_and_spread_over_the_rows():
    X = np.arange(3000.0)[:, None]
    matrix = Design(X, Basis(Kernel("linear", 1.0), np.ones((1, 1))))
    probed = matrix.probe(np.array([1]))[:, 0]
    assert len(probed) == PROBES
    assert np.diff(probed).max() <= 3000 / PROBES + 1
    assert (probed[0], probed[-1]) == (0.0, 2999.0)


def test_repeated_rows_are_probed_once():
    """A row given twice must not weigh twice when columns are compared."""
    X = rows()
    basis = Basis(Kernel("rbf", 0.4), X[:M])
    repeated = Design(np.repeat(X, np.arange(N) % 3 + 1, axis=0), basis)
    np.testing.assert_allclose(repeated.probe(np.arange(M + 1)), dense(X), rtol=1e-10)


def count_kernel_entries(matrix):
    """Let the design compute its kernel through a counter, and return it."""
    entries = []
    kernel = matrix.basis.kernel

    def counting(X, centres):
        entries.append(X.shape[0] * centres.shape[0])
        return kernel(X, centres)

    matrix.basis = Basis(Kernel(counting, 0.4), matrix.basis.centres)
    return entries


def test_held_columns_are_computed_once():
    matrix = design(block_bytes=300)
    entries = count_kernel_entries(matrix)
    matrix.hold(np.array([0, 2, 5]))
    assert sum(entries) == N * 2
    for _ in range(3):
        list(matrix.blocks(np.array([5, 2])))
        matrix.hold(np.array([5, 0, 2]))
    assert sum(entries) == N * 2
    list(matrix.blocks(np.array([5, 3])))
    assert sum(entries) == N * 4


def test_nothing_is_held_beyond_the_limit_and_the_answers_stay_right():
    columns = np.array([0, 3, 7])
    small = design(block_bytes=300, held_bytes=bytes_for(N, 3) - 1)
    entries = count_kernel_entries(small)
    small.hold(columns)
    assert sum(entries) == 0
    for _ in range(2):
        np.testing.assert_allclose(assembled(small.blocks(columns)), dense(rows())[:, columns], rtol=1e-10)
    assert sum(entries) == 2 * N * 2
    just = design(held_bytes=bytes_for(N, 3))
    entries = count_kernel_entries(just)
    just.hold(columns)
    assembled(just.blocks(columns))
    assert sum(entries) == N * 2


def test_holding_other_columns_lets_the_old_ones_go():
    matrix = design(held_bytes=bytes_for(N, 3))
    matrix.hold(np.array([0, 3, 7]))
    matrix.hold(np.array([8, 1]))
    for columns in ([1, 8], [0, 3, 7], [8, 3]):
        got = assembled(matrix.blocks(np.array(columns)))
        np.testing.assert_allclose(got, dense(rows())[:, columns], rtol=1e-10)


@pytest.mark.parametrize("name", ["rbf", "laplacian", "polynomial", "linear"])
@pytest.mark.filterwarnings("error")
def test_columns_that_no_longer_fit_let_the_old_ones_go(name):
    """The pool may outgrow the limit between two pricings."""
    X = rows()
    matrix = Design(X, Basis(Kernel(name, 0.4), X[:M]), held_bytes=bytes_for(N, 3))
    matrix.hold(np.arange(3))
    matrix.hold(np.arange(M + 1))
    fresh = Design(X, Basis(Kernel(name, 0.4), X[:M]))
    columns = np.arange(M + 1)
    np.testing.assert_allclose(assembled(matrix.blocks(columns)), assembled(fresh.blocks(columns)))


@pytest.mark.parametrize("held", [None, [0, 1, 2]])
@pytest.mark.parametrize("block_bytes", [1, 200, 700, 10**6])
def test_iterators_of_one_width_go_in_step(held, block_bytes):
    """Pricing walks the active columns and many candidates together: their blocks must be the same rows."""
    matrix = design(block_bytes)
    if held is not None:
        matrix.hold(np.array(held))
    few = [rows for rows, _ in matrix.blocks(np.array([0, 2]), width=10)]
    many = [rows for rows, _ in matrix.blocks(np.arange(10))]
    assert few == many


def test_a_block_is_never_larger_than_its_limit():
    for columns in ([0, 1], [0, 1, 2, 3, 4]):
        sizes = [phi.nbytes for _, phi in design(block_bytes=300).blocks(np.array(columns))]
        assert max(sizes) <= 300
        assert len(sizes) > 1


def test_a_block_has_at_least_one_row():
    blocks = list(design(block_bytes=1).blocks(np.arange(10)))
    assert [len(phi) for _, phi in blocks] == [1] * N


def test_the_design_knows_its_size():
    matrix = design()
    assert (matrix.n_rows, matrix.n_columns) == (N, M + 1)
