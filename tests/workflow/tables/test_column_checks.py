"""What is known of each column, and what is said of it."""

import numpy as np
import pandas as pd
import pytest

from rowtrust.workflow.choices import in_python
from rowtrust.workflow.tables import InputError, Schema
from rowtrust.workflow.tables.column_checks import reading_checks
from rowtrust.workflow.tables.describing import column_facts, range_of

N = 200
GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=N)


def some(words, *odd):
    return [*odd, *words[len(odd) :]]


TABLE = pd.DataFrame(
    {
        "plain": X,
        "typos": some([f"{x:.3f}" for x in X], "oops", "missing", "inf", "oops"),
        "limits": some([f"{x + 9:.3f}" for x in X], "<5", "<5", "> 100"),
        "percent": [f"{x:.1f} %" for x in X],
        "money": [f"${1000 + abs(x) * 1000:,.2f}" for x in X],
        "comma": [f"{x:.2f}".replace(".", ",") for x in X],
        "when": pd.date_range("2020-03-01", periods=N).strftime("%d.%m.%Y"),
        "doubt": [f"{1 + n % 12}/{1 + n % 11}/2020" for n in range(N)],
        "colour": ["red", "RED", "red", "blue"] * (N // 4),
        "rare": ["a"] * (N - 1) + ["b"],
        "gaps": [None] * 150 + list(X[150:]),
        "zone": [f"zone {n % 40}" for n in range(N)],
        "prose": [f"he said {n} things" for n in range(N)],
        "PassengerId": GENERATOR.permutation(10 * N)[:N],
        "same": "x",
        "nothing": None,
        "dropped": X,
        "site": ["u", "v"] * (N // 2),
        "y": some(["Yes", "No"] * (N // 2), "yes", " NO"),
    }
)


@pytest.fixture(scope="module")
def told():
    schema, _ = Schema.find(TABLE, "y", drop=["dropped"], apart={"site": "groups the rows"})
    facts = column_facts(TABLE, schema)
    return {each.name: each for each in facts}, reading_checks(TABLE, schema, facts)


def test_facts_are_those_of_the_columns(told):
    facts, _ = told
    assert list(facts) == list(TABLE)
    assert {each.role for each in facts.values()} == {"input", "target", "left out", "group"}
    typos, limits = facts["typos"], facts["limits"]
    assert (typos.n_unreadable, typos.n_missing, typos.examples) == (4, 0, ("oops", "missing", "inf"))
    assert (limits.n_limits, limits.n_unreadable, limits.examples) == (3, 0, ("<5", "> 100"))
    assert (facts["comma"].reading, facts["percent"].kind) == ("decimal comma", "number")
    assert (facts["gaps"].n_missing, facts["gaps"].n_distinct) == (150, 50)
    assert facts["colour"].summary == "red (75%), blue (25%)"
    assert facts["when"].summary == "2020-03-01 to 2020-09-16"
    assert (facts["y"].n_distinct, facts["y"].role) == (2, "target")
    assert (facts["prose"].kind, facts["prose"].why) == ("text", "free text")
    assert (facts["PassengerId"].kind, facts["site"].why) == ("id", "groups the rows")


CHECKS = {
    "unreadable": (
        "warning",
        "typos",
        "4 of 200 cells are no numbers and count as missing: 'oops', 'missing', 'inf'",
    ),
    "limits": ("note", "limits", "3 of 200 cells are detection limits, such as '<5', '> 100'"),
    "percent": ("note", "percent", "such as '0.1 %', were read as the number of per cent"),
    "currency": ("note", "money", "such as '$1,125.73', were read without it"),
    "thousands": ("note", "money", "numbers such as '$1,125.73' were read as having marks between thousands"),
    "decimal-comma": ("note", "comma", "numbers such as '0,13' were read as having a decimal comma"),
    "near-constant": ("note", "rare", "is 'a' in 99.5% of its filled cells"),
    "mostly-missing": ("warning", "gaps", "150 of 200 cells are missing"),
    "category-many": ("note", "zone", "has 40 categories: the rarest share one input"),
    "text": ("note", "prose", "column 'prose': free text: not used"),
    "id": ("note", "PassengerId", "names nearly every row: an ID, not used"),
    "constant": ("note", "same", "the same in every row: not used"),
    "all-missing": ("note", "nothing", "empty in every row: not used"),
    "dropped": ("note", "dropped", "left out by --drop"),
}


@pytest.mark.parametrize("code", CHECKS)
def test_each_finding_is_said_once(told, code):
    severity, column, words = CHECKS[code]
    (check,) = [each for each in told[1] if each.code == code]
    assert (check.severity, check.columns) == (severity, (column,))
    assert words in check.message


def test_dates_are_said_and_those_in_doubt_are_a_warning(told):
    sure, doubt = [each for each in told[1] if each.code == "date"]
    assert sure.severity == "note"
    assert "'when' holds dates (2020-03-01 to 2020-09-16), read with the day first" in sure.message
    assert (doubt.severity, doubt.cure) == ("warning", "Write dates as 2020-01-31.")
    assert "nothing tells day from month" in doubt.message


def test_merged_spellings_are_said_of_inputs_and_of_the_target(told):
    inputs, target = [each for each in told[1] if each.code == "spellings"]
    assert {inputs.severity, target.severity} == {"warning"}
    assert "column 'colour': spellings of categories were merged: 'red' also as 'RED'" in inputs.message
    assert "the target 'y': spellings of classes were merged" in target.message
    assert "'No' also as 'NO'" in target.message


def test_the_cures_of_columns_that_look_like_ids_name_them(told):
    (check,) = [each for each in told[1] if each.code == "id"]
    cure = "If it measures something, add --keep 'PassengerId'; --id 'PassengerId' shows it beside the rows."
    assert check.cure == cure
    assert in_python(cure) == cure.replace("--keep ", "keep=").replace("--id ", "id=")
    table = pd.DataFrame({"a": range(N), "b": range(N), "x": X, "y": X})
    schema, _ = Schema.find(table, "y")
    (check,) = reading_checks(table, schema, column_facts(table, schema))
    assert in_python(check.cure) == "If it measures something, add keep=COLUMN."


def test_a_count_that_is_the_only_input_is_told():
    table = pd.DataFrame({"x": range(1, 51), "y": X[:50]})
    schema, _ = Schema.find(table, "y")
    (check,) = reading_checks(table, schema, column_facts(table, schema))
    assert (check.code, check.severity, check.columns) == ("count-as-input", "warning", ("x",))


def test_a_clean_table_has_nothing_to_say():
    table = pd.DataFrame({"x": X, "kind": ["a", "b"] * (N // 2), "y": X})
    schema, _ = Schema.find(table, "y")
    assert reading_checks(table, schema, column_facts(table, schema)) == []


def test_cells_of_a_target_that_cannot_be_read_are_said():
    table = pd.DataFrame({"x": X, "y": some([f"{x:.2f}" for x in X], "oops")})
    schema, _ = Schema.find(table, "y")
    (check,) = reading_checks(table, schema, column_facts(table, schema))
    assert check.message == "the target 'y': 1 of 200 cells are no numbers and the rows were not used: 'oops'"


def test_ranges_have_four_digits():
    assert range_of(np.array([0.00240552, 12345678.9, 51234.5])) == "0.002406 to 12345679, median 51234"
    assert range_of(np.array([2.0, np.nan, 3.14159])) == "2 to 3.142, median 2.571"


def test_a_table_of_words_without_header_is_told_how_to_say_so():
    words = pd.DataFrame(
        {"red": ["red", "blue"] * 10, "big": ["big", "small"] * 10, "yes": ["no", "yes"] * 10}
    )
    schema, _ = Schema.find(words, "yes")
    (found,) = [
        each for each in reading_checks(words, schema, column_facts(words, schema)) if each.code == "header"
    ]
    assert "--no-header" in found.cure
    with pytest.raises(InputError, match="first line holds data, not names, add --no-header"):
        Schema.find(words, "3")
    fine = words.set_axis(["colour", "size", "bought"], axis=1)
    schema, _ = Schema.find(fine, "bought")
    assert not reading_checks(fine, schema, column_facts(fine, schema))


def test_many_findings_of_one_kind_are_one_line_with_a_count():
    generator = np.random.default_rng(0)
    table = pd.DataFrame({f"c{k}": np.where(np.arange(300) == k, 1.5, 0.5) for k in range(52)})
    table["x"], table["y"] = generator.normal(size=300), generator.choice(["a", "b"], 300)
    schema, _ = Schema.find(table, "y")
    found = reading_checks(table, schema, column_facts(table, schema))
    (only,) = [each for each in found if each.code == "near-constant"]
    assert len(only.columns) == 52
    assert "The same of 51 more columns: 'c1', 'c2', 'c3', 'c4', 'c5' and 46 more" in only.message


def test_a_column_of_dates_suggests_to_judge_by_the_latest():
    table = pd.DataFrame({"day": pd.date_range("2020", periods=40).astype(str), "y": ["a", "b"] * 20})
    schema, _ = Schema.find(table, "y")
    (found,) = reading_checks(table, schema, column_facts(table, schema))
    assert "--time 'day'" in found.cure
