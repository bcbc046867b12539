"""What every engine promises: all rows once and in order, and sums that no block size changes."""

from dataclasses import dataclass

import numpy as np
import pytest

from rowtrust import engines
from rowtrust.engines import ArraySource, Engine, MemoryEngine, SharedReading, StreamEngine
from rowtrust.kernels import Basis, Kernel

N, M = 47, 8


def in_memory(rows, basis, size):
    return MemoryEngine(rows.X, rows.y, rows.weight, basis, block_bytes=8 * size)


def streamed(rows, basis, size):
    source = ArraySource(rows.X, rows.y, rows.weight, chunk_rows=max(1, min(size, N)), n_threads=2)
    return StreamEngine(source, basis, rows.X[:20], block_bytes=8 * size)


def shared(rows, basis, size):
    return SharedReading(in_memory(rows, basis, size), n_solvers=1)


CASES = {MemoryEngine: in_memory, StreamEngine: streamed, SharedReading: shared}
"""For each engine what makes one of rows and a basis, whose blocks hold about so many doubles."""

SIZES = [1, 3, 20, 100, 333, 10**6]
every_engine = pytest.mark.parametrize("make", CASES.values(), ids=[part.__name__ for part in CASES])


@dataclass(frozen=True)
class Rows:
    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return Rows(rng.normal(size=(N, 2)), rng.normal(size=N), rng.uniform(0.5, 2.0, N))


@pytest.fixture
def basis(rows):
    return Basis(Kernel("rbf", 0.7), rows.X[:M])


def weighted_sums(block, state):
    """Return sums that notice a row that is missing, doubled, or beside the wrong target."""
    phi = block.phi(np.arange(M + 1))
    return phi.T @ (block.weight * np.sin(block.y + state))


def test_every_engine_has_a_case(check_cases):
    check_cases(engines, Engine, list(CASES))


@pytest.mark.parametrize("size", SIZES)
@every_engine
def test_map_reduce_is_the_direct_sum_whatever_the_blocks(make, size, rows, basis):
    found = make(rows, basis, size).map_reduce(weighted_sums, np.arange(M + 1), 0.3)
    phi = basis.columns(rows.X, np.arange(M + 1))
    direct = phi.T @ (rows.weight * np.sin(rows.y + 0.3))
    np.testing.assert_allclose(found, direct, rtol=0, atol=1e-12 * np.abs(direct).max())


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("width", [1, 9, 500])
@every_engine
def test_blocks_hold_all_rows_once_in_order(make, width, size, rows, basis):
    engine = make(rows, basis, size)
    for _ in range(2):
        blocks = list(engine.blocks(width))
        sizes = [len(block.y) for block in blocks]
        assert [block.offset for block in blocks] == [0, *np.cumsum(sizes)[:-1]]
        for name in ("X", "y", "weight"):
            together = np.concatenate([getattr(block, name) for block in blocks])
            np.testing.assert_array_equal(together, getattr(rows, name))


@every_engine
def test_small_blocks_are_several(make, rows, basis):
    """The tests above would protect nothing if all rows came in one block."""
    assert len(list(make(rows, basis, 20).blocks(4))) > 1
    assert len(list(make(rows, basis, 10**6).blocks(4))) == 1


@pytest.mark.parametrize("size", [20, 10**6])
@every_engine
def test_columns_come_in_the_order_asked_for_cached_or_not(make, size, rows, basis):
    engine = make(rows, basis, size)
    dense = basis.columns(rows.X, np.arange(M + 1))
    for cached in ([0, 3, 5], [5, 1], []):
        engine.cache(np.array(cached, dtype=np.intp))
        for columns in ([0], [5, 3, 0], [1, 5], list(range(M + 1))):
            blocks = engine.blocks(len(columns))
            found = np.concatenate([block.phi(np.array(columns)) for block in blocks])
            np.testing.assert_allclose(found, dense[:, columns], rtol=1e-12, atol=1e-14)


@every_engine
def test_probes_are_rows_and_the_same_for_every_call(make, rows, basis):
    engine = make(rows, basis, 20)
    dense = basis.columns(rows.X, np.arange(M + 1))
    probed = engine.probe(np.arange(M + 1))
    assert all(np.isclose(dense, row).all(axis=1).any() for row in probed)
    np.testing.assert_allclose(engine.probe(np.array([4, 0])), probed[:, [4, 0]], rtol=1e-12)
    assert engine.n_columns == M + 1
