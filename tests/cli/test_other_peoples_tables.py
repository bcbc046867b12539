"""Tables as other people write them: no row lost, none mixed up, no label changed."""

import os
import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest


def flipped(n_rows=120, seed=0, names=("no", "yes")):
    """Two clear classes, six labels of which are wrong; and their rows."""
    generator = np.random.default_rng(seed)
    first, second = generator.normal(size=(2, n_rows))
    truth = (first > 0).astype(int)
    first += np.where(truth, 1.5, -1.5)
    wrong = np.sort(generator.choice(n_rows, 6, replace=False))
    given = truth.copy()
    given[wrong] = 1 - given[wrong]
    words = np.array(names)[given]
    return pd.DataFrame(
        {"id": [f"r{n}" for n in range(n_rows)], "a": first, "b": second, "kind": words}
    ), wrong


@pytest.mark.parametrize("blank", ["   ", "\t", ""])
def test_clean_leaves_out_the_flagged_rows_and_no_others(rowtrust, tmp_path, blank):
    table, wrong = flipped()
    lines = table.to_csv(index=False).splitlines()
    for place in (100, 60, 30, 2, 1):
        lines.insert(place, blank)
    (tmp_path / "d.csv").write_text("\n".join(lines) + "\n")
    arguments = ["audit", "d.csv", "-t", "kind", "--drop", "id", "--cut", 6, "--no-effect"]
    result = rowtrust(*arguments, "--review", "r.csv", "-o", "ranking.csv", "-q")
    assert result.exit_code == 0, result.output
    ranking = pd.read_csv(tmp_path / "ranking.csv")
    flagged = table["id"].iloc[ranking.loc[ranking["list"] == "likely error", "row"] - 1].tolist()
    review = pd.read_csv(tmp_path / "r.csv")
    review[review["list"] == "likely error"].assign(verdict="wrong").to_csv("r.csv", index=False)
    result = rowtrust(
        "clean", "d.csv", "-t", "kind", "--review", "r.csv", "--how", "remove", "-o", "c.csv", "-q"
    )
    assert result.exit_code == 0, result.output
    kept = pd.read_csv(tmp_path / "c.csv")["id"].tolist()
    assert sorted([*kept, *flagged]) == sorted(table["id"])
    assert len(set(flagged) & set(table["id"].iloc[wrong])) >= 5


@pytest.mark.parametrize("word", ["None", "NA", "null"])
def test_a_class_called_as_missing_cells_are_is_not_lost(rowtrust, tmp_path, word):
    table, _ = flipped(names=(word, "disease"))
    table.drop(columns="id").to_csv(tmp_path / "d.csv", index=False)
    result = rowtrust("audit", "d.csv", "-t", "kind", "--no-effect", "-o", "ranking.csv")
    assert result.exit_code == 0, result.output
    assert f"have the class '{word}'" in result.stderr
    ranking = pd.read_csv(tmp_path / "ranking.csv", keep_default_na=False)
    assert len(ranking) == 120
    assert set(ranking["given"]) == {word, "disease"}
    table["kind"] = np.where(np.arange(120) % 10 == 0, word, np.where(table["a"] > 0, "mild", "severe"))
    table.drop(columns="id").to_csv(tmp_path / "d.csv", index=False)
    result = rowtrust("audit", "d.csv", "-t", "kind", "--missing", word, "--no-effect", "-o", "r.csv")
    assert len(pd.read_csv(tmp_path / "r.csv")) == 108, result.output


def test_labels_come_back_as_they_were_written(rowtrust, tmp_path):
    table, _ = flipped(80, names=("007", "010"))
    table.drop(columns="id").to_csv(tmp_path / "d.csv", index=False)
    assert rowtrust("fit", "d.csv", "-t", "kind", "--model", "robust", "-q").exit_code == 0
    assert rowtrust("predict", "rowtrust-results", "d.csv", "-o", "p.csv", "-q").exit_code == 0
    predicted = pd.read_csv(tmp_path / "p.csv", dtype=str)
    assert set(predicted["prediction"]) == {"007", "010"}
    assert {"P(007)", "P(010)"} <= set(predicted.columns)


def test_a_pipe_is_cleaned(rowtrust, tmp_path):
    table, _ = flipped(60)
    review = pd.DataFrame({"row": [3, 9], "given": table["kind"].iloc[[2, 8]], "verdict": "wrong"})
    review.to_csv(tmp_path / "r.csv", index=False)
    os.mkfifo(tmp_path / "pipe")
    content = table.drop(columns="id").to_csv(index=False)
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(content,), daemon=True)
    writer.start()
    command = ["clean", "pipe", "-t", "kind", "--review", "r.csv", "--how", "remove", "-o", "c.csv", "-q"]
    result = rowtrust(*command)
    assert result.exit_code == 0, result.output
    assert len(pd.read_csv(tmp_path / "c.csv")) == 58


def test_limits_are_set_by_option_and_by_environment(rowtrust, csv, monkeypatch):
    result = rowtrust("fit", csv, "-t", "kind", "--limits", "rows=10")
    assert result.exit_code == 1
    assert "more than 10 rows" in result.output
    assert "--limits rows=N" in result.output
    monkeypatch.setenv("ROWTRUST_LIMITS", "columns=2")
    assert "more than 2 columns" in rowtrust("audit", csv, "-t", "kind").output
    assert "no limit 'miles'" in rowtrust("audit", csv, "-t", "kind", "--limits", "miles=3").output


def test_time_is_limited(rowtrust, csv, tmp_path):
    result = rowtrust("fit", csv, "-t", "kind", "--limits", "seconds=0.05")
    assert result.exit_code == 1
    assert "more than 0.05 seconds" in result.output
    assert len(result.output.strip().splitlines()) == 1
    assert sorted(each.name for each in tmp_path.iterdir()) == ["data.csv"]


def test_a_file_that_grows_during_the_fit_is_refused(rowtrust, tmp_path, monkeypatch):
    from rowtrust.estimators._machine import SparseBayesMachine
    from rowtrust.fitting import Budget
    from rowtrust.workflow import results
    from rowtrust.workflow.tables import reading

    table, _ = flipped(400)
    table.drop(columns="id").to_csv(tmp_path / "d.csv", index=False)
    monkeypatch.setattr(reading, "IN_MEMORY_ROWS", 200)
    monkeypatch.setattr(SparseBayesMachine, "_budget", replace(Budget(), together_rows=100))
    study = results.run_study

    def study_later(*arguments, **options):
        with open(tmp_path / "d.csv", "a") as stream:
            stream.write("0.0,0.0,no\n")
        return study(*arguments, **options)

    monkeypatch.setattr(results, "run_study", study_later)
    result = rowtrust("fit", "d.csv", "-t", "kind", "--model", "plain")
    assert result.exit_code == 1
    assert "has changed while it was read" in result.output
