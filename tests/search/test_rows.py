"""Rows as the solvers want them: the variance of their inputs."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rowtrust.search import TrainingRows
from rowtrust.search.rows import inverse_variance, total_variance

X = np.random.default_rng(0).normal(size=(30, 3)) * [1.0, 5.0, 0.0] + [0.0, 2.0, 7.0]
COPIES = np.random.default_rng(1).integers(1, 5, 30).astype(float)


def rows(X, copies):
    n = X.shape[0]
    return TrainingRows(X, np.zeros(n), copies, copies, np.arange(n), n)


@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_the_variance_counts_copies(storage):
    repeated = np.repeat(X, COPIES.astype(int), axis=0)
    assert total_variance(storage(X), COPIES) == pytest.approx(repeated.var(axis=0).sum())
    assert inverse_variance(rows(storage(X), COPIES)) == pytest.approx(1.0 / repeated.var(axis=0).sum())


def test_constant_inputs_have_a_width_of_one():
    assert inverse_variance(rows(np.ones((5, 2)), np.ones(5))) == 1.0


def test_inputs_too_large_to_be_squared_name_the_cure():
    with pytest.raises(ValueError, match="Scale them"):
        inverse_variance(rows(1e200 * X, np.ones(30)))
