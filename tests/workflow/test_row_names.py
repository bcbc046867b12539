"""Rows have one name: the index of the frame in Python, the line below the header in files and reports."""

import numpy as np
import pandas as pd
import pytest

from rowtrust import study_table


def patients(index, n_rows=80):
    """Two clear classes of which four rows are wrong; two rows are copies."""
    generator = np.random.default_rng(0)
    x = generator.normal(size=n_rows)
    kind = np.where(x > 0, "ill", "well")
    kind[[5, 17, 40, 63]] = np.where(x[[5, 17, 40, 63]] > 0, "well", "ill")
    x[[5, 17, 40, 63]] *= 3.0
    x[70], kind[70] = x[8], kind[8]
    return pd.DataFrame({"x": x, "noise": generator.normal(size=n_rows).round(1), "kind": kind}, index=index)


def studied(data):
    return study_table(data, "kind", model="plain", test=False, progress=False)


@pytest.fixture(scope="module")
def named():
    index = pd.Index([f"p{k}" for k in range(80)], name="patient")
    data = patients(index)
    return data, studied(data)


def test_flagged_rows_are_those_of_the_frame(named):
    data, study = named
    assert {"p5", "p17", "p40", "p63"} <= set(study.flagged_rows)
    found = data.loc[study.flagged_rows]
    given = study.flagged.loc[study.flagged_rows, "given"]
    assert found["kind"].tolist() == given.tolist()
    near = study.flagged["nearest_given"].dropna()
    assert (data.loc[near, "kind"].to_numpy() == study.flagged.loc[near.index, "given"]).all()
    assert f"rows {study.flagged_rows[0]}" in study.summary


def test_files_and_reports_count_from_the_line_below_the_header(named, tmp_path):
    data, study = named
    study.save(tmp_path / "s")
    table = pd.read_csv(tmp_path / "s" / "flagged.csv")
    assert (data["kind"].to_numpy()[table["row"] - 1] == table["given"]).all()
    assert data.index[table["row"] - 1].tolist() == study.flagged.index.tolist()
    first = int(table["row"][0])
    page = (tmp_path / "s" / "report.html").read_text()
    assert f"<h4>Row {first}</h4>" in page
    assert "Row 1 is the first of the table" in page


def test_rows_of_files_are_counted_from_0_in_python(tmp_path):
    data = patients(pd.RangeIndex(80))
    data.to_csv(tmp_path / "d.csv", index=False)
    study = studied(tmp_path / "d.csv")
    again = pd.read_csv(tmp_path / "d.csv")
    assert (
        again.loc[study.flagged_rows, "kind"].tolist()
        == study.flagged["given"][: len(study.flagged_rows)].tolist()
    )
    assert {5, 17, 40, 63} <= set(study.flagged_rows)


def test_an_index_with_duplicates_gives_places_and_says_so():
    study = studied(patients(np.arange(80) // 2))
    assert {5, 17, 40, 63} <= set(study.flagged_rows)
    assert any("index of the frame has duplicates" in note for note in study.notes)


def test_rows_of_checks_have_the_same_names():
    data = patients([f"p{k}" for k in range(80)])
    data.iloc[70] = data.iloc[8]
    checks = studied(data).data_checks.set_index("code")
    assert checks.loc["copies", "rows"] == ["p8", "p70"]


def test_an_index_of_two_levels_works():
    data = patients(pd.MultiIndex.from_product([range(20), list("abcd")]))
    study = studied(data)
    assert len(data.loc[study.flagged_rows]) == len(study.flagged_rows) >= 4
