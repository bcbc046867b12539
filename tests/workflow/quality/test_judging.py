"""A model judged: everything that is said of its quality, on one small table."""

import json
from dataclasses import replace

import numpy as np
import pytest

from rowtrust.workflow.quality.judging import judge, with_trusted_boosting
from rowtrust.workflow.quality.sentences import against_references, calibration_words, quality_json


@pytest.fixture(scope="module")
def classes_judged(class_model):
    rows = class_model.train.take(np.arange(60))
    return judge(class_model, rows, "unseen", class_model.predict(rows.X), 0, class_model.train)


@pytest.fixture(scope="module")
def numbers_judged(number_model):
    rows = number_model.train.take(np.arange(60))
    return judge(number_model, rows, "unseen", number_model.predict(rows.X), 0, None)


def test_classes_are_judged_by_tables_curves_calibration_and_references(classes_judged):
    assert [each.name for each in classes_judged.figures][-1] == "AUC"
    assert [each.name for each in classes_judged.per_class] == ["no", "yes"]
    assert [each.is_positive for each in classes_judged.per_class] == [False, True]
    assert sum(each.n_train for each in classes_judged.per_class) == 90
    assert [each.name for each in classes_judged.curves] == ["yes"]
    assert [each.name for each in classes_judged.references] == ["baseline", "boosting"]
    assert classes_judged.remarks == []
    assert "Boosting's accuracy is" in against_references(classes_judged)
    assert "60 rows" in calibration_words(classes_judged)


def test_numbers_are_judged_by_calibration_and_references(numbers_judged):
    assert numbers_judged.per_class == numbers_judged.curves == []
    assert [each.name for each in numbers_judged.references] == ["baseline", "boosting"]
    assert "Boosting's RMSE is" in against_references(numbers_judged)
    assert "ntervals" in calibration_words(numbers_judged)


def test_all_of_it_goes_into_json(classes_judged, numbers_judged):
    for each in (classes_judged, numbers_judged):
        text = json.dumps(quality_json(each), allow_nan=False)
        assert "np." not in text
    stored = json.loads(json.dumps(quality_json(classes_judged)))
    assert stored["per_class"][1]["class"] == "yes"
    assert stored["per_class"][1]["sensitivity"]["value"] <= 1.0
    assert stored["references"][1]["metrics"]["accuracy"]["interval"][0] < 1.0
    assert stored["curves"][0]["AUC"]["value"] > 0.5
    assert stored["calibration"]["words"]


def test_a_model_judged_by_one_row_of_a_class_says_so(class_model):
    label = class_model.labels(class_model.train.y)
    rows = class_model.train.take(np.r_[np.flatnonzero(label == 0)[:20], np.flatnonzero(label == 1)[:1]])
    found = judge(class_model, rows, "unseen", class_model.predict(rows.X), 0, class_model.train)
    assert "AUC" not in [each.name for each in found.figures]
    assert "Too few judged rows of class 'yes' (1)" in found.remarks[0]


def test_rows_kept_for_judging_are_never_folded(class_model):
    """One group, one time or one row of them is enough: references are fitted to the training rows."""
    few = class_model.train.take(np.arange(12))
    for rows in (
        replace(few, groups=np.zeros(12, dtype=int)),
        replace(few, times=np.zeros(12)),
        few.take(np.array([0])),
    ):
        found = judge(class_model, rows, "unseen", class_model.predict(rows.X), 0, class_model.train)
        assert found.references[0].name == "baseline"


def test_trusted_boosting_stands_beside_boosting_where_rows_are_doubted(
    numbers_judged, number_model, classes_judged, class_model, monkeypatch
):
    found = with_trusted_boosting(numbers_judged, number_model, 0)
    assert [each.name for each in found.references] == ["baseline", "boosting", "trusted boosting"]
    assert "MAE of boosting alone: " in against_references(found)
    assert with_trusted_boosting(replace(numbers_judged, references=[]), number_model, 0).references == []
    sure = class_model.estimator.judge_rows(class_model.prepared, class_model.train.y)
    for p_wrong, count in ((np.zeros(90), 2), (np.where(np.arange(90) < 5, 0.9, 0.0), 3)):
        findings = replace(sure, p_wrong=p_wrong)
        monkeypatch.setattr(type(class_model.estimator), "judge_rows", lambda *_, said=findings: said)
        found = with_trusted_boosting(classes_judged, class_model, 0)
        assert len(found.references) == count
    assert json.dumps(quality_json(found), allow_nan=False)
    assert "Accuracy of boosting alone: " in against_references(found)
