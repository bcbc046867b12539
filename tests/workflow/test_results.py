"""The folder of a study: written whole, read back."""

import json

import numpy as np
import pytest

from rowtrust.io import ModelFileError, save
from rowtrust.workflow import Settings, run_study
from rowtrust.workflow.input_data import InputTable, Question
from rowtrust.workflow.results import (
    FILES,
    check_folder,
    read_model,
    study_file,
    write_results,
)
from rowtrust.workflow.summaries import summary, summary_lines
from rowtrust.workflow.tables import InputError


@pytest.fixture(scope="module")
def study(class_model):
    table = class_model.train.X.assign(kind=class_model.train.y)
    return run_study(table, Settings("d.csv", "kind", model="robust", test=0.0))


def test_the_model_comes_back_with_its_columns(study, tmp_path):
    write_results(study, tmp_path / "results", 1.5)
    assert {each.name for each in (tmp_path / "results").iterdir() if each.is_file()} == set(FILES)
    model, schema = read_model(tmp_path / "results")
    assert schema == study.fitted.schema
    X = study.fitted.train.X
    np.testing.assert_array_equal(model.predict_proba(X), study.fitted.predict(X))
    metrics = json.loads((tmp_path / "results" / "metrics.json").read_text())
    assert metrics == json.loads(json.dumps(summary(study, 1.5)))


def test_a_model_without_columns_is_refused(study, tmp_path):
    save(study.fitted.pipeline, tmp_path / "m.skops")
    with pytest.raises(ModelFileError, match="does not name its columns"):
        read_model(tmp_path / "m.skops")


def test_the_summary_uses_one_word_for_one_thing(study):
    found = summary(study, 1.5)
    assert set(found["importance"]) == {"first", "second"}
    (candidate,) = found["candidates"]
    assert candidate["log_score"] == study.candidates[0].log_score
    assert found["wrong_rows"]["flagged"] == [row + 1 for row in study.flagged_rows]
    assert found["wrong_rows"]["expected_share"] == study.findings.p_wrong.mean()
    unnamed = np.delete(study.findings.p_wrong, study.findings.flagged).sum()
    assert found["wrong_rows"]["expected_more"] == pytest.approx(unnamed, abs=1e-9)
    assert found["rows"] == {"train": 90, "judged": 90, "without_target": 0}


def test_former_names_of_a_study_warn(study):
    for former, now in (("suspects", "flagged"), ("suspect_rows", "flagged_rows")):
        with pytest.warns(FutureWarning, match=rf"Study\.{former} is called {now} now"):
            assert getattr(study, former) is not None
        assert getattr(type(study), former).now == now


def test_the_lines_say_data_model_quality_flagged_rows_and_place(study, tmp_path):
    lines = summary_lines(study, tmp_path, 1.5)
    named = [line[:10].strip() for line in lines if line[:10].strip()]
    assert named == ["data", "checks", "model", "quality", "flagged", "written", "next"]
    beside = [line.split(":")[0].strip() for line in lines if not line[:10].strip()]
    assert beside == ["baseline", "boosting"]
    assert "90 training rows, 2 inputs; classification of 'kind', 2 classes" in lines[0]
    assert "chosen by you" in lines[2]
    assert "log score" not in lines[2]
    assert "accuracy" in lines[3]
    assert "AUC" in lines[3]


def test_a_file_is_read_studied_and_written(class_model, tmp_path):
    data = tmp_path / "d.csv"
    class_model.train.X.assign(kind=class_model.train.y).to_csv(data, index=False)
    study = study_file(
        Question(InputTable(str(data)), Settings("d.csv", "kind", model="plain")),
        tmp_path / "new" / "results",
    )
    assert study.chosen == "plain"
    assert (tmp_path / "new" / "results" / "report.html").exists()


def test_a_place_that_cannot_be_written_is_refused_first(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file"):
        check_folder(tmp_path / "file")
    check_folder(tmp_path / "one" / "two")
    assert (tmp_path / "one").is_dir()
