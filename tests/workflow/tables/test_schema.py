"""The columns a model needs, found once and asked of every table after."""

import numpy as np
import pandas as pd
import pytest

from rowtrust.workflow.tables import Column, InputError, Schema
from rowtrust.workflow.tables.schema import MISSING

N = 60
SCHEMA = Schema((Column("size", "number", 1.0), Column("kind", "category", "a")), "y", "regression")


def test_all_columns_in_need_of_a_decision_are_named_at_once():
    table = pd.DataFrame(
        {"y": [0, 1] * 30, "one": [f"word {n}" for n in range(N)], "two": [f"w {n}" for n in range(N)]}
    )
    with pytest.raises(InputError, match=r"'one', 'two' hold free text.*--drop 'one' --drop 'two'"):
        Schema.find(table, "y")


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
        SCHEMA.conform(pd.DataFrame({"kind": ["a", "b"], "size": ["high", "1"]}))


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
        ("z", [], "no column 'z'. The columns are 'a', 'y'"),
        ("y", ["b"], "no column 'b'"),
        ("y", ["y"], "is the target and cannot be dropped"),
        ("y", ["a"], "no input column is left"),
    ],
)
def test_names_that_are_no_columns(target, drop, words):
    table = pd.DataFrame({"a": np.linspace(0, 1, 20), "y": [0, 1] * 10})
    with pytest.raises(InputError, match=words):
        Schema.find(table, target, drop=drop)
