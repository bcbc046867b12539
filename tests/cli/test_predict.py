"""Predictions keep the names of rows, and say what the model has not seen."""

import pandas as pd
import pytest

from rowtrust.workflow.predictions import columns_to_keep
from rowtrust.workflow.tables import InputError


@pytest.fixture
def new(tmp_path, table):
    """Some rows with names of their own, columns nobody needs, and new categories."""
    rows = table.head(20).assign(code=[f"00{n}" for n in range(20)], more=1).drop(columns="kind")
    rows.loc[[1, 2, 3], "colour"] = ["violet", "violet", "pink"]
    rows.to_csv(tmp_path / "new.csv", index=False)
    return rows


def test_unseen_categories_are_told_once_with_counts(rowtrust, fitted, new, monkeypatch):
    monkeypatch.setattr("rowtrust.workflow.tables.reading.CHUNK_ROWS", 3)
    result = rowtrust("predict", fitted / "results", "new.csv")
    assert result.exit_code == 0, result.output
    notes = result.stderr.strip().splitlines()
    assert len(notes) == 1, notes
    assert "column 'colour': 3 rows with categories that the model has not seen" in notes[0]
    assert "'violet', 'pink'" in notes[0]
    assert len(result.stdout.splitlines()) == 21
    assert rowtrust("predict", fitted / "results", "new.csv", "-q").stderr == ""


def test_known_categories_are_not_told(rowtrust, fitted):
    assert rowtrust("predict", fitted / "results", fitted / "data.csv").stderr == ""


def test_a_slip_among_few_rows_is_told_and_predicted(rowtrust, fitted, tmp_path, table):
    few = table.head(3).astype({"first": object})
    few.loc[1, "first"] = "n/k"
    few.to_csv(tmp_path / "few.csv", index=False)
    result = rowtrust("predict", fitted / "results", tmp_path / "few.csv")
    assert result.exit_code == 0, result.output
    assert "note: column 'first' has cells that are no numbers: they count as missing" in result.stderr
    assert len(result.stdout.splitlines()) == 4


def test_a_short_row_is_predicted_with_a_note(rowtrust, fitted, tmp_path, table):
    lines = table.head(4).to_csv(index=False).splitlines()
    lines[2] = lines[2].rpartition(",")[0].rpartition(",")[0]
    (tmp_path / "few.csv").write_text("\n".join(lines))
    result = rowtrust("predict", fitted / "results", tmp_path / "few.csv")
    assert result.exit_code == 0, result.output
    assert (
        "note: row 2: fewer fields than the header; the cells that it lacks count as missing" in result.stderr
    )
    assert len(result.stdout.splitlines()) == 5


def test_ids_come_first_and_stay_as_written(rowtrust, fitted, new, tmp_path):
    line = ["predict", fitted / "results", "new.csv", "--id", "code", "--id", "colour", "-q", "-o", "out.csv"]
    assert rowtrust(*line).exit_code == 0
    found = pd.read_csv(tmp_path / "out.csv", dtype=str)
    assert list(found.columns[:3]) == ["code", "colour", "prediction"]
    assert found["code"].tolist() == new["code"].tolist()


def test_the_id_of_the_fit_is_kept_where_it_is(rowtrust, tmp_path, table):
    table.assign(name=[f"patient {n}" for n in range(80)]).to_csv(tmp_path / "d.csv", index=False)
    line = ["fit", "d.csv", "-t", "kind", "--model", "plain", "--id", "name", "-q", "-o", "m"]
    result = rowtrust(*line)
    assert result.exit_code == 0, result.output
    found = rowtrust("predict", "m", "d.csv", "-q").stdout.splitlines()
    assert found[0].startswith("name,prediction")
    assert found[1].startswith("patient 0,")
    assert rowtrust("predict", "m", "d.csv", "--id", "colour", "-q").stdout.startswith("colour,prediction")
    table.to_csv(tmp_path / "without.csv", index=False)
    assert rowtrust("predict", "m", "without.csv", "-q").stdout.startswith("prediction,")


def test_an_id_that_is_a_formula_is_text(rowtrust, fitted, new, tmp_path):
    new.assign(code="=1+1").to_csv(tmp_path / "new.csv", index=False)
    found = rowtrust("predict", fitted / "results", "new.csv", "--id", "code", "-q").stdout
    assert found.splitlines()[1].startswith("'=1+1,")


def test_an_id_that_is_no_column_is_refused():
    rows = pd.DataFrame({"code": [1], "x": [2]})
    with pytest.raises(InputError, match=r"--id: there is no column 'Code'. Did you mean 'code'"):
        columns_to_keep(rows, ["Code"], None)
    assert columns_to_keep(rows, [], "code") == ["code"]
    assert columns_to_keep(rows, [], "gone") == []


def test_columns_that_are_missing_are_named(rowtrust, fitted, new, tmp_path):
    new.rename(columns={"colour": "colours"}).to_csv(tmp_path / "new.csv", index=False)
    result = rowtrust("predict", fitted / "results", "new.csv")
    assert result.exit_code == 1
    assert "lack the column 'colour' of the model" in result.output
    assert "Rename or add; the data have 'colours'" in result.output
