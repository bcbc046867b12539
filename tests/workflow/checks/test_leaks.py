"""Columns that know the target."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rowtrust.workflow import Part
from rowtrust.workflow.checks.leaks import (
    LOOKED_AT,
    MOST_COLUMNS,
    column_alone,
    find_leaks,
    percent,
    promising,
)

N_ROWS = 300


def honest(seed=0):
    """Two inputs that say something of a number, one that says nothing."""
    generator = np.random.default_rng(seed)
    first, second, third = generator.normal(size=(3, N_ROWS))
    y = first + 0.5 * second + generator.normal(size=N_ROWS)
    return pd.DataFrame({"first": first, "second": second, "third": third}), y


def leaks(inputs, y, is_classes):
    found = find_leaks(Part(inputs, np.asarray(y), np.arange(1, len(y) + 1)), is_classes)
    return {each.columns[0]: each for each in found}


def test_honest_columns_are_no_leaks():
    inputs, y = honest()
    assert not leaks(inputs, y, False)
    assert not leaks(inputs, y > 0, True)


@pytest.mark.parametrize(
    "transform",
    [
        lambda y: 100 * y - 3,
        lambda y: -np.exp(y),
        lambda y: y**3,
        lambda y: np.round(y, 3),
        lambda y: pd.Series(y).rank().to_numpy(),
    ],
    ids=["affine", "falling", "cube", "rounded", "rank"],
)
def test_a_transform_of_the_target_is_a_leak(transform):
    inputs, y = honest()
    found = leaks(inputs.assign(copy=transform(y)), y, False)
    assert list(found) == ["copy"]
    assert found["copy"].severity == "severe"
    assert "--drop 'copy'" in found["copy"].cure


def test_a_transform_shows_though_some_targets_are_wrong_or_gone():
    inputs, y = honest()
    cents = 100 * y
    wrong = y.copy()
    wrong[::20] += 50
    assert leaks(inputs.assign(cents=cents), wrong, False)["cents"].severity == "severe"
    cents[::30] = np.nan
    assert leaks(inputs.assign(cents=cents), y, False)["cents"].severity == "severe"


def test_other_names_of_the_classes_are_a_leak_and_so_are_their_gaps():
    inputs, y = honest()
    label = np.where(y > 2.5, "rare", np.where(y > 0, "yes", "no"))
    label[0] = "only one"
    code = pd.Series(label).map({"rare": 7, "yes": 1, "no": 3, "only one": 4})
    assert leaks(inputs.assign(code=code), label, True)["code"].severity == "severe"
    assert leaks(inputs.assign(code=code.astype(str)), label, True)["code"].severity == "severe"
    survived = y > 0
    boat = pd.Series(np.where(survived, 5.0, np.nan))
    assert leaks(inputs.assign(boat=boat), survived, True)["boat"].severity == "severe"


def test_a_finer_code_than_the_classes_is_a_leak():
    inputs, y = honest()
    part = np.random.default_rng(0).integers(0, 5, N_ROWS).astype(str)
    fine = pd.Series(np.where(y > 0, "y", "n")) + part
    assert leaks(inputs.assign(fine=fine), y > 0, True)["fine"].severity == "severe"


def test_two_leaks_do_not_excuse_each_other():
    inputs, y = honest()
    assert set(leaks(inputs.assign(one=2 * y, two=y - 1), y, False)) == {"one", "two"}


def test_a_strong_column_is_at_most_a_warning():
    inputs, y = honest()
    noise = np.random.default_rng(1).normal(size=N_ROWS)
    found = leaks(inputs.assign(strong=y + 0.08 * noise), y, False)
    assert found["strong"].severity == "warning"


def test_easy_targets_accuse_nobody():
    generator = np.random.default_rng(0)
    kind = np.repeat([0, 1, 2], 50)
    inputs = pd.DataFrame({name: kind + 0.05 * generator.normal(size=150) for name in "abc"})
    inputs["d"] = kind + 0.2 * generator.normal(size=150)
    inputs["e"] = 2 * kind + 0.4 * generator.normal(size=150)
    assert all(each.severity != "severe" for each in leaks(inputs, kind, True).values())


def test_few_rows_accuse_nobody():
    inputs, y = honest()
    assert not leaks(inputs.assign(copy=y).iloc[:29], y[:29], False)


def test_columns_are_judged_by_rows_they_were_not_learnt_from():
    """A name of every row says the target of rows it was learnt from, and nothing of others."""
    inputs, y = honest()
    part = Part(inputs.assign(name=[f"n{k}" for k in range(N_ROWS)]), y, np.arange(N_ROWS))
    assert column_alone(part, "name", False, 0).score < 0.1


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")  # of constant ranks
def test_many_columns_and_rows_are_thinned_out_and_the_leak_stays():
    generator = np.random.default_rng(0)
    inputs = pd.DataFrame(generator.normal(size=(60, MOST_COLUMNS + 100))).rename(columns=str)
    y = generator.normal(size=60)
    inputs["leak"] = np.exp(y)
    part = Part(inputs, y, np.arange(60))
    assert len(promising(part, False)) == MOST_COLUMNS
    assert "leak" in promising(part, False)
    label = np.where(y > 0, "a", "b")
    inputs["leak"] = pd.Series(label).map({"a": "u", "b": "v"})
    assert "leak" in promising(Part(inputs, label, np.arange(60)), True)
    many = pd.DataFrame({"x": np.arange(LOOKED_AT * 3.0), "z": 1.0})
    assert leaks(many, many["x"].to_numpy(), False)["x"].severity == "severe"


def test_the_only_column_may_say_all():
    _, y = honest()
    assert leaks(pd.DataFrame({"x": y}), y, False)["x"].severity == "warning"


def test_percent_is_a_hundred_only_if_nothing_is_missing():
    assert [percent(1.0), percent(0.9999), percent(0.5)] == ["100 %", "99.9 %", "50 %"]


@pytest.mark.skipif("ROWTRUST_DATA" not in os.environ, reason="needs the public tables")
def test_leaks_of_public_tables():
    folder = Path(os.environ["ROWTRUST_DATA"]) / "tables"
    titanic = pd.read_csv(folder / "titanic.csv")
    inputs, y = titanic.drop(columns="survived"), titanic["survived"].to_numpy()
    assert list(leaks(inputs, y, True)) == ["alive"]
    assert not leaks(inputs.drop(columns="alive"), y, True)
    tips = pd.read_csv(folder / "tips.csv")
    inputs, y = tips.drop(columns="tip"), tips["tip"].to_numpy()
    assert list(leaks(inputs.assign(tip_cents=100 * y), y, False)) == ["tip_cents"]
    assert not leaks(inputs.assign(total=tips["total_bill"] + y), y, False)
