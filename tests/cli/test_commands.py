"""The commands do what they say."""

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rich.progress import Progress as RichProgress

import rowtrust as package
from rowtrust import io as model_files
from rowtrust.datasets import demo as demo_data
from rowtrust.workflow.bars import Bar, TimeLeft, time_left
from rowtrust.workflow.tables import Schema, reading

SOURCE = Path(package.__file__).parents[1]


def command(*arguments, **options):
    """Run the command in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1"}
    line = [sys.executable, "-m", "rowtrust", *map(str, arguments)]
    return subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def test_fit_writes_the_folder(rowtrust, csv, tmp_path):
    result = rowtrust("fit", csv, "-t", "kind", "--seed", "1")
    assert result.exit_code == 0, result.output
    folder = tmp_path / "rowtrust-results"
    assert {each.name for each in folder.iterdir() if each.is_file()} == {
        "model.skops",
        "report.html",
        "flagged.csv",
        "review.csv",
        "metrics.json",
        "manifest.json",
    }
    metrics = json.loads((folder / "metrics.json").read_text())
    assert metrics["task"] == "classification"
    assert {each["model"] for each in metrics["candidates"]} == {"robust", "plain", "fuzzy"}
    low, high = metrics["metrics"]["accuracy"]["interval"]
    assert low <= metrics["metrics"]["accuracy"]["value"] <= high
    assert metrics["metrics"]["accuracy"]["value"] > 0.8
    flagged = pd.read_csv(folder / "flagged.csv")
    assert len(flagged) == metrics["rows"]["train"] == 80
    for word in ("data", "model", "quality", "flagged", "written"):
        assert word in result.output


def test_quiet_and_json(rowtrust, csv):
    line = ("fit", csv, "-t", "kind", "--model", "plain")
    result = rowtrust(*line, "--quiet", "--json")
    assert json.loads(result.stdout)["model"] == "plain"
    assert result.stderr == ""


def test_test_file(rowtrust, csv, tmp_path, table):
    table.head(30).to_csv(tmp_path / "held.csv", index=False)
    result = rowtrust("fit", csv, "-t", "kind", "--model", "robust", "--test", "held.csv", "--json")
    assert json.loads(result.stdout)["rows"] == {"train": 80, "judged": 30, "without_target": 0}
    table.head(3).assign(kind="perhaps").to_csv(tmp_path / "held.csv", index=False)
    result = rowtrust("fit", csv, "-t", "kind", "--test", "held.csv", "--force")
    assert "class 'perhaps', which the data lack" in result.output


def test_standard_input(fitted):
    content = (fitted / "data.csv").read_bytes()
    process = command("predict", fitted / "results", "-", stdin=subprocess.PIPE)
    output, errors = process.communicate(gzip.compress(content))
    assert process.returncode == 0, errors
    assert len(pd.read_csv(io.BytesIO(output))) == 80


def test_predict_equals_the_model_in_order(rowtrust, fitted, table, tmp_path, monkeypatch):
    monkeypatch.setattr("rowtrust.workflow.tables.reading.CHUNK_ROWS", 7)
    monkeypatch.setattr("rowtrust.workflow.tables.reading.read_chunks.__defaults__", ((), 7))
    table.to_csv(tmp_path / "new.csv", index=False)
    result = rowtrust("predict", fitted / "results", "new.csv", "-o", "out.csv")
    assert result.exit_code == 0, result.output
    given = pd.read_csv(tmp_path / "out.csv")
    model = model_files.load(fitted / "results" / "model.skops")
    schema = Schema.from_json(model_files.read_facts(fitted / "results" / "model.skops")["schema"])
    expected = model.predict_proba(schema.conform(table))
    np.testing.assert_allclose(given[["P(no)", "P(yes)"]], expected, atol=1e-6)
    assert given["prediction"].tolist() == model.predict(schema.conform(table)).tolist()


def test_predict_takes_columns_in_any_order_and_unknown_categories(rowtrust, fitted, table, tmp_path):
    table[["colour", "second", "first"]].assign(more=1, colour="violet").to_csv(
        tmp_path / "new.csv", index=False
    )
    result = rowtrust("predict", fitted / "results", "new.csv", "-o", "out.csv")
    assert result.exit_code == 0, result.output
    assert np.isfinite(pd.read_csv(tmp_path / "out.csv")["P(no)"]).all()


def test_intervals_of_numbers(rowtrust, tmp_path):
    generator = np.random.default_rng(0)
    x = generator.uniform(-3, 3, 200)
    pd.DataFrame({"x": x, "y": np.sin(x) + 0.2 * generator.normal(size=200)}).to_csv(
        tmp_path / "d.csv", index=False
    )
    assert rowtrust("fit", "d.csv", "-t", "y", "--model", "robust", "-q").exit_code == 0
    covered = {}
    for level in ("0.5", "0.95"):
        rowtrust("predict", "rowtrust-results", "d.csv", "-o", f"{level}.csv", "--interval", level)
        out, y = pd.read_csv(tmp_path / f"{level}.csv"), pd.read_csv(tmp_path / "d.csv")["y"]
        covered[level] = float(((out["lower"] <= y) & (y <= out["upper"])).mean())
    assert 0.35 < covered["0.5"] < 0.65
    assert covered["0.95"] > 0.88


def test_audit_finds_flipped_rows(rowtrust, tmp_path):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(200, 2))
    y = np.where(X[:, 0] > 0, "right", "left")
    X[:, 0] += np.sign(X[:, 0])
    flipped = generator.choice(200, 20, replace=False)
    y[flipped] = np.where(y[flipped] == "right", "left", "right")
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "code": [f"00{n % 7}" for n in range(200)], "side": y})
    table.to_csv(tmp_path / "d.csv", index=False, sep=";")
    result = rowtrust("audit", "d.csv", "-t", "side", "-o", "ranking.csv")
    assert result.exit_code == 0, result.output
    ranking = pd.read_csv(tmp_path / "ranking.csv")
    flagged = ranking.loc[ranking["list"] == "likely error", "row"] - 1
    assert np.isin(flagged, flipped).mean() > 0.8  # one in five may be right
    assert np.isin(ranking["row"][:15] - 1, flipped).all()
    assert len(flagged) >= 15
    assert {
        "given",
        "likely",
        "probability",
        "p_wrong",
        "list",
        "trust",
        "nearest_given",
        "nearest_likely",
    } <= set(ranking)
    assert "goes from" in result.output
    assert "compare" in result.output


def test_audit_of_clean_data_proposes_nothing(rowtrust, tmp_path):
    generator = np.random.default_rng(1)
    x = generator.normal(size=150)
    pd.DataFrame({"x": x, "y": 2 * x + 0.3 * generator.normal(size=150)}).to_csv(
        tmp_path / "d.csv", index=False
    )
    line = ("audit", "d.csv", "-t", "y", "--no-effect", "--json")
    assert len(json.loads(rowtrust(*line).stdout)["flagged"]) <= 1
    assert len(json.loads(rowtrust(*line, "--cut", "9").stdout)["flagged"]) == 9


def test_columns_that_say_nothing_are_left_out_and_named(rowtrust, tmp_path, table):
    odd = table.assign(id=range(1, 81), same=3, void=None, dirty=table["first"].astype(str))
    odd.loc[3, "dirty"] = "n/k"
    odd.loc[[9, 30], "kind"] = None
    odd.to_csv(tmp_path / "data.csv", index=False)
    result = rowtrust("fit", "data.csv", "-t", "kind", "--model", "robust")
    assert result.exit_code == 0, result.output
    for name in ("id", "same", "void"):
        told = [line for line in result.output.splitlines() if f"'{name}'" in line]
        assert any("not used" in line for line in told), name
    assert "2 rows have no target" in result.output


def test_columns_to_keep_reach_the_study(rowtrust, tmp_path, table):
    table.assign(same=3, void=None).to_csv(tmp_path / "data.csv", index=False)
    for command in ("fit", "audit"):
        result = rowtrust(command, "data.csv", "-t", "kind", "--keep", "same", "--keep", "void")
        assert result.exit_code == 1
        assert "the column 'void' of --keep is all missing" in result.output


def test_help_explains(rowtrust):
    page = rowtrust("--help").output
    for word in ("fit", "predict", "audit", "clean", "export", "demo", "First steps", "--install-completion"):
        assert word in page
    assert "\\b" not in page
    assert sum(line.strip().startswith("rowtrust ") for line in page.splitlines()) >= 4
    assert "Excel" in rowtrust("fit", "--help").output
    for name in ("fit", "predict", "audit", "clean", "export"):
        assert "Example: rowtrust" in rowtrust(name, "--help").output
    assert rowtrust("--version").output.startswith("rowtrust ")


def test_usage_errors_exit_with_two(rowtrust, csv):
    assert rowtrust("fit").exit_code == 2
    assert rowtrust("fit", csv).exit_code == 2
    assert rowtrust("nonsense").exit_code == 2


def test_completion_script(monkeypatch):
    # --show-completion asks the calling shell for its name; a test is called by make's, which has none.
    monkeypatch.setenv("_ROWTRUST_COMPLETE", "source_bash")
    process = command()
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    assert b"_ROWTRUST_COMPLETE" in output


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_leave_nothing_behind(tmp_path, number, code):
    generator = np.random.default_rng(0)
    table = pd.DataFrame(generator.normal(size=(6000, 8)), columns=list("abcdefgh"))
    function = np.sin(2.0 * table["a"]) * table["b"] + np.cos(table["c"])  # noise alone is fitted too soon
    table["y"] = (function + generator.normal(0.0, 0.5, 6000) > 0.5).astype(int)
    table.to_csv(tmp_path / "data.csv", index=False)
    process = command("fit", "data.csv", "-t", "y", cwd=tmp_path)
    deadline = time.time() + 120
    while time.time() < deadline and not is_ready(process.pid):
        time.sleep(0.1)
    time.sleep(1.0)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == code, errors
    assert errors.decode().count("\n") <= 1
    assert "Traceback" not in errors.decode()
    assert [each.name for each in tmp_path.iterdir()] == ["data.csv"]


def is_ready(pid: int) -> bool:
    """Whether the command has begun: it then catches the signal to terminate."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    caught = next(line.split()[1] for line in lines if line.startswith("SigCgt"))
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals and pipes of POSIX")
def test_reader_that_leaves_early(fitted):
    process = command("predict", fitted / "results", fitted / "data.csv")
    process.stdout.close()
    process.wait(timeout=60)
    assert b"Traceback" not in process.stderr.read()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_standard_output(fitted):
    with open("/dev/full", "w") as full:
        environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
        line = [sys.executable, "-m", "rowtrust", "predict", fitted / "results", fitted / "data.csv"]
        result = subprocess.run(line, env=environment, stdout=full, stderr=subprocess.PIPE, check=False)
    assert result.returncode == 1
    assert b"disk is full" in result.stderr
    assert b"Traceback" not in result.stderr


