"""A kernel on some columns is that kernel on a slice, in values, gradients and manners."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, Matern, WhiteKernel

from rowtrust.kernels import OnColumns

X = np.random.default_rng(0).normal(size=(30, 4))
INNER = [
    RBF(0.7),
    RBF([0.5, 2.0]),
    Matern(nu=1.5),
    ConstantKernel(2.0) * RBF(0.7, "fixed") + DotProduct(),
    WhiteKernel(0.3),
]


@pytest.mark.parametrize("inner", INNER, ids=repr)
@pytest.mark.parametrize("columns", [[0, 2], (3, 1), np.array([1, 2])], ids=repr)
def test_it_is_the_kernel_on_a_slice(inner, columns):
    kernel, taken = OnColumns(inner, columns), X[:, list(columns)]
    np.testing.assert_array_equal(kernel(X), inner(taken))
    np.testing.assert_array_equal(kernel(X, X[:5]), inner(taken, taken[:5]))
    np.testing.assert_array_equal(kernel.diag(X), inner.diag(taken))
    for ours, theirs in zip(kernel(X, eval_gradient=True), inner(taken, eval_gradient=True), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(kernel.theta, inner.theta)
    np.testing.assert_array_equal(kernel.bounds, inner.bounds)
    assert kernel.n_dims == inner.n_dims
    assert kernel.is_stationary() == inner.is_stationary()


def test_it_has_the_manners_of_a_scikit_learn_kernel():
    kernel = OnColumns(RBF([0.5, 2.0]), [0, 2])
    assert clone(kernel) == kernel
    assert kernel != OnColumns(RBF([0.5, 2.0]), [0, 1])
    assert kernel != OnColumns(RBF([0.5, 1.0]), [0, 2])
    assert kernel != RBF([0.5, 2.0])
    moved = kernel.clone_with_theta(np.log([3.0, 4.0]))
    np.testing.assert_allclose(moved.kernel.length_scale, [3.0, 4.0])
    np.testing.assert_allclose(kernel.kernel.length_scale, [0.5, 2.0])
    assert kernel.get_params()["kernel__length_scale_bounds"] == (1e-5, 1e5)
    assert clone(kernel).set_params(kernel__length_scale=1.5).kernel.length_scale == 1.5
    assert [each.name for each in kernel.hyperparameters] == ["kernel__length_scale"]
    assert repr(kernel) == "OnColumns(RBF(length_scale=[0.5, 2]), [0, 2])"
    names = [each.name for each in (kernel + OnColumns(RBF(1.0), [1])).hyperparameters]
    assert names == ["k1__kernel__length_scale", "k2__kernel__length_scale"]


def test_a_gaussian_process_learns_it_as_it_learns_the_slice():
    y = np.sin(X[:, 1]) + X[:, 3]
    whole = GaussianProcessRegressor(OnColumns(RBF([1.0, 1.0]), [1, 3]), alpha=0.01).fit(X, y)
    slice_ = GaussianProcessRegressor(RBF([1.0, 1.0]), alpha=0.01).fit(X[:, [1, 3]], y)
    np.testing.assert_allclose(whole.kernel_.theta, slice_.kernel_.theta)
    np.testing.assert_allclose(whole.predict(X), slice_.predict(X[:, [1, 3]]))


@pytest.mark.parametrize("columns", [[0, 4], [-1], [9]])
def test_columns_that_are_not_there_name_the_cure(columns):
    with pytest.raises(ValueError, match="columns between 0 and 3"):
        OnColumns(RBF(), columns)(X)


@pytest.mark.parametrize("columns", [[], 1, [0.5], [[0, 1]], "ab"])
def test_columns_that_are_no_numbers_name_the_cure(columns):
    with pytest.raises(ValueError, match=r"such as \[0, 1\]"):
        OnColumns(RBF(), columns).diag(X)
