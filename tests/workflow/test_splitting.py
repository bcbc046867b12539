"""Which rows are used."""

import numpy as np
import pandas as pd
import pytest

from rowtrust.workflow import Part, Settings
from rowtrust.workflow.splitting import divided, rows_of_test, sample, usable
from rowtrust.workflow.tables import InputError


def table(n_rows=40):
    generator = np.random.default_rng(0)
    x = generator.normal(size=n_rows)
    found = pd.DataFrame({"x": x, "kind": np.where(x > 0, "a", "b")})
    found.loc[3, "kind"] = None
    return found


def test_columns_to_keep_are_inputs():
    table = pd.DataFrame({"x": np.linspace(0, 1, 40), "id": range(40), "y": [0, 1] * 20})
    assert usable(table, Settings("d", "y"))[0].names == ["x"]
    assert usable(table, Settings("d", "y", keep=("id",)))[0].names == ["x", "id"]


def test_rows_without_a_target_are_left_out_and_numbers_are_those_of_the_file():
    _, rows = usable(table(), Settings("d", "kind"))
    assert len(rows.y) == 39
    assert rows.rows[:4].tolist() == [1, 2, 3, 5]
    with pytest.raises(InputError, match="only 9 rows have a target; at least 10"):
        usable(table(10), Settings("d", "kind"))


def test_training_and_test_rows_are_all_rows_once():
    schema, rows = usable(table(), Settings("d", "kind"))
    train, held_out = divided(schema, rows, Settings("d", "kind", test=0.25), None)
    assert len(held_out.y) == 10
    assert sorted([*train.rows, *held_out.rows]) == rows.rows.tolist()
    assert (np.diff(train.rows) > 0).all()
    share = np.mean(rows.y == "a")
    assert np.mean(held_out.y == "a") == pytest.approx(share, abs=0.06)
    assert divided(schema, rows, Settings("d", "kind", test=0.0), None) == (rows, None)


def test_a_share_that_leaves_no_row_of_a_class_is_refused():
    schema, rows = usable(table(), Settings("d", "kind"))
    with pytest.raises(InputError, match=r"cannot be held out.*--no-test"):
        divided(schema, rows, Settings("d", "kind", test=0.01), None)


def test_test_files_need_the_target_and_known_classes():
    schema, rows = usable(table(), Settings("d", "kind"))
    given = table(12)
    assert rows_of_test(schema, rows, given).rows.tolist() == [1, 2, 3, *range(5, 13)]
    with pytest.raises(InputError, match="no column 'kind'"):
        rows_of_test(schema, rows, given.drop(columns="kind"))
    with pytest.raises(InputError, match="class 'c', which the data lack"):
        rows_of_test(schema, rows, given.assign(kind="c"))
    numbers = given.assign(kind=np.arange(12.0))
    schema, rows = usable(numbers, Settings("d", "kind", task="regression"))
    assert rows_of_test(schema, rows, numbers).y.tolist() == list(range(12))


def test_samples_keep_the_order():
    _, rows = usable(table(), Settings("d", "kind"))
    assert sample(rows, 39, 0, True) is sample(rows, 39, 0, False) is rows
    few = sample(rows, 10, 0, False)
    assert len(few.y) == 10
    assert (np.diff(few.rows) > 0).all()


def test_samples_have_every_class_in_proportion():
    y = np.repeat(["common", "rare", "few"], [900, 95, 5])
    part = Part(pd.DataFrame({"x": np.arange(1000)}), y, np.arange(1000))
    found = sample(part, 200, 0, True)
    names, counts = np.unique(found.y, return_counts=True)
    assert dict(zip(names, counts.tolist(), strict=True)) == {"common": 180, "few": 5, "rare": 19}
    assert (np.diff(found.rows) > 0).all()


def cases(n_rows=120, seed=0):
    """Patients with several rows each, dates and names; the inputs are all different."""
    generator = np.random.default_rng(seed)
    x = generator.normal(size=n_rows)
    day = pd.Timestamp("2020-01-01") + pd.to_timedelta(generator.integers(0, 90, n_rows), unit="D")
    found = pd.DataFrame({"x": x, "z": generator.normal(size=n_rows), "kind": np.where(x > 0, "a", "b")})
    found["patient"] = [f"p{number}" for number in generator.integers(0, 30, n_rows)]
    found["date"] = day.strftime("%d.%m.%Y")
    found["name"] = [f"row {number}" for number in range(n_rows)]
    return found


