"""The table of suspects, what its rows hold, and what they are called."""

import json
from dataclasses import replace
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rowtrust.auditing import Findings, audit_fit
from rowtrust.workflow import suspects, telling
from rowtrust.workflow.auditing import Audit
from rowtrust.workflow.checks import Check
from rowtrust.workflow.checks.copies import distinct_rows
from rowtrust.workflow.fitting import fit_model
from rowtrust.workflow.records import Part
from rowtrust.workflow.suspects import (
    ASKED,
    HARD,
    LIKELY_WRONG,
    compared,
    doubted,
    find_suspects,
    label_of,
    reason,
    standing,
    suspect_rows,
    suspect_table,
    vouching,
    wrong_rows_told,
)
from rowtrust.workflow.tables.schema import MISSING
from rowtrust.workflow.tables.writing import write_csv
from rowtrust.workflow.telling import contents, differ, in_words, middle, plainly
from tests.workflow.conftest import fitted


def test_gross_errors_head_the_ranking(number_model):
    findings, table = find_suspects(number_model)
    assert set(table["row"][:4]) == {1, 2, 3, 4}
    assert table["suspect"].sum() == len(findings.suspects)
    assert suspect_rows(table) == table["row"][: len(findings.suspects)].tolist()
    assert (np.sort(table["row"]) == number_model.train.rows).all()
    assert {"residual", "nearest", "second_nearest"} <= set(table)
    assert "deviations above what the other rows say; compare rows" in reason(table.iloc[0], "regression")


def test_classes_are_compared_with_rows_of_both_classes(class_model):
    _, table = find_suspects(class_model)
    label = dict(zip(class_model.train.rows, class_model.train.y, strict=True))
    for row in table.to_dict("records"):
        assert label[row["nearest_given"]] == row["given"]
        assert label[row["nearest_likely"]] == row["likely"]


def test_no_row_is_compared_with_a_doubted_one(number_model):
    findings, table = find_suspects(number_model)
    wrong = dict(zip(number_model.train.rows, findings.wrong, strict=True))
    beside = pd.concat([table["nearest"], table["second_nearest"]])
    assert max(wrong[row] for row in beside) < 0.2
    x = number_model.train.X["x"].to_numpy()
    first = table.iloc[0]
    gaps = np.abs(x - x[first["row"] - 1])
    assert gaps[first["nearest"] - 1] < 0.5


