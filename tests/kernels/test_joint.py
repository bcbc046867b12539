"""Basis functions of several kernels side by side, against each kernel alone."""

import numpy as np
import pytest
from scipy.sparse import csr_array, issparse

from rowtrust.kernels import Basis, JointBasis, Kernel
from rowtrust.kernels.basis import joined, stacked

X = np.random.default_rng(0).normal(size=(30, 2))
PARTS = (
    Basis(Kernel("rbf", np.array([0.1, 1.0, 3.0])), X[:3]),
    Basis(Kernel("laplacian", 0.7), X[3:8]),
    Basis(Kernel("linear", 1.0, origin=np.array([1.0, -1.0])), X[8:10]),
    Basis(Kernel("rbf", np.array([0.2, 0.3]), metric=np.array([2.0, 0.5])), X[10:12]),
)
JOINT = JointBasis(PARTS)
WHOLE = np.column_stack([np.ones(30), *(part.kernel(X, part.centres) for part in PARTS)])


def test_the_columns_are_those_of_the_parts():
    assert JOINT.n_columns == 13
    np.testing.assert_allclose(JOINT.columns(X, np.arange(13)), WHOLE)
    np.testing.assert_array_equal(JOINT.centres, X[:12])
    np.testing.assert_array_equal(JOINT.gamma, [0.1, 1.0, 3.0, *[0.7] * 5, 1.0, 1.0, 0.2, 0.3])


@pytest.mark.parametrize("columns", [[0], [], [12, 3, 0, 9, 4], [5, 5, 1], [11, 2], [7]])
def test_any_columns_in_any_order(columns):
    columns = np.array(columns, dtype=np.intp)
    np.testing.assert_allclose(JOINT.columns(X, columns), WHOLE[:, columns])


@pytest.mark.parametrize("which", [[0, 2, 3, 7, 11], [4, 5], [8], [], list(range(12))])
def test_only_some_are_kept(which):
    which = np.array(which, dtype=np.intp)
    kept = JOINT.only(which)
    assert kept.n_columns == 1 + len(which)
    np.testing.assert_allclose(kept.columns(X, np.arange(kept.n_columns)), WHOLE[:, np.r_[0, which + 1]])
    np.testing.assert_array_equal(kept.gamma, JOINT.gamma[which])
    assert all(part.n_columns > 1 for part in kept.parts) or not len(which)


def test_one_part_is_a_basis_of_its_own():
    assert joined([PARTS[1]]) is PARTS[1]
    assert PARTS[1].parts == (PARTS[1],)
    assert joined(PARTS).parts == PARTS


def test_centres_are_stacked_as_they_are_stored():
    dense = [np.ones((2, 3)), np.zeros((1, 3))]
    assert stacked(dense).shape == (3, 3)
    sparse = stacked([csr_array(part) for part in dense])
    assert issparse(sparse)
    np.testing.assert_array_equal(sparse.toarray(), stacked(dense))
