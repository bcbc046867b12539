"""Splits that keep groups together and never look ahead."""

import numpy as np
import pandas as pd
import pytest

from rowtrust.trust import united
from rowtrust.workflow import Part
from rowtrust.workflow.folds import chosen_groups, folds_of, latest, predicted_rows
from rowtrust.workflow.splitting import group_numbers
from rowtrust.workflow.tables import InputError


def part_of(y, groups=None, times=None):
    y = np.asarray(y)
    rows = np.arange(1, len(y) + 1)
    return Part(pd.DataFrame({"x": rows}), y, rows, groups=groups, times=times)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("is_classes", [True, False])
def test_no_group_is_in_two_folds_and_every_row_is_in_one(seed, is_classes):
    generator = np.random.default_rng(seed)
    groups = generator.integers(0, 40, 200)
    y = generator.integers(0, 2, 200) if is_classes else generator.normal(size=200)
    folds = folds_of(part_of(y, groups), is_classes, 3, seed)
    assert len(folds) == 3
    for train, test in folds:
        assert not set(groups[train]) & set(groups[test])
        assert 40 < len(test) < 95
        assert sorted([*train, *test]) == list(range(200))
    np.testing.assert_array_equal(predicted_rows(folds), np.arange(200))


@pytest.mark.parametrize("n_classes", [5, 15])
def test_classes_that_are_all_rarer_than_folds_are_folded_as_they_come(n_classes):
    y = np.tile(np.arange(n_classes), 2)
    folds = folds_of(part_of(y), True, 3, 0)
    np.testing.assert_array_equal(predicted_rows(folds), np.arange(2 * n_classes))
    assert len(folds) == 3


def test_two_groups_make_two_folds_and_one_none():
    assert len(folds_of(part_of([0, 1] * 10, np.repeat([0, 1], 10)), True, 3, 0)) == 2
    with pytest.raises(InputError, match="all rows are of one group"):
        folds_of(part_of([0, 1] * 10, np.zeros(20, dtype=int)), True, 3, 0)
    with pytest.raises(InputError, match="no fold has two classes"):
        folds_of(part_of(np.repeat([0, 1], 10), np.repeat([0, 1], 10)), True, 3, 0)


@pytest.mark.parametrize("n_moments", [5, 50, 10_000])
def test_folds_go_forward_in_time(n_moments):
    generator = np.random.default_rng(0)
    times = generator.integers(0, n_moments, 300).astype(float)
    folds = folds_of(part_of(generator.normal(size=300), times=times), False, 3, 0)
    assert len(folds) == 3
    for train, test in folds:
        assert times[train].max() < times[test].min()
        assert len(train) == (times < times[test].min()).sum()
    predicted = predicted_rows(folds)
    assert len(set(predicted)) == len(predicted)
    assert (times >= times[predicted].min()).sum() == len(predicted) >= 200


def test_forward_folds_need_two_classes_before_them():
    times = np.arange(40.0)
    folds = folds_of(part_of([0] * 15 + [0, 1] * 12 + [0], times=times), True, 3, 0)
    assert [len(train) for train, _ in folds] == [20, 30]
    with pytest.raises(InputError, match="too few times, or only one class"):
        folds_of(part_of([0] * 35 + [1] * 5, times=times), True, 3, 0)
    with pytest.raises(InputError, match="too few times"):
        folds_of(part_of([0, 1] * 20, times=np.zeros(40)), True, 3, 0)


@pytest.mark.parametrize("n_moments", [3, 20, 10_000])
@pytest.mark.parametrize("share", [0.1, 0.2, 0.5])
def test_the_latest_rows_are_later_than_all_others(n_moments, share):
    times = np.random.default_rng(1).integers(0, n_moments, 200).astype(float)
    found = latest(times, share)
    assert times[found].min() > times[~found].max()
    cuts = [(times >= moment).sum() for moment in np.unique(times)[1:]]
    assert abs(found.sum() - 200 * share) == min(abs(cut - 200 * share) for cut in cuts)


def test_rows_without_a_time_are_never_the_latest():
    times = np.array([-np.inf] * 8 + [1.0, 2.0])
    assert np.flatnonzero(latest(times, 0.5)).tolist() == [8, 9]
    with pytest.raises(InputError, match="one time"):
        latest(np.zeros(10), 0.2)


@pytest.mark.parametrize("seed", range(5))
def test_chosen_groups_are_whole_and_have_every_class_in_proportion(seed):
    generator = np.random.default_rng(seed)
    groups = np.concatenate([generator.integers(0, 30, 120), np.arange(30, 210)])
    strata = generator.choice(3, 300, p=[0.6, 0.3, 0.1])
    found = chosen_groups(groups, strata, 0.2, seed)
    assert not set(groups[found]) & set(groups[~found])
    for stratum in range(3):
        assert found[strata == stratum].mean() == pytest.approx(0.2, abs=0.05)
    assert found[:120].mean() == pytest.approx(0.2, abs=0.06)


def test_large_groups_are_still_split():
    groups = np.repeat([0, 1], [60, 40])
    found = chosen_groups(groups, np.zeros(100, dtype=int), 0.1, 0)
    assert set(groups[found]) == {1}


def test_groups_are_united_in_chains():
    one, other = np.array([0, 0, 1, 2, 3]), np.array([0, 1, 1, 2, 3])
    found = united(one, other)
    assert found[0] == found[1] == found[2]
    assert len(np.unique(found)) == 3
    assert united(np.arange(5)) is None
    assert united(np.arange(5), np.arange(5)) is None


def test_rows_without_a_group_stand_alone():
    found = group_numbers(pd.Series(["a", None, " a", None, "b"]))
    assert found[0] == found[2]
    assert len(np.unique(found)) == 4
    assert len(np.unique(group_numbers(pd.Series([1, 1, 2])))) == 2
