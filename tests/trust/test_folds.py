"""Rows that share a fold: copies, and rows of a group; no fit has seen a copy of a row that it predicts."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from rowtrust.trust.folds import (
    dealt_folds,
    kept_together,
    left_out_numbers,
    left_out_probabilities,
    row_numbers,
)

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(40, 3))
COPIED = ROWS[np.r_[np.arange(40), [0, 1, 1]]]
NONE = np.zeros(43)


class Jealous(ClassifierMixin, RegressorMixin, BaseEstimator):
    """Refuses to predict a row that it has seen, whatever its target."""

    def fit(self, X, y):
        self.classes_, self.seen_ = np.unique(y), {tuple(row) for row in X}
        return self

    def predict(self, X):
        assert not self.seen_ & {tuple(row) for row in X}
        return np.zeros(len(X))

    def predict_proba(self, X):
        return np.tile([0.5, 0.5], (len(self.predict(X)), 1))


def test_no_fit_has_seen_a_copy_of_a_row_that_it_predicts():
    """Copies with another label are copies too."""
    label = np.arange(43) % 2
    assert left_out_probabilities(Jealous(), COPIED, label).shape == (43, 2)
    assert left_out_numbers(Jealous(), COPIED, RNG.normal(size=43))[0].shape == (43,)
    groups = np.arange(43) // 3
    assert left_out_probabilities(Jealous(), COPIED, label, groups).shape == (43, 2)


def test_rows_are_connected_by_copies_and_by_groups():
    groups = np.arange(43)
    groups[[5, 41]] = 99  # 41 is a copy of 1, and of 42
    together = kept_together(COPIED, NONE, groups)
    assert len({*together[[1, 5, 41, 42]]}) == 1
    assert len(np.unique(together)) == 39
    assert together[0] == together[40] != together[1]


def test_where_there_are_no_copies_folds_are_as_they_were():
    assert kept_together(ROWS, NONE[:40], None) is None
    np.testing.assert_array_equal(kept_together(ROWS, NONE[:40], np.arange(40) // 2), np.arange(40) // 2)


def test_a_very_common_combination_of_inputs_is_no_row_that_was_copied():
    """A column of three categories: rows of one category are many cases."""
    table = np.repeat(np.eye(3), 50, axis=0)
    assert kept_together(table, np.arange(150) % 2, None) is None
    assert len(np.unique(kept_together(table[:60:3], np.arange(20) % 2, None))) == 2


def test_a_class_of_which_nothing_would_be_left_stays_as_it_is():
    label = (np.arange(43) == 1) | (np.arange(43) > 40)  # the copies of one row
    assert kept_together(COPIED, label, None) is None
    assert left_out_probabilities(Jealous(), ROWS, np.arange(40) % 2).shape == (40, 2)


def numbers_of(folds, size):
    found = np.full(size, -1)
    for number, (outside, inside) in enumerate(folds):
        assert sorted([*outside, *inside]) == list(range(size))
        found[inside] = number
    assert (found >= 0).all()
    return found


def test_dealt_folds_depend_on_neither_the_order_of_rows_nor_on_copies():
    label, weight, key = np.arange(40) % 3, np.arange(40) % 4, RNG.permutation(40)
    plain = numbers_of(dealt_folds(ROWS, label, weight.astype(float), key), 40)
    order = RNG.permutation(np.repeat(np.arange(40), weight))
    copied = numbers_of(dealt_folds(ROWS[order], label[order], np.ones(len(order)), key[order]), len(order))
    np.testing.assert_array_equal(plain[order], copied)
    groups = np.arange(40) // 4
    grouped = numbers_of(dealt_folds(ROWS, label, np.ones(40), key, groups), 40)
    assert all(np.ptp(grouped[groups == each]) == 0 for each in range(10))


def test_dealt_folds_have_as_much_of_every_class():
    label = np.r_[np.zeros(20, dtype=int), np.ones(15, dtype=int), [2] * 5]
    folds = numbers_of(dealt_folds(ROWS, label, np.ones(40), np.arange(40)), 40)
    assert [np.bincount(folds[label == each]).tolist() for each in range(3)] == [[4] * 5, [3] * 5, [1] * 5]


pandas = pytest.importorskip("pandas")
FRAME = pandas.DataFrame(COPIED, columns=list("abc")).assign(word=[f"w{n % 40}" for n in range(43)])
FRAME.loc[[0, 40], "word"] = None
SAME = {
    "floats": COPIED,
    "whole numbers": (1000 * COPIED).astype(int),
    "sparse": sparse.csr_array(COPIED),
    "texts": [f"text {row[0]}" for row in COPIED],
    "lists of several lengths": [[row[0]] * (1 + int(abs(row[1]))) for row in COPIED],
    "a frame": pandas.DataFrame(COPIED),
}


@pytest.mark.parametrize("kind", SAME)
def test_copies_are_found_in_every_container(kind):
    numbers = row_numbers(SAME[kind])
    assert numbers[0] == numbers[40]
    assert numbers[1] == numbers[41] == numbers[42]
    assert len(np.unique(numbers)) == 40


def test_copies_of_mixed_columns_with_gaps():
    frame = FRAME.copy()
    frame.loc[[0, 40], "a"] = np.nan
    frame.loc[[41, 42], "word"] = "w1"
    assert len(np.unique(row_numbers(frame))) == 40
    frame.loc[41, "word"] = "another"
    assert len(np.unique(row_numbers(frame))) == 41
