"""Rows keep their identity from the file to its copy."""

import csv
import gzip
import io
import lzma
import os
import threading

import pandas as pd
import pytest

from rowtrust.limits import LimitError, Limits
from rowtrust.workflow.tables import InputError, Layout, read_chunks, read_records, read_table, sources


def copied(records, left_out):
    output = io.StringIO()
    return records.write_without(left_out, output), output.getvalue()


def test_cells_stay_as_they_were(tmp_path):
    (tmp_path / "d.csv").write_text('\ufeffcode ;;text\n001;;"a;b"\n\n2.50; x;c\n?;;None\n', encoding="utf-8")
    records = read_records(str(tmp_path / "d.csv"))
    assert copied(records, [2]) == (2, 'code ;;text\n001;;"a;b"\n?;;None\n')
    assert records.table.columns.tolist() == ["code", "column 2", "text"]


@pytest.mark.parametrize("blank", ["", "   ", "\t", " \t "])
def test_blank_lines_are_no_rows_for_reader_and_copy_alike(tmp_path, blank):
    lines = ["name,n", "a,1", blank, "b,2", blank, blank, "c,3", "d,4"]
    (tmp_path / "d.csv").write_text("\n".join(lines) + "\n")
    records = read_records(str(tmp_path / "d.csv"))
    assert records.table["name"].tolist() == ["a", "b", "c", "d"]
    assert copied(records, [3]) == (3, "name,n\na,1\nb,2\nd,4\n")


def test_without_a_header_the_first_line_is_a_row(tmp_path):
    (tmp_path / "d.csv").write_text("1,2\n3,4\n")
    assert copied(read_records(str(tmp_path / "d.csv"), Layout(header=False)), {1}) == (1, "3,4\n")


def test_parquet_becomes_text(tmp_path):
    pd.DataFrame({"a": [1, 2, 3]}).to_parquet(tmp_path / "d.parquet")
    assert copied(read_records(str(tmp_path / "d.parquet"), Layout(header=False)), [1, 3]) == (1, "a\n2\n")


def test_carriage_returns_in_cells_are_no_line_ends_of_the_copy(tmp_path):
    content = b'a,"b\rc"\n"x\ry",2\n"p\r\nq",3\n'
    (tmp_path / "d.csv").write_bytes(content)
    count, text = copied(read_records(str(tmp_path / "d.csv")), [])
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert (count, rows) == (2, [["a", "b\rc"], ["x\ry", "2"], ["p\r\nq", "3"]])


def test_an_index_that_pandas_wrote_is_copied_but_no_input(tmp_path):
    table = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}, index=["first", "second"])
    table.to_parquet(tmp_path / "d.parquet")
    records = read_records(str(tmp_path / "d.parquet"))
    assert records.table.columns.tolist() == ["a", "b"]
    assert copied(records, [1]) == (1, "a,b,__index_level_0__\n2,y,second\n")
    table.rename_axis("id").to_parquet(tmp_path / "d.parquet")
    assert copied(read_records(str(tmp_path / "d.parquet")), [2]) == (1, "a,b,id\n1,x,first\n")


def test_parquet_has_the_types_of_its_schema_in_every_piece(tmp_path):
    large = 2**60 + 1
    table = pd.DataFrame(
        {
            "whole": pd.array([large, None, 2, 3], dtype="Int64"),
            "truth": pd.array([True, None, False, True], dtype="boolean"),
            "word": pd.Categorical(["yes", "?", " no ", ""]),
        }
    )
    table.to_parquet(tmp_path / "d.parquet")
    records = read_records(str(tmp_path / "d.parquet"))
    assert copied(records, [3, 4])[1] == f"whole,truth,word\n{large},True,yes\n,,?\n"
    assert records.table["word"].isna().tolist() == [False, True, False, True]
    assert records.table["word"].tolist()[2] == "no"
    for chunk in read_chunks(str(tmp_path / "d.parquet"), Layout(), rows=1):
        assert chunk.dtypes.tolist() == records.table.dtypes.tolist()


def test_records_of_several_lines_and_long_cells(tmp_path):
    long = "x" * 200_000
    (tmp_path / "d.csv").write_text(f'a,b\n"one\ntwo",1\n{long},2\n"say ""hi""",3\n')
    records = read_records(str(tmp_path / "d.csv"))
    assert records.table["a"].tolist() == ["one\ntwo", long, 'say "hi"']
    assert copied(records, [2]) == (2, 'a,b\n"one\ntwo",1\n"say ""hi""",3\n')


def test_a_header_may_be_long(tmp_path):
    names = [f"a rather long name of a column, {'again ' * 40}number {n}" for n in range(1500)]
    cells = ",".join(f'"{name}"' for name in names) + "\n" + ",".join(["1"] * len(names)) + "\n"
    assert len(cells) > 400_000
    (tmp_path / "d.csv").write_text(cells)
    assert read_table(str(tmp_path / "d.csv")).columns.tolist() == names
    one = "n" * 300_000
    (tmp_path / "d.csv").write_text(f"{one},b\n1,2\n")
    assert read_table(str(tmp_path / "d.csv")).columns.tolist() == [one, "b"]


