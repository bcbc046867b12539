"""Tables in files: the same rows whatever the file, nothing that is no number, and little memory."""

import datetime
import sys

import numpy as np
import pytest

from rowtrust.engines.files import TableSource, dataset_of, format_of
from rowtrust.engines.finding import as_source

pa = pytest.importorskip("pyarrow")
csv = pytest.importorskip("pyarrow.csv")
ds = pytest.importorskip("pyarrow.dataset")
pq = pytest.importorskip("pyarrow.parquet")

GENERATOR = np.random.default_rng(0)
N = 1000
X = GENERATOR.normal(size=(N, 3))
Y = (X[:, 0] > 0).astype(int)
WEIGHT = GENERATOR.integers(1, 4, N)


@pytest.fixture
def table():
    columns = {"a": X[:, 0], "kind": Y, "b": X[:, 1], "count": WEIGHT, "c": X[:, 2]}
    return pa.table(columns)


def read(source):
    """Return all rows of a source."""
    chunks = list(source.chunks())
    offsets = np.cumsum([0, *(len(each.X) for each in chunks)])[:-1]
    assert [each.offset for each in chunks] == offsets.tolist()
    parts = [[each.X for each in chunks], [each.y for each in chunks], [each.weight for each in chunks]]
    return [None if part[0] is None else np.concatenate(part) for part in parts]


def stored(table, folder, kind):
    """Write a table in some way; return what to give to ``fit``."""
    path = folder / f"data.{kind}"
    if kind == "csv":
        csv.write_csv(table, path)
    elif kind == "csv.gz":
        with pa.CompressedOutputStream(str(path), "gzip") as stream:
            csv.write_csv(table, stream)
    elif kind == "tsv":
        csv.write_csv(table, path, csv.WriteOptions(delimiter="\t"))
    elif kind == "parquet":
        pq.write_table(table, path, row_group_size=300)
    elif kind == "folder":
        for number in range(4):
            (folder / "data.folder").mkdir(exist_ok=True)
            part = table.slice(250 * number, 250)
            pq.write_table(part, folder / "data.folder" / f"part-{number}.parquet")
    elif kind == "csv folder":
        (folder / "data.csv folder").mkdir()
        for number in range(2):
            csv.write_csv(table.slice(500 * number, 500), folder / "data.csv folder" / f"{number}.csv")
    elif kind == "dataset":
        pq.write_table(table, path)
        return ds.dataset(path)
    elif kind == "memory":
        return ds.dataset(table)
    return path


KINDS = ["csv", "csv.gz", "tsv", "parquet", "folder", "csv folder", "dataset", "memory"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_rows_come_from_every_file_in_order(table, tmp_path, kind):
    source = TableSource(stored(table, tmp_path, kind), "kind", "count", chunk_rows=128, n_threads=1)
    assert source.names == ["a", "b", "c"]
    for _ in range(2):
        inputs, labels, weight = read(source)
        np.testing.assert_allclose(inputs, X, rtol=1e-14)
        np.testing.assert_array_equal(labels, Y)
        np.testing.assert_array_equal(weight, WEIGHT)
        assert labels.dtype.kind == "i"
        assert weight.dtype == inputs.dtype == np.float64
    assert source.n_rows == N


@pytest.mark.parametrize("kind", ["parquet", "folder", "csv", "memory"])
def test_chunks_are_of_one_size_however_the_rows_are_stored(table, tmp_path, kind):
    source = TableSource(stored(table, tmp_path, kind), "kind", "count", chunk_rows=140)
    assert [len(each.X) for each in source.chunks()] == 7 * [140] + [20]


def test_without_weights_that_column_is_an_input(table, tmp_path):
    source = as_source(str(stored(table, tmp_path, "parquet")), "kind")
    assert source.names == ["a", "b", "count", "c"]
    assert read(source)[2] is None


def test_all_kinds_of_numbers_are_taken_and_null_is_nan(tmp_path):
    columns = {
        "whole": pa.array([1, None, 3], pa.int8()),
        "truth": pa.array([True, None, False]),
        "small": pa.array([0.5, 1.5, None], pa.float32()),
        "exact": pa.array([None, 2, 3], pa.decimal128(5, 2)),
        "none": pa.nulls(3),
        "large": pa.array([2**60 + 1, 2, 3], pa.int64()),
        "y": pa.array(["u", "v", "u"]).dictionary_encode(),
    }
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    inputs, labels, _ = read(TableSource(tmp_path / "t.parquet", "y"))
    nan = np.nan
    expected = [[1, 1, 0.5, nan, nan, 2.0**60], [nan, nan, 1.5, 2, nan, 2], [3, 0, nan, 3, nan, 3]]
    np.testing.assert_array_equal(inputs, expected)
    assert labels.tolist() == ["u", "v", "u"]
    assert labels.dtype.kind == "U"


def test_a_column_of_text_may_begin_with_whole_numbers_or_nothing(tmp_path):
    rows = ["a,b,y"] + ["1,,0"] * 60_000 + ["1.5,2.5,1"]
    (tmp_path / "t.csv").write_text("\n".join(rows))
    inputs, labels, _ = read(TableSource(tmp_path / "t.csv", "y", chunk_rows=5000))
    assert inputs[-1].tolist() == [1.5, 2.5]
    assert np.isnan(inputs[:-1, 1]).all()
    assert (labels[-1], labels.dtype.kind) == (1, "i")


def test_a_target_that_changes_its_type_is_told_with_the_cure(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["a,y"] + ["1,0"] * 400_000 + ["1,0.5"]))
    with pytest.raises(ValueError, match=r"beyond row \d+.*schema=\.\.\."):
        read(TableSource(path, "y"))
    schema = pa.schema([("a", pa.float64()), ("y", pa.float64())])
    assert read(TableSource(ds.dataset(path, format="csv", schema=schema), "y"))[1][-1] == 0.5


