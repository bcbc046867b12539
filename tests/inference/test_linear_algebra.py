"""The factorisation that survives rounding: exact where it can be, jittered where it must, loud otherwise."""

import numpy as np
import pytest
from scipy.linalg import LinAlgError

from rowtrust.inference.linear_algebra import stable_cholesky
from rowtrust.numerics.magnitudes import JITTERS


def random_matrix(seed, k=6):
    root = np.random.default_rng(seed).normal(size=(k, k + 3))
    return root @ root.T


def building(matrix, asked):
    def build(jitter):
        asked.append(jitter)
        return matrix + jitter * np.eye(len(matrix))

    return build


@pytest.mark.parametrize("seed", range(4))
def test_a_definite_matrix_is_factored_at_once(seed):
    matrix, asked = random_matrix(seed), []
    factor, log_diagonal = stable_cholesky(building(matrix, asked), "no")
    np.testing.assert_allclose(factor, np.linalg.cholesky(matrix), rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(np.triu(factor, 1), 0.0)
    assert 2 * log_diagonal == pytest.approx(np.linalg.slogdet(matrix)[1], rel=1e-12)
    assert asked == [0.0]


def test_a_singular_matrix_gets_the_least_jitter_that_helps():
    asked = []
    factor, log_diagonal = stable_cholesky(building(np.ones((4, 4)), asked), "no")
    assert np.isfinite(factor).all()
    assert np.isfinite(log_diagonal)
    assert asked == list(JITTERS[: len(asked)])
    assert 1 < len(asked) < len(JITTERS) + 1
    np.testing.assert_allclose(factor @ factor.T, np.ones((4, 4)), atol=1e-7)


@pytest.mark.parametrize(
    "matrix",
    [np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([[1.0, np.nan], [np.nan, 1.0]]), np.diag([1.0, np.inf])],
    ids=["indefinite", "NaN", "infinite"],
)
def test_a_matrix_that_is_wrong_is_an_error_in_the_callers_words(matrix):
    asked = []
    with pytest.raises(LinAlgError, match="scale the inputs"):
        stable_cholesky(building(matrix, asked), "scale the inputs")
    assert asked == list(JITTERS)


def test_what_was_built_may_be_overwritten_but_is_built_anew():
    matrix = np.asfortranarray(np.ones((3, 3)))
    before = matrix.copy()
    stable_cholesky(building(matrix, []), "no")
    np.testing.assert_array_equal(matrix, before)
