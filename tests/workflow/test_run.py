"""The study of a table: what is compared, judged, and said of what was left out."""

import re
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from rowtrust.workflow import Progress, Settings, run_study
from rowtrust.workflow.records import Part
from rowtrust.workflow.run import candidate_names, remarks
from rowtrust.workflow.tables import Column, InputError, Schema

SCHEMA = Schema((Column("x", "number", 0.0),), "y", "classification", (("id", "row number"),))


class Heard(Progress):
    """Notes what it is told."""

    def __init__(self):
        self.total, self.cost, self.steps = 0, 0.0, []

    def start(self, total):
        self.total = total

    def step(self, description, cost=1.0):
        self.cost += cost
        self.steps.append(description)


def test_outliers_do_not_win_for_the_plain_model():
    generator = np.random.default_rng(0)
    x = generator.uniform(-3, 3, 90)
    y = np.sin(x) + 0.1 * generator.normal(size=90)
    y[:9] += generator.choice([-8, 8], 9)
    study = run_study(pd.DataFrame({"x": x, "y": y}), Settings("d", "y"))
    assert study.chosen in ("robust", "svr")
    by_name = {each.name: each.log_score for each in study.candidates}
    assert by_name["robust"] > by_name["plain"]
    assert set(by_name) == {"robust", "plain", "fuzzy", "svr"}


def test_rare_class_and_multiclass_and_many_inputs():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(120, 12))
    y = np.digitize(X[:, 0], [-0.5, 0.5]).astype(object)
    y[0] = "only one"
    table = pd.DataFrame(X, columns=[f"x{n}" for n in range(12)]).assign(y=y)
    study = run_study(table, Settings("d", "y", model="robust"))
    assert len(study.fitted.classes) == 4
    assert study.judged.figures[0].value > 0.5
    assert study.inputs.importances[0].name == "x0"


def test_a_table_with_two_rows_of_every_class_is_cross_fitted():
    """It ended in scikit-learn's own words: n_splits=3 cannot be greater than the number of members."""
    y = np.repeat([f"c{number}" for number in range(5)], 2)
    table = pd.DataFrame({"x": np.random.default_rng(0).normal(size=len(y)), "y": y})
    study = run_study(table, Settings("d", "y", model="plain", test=0.0, task="classification"))
    assert len(study.judged.rows.y) == 10


def test_weights_reach_the_comparison_and_the_judging_is_told():
    generator = np.random.default_rng(0)
    x = generator.normal(size=60)
    light = generator.random(60) < 0.5
    y = np.where((x > 0) ^ light, "a", "b")
    table = pd.DataFrame({"x": x, "y": y, "w": np.where(light, 1e-6, 1.0)})
    study = run_study(table, Settings("d", "y", model="plain", test=0.0, weight="w"))
    named = study.judged.prediction.argmax(axis=1) == (study.judged.rows.y == "b")
    heavy = study.judged.rows.weights == 1.0
    assert named[heavy].mean() > 0.8
    note = next(each for each in study.checks if each.code == "weights")
    assert note.severity == "note"
    assert "scores and the choice of the model weight all rows alike" in note.message


def test_a_study_tells_every_step_but_the_writing():
    generator = np.random.default_rng(0)
    x = generator.normal(size=40)
    heard = Heard()
    table = pd.DataFrame({"x": x, "y": np.where(x > 0, "a", "b")})
    study = run_study(table, Settings("d", "y", model="plain", test=0.0), progress=heard)
    assert heard.steps[:3] == ["comparing: plain"] * 3
    assert heard.cost == pytest.approx(heard.total - 1)
    assert study.judged.how == "3-fold cross-fitting of the training rows"
    assert len(study.judged.rows.y) == 40


