"""Rare classes, targets that hardly vary, more columns than rows."""

import numpy as np
import pandas as pd

from rowtrust.workflow import Part
from rowtrust.workflow.checks.records import SEVERITIES, Check, ordered
from rowtrust.workflow.checks.table import check_shape


def shape(y, n_columns=2, is_classes=True):
    y = np.asarray(y)
    part = Part(pd.DataFrame(np.zeros((len(y), n_columns))), y, np.arange(1, len(y) + 1))
    return {each.code: each for each in check_shape(part, "kind", is_classes)}


def test_classes_of_fewer_than_five_rows_are_named():
    found = shape(["a"] * 20 + ["b"] * 20 + ["c"] * 4 + ["d"])
    assert list(found) == ["rare class"]
    assert "'d' (1 row), 'c' (4 rows)" in found["rare class"].message
    assert found["rare class"].rows == (41, 42, 43, 44, 45)
    assert found["rare class"].severity == "warning"
    assert not shape(["a"] * 20 + ["b"] * 5)
    many = shape([f"rare{k}" for k in range(8)] + ["a"] * 50)
    assert "and 3 more" in many["rare class"].message


def test_a_target_that_hardly_varies_is_told():
    found = shape([0] * 95 + [1] * 5)["near-constant target"]
    assert "'kind' is 0 in 95.0% of the rows" in found.message
    assert not shape([0] * 94 + [1] * 6)
    assert "near-constant target" in shape([0.0] * 97 + [1.5, 2.5, 3.5], is_classes=False)
    assert not shape(np.arange(100.0), is_classes=False)


def test_more_columns_than_rows_are_noted():
    assert shape([0, 1] * 10, n_columns=21)["more columns than rows"].severity == "note"
    assert not shape([0, 1] * 10, n_columns=20)


def test_findings_are_in_order():
    found = [Check("a", "note", ""), Check("b", "severe", ""), Check("c", "warning", "")]
    assert [each.severity for each in ordered(found)] == list(SEVERITIES)
