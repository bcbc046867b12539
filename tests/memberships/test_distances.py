"""Distances: in double precision, from dense and sparse rows, a kernel in blocks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from rowtrust.memberships import MEMBERSHIPS, ClassCentre, Heuristic, SideInformation, distances, resolve

CLASSIFICATION = [name for name in MEMBERSHIPS if name != "residual"]


def test_float32_and_integer_inputs_are_measured_in_double_precision(side_of):
    X = np.array([[0], [1], [5], [2**24 + 1]])
    y = np.array([0, 0, 0, 1])
    expected = ClassCentre()(X.astype(float), y, side_of())
    for store in (np.asarray, sparse.csr_matrix):
        np.testing.assert_allclose(ClassCentre()(store(X), y, side_of()), expected)
        np.testing.assert_allclose(ClassCentre()(store(X.astype(np.float32)), y, side_of()), expected)


def test_sparse_matrices_with_repeated_entries_mean_their_sum(side_of):
    repeated = sparse.csr_matrix((np.ones(4), [0, 0, 1, 0], [0, 2, 3, 4]), shape=(3, 2))
    y = np.zeros(3, dtype=int)
    np.testing.assert_allclose(
        ClassCentre()(repeated, y, side_of()), ClassCentre()(repeated.toarray(), y, side_of())
    )
    assert repeated.nnz == 4


def test_kernel_blocks_stay_small(monkeypatch):
    """Never an n x n matrix: no block is longer than the block size allows."""
    asked = []

    def kernel_rows(block):
        asked.append(block.stop - block.start)
        return np.eye(50)[block]

    monkeypatch.setattr(distances, "block_rows", lambda _: 8)
    side = SideInformation(kernel_rows, first_fit=lambda: np.ones(50))
    for membership in (ClassCentre("kernel"), Heuristic("alignment")):
        membership(np.zeros((50, 1)), np.arange(50) % 2, side)
    assert max(asked) == 8
    assert sum(asked) == 100


@pytest.mark.parametrize("name", CLASSIFICATION)
@pytest.mark.parametrize("size", [1, 7, 40])
def test_the_size_of_the_row_blocks_does_not_matter(rows, name, size, monkeypatch):
    X, y, side = rows
    expected = resolve(name, X, y, side)
    monkeypatch.setattr(distances, "block_rows", lambda _: size)
    np.testing.assert_allclose(resolve(name, X, y, side), expected, rtol=1e-9)
