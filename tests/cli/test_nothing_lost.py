"""What people filled in stays, one run at a time writes to a folder, and what goes wrong is said as it is."""

import os
import re
import subprocess
import sys
import threading

import pandas as pd
import pytest

from rowtrust.atomic import BusyError, folder_locked
from rowtrust.cli import audit as audit_module
from rowtrust.workflow import Settings, results
from rowtrust.workflow.input_data import InputTable, Question
from rowtrust.workflow.review import is_filled_in

POSIX = pytest.mark.skipif(os.name != "posix", reason="locks of POSIX")
FIT = ("fit", "data.csv", "-t", "kind", "--model", "plain", "--no-test")


def fill_in(path, word="wrong"):
    """Write a verdict into the first line of a review, as a spreadsheet would."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    table.loc[0, "verdict"] = word
    text = table.to_csv(index=False, sep=";")
    path.unlink()
    path.write_text(text)
    return text


@pytest.fixture
def dirty(csv, table):
    """Data with labels that are plainly wrong."""
    table.loc[table["first"].abs().nlargest(6).index, "kind"] = "no"
    table.loc[table["first"].nlargest(3).index, "kind"] = "no"
    table.to_csv(csv, index=False)
    return csv


def test_force_keeps_a_review_that_was_filled_in(rowtrust, tmp_path, dirty):
    assert rowtrust(*FIT).exit_code == 0
    folder = tmp_path / "rowtrust-results"
    mine = fill_in(folder / "review.csv")
    result = rowtrust(*FIT, "--force", "--seed", "1")
    assert result.exit_code == 0
    copies = [
        each for each in folder.iterdir() if re.fullmatch(r"review-\d{4}-\d\d-\d\d-\d{6}\.csv", each.name)
    ]
    assert [each.read_text() for each in copies] == [mine]
    assert f"review.csv was filled in: it is kept as {copies[0].name}" in result.stderr
    assert not is_filled_in(folder / "review.csv")
    assert rowtrust(*FIT, "--force").exit_code == 0  # nobody has written into this one
    assert len(list(folder.glob("review-*"))) == 1


def test_audit_keeps_it_too(rowtrust, tmp_path, dirty):
    line = ("audit", "data.csv", "-t", "kind", "--no-effect", "--cut", "3", "--review", "review.csv")
    assert rowtrust(*line).exit_code == 0
    mine = fill_in(tmp_path / "review.csv", "?")
    result = rowtrust(*line, "--force")
    assert [each.read_text() for each in tmp_path.glob("review-*.csv")] == [mine]
    assert "review.csv was filled in: it is kept as review-" in result.stderr


@pytest.mark.parametrize(
    ("text", "kept"), [("row,given\n1,a\n", True), ("no review at all", True), ("", True)]
)
def test_what_is_no_review_may_be_somebodys_work(tmp_path, text, kept):
    (tmp_path / "review.csv").write_text(text)
    assert is_filled_in(tmp_path / "review.csv") == kept


def test_a_review_without_rows_holds_no_work(tmp_path):
    (tmp_path / "review.csv").write_text("row,given,verdict,corrected,comment\n")
    assert not is_filled_in(tmp_path / "review.csv")


@POSIX
def test_a_second_run_is_refused(rowtrust, tmp_path, csv):
    with folder_locked(tmp_path / "rowtrust-results"):
        result = rowtrust(*FIT)
    assert result.exit_code == 1
    assert result.output.strip().endswith(
        "another run writes to rowtrust-results. Wait for it, or choose another --output."
    )
    assert not (tmp_path / "rowtrust-results").exists()
    assert sorted(os.listdir(tmp_path)) == ["data.csv"]
    assert rowtrust(*FIT).exit_code == 0


@POSIX
def test_a_second_run_that_may_replace_results_waits(rowtrust, tmp_path, csv, monkeypatch):
    """Its results are those that stay, and it reads the folder as the first has left it."""
    waits, said, order = threading.Event(), [], []
    inside = results.study_input

    def seen(*args, **options):
        order.append("second")
        return inside(*args, **options)

    def say(self, text):
        said.append(text)
        waits.set()

    monkeypatch.setattr(results, "study_input", seen)
    monkeypatch.setattr(results.Progress, "say", say)
    second = threading.Thread(
        target=results.study_file,
        args=(
            Question(InputTable(str(csv)), Settings("data.csv", "kind", "plain", test=0.0)),
            tmp_path / "out",
        ),
        kwargs={"force": True},
    )
    with folder_locked(tmp_path / "out"):
        second.start()
        assert waits.wait(30)
        order.append("first")
    second.join()
    assert order == ["first", "second"]
    assert said == [f"another run writes to {tmp_path / 'out'}; waiting for it"]
    assert (tmp_path / "out" / "model.skops").exists()
    assert not [name for name in os.listdir(tmp_path) if "lock" in name]


@POSIX
def test_a_lock_goes_with_the_process_that_had_it(tmp_path):
    code = f"""
import os, signal
from rowtrust.atomic import folder_locked
with folder_locked({str(tmp_path / "out")!r}):
    os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode < 0
    with folder_locked(tmp_path / "out"), pytest.raises(BusyError), folder_locked(tmp_path / "out"):
        pass
    assert os.listdir(tmp_path) == []


def test_both_files_of_an_audit_appear_or_none(rowtrust, tmp_path, dirty, monkeypatch):
    write, calls = audit_module.write_csv, []

    def second_fails(*args):
        calls.append(args)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        write(*args)

    monkeypatch.setattr(audit_module, "write_csv", second_fails)
    line = ("audit", "data.csv", "-t", "kind", "--no-effect", "-o", "all.csv", "--review", "review.csv")
    assert rowtrust(*line).exit_code == 1
    assert len(calls) == 2
    assert os.listdir(tmp_path) == ["data.csv"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_behind_standard_output(fitted):
    line = [sys.executable, "-m", "rowtrust", "predict", str(fitted / "results"), str(fitted / "data.csv")]
    with open("/dev/full", "w") as full:
        result = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr == (
        "rowtrust: the disk is full: standard output is cut off. Free some space, and run again.\n"
    )


@pytest.mark.parametrize("library", ["numpy", "pandas.core", "sklearn", "rowtrust.workflow"])
def test_an_interrupt_while_libraries_are_imported_is_no_traceback(library):
    code = f"""
import runpy, sys
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {library!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
sys.argv = ["rowtrust", "--version"]
runpy.run_module("rowtrust", run_name="__main__")
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (130, "")


def test_a_label_that_is_a_book_is_refused(rowtrust, csv, table):
    """All labels took the room of the longest: 300 rows and one label of 100 kB took 6.8 GiB."""
    table.loc[3, "kind"] = "x" * 100_000
    table.to_csv(csv, index=False)
    for line in (("audit", "data.csv", "-t", "kind"), FIT):
        result = rowtrust(*line)
        assert result.exit_code == 1
        assert "the target 'kind' has a value of 100000 characters, 'xxx" in result.output
        assert "classes have up to 200" in result.output


@pytest.mark.parametrize("line", [FIT, ("audit", "data.csv", "-t", "kind")])
def test_too_many_columns_are_refused_by_the_header(rowtrust, tmp_path, line):
    """10,001 columns took 15 seconds to be read before they were refused."""
    (tmp_path / "data.csv").write_text(",".join([*(f"c{each}" for each in range(10_001)), "kind"]) + "\n1\n")
    result = rowtrust(*line)
    assert "10001 input columns are too many; at most 10000. --drop some." in result.output
