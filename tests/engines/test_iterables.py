"""Blocks of rows: cut anew, read again, refused by number."""

import threading

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from rowtrust.engines.finding import as_source
from rowtrust.engines.iterables import IterableSource, Rows, recut
from rowtrust.engines.sources import ArraySource

GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=(50, 2))
Y = (X[:, 0] > 0).astype(int)
BLOCKS = [(X[:7], Y[:7]), (X[7:8], Y[7:8]), (X[8:8], Y[8:8]), (X[8:], Y[8:])]


class Again:
    """An iterable, neither list nor array, that can be read again."""

    def __init__(self, blocks):
        self.blocks, self.readings = blocks, 0

    def __iter__(self):
        self.readings += 1
        return iter(self.blocks)


def moments(chunk):
    return np.array([len(chunk.X), chunk.X.sum(), (chunk.offset + 1) * chunk.y.sum()])


@given(st.lists(st.integers(0, 9), max_size=8), st.integers(1, 12))
def test_cutting_anew_keeps_rows_and_order(lengths, size):
    total = sum(lengths)
    ends = np.cumsum(lengths).astype(int)
    rows = np.arange(total, dtype=float)[:, None]
    blocks = [Rows(rows[e - n : e], rows[e - n : e, 0], None) for n, e in zip(lengths, ends, strict=True)]
    found = list(recut(blocks, size))
    assert [len(each.X) for each in found] == [size] * (total // size) + [total % size] * (total % size > 0)
    np.testing.assert_array_equal(np.concatenate([np.empty(0), *(each.y for each in found)]), rows[:, 0])


def test_weights_of_some_blocks_only_are_one_in_the_others():
    pair = Rows(X[:2], Y[:2], None), Rows(X[2:4], Y[2:4], np.array([2.0, 3.0]))
    (found,) = recut(pair, 4)
    assert found.weight.tolist() == [1.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize("threads", [1, 3])
def test_sums_are_those_of_the_array_to_the_last_bit(threads):
    array = ArraySource(X, Y, chunk_rows=9, n_threads=1)
    blocks = IterableSource(Again(BLOCKS), chunk_rows=9, n_threads=threads)
    for _ in range(2):
        assert blocks.map_reduce(moments).tolist() == array.map_reduce(moments).tolist()
    assert blocks.reads == array.reads == 2


@pytest.mark.parametrize(
    "blocks", [BLOCKS, tuple(BLOCKS), Again(BLOCKS), [[X, Y]], [(X.tolist(), Y.tolist())]]
)
def test_blocks_are_recognised(blocks):
    assert isinstance(as_source(blocks), IterableSource)


@pytest.mark.parametrize(
    "array", [X, X.tolist(), [[1, 2], [3, 4]], [X[0], X[1]], pd.DataFrame(X), csr_array(X), [[1, 2, 3]]]
)
def test_arrays_are_not_taken_for_blocks(array):
    assert as_source(array) is None
    assert as_source(array, Y) is None


def test_blocks_with_targets_beside_them_are_no_blocks():
    assert as_source(BLOCKS, Y) is None


def test_one_weight_may_stand_for_a_block():
    parts = list(IterableSource([(X[:20], Y[:20], 2.0), (X[20:], Y[20:], np.ones(30))]).chunks())
    found = np.concatenate([part.weight for part in parts])
    np.testing.assert_array_equal(found, np.repeat([2.0, 1.0], [20, 30]))


def test_weights_belong_into_blocks():
    with pytest.raises(TypeError, match="Blocks bring their own weights"):
        as_source(BLOCKS, None, np.ones(50))


@pytest.mark.parametrize("used_up", [iter(BLOCKS), (block for block in BLOCKS), map(tuple, BLOCKS)])
def test_what_can_be_read_once_is_refused(used_up):
    with pytest.raises(TypeError, match=r"can be read only once.*__iter__ makes a new generator"):
        as_source(used_up)


def test_names_of_data_frames_are_kept_and_compared():
    frame = pd.DataFrame(X, columns=["a", "b"])
    source = as_source([(frame[:20], Y[:20]), (frame[20:], Y[20:])])
    assert source.names == ["a", "b"]
    assert source.map_reduce(moments)[0] == 50
    other = frame[20:][["b", "a"]]
    with pytest.raises(ValueError, match="Block 1 has other column names"):
        as_source([(frame[:20], Y[:20]), (other, Y[20:])]).map_reduce(moments)


def test_missing_values_of_data_frames_are_nan():
    frame = pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": [True, False]})
    (chunk,) = as_source([(frame, ["u", "v"])]).chunks()
    np.testing.assert_array_equal(chunk.X, [[1.0, 1.0], [np.nan, 0.0]])


@pytest.mark.parametrize(
    ("block", "error", "message"),
    [
        ((X[:3, :1], Y[:3]), ValueError, "Block 1 has 1 columns, block 0 has 2"),
        ((X[:3], Y[:2]), ValueError, r"Block 1 has inconsistent numbers of rows.*\[3, 2\]"),
        ((X[:3], Y[:3], np.ones(4)), ValueError, "Block 1 has inconsistent"),
        (
            (X[:3], [0.0, np.nan, 1.0]),
            ValueError,
            "y of block 1 contains NaN, infinity or no value in 1 rows",
        ),
        ((X[:3], ["a", None, "b"]), ValueError, "y of block 1 contains NaN"),
        ((X[:3], X[:3]), ValueError, r"y of block 1 has shape \(3, 2\)"),
        ((X[:3, 0], Y[:3]), ValueError, "X of block 1 has 1 axes"),
        (([["red", 1.0]], [0]), ValueError, "X of block 1 holds values that are no numbers"),
        (([[np.inf, 1.0]], [0]), ValueError, "X of block 1 contains infinity"),
        ((X[:1], [0], [-1.0]), ValueError, "the weights of block 1 must be finite and zero or more"),
        ((csr_array(X), Y), TypeError, "X of block 1 is a sparse matrix"),
        (X[:3], ValueError, "Block 1 is no pair"),
    ],
)
def test_a_wrong_block_is_named_by_its_number(block, error, message):
    source = as_source(Again([BLOCKS[0], block]))
    with pytest.raises(error, match=message):
        source.map_reduce(moments)


def test_no_block_at_all_is_refused():
    for empty in ([], Again([])):
        with pytest.raises(ValueError, match="empty"):
            as_source(empty)


def test_a_second_reading_of_another_length_is_an_error():
    blocks = Again(list(BLOCKS))
    source = as_source(blocks)
    source.map_reduce(moments)
    blocks.blocks = BLOCKS[:2]
    with pytest.raises(ValueError, match="8 rows were read where the first reading found 50"):
        source.map_reduce(moments)


def test_a_reading_that_stops_early_says_nothing_about_the_length():
    source = IterableSource(Again(BLOCKS), chunk_rows=10)
    next(source.chunks())
    assert source.n_rows is None
    assert source.map_reduce(moments)[0] == 50


@pytest.mark.parametrize("threads", [1, 2])
def test_errors_of_readers_and_of_functions_end_the_reading(threads):
    class Broken(Again):
        def __iter__(self):
            yield BLOCKS[0]
            if self.readings:
                raise OSError("the disk is gone")

    broken, before = Broken(BLOCKS), threading.active_count()
    source = IterableSource(broken, chunk_rows=3, n_threads=threads)
    broken.readings = 1
    with pytest.raises(OSError, match="the disk is gone"):
        source.map_reduce(moments)

    def fails(chunk):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        IterableSource(BLOCKS, chunk_rows=3, n_threads=threads).map_reduce(fails)
    assert threading.active_count() <= before
