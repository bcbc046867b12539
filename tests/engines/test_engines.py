"""What an engine need not write: the sum over blocks, probes, and a cache that it may ignore."""

import inspect
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.sparse import csr_array

from rowtrust.engines import Block, Engine
from rowtrust.engines.limits import largest_square, physical_memory
from rowtrust.kernels import Basis, Kernel

X = np.random.default_rng(0).normal(size=(11, 2))
BASIS = Basis(Kernel("rbf", 0.5), X[:3])


class InThrees(Engine):
    """Rows in blocks of three, whatever the width."""

    def __init__(self):
        super().__init__(BASIS, X[:4])
        self.asked = []

    def blocks(self, width):
        self.asked.append(width)
        for start in range(0, len(X), 3):
            rows = X[start : start + 3]
            y = np.arange(start, start + len(rows), dtype=float)
            yield Block(rows, y, np.ones(len(rows)), start, self.basis)


@dataclass(frozen=True)
class Words:
    """A sum that shows the order of its parts."""

    text: str

    def __add__(self, other):
        return Words(f"({self.text}+{other.text})")


def test_blocks_is_all_an_engine_must_write():
    assert Engine.__abstractmethods__ == {"blocks"}
    with pytest.raises(TypeError, match="abstract"):
        Engine(BASIS, X)


def test_parts_are_added_in_the_order_of_the_blocks():
    found = InThrees().map_reduce(lambda block, state: Words(f"{state}{block.offset}"), np.arange(2), "r")
    assert found.text == "(((r0+r3)+r6)+r9)"


def test_one_block_needs_no_addition():
    class One(InThrees):
        def blocks(self, width):
            yield Block(X, np.zeros(11), np.ones(11), 0, BASIS)

    assert One().map_reduce(lambda block, state: {"rows": len(block.y)}, np.arange(2), None) == {"rows": 11}


def test_the_blocks_are_told_the_widest_set_of_columns():
    engine = InThrees()
    engine.map_reduce(lambda block, state: 0.0, np.arange(4), None)
    assert engine.asked == [4]


def test_a_block_computes_its_basis_functions_bias_first():
    block = next(iter(InThrees().blocks(1)))
    np.testing.assert_allclose(block.phi(np.array([0, 2])), BASIS.columns(X[:3], np.array([0, 2])))
    sparse = Block(csr_array(X), np.zeros(11), np.ones(11), 0, Basis(Kernel("rbf", 0.5), csr_array(X[:3])))
    np.testing.assert_allclose(sparse.phi(np.arange(4)), BASIS.columns(X, np.arange(4)))


def test_probes_and_columns_come_from_the_basis():
    engine = InThrees()
    assert engine.n_columns == 4
    np.testing.assert_allclose(engine.probe(np.array([2, 0])), BASIS.columns(X[:4], np.array([2, 0])))


def test_a_cache_may_be_ignored():
    engine = InThrees()
    before = engine.map_reduce(lambda block, state: block.phi(state).sum(), np.arange(4), np.arange(4))
    assert engine.cache(np.array([1, 2])) is None
    after = engine.map_reduce(lambda block, state: block.phi(state).sum(), np.arange(4), np.arange(4))
    assert before == after


def test_an_engine_of_a_few_lines_is_enough():
    assert len(inspect.getsource(InThrees).splitlines()) < 20


def test_the_largest_square_fits_into_memory():
    side = largest_square(3)
    assert 3 * 8 * side**2 <= 0.8 * physical_memory() < 3 * 8 * (side + 1) ** 2