def test_short_rows_lack_their_last_cells(tmp_path):
    (tmp_path / "d.csv").write_text("a,b,c\n1\n2,3\n4,5,6\n")
    table = read_table(str(tmp_path / "d.csv"))
    assert table["c"].isna().tolist() == [True, True, False]
    assert table["b"].isna().tolist() == [True, False, False]


def test_types_are_those_of_the_column_not_of_a_piece(tmp_path):
    codes = ["01", "02", "03", "x9", "01"]
    (tmp_path / "d.csv").write_text("code\n" + "\n".join(codes) + "\n")
    for rows in (1, 2, 5):
        parts = list(read_chunks(str(tmp_path / "d.csv"), Layout(), rows=rows))
        assert pd.concat(parts)["code"].tolist() == codes


def test_a_pipe_is_opened_once(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)

    def write():
        path.write_text("a,b\n1,2\n3,4\n")

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    records = read_records(str(path))
    writer.join(timeout=10)
    assert not writer.is_alive()
    assert copied(records, [1]) == (1, "a,b\n3,4\n")


def test_parquet_through_a_pipe(tmp_path):
    content = io.BytesIO()
    pd.DataFrame({"a": [1, 2]}).to_parquet(content)
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(content.getvalue()), daemon=True)
    writer.start()
    assert read_table(str(path))["a"].tolist() == [1, 2]
    writer.join(timeout=10)


def test_decimal_commas_are_read_and_copied_as_they_were(tmp_path):
    (tmp_path / "d.csv").write_text("a;b\n1,5;x,y\n-2,25e3;3\n;?\n")
    records = read_records(str(tmp_path / "d.csv"), Layout(decimal=","))
    assert records.table["a"].tolist()[:2] == ["1.5", "-2.25e3"]
    assert records.table["b"].tolist()[:2] == ["x,y", "3"]
    assert copied(records, []) == (3, "a;b\n1,5;x,y\n-2,25e3;3\n;?\n")


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (Limits(rows=2), "more than 2 rows"),
        (Limits(columns=1), "more than 1 columns"),
        (Limits(table_bytes=5), "more than 5 bytes"),
    ],
)
def test_limits_of_tables(tmp_path, limits, words):
    table = pd.DataFrame({"a": [1, 2, 3], "b": [1, 2, 3], "c": ["x", "y", "z"]})
    table.to_csv(tmp_path / "d.csv", index=False)
    with pytest.raises(LimitError, match=words):
        read_table(str(tmp_path / "d.csv"), Layout(limits=limits))
    if "bytes" not in words:
        table.to_parquet(tmp_path / "d.parquet")
        with pytest.raises(LimitError, match=words):
            read_table(str(tmp_path / "d.parquet"), Layout(limits=limits))


def test_a_line_that_never_ends_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "LONGEST_LINE", 1_000_000)
    (tmp_path / "d.csv").write_text("a,b\n1," + "x" * 3_000_000)
    with pytest.raises(InputError, match="line of over"):
        read_records(str(tmp_path / "d.csv"))
    (tmp_path / "d.csv").write_text("a,b\n" + "1,xxxxxxxxxxxxxxxx\n" * 150_000)
    assert len(read_records(str(tmp_path / "d.csv")).cells) == 150_000


@pytest.mark.parametrize("category", [False, True])
def test_a_small_parquet_file_that_unpacks_to_much_is_refused(tmp_path, category):
    words = ["x" * 1000] * 200_000
    pd.DataFrame({"a": pd.Categorical(words) if category else words}).to_parquet(tmp_path / "d.parquet")
    assert (tmp_path / "d.parquet").stat().st_size < 100_000
    with pytest.raises(LimitError, match="more than 10,000,000 bytes"):
        read_table(str(tmp_path / "d.parquet"), Layout(limits=Limits(table_bytes=1e7)))


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_a_damaged_archive_is_told_by_name(tmp_path, pack):
    content = bytearray(pack(b"a,b\n" + os.urandom(3000).hex().encode() + b",1\n"))
    content[len(content) // 2] ^= 0xFF
    (tmp_path / "d").write_bytes(bytes(content))
    with pytest.raises(InputError, match=r"d(ata)?.*(damaged archive|ends too early|not utf-8)"):
        read_records(str(tmp_path / "d"))


def test_bytes_that_are_no_text_are_refused_wherever_they_stand(tmp_path):
    (tmp_path / "d.csv").write_bytes(b"a,b\n" + b"1,2\n" * 200_000 + b"1,\0\n")
    with pytest.raises(InputError, match="no text"):
        read_records(str(tmp_path / "d.csv"))


@pytest.mark.parametrize("encoding", ["hex", "rot13", "nonsense"])
def test_encodings_that_are_none(tmp_path, encoding):
    (tmp_path / "d.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="unknown encoding"):
        read_records(str(tmp_path / "d.csv"), Layout(encoding=encoding))


def test_a_file_of_blank_lines_is_empty(tmp_path):
    (tmp_path / "d.csv").write_text("  \n\n \n")
    with pytest.raises(InputError, match="is empty"):
        read_records(str(tmp_path / "d.csv"))
