"""The table of rows, what the listed ones hold, and what they are called."""

import json
from dataclasses import replace
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rowtrust.datasets import flip_labels
from rowtrust.trust import Findings
from rowtrust.workflow import flagged, row_contents
from rowtrust.workflow.auditing import Audit
from rowtrust.workflow.checks.copies import distinct_rows
from rowtrust.workflow.checks.records import Check
from rowtrust.workflow.fitting import fit_model
from rowtrust.workflow.flagged import (
    ASKED,
    compared,
    flagged_rows,
    label_of,
    listed_rows,
    rank_rows,
    reason,
    records,
    table_of_rows,
    vouching,
    with_cut,
    wrong_rows_text,
)
from rowtrust.workflow.records import Part
from rowtrust.workflow.row_contents import contents, differ, in_words, middle, plainly
from rowtrust.workflow.tables.records import write_csv
from rowtrust.workflow.tables.schema import MISSING
from tests.workflow.conftest import fitted


def test_gross_errors_head_the_ranking(number_model):
    findings, table = rank_rows(number_model)
    assert set(table.index[:4]) == {1, 2, 3, 4}
    assert table.index.name == "row"
    assert flagged_rows(table) == table.index[: len(findings.flagged)].tolist()
    listed = table["list"].value_counts()
    assert listed["likely error"] == len(findings.flagged)
    assert listed.get("worth a look", 0) == len(findings.worth_a_look) - len(findings.flagged)
    assert (np.sort(table.index) == number_model.train.rows).all()
    assert {"residual", "nearest", "second_nearest"} <= set(table)
    assert "deviations above what the other rows predict; compare rows" in reason(table.iloc[0], "regression")


def test_classes_are_compared_with_rows_of_both_classes(class_model):
    _, table = rank_rows(class_model)
    label = dict(zip(class_model.train.rows, class_model.train.y, strict=True))
    for row in records(table):
        assert label[row["nearest_given"]] == row["given"]
        assert label[row["nearest_likely"]] == row["likely"]


def test_no_row_is_compared_with_a_listed_one(number_model):
    findings, table = rank_rows(number_model)
    beside = pd.concat([table["nearest"], table["second_nearest"]])
    assert len(findings.worth_a_look)
    assert not set(beside) & set(number_model.train.rows[findings.worth_a_look])
    x = number_model.train.X["x"].to_numpy()
    first = records(table)[0]
    gaps = np.abs(x - x[first["row"] - 1])
    assert gaps[first["nearest"] - 1] < 0.5