def test_a_named_model_is_compared_with_nothing_but_cross_fitted_if_it_must():
    named = Settings("d", "y", model="plain")
    assert candidate_names(named, SCHEMA, 100, must_cross_fit=False) == []
    assert candidate_names(named, SCHEMA, 100, must_cross_fit=True) == ["plain"]
    assert candidate_names(Settings("d", "y"), SCHEMA, 100, must_cross_fit=True) == [
        "robust",
        "plain",
        "fuzzy",
    ]
    with pytest.raises(InputError, match="svr is for regression"):
        candidate_names(Settings("d", "y", model="svr"), SCHEMA, 100, must_cross_fit=False)


def test_warnings_go_to_the_record_and_plain_words_to_the_notes(monkeypatch):
    """Ten warnings of solvers used to stand on top of the report, in their own words."""

    def warned(table, settings, test, progress, file):
        for gain in (0.2, 0.2, 0.3):
            message = f"The X solver stopped at max_iter=9: its last step could still gain {gain} nats of it."
            warnings.warn(message, ConvergenceWarning, stacklevel=1)
        warnings.warn("old", DeprecationWarning, stacklevel=1)
        return SimpleNamespace(notes=["first"], warnings=[])

    monkeypatch.setattr("rowtrust.workflow.run._study", warned)
    study = run_study(pd.DataFrame(), Settings("d", "y"))
    assert len(study.notes) == 2
    assert "3 fits stopped just short of convergence" in study.notes[1]
    assert "max_iter" not in study.notes[1]
    assert [each.split()[-4] for each in study.warnings] == ["0.2", "0.3"]


def test_what_was_left_out_is_told():
    part = Part(pd.DataFrame(index=range(3)), np.array(["mild", "None", "None"]), np.arange(3))
    assert remarks(part, 2) == [
        "2 rows have the class 'None': if it means that the label is missing, add --missing None",
        "2 rows have no target and were not used",
    ]
    assert remarks(part.take(np.array([0])), 0) == []


def test_rows_are_judged_by_the_robust_model_whichever_predicts_best():
    """The command's two verdicts on one row, of a study and of an audit, are of one kind of model."""
    generator = np.random.default_rng(0)
    x = generator.uniform(-3, 3, 80)
    y = np.sin(x) + 0.1 * generator.normal(size=80)
    y[:4] += 6
    table = pd.DataFrame({"x": x, "y": y})
    plain = run_study(table, Settings("d", "y", model="plain", test=0.0))
    robust = run_study(table, Settings("d", "y", model="robust", test=0.0))
    assert type(plain.fitted.estimator).__name__ == "RVR"
    assert plain.flagged_rows == robust.flagged_rows
    assert set(plain.flagged_rows) >= {0, 1, 2, 3}


def test_one_row_of_a_class_is_refused_with_and_without_test_rows():
    x = np.random.default_rng(0).normal(size=40)
    table = pd.DataFrame({"x": x, "kind": ["yes", *["no"] * 39]})
    for share in (0.2, 0.0):
        with pytest.raises(InputError, match="'yes' has one row"):
            run_study(table, Settings("d", "kind", test=share))


def coded(n_codes=13, n_rows=325, ordered=False):
    """Rows of many whole numbers: codes with a place each, or amounts that grow with an input."""
    generator = np.random.default_rng(0)
    place = generator.integers(n_codes, size=n_rows)
    centre = (
        np.outer(np.arange(n_codes), [0.3, -0.2]) if ordered else 3.0 * generator.normal(size=(n_codes, 2))
    )
    X = centre[place] + 0.5 * generator.normal(size=(n_rows, 2))
    return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "code": 100 + 7 * place})


@pytest.mark.parametrize(
    ("ordered", "task", "other"),
    [(False, "classification", "regression"), (True, "regression", "classification")],
)
def test_codes_are_told_from_amounts_and_it_is_said_how_to_change_that(ordered, task, other):
    table = coded(ordered=ordered)
    study = run_study(table, Settings("d", "code", model="plain", refit=False))
    assert study.fitted.task == task
    (said,) = [each for each in study.checks if each.code == "task"]
    assert "13 whole numbers from 100 to 184" in said.message
    assert f"--task {other}" in said.cure
    asked = run_study(table, Settings("d", "code", model="plain", task=task, refit=False))
    assert not [each for each in asked.checks if each.code == "task"]


