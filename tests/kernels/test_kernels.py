"""Kernels against brute force and scikit-learn; the bias column; errors of the user's own functions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csc_array, csr_array, csr_matrix
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import laplacian_kernel, linear_kernel, polynomial_kernel, rbf_kernel

from rowtrust.kernels.kernels import NAMES, Basis, Kernel, rbf

REFERENCE = {
    "rbf": lambda X, C: rbf_kernel(X, C, gamma=0.3),
    "laplacian": lambda X, C: laplacian_kernel(X, C, gamma=0.3),
    "polynomial": lambda X, C: polynomial_kernel(X, C, degree=2, gamma=0.3, coef0=0.7),
    "linear": linear_kernel,
}


def rows(seed=0, n=17, d=3):
    return np.random.default_rng(seed).normal(size=(n, d))


def named(name):
    return Kernel(name, 0.3, degree=2, coef0=0.7)


# The Gaussian kernel


@pytest.mark.parametrize("gamma", [1e-4, 0.3, 5.0])
@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6, -1e6])
@pytest.mark.parametrize("d", [1, 2, 13])
def test_rbf_is_accurate_far_from_the_origin(d, offset, gamma):
    """The dot-product form loses its digits at an offset of 1e6 unless the origin moves to the data."""
    X, centres = offset + rows(1, 40, d), offset + rows(2, 25, d)
    exact = np.exp(-gamma * cdist(X, centres, "sqeuclidean"))
    np.testing.assert_allclose(rbf(X, centres, gamma), exact, atol=1e-9, rtol=1e-9)


@settings(deadline=None)
@given(
    X=arrays(float, (5, 2), elements=st.floats(-20, 20)),
    gamma=st.floats(1e-3, 10),
)
def test_rbf_is_a_kernel(X, gamma):
    """One on the diagonal, never above one, symmetric, no negative eigenvalue."""
    K = rbf(X, X, gamma)
    assert (K <= 1.0).all()
    np.testing.assert_allclose(np.diag(K), 1.0, atol=1e-9)
    np.testing.assert_allclose(K, K.T, atol=1e-9)
    assert np.linalg.eigvalsh(0.5 * (K + K.T)).min() > -1e-8


def test_rbf_leaves_its_inputs_alone():
    X, centres = rows(1), rows(2, 4)
    before = X.copy(), centres.copy()
    rbf(X, centres, 0.5)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(centres, before[1])


def test_rbf_of_far_rows_is_zero_and_finite():
    K = rbf(np.array([[1e8], [0.0]]), np.array([[0.0], [1.0]]), 1.0)
    np.testing.assert_allclose(K, [[0.0, 0.0], [1.0, np.exp(-1.0)]], atol=1e-12)


# Every named kernel


@pytest.mark.parametrize("name", [n for n in NAMES if n != "precomputed"])
def test_named_kernels_are_scikit_learns(name):
    X, centres = rows(1), rows(2, 5)
    np.testing.assert_allclose(named(name)(X, centres), REFERENCE[name](X, centres), rtol=1e-12)


def test_every_named_kernel_has_a_reference():
    assert set(NAMES) == {*REFERENCE, "precomputed"}


@pytest.mark.parametrize("name", sorted(REFERENCE))
@pytest.mark.parametrize("container", [csr_array, csr_matrix])
def test_sparse_rows_give_the_dense_kernel(name, container):
    X, centres = rows(1), rows(2, 5)
    X[np.abs(X) < 0.6], centres[np.abs(centres) < 0.6] = 0.0, 0.0
    dense = named(name)(X, centres)
    for a, b in [(container(X), container(centres)), (container(X), centres), (X, container(centres))]:
        got = named(name)(a, b)
        assert isinstance(got, np.ndarray)
        np.testing.assert_allclose(got, dense, rtol=1e-9, atol=1e-12)


def test_polynomial_is_its_formula():
    X, centres = rows(1), rows(2, 5)
    got = Kernel("polynomial", 0.2, degree=3, coef0=1.5)(X, centres)
    np.testing.assert_allclose(got, (0.2 * X @ centres.T + 1.5) ** 3, rtol=1e-12)


def test_gamma_is_ignored_where_it_means_nothing():
    X, centres = rows(1), rows(2, 5)
    np.testing.assert_array_equal(Kernel("linear", 0.1)(X, centres), Kernel("linear", 9.0)(X, centres))


# The user's own function


def test_a_callable_is_called_with_the_whole_block():
    calls = []

    def kernel(X, Y):
        calls.append((X.shape, Y.shape))
        return X @ Y.T

    X, centres = rows(1), rows(2, 5)
    np.testing.assert_array_equal(Kernel(kernel, 1.0)(X, centres), X @ centres.T)
    assert calls == [((17, 3), (5, 3))]


def test_a_callable_may_return_integers():
    got = Kernel(lambda X, Y: np.ones((len(X), len(Y)), dtype=int), 1.0)(rows(1), rows(2, 5))
    assert got.dtype == np.float64


@pytest.mark.parametrize(
    "function",
    [
        lambda X, Y: (X @ Y.T).T,
        lambda X, Y: X @ Y.T @ np.ones(len(Y)),
        lambda X, Y: 1.0,
        lambda X, Y: (X @ Y.T)[:-1],
    ],
    ids=["transposed", "vector", "scalar", "row missing"],
)
def test_a_callable_of_the_wrong_shape_is_an_error_that_names_both_shapes(function):
    with pytest.raises(ValueError, match=r"shape .* where \(17, 5\) was expected.*one row per row of X"):
        Kernel(function, 1.0)(rows(1), rows(2, 5))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_callable_that_returns_nan_or_infinity_is_an_error(bad):
    def kernel(X, Y):
        values = X @ Y.T
        values[3, 1] = bad
        return values

    with pytest.raises(ValueError, match="NaN or infinite"):
        Kernel(kernel, 1.0)(rows(1), rows(2, 5))


# Precomputed kernels


def test_precomputed_selects_columns_in_the_order_asked_for():
    K = rows(3, 6, 9)
    got = Kernel("precomputed", 1.0)(K, np.array([4, 0, 7]))
    np.testing.assert_array_equal(got, K[:, [4, 0, 7]])


def test_a_precomputed_basis_maps_its_columns_to_the_kernels():
    K = rows(3, 6, 9)
    basis = Basis(Kernel("precomputed", 1.0), np.array([8, 2, 5]))
    assert basis.n_columns == 4
    np.testing.assert_array_equal(
        basis.columns(K, np.array([3, 0, 1])), np.column_stack([K[:, 5], np.ones(6), K[:, 8]])
    )


# The basis


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("columns", [[0], [0, 3], [3, 0, 1], [2, 4, 0], [1, 2], [5], [0, 1, 2, 3, 4, 5]])
def test_columns_put_the_bias_where_it_was_asked_for(columns, sparse):
    X, centres = rows(1), rows(2, 5)
    dense = np.column_stack([np.ones(17), np.exp(-0.3 * cdist(X, centres, "sqeuclidean"))])
    basis = Basis(Kernel("rbf", 0.3), csr_array(centres) if sparse else centres)
    assert basis.n_columns == 6
    got = basis.columns(csr_array(X) if sparse else X, np.array(columns))
    np.testing.assert_allclose(got, dense[:, columns], rtol=1e-10)


def test_the_bias_column_is_exactly_one_for_every_kernel():
    for name in REFERENCE:
        got = Basis(named(name), rows(2, 5)).columns(rows(1), np.array([2, 0]))
        np.testing.assert_array_equal(got[:, 1], np.ones(17))


def test_csc_inputs_are_read_too():
    X, centres = rows(1), rows(2, 5)
    got = named("rbf")(csc_array(X), csc_array(centres))
    np.testing.assert_allclose(got, named("rbf")(X, centres), rtol=1e-10)


@pytest.mark.parametrize("far", [1e8, 1e12, 1e15])
def test_a_centre_far_out_blurs_no_distance_between_the_others(far):
    generator = np.random.default_rng(0)
    X, centres = generator.normal(size=(20, 3)), generator.normal(size=(6, 3))
    alone = Kernel("rbf", 1.0)(X, centres)
    centres_and_one = np.vstack([centres, [[far, 0.0, 0.0]]])
    together = Kernel("rbf", 1.0)(X, centres_and_one)
    np.testing.assert_allclose(together[:, :-1], alone, rtol=1e-9)
    np.testing.assert_array_equal(together[:, -1], 0.0)
