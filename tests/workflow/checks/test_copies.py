"""Rows that are there more than once."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rowtrust.workflow import Part
from rowtrust.workflow.checks.copies import (
    agreement,
    close_pairs,
    coordinates,
    find_copies,
    kept_together,
    reach,
    row_numbers,
    sizes,
    with_targets,
)
from rowtrust.workflow.checks.table import check_copies


def same_partition(one, other):
    """Whether two numberings put the same rows together."""
    return ((one[:, None] == one) == (other[:, None] == other)).all()


def chains(near):
    """The connected parts of a graph, by powers of its matrix."""
    reached = near | np.eye(len(near), dtype=bool)
    for _ in range(len(near).bit_length()):
        reached = (reached.astype(int) @ reached.astype(int)) > 0
    return reached.argmax(axis=1)


def mixed(n_rows=150, seed=0):
    """Numbers with gaps, and categories; every third row has near copies, every fifth an exact one."""
    generator = np.random.default_rng(seed)
    table = pd.DataFrame(generator.normal(size=(n_rows, 4)) * [1, 10, 0.01, 1e6], columns=list("abcd"))
    table["kind"] = generator.choice(["x", "y"], n_rows)
    table.loc[::7, "b"] = np.nan
    near = table.iloc[::3].copy()
    near["a"] += 1e-6 * generator.normal(size=len(near))
    return pd.concat([table, near, table.iloc[::5], near.iloc[::2]], ignore_index=True)


def test_equal_rows_have_equal_numbers_gaps_and_all():
    table = mixed()
    words = [repr(tuple(row)) for row in table.to_numpy(dtype=object)]
    assert same_partition(row_numbers(table), pd.factorize(np.array(words, dtype=object))[0])
    assert same_partition(row_numbers(table[["kind"]]), pd.factorize(table["kind"])[0])


@pytest.mark.parametrize("seed", range(3))
def test_near_rows_are_those_of_all_pairs(seed):
    table = mixed(seed=seed)
    numbers = list("abcd")
    points = coordinates(table, numbers)
    radius = reach(points)
    square = np.zeros((len(table), len(table)))
    for name in numbers:
        values = table[name].to_numpy()
        scaled = (values - np.nanmean(values)) / np.nanstd(values)
        gaps = np.isnan(scaled)
        apart = np.where(
            gaps[:, None] | gaps, np.where(gaps[:, None] & gaps, 0.0, np.inf), scaled[:, None] - scaled
        )
        square += apart**2
    near = (np.sqrt(square / 4) <= radius) & (table["kind"].to_numpy()[:, None] == table["kind"].to_numpy())
    pairs = close_pairs(points, radius)
    found = np.eye(len(table), dtype=bool)
    found[pairs[:, 0], pairs[:, 1]] = found[pairs[:, 1], pairs[:, 0]] = True
    np.testing.assert_array_equal(found, near)
    assert near.sum() > len(table)
    assert same_partition(find_copies(table).near, chains(near))


def test_a_table_that_is_there_twice_and_a_little_changed_is_found():
    generator = np.random.default_rng(0)
    once = pd.DataFrame(generator.normal(size=(200, 5)))
    found = find_copies(pd.concat([once, once.mul(1 + 1e-5)], ignore_index=True)).near
    np.testing.assert_array_equal(found[:200], found[200:])
    assert len(np.unique(found)) == 200


@pytest.mark.parametrize("n_columns", [1, 2, 3, 10])
def test_rows_drawn_at_random_are_no_near_copies(n_columns):
    table = pd.DataFrame(np.random.default_rng(1).normal(size=(2000, n_columns)))
    assert len(np.unique(find_copies(table).near)) >= 1999


def test_points_in_one_clump_end_soon_and_are_not_all_near():
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(4000, 3)))
    table.iloc[1000:] *= 1e-6
    found = find_copies(table)
    assert sizes(found.near).max() < 1000


def test_very_common_rows_are_not_kept_together_and_others_are():
    table = pd.DataFrame({"a": ["x"] * 60 + ["y"] * 3 + [f"z{k}" for k in range(37)]})
    groups = kept_together(find_copies(table))
    assert (sizes(groups)[:60] == 1).all()
    assert (sizes(groups)[60:63] == 3).all()
    assert (sizes(groups)[63:] == 1).all()


@pytest.mark.parametrize(("n_distinct", "n_times"), [(15, 4), (12, 50)])
def test_rows_entered_many_times_are_kept_together_in_small_tables_too(n_distinct, n_times):
    generator = np.random.default_rng(0)
    once = pd.DataFrame(generator.normal(size=(n_distinct, 3))).assign(y=generator.choice([0, 1], n_distinct))
    given = pd.concat([once] * n_times, ignore_index=True)
    groups = kept_together(find_copies(given[[0, 1, 2]], given["y"].to_numpy()))
    np.testing.assert_array_equal(groups, np.tile(groups[:n_distinct], n_times))
    assert len(np.unique(groups)) == n_distinct


def test_few_combinations_that_agree_in_the_target_are_split_but_that_is_severe():
    inputs = pd.DataFrame({"a": list("uuvv") * 30, "b": list("wxwx") * 30})
    found = check(part_of(inputs, ["same", "other", "other", "same"] * 30))["common inputs"]
    assert found.severity == "severe"
    assert "and mostly their targets, so that the scores of the model are inflated." in found.message
    assert found.cure
    natural = check(part_of(inputs, np.random.default_rng(0).choice(["same", "other"], 120)))
    assert natural["common inputs"].severity == "note"


def part_of(inputs, y):
    return Part(inputs, np.asarray(y), np.arange(1, len(y) + 1))


def check(part, is_classes=True):
    return {
        each.code: each for each in check_copies(part, find_copies(part.X, part.y, is_classes), is_classes)
    }


def test_copies_and_contradictions_are_told_with_their_rows():
    generator = np.random.default_rng(0)
    inputs = pd.DataFrame(generator.normal(size=(100, 3)))
    inputs = pd.concat([inputs, inputs.iloc[:20], inputs.iloc[50:51]], ignore_index=True)
    y = np.array(["a", "b"] * 50 + ["a", "b"] * 10 + ["b"])
    assert y[50] == "a"
    found = check(part_of(inputs, y))
    assert set(found) == {"copies", "contradictions"}
    assert found["copies"].severity == found["contradictions"].severity == "warning"
    assert found["copies"].message.startswith("20 of 121 rows repeat another row")
    assert found["copies"].rows[:4] == (1, 101, 2, 102)
    assert found["contradictions"].rows == (51, 121)
    assert found["contradictions"].rows_text() == "Rows 51, 121"
    assert not check(part_of(inputs.iloc[:100], y[:100]))


def test_rows_of_few_values_are_called_alike_not_copied():
    generator = np.random.default_rng(0)
    inputs = pd.DataFrame(generator.choice(list("abc"), size=(300, 4)))
    y = generator.choice(["yes", "no"], 300)
    found = check(part_of(inputs, y))
    assert {each.severity for each in found.values()} == {"note"}
    assert "look alike" in found["copies"].message
    assert agreement(row_numbers(inputs), y, True) < 0.3


def test_near_and_common_rows_are_told():
    generator = np.random.default_rng(0)
    inputs = pd.DataFrame(generator.normal(size=(100, 3)))
    inputs = pd.concat([inputs, inputs.iloc[3:5] + 1e-7], ignore_index=True)
    found = check(part_of(inputs, generator.normal(size=102)), is_classes=False)
    assert set(found) == {"near copies"}
    assert found["near copies"].rows == (4, 101, 5, 102)
    assert found["near copies"].severity == "warning"
    few = pd.DataFrame(generator.normal(size=(500, 3)))
    few = pd.concat([few, few.iloc[:1] + 1e-7], ignore_index=True)
    assert check(part_of(few, generator.normal(size=501)), is_classes=False)["near copies"].severity == "note"
    common = pd.DataFrame({"a": ["x"] * 30 + [f"w{k}" for k in range(70)]})
    found = check(part_of(common, [0, 1] * 50))
    assert "30 of 100 rows have one combination of inputs" in found["common inputs"].message


def test_targets_are_part_of_a_whole_copy():
    exact, y = np.array([0, 0, 0, 1]), np.array(["b", "b", "a", "b"])
    assert same_partition(with_targets(exact, y), np.array([0, 0, 1, 2]))
    assert agreement(np.arange(4), y, True) == 1.0


def test_a_leak_does_not_make_rows_that_look_alike_into_copies():
    generator = np.random.default_rng(0)
    inputs = pd.DataFrame(generator.choice(list("abcde"), size=(300, 4))).rename(columns=str)
    y = generator.choice(["yes", "no"], 300)
    part = part_of(inputs.assign(leak=y), y)
    copies = find_copies(part.X)
    assert check_copies(part, copies, True)[0].severity == "warning"
    assert check_copies(part, copies, True, ["leak"])[0].severity == "note"


def test_what_becomes_of_copies_is_told():
    inputs = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 2)))
    inputs = pd.concat([inputs, inputs.iloc[:2]], ignore_index=True)
    part = part_of(inputs, [0, 1] * 26)
    assert "They stay together in every split." in check(part)["copies"].message
    ordered = replace(part, times=np.arange(52.0))
    assert "Splits by time do not keep them together" in check(ordered)["copies"].message


def test_of_one_large_group_the_few_that_differ_are_listed():
    """Of 60 rows of the same inputs seven have another class: they are named, not the 53."""
    inputs = pd.DataFrame({"a": ["x"] * 60 + [f"w{k}" for k in range(200)]})
    y = np.array(["yes"] * 60 + ["yes", "no"] * 100)
    y[[3, 9, 20, 33, 41, 50, 59]] = "no"
    found = check(part_of(inputs, y))["contradictions"]
    assert found.rows == (4, 10, 21, 34, 42, 51, 60)
    assert "7 of them differ from most rows of the same inputs" in found.message