def test_no_row_full_of_gaps_is_the_nearest():
    """Its gaps are filled with medians, so that it was near to every row in the middle."""
    filled = np.array([[0.3, 0.3], [0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    X = pd.DataFrame(filled, columns=["a", "b"]).assign(word="w")
    X.loc[1] = [0.0, 0.0, MISSING]
    rows = Part(X, np.zeros(6), np.arange(1, 7))
    table = suspect_table(found(0.9, *[0.001] * 5), filled, rows, "regression")
    assert table.loc[0, ["row", "nearest", "second_nearest"]].tolist() == [1, 3, 5]
    X.loc[2:, ["a", "b"]] = np.nan  # of a class that has no others they are taken
    rows = Part(X, np.array(["a", "a", "b", "b", "b", "b"]), np.arange(1, 7))
    labels = replace(found(0.9, *[0.001] * 5), likely=np.array(["b"] * 6))
    table = suspect_table(labels, filled, rows, "classification")
    assert table.loc[0, ["nearest_given", "nearest_likely"]].tolist() == [2, 3]


def test_rows_that_are_not_compared_name_no_rows(number_model, monkeypatch):
    """Zero looked like the number of a row."""
    monkeypatch.setattr(suspects, "COMPARED_ROWS", 5)
    _, table = find_suspects(number_model)
    beside = table[["nearest", "second_nearest"]]
    assert beside[:5].notna().all(axis=None)
    assert beside[5:].isna().all(axis=None)
    written = StringIO()
    write_csv(table, written, "%.6g")
    fields = [dict(zip(table, line.split(","), strict=True)) for line in written.getvalue().split()[1:]]
    assert fields[0]["nearest"] == str(table["nearest"][0])
    assert {each["nearest"] for each in fields[5:]} == {""}
    assert "compare" not in reason(table.iloc[5], "regression")
    assert contents(number_model, table[5:7])[table["row"][5]].rows == []
    findings = found(*[0.1] * 80)
    (*_, last) = Audit("regression", "y", findings, table).as_json()["ranking"]
    assert json.loads(json.dumps(last))["nearest"] is None


def test_reasons_name_what_there_is_to_compare():
    row = {"given": "a", "likely": "b", "probability": 0.02, "nearest_given": pd.NA, "nearest_likely": 7}
    assert reason(row, "classification") == "P(a) = 2.0% by the other rows; compare row 7 (b)"
    assert reason({**row, "probability": 1e-5}, "classification").startswith("P(a) < 0.1% by the other rows")
    assert compared([(3, ""), (9, "")]) == "; compare rows 3 and 9"
    assert compared([(pd.NA, "")]) == ""


def test_rows_are_called_by_their_names(number_model):
    findings, _ = find_suspects(number_model)
    train = replace(number_model.train, ids=np.array([f"p{row}" for row in number_model.train.rows]))
    table = suspect_table(findings, number_model.prepared, train, "regression")
    assert [f"p{row}" for row in table["row"]] == table["id"].tolist()
    assert label_of(table.to_dict("records")[0]) == f"{table['row'][0]} (p{table['row'][0]})"


def found(*wrong):
    """Findings of rows of these probabilities."""
    wrong = np.array(wrong)
    nothing = np.zeros(len(wrong))
    return Findings(np.argsort(-wrong, kind="stable"), wrong, nothing, nothing, nothing, nothing, None)


def test_words_do_not_call_everything_wrong():
    clean = found(*[0.001] * 50)
    assert clean.summary == "None of 50 rows is likely wrong."
    doubtful = found(0.3, 0.25, *[0.001] * 50)
    assert doubtful.summary == (
        "None of 52 rows is likely wrong. 2 rows are hard to judge. "
        "In all about 1 (1.2%) is expected to be wrong."
    )
    assert doubtful.hard.tolist() == [0, 1]
    dirty = found(0.95, 0.9, 0.4, 0.1)
    assert dirty.summary == (
        "2 of 4 rows are likely wrong. 1 more row is hard to judge. "
        "In all about 2 (58.8%) are expected to be wrong."
    )


@pytest.mark.parametrize("seed", range(5))
def test_figures_do_not_contradict_each_other(seed):
    wrong = np.random.default_rng(seed).beta(0.2, 2.0, 200)
    findings = found(*wrong)
    assert not set(findings.suspects) & set(findings.hard)
    assert wrong[findings.hard].min() >= 0.2
    named = {*findings.suspects, *findings.hard}
    assert all(wrong[row] < 0.2 for row in range(200) if row not in named)
    sure, total = wrong[findings.suspects].sum(), wrong.sum()
    assert sure + findings.missed == pytest.approx(total) == pytest.approx(200 * findings.share)


def test_rows_that_are_expected_to_be_wrong_need_not_be_listed():
    """Of two that are listed one may be right, so "in all" fewer: that read like a contradiction."""
    told = wrong_rows_told(found(0.8, 0.75, *[0.001] * 50), [], "classification")
    assert told.endswith("In all, listed or not, about 2 (3.1%) are expected to be wrong.")
    assert wrong_rows_told(found(*[0.001] * 50), [], "classification") == "None of 50 rows is likely wrong."


def test_where_classes_overlap_more_suspects_may_be_right():
    overlap = [Check("contradictions", "note", "4 rows have the same inputs but other classes.")]
    dirty, sure = found(*[0.8] * 10, *[0.001] * 50), found(0.99, *[0.001] * 50)
    why = "as classes overlap here: exceptions look like errors."
    assert f"2 of them may be right. More of them may be right, {why}" in wrong_rows_told(
        dirty, overlap, "classification"
    )
    assert f"likely wrong. Some of them may be right, {why}" in wrong_rows_told(
        sure, overlap, "classification"
    )
    for findings, checks, task in (
        (dirty, [], "classification"),
        (dirty, overlap, "regression"),
        (found(*[0.001] * 50), overlap, "classification"),
    ):
        assert "exceptions" not in wrong_rows_told(findings, checks, task)


def test_standing_is_a_word_for_every_row():
    row = {"suspect": True, "wrong": 0.9}
    assert standing(row) == LIKELY_WRONG
    assert standing({"suspect": True, "wrong": 0.01}) == ASKED
    assert standing({"suspect": False, "wrong": 0.3}) == HARD
    assert standing({"suspect": False, "wrong": 0.1}) == ""
    table = pd.DataFrame([{"suspect": False, "wrong": 0.1}, {"suspect": False, "wrong": 0.3}, row])
    assert doubted(table).index.tolist() == [2, 1]


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
    _, table = find_suspects(model)
    shown = doubted(table)
    told = contents(model, shown)
    X = model.train.X
    assert set(flipped) <= set(told)
    for row in shown[shown["row"].isin(flipped)].to_dict("records"):
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
    _, table = find_suspects(model)
    monkeypatch.setattr(telling, "MOST_PREDICTIONS", 3)
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
    """Two classes side by side; the first row, at the rim, has the other's label, and is there so often."""
    generator = np.random.default_rng(0)
    x = generator.normal(size=(120, 2))
    table = pd.DataFrame(x, columns=["x", "z"]).assign(kind=np.where(x[:, 0] > 0, "a", "b"))
    table.loc[0] = [1.8, 1.8, "b"]
    return pd.concat([table, *[table.iloc[:1]] * (n_times - 1)], ignore_index=True)


@pytest.mark.parametrize("n_times", [2, 4])
def test_copies_of_a_wrong_row_do_not_vouch_for_each_other(n_times):
    once = find_suspects(fitted(one_wrong(1), "kind"))[1].set_index("row")["wrong"]
    model = fitted(one_wrong(n_times), "kind")
    often = find_suspects(model)[1].set_index("row")["wrong"]
    assert once[1] > 0.5
    for row in (1, *range(121, 120 + n_times)):
        assert often[row] == pytest.approx(once[1], abs=0.02)
    assert audit_fit(model.estimator, model.prepared, model.train.y).wrong[0] < once[1] - 0.2
    assert vouching(model) == []
    assert "vouch for each other" in vouching(replace(model, n_fitted=10**6))[0]


def test_rows_that_look_alike_are_all_heard():
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.choice(list("abc"), size=(90, 3)))
    look_alike = generator.choice(["yes", "no"], 90)
    np.testing.assert_array_equal(distinct_rows(X, look_alike, True), np.arange(90))
    assert len(distinct_rows(X, X[0].to_numpy(), True)) == len(X.drop_duplicates())
