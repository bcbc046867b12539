"""Excel workbooks: the first sheet, with the types of its cells."""

import sys
import zipfile
from datetime import datetime

import numpy as np
import pandas as pd
import pytest

from rowtrust.limits import LimitError, Limits
from rowtrust.workflow.tables import (
    InputError,
    Layout,
    Schema,
    read_chunks,
    read_for_study,
    read_table,
    typed,
)
from rowtrust.workflow.tables.text import NO_HEADER

openpyxl = pytest.importorskip("openpyxl")
N = 40


def written(path, rows, *more):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for title in more:
        book.create_sheet(title)
    book.save(path)
    return str(path)


@pytest.fixture
def workbook(tmp_path):
    rows = [
        [
            n,
            n / 4,
            f"kind {n % 3}",
            datetime(2020, 1, 1 + n % 28),
            n % 2 == 0,
            "<5" if n == 3 else n * 1.5,
            None,
        ]
        for n in range(N)
    ]
    rows[7][1] = None
    header = ["count", "size", "kind", "when", "truth", "level", "empty"]
    return written(tmp_path / "d.xlsx", [header, *rows[:20], [], *rows[20:]])


def test_cells_keep_their_types_and_rows_their_numbers(workbook):
    table = read_table(workbook)
    assert list(table) == ["count", "size", "kind", "when", "truth", "level", "empty"]
    assert table.index.tolist() == list(range(N))
    assert table["count"].tolist() == list(range(N))
    assert pd.api.types.is_datetime64_any_dtype(table["when"].dtype)
    assert np.isnan(table["size"][7])
    schema, _ = Schema.find(table, "truth")
    kinds = {each.name: each.kind for each in schema.inputs}
    assert kinds == {"size": "number", "kind": "category", "when": "date", "level": "number"}
    assert schema.conform(table)["level"][:5].tolist() == [0.0, 1.5, 3.0, 2.5, 6.0]
    assert dict(schema.left_out) == {"count": "row number", "empty": "all missing"}


def test_pieces_are_the_whole(workbook):
    pieces = list(read_chunks(workbook, Layout(), rows=15))
    assert [len(each) for each in pieces] == [15, 15, 10]
    pd.testing.assert_frame_equal(pd.concat(pieces), read_table(workbook), check_freq=False)


def test_a_sheet_without_a_header_and_other_sheets_are_told(tmp_path):
    path = written(tmp_path / "d.xlsx", [[n, n / 3] for n in range(N)], "other")
    found = read_for_study(path, Layout(), False, 0)
    assert found.notes == ["of the 2 sheets the first was read: 'Sheet'", NO_HEADER]
    assert (list(found.table), len(found.table)) == (["1", "2"], N)


def test_rows_wider_than_the_header_are_refused(tmp_path):
    path = written(tmp_path / "d.xlsx", [["a", "b"], [1, 2], [3, 4, 5]])
    with pytest.raises(InputError, match="row 3 of the sheet has 3 cells, the first has 2"):
        read_table(path)


def test_limits_are_kept(workbook, tmp_path):
    for limits, words in (
        (Limits(rows=5), "rows"),
        (Limits(columns=3), "columns"),
        (Limits(table_bytes=99), "bytes"),
    ):
        with pytest.raises(LimitError, match=f"more than .* {words}"):
            read_table(workbook, Layout(limits=limits))


def test_a_workbook_that_unpacks_to_gigabytes_is_refused_before_it_is_read(workbook, tmp_path, monkeypatch):
    bomb = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(workbook) as good, zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in good.namelist():
            archive.writestr(name, good.read(name))
        archive.writestr("xl/sharedStrings2.xml", bytes(2**22))
    monkeypatch.setattr(typed, "LARGEST", 2**21)
    monkeypatch.setattr("openpyxl.load_workbook", None)  # nothing may be parsed
    assert bomb.stat().st_size < 2**15
    with pytest.raises(InputError, match=r"unpacks to 4 MB, too much for a workbook\. Save the sheet as CSV"):
        read_table(str(bomb))


