"""Rows as the solvers want them: the spread of their inputs."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rowtrust.search import TrainingRows
from rowtrust.search.rows import inverse_width, variances

X = np.random.default_rng(0).normal(size=(30, 3)) * [1.0, 5.0, 0.0] + [0.0, 2.0, 7.0]
COPIES = np.random.default_rng(1).integers(1, 5, 30).astype(float)


def rows(X, copies):
    n = X.shape[0]
    return TrainingRows(X, np.zeros(n), copies, copies, np.arange(n), n)


@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_the_variance_counts_copies(storage):
    repeated = np.repeat(X, COPIES.astype(int), axis=0)
    np.testing.assert_allclose(variances(storage(X), COPIES), repeated.var(axis=0), atol=1e-12)
    weighted = rows(storage(X), COPIES)
    for function in ("rbf", "polynomial"):
        assert inverse_width(weighted, function) == pytest.approx(1.0 / repeated.var(axis=0).sum())
    assert inverse_width(weighted, "laplacian") == pytest.approx(1.0 / repeated.std(axis=0).sum())


@pytest.mark.parametrize(("function", "power"), [("rbf", 2), ("laplacian", 1)])
def test_the_width_follows_the_units_as_the_kernel_wants_it(function, power):
    one, thousand = (inverse_width(rows(unit * X, np.ones(30)), function) for unit in (1.0, 1000.0))
    assert one == pytest.approx(1000.0**power * thousand)


def test_constant_inputs_have_a_width_of_one():
    assert inverse_width(rows(np.ones((5, 2)), np.ones(5)), "laplacian") == 1.0


def test_inputs_too_large_to_be_squared_name_the_cure():
    with pytest.raises(ValueError, match="Scale them"):
        inverse_width(rows(1e200 * X, np.ones(30)), "rbf")