def test_words_and_dates_are_refused_by_name_with_the_cure(tmp_path):
    day = datetime.date(2020, 1, 1)
    table = pa.table({"a": [1.0, 2.0], "colour": ["red", "blue"], "day": [day, day], "y": [0, 1]})
    path = stored(table, tmp_path, "parquet")
    with pytest.raises(
        ValueError, match=r"2 columns are not numeric: colour \(string\), day.*Encode.*schema"
    ):
        TableSource(path, "y")
    chosen = ds.dataset(path, schema=pa.schema([("y", pa.int64()), ("a", pa.float64())]))
    source = TableSource(chosen, "y")
    assert source.names == ["a"]
    assert read(source)[0].tolist() == [[1.0], [2.0]]


@pytest.mark.parametrize(
    ("target", "weight", "error", "message"),
    [
        (None, None, TypeError, "y is the name of a column, got NoneType. The columns are a, kind"),
        (Y, None, TypeError, "y is the name of a column, got ndarray"),
        ("what", None, ValueError, "y is 'what', but there is no such column. The columns are a, kind"),
        ("kind", "what", ValueError, "sample_weight is 'what'"),
        ("kind", WEIGHT, TypeError, "sample_weight is the name of a column"),
    ],
)
def test_roles_are_names_of_columns(table, tmp_path, target, weight, error, message):
    with pytest.raises(error, match=message):
        as_source(stored(table, tmp_path, "parquet"), target, weight)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("y", None, "Column 'y', rows 0 to 2, contains NaN, infinity or no value in 1 rows"),
        ("y", np.inf, "Column 'y', rows 0 to 2, contains NaN, infinity"),
        ("a", -np.inf, "rows 0 to 2, contains infinity"),
        ("w", -1.0, "Column 'w', rows 0 to 2, must be finite and zero or more"),
        ("w", None, "Column 'w', rows 0 to 2, must be finite and zero or more"),
    ],
)
def test_values_that_no_fit_can_use_are_refused_by_place(tmp_path, column, value, message):
    columns = {"a": [1.0, 2.0, 3.0], "y": [0.0, 1.0, 0.0], "w": [1.0, 1.0, 1.0]}
    columns[column][1] = value
    with pytest.raises(ValueError, match=message):
        read(TableSource(stored(pa.table(columns), tmp_path, "parquet"), "y", "w"))


def test_missing_words_are_refused(tmp_path):
    path = stored(pa.table({"a": [1.0, 2.0], "y": ["u", None]}), tmp_path, "parquet")
    with pytest.raises(ValueError, match="no value in 1 rows"):
        read(TableSource(path, "y"))


def test_names_of_files_are_checked(tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no file"):
        as_source(tmp_path / "no.parquet", "y")
    (tmp_path / "t.xlsx").write_text("")
    with pytest.raises(ValueError, match="no Parquet or CSV file by its name"):
        as_source(tmp_path / "t.xlsx", "y")
    with pytest.raises(ValueError, match="has no Parquet or CSV file in it"):
        as_source(tmp_path, "y")
    assert format_of("a.b.csv.gz") == "csv"
    assert format_of("a.parquet.gz") is None
    assert format_of("a") is None


def test_a_table_of_the_target_alone_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no input columns"):
        TableSource(stored(pa.table({"y": [1, 2]}), tmp_path, "parquet"), "y")


def test_filters_and_columns_in_names_of_folders_are_respected(table, tmp_path):
    kept = ds.dataset(stored(table, tmp_path, "parquet")).filter(ds.field("a") > 0)
    np.testing.assert_allclose(read(TableSource(kept, "kind", "count"))[0], X[X[:, 0] > 0])
    where = tmp_path / "parted"
    ds.write_dataset(table, where, format="parquet", partitioning=["kind"], partitioning_flavor="hive")
    source = as_source(where, "kind", "count")
    inputs, labels, _ = read(source)
    np.testing.assert_allclose(inputs, X[np.argsort(Y, kind="stable")])
    np.testing.assert_array_equal(labels, np.sort(Y))


def test_a_file_that_changes_between_readings_is_noticed(table, tmp_path):
    path = stored(table, tmp_path, "parquet")
    source = TableSource(path, "kind")
    read(source)
    pq.write_table(table.slice(0, 950), path, row_group_size=300)
    with pytest.raises(ValueError, match="950 rows were read where the first reading found 1000"):
        read(source)
    pq.write_table(table.slice(0, 100), path)
    with pytest.raises(ValueError, match="A file must not change during a fit"):
        read(source)


def test_without_pyarrow_the_extra_is_named(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text("a,y\n1,2\n")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"rowtrust\[cli\]"):
        dataset_of(str(tmp_path / "t.csv"), "y")
