"""Short and long rows are found, whatever the parser makes of them."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rowtrust.workflow.tables import InputError, Layout, fields, reading
from rowtrust.workflow.tables.fields import FieldCounter
from rowtrust.workflow.tables.layout import BLANK
from rowtrust.workflow.tables.reading import read_chunks, read_records

CELLS = 'a\u00e9 ,"\n'


def counted(text, width, size=None, delimiter=",", codec="utf-8"):
    counter, content = FieldCounter(delimiter, codec, width), text.encode(codec)
    for start in range(0, len(content), size or len(content)):
        counter.feed(content[start : start + (size or len(content))])
        counter.count()
    counter.count(is_end=True)
    return counter


@given(
    rows=st.lists(st.lists(st.text(CELLS, max_size=4), min_size=1, max_size=4), min_size=1, max_size=6),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    size=st.integers(1, 40),
)
@settings(max_examples=300, deadline=None)
def test_fields_are_those_of_a_reader_of_csv(rows, end, size):
    output = io.StringIO()
    csv.writer(output, lineterminator="\n").writerows(rows)
    counter = counted(output.getvalue().replace("\n", end), 3, size)
    # a line of blanks alone is no record; an empty field that is alone is written in quotes
    lengths = [len(row) for row in rows if len(row) > 1 or not row[0] or row[0].strip(" ")]
    expected = [number for number, length in enumerate(lengths) if length < 3]
    assert (counter.short, counter.n_short) == (expected[:5], len(expected))
    assert (counter.too_long is None) == (max(lengths, default=0) <= 3)


def test_quotes_within_a_field_are_letters():
    assert counted('a,5" pipe,x\nb,6" pipe\n', 3).short == [1]
    assert counted('a,"5"" pipe, long"\n"b\n,",6\n', 2).n_short == 0


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_any_codec(codec):
    counter = counted("a,b\n\u00e9\n1,2,3\n", 2, 3, codec=codec)
    assert (counter.short, counter.too_long) == ([1], (2, 3, 3))


def test_runs_of_blanks():
    counter = counted("  a  b\tc\n1 2\n\n1 2 3 \n", 3, delimiter=BLANK)
    assert (counter.short, counter.too_long) == ([1], None)


def test_a_field_that_never_ends_does_not_take_ever_longer(monkeypatch):
    monkeypatch.setattr(fields, "AT_ONCE", 64)
    counter, scanned = FieldCounter(",", "utf-8", 2), []
    decode = counter._decoder.decode
    counter._decoder = type("D", (), {"decode": lambda self, *a: scanned.append(1) or decode(*a)})()
    counter.feed(b'a,b\n1,"')
    for _ in range(1000):
        counter.feed(b"x" * 63 + b"\n")
    assert len(scanned) < 20


def rows_of(n, short=(), long=()):
    lines = [f"{row},{row}" for row in range(1, n + 1)]
    for row in short:
        lines[row - 1] = str(row)
    for row in long:
        lines[row - 1] += ",7"
    return "a,b\n" + "\n".join(lines) + "\n"


@pytest.mark.parametrize("row", [1, 2, 20, 21, 22, 40, 41, 60])
def test_a_long_row_is_refused_wherever_it_stands(tmp_path, row):
    """pandas before 3.1 cuts the first row of a later piece."""
    (tmp_path / "data.csv").write_text(rows_of(60, long=[row]))
    with pytest.raises(
        InputError, match="the first row has 3" if row == 1 else f"line {row + 1} has 3 fields"
    ):
        list(read_chunks(str(tmp_path / "data.csv"), Layout(), 20))


def test_short_rows_are_said(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "CHUNK_ROWS", 20)
    (tmp_path / "data.csv").write_text(rows_of(60, short=[21, 60]).rstrip())
    said, where = [], str(tmp_path / "data.csv")
    table = np.vstack([chunk.to_numpy() for chunk in read_chunks(where, Layout(), remark=said.append)])
    assert np.flatnonzero(np.isnan(table[:, 1].astype(float))).tolist() == [20, 59]
    note = "rows 21, 60: fewer fields than the header; the cells that they lack count as missing"
    assert tuple(said) == read_records(where, Layout()).notes == (note,)
    note = "row 1: fewer fields than the first row; the cells that it lacks count as missing"
    (tmp_path / "data.csv").write_text("1,2\n3,4\n5\n")
    assert read_records(where, Layout(header=False)).notes == (note.replace("row 1", "row 3"),)
