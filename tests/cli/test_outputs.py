"""What is written never replaces what is read, and never what is no file."""

import os
import shutil
import stat
import threading

import pandas as pd
import pytest

from rowtrust.workflow.records import FILES
from rowtrust.workflow.results import read_model
from rowtrust.workflow.streaming import StoredBlocks
from rowtrust.workflow.tables import reading

POSIX = pytest.mark.skipif(os.name != "posix", reason="files of POSIX")
FIT = ("--model", "plain", "-q")


def refuses(result, *words):
    """Check a refusal as a user sees it."""
    assert result.exit_code == 1, result.output
    assert len(result.output.strip().splitlines()) == 1, result.output
    for word in words:
        assert word in result.output.replace("\n", ""), result.output


def contents(folder):
    """Return the contents of all files, and where links lead."""
    return {
        str(each.relative_to(folder)): os.readlink(each) if each.is_symlink() else each.read_bytes()
        for each in folder.rglob("*")
        if each.is_symlink() or each.is_file()
    }


@pytest.fixture
def place(tmp_path, fitted):
    """A folder with data, a model, and links to the data."""
    shutil.copytree(fitted / "results", tmp_path / "m", symlinks=True)
    shutil.copy(fitted / "data.csv", tmp_path / "data.csv")
    os.link(tmp_path / "data.csv", tmp_path / "hard.csv")
    (tmp_path / "soft.csv").symlink_to("data.csv")
    (tmp_path / "away").symlink_to("m")
    first = pd.read_csv(tmp_path / "data.csv")["kind"][0]
    (tmp_path / "said.csv").write_text(f"row,given,verdict,corrected\n1,{first},wrong,perhaps\n")
    return tmp_path


PREDICT, AUDIT = ["predict", "m", "data.csv", "-o"], ["audit", "data.csv", "-t", "kind", "--no-effect"]
CLEAN = ["clean", "data.csv", "-t", "kind", "-q", "--review", "said.csv", "-o"]


@POSIX
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ([*PREDICT, "data.csv"], ["data.csv is the data, which is read", "another --output"]),
        ([*PREDICT, "./m/../data.csv"], ["is the data"]),
        ([*PREDICT, "soft.csv"], ["is the data"]),
        ([*PREDICT, "hard.csv"], ["is the data"]),
        ([*PREDICT, "m/model.skops"], ["is the model"]),
        ([*PREDICT, "away/current/model.skops"], ["is the model"]),
        ([*PREDICT, "m/report.html"], ["is a result of 'rowtrust fit'"]),
        (["predict", "m/model.skops", "data.csv", "-o", "m/flagged.csv"], ["is a result"]),
        ([*PREDICT, "m/current/mine.csv"], ["is a result"]),
        ([*PREDICT, "m"], ["m: is a folder"]),
        ([*PREDICT, "nowhere/out.csv"], ["nowhere is no folder"]),
        (["export", "m", "m/model.skops", "--format", "c"], ["is the model", "another OUT"]),
        (["export", "m/model.skops", "m/current/model.skops", "--format", "c"], ["is the model"]),
        (["export", "m", "m/report.html", "--format", "c"], ["is a result"]),
        (["export", "m", "m/metrics.json", "--format", "onnx"], ["is a result"]),
        ([*AUDIT, "-o", "data.csv"], ["is the data", "another --output"]),
        ([*AUDIT, "--review", "hard.csv"], ["is the data", "another --review"]),
        ([*AUDIT, "--review", "new.csv", "-o", "./new.csv"], ["both", "another --review"]),
        ([*CLEAN, "hard.csv"], ["is the data", "another --output"]),
        ([*CLEAN, "said.csv"], ["is the review", "another --output"]),
        ([*CLEAN, "m/review.csv"], ["is a result"]),
        ([*AUDIT, "-o", "m/flagged.csv"], ["is a result"]),
        (
            ["fit", "m/flagged.csv", "-t", "given", "-o", "m"],
            ["flagged.csv is the data", "another --output"],
        ),
        (["fit", "m/flagged.csv", "-t", "given", "-o", "away"], ["would be replaced"]),
        (["fit", "m/current/flagged.csv", "-t", "given", "-o", "m"], ["would be replaced"]),
        (["fit", "data.csv", "-t", "kind", "--test", "m/flagged.csv", "-o", "m"], ["the file of --test"]),
    ],
    ids=lambda each: " ".join(each) if len(each) > 3 else "",
)
def test_an_output_is_no_input(rowtrust, place, line, words):
    before = contents(place)
    refuses(rowtrust(*line), *words)
    assert contents(place) == before


def test_a_plain_file_of_a_study_is_not_replaced_while_it_is_read(rowtrust, place):
    folder = place / "plain"
    folder.mkdir()
    shutil.copy(place / "data.csv", folder / "flagged.csv")
    refuses(rowtrust("fit", folder / "flagged.csv", "-t", "kind", "-o", folder), "would be replaced")
    (folder / "flagged.csv").rename(folder / "data.csv")
    assert rowtrust("fit", folder / "data.csv", "-t", "kind", "-o", folder, *FIT).exit_code == 0
    assert (folder / "data.csv").read_bytes() == (place / "data.csv").read_bytes()


