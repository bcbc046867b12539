"""Whatever is wrong with the input: one line with the cure, a non-zero exit code, nothing half written."""

import errno
import gzip
import os
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rowtrust.workflow.records import FILES
from rowtrust.workflow.results import read_model
from rowtrust.workflow.tables import reading

CASES = {
    "no such column": ("a,b,y\n1,2,x\n3,4,z\n", "nowhere", "no column 'nowhere'", "columns are"),
    "nearly the column": ("a,b,Y\n1,2,x\n3,4,z\n", "y", "no column 'y'", "mean 'Y'"),
    "empty file": ("", "y", "is empty", "header"),
    "only a header": ("a,b,y\n", "y", "no rows", "Give a file"),
    "duplicated names": ("a,a,y\n1,2,x\n3,4,z\n", "y", "several columns called 'a'", "Rename"),
    "too many fields": ("a,b,y\n1,2,x\n3,4,z,9\n", "y", "line 3 has 4 fields", "header has 3"),
    "too many fields everywhere": ("a,y\n1,2,x\n3,4,z\n", "y", "more fields than the header", "--no-header"),
    "header of numbers": ("1,2,3\n4,5,6\n", "y", "no column 'y'", "first line holds data"),
}


def fails(result, *words):
    """Check a failure as a user sees it."""
    lines = result.output.strip().splitlines()
    assert result.exit_code not in (0, None), result.output
    assert len(lines) == 1, result.output
    assert lines[0].startswith("rowtrust: ")
    for word in words:
        assert word in lines[0], lines[0]
    assert result.exception is None or isinstance(result.exception, SystemExit)


def nothing_written(folder: Path, *but: str) -> None:
    assert sorted(each.name for each in folder.iterdir()) == sorted(but)


@pytest.mark.parametrize("case", CASES)
def test_text_that_is_no_table(rowtrust, tmp_path, case):
    text, target, *words = CASES[case]
    (tmp_path / "data.csv").write_text(text)
    fails(rowtrust("fit", "data.csv", "-t", target), *words)
    fails(rowtrust("audit", "data.csv", "-t", target), *words)
    nothing_written(tmp_path, "data.csv")


def test_no_such_file(rowtrust):
    fails(rowtrust("fit", "nowhere.csv", "-t", "y"), "nowhere.csv", "no such file", "Check the path")
    fails(rowtrust("predict", "nowhere.skops", "data.csv"), "nowhere.skops", "no such file")


def test_folder_instead_of_file(rowtrust, tmp_path):
    fails(rowtrust("fit", tmp_path, "-t", "y"), "is a folder")


def test_one_class(rowtrust, tmp_path, table):
    table.assign(kind="yes").to_csv(tmp_path / "data.csv", index=False)
    fails(rowtrust("fit", "data.csv", "-t", "kind"), "one class 'yes'", "at least two")


def test_target_all_missing(rowtrust, tmp_path, table):
    table.assign(kind=None).to_csv(tmp_path / "data.csv", index=False)
    fails(rowtrust("fit", "data.csv", "-t", "kind"), "'kind' has no value", "another --target")


def test_target_of_free_text(rowtrust, tmp_path, table):
    table.assign(kind=[f"name {n}" for n in range(len(table))]).to_csv(tmp_path / "data.csv", index=False)
    fails(rowtrust("fit", "data.csv", "-t", "kind"), "80 different values", "another --target")


def test_dates_and_free_text(rowtrust, tmp_path, table):
    days = pd.date_range("2020-01-01", periods=len(table), freq="9D")
    words = [f"patient {n} said that it hurts" for n in range(len(table))]
    table.assign(when=days.strftime("%d/%m/%Y %H:%M"), comment=words).to_csv(
        tmp_path / "data.csv", index=False
    )
    result = rowtrust("fit", "data.csv", "-t", "kind", "--model", "plain")
    assert result.exit_code == 0
    assert "note: column 'comment': free text: not used" in result.output
    assert "column 'when' holds dates (2020-01-01 to 2021-12-12), read with the day first" in result.output
    table.assign(when=days).to_parquet(tmp_path / "data.parquet")
    assert rowtrust("predict", "rowtrust-results", "data.parquet").exit_code == 0


