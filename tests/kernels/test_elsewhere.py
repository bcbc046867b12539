"""Kernels of rows on a device are those of rows in memory."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.gaussian_process.kernels import RBF

from rowtrust.kernels import Basis, ColumnScaling, JointBasis, Kernel
from rowtrust.numerics.array_api import to_numpy

RNG = np.random.default_rng(1)
X, CENTRES = RNG.normal(size=(23, 4)), RNG.normal(size=(6, 4))
WIDTHS = np.geomspace(0.1, 2.0, 6)
SCALES, ORIGIN = np.array([0.5, 1.0, 3.0, 0.1]), np.array([1.0, -2.0, 0.0, 5.0])

KERNELS = [
    Kernel("rbf", 0.7),
    Kernel("rbf", WIDTHS),
    Kernel("rbf", 300.0),  # too narrow for distances by a product in single precision
    Kernel("laplacian", 0.7),
    Kernel("laplacian", WIDTHS),
    Kernel("linear", 1.0),
    Kernel("polynomial", 0.7, degree=3, coef0=0.5),
    Kernel(RBF(1.3), 1.0),
    Kernel("rbf", WIDTHS, metric=SCALES),
    Kernel("laplacian", WIDTHS, metric=RNG.normal(size=(4, 2)), origin=ORIGIN),
    Kernel("polynomial", 0.2, metric=SCALES, origin=ORIGIN),
    Kernel("linear", 1.0, origin=ORIGIN),
]
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: f"{kernel.function}"[:12])


@every_kernel
def test_kernels_are_those_of_rows_in_memory(kernel, elsewhere):
    there = kernel(elsewhere(X), CENTRES)
    assert type(there) is type(elsewhere(X))
    np.testing.assert_allclose(to_numpy(there), kernel(X, CENTRES), rtol=1e-12, atol=1e-300)


def test_kernels_too_narrow_for_distances_by_a_product(elsewhere):
    near = CENTRES + 1e-5 * RNG.normal(size=CENTRES.shape)
    truth = Kernel("rbf", 1e9)(near, CENTRES)
    assert 0.01 < truth.max() < 1.0
    np.testing.assert_allclose(to_numpy(Kernel("rbf", 1e9)(elsewhere(near), CENTRES)), truth, rtol=1e-9)


def test_sparse_centres_and_no_rows(elsewhere):
    there = Kernel("rbf", 0.7)(elsewhere(X), csr_array(CENTRES))
    np.testing.assert_allclose(to_numpy(there), Kernel("rbf", 0.7)(X, CENTRES), rtol=1e-12)
    assert Kernel("rbf", 0.7)(elsewhere(X)[:0, :], CENTRES).shape == (0, 6)
    assert Kernel("rbf", 0.7)(elsewhere(X), CENTRES[:0]).shape == (23, 0)


def test_a_kernel_that_is_not_finite_is_refused(elsewhere):
    with pytest.raises(ValueError, match="NaN or infinite"):
        Kernel("polynomial", 1.0, degree=9)(elsewhere(1e30 * X), CENTRES)


JOINT = JointBasis((Basis(KERNELS[1], CENTRES), Basis(KERNELS[3], CENTRES[:2]), Basis(KERNELS[5], CENTRES)))


@pytest.mark.parametrize("basis", [Basis(KERNELS[0], CENTRES), JOINT], ids=["one", "joint"])
@pytest.mark.parametrize("columns", [[0], [0, 1, 2, 5], [3, 1], [2, 0, 4], [1, 2, 3], [6, 0, 1, 5, 0]])
def test_columns_come_in_the_order_asked_for(basis, columns, elsewhere):
    found = basis.columns(elsewhere(X), np.array(columns))
    np.testing.assert_allclose(to_numpy(found), basis.columns(X, np.array(columns)), rtol=1e-12)


def test_columns_of_several_kernels_in_any_order(elsewhere):
    for columns in (np.arange(15), np.array([0, 3, 7, 8, 14]), RNG.permutation(15)):
        found = JOINT.columns(elsewhere(X), columns)
        np.testing.assert_allclose(to_numpy(found), JOINT.columns(X, columns), rtol=1e-12)


def test_inputs_are_scaled_where_they_are(elsewhere):
    for centre in (ORIGIN, None):
        scaling = ColumnScaling(centre, SCALES, np.ones(4))
        np.testing.assert_allclose(to_numpy(scaling(elsewhere(X))), scaling(X), rtol=1e-14)
