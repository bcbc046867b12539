"""The columns a model needs, found once and asked of every table after."""

import warnings

import numpy as np
import pandas as pd
import pytest

from rowtrust.workflow.records import Settings
from rowtrust.workflow.tables import Column, InputError, Schema
from rowtrust.workflow.tables.errors import UnreadableWarning
from rowtrust.workflow.tables.schema import MISSING, role_columns

N = 60
SCHEMA = Schema((Column("size", "number", 1.0), Column("kind", "category", "a")), "y", "regression")


def test_columns_that_no_model_can_use_are_left_out_all_at_once():
    useless = {
        "one": [f"word {n}" for n in range(N)],
        "two": [f"w {n}" for n in range(N)],
        "code": [f"X-{n:03}" for n in range(N)],
        "same": ["x"] * N,
        "none": [None] * N,
        "lists": [[n] for n in range(N)],
        "y": [0, 1] * 30,
    }
    with pytest.raises(InputError, match=r"no input column is left.*'one': free text; 'two': free text"):
        Schema.find(pd.DataFrame(useless), "y")
    table = pd.DataFrame({**useless, "x": np.linspace(0, 1, N), "when": pd.date_range("2020", periods=N)})
    schema, _ = Schema.find(table, "y")
    assert [(each.name, each.kind) for each in schema.inputs] == [("x", "number"), ("when", "date")]
    assert dict(schema.left_out) == {
        "one": "free text",
        "two": "free text",
        "code": "names nearly every row",
        "same": "constant",
        "none": "all missing",
        "lists": "neither numbers nor text",
    }


def test_a_count_is_an_input_where_nothing_else_is_left():
    x = np.arange(1, N + 1)
    schema, _ = Schema.find(pd.DataFrame({"x": x, "same": "a", "y": np.sin(x)}), "y")
    assert (schema.names, schema.left_out) == (["x"], (("same", "constant"),))
    with pytest.raises(InputError, match=r"'sample id': row number.*or name inputs with --keep"):
        Schema.find(pd.DataFrame({"sample id": x, "y": np.sin(x)}), "y")


def test_columns_to_keep_are_inputs_whatever_they_look_like():
    table = pd.DataFrame(
        {
            "x": np.linspace(0, 1, N),
            "count": range(N),
            "PassengerId": np.arange(N) * 7 % N,
            "code": [f"A{n}" for n in range(N)],
            "same": "a",
            "when": pd.Timestamp("2020-01-31"),
            "site": ["a", "b"] * 30,
            "none": None,
            "y": [0, 1] * 30,
        }
    )
    names = ["count", "PassengerId", "code", "same", "when", "site"]
    assert Schema.find(table, "y", apart={"site": "groups the rows"})[0].names == ["x"]
    schema, _ = Schema.find(table, "y", apart={"site": "groups the rows"}, keep=names)
    kinds = {each.name: each.kind for each in schema.inputs}
    words = dict.fromkeys(["code", "same", "site"], "category")
    assert kinds == {**dict.fromkeys(["x", "count", "PassengerId"], "number"), **words, "when": "date"}
    assert schema.left_out == (("none", "all missing"),)
    assert not schema.conform(table).isna().any(axis=None)
    for keep, words in (
        ("none", "'none' of --keep is all missing"),
        ("cout", "Did you mean 'count'"),
        ("y", "is the target and no input"),
        ("x", "'x' is named by --keep and by --drop"),
    ):
        with pytest.raises(InputError, match=words):
            Schema.find(table, "y", drop=["x"], keep=[keep])


def test_columns_with_a_role_are_no_inputs():
    table = pd.DataFrame({"x": np.linspace(0, 1, N), "site": ["a", "b", "c"] * 20, "y": [0, 1] * 30})
    schema, _ = Schema.find(table, "y", apart=role_columns(Settings("d", "y", group="site")))
    assert (schema.names, schema.left_out) == (["x"], (("site", "groups the rows"),))
    with pytest.raises(InputError, match=r"no column 'sit'. Did you mean 'site'\?"):
        Schema.find(table, "y", apart={"sit": "groups the rows"})
    with pytest.raises(InputError, match="'y' is the target and cannot be what groups the rows"):
        Schema.find(table, "y", apart={"y": "groups the rows"})


