"""What is shown of rows beside those to compare with."""

import numpy as np

from rowtrust.workflow import row_contents


def test_days_are_shown_as_dates():
    from rowtrust.workflow.row_contents import shown

    assert shown(19_340.0, True) == "2022-12-14"
    assert shown(19_340.5, True) == "2022-12-14 12:00"
    assert shown(19_340.0, False) == 19_340.0


def test_a_wide_table_is_asked_for_in_batches(number_model, monkeypatch):
    """All copies of 50 rows with a cell replaced in each of 3000 columns took 2.6 GiB at once."""
    rows, others, asked, spoken = np.arange(3), np.arange(5, 8), [], row_contents.spoken

    def counted(model, X, places):
        asked.append(len(X))
        return spoken(model, X, places)

    monkeypatch.setattr(row_contents, "spoken", counted)
    whole = row_contents.effects_of_cells(number_model, rows, others)
    n_columns = number_model.train.X.shape[1]
    assert asked == [3, 3 * n_columns]
    monkeypatch.setattr(row_contents, "MOST_CELLS", 1)
    np.testing.assert_allclose(row_contents.effects_of_cells(number_model, rows, others), whole, atol=1e-12)
    assert asked[2:] == [3] * (1 + n_columns)
    assert whole.max() > 0.0
