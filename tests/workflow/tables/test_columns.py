"""What columns are found to be."""

import numpy as np
import pandas as pd
import pytest

from rowtrust.workflow.tables.cells import as_numbers, parse_numbers
from rowtrust.workflow.tables.columns import find_kind

N = 60
COLUMNS = {
    "number": [
        pd.Series(np.linspace(0, 1, N)),
        pd.Series(["1.5", " 2", "-3e4", "oops"] + ["7", "8"] * 28),
        pd.Series([True, False, None] * 20),
        pd.Series([1, 2, 3] * 20),
        pd.Series(["1,5", "2.000,25"] * 30),
    ],
    "category": [pd.Series(["a", "b", None] * 20), pd.Series([f"kind {n % 25}" for n in range(N)])],
    "text": [pd.Series([f"word {n}" for n in range(N)])],
    "date": [pd.Series(pd.date_range("2020", periods=N)), pd.Series(["3/4/2020", "Mar 5, 2021"] * 30)],
    "row number": [pd.Series(range(1, N + 1)), pd.Series(np.arange(N) + 1000.0)],
    "constant": [pd.Series([4] * N), pd.Series(["x"] * N)],
    "all missing": [pd.Series([None] * N), pd.Series([np.nan] * N)],
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_kinds(kind):
    for column in COLUMNS[kind]:
        assert find_kind(column) == kind


def test_a_tenth_of_a_column_of_numbers_may_be_other_text():
    numbers = [str(n % 7) for n in range(90)]
    assert find_kind(pd.Series(numbers + ["oops", "what"] * 5)) == "number"
    assert find_kind(pd.Series(numbers + ["oops", "what"] * 6)) == "category"


def test_what_is_no_finite_number_is_missing():
    column = pd.Series(["1", "x", None, "inf", " 2.5"], index=[5, 6, 7, 8, 9])
    found = as_numbers(column)
    np.testing.assert_array_equal(found, [1.0, np.nan, np.nan, np.nan, 2.5])
    assert found.index.tolist() == column.index.tolist()
    assert parse_numbers(pd.Series(["1", "x", None, "2", "3"])).unreadable_share == 0.25
    assert parse_numbers(pd.Series([True, False])).unreadable_share == 0.0


SHUFFLED = np.random.default_rng(0).permutation(5000)[:N]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("PassengerId", SHUFFLED),
        ("sample_no", SHUFFLED),
        ("Customer number", [str(each) for each in SHUFFLED]),
        ("patientid", SHUFFLED),
        ("x", [*range(30), *[None] * 10, *range(30, 50)]),  # rises by one where it is filled
        ("code", [f"A{each:04}" for each in SHUFFLED]),
    ],
)
def test_names_of_rows_are_ids(name, values):
    values = pd.Series(values, name=name)
    assert find_kind(values.astype("Int64") if name == "x" else values) == "id"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("PassengerId", SHUFFLED * 1.0),  # floats are measurements
        ("id", SHUFFLED + 0.5),
        ("platelets", SHUFFLED),
        ("fluid", SHUFFLED),
        ("population", np.cumsum(SHUFFLED)),  # sorted by a measurement
        ("temperature", np.arange(20, 20 + 5 * N, 5)),
        ("x", np.cumsum(SHUFFLED % 7 + 1)),
        ("year", np.arange(1950, 1950 + N)),
        ("year", np.cumsum(SHUFFLED % 3 + 1) + 1900),
        ("site code", SHUFFLED % 6),
        ("number_of_cells", SHUFFLED),
        ("id", SHUFFLED[:15]),
    ],
)
def test_measurements_are_no_ids(name, values):
    assert find_kind(pd.Series(values, name=name)) == "number"
