"""Columns made comparable: scales that outliers do not move, and kernels said in the user's units."""

import numpy as np
import pytest
from scipy.sparse import csr_array, issparse
from sklearn.metrics.pairwise import rbf_kernel

from rowtrust.kernels import Basis, JointBasis, Kernel, robust_scaling

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3)) * [1.0, 1e3, 1e-4] + [0.0, -5e3, 7.0]
COPIES = RNG.integers(1, 5, 200).astype(float)
KERNELS = [
    Kernel("rbf", 0.4),
    Kernel("rbf", np.linspace(0.1, 2.0, 20)),
    Kernel("rbf", 0.4, metric=np.array([2.0, 0.5, 0.0])),
    Kernel("rbf", 0.4, metric=np.array([[2.0, 0.5], [0.3, -1.0], [0.0, 0.7]])),
    Kernel("laplacian", 0.3),
    Kernel("linear", 1.0),
    Kernel("polynomial", 0.5, degree=2, coef0=0.3),
    Kernel(rbf_kernel, 1.0),
]


def test_clean_columns_have_their_mean_and_deviation():
    found = robust_scaling(X, np.ones(200))
    np.testing.assert_allclose(found.centre, X.mean(axis=0), rtol=1e-9)
    np.testing.assert_allclose(found.scale, X.std(axis=0), rtol=1e-6)
    scaled = found(X)
    np.testing.assert_allclose(scaled.mean(axis=0), 0.0, atol=1e-8)
    np.testing.assert_allclose(scaled.std(axis=0), 1.0, rtol=1e-6)


def test_a_weight_is_so_many_copies():
    weighted = robust_scaling(X, COPIES)
    repeated = robust_scaling(np.repeat(X, COPIES.astype(int), axis=0), np.ones(int(COPIES.sum())))
    np.testing.assert_allclose(weighted.centre, repeated.centre, rtol=1e-9)
    np.testing.assert_allclose(weighted.scale, repeated.scale, rtol=1e-9)


@pytest.mark.parametrize("size", [1e6, 1e12, -1e9])
def test_a_few_wild_values_do_not_squash_the_rest(size):
    wild = X.copy()
    wild[::67] += size * X.std(axis=0)
    scaling = robust_scaling(wild, np.ones(200))
    usual = np.delete(scaling(wild), np.arange(0, 200, 67), axis=0)
    assert (usual.std(axis=0) > 0.5).all()
    assert (np.abs(usual) < 5.0).all()


def test_columns_with_many_equal_values_have_their_deviation():
    """More than half are equal, so that there is no interquartile range."""
    column = np.r_[np.zeros(150), RNG.normal(size=50)][:, None]
    assert robust_scaling(column, np.ones(200)).scale[0] == pytest.approx(column.std())


@pytest.mark.parametrize("level", [0.0, 3.0, 0.1, -1e8])
def test_constant_columns_have_a_scale_of_one(level):
    scaling = robust_scaling(np.full((7, 1), level), np.arange(1.0, 8.0))
    assert scaling.scale[0] == 1.0
    np.testing.assert_allclose(scaling(np.full((2, 1), level)), 0.0, atol=1e-7)


def test_sparse_rows_have_the_same_scales_and_keep_their_zeros():
    rows = np.where(np.abs(X) < X.std(axis=0), 0.0, X)
    dense, stored = robust_scaling(rows, COPIES), robust_scaling(csr_array(rows), COPIES)
    np.testing.assert_allclose(stored.scale, dense.scale, rtol=1e-12)
    assert stored.centre is None
    scaled = stored(csr_array(rows))
    assert issparse(scaled)
    assert scaled.nnz == np.count_nonzero(rows)
    np.testing.assert_allclose(scaled.toarray(), rows / dense.scale, rtol=1e-12)


@pytest.mark.parametrize("kernel", KERNELS, ids=[f"{number}" for number in range(len(KERNELS))])
@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_a_kernel_of_scaled_rows_is_one_of_rows_in_the_users_units(kernel, storage):
    rows = storage(X)
    scaling = robust_scaling(rows, COPIES)
    expected = kernel(scaling(rows), scaling(rows[:20]))
    np.testing.assert_allclose(scaling.kernel(kernel)(rows, rows[:20]), expected, rtol=1e-6, atol=1e-9)


def test_a_basis_is_carried_to_the_users_units_part_by_part():
    scaling = robust_scaling(X, COPIES)
    scaled = scaling(X)
    joint = JointBasis(tuple(Basis(kernel, scaled[:20]) for kernel in KERNELS))
    found, columns = scaling.basis(joint), np.arange(joint.n_columns)
    np.testing.assert_allclose(found.centres, np.tile(X[:20], (len(KERNELS), 1)), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        found.columns(X, columns), joint.columns(scaled, columns), rtol=1e-6, atol=1e-9
    )


def test_rows_come_back():
    scaling = robust_scaling(X, COPIES)
    np.testing.assert_allclose(scaling.rows(scaling(X)), X, rtol=1e-12, atol=1e-12)