def test_a_sheet_with_cells_at_the_far_end_of_every_row_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(typed, "MOST_CELLS", 10_000)
    rows = [[None] * 299 + [n] for n in range(60)]
    path = written(tmp_path / "d.xlsx", [[f"c{n}" for n in range(300)], *rows])
    with pytest.raises(InputError, match="more than 10,000 cells in its first sheet"):
        read_table(path)


def rewritten(path, change, shared=None):
    """Change the XML of a workbook's first sheet, and its shared words."""
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    parts[sheet] = change(parts[sheet].decode()).encode()
    if shared is not None:
        kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
        part = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}"/></Types>'
        kinds = "[Content_Types].xml"
        parts[kinds] = parts[kinds].decode().replace("</Types>", part).encode()
        parts["xl/sharedStrings.xml"] = shared.encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in parts.items():
            book.writestr(name, content)
    return path


def test_rows_and_columns_beyond_the_size_that_a_sheet_states_are_read(tmp_path):
    path = written(tmp_path / "d.xlsx", [["a", "b"], [1, 2], [3], [5, 6]])
    assert 'ref="A1:B4"' in zipfile.ZipFile(path).read("xl/worksheets/sheet1.xml").decode()
    rewritten(path, lambda xml: xml.replace('ref="A1:B4"', 'ref="A1:A2"'))
    table = read_table(path)
    assert table["a"].tolist() == [1, 3, 5]
    assert table["b"].fillna(0).tolist() == [2, 0, 6]


def test_long_words_that_many_cells_share_are_refused(tmp_path, monkeypatch):
    path = written(tmp_path / "d.xlsx", [["a", "b"], [1, 2]])
    cells = "".join(f'<row r="{n}"><c r="A{n}" t="s"><v>0</v></c></row>' for n in range(3, 103))
    scheme = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    words = f'<sst xmlns="{scheme}"><si><t>{"x" * 9999}</t></si></sst>'
    rewritten(path, lambda xml: xml.replace("</sheetData>", f"{cells}</sheetData>"), words)
    assert len(read_table(path)["a"].iloc[-1]) == 9999
    monkeypatch.setattr(typed, "LARGEST", 500_000)
    with pytest.raises(InputError, match="more than 500,000 characters in its first sheet"):
        read_table(path)
    monkeypatch.setattr(typed, "LONGEST", 999)
    with pytest.raises(
        InputError, match=r"a cell has 9,999 characters; Excel allows 999\. Save the sheet as CSV"
    ):
        read_table(path)


def test_empty_rows_count_too(tmp_path, monkeypatch):
    path = written(tmp_path / "d.xlsx", [["a", "b"], [1, 2]])
    far = "".join(f'<row r="{n}"><c r="XFD{n}"/></row>' for n in range(3, 60))
    rewritten(path, lambda xml: xml.replace("</sheetData>", f"{far}</sheetData>"))
    assert len(read_table(path)) == 1
    monkeypatch.setattr(typed, "MOST_CELLS", 500_000)
    with pytest.raises(InputError, match="more than 500,000 cells"):
        read_table(path)
    rewritten(path, lambda xml: xml.replace('<row r="3">', '<row r="9999999999">'))
    monkeypatch.undo()
    with pytest.raises(InputError, match="more than 1,048,576 rows"):
        read_table(path)


def test_without_the_extra_the_cure_is_named(workbook, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(InputError, match=r"pip install 'rowtrust\[excel\]'. Or save the sheet as CSV"):
        read_table(workbook)


def test_empty_and_damaged_workbooks(tmp_path):
    with pytest.raises(InputError, match="no rows in its first sheet"):
        read_table(written(tmp_path / "empty.xlsx", []))
    with pytest.raises(InputError, match="no rows below its header"):
        read_table(written(tmp_path / "header.xlsx", [["a", "b"]]))
    with zipfile.ZipFile(tmp_path / "odd.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "<no")
    with pytest.raises(InputError, match="damaged Excel workbook"):
        read_table(str(tmp_path / "odd.xlsx"))
