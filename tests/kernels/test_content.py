"""Keys that only the content of rows decides."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rowtrust.kernels import Columns, content_keys, numbered, row_keys


@pytest.fixture(name="X")
def unlike_columns():
    """Unlike columns: continuous, of few values, mostly zero; and ten rows that are there twice."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(80, 4))
    X[:, 2] = np.round(X[:, 2])
    X[:, 3] = np.maximum(np.round(2.0 * X[:, 3]), 0.0)
    X[50:60] = X[:10]
    return X


def both(X):
    """Return the keys that do not hang on the order of the columns."""
    return content_keys(X)[:, :2]


def test_copies_have_one_key_and_no_others_have(X):
    for rows in (X, csr_array(X)):
        keys, groups = both(rows), numbered(content_keys(rows))
        np.testing.assert_array_equal(keys[50:60], keys[:10])
        assert len(np.unique(keys[:, 1])) == len(np.unique(X, axis=0)) == groups.max() + 1


def test_groups_are_spread_over_the_column_with_the_most_values(X):
    """In one direction or the other; the column of few values leads nobody."""
    for rows in (X[:, [0, 2]], csr_array(X[:, [2, 3, 0]]).tocsr()):
        groups = numbered(content_keys(rows))
        steps = np.diff(X[np.argsort(groups), 0])
        assert (steps >= 0.0).all() or (steps <= 0.0).all()


def test_neither_order_nor_copies_nor_units_nor_signs_matter(X):
    keys, order = both(X), np.random.default_rng(1).permutation(80)
    np.testing.assert_array_equal(both(X[order]), keys[order])
    np.testing.assert_array_equal(both(X[:, [2, 0, 3, 1]]), keys)
    np.testing.assert_array_equal(both(X * [3.0, 1e-3, 7.0, 1e5] + [1.0, 2.0, 3.0, -4.0]), keys)
    np.testing.assert_array_equal(both(X * [-1.0, 1.0, -1.0, -2.0]), keys)
    np.testing.assert_array_equal(both(np.insert(X, 2, 7.0, axis=1)), keys)
    copies = np.arange(80) % 3 + 1
    np.testing.assert_array_equal(both(np.repeat(X, copies, axis=0)), np.repeat(keys, copies, axis=0))
    np.testing.assert_array_equal(content_keys(np.asfortranarray(X)), content_keys(X))


def test_sparse_rows_have_the_keys_of_dense_ones(X):
    for rows in (X, -X, np.insert(X, 1, 0.0, axis=1), np.where(np.abs(X) > 1.5, X, 0.0)):
        stored = csr_array(rows)
        np.testing.assert_array_equal(content_keys(stored), content_keys(rows))
    with_zeros = csr_array((np.zeros(3), ([0, 1, 2], [0, 0, 0])), shape=(80, 4)) + csr_array(X)
    np.testing.assert_array_equal(content_keys(with_zeros), content_keys(X))


def test_a_change_of_one_value_changes_the_key_of_its_row(X):
    other = X.copy()
    other[20, 2] += 1.0
    assert (both(other)[20] != both(X)[20]).any()


def test_missing_values_are_one_value_however_they_were_filled(X):
    holes = X.copy()
    holes[::7, 1] = np.nan
    keys = both(holes)
    assert (keys[::7, 1] != both(X)[::7, 1]).all()
    np.testing.assert_array_equal(both(-holes[:, ::-1]), keys)
    filled = Columns.of(holes, np.ones(80)).filled(holes)
    assert np.iscomplexobj(filled)
    np.testing.assert_array_equal(content_keys(filled), content_keys(holes))
    nothing = np.insert(holes, 0, np.nan, axis=1)  # a column without a value is a constant one
    np.testing.assert_array_equal(both(nothing), keys)


def test_a_perfect_symmetry_leaves_rows_apart():
    """Columns of a grid cannot be told from each other, so (1, 2) and (2, 1) share the first key."""
    grid = np.array([[a, b] for a in range(4) for b in range(4)], dtype=float)
    assert len(np.unique(both(grid)[:, 1])) == 10
    assert len(np.unique(numbered(content_keys(grid)))) == 16


@pytest.mark.parametrize(
    "X", [np.ones((5, 2)), np.zeros((5, 0)), csr_array((5, 3))], ids=["one", "none", "zero"]
)
def test_rows_that_are_all_alike_are_one_group(X):
    np.testing.assert_array_equal(numbered(content_keys(X)), np.zeros(5))


# Keys of rows with their targets


def test_equal_rows_with_targets_have_equal_keys_and_others_do_not():
    generator = np.random.default_rng(0)
    rows = generator.integers(0, 40, (20_000, 2)).astype(float)
    keys = row_keys(rows, np.zeros(len(rows)))
    assert len(np.unique(keys)) == len(np.unique(rows, axis=0))
    assert (row_keys(rows, np.ones(len(rows))) != keys).all()
    np.testing.assert_array_equal(row_keys(csr_array(rows), np.zeros(len(rows))), keys)
    zeros = np.zeros(2)
    np.testing.assert_array_equal(row_keys(np.full((2, 2), -0.0), -zeros), row_keys(np.zeros((2, 2)), zeros))
    one, two = row_keys(np.array([[1.0, 2.0], [2.0, 1.0]]), zeros)
    assert one != two
