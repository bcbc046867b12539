"""Arrays of other libraries: where they are, how they come and go, and what the standard lacks."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy import special
from scipy.sparse import csr_array

from rowtrust.numerics.array_api import (
    all_to_numpy,
    at_least,
    at_most,
    double,
    expit,
    is_elsewhere,
    largest,
    like,
    log_expit,
    namespace,
    nothing_of,
    ones_beside,
    side_by_side,
    squared_lengths,
    taken,
    to_numpy,
)

MATRIX = np.random.default_rng(0).normal(size=(5, 3))
WIDE = np.array([-800.0, -40.0, -1e-9, 0.0, 0.3, 40.0, 800.0])


@dataclass(frozen=True)
class Sums:
    total: object
    parts: tuple
    count: float
    missing: None = None


@pytest.mark.parametrize("array", [MATRIX, MATRIX[0, 0], 1.5, 2, csr_array(MATRIX), [1.0], None], ids=type)
def test_numpy_serves_whatever_is_no_array_of_another_library(array):
    assert namespace(array) is np
    assert not is_elsewhere(array)


def test_a_subclass_of_numpys_arrays_is_numpys(tmp_path):
    mapped = np.memmap(tmp_path / "rows", dtype=float, mode="w+", shape=(3, 2))
    assert namespace(mapped) is np


def test_arrays_come_back_as_they_went(elsewhere):
    for array in (MATRIX, MATRIX.astype(np.float32), np.arange(4), MATRIX > 0):
        there = elsewhere(array)
        assert is_elsewhere(there)
        back = to_numpy(there)
        assert isinstance(back, np.ndarray)
        assert back.dtype == array.dtype
        np.testing.assert_array_equal(back, array)


def test_like_takes_the_place_and_the_precision_of_another_array(elsewhere):
    single, whole = elsewhere(MATRIX.astype(np.float32)), elsewhere(np.arange(3))
    reference = elsewhere(MATRIX)
    for other, dtype in ((reference, np.float64), (single, np.float32), (whole, np.float64)):
        moved = like(MATRIX[:, 0], other)
        assert type(moved) is type(other)
        assert moved.device == other.device
        assert to_numpy(moved).dtype == dtype
        np.testing.assert_array_equal(to_numpy(moved), MATRIX[:, 0].astype(dtype))
    assert isinstance(like(reference, MATRIX), np.ndarray)


def test_like_leaves_an_array_that_is_there_already(elsewhere):
    assert like(MATRIX, MATRIX[:, 0]) is MATRIX
    assert like(MATRIX, np.arange(3)).dtype == np.float64
    shared = np.broadcast_to(np.array([1.0, 2.0]), (3, 2))  # of which PyTorch may not write a byte
    np.testing.assert_array_equal(to_numpy(like(shared, elsewhere(MATRIX))), shared)


def test_double_precision(elsewhere):
    for move in (np.asarray, elsewhere):
        single = move(MATRIX.astype(np.float32))
        assert to_numpy(double(single)).dtype == np.float64
        np.testing.assert_array_equal(to_numpy(double(single)), MATRIX.astype(np.float32).astype(float))


def test_every_array_of_a_sum_comes_back(elsewhere):
    found = all_to_numpy(Sums(elsewhere(MATRIX), (elsewhere(MATRIX[0]), Sums(MATRIX, (), 1.0)), 2.5))
    assert isinstance(found, Sums)
    np.testing.assert_array_equal(found.total, MATRIX)
    np.testing.assert_array_equal(found.parts[0], MATRIX[0])
    assert found.parts[1].total is MATRIX
    assert (found.count, found.missing) == (2.5, None)
    assert all(isinstance(each, np.ndarray) for each in (found.total, found.parts[0]))


def test_functions_that_the_standard_lacks_are_numpys_and_scipys(elsewhere):
    for move in (np.asarray, elsewhere):
        wide, matrix = move(WIDE), move(MATRIX)
        expected = {
            "expit": (expit(wide), special.expit(WIDE)),
            "log_expit": (log_expit(wide), special.log_expit(WIDE)),
            "at_least": (at_least(wide, 0.2), np.maximum(WIDE, 0.2)),
            "at_most": (at_most(wide, 0.2), np.minimum(WIDE, 0.2)),
            "lengths": (squared_lengths(matrix), (MATRIX**2).sum(axis=1)),
            "ones": (ones_beside(matrix), np.ones(5)),
            "taken": (taken(matrix, np.array([2, 0])), MATRIX[:, [2, 0]]),
            "beside": (side_by_side([matrix, matrix[:, 1]]), MATRIX[:, [0, 1, 2, 1]]),
        }
        for name, (found, truth) in expected.items():
            np.testing.assert_allclose(to_numpy(found), truth, rtol=1e-14, err_msg=name)
        assert nothing_of(wide).shape == (0, 7)
        assert largest(matrix * matrix) == (MATRIX**2).max()
        assert largest(matrix[:0, 0]) == 0.0
