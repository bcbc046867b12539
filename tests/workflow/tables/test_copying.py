"""Copies without some rows."""

import io

import pandas as pd

from rowtrust.workflow.tables import Layout
from rowtrust.workflow.tables.copying import copy_without


def test_cells_stay_as_they_were(tmp_path):
    (tmp_path / "d.csv").write_text('\ufeffcode;text\n001;"a;b"\n\n2.50;c\n?;d\n', encoding="utf-8")
    output = io.StringIO()
    assert copy_without(str(tmp_path / "d.csv"), Layout(), [2], output) == 2
    assert output.getvalue() == 'code;text\n001;"a;b"\n?;d\n'


def test_without_a_header_the_first_line_is_a_row(tmp_path):
    (tmp_path / "d.csv").write_text("1,2\n3,4\n")
    output = io.StringIO()
    assert copy_without(str(tmp_path / "d.csv"), Layout(header=False), {1}, output) == 1
    assert output.getvalue() == "3,4\n"


def test_parquet_becomes_text(tmp_path):
    pd.DataFrame({"a": [1, 2, 3]}).to_parquet(tmp_path / "d.parquet")
    output = io.StringIO()
    assert copy_without(str(tmp_path / "d.parquet"), Layout(), [1, 3], output) == 1
    assert output.getvalue() == "a\n2\n"