def test_wrong_delimiter(rowtrust, csv):
    fails(rowtrust("fit", csv, "-t", "kind", "--delimiter", ";"), "no column 'kind'", "--delimiter")


def test_decimal_comma(rowtrust, fitted, tmp_path, table):
    table.to_csv(tmp_path / "data.csv", index=False, sep=";", decimal=",")
    result = rowtrust("fit", "data.csv", "-t", "kind", "--model", "plain", "-o", "found")
    assert "decimal comma" in result.output
    schemas = [read_model(folder)[1] for folder in (tmp_path / "found", fitted / "results")]
    assert [each.typical for each in schemas[0].inputs] == [each.typical for each in schemas[1].inputs]


def test_broken_encoding(rowtrust, tmp_path, table):
    table.assign(colour="grün").to_csv(tmp_path / "data.csv", index=False, encoding="latin-1")
    fails(rowtrust("fit", "data.csv", "-t", "kind"), "not utf-8", "0xfc", "--encoding latin-1")
    fails(rowtrust("fit", "data.csv", "-t", "kind", "--encoding", "nonsense"), "unknown encoding")


def test_encoding_broken_far_down(rowtrust, tmp_path):
    rows = "a,b,y\n" + "".join(f"{n % 7},{n % 5},{n % 2}\n" for n in range(60_000))
    (tmp_path / "data.csv").write_bytes(rows.encode() + b"1,gr\xfcn,0\n")
    fails(rowtrust("fit", "data.csv", "-t", "y"), "not utf-8", "--encoding latin-1")


def test_binary_files(rowtrust, tmp_path):
    (tmp_path / "data.csv").write_bytes(bytes(range(256)) * 10)
    fails(rowtrust("fit", "data.csv", "-t", "y"), "no text file")
    (tmp_path / "data.parquet").write_bytes(b"PAR1" + bytes(100))
    fails(rowtrust("fit", "data.parquet", "-t", "y"), "damaged Parquet")
    (tmp_path / "cut.gz").write_bytes(b"\x1f\x8b\x08\x00")
    fails(rowtrust("fit", "cut.gz", "-t", "y"), "cut.gz")


def test_two_gigabytes_of_nothing(rowtrust, tmp_path):
    with (tmp_path / "large.csv").open("wb") as file:
        file.write(b"a,b,y\n")
        file.truncate(2 * 2**30)
    fails(rowtrust("fit", "large.csv", "-t", "y"), "is no text file")


def test_archive_that_unpacks_to_gigabytes(rowtrust, tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "LARGEST", 2**20)
    rows = b"a,b,y\n" + b"1,2,0\n3,4,1\n" * 200_000
    (tmp_path / "small.csv.gz").write_bytes(gzip.compress(rows))
    assert (tmp_path / "small.csv.gz").stat().st_size < 2**20
    fails(rowtrust("audit", "small.csv.gz", "-t", "y"), "too much to read whole")


def test_fast_reads_a_sample_of_any_size(rowtrust, tmp_path, table, monkeypatch):
    monkeypatch.setattr(reading, "CHUNK_ROWS", 100)
    monkeypatch.setattr(reading, "FAST_ROWS", 150)
    pd.concat([table] * 4, ignore_index=True).to_csv(tmp_path / "data.csv", index=False)
    result = rowtrust("fit", "data.csv", "-t", "kind", "--fast", "--model", "robust")
    assert result.exit_code == 0
    assert "sample of 150 of the 320 rows" in result.output


def test_full_disk_leaves_nothing(rowtrust, csv, tmp_path, monkeypatch):
    def refuse(self, *args, **kwargs):
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT), str(self))

    monkeypatch.setattr(Path, "write_text", refuse)
    fails(rowtrust("fit", csv, "-t", "kind", "--model", "plain"), "disk")
    nothing_written(tmp_path, "data.csv")