def test_no_row_full_of_gaps_is_the_nearest():
    """Its gaps are filled with medians, so that it was near to every row in the middle."""
    filled = np.array([[0.3, 0.3], [0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    X = pd.DataFrame(filled, columns=["a", "b"]).assign(word="w")
    X.loc[1] = [0.0, 0.0, MISSING]
    rows = Part(X, np.zeros(6), np.arange(1, 7))
    table = table_of_rows(found(0.9, *[0.001] * 5), filled, rows, "regression")
    assert table.loc[1, ["nearest", "second_nearest"]].tolist() == [3, 5]
    X.loc[2:, ["a", "b"]] = np.nan  # of a class that has no others they are taken
    rows = Part(X, np.array(["a", "a", "b", "b", "b", "b"]), np.arange(1, 7))
    labels = replace(found(0.9, *[0.001] * 5), likely=np.array(["b"] * 6))
    table = table_of_rows(labels, filled, rows, "classification")
    assert table.loc[1, ["nearest_given", "nearest_likely"]].tolist() == [2, 3]


def test_rows_that_are_not_compared_name_no_rows(number_model, monkeypatch):
    """Zero looked like the number of a row."""
    monkeypatch.setattr(flagged, "COMPARED_ROWS", 5)
    _, table = rank_rows(number_model)
    beside = table[["nearest", "second_nearest"]]
    assert beside[:5].notna().all(axis=None)
    assert beside[5:].isna().all(axis=None)
    written = StringIO()
    write_csv(table.reset_index(), written, "%.6g")
    names, *lines = (line.split(",") for line in written.getvalue().splitlines())
    fields = [dict(zip(names, line, strict=True)) for line in lines]
    assert fields[0]["nearest"] == str(table["nearest"].iloc[0])
    assert {each["nearest"] for each in fields[5:]} == {""}
    assert "compare" not in reason(table.iloc[5], "regression")
    assert contents(number_model, table[5:7])[table.index[5]].rows == []
    findings = found(*[0.1] * 80)
    (*_, last) = Audit("regression", "y", findings, table).as_json()["ranking"]
    assert json.loads(json.dumps(last))["nearest"] is None


def test_reasons_name_what_there_is_to_compare():
    row = {"given": "a", "likely": "b", "probability": 0.02, "nearest_given": pd.NA, "nearest_likely": 7}
    assert reason(row, "classification") == "P(a) = 2.0% given the other rows; compare row 7 (b)"
    assert reason({**row, "probability": 1e-5}, "classification").startswith(
        "P(a) < 0.1% given the other rows"
    )
    assert compared([(3, ""), (9, "")]) == "; compare rows 3 and 9"
    assert compared([(pd.NA, "")]) == ""


def test_rows_are_called_by_their_names(number_model):
    findings, _ = rank_rows(number_model)
    train = replace(number_model.train, ids=np.array([f"p{row}" for row in number_model.train.rows]))
    table = table_of_rows(findings, number_model.prepared, train, "regression")
    assert [f"p{row}" for row in table.index] == table["id"].tolist()
    assert label_of(records(table)[0]) == f"{table.index[0]} (p{table.index[0]})"


def found(*wrong):
    """Findings of rows of these probabilities."""
    wrong = np.array(wrong)
    nothing = np.zeros(len(wrong))
    return Findings(np.argsort(-wrong, kind="stable"), wrong, nothing, nothing, nothing, None)


def test_where_classes_overlap_more_flagged_rows_may_be_right():
    overlap = [Check("contradictions", "note", "4 rows have the same inputs but other classes.")]
    dirty, sure = found(*[0.8] * 10, *[0.001] * 50), found(0.99, *[0.001] * 50)
    why = "classes overlap here, and unusual but correct rows can look like errors."
    assert f"2 of them may be right). More of them may be right: {why}" in wrong_rows_text(
        dirty, overlap, "classification"
    )
    assert f"is a likely error. Some of them may be right: {why}" in wrong_rows_text(
        sure, overlap, "classification"
    )
    for findings, checks, task in (
        (dirty, [], "classification"),
        (dirty, overlap, "regression"),
        (found(*[0.001] * 50), overlap, "classification"),
    ):
        assert wrong_rows_text(findings, checks, task) == findings.summary


def test_a_cut_flags_the_first_rows_and_no_others():
    table = pd.DataFrame(
        {"list": ["likely error", "likely error", "worth a look", "", ""]}, index=[7, 3, 5, 1, 2]
    )
    assert with_cut(table, 1)["list"].tolist() == ["likely error", "worth a look", "worth a look", "", ""]
    longer = with_cut(table, 4)
    assert longer["list"].tolist() == ["likely error"] * 3 + [ASKED, ""]
    assert flagged_rows(longer) == [7, 3, 5, 1]
    shuffled = table.iloc[[4, 2, 0, 3, 1]]
    assert listed_rows(shuffled).index.tolist() == [7, 3, 5]


@pytest.fixture(scope="module")
def dirty_model(class_model):
    """The classes follow the first column alone; those of three rows well inside are flipped."""
    y = class_model.train.y.copy()
    inside = np.argsort(np.abs(class_model.train.X["first"].to_numpy()))[[50, 55, 60]]
    y[inside] = np.where(y[inside] == "yes", "no", "yes")
    rows = replace(class_model.train, y=y)
    return fit_model(class_model.schema, clone(class_model.estimator), rows, rows), inside + 1


def test_the_telling_column_stands_beside_the_neighbours(dirty_model):
    model, flipped = dirty_model
    _, table = rank_rows(model)
    shown = listed_rows(table)
    told = contents(model, shown)
    X = model.train.X
    assert set(flipped) <= set(told)
    for row in records(shown[shown.index.isin(flipped)]):
        content = told[row["row"]]
        assert content.rows == [row["nearest_likely"], row["nearest_given"]]
        assert content.targets == [row["likely"], row["given"]]
        column = content.columns[0]
        assert column.name == "first"
        assert column.value == X["first"].iloc[row["row"] - 1]
        assert [cell.value for cell in column.others] == [X["first"].iloc[each - 1] for each in content.rows]
        assert column.others[1].differs  # the row of the class as given lies on the other side
        assert in_words(content).startswith(f"first {plainly(column.value)} (")


def test_wide_tables_do_not_take_long(dirty_model, monkeypatch):
    model, _ = dirty_model
    _, table = rank_rows(model)
    monkeypatch.setattr(row_contents, "MOST_PREDICTIONS", 3)
    told = contents(model, table.head(3))
    assert all([column.name for column in each.columns] == ["first"] for each in told.values())
    assert contents(model, table.head(0)) == {}


def test_numbers_that_are_nearly_the_same_do_not_differ():
    assert not differ(1.0, 1.1, 1.0)
    assert differ(1.0, 2.0, 1.0)
    assert not differ(np.nan, 2.0, 1.0)  # nothing is known of a gap
    assert not differ("a", MISSING, None)
    assert not differ(np.nan, np.nan, 1.0)
    assert differ("a", "b", None)
    assert middle(pd.Series([1, 2, 9])) == 2
    assert middle(pd.Series(["a", "b", "b", None])) == "b"
    assert [plainly(each) for each in (np.nan, 0.123456, 18032.4, "word")] == [
        "\u2013",
        "0.1235",
        "18,032",
        "word",
    ]


def one_wrong(n_times):
    """Two classes, some labels wrong; the first row, at the rim, has the other's and is there so often."""
    generator = np.random.default_rng(0)
    x = generator.normal(size=(120, 2))
    given, _ = flip_labels(np.where(x[:, 0] > 0, "a", "b"), 0.08, random_state=0)
    table = pd.DataFrame(x, columns=["x", "z"]).assign(kind=given)
    table.loc[0] = [1.8, 1.8, "b"]
    return pd.concat([table, *[table.iloc[:1]] * (n_times - 1)], ignore_index=True)


@pytest.mark.parametrize("n_times", [2, 4])
def test_copies_of_a_wrong_row_do_not_vouch_for_each_other(n_times):
    once = rank_rows(fitted(one_wrong(1), "kind"))[1]["p_wrong"]
    model = fitted(one_wrong(n_times), "kind")
    often = rank_rows(model)[1]["p_wrong"]
    assert once[1] > 0.5
    for row in (1, *range(121, 120 + n_times)):
        assert often[row] == pytest.approx(once[1], abs=0.02)
    assert model.estimator.judge_rows(model.prepared, model.train.y).p_wrong[0] < once[1] - 0.2
    assert vouching(model) == []
    assert "support each other" in vouching(replace(model, n_fitted=10**6))[0]


def test_rows_that_look_alike_are_all_heard():
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.choice(list("abc"), size=(90, 3)))
    look_alike = generator.choice(["yes", "no"], 90)
    np.testing.assert_array_equal(distinct_rows(X, look_alike, True), np.arange(90))
    assert len(distinct_rows(X, X[0].to_numpy(), True)) == len(X.drop_duplicates())
