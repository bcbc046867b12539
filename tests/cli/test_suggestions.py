"""Every next step that the command prints is run as it stands."""

import re
import shlex

import numpy as np
import pandas as pd
import pytest

PLAIN = ("--model", "plain")
BARE = "bare.csv"


def written(folder, kind):
    """Write a table in one of many layouts; return how the command is asked for it."""
    generator = np.random.default_rng(0)
    n_rows = 80
    x = generator.normal(size=(n_rows, 2)).round(3)
    side = x[:, 0] > 0
    side[:6] = ~side[:6]
    kinds = np.where(side, "größer", "kleiner")
    table = pd.DataFrame({"first": x[:, 0], "second one": x[:, 1], "kind": kinds, "site": np.arange(80) % 20})
    if kind == "latin-1":
        table.to_csv(folder / "my data.csv", index=False, encoding="latin-1")
        return ["my data.csv", "-t", "kind", "--encoding", "latin-1", "--drop", "site"]
    if kind == "bare":
        table.to_csv(folder / BARE, index=False, header=False)
        return [BARE, "-t", "3", "--no-header"]
    if kind == "found bare":
        table.drop(columns="kind").assign(kind=side.astype(int)).to_csv(
            folder / BARE, index=False, header=False
        )
        return [BARE, "-t", "4"]
    if kind == "german":
        table.to_csv(folder / "d.csv", index=False, sep=";", decimal=",")
        return ["d.csv", "-t", "kind", "--delimiter", ";", "--decimal", ",", "--group", "site"]
    if kind == "tabs":
        table.assign(kind=side * 1 + 1, first=np.where(x[:, 1] > 2, "none", table["first"])).to_csv(
            folder / "d.tsv", index=False, sep="~"
        )
        return ["d.tsv", "-t", "kind", "--delimiter", "~", "--missing", "none", "--keep", "second one"]
    table = table.assign(kind=side * 1 + (x[:, 1] > 0) * 2 + 1)
    table.to_csv(folder / "d.csv", index=False)
    return ["d.csv", "-t", "kind"]


def commands(text):
    """Return the commands of the program that a text suggests."""
    return [shlex.split(each)[1:] for each in re.findall(r"(?:then|next): (rowtrust .*)", text)]


def ticked(path, verdict="wrong"):
    """Fill in the first verdict of a review."""
    review = pd.read_csv(path, dtype=str, keep_default_na=False)
    review.loc[0, "verdict"] = verdict
    review.to_csv(path, index=False)


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        ("latin-1", "correct"),
        ("bare", "weight"),
        ("found bare", "weight"),
        ("german", "weight"),
        ("tabs", "remove"),
        ("codes", "correct"),
    ],
)
def test_next_steps_run(rowtrust, tmp_path, kind, how, monkeypatch):
    monkeypatch.setattr("rowtrust.workflow.run.names_to_compare", lambda *_: ["plain"])
    result = rowtrust("fit", *written(tmp_path, kind), *PLAIN, "--fast")
    assert result.exit_code == 0, result.output
    (clean,) = commands(result.stdout)
    assert clean[0] == "clean"
    ticked(clean[clean.index("--review") + 1])
    result = rowtrust(*clean, "--how", how, "--no-effect")
    assert result.exit_code == 0, result.output
    (fit,) = commands(result.stdout)
    result = rowtrust(*fit, *PLAIN, "-q", "--json")
    assert result.exit_code == 0, (fit, result.output)
    assert '"task": "classification"' in result.output


def test_an_audit_suggests_the_whole_command(rowtrust, tmp_path):
    result = rowtrust("audit", *written(tmp_path, "latin-1"), "--review", "r.csv", "--no-effect")
    assert result.exit_code == 0, result.output
    (clean,) = commands(result.stdout)
    ticked(tmp_path / "r.csv")
    assert rowtrust(*clean, "--no-effect").exit_code == 0


def test_options_that_are_suggested_exist(rowtrust, tmp_path):
    """What checks and notes say to add is added, all of it."""
    generator = np.random.default_rng(0)
    x = generator.normal(size=90)
    table = pd.DataFrame({"day": pd.date_range("2021-01-01", periods=90).astype(str), "x": x})
    table["patient_id"] = [f"p{k:03d}x" for k in range(90)]
    table["grade"] = np.where(np.abs(x) < 0.1, "NA", np.where(x > 0, "3", "a"))
    table.to_csv(tmp_path / "d.csv", index=False)
    result = rowtrust("fit", "d.csv", "-t", "grade", *PLAIN)
    assert result.exit_code == 0, result.output
    found = re.findall(r"add (--[a-z-]+) ('[^']*'|\w+)", result.stderr)
    assert {option for option, _ in found} >= {"--time", "--keep", "--missing"}
    for option, value in found:
        again = rowtrust("fit", "d.csv", "-t", "grade", *PLAIN, option, value.strip("'"), "--force", "-q")
        assert again.exit_code == 0, (option, value, again.output)


def test_the_first_row_is_called_as_it_is(rowtrust, tmp_path):
    for kind, words in (("bare", "the first line of the file"), ("codes", "the first below the header")):
        assert (
            rowtrust("fit", *written(tmp_path, kind), *PLAIN, "-q", "-o", kind.replace(" ", "")).exit_code
            == 0
        )
        assert f"Row 1 is {words}" in (tmp_path / kind.replace(" ", "") / "report.html").read_text()


def test_files_that_are_written_are_named(rowtrust, tmp_path):
    assert rowtrust("fit", *written(tmp_path, "codes"), *PLAIN, "-q").exit_code == 0
    result = rowtrust("predict", "rowtrust-results", "d.csv", "-o", "p.csv")
    assert "written: p.csv (80 rows)" in result.stdout
    result = rowtrust("export", "rowtrust-results", "m.c")
    assert re.search(r"written: m\.c \(C, [\d,]+ bytes\)", result.stdout)


def test_a_verdict_that_is_none_is_named(rowtrust, tmp_path):
    asked = written(tmp_path, "codes")
    assert rowtrust("audit", *asked, "--review", "r.csv", "--no-effect", "-q").exit_code == 0
    ticked(tmp_path / "r.csv", "maybe")
    result = rowtrust("clean", *asked, "--review", "r.csv", "-o", "c.csv")
    assert result.exit_code == 1
    assert "'maybe' is none of wrong, right, unsure" in result.stderr
