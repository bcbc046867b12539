"""A study as an object: tables, text, pages, files."""

import html
import shlex
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from rowtrust.workflow import Settings, run_study
from rowtrust.workflow.checks.records import Check
from rowtrust.workflow.quality.records import Figure
from rowtrust.workflow.study import Reference
from rowtrust.workflow.summaries import model_line, next_step, summary, summary_lines
from rowtrust.workflow.tables import InputError

BAD = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def study():
    generator = np.random.default_rng(0)
    first = generator.normal(size=60)
    table = pd.DataFrame({"first": first, BAD: np.where(first > 0, "yes", "no")})
    found = run_study(table, Settings(BAD, BAD, model="plain"))
    found.checks[:] = [
        Check("spelling", "note", "words were merged"),
        Check("leak", "severe", f"'{BAD}' gives the target away", "Leave it out with --drop", (BAD,), (3,)),
        Check("copies", "warning", "12 rows are copies"),
    ]
    found.judged.references[:] = [Reference("majority", "", [Figure("accuracy", 0.5, 0.4, 0.6, "")])]
    return found


def test_quality_is_a_table_with_the_references_beside(study):
    assert list(study.quality.columns) == ["value", "lower", "upper", "majority", "meaning"]
    row = study.quality.loc["accuracy"]
    assert row["lower"] <= row["value"] <= row["upper"]
    assert row["majority"] == 0.5
    assert np.isnan(study.quality.loc["log loss", "majority"])


def test_checks_are_a_table_the_severe_first(study):
    assert study.data_checks["severity"].tolist() == ["severe", "warning", "note"]
    assert study.data_checks.loc[0, "columns"] == (BAD,)


def test_the_summary_counts_checks_and_tells_the_severe_in_full(study):
    lines = str(study).splitlines()
    assert "checks    1 severe, 1 warning, 1 note; see study.data_checks" in lines
    assert f"severe    '{BAD}' gives the target away. Row 2. Leave it out with --drop." in lines
    assert "          majority: accuracy 0.5" in lines
    assert repr(study) == study.summary
    told = summary_lines(study, Path("out"), 1.0)
    assert "checks    1 severe, 1 warning, 1 note" in told  # the command has told them above
    assert f"severe    leak: '{BAD}'; see above" in told
    assert told[-2].startswith("written   out/ with model.skops")
    assert told[-1] == "next      open out/report.html in a browser"
    assert "np." not in study.summary


def test_json_has_checks_columns_and_references(study):
    found = summary(study, 1.0)
    assert [each["severity"] for each in found["checks"]] == ["severe", "warning", "note"]
    (other,) = found["quality"]["references"]
    assert other["metrics"]["accuracy"]["value"] == 0.5
    assert found["columns"] == [vars(each) for each in study.columns]


def test_the_model_line_says_why(study):
    assert "chosen by you" in summary_lines(study)[3]


def test_the_next_step_names_the_file(study):
    named = replace(study, findings=SimpleNamespace(flagged=[3], worth_a_look=[3]))
    assert "rowtrust clean DATA --target" in next_step(named, Path("out"))
    for path, shown in (("my data.csv", "'my data.csv'"), ("in/d.csv", "in/d.csv"), ("-", "DATA")):
        inputs = [{"role": "data", "path": path}, {"role": "test", "path": "t.csv"}]
        told = next_step(replace(named, provenance={"inputs": inputs}), Path("out"))
        assert f"then: rowtrust clean {shown} --target {shlex.quote(BAD)} --review out/review.csv" in told


def candidate(name, scores):
    return SimpleNamespace(name=name, estimator=name.title(), row_scores=scores, log_score=scores.mean())


def test_the_lead_of_a_model_is_told_with_its_error(study):
    noise = np.random.default_rng(0).normal(size=400)
    robust, fuzzy = candidate("robust", noise), candidate("fuzzy", noise - 1.0)
    large = candidate("plain", noise + 0.2)
    asked = replace(study, settings=replace(study.settings, model="auto"))
    line = model_line(replace(asked, candidates=[robust, large, fuzzy], chosen="plain"))
    assert "; it predicts held-out rows best, ahead of Robust by 0.2 ± " in line
    assert " (log score per row: Plain" in line
    small = candidate("plain", noise + np.tile([1.0, -0.98], 200))
    line = model_line(replace(asked, candidates=[robust, small], chosen="robust"))
    assert "; Plain leads by only 0.01 ± 0.05, less than the error of the comparison (log" in line
    line = model_line(replace(asked, candidates=[robust, fuzzy], chosen="robust"))
    assert "best, ahead of Fuzzy by 1 ± " in line


def test_the_card_and_the_page_are_escaped(study):
    card = study._repr_html_()
    assert BAD not in card
    assert html.escape(BAD) in card
    page = study.report()
    shown = page._repr_html_()
    assert shown.count("<") == 2  # the frame begins and ends: all of the page is inside an attribute
    assert page.html.startswith("<!")
    assert html.unescape(shown.split('srcdoc="')[1].rsplit('"', 1)[0]) == page.html
    assert "KB" in repr(page)


@pytest.fixture
def quick_pages(monkeypatch):
    """Pages that take no second to draw: these tests are of files."""
    monkeypatch.setattr("rowtrust.workflow.report.render", lambda study: "<!doctype html>")


@pytest.mark.usefixtures("quick_pages")
def test_a_report_is_written_once(study, tmp_path):
    path = study.report(tmp_path / "r.html")
    assert path.read_text().startswith("<!")
    path.write_text("mine")
    with pytest.raises(InputError, match=r"exists. Add force=True or choose another path"):
        study.report(path)
    assert path.read_text() == "mine"
    study.report(path, force=True)
    assert path.read_text() != "mine"


@pytest.mark.usefixtures("quick_pages")
def test_saving_replaces_nothing_unless_told(study, tmp_path):
    folder = study.save(tmp_path / "out")
    before = (folder / "manifest.json").read_bytes()
    with pytest.raises(InputError, match=r"has results of .* Add force=True"):
        study.save(folder)
    assert (folder / "manifest.json").read_bytes() == before
    study.save(str(folder), force=True)
