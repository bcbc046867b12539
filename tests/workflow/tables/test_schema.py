"""What columns are found to be."""

import numpy as np
import pandas as pd
import pytest

from rowtrust.workflow.tables import InputError, Schema, pipeline
from rowtrust.workflow.tables.columns import find_kind
from rowtrust.workflow.tables.targets import read_target

N = 60
COLUMNS = {
    "number": [
        pd.Series(np.linspace(0, 1, N)),
        pd.Series(["1.5", " 2", "-3e4", "oops"] + ["7", "8"] * 28),
        pd.Series([True, False, None] * 20),
        pd.Series([1, 2, 3] * 20),
    ],
    "category": [pd.Series(["a", "b", None] * 20), pd.Series([f"kind {n % 25}" for n in range(N)])],
    "text": [pd.Series([f"word {n}" for n in range(N)])],
    "date": [pd.Series(pd.date_range("2020", periods=N)), pd.Series(["3/4/2020", "Mar 5, 2021"] * 30)],
    "row number": [pd.Series(range(1, N + 1)), pd.Series(np.arange(N) + 1000.0)],
    "constant": [pd.Series([4] * N), pd.Series(["x"] * N)],
    "all missing": [pd.Series([None] * N), pd.Series([np.nan] * N)],
    "decimal comma": [pd.Series(["1,5", "2.000,25"] * 30)],
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_kinds(kind):
    for column in COLUMNS[kind]:
        assert find_kind(column) == kind


@pytest.mark.parametrize(
    ("values", "task"),
    [
        ([0, 1] * 30, "classification"),
        ([1.0, 2.0, np.nan] * 20, "classification"),
        ([1, 2, 3] * 20, "classification"),
        (list(range(N)), "regression"),
        (["a", "b"] * 30, "classification"),
        ([True, False] * 30, "classification"),
        ([0.5, 1.5] * 30, "regression"),
    ],
)
def test_tasks(values, task):
    assert read_target(pd.Series(values, name="y")).task == task


def test_a_task_can_be_given():
    column = pd.Series([1, 2, 3] * 20, name="y")
    assert read_target(column, "regression").values.dtype == float
    assert read_target(column, "classification").values.dtype == np.int64


def test_all_columns_in_need_of_a_decision_are_named_at_once():
    table = pd.DataFrame(
        {"y": [0, 1] * 30, "one": [f"word {n}" for n in range(N)], "two": [f"w {n}" for n in range(N)]}
    )
    with pytest.raises(InputError, match=r"'one', 'two' hold free text.*--drop 'one' --drop 'two'"):
        Schema.find(table, "y")


def test_prepared_inputs_are_finite_and_scaled():
    generator = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "size": generator.normal(1e6, 1e3, N),
            "gaps": np.where(np.arange(N) % 3 == 0, np.nan, np.arange(N) ** 2.0),
            "kind": [None, "a", "b"] * 20,
            "y": [0, 1] * 30,
        }
    )
    schema, target = Schema.find(table, "y")
    prepare = pipeline(schema, None)[:-1].fit(schema.conform(table), target.values)
    X = prepare.transform(schema.conform(table))
    assert np.isfinite(X).all()
    assert X.shape == (N, 5)
    np.testing.assert_allclose(X[:, :2].std(axis=0), 1.0)
    assert Schema.from_json(schema.as_json()) == schema