def test_a_model_file_of_before_can_be_read():
    stored = {
        "inputs": [{"name": "a", "kind": "number", "typical": 1.0}],
        "target": "y",
        "task": "regression",
    }
    assert Schema.from_json({**stored, "left_out": []}).inputs == (Column("a", "number", 1.0),)


def test_spellings_of_categories_are_merged_and_new_categories_are_known():
    words = ["Red", "red", " RED ", "Red", "light  blue", "Light blue"] * 10
    table = pd.DataFrame({"colour": words, "y": [0, 1] * 30})
    schema = Schema.from_json(Schema.find(table, "y")[0].as_json())
    assert schema.inputs[0].categories == ("Light blue", "Red")
    new = pd.DataFrame({"colour": ["rED", "LIGHT BLUE", "green", None, "?"]})
    assert schema.conform(new)["colour"].tolist() == ["Red", "Light blue", "green", MISSING, MISSING]
    assert schema.unseen(new) == {"colour": ["green"]}
    assert schema.unseen(table) == {}
    # The commonest spelling is used even where there are too many categories to keep.
    many = pd.DataFrame({"word": [f"W{n % 250}" for n in range(999)] + ["w7"], "y": [0, 1] * 500})
    column = Schema.find(many, "y")[0].inputs[0]
    assert (column.categories, column.spellings) == ((), (("w7", "W7"),))


def test_a_table_is_made_to_conform():
    table = pd.DataFrame({"kind": [" a ", None], "size": ["2", "3.5"], "more": [0, 0]}, index=[4, 7])
    found = SCHEMA.conform(table)
    assert list(found) == ["size", "kind"]
    assert found["size"].tolist() == [2.0, 3.5]
    assert found["kind"].tolist() == ["a", MISSING]
    assert found.index.tolist() == [4, 7]


def test_a_table_that_lacks_or_garbles_columns_is_refused():
    with pytest.raises(InputError, match=r"lack the column 'size' of the model.*have 'kind'"):
        SCHEMA.conform(pd.DataFrame({"kind": ["a"]}))
    with pytest.raises(InputError, match="'size' holds numbers in the model but 50% other text"):
        SCHEMA.conform(pd.DataFrame({"kind": ["a", "b"] * 10, "size": ["high", "1"] * 10}))


def test_a_slip_among_few_rows_is_missing_with_a_warning():
    with pytest.warns(UnreadableWarning, match="'size' has cells that are no numbers: they count as missing"):
        found = SCHEMA.conform(pd.DataFrame({"kind": ["a", "b", "a"], "size": ["high", "1", "2"]}))
    np.testing.assert_array_equal(found["size"], [np.nan, 1.0, 2.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SCHEMA.conform(pd.DataFrame({"kind": ["a"], "size": ["high"]}), checks=False)


def test_columns_are_found_left_out_and_kept_as_json():
    table = pd.DataFrame(
        {"id": np.arange(N), "size": np.linspace(0, 1, N), "kind": ["a", "b", "a"] * 20, "y": [0, 1] * 30}
    )
    schema, target = Schema.find(table, "y", drop=["kind"])
    assert schema.inputs == (Column("size", "number", pytest.approx(0.5)),)
    assert schema.left_out == (("id", "row number"), ("kind", "left out by --drop"))
    assert target.task == schema.task == "classification"
    assert Schema.from_json(schema.as_json()) == schema
    assert Schema.find(table, "y")[0].inputs[1].typical == "a"


@pytest.mark.parametrize(
    ("target", "drop", "words"),
    [
        ("Y", [], r"no column 'Y'. Did you mean 'y'\?"),
        ("z", [], "no column 'z'. The columns are 'amount', 'y'"),
        ("amout", [], r"no column 'amout'. Did you mean 'amount'\?"),
        ("y", ["amont"], r"no column 'amont'. Did you mean 'amount'\?"),
        ("y", ["b"], "no column 'b'"),
        ("y", ["y"], "is the target and cannot be dropped"),
        ("y", ["amount"], "no input column is left"),
    ],
)
def test_names_that_are_no_columns(target, drop, words):
    table = pd.DataFrame({"amount": np.linspace(0, 1, 20), "y": [0, 1] * 10})
    with pytest.raises(InputError, match=words):
        Schema.find(table, target, drop=drop)
