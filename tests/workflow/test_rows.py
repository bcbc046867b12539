"""The rows of a study: checked, split, and said how."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rowtrust.workflow import Settings, run_study
from rowtrust.workflow.rows import cross_fitted, study_rows
from rowtrust.workflow.streaming import WholeFile
from rowtrust.workflow.tables import InputError, Layout

ASKED = Settings("d", "kind", model="plain", fast=True)


def table(n_rows=120, seed=0):
    """Inputs of which the first says the class mostly; a patient has about four rows."""
    generator = np.random.default_rng(seed)
    x, z, noise = generator.normal(size=(3, n_rows))
    found = pd.DataFrame({"x": x, "z": z, "kind": np.where(x + 0.7 * noise > 0, "a", "b")})
    return found.assign(patient=generator.integers(0, 30, n_rows), day=np.arange(n_rows)[::-1])


def plain(**given):
    return table(**given).drop(columns=["patient", "day"])


def codes(found):
    return {each.code: each for each in found.checks}


def test_copies_of_a_row_are_on_one_side():
    generator = np.random.default_rng(0)
    doubled = pd.concat([plain()] * 2, ignore_index=True)
    doubled.loc[120:, "x"] += 1e-7 * generator.normal(size=120)
    found = study_rows(doubled, ASKED)
    assert not set((found.train.rows - 1) % 120) & set((found.held_out.rows - 1) % 120)
    assert found.how == "test rows the model has not seen, duplicates kept together"
    assert codes(found)["near copies"].severity == "warning"
    predicted, how = cross_fitted(found.everything, True, ASKED)
    assert how == "3-fold cross-fitting of the training rows, duplicates kept together"
    assert len(predicted.y) == 240


def test_copies_join_the_groups_of_a_column():
    given = table().drop(columns="day")
    given = pd.concat([given, given.iloc[:1].assign(patient=99), given.iloc[1:2]], ignore_index=True)
    found = study_rows(given, replace(ASKED, group="patient"))
    groups = found.everything.groups
    assert groups[0] == groups[120] != groups[1]
    assert groups[1] == groups[121]
    assert (groups[given["patient"] == given["patient"][0]] == groups[120]).all()
    assert found.how.startswith("test rows the model has not seen, no 'patient' in both")


def test_rows_that_look_alike_are_told_where_they_are_on_both_sides():
    generator = np.random.default_rng(0)
    given = pd.DataFrame({"a": generator.choice(["u", "v"], 80), "kind": generator.choice(["y", "n"], 80)})
    found = study_rows(given, ASKED)
    assert ", duplicates kept together except the commonest;" in found.how
    assert found.how.endswith(f"; {len(found.held_out.y)} of them have the inputs of a training row")
    assert codes(found)["common inputs"].severity == "note"


def test_the_commonest_rows_are_told_in_cross_fitting_too():
    given = pd.concat([plain(n_rows=100), *[plain(n_rows=1)] * 31], ignore_index=True)
    given.loc[100::2, "kind"] = "a"
    given.loc[101::2, "kind"] = "b"
    given = pd.concat([given, given.iloc[50:51]], ignore_index=True)
    rows = study_rows(given, replace(ASKED, test=0.0)).everything
    how = cross_fitted(rows, True, ASKED)[1]
    assert how.endswith("duplicates kept together except the commonest")


def test_time_is_told():
    found = study_rows(table().drop(columns="patient"), replace(ASKED, time="day"))
    assert found.how == "the latest 20 % of the rows by 'day'"
    assert found.held_out.rows.tolist() == list(range(1, 25))
    assert codes(found)["time"].message == "'day' was read as from 0 to 119."
    predicted, how = cross_fitted(found.everything, True, replace(ASKED, time="day"))
    assert how == "the later rows by 'day', each part predicted from the rows before it"
    assert predicted.rows.max() == 90


def test_groups_in_time_are_told():
    found = study_rows(table(), replace(ASKED, time="day", group="patient"))
    assert "by 'day', counted from the first of each 'patient', which is never cut" in found.how
    assert not set(found.train.groups) & set(found.held_out.groups)


def test_gaps_and_names_are_told():
    given = table()
    given.loc[:4, "patient"] = None
    given.loc[:2, "day"] = None
    found = codes(study_rows(given.assign(name="n"), replace(ASKED, time="day", group="patient", id="name")))
    assert found["rows without a group"].message.startswith("5 rows have no 'patient'")
    assert found["rows without a time"].message.startswith("3 rows have no 'day'")
    assert "--group 'name'" in found["repeated names"].cure


def test_strict_names_all_severe_findings_and_only_then():
    given = plain()
    given = given.assign(alive=given["kind"].map({"a": "yes", "b": "no"}), code=given["kind"] == "a")
    found = study_rows(given, ASKED)
    assert [each.severity for each in found.checks[:2]] == ["severe", "severe"]
    assert "alive" in found.schema.names
    with pytest.raises(InputError, match=r"--strict: 2 severe findings: .*--drop 'alive'.*--drop 'code'"):
        study_rows(given, replace(ASKED, strict=True))
    assert study_rows(plain(), replace(ASKED, strict=True)).checks == []


def test_a_test_file_that_repeats_training_rows_is_severe():
    given, other = plain(), plain(seed=1)
    found = study_rows(given, ASKED, pd.concat([other, given.iloc[:7]], ignore_index=True))
    check = codes(found)["test rows in training"]
    assert check.severity == "severe"
    assert "7 of 127 rows" in check.message
    assert check.rows == (121, 122, 123, 124, 125, 126, 127)
    assert found.how == "the rows of the test file; 7 of them have the inputs of a training row"
    assert not study_rows(given, ASKED, other).checks
    assert study_rows(given, ASKED, other).how == "the rows of the test file"


def test_a_test_file_of_the_same_groups_is_severe():
    given, asked = table().drop(columns="day"), replace(ASKED, group="patient")
    other = table(seed=1).drop(columns="day")
    check = codes(study_rows(given, asked, other))["test groups in training"]
    assert check.severity == "severe"
    assert not codes(study_rows(given, asked, other.assign(patient=other["patient"] + 100)))
    with_a_gap = other.assign(patient=[None, *other["patient"][1:]]).astype({"patient": float})
    again = codes(study_rows(given, asked, with_a_gap))["test groups in training"]
    assert again.message.startswith(f"{int(other['patient'][1:].isin(given['patient']).sum())} of 120 rows")
    assert again.rows[0] == 2
    assert "test groups unknown" in codes(study_rows(given, asked, other.drop(columns="patient")))


def test_large_files_refuse_groups_and_say_where_copies_were_sought():
    file = WholeFile("data.csv", Layout(), 500_000)
    with pytest.raises(InputError, match=r"--group cannot keep test rows.*500000 rows.*--fast.*--test FILE"):
        study_rows(table(), replace(ASKED, group="patient"), file=file)
    with pytest.raises(InputError, match="--time cannot"):
        study_rows(table(), replace(ASKED, time="day"), file=file)
    assert study_rows(table(), replace(ASKED, group="patient", test=0.0), file=file).held_out is None
    doubled = pd.concat([plain(), plain().iloc[:5]], ignore_index=True)
    assert "copies beyond the sample" in codes(study_rows(doubled, ASKED, file=file))


def test_a_study_is_judged_forward_in_time_without_test_rows():
    given = table().drop(columns="patient")
    given["leak"] = given["kind"].map({"a": 1, "b": 2})
    study = run_study(given, replace(ASKED, time="day", test=0.0))
    assert study.judged.rows.rows.max() == 90
    assert len(study.judged.prediction) == len(study.judged.rows.y) == 90
    assert "each part predicted from the rows before it" in study.judged.how
    assert [each.code for each in study.checks] == ["leak", "time"]
