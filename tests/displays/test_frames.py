"""Rows as users have them: tables keep their types, and what cannot be drawn is refused with a cure."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from rowtrust.displays._frames import (
    checked_labels,
    checked_targets,
    dense,
    framed_like,
    numbers_of,
    position_of,
    replaced,
    typical,
)

NUMBERS = np.array([[1.0, 5.0], [2.0, 6.0], [4.0, np.nan]])


@pytest.fixture
def table():
    return pd.DataFrame(
        {
            "dose": [1.0, 2.0, 4.0, np.nan],
            "age": [30, 50, 40, 20],
            "ward": pd.Categorical(["b", "a", "b", "a"]),
            "smokes": [True, True, False, True],
            "count": pd.array([1, None, 3, 7], dtype="Int64"),
            7: ["x", "y", "y", None],
        }
    )


@pytest.mark.parametrize(
    "rows",
    [
        NUMBERS,
        NUMBERS.tolist(),
        csr_array(NUMBERS),
        pd.DataFrame(NUMBERS),
        pd.DataFrame(NUMBERS).astype("Float64"),
        pytest.importorskip("polars").DataFrame({"a": [1.0, 2.0, 4.0], "b": [5, 6, None]}),
    ],
    ids=["array", "list", "sparse", "pandas", "nullable", "polars"],
)
def test_rows_become_numbers(rows):
    np.testing.assert_array_equal(dense(rows), NUMBERS)


def test_rows_elsewhere_are_refused_with_their_cure():
    frame = pytest.importorskip("dask.dataframe").from_pandas(pd.DataFrame(NUMBERS), npartitions=1)
    with pytest.raises(TypeError, match=r"not in memory.*Give X\.compute\(\)"):
        dense(frame)
    with pytest.raises(TypeError, match=r"Give X\.collect\(\)"):
        dense(pytest.importorskip("polars").LazyFrame({"a": [1.0]}))


def test_columns_that_are_no_numbers_are_named(table):
    with pytest.raises(ValueError, match="the column 'ward' holds no numbers"):
        numbers_of(table, 2)


def test_a_typical_row_keeps_all_types(table):
    rows = typical(table, 3)
    assert (rows.dtypes == table.dtypes).all()
    assert rows.iloc[0].tolist() == [2.0, 30, "a", True, 3, "y"]
    assert len(rows) == 3
    moved = replaced(rows, 0, np.array([0.0, 1.0, 2.0]))
    assert moved["dose"].tolist() == [0.0, 1.0, 2.0]
    assert rows["dose"].tolist() == [2.0, 2.0, 2.0]
    assert (moved.dtypes[1:] == table.dtypes[1:]).all()


def test_a_typical_row_of_polars():
    polars = pytest.importorskip("polars")
    table = polars.DataFrame({"dose": [1.0, 2.0, 4.0], "age": [30, 50, 40], "ward": ["b", "a", "b"]})
    rows = typical(table, 2)
    assert rows.schema == table.schema
    assert rows.row(0) == (2.0, 40, "b")
    moved = replaced(rows, 1, np.array([0.5, 1.5]))
    assert moved["age"].to_list() == [0.5, 1.5]
    assert moved.columns == table.columns
    assert framed_like(table[:, :2], np.ones((3, 2))).columns == ["dose", "age"]


def test_names_need_not_be_strings(table):
    assert replaced(table, 5, np.arange(4.0))[7].tolist() == [0.0, 1.0, 2.0, 3.0]
    assert position_of("7", table) == 5
    assert position_of(-1, table) == position_of(np.int64(5), table) == 5
    with pytest.raises(ValueError, match=r"no column 7 in X of shape \(4, 6\)"):
        position_of(7, table)
    with pytest.raises(TypeError, match=r"a name or a position, got 1\.5"):
        position_of(1.5, table)


def test_labels_and_targets_are_checked():
    with pytest.raises(ValueError, match=r"none of the classes: 'oak'\. The classes are 'ash', 'fir'"):
        checked_labels(["oak", "ash"], NUMBERS[:2], np.array(["ash", "fir"]))
    with pytest.raises(ValueError, match="none of the classes: '0', '1'"):
        checked_labels(["0", "1"], NUMBERS[:2], np.array([0, 1]))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        checked_labels([0, 1], NUMBERS)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        checked_targets([0.0, 1.0], NUMBERS)
    with pytest.raises(
        ValueError, match=r"one number per row, got an array of shape \(3, 2\)\. Draw one target"
    ):
        checked_targets(NUMBERS, NUMBERS)
    assert checked_labels(np.array([[0.0], [1.0]]), NUMBERS[:2], np.array([0, 1])).tolist() == [0.0, 1.0]
