"""A run folder says where its results come from, and gives the same again."""

import hashlib
import json
import platform
import socket
from types import SimpleNamespace

import pandas as pd
import pytest

from rowtrust.workflow.input_data import InputTable, Question
from rowtrust.workflow.manifest import frame_hash, input_record
from rowtrust.workflow.records import Settings
from rowtrust.workflow.results import study_input
from rowtrust.workflow.tables import Layout
from rowtrust.workflow.tables.sources import file_state


@pytest.fixture(scope="module")
def manifest(fitted):
    return json.loads((fitted / "results" / "manifest.json").read_text())


def test_it_names_versions_settings_and_rows(manifest, fitted):
    metrics = json.loads((fitted / "results" / "metrics.json").read_text())
    assert manifest["versions"]["python"] == platform.python_version()
    assert {"rowtrust", "numpy", "scipy", "scikit-learn", "pandas", "pyarrow"} < set(manifest["versions"])
    assert manifest["seed"] == 0
    assert manifest["settings"]["target"] == "kind"
    assert manifest["rows"] == metrics["rows"]
    assert manifest["written"].endswith("Z")


def test_it_has_the_hash_of_the_data(manifest, fitted):
    (data,) = manifest["inputs"]
    content = (fitted / "data.csv").read_bytes()
    assert data["sha256"] == hashlib.sha256(content).hexdigest()
    assert data["bytes"] == len(content)
    assert data["rows"] == 80
    assert data["path"] == "data.csv"
    assert data["layout"]["encoding"] == "utf-8"


def test_the_report_shows_the_hash(manifest, fitted):
    page = (fitted / "results" / "report.html").read_text()
    assert "SHA-256 of data.csv" in page
    assert manifest["inputs"][0]["sha256"] in page


def test_it_does_not_tell_the_machine(manifest):
    assert socket.gethostname() not in json.dumps({**manifest, "inputs": []})


def test_it_names_files_without_their_folders(manifest, fitted):
    assert str(fitted) not in json.dumps(manifest)


def test_the_same_input_and_seed_give_the_same(rowtrust, csv, tmp_path):
    found = []
    for name in ("one", "two"):
        assert rowtrust("fit", csv, "-t", "kind", "--model", "plain", "-q", "-o", name).exit_code == 0
        manifest, metrics = (
            json.loads((tmp_path / name / f"{each}.json").read_text()) for each in ("manifest", "metrics")
        )
        del manifest["written"], metrics["seconds"]
        found.append((manifest, metrics, (tmp_path / name / "flagged.csv").read_bytes()))
    assert found[0] == found[1]


def test_a_test_file_is_hashed_too(rowtrust, csv, table, tmp_path):
    table.head(30).to_csv(tmp_path / "held.csv", index=False)
    line = ["fit", "data.csv", "-t", "kind", "--model", "plain", "-q", "--test", "held.csv", "-o", "m"]
    assert rowtrust(*line).exit_code == 0
    inputs = json.loads((tmp_path / "m" / "manifest.json").read_text())["inputs"]
    assert [(each["role"], each["path"], each["rows"]) for each in inputs] == [
        ("data", "data.csv", 80),
        ("test", "held.csv", 30),
    ]
    assert inputs[0]["sha256"] != inputs[1]["sha256"]


def test_a_file_that_has_changed_since_has_no_hash(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("a\n1\n")
    state = file_state(str(path))
    assert input_record(InputTable(str(path)), "data", 1, Layout(), state)["bytes"] == 4
    path.write_text("a\n1\n2\n")
    assert input_record(InputTable(str(path)), "data", 1, Layout(), state)["sha256"] is None
    assert input_record(InputTable("-"), "data", 1, Layout())["sha256"] is None


def test_a_test_file_that_has_changed_since_has_no_hash(tmp_path, monkeypatch):
    data, held = tmp_path / "d.csv", tmp_path / "held.csv"
    for path in (data, held):
        path.write_text("a,y\n1,2\n")

    def changed(*_):
        held.write_text("a,y\n1,2\n3,4\n")
        return SimpleNamespace(notes=[], provenance={})

    monkeypatch.setattr("rowtrust.workflow.results.run_study", changed)
    study = study_input(Question(InputTable(str(data)), Settings("d.csv", "y"), test=InputTable(str(held))))
    assert [each["sha256"] is None for each in study.provenance["inputs"]] == [False, True]
    assert study.provenance["inputs"][1]["rows"] == 1


def test_frames_are_known_by_their_cells():
    one = pd.DataFrame({"a": [1, 2], "b": ["x", None]})
    assert frame_hash(one) == frame_hash(one.set_index(pd.Index([7, 8])))
    assert len({frame_hash(each) for each in (one, one.iloc[::-1], one.rename(columns={"a": "c"}))}) == 3
    assert frame_hash(pd.DataFrame({"a": [[1], [2]]})) != frame_hash(pd.DataFrame({"a": [[1], [3]]}))
