"""Rows as the solvers want them: the spread of their inputs."""

import re
from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from rowtrust.search import TrainingRows
from rowtrust.search.rows import inverse_width, spreads

X = np.random.default_rng(0).normal(size=(30, 3)) * [1.0, 5.0, 0.0] + [0.0, 2.0, 7.0]
COPIES = np.random.default_rng(1).integers(1, 5, 30).astype(float)


def rows(X, copies):
    n = X.shape[0]
    return TrainingRows(X, np.zeros(n), copies, copies, np.arange(n), n)


@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_the_variance_counts_copies(storage):
    repeated = np.repeat(X, COPIES.astype(int), axis=0)
    np.testing.assert_allclose(spreads(storage(X), COPIES), repeated.std(axis=0), atol=1e-12)
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


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e-155, 1e155, 1e200, 1e300])
@pytest.mark.parametrize("function", ["rbf", "laplacian", "polynomial"])
@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_inputs_that_cannot_be_squared_name_the_cure(scale, function, storage):
    with pytest.raises(ValueError, match=r"Multiply X by 1e[+-]\d+") as refused:
        inverse_width(rows(storage(scale * X), np.ones(30)), function)
    factor = float(re.search(r"1e[+-]\d+", str(refused.value).split("Multiply")[1]).group())
    assert np.isfinite(inverse_width(rows(storage(factor * (scale * X)), np.ones(30)), function))


@pytest.mark.parametrize("exponent", [-470, -300, -1, 1, 300, 470])
@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_a_power_of_two_changes_no_digit_of_a_spread(exponent, storage):
    moved = spreads(storage(np.ldexp(X, exponent)), COPIES)
    np.testing.assert_array_equal(moved, np.ldexp(spreads(storage(X), COPIES), exponent))


@pytest.mark.parametrize(("offset", "spread"), [(1e8, 1e-3), (1.0, 1e-12), (-1e12, 1.0)])
@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_a_large_offset_does_not_hide_the_spread(offset, spread, storage):
    moved = offset + spread * X
    exact = [np.std([float(Fraction(value) - Fraction(offset)) for value in column]) for column in moved.T]
    found = spreads(storage(moved), np.ones(30))
    np.testing.assert_allclose(found, exact, rtol=1e-9)
    assert found[2] == 0.0  # constant, however large