def test_full_disk_keeps_the_older_results(rowtrust, fitted, csv, tmp_path, monkeypatch):
    shutil.copytree(fitted / "results", tmp_path / "rowtrust-results", symlinks=True)
    before = {name: (tmp_path / "rowtrust-results" / name).read_bytes() for name in FILES}
    listed = sorted((tmp_path / "rowtrust-results").iterdir())

    def refuse(self, *args, **kwargs):
        raise OSError(errno.ENOSPC, "No space left on device", str(self))

    monkeypatch.setattr(Path, "write_text", refuse)
    fails(rowtrust("fit", csv, "-t", "kind", "--model", "plain", "--force"), "disk is full")
    assert before == {name: (tmp_path / "rowtrust-results" / name).read_bytes() for name in FILES}
    assert sorted((tmp_path / "rowtrust-results").iterdir()) == listed


def test_output_that_cannot_be(rowtrust, csv, tmp_path):
    fails(rowtrust("fit", csv, "-t", "kind", "-o", csv), "is a file", "--output")
    fails(rowtrust("fit", csv, "-t", "kind", "-o", csv / "results"), "Check the path")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--model", "forest"], ["--model must be one of", "forest"]),
        (["--model", "svr"], ["svr is for regression"]),
        (["--task", "clustering"], ["--task must be"]),
        (["--task", "regression"], ["holds text, not numbers. Use --task classification"]),
        (["--test", "1.5"], ["between 0 and 1"]),
        (["--test", "nowhere.csv"], ["nowhere.csv: no such file"]),
        (["--drop", "nowhere"], ["no column 'nowhere'"]),
        (["--drop", "kind"], ["is the target"]),
        (["--delimiter", "ab"], ["one ASCII character"]),
    ],
)
def test_settings_that_cannot_be(rowtrust, csv, arguments, words):
    fails(rowtrust("fit", csv, "-t", "kind", *arguments), *words)


def test_no_input_left(rowtrust, tmp_path):
    (tmp_path / "data.csv").write_text("y\n" + "a\nb\n" * 20)
    fails(rowtrust("fit", "data.csv", "-t", "y"), "no input column")


def test_too_few_rows(rowtrust, tmp_path, table):
    table.head(6).to_csv(tmp_path / "data.csv", index=False)
    fails(rowtrust("fit", "data.csv", "-t", "kind"), "at least 10")


def test_predict_names_the_columns_that_do_not_fit(rowtrust, fitted, tmp_path, table):
    table.drop(columns=["first", "colour"]).to_csv(tmp_path / "new.csv", index=False)
    fails(rowtrust("predict", fitted / "results", "new.csv"), "columns 'first', 'colour'", "'second'")
    table.assign(first="high").to_csv(tmp_path / "new.csv", index=False)
    fails(rowtrust("predict", fitted / "results", "new.csv", "-o", "out.csv"), "'first' holds numbers")
    nothing_written(tmp_path, "new.csv")


def test_interrupt_half_way(rowtrust, csv, tmp_path, monkeypatch):
    from rowtrust.estimators import RobustRVC

    def interrupted(self, *args):
        raise KeyboardInterrupt

    monkeypatch.setattr(RobustRVC, "fit", interrupted)
    result = rowtrust("fit", csv, "-t", "kind")
    fails(result, "interrupted", "nothing was written")
    assert result.exit_code == 130
    nothing_written(tmp_path, "data.csv")


def test_interrupt_while_writing(rowtrust, csv, tmp_path, monkeypatch):
    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr("rowtrust.workflow.report.render", interrupted)
    assert rowtrust("fit", csv, "-t", "kind", "--model", "plain").exit_code == 130
    nothing_written(tmp_path, "data.csv")


def test_a_fault_of_ours_is_one_line_too(rowtrust, csv, monkeypatch):
    def broken(*args):
        raise RuntimeError("first line\nsecond line")

    monkeypatch.setattr("rowtrust.workflow.report.render", broken)
    fails(
        rowtrust("fit", csv, "-t", "kind", "--model", "plain"),
        "unexpected RuntimeError: first line",
        "fault of rowtrust",
    )


def test_infinite_and_huge_numbers(rowtrust, tmp_path, table):
    table.loc[3, "first"] = np.inf
    table.loc[4, "first"] = 1e300
    table.to_csv(tmp_path / "data.csv", index=False)
    result = rowtrust("fit", "data.csv", "-t", "kind", "--model", "robust")
    assert result.exit_code == 0 or len(result.output.strip().splitlines()) == 1