def test_demo(rowtrust, tmp_path, monkeypatch):
    few = [
        replace(each, table=each.table.head(100), wrong=each.wrong[:100])
        for each in demo_data.dirty_tables(0)
    ]
    monkeypatch.setattr("rowtrust.cli.demo.dirty_tables", lambda seed: few)
    monkeypatch.setattr("rowtrust.workflow.run.names_to_compare", lambda *_: ["plain"])
    result = rowtrust("demo", "-o", "demo")
    assert result.exit_code == 0, result.output
    for name in ("breast-cancer", "diabetes"):
        assert (tmp_path / "demo" / name / "report.html").exists()
        assert str(tmp_path / "demo" / name / "report.html") in result.output.replace("\n", "")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--dask", "tcp://127.0.0.1:1", "--device", "cuda"], "--dask cannot go with --device"),
        (["--dask", "tcp://127.0.0.1:1", "--fast"], "--dask cannot go with --fast"),
        (["--device", "cuda", "--model", "fuzzy"], "fuzzy needs all rows at once, in this process"),
    ],
)
def test_places_that_exclude_each_other(rowtrust, csv, options, words):
    result = rowtrust("fit", csv, "-t", "kind", *options)
    assert result.exit_code == 1
    assert words in result.output


def test_no_device_and_no_cluster_are_told_in_a_line(rowtrust, csv, monkeypatch):
    options = ["-t", "kind", "--model", "plain"]
    monkeypatch.setitem(sys.modules, "torch", None)
    result = rowtrust("fit", csv, *options, "--device", "cuda")
    assert result.exit_code == 1
    assert "--device cuda needs PyTorch" in result.output
    monkeypatch.setitem(sys.modules, "dask.distributed", None)
    result = rowtrust("fit", csv, *options, "--dask", "tcp://127.0.0.1:1")
    assert result.exit_code == 1
    assert "--dask needs Dask" in result.output


