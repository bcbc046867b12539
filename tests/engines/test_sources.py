"""Rows that are read again and again: the sum is that of the rows in order, whoever works on them."""

import threading
from dataclasses import dataclass

import numpy as np
import pytest

from rowtrust.engines import ArraySource, Chunk, RowSource
from rowtrust.engines.sources import added, in_order

N = 53
X = np.random.default_rng(0).normal(size=(N, 3))
Y = np.random.default_rng(1).normal(size=N)
WEIGHT = np.random.default_rng(2).uniform(0.1, 3.0, N)


@dataclass(frozen=True)
class Places:
    """A sum that shows the order and the shape of its parts."""

    rows: tuple[int, ...]

    def __add__(self, other):
        return Places(self.rows + other.rows)


def places(chunk):
    return Places(tuple(range(chunk.offset, chunk.offset + len(chunk.X))))


def weighted(chunk):
    weight = np.ones(len(chunk.X)) if chunk.weight is None else chunk.weight
    return chunk.X.T @ (weight * chunk.y)


class Blocks(RowSource):
    """The least that a source must write."""

    def __init__(self, sizes):
        self.sizes = sizes

    def chunks(self):
        start = 0
        for size in self.sizes:
            rows = slice(start, start + size)
            yield Chunk(X[rows], Y[rows], WEIGHT[rows], start)
            start += size


@pytest.mark.parametrize("n_threads", [1, 2, 3, 16])
@pytest.mark.parametrize("chunk_rows", [1, 7, 52, 53, 54, 1000])
def test_all_rows_are_added_once_and_in_order(chunk_rows, n_threads):
    source = ArraySource(X, Y, WEIGHT, chunk_rows, n_threads)
    assert source.map_reduce(places).rows == tuple(range(N))
    np.testing.assert_allclose(source.map_reduce(weighted), X.T @ (WEIGHT * Y), rtol=1e-12)
    assert max(len(chunk.X) for chunk in source.chunks()) == min(chunk_rows, N)


@pytest.mark.parametrize("chunk_rows", [1, 7, 30])
def test_the_number_of_threads_changes_no_bit(chunk_rows):
    found = [ArraySource(X, Y, WEIGHT, chunk_rows, threads).map_reduce(weighted) for threads in (1, 2, 5)]
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_chunks_are_slices_of_the_arrays_with_their_positions():
    for chunk in ArraySource(X, Y, WEIGHT, 10).chunks():
        rows = slice(chunk.offset, chunk.offset + len(chunk.X))
        for part, whole in ((chunk.X, X), (chunk.y, Y), (chunk.weight, WEIGHT)):
            np.testing.assert_array_equal(part, whole[rows])
            assert np.shares_memory(part, whole)


def test_targets_and_weights_may_be_absent():
    first = next(ArraySource(X, None).chunks())
    assert (first.y, first.weight) == (None, None)
    assert ArraySource(X, None, None, 10, 2).map_reduce(places).rows == tuple(range(N))


def test_threads_work_side_by_side():
    """Two chunks that wait for each other would never end on one thread."""
    meeting = threading.Barrier(2, timeout=30)

    def wait(chunk):
        meeting.wait()
        return places(chunk)

    assert ArraySource(X, Y, chunk_rows=27, n_threads=2).map_reduce(wait).rows == tuple(range(N))


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("bad", [0, 20, 50])
def test_an_error_comes_through_and_the_next_reading_works(bad, n_threads):
    source = ArraySource(X, Y, chunk_rows=10, n_threads=n_threads)

    def fails(chunk):
        if chunk.offset == bad:
            raise ZeroDivisionError("of this chunk")
        return places(chunk)

    before = threading.active_count()
    with pytest.raises(ZeroDivisionError, match="of this chunk"):
        source.map_reduce(fails)
    assert threading.active_count() == before
    assert source.map_reduce(places).rows == tuple(range(N))


def test_an_error_while_rows_are_fetched_comes_through():
    class Broken(Blocks):
        def chunks(self):
            yield from super().chunks()
            raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        Broken([20, 20]).map_reduce(places)


def test_every_reading_of_all_rows_is_counted_and_no_other():
    one, other = ArraySource(X, Y), ArraySource(X, Y)
    list(one.chunks())
    assert (one.reads, other.reads) == (0, 0)
    one.map_reduce(places)
    one.map_reduce(places)
    assert (one.reads, other.reads) == (2, 0)


@pytest.mark.parametrize("source", [ArraySource(X[:0], Y[:0]), Blocks([]), Blocks([0])])
def test_no_rows_are_refused_by_name(source):
    with pytest.raises(ValueError, match="no rows to read"):
        source.map_reduce(lambda chunk: weighted(chunk) if len(chunk.X) else None)


@pytest.mark.parametrize("sizes", [[0, 30, 23], [30, 0, 23], [30, 23, 0], [0, 0, 53]])
def test_chunks_without_rows_add_nothing(sizes):
    """Files have empty row groups, and clusters empty partitions."""
    found = Blocks(sizes).map_reduce(lambda chunk: weighted(chunk) if len(chunk.X) else None)
    np.testing.assert_allclose(found, X.T @ (WEIGHT * Y), rtol=1e-12)


def test_one_part_needs_no_addition_and_none_is_none():
    lonely = object()
    assert added(iter([lonely])) is lonely
    assert added(iter([])) is None


def test_no_more_chunks_are_under_way_than_allowed():
    """A file must not be read into memory because the threads are slower than the disk."""
    fetched, done = [], []

    def chunks():
        for offset in range(20):
            fetched.append(offset)
            yield offset

    def work(offset):
        return offset

    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as pool:
        for answer in in_order(pool, work, chunks(), 4):
            done.append(answer)
            assert len(fetched) - len(done) < 4
    assert done == list(range(20))
