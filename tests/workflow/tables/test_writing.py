"""No cell that is written can be run by a spreadsheet."""

import io

import pandas as pd
import pytest

from rowtrust.workflow.tables.records import without_formula, write_csv


@pytest.mark.parametrize(
    "text",
    ["=cmd|' /C calc'!A0", "+A1+A2", "-A1", "--1", "-1+cmd", "@SUM(A1)", "\t=1+1", "\r=1+1", "\n=1+1", "=1"],
)
def test_formulas_get_an_apostrophe(text):
    assert without_formula(text) == f"'{text}"


@pytest.mark.parametrize(
    "cell", ["+", "-", "=", "@", "-1", "+1", "-1.5e-3", "+0.0", "a=b", "", " ", "yes", -1, 1.5, None, True]
)
def test_everything_else_stays(cell):
    assert without_formula(cell) is cell


def test_cells_and_names_of_columns_are_written_so():
    columns = [["=a", "-", "-1"], [-1.0, 2.123456, 3.0], ["x", None, "@b"], [True, False, True]]
    table = pd.DataFrame(dict(enumerate(columns))).set_axis(["=name", "number", "same", "same"], axis=1)
    before = table.copy()
    output = io.StringIO()
    write_csv(table, output, "%.3g")
    assert output.getvalue() == "'=name,number,same,same\n'=a,-1,x,True\n-,2.12,,False\n-1,3,'@b,True\n"
    pd.testing.assert_frame_equal(table, before)
    output = io.StringIO()
    write_csv(table.head(1).astype({"=name": "category"}), output, "%.3g", header=False)
    assert output.getvalue() == "'=a,-1,x,True\n"