def test_a_large_file_is_not_loaded_whole_and_the_command_says_so(rowtrust, csv, monkeypatch):
    monkeypatch.setattr(reading, "IN_MEMORY_ROWS", 60)
    result = rowtrust("fit", csv, "-t", "kind", "--model", "plain")
    assert result.exit_code == 0, result.output
    assert "68 training rows" in result.output  # 80, less a fifth of the 60 that were sampled
    assert "the file has 80 rows: scores, pictures and flagged rows come from" in result.output


@pytest.mark.parametrize(
    ("elapsed", "completed", "total", "words"),
    [
        (None, 1.0, 2.0, None),
        (5.0, 0.0, 2.0, None),
        (5.0, 1.0, None, None),
        (10.0, 1.0, 5.0, "40 s"),
        (60.0, 1.0, 6.0, "5 min"),
        (10.0, 5.0, 5.0, "0 s"),
    ],
)
def test_the_time_left_is_told_by_what_is_done(elapsed, completed, total, words):
    assert time_left(elapsed, completed, total) == words


def test_the_bar_follows_what_steps_cost():
    with RichProgress(disable=True) as rich:
        bar = Bar(rich)
        bar.start(10.0)
        completed = []
        for move in (
            lambda: bar.step("comparing"),
            lambda: bar.step("fitting", 8.0),
            lambda: bar.part(0.5),
            lambda: bar.part(2.0),
            lambda: bar.step("judging"),
        ):
            move()
            completed.append(rich.tasks[0].completed)
        assert completed == [0.0, 1.0, 5.0, 9.0, 9.0]
        assert rich.tasks[0].total == 10.0
        assert TimeLeft().render(rich.tasks[0]).plain.endswith("left")
