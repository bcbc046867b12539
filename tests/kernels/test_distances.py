"""Distances that several widths share: the same kernel, or none where others must."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rowtrust.engines import MemoryEngine
from rowtrust.kernels import Basis, Kernel, SharedDistances
from rowtrust.kernels import basis as basis_module

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3)) + np.array([0.0, 1e4, -3.0])
WHICH = np.array([4, 0, 17, 9])


@pytest.mark.parametrize("function", ["rbf", "laplacian"])
def test_every_width_has_its_own_kernel(function):
    shared = SharedDistances(X, X[:20])
    for gamma in (0.01, 0.5, 20.0):
        kernel = Kernel(function, gamma)
        found = shared.kernel(kernel, WHICH)
        assert found.shape == (4, 40)
        np.testing.assert_allclose(found.T, kernel(X, X[WHICH]), rtol=1e-7, atol=1e-9)


def test_distances_are_computed_once(monkeypatch):
    calls, squared_distances = [], basis_module.squared_distances

    def counting(*rows):
        calls.append(len(rows[0]))
        return squared_distances(*rows)

    monkeypatch.setattr(basis_module, "squared_distances", counting)
    shared = SharedDistances(X, X)
    for gamma in (0.1, 0.2, 0.4):
        assert shared.kernel(Kernel("rbf", gamma), WHICH) is not None
    assert calls == [4]


def test_only_the_centres_that_were_asked_for_first_are_known():
    shared = SharedDistances(X, X)
    assert shared.kernel(Kernel("rbf", 0.1), WHICH) is not None
    assert shared.kernel(Kernel("rbf", 0.1), WHICH[::-1]) is None
    assert shared.kernel(Kernel("rbf", 0.1), WHICH[:2]) is None
    assert shared.kernel(Kernel("rbf", 0.3), WHICH) is not None


def test_another_kind_of_distances_takes_the_place_of_the_first():
    shared = SharedDistances(X, X)
    kernels = [
        Kernel(name, 0.3, metric=scales)
        for name in ("rbf", "laplacian")
        for scales in (None, np.ones(3), np.array([2.0, 0.5, 0.0]))
    ]
    for number in (0, 1, 2, 3, 4, 5, 2, 1, 1, 4):
        for which in (WHICH, WHICH[:2]):
            found = shared.kernel(kernels[number], which)
            if len(which) == len(WHICH):
                np.testing.assert_allclose(
                    found.T, kernels[number](X, X[which]), rtol=1e-7, atol=1e-9, err_msg=str(number)
                )
            else:
                assert found is None  # of a kind that is known, only the centres that were asked for


@pytest.mark.parametrize(
    "kernel",
    [
        Kernel("linear", 1.0),
        Kernel("polynomial", 1.0),
        Kernel("rbf", np.array([0.1, 0.2, 0.3, 0.4])),
        Kernel("rbf", 1.0, origin=np.ones(3)),
    ],
    ids=["linear", "polynomial", "several widths", "origin"],
)
def test_kernels_that_are_no_function_of_a_distance_alone_are_left_to_others(kernel):
    assert SharedDistances(X, X).kernel(kernel, WHICH) is None


def test_sparse_rows_and_too_many_distances_are_left_to_others(monkeypatch):
    sparse = csr_array(X)
    assert SharedDistances(sparse, sparse).kernel(Kernel("rbf", 0.1), WHICH) is None
    monkeypatch.setattr(basis_module, "KEPT_BYTES", 8 * 40 * 4 - 1)
    assert SharedDistances(X, X).kernel(Kernel("rbf", 0.1), WHICH) is None


def test_a_width_below_rounding_is_left_to_others():
    shared = SharedDistances(X, X)
    assert shared.kernel(Kernel("rbf", 1e12), WHICH) is None
    assert shared.kernel(Kernel("rbf", 1.0), WHICH) is not None


@pytest.mark.parametrize("columns", [[0, 3, 1], [3, 1], [0], [2, 0, 5, 4]])
@pytest.mark.parametrize("function", ["rbf", "laplacian", "linear"])
def test_an_engine_with_shared_distances_has_the_same_columns(function, columns):
    shared, columns = SharedDistances(X, X[:6]), np.array(columns)
    for gamma in (0.1, 1.0):
        basis = Basis(Kernel(function, gamma), X[:6])
        alone, together = (
            MemoryEngine(X, np.zeros(40), np.ones(40), basis, distances=each) for each in (None, shared)
        )
        for engine in (alone, together):
            engine.cache(columns)
            engine.cache(np.append(columns, 6))
        one, two = (
            np.concatenate([block.phi(columns) for block in engine.blocks(len(columns))])
            for engine in (alone, together)
        )
        np.testing.assert_allclose(two, one, rtol=1e-7, atol=1e-9)
