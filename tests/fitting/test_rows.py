"""Rows as the solvers want them: the spread of their inputs, in units of which widths are."""

import re
from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from rowtrust.fitting import TrainingRows, inverse_width

X = np.random.default_rng(0).normal(size=(30, 3)) * [1.0, 5.0, 0.0] + [0.0, 2.0, 7.0]
COPIES = np.random.default_rng(1).integers(1, 5, 30).astype(float)
STORAGES = pytest.mark.parametrize("storage", [np.asarray, csr_array])


def rows(X, copies):
    n = X.shape[0]
    return TrainingRows(X, np.zeros(n), copies, copies, np.arange(n), n)


@STORAGES
def test_the_spread_counts_copies(storage):
    repeated = np.repeat(X, COPIES.astype(int), axis=0)
    weighted = rows(storage(X), COPIES)
    np.testing.assert_allclose(weighted.deviations, repeated.std(axis=0), atol=1e-12)
    for function in ("rbf", "polynomial"):
        assert inverse_width(weighted, function) == pytest.approx(1.0 / repeated.var(axis=0).sum())
    assert inverse_width(weighted, "laplacian") == pytest.approx(1.0 / repeated.std(axis=0).sum())


@pytest.mark.parametrize("scale", [1e-320, 1e-155, 1e155, 1e300])
@pytest.mark.parametrize("function", ["rbf", "laplacian", "polynomial"])
@STORAGES
def test_inputs_that_cannot_be_squared_name_the_cure(scale, function, storage):
    with pytest.raises(ValueError, match=r"Multiply X by 1e[+-]\d+") as refused:
        inverse_width(rows(storage(scale * X), np.ones(30)), function)
    factor = float(re.search(r"1e[+-]\d+", str(refused.value).split("Multiply")[1]).group())
    assert np.isfinite(inverse_width(rows(storage(factor * (scale * X)), np.ones(30)), function))


@pytest.mark.parametrize("exponent", [-470, -1, 300])
@STORAGES
def test_a_power_of_two_changes_no_digit_of_a_spread(exponent, storage):
    moved = rows(storage(np.ldexp(X, exponent)), COPIES).deviations
    np.testing.assert_array_equal(moved, np.ldexp(rows(storage(X), COPIES).deviations, exponent))


@pytest.mark.parametrize(("offset", "spread"), [(1e8, 1e-3), (1.0, 1e-12), (-1e12, 1.0)])
@STORAGES
def test_a_large_offset_does_not_hide_the_spread(offset, spread, storage):
    moved = offset + spread * X
    exact = [np.std([float(Fraction(value) - Fraction(offset)) for value in column]) for column in moved.T]
    found = rows(storage(moved), np.ones(30)).deviations
    np.testing.assert_allclose(found, exact, rtol=1e-9)
    assert found[2] == 0.0  # constant, however large


def test_equal_rows_of_equal_targets_are_merged_in_an_order_that_only_their_content_decides():
    rng = np.random.default_rng(0)
    distinct = rng.normal(size=(12, 2))
    drawn = rng.integers(0, 12, 60)
    table, y = distinct[drawn], (drawn % 3 + rng.integers(0, 2, 60)).astype(float)
    copies = rng.integers(1, 4, 60).astype(float)

    def merged(order):
        given = rows(table[order], copies[order])
        ordered = TrainingRows(given.X, y[order], given.copies, 2.0 * given.weight, given.index, 60).ordered()
        return ordered, *ordered.merged()

    ordered, found, which = merged(np.arange(60))
    np.testing.assert_array_equal(found.X[which], ordered.X)
    np.testing.assert_array_equal(found.y[which], ordered.y)
    assert len(found.y) == len(np.unique(np.column_stack([table, y]), axis=0))
    assert found.copies.sum() == copies.sum()
    np.testing.assert_allclose(found.weight, 2.0 * found.copies)
    other = merged(rng.permutation(60))[1]
    for name in ("X", "y", "copies", "weight"):
        np.testing.assert_allclose(getattr(other, name), getattr(found, name), rtol=1e-12)


def test_a_thinner_table_is_of_distinct_rows_whatever_their_order_and_of_every_class():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 2)), (np.arange(120) < 10).astype(int)

    def thinned(order, size=30):
        given = rows(X[order], np.ones(len(order)))
        given = TrainingRows(given.X, y[order], given.copies, given.weight, given.index, len(order))
        kept = given.thinned(size, 8)
        return None if kept is None else np.unique(order[kept])

    plain = thinned(np.arange(120))
    assert 30 <= len(plain) <= 38
    assert y[plain].sum() >= 8
    np.testing.assert_array_equal(thinned(rng.permutation(120)), plain)
    np.testing.assert_array_equal(thinned(np.repeat(np.arange(120), 2)), plain)
    assert thinned(np.arange(120), size=60) is None