def test_where_a_task_explains_nothing_the_other_is_tried(monkeypatch):
    """Grades that a wide table of noise hides from classes, but one line through them shows."""
    table = coded(ordered=False)
    monkeypatch.setattr("rowtrust.workflow.tables.targets.are_codes", lambda *_: False)
    told = iter([False, True])  # the numbers explain nothing, the classes do
    monkeypatch.setattr("rowtrust.workflow.run.beats_guessing", lambda judged: next(told))
    study = run_study(table, Settings("d", "code", model="plain", refit=False))
    assert study.fitted.task == "classification"
    assert any("was taken as classes: as numbers nothing predicted it better" in each for each in study.notes)
    told = iter([False, False])
    study = run_study(table, Settings("d", "code", model="plain", refit=False))
    assert study.fitted.task == "regression"
    assert "'code' can be predicted neither as classes nor as numbers" in study.notes


def test_the_model_is_fitted_to_all_rows_after_its_quality_is_measured():
    table = coded(n_codes=3, n_rows=120).assign(code=lambda each: each["code"].map(str))
    kept, again = (
        run_study(table, Settings("d", "code", model="plain", refit=each)) for each in (False, True)
    )
    assert (kept.fitted.n_fitted, again.fitted.n_fitted) == (96, 120)
    assert not kept.refitted
    assert again.refitted
    pd.testing.assert_frame_equal(kept.quality, again.quality)
    assert len(kept.ranking) == 96
    assert sorted(again.ranking.index) == list(range(1, 121))
    assert "fitted to all 120 rows after its quality was measured" in again.summary
    assert "after its quality" not in kept.summary
    from rowtrust.workflow.report import render

    assert "then fitted to all 120 rows" in " ".join(render(again).split())
    assert "then fitted to all" not in render(kept)
    everything = run_study(table, Settings("d", "code", model="plain", test=0.0))
    same = again.model.predict_proba(table) - everything.model.predict_proba(table)
    assert np.abs(same).max() < 1e-6


def test_rare_classes_are_judged_by_what_finds_them():
    generator = np.random.default_rng(0)
    x = generator.normal(size=(500, 2))
    kind = np.where(x[:, 0] + 0.2 * generator.normal(size=500) > 1.4, "ill", "well")
    study = run_study(
        pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "kind": kind}), Settings("d", "kind", model="plain")
    )
    (line,) = [each for each in study.summary.splitlines() if each.startswith("quality")]
    assert line.startswith("quality   sensitivity for 'ill'")
    assert "balanced accuracy" in line
    from rowtrust.workflow.report import sentences

    said = sentences.quality(study)
    assert said.index("found") < said.index("Accuracy")
    assert "says little here: always guessing 'well' would get" in said


def test_a_model_of_noise_is_said_to_be_no_better_than_guessing():
    generator = np.random.default_rng(1)
    table = pd.DataFrame({"a": generator.normal(size=100), "kind": generator.choice(["x", "y"], 100)})
    study = run_study(table, Settings("d", "kind", model="plain"))
    from rowtrust.workflow.report import sentences

    assert "quality   no better than guessing: accuracy" in study.summary
    first = sentences.in_short(study)[0]
    assert first.startswith("This model is no better than guessing: on 20 held-out rows")


def test_the_difference_in_rows_is_said_beside_the_number_of_boosting(monkeypatch):
    monkeypatch.setattr("rowtrust.workflow.quality.references.MOST_WORK", 60 * 2 * 3)
    monkeypatch.setattr("rowtrust.workflow.quality.references.FEWEST_ROWS", 30)
    study = run_study(coded(n_codes=3, n_rows=120), Settings("d", "code", model="plain"))
    (line,) = [each for each in study.summary.splitlines() if "boosting:" in each]
    assert re.search(r"\(fitted to 5\d|60 of the model's 96 rows\)", line)