def settings(**given):
    """The columns that say what rows are are no inputs: those that are not named are dropped."""
    aside = {"patient", "date", "name"} - {given.get(name) for name in ("group", "time", "id")}
    return Settings("d", "kind", drop=tuple(sorted(aside)), **given)


@pytest.mark.parametrize("seed", range(4))
def test_no_group_is_on_both_sides(seed):
    asked, given = settings(group="patient", seed=seed), cases(seed=seed)
    schema, rows = usable(given, asked)
    assert schema.names == ["x", "z"]
    assert ("patient", "groups the rows") in schema.left_out
    train, held_out = divided(schema, rows, asked, None)
    patient = given["patient"].to_numpy()
    assert not set(patient[train.rows - 1]) & set(patient[held_out.rows - 1])
    assert sorted([*train.rows, *held_out.rows]) == rows.rows.tolist()
    assert 15 <= len(held_out.y) <= 33
    assert np.mean(held_out.y == "a") == pytest.approx(np.mean(rows.y == "a"), abs=0.15)


def test_the_latest_rows_judge():
    asked, given = settings(time="date", id="name"), cases()
    schema, rows = usable(given, asked)
    train, held_out = divided(schema, rows, asked, None)
    day = pd.to_datetime(given["date"], format="%d.%m.%Y")
    assert day[train.rows - 1].max() < day[held_out.rows - 1].min()
    assert 20 <= len(held_out.y) <= 28
    assert held_out.ids.tolist() == [f"row {number - 1}" for number in held_out.rows]


def test_the_latest_groups_judge_where_there_are_both():
    asked, given = settings(time="date", group="patient"), cases()
    schema, rows = usable(given, asked)
    train, held_out = divided(schema, rows, asked, None)
    given["date"] = pd.to_datetime(given["date"], format="%d.%m.%Y")
    first = given.groupby("patient")["date"].transform("min")
    assert first[train.rows - 1].max() < first[held_out.rows - 1].min()
    assert not set(given["patient"][train.rows - 1]) & set(given["patient"][held_out.rows - 1])


def test_columns_aside_must_be_there_and_not_be_the_target():
    with pytest.raises(InputError, match=r"no column 'Patient'.*Did you mean 'patient'"):
        usable(cases(), settings(group="Patient"))
    with pytest.raises(InputError, match="--time names the target 'kind'"):
        usable(cases(), settings(time="kind"))
    with pytest.raises(InputError, match="'patient' of --group has one value"):
        usable(cases().assign(patient="p"), settings(group="patient"))


def test_a_column_that_is_dropped_can_still_be_the_group():
    _, rows = usable(cases(), Settings("d", "kind", drop=("patient", "date", "name"), group="patient"))
    assert len(np.unique(rows.groups)) == cases()["patient"].nunique()


def test_test_rows_have_names():
    asked, given = settings(id="name"), cases()
    schema, rows = usable(given, asked)
    assert divided(schema, rows, asked, given.iloc[:20])[1].ids.tolist() == given["name"][:20].tolist()
    assert divided(schema, rows, asked, given.iloc[:20].drop(columns="name"))[1].ids is None


@pytest.mark.parametrize("target", ["kind", "z"])
def test_test_rows_have_groups(target):
    """Without them, intervals were those of rows that stand alone."""
    given = cases()
    asked = Settings("d", target, drop=("date", "name"), group="patient")
    schema, rows = usable(given, asked)
    given.loc[[1, 3], target] = None
    held_out = divided(schema, rows, asked, given.iloc[:40])[1]
    patients = pd.factorize(given["patient"][held_out.rows - 1])[0]
    assert len(held_out.y) == 38
    np.testing.assert_array_equal(held_out.groups, patients)
    assert divided(schema, rows, asked, given.iloc[:40].drop(columns="patient"))[1].groups is None
