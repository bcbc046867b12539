"""The study of a table: what is compared, judged, and said of what was left out."""

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


@pytest.mark.parametrize("n_classes", [5, 15])
def test_a_table_with_two_rows_of_every_class_is_cross_fitted(n_classes):
    """It ended in scikit-learn's own words: n_splits=3 cannot be greater than the number of members."""
    y = np.repeat([f"c{number}" for number in range(n_classes)], 2)
    table = pd.DataFrame({"x": np.random.default_rng(0).normal(size=len(y)), "y": y})
    study = run_study(table, Settings("d", "y", model="plain", test=0.0, task="classification"))
    assert len(study.judged.rows.y) == 2 * n_classes


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
    assert "figures and the choice of the model count every judged row once" in note.message


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
    assert "3 times before it had quite settled" in study.notes[1]
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
    assert plain.suspect_rows == robust.suspect_rows
    assert set(plain.suspect_rows) >= {1, 2, 3, 4}


def test_one_row_of_a_class_is_refused_with_and_without_test_rows():
    x = np.random.default_rng(0).normal(size=40)
    table = pd.DataFrame({"x": x, "kind": ["yes", *["no"] * 39]})
    for share in (0.2, 0.0):
        with pytest.raises(InputError, match="'yes' has one row"):
            run_study(table, Settings("d", "kind", test=share))
