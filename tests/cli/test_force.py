"""Nothing is overwritten without --force."""

import os
import shutil

import pytest


@pytest.fixture
def place(tmp_path, fitted):
    shutil.copytree(fitted / "results", tmp_path / "m", symlinks=True)
    shutil.copy(fitted / "data.csv", tmp_path / "data.csv")
    return tmp_path


LINES = {
    "predict": (["predict", "m", "data.csv", "-o", "out"], "--output"),
    "export": (["export", "m", "out", "--format", "c"], "OUT"),
    "audit": (["audit", "data.csv", "-t", "kind", "--no-effect", "-q", "-o", "out"], "--output"),
}


@pytest.mark.parametrize("name", LINES)
def test_files_stay_unless_forced(rowtrust, place, name):
    line, option = LINES[name]
    (place / "out").write_text("mine")
    result = rowtrust(*line)
    assert result.exit_code == 1
    assert result.output.strip() == f"rowtrust: out exists. Add --force or choose another {option}."
    assert (place / "out").read_text() == "mine"
    assert rowtrust(*line, "--force").exit_code == 0
    assert (place / "out").read_text() != "mine"


def test_results_stay_unless_forced(rowtrust, place):
    line = ["fit", "data.csv", "-t", "kind", "--model", "plain", "-q", "-o", "m"]
    before = os.readlink(place / "m" / "current")
    result = rowtrust(*line)
    assert result.exit_code == 1
    assert "m has results of data.csv, target 'kind'. Add --force" in result.output
    assert os.readlink(place / "m" / "current") == before
    assert rowtrust(*line, "--force").exit_code == 0
    assert os.readlink(place / "m" / "current") != before


@pytest.mark.parametrize("output", ["m", "m/model.skops"])
def test_the_data_are_looked_at_before_the_output(rowtrust, place, output):
    """A slip in the command was answered by advice to overwrite the results of another study."""
    command = ["fit"] if output == "m" else ["audit", "--no-effect"]
    result = rowtrust(*command, "data.csv", "-t", "kinds", "-o", output)
    assert result.exit_code == 1
    assert result.output.strip() == "rowtrust: there is no column 'kinds'. Did you mean 'kind'?"
    result = rowtrust(*command, "dat.csv", "-t", "kind", "-o", output)
    assert result.exit_code == 1
    assert result.output.strip() == "rowtrust: dat.csv: no such file. Check the path."


def test_the_file_of_test_rows_is_looked_at_too(rowtrust, place):
    result = rowtrust("fit", "data.csv", "-t", "kind", "--test", "tests.csv", "-o", "m")
    assert result.output.strip() == "rowtrust: tests.csv: no such file. Check the path."


def test_a_folder_without_results_is_free(rowtrust, place):
    (place / "mine").mkdir()
    (place / "mine" / "notes.txt").write_text("mine")
    assert rowtrust("fit", "data.csv", "-t", "kind", "--model", "plain", "-q", "-o", "mine").exit_code == 0
    assert (place / "mine" / "notes.txt").read_text() == "mine"


def test_one_result_is_enough_to_be_refused(rowtrust, place):
    (place / "mine").mkdir()
    (place / "mine" / "flagged.csv").write_text("mine")
    result = rowtrust("fit", "data.csv", "-t", "kind", "-o", "mine")
    assert "mine has results. Add --force" in result.output
    assert (place / "mine" / "flagged.csv").read_text() == "mine"


@pytest.mark.skipif(os.name != "posix", reason="devices of POSIX")
def test_devices_are_no_files(rowtrust, place):
    assert rowtrust("predict", "m", "data.csv", "-o", "/dev/null").exit_code == 0
