"""An audit of a table, without the command."""

import json

import numpy as np
import pandas as pd
import pytest

from rowtrust.estimators import budget
from rowtrust.workflow import Settings, auditing
from rowtrust.workflow.auditing import Change, audit_rows, cheap, effects_of_change, effects_of_cut
from rowtrust.workflow.flagged import wrong_rows_text


@pytest.fixture(scope="module")
def found(number_model):
    table = number_model.train.X.assign(y=number_model.train.y)
    return audit_rows(table, Settings("d", "y"))


def test_an_audit_says_which_rows_and_what_they_do(found):
    assert set(found.flagged_rows) >= {1, 2, 3, 4}
    assert found.verdict == f"'y': {wrong_rows_text(found.findings, found.checks, 'regression')}"
    assert f"{len(found.flagged_rows)} of 80 rows are likely errors" in found.verdict
    assert [each.model for each in found.effects] == ["RVR", "RobustRVR"]
    assert found.effects[0].after < found.effects[0].before
    assert found.effect_lines[0].startswith("Without the flagged rows the RMSE of RVR")


def test_the_json_is_json(found):
    again = json.loads(json.dumps(found.as_json()))
    assert again["flagged"] == found.flagged_rows
    assert len(again["ranking"]) == again["rows"] == 80
    assert again["ranking"][0]["list"] == "likely error"
    assert isinstance(again["ranking"][0]["row"], int)
    assert again["expected_share"] == pytest.approx(found.findings.p_wrong.mean())
    expected = found.findings.p_wrong.sum()
    assert again["expected_more"] + found.findings.p_wrong[found.findings.flagged].sum() == pytest.approx(
        expected
    )


def test_a_cut_that_was_asked_for_is_not_sold_as_a_proposal(number_model):
    table = number_model.train.X.assign(y=number_model.train.y)
    asked = audit_rows(table, Settings("d", "y"), cut=9)
    assert len(asked.flagged_rows) == 9
    assert asked.verdict == "The first 9 of 80 rows are flagged, as requested."


def test_no_effect_is_measured_where_it_would_be_noise(number_model, class_model):
    assert effects_of_cut(number_model, np.empty(0, dtype=np.intp), 0) == []
    assert effects_of_cut(number_model, np.arange(61), 0) == []
    of_one_class = np.flatnonzero(class_model.train.y == "yes")[4:]
    assert effects_of_cut(class_model, of_one_class, 0) == []


def test_an_audit_checks_the_data_and_keeps_copies_and_groups_together(monkeypatch):
    generator = np.random.default_rng(0)
    x, noise = generator.normal(size=(2, 40))
    table = pd.DataFrame({"x": x, "site": np.arange(40) // 2, "kind": np.where(x + noise > 0, "a", "b")})
    table = table.assign(leak=table["kind"].map({"a": "1", "b": "2"}), empty=np.nan)
    table = pd.concat([table, table.iloc[:1].assign(site=19)], ignore_index=True)
    seen = []
    monkeypatch.setattr(auditing, "effects_of_change", lambda change: seen.append(change.groups) or [])
    found = audit_rows(table, Settings("d", "kind", group="site"))
    assert {"leak", "copies", "all-missing"} <= {each.code for each in found.checks}
    assert found.checks[0].severity == "severe"
    assert found.as_json()["checks"][0]["code"] == "leak"
    groups = seen[0]
    assert groups[0] == groups[1] == groups[40] == groups[38]
    assert groups[0] != groups[2] == groups[3]


def test_an_effect_needs_several_groups_of_every_class():
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(60, 1)), np.repeat(["a", "b"], 30)
    few = np.repeat(np.arange(8), [10, 10, 10, 6, 6, 6, 6, 6])
    changed = np.array([0])
    assert effects_of_change(Change(X, y, changed, "classification", groups=few)) == []
    assert len(effects_of_change(Change(X, y, changed, "classification", groups=np.arange(60) // 2))) == 2
    assert effects_of_change(Change(X, X[:, 0], changed, "regression", groups=np.arange(60) // 20)) == []


def test_cheap_models_have_few_centres_and_one_width():
    assert cheap("robust", "regression", 30, 0).basis == 30
    assert cheap("robust", "regression", 300, 0).basis == budget().compared_landmarks
    assert cheap("plain", "classification", 300, 0).gamma == "scale"