@pytest.mark.parametrize("name", [*FILES, "current"])
def test_a_folder_where_a_file_must_be_is_refused_before_any_work(rowtrust, csv, tmp_path, name):
    (tmp_path / "results" / name).mkdir(parents=True)
    refuses(rowtrust("fit", csv, "-t", "kind", "-o", "results"), name, "Move it")
    assert [each.name for each in (tmp_path / "results").iterdir()] == [name]


@POSIX
def test_outputs_beside_inputs_are_fine(rowtrust, place):
    assert rowtrust(*PREDICT, "m/predictions.csv").exit_code == 0
    assert len(pd.read_csv(place / "m" / "predictions.csv")) == 80
    assert rowtrust("export", "m", "m/model.c").exit_code == 0
    assert rowtrust(*AUDIT, "-q", "-o", "/dev/null", "--review", "/dev/null").exit_code == 0
    assert rowtrust(*CLEAN, "/dev/null").exit_code == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@POSIX
@pytest.mark.parametrize(
    "line",
    [
        [*PREDICT, "out"],
        ["export", "m", "out", "--format", "c"],
        [*AUDIT, "-q", "-o", "out"],
        [*AUDIT, "-q", "--review", "out"],
        [*CLEAN, "out"],
    ],
    ids=["predict", "export", "audit", "review", "clean"],
)
def test_links_and_pipes_stay_and_are_written_to(rowtrust, place, line):
    (place / "out").symlink_to("target")
    assert rowtrust(*line).exit_code == 0
    assert os.readlink(place / "out") == "target"
    (place / "out").unlink()
    os.mkfifo(place / "out")
    read = []
    reader = threading.Thread(target=lambda: read.append((place / "out").read_bytes()), daemon=True)
    reader.start()
    assert rowtrust(*line).exit_code == 0
    reader.join(timeout=10)
    assert read == [(place / "target").read_bytes()]
    assert stat.S_ISFIFO((place / "out").stat().st_mode)


def test_labels_that_are_formulas_are_written_as_text(rowtrust, tmp_path, table):
    names = {"yes": "=cmd|' /C calc'!A0", "no": "-"}
    table.assign(kind=table["kind"].map(names)).to_csv(tmp_path / "data.csv", index=False)
    assert rowtrust("fit", "data.csv", "-t", "kind", "-o", "m", *FIT).exit_code == 0
    assert rowtrust("predict", "m", "data.csv", "-o", "out.csv").exit_code == 0
    line = [
        "audit",
        "data.csv",
        "-t",
        "kind",
        "--no-effect",
        "-q",
        "-o",
        "ranking.csv",
    ]
    assert rowtrust(*line).exit_code == 0
    evil = table["kind"].to_numpy() == "yes"
    said = pd.DataFrame({"row": evil.argmax() + 1, "given": [f"'{names['yes']}"], "verdict": "wrong"})
    said.assign(corrected=f"'{names['yes']} x").to_csv(tmp_path / "said.csv", index=False)
    assert rowtrust(*CLEAN, "clean.csv").exit_code == 0
    found = [("m/flagged.csv", "given"), ("out.csv", "prediction"), ("ranking.csv", "given")]
    for name, column in found:
        assert set(pd.read_csv(tmp_path / name)[column]) == {f"'{names['yes']}", "-"}, name
    assert set(pd.read_csv(tmp_path / "clean.csv")["kind"]) == {
        *names.values(),
        f"{names['yes']} x",
    }  # as they were


def test_blocks_of_a_killed_fit_are_swept_by_the_next(rowtrust, csv, tmp_path, monkeypatch):
    """The rows of a streamed fit lie inside the folder that is written aside."""
    monkeypatch.setattr(reading, "IN_MEMORY_ROWS", 60)
    seen = []
    append = StoredBlocks.append

    def watched(self, X, y, rows):
        append(self, X, y, rows)
        seen.append(sorted(str(each.relative_to(tmp_path)) for each in tmp_path.rglob("*.npy")))

    monkeypatch.setattr(StoredBlocks, "append", watched)
    assert rowtrust("fit", csv, "-t", "kind", "-o", "m", *FIT).exit_code == 0
    assert seen
    assert all(each.startswith(".m.rowtrust-") for each in seen[0])
    assert rowtrust("fit", csv, "-t", "kind", "-o", "m", *FIT, "--force").exit_code == 0
    assert all(each.startswith("m/run-rowtrust-") for each in seen[-1])
    assert {each.name for each in tmp_path.iterdir()} == {"data.csv", "m"}
    assert not list(tmp_path.rglob("*.npy"))


@POSIX
def test_model_and_columns_are_of_one_file(rowtrust, fitted, tmp_path, table):
    """Other runs end while a model is read: the model and what it knows of its columns are of one run."""
    table.rename(columns={"first": "other"}).to_csv(tmp_path / "other.csv", index=False)
    assert rowtrust("fit", "other.csv", "-t", "kind", "-o", "other", *FIT).exit_code == 0
    shutil.copytree(fitted / "results", tmp_path / "data", symlinks=True)
    (tmp_path / "model").symlink_to("data")
    done = threading.Event()

    def swap():
        while not done.is_set():
            for name in ("other", "data"):
                (tmp_path / "next").symlink_to(name)
                os.replace(tmp_path / "next", tmp_path / "model")

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        found = [read_model(tmp_path / "model") for _ in range(12)]
    finally:
        done.set()
        swapping.join()
    for model, schema in found:
        assert schema.names == list(model.feature_names_in_)
