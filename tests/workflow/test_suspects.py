"""The table of suspects."""

import numpy as np

from rowtrust.workflow.suspects import compared, find_suspects, reason, suspect_rows


def test_gross_errors_head_the_ranking(number_model):
    findings, table = find_suspects(number_model)
    assert set(table["row"][:4]) == {1, 2, 3, 4}
    assert table["suspect"].sum() == len(findings.suspects)
    assert suspect_rows(table) == table["row"][: len(findings.suspects)].tolist()
    assert (np.sort(table["row"]) == number_model.train.rows).all()
    assert {"residual", "nearest", "second_nearest"} <= set(table)
    assert "deviations above what the other rows say; compare rows" in reason(table.iloc[0], "regression")


def test_classes_are_compared_with_rows_of_both_classes(class_model):
    _, table = find_suspects(class_model)
    label = dict(zip(class_model.train.rows, class_model.train.y, strict=True))
    label[0] = None
    for row in table.head(10).to_dict("records"):
        assert label[row["nearest_given"]] in (row["given"], None)
        assert label[row["nearest_likely"]] in (row["likely"], None)


def test_reasons_name_what_there_is_to_compare():
    row = {"given": "a", "likely": "b", "probability": 0.02, "nearest_given": 0, "nearest_likely": 7}
    assert reason(row, "classification") == "P(a) = 2.0% by the other rows; compare row 7 (b)"
    assert compared([(3, ""), (9, "")]) == "; compare rows 3 and 9"
    assert compared([(0, "")]) == ""
