"""Which rows are used."""

import numpy as np
import pandas as pd
import pytest

from rowtrust.workflow import Part, Settings
from rowtrust.workflow.splitting import divided, rows_of_test, sample, usable
from rowtrust.workflow.tables import InputError


def table(n_rows=40):
    generator = np.random.default_rng(0)
    x = generator.normal(size=n_rows)
    found = pd.DataFrame({"x": x, "kind": np.where(x > 0, "a", "b")})
    found.loc[3, "kind"] = None
    return found


def test_rows_without_a_target_are_left_out_and_numbers_are_those_of_the_file():
    _, rows = usable(table(), Settings("d", "kind"))
    assert len(rows.y) == 39
    assert rows.rows[:4].tolist() == [1, 2, 3, 5]
    with pytest.raises(InputError, match="only 9 rows have a target; at least 10"):
        usable(table(10), Settings("d", "kind"))


def test_training_and_test_rows_are_all_rows_once():
    schema, rows = usable(table(), Settings("d", "kind"))
    train, held_out = divided(schema, rows, Settings("d", "kind", test=0.25), None)
    assert len(held_out.y) == 10
    assert sorted([*train.rows, *held_out.rows]) == rows.rows.tolist()
    assert (np.diff(train.rows) > 0).all()
    share = np.mean(rows.y == "a")
    assert np.mean(held_out.y == "a") == pytest.approx(share, abs=0.06)
    assert divided(schema, rows, Settings("d", "kind", test=0.0), None) == (rows, None)


def test_a_share_that_leaves_no_row_of_a_class_is_refused():
    schema, rows = usable(table(), Settings("d", "kind"))
    with pytest.raises(InputError, match=r"cannot be held out.*--no-test"):
        divided(schema, rows, Settings("d", "kind", test=0.01), None)


def test_test_files_need_the_target_and_known_classes():
    schema, rows = usable(table(), Settings("d", "kind"))
    given = table(12)
    assert rows_of_test(schema, rows, given).rows.tolist() == [1, 2, 3, *range(5, 13)]
    with pytest.raises(InputError, match="no column 'kind'"):
        rows_of_test(schema, rows, given.drop(columns="kind"))
    with pytest.raises(InputError, match="class 'c', which the data lack"):
        rows_of_test(schema, rows, given.assign(kind="c"))
    numbers = given.assign(kind=np.arange(12.0))
    schema, rows = usable(numbers, Settings("d", "kind", task="regression"))
    assert rows_of_test(schema, rows, numbers).y.tolist() == list(range(12))


def test_samples_keep_the_order():
    _, rows = usable(table(), Settings("d", "kind"))
    assert sample(rows, 39, 0, True) is sample(rows, 39, 0, False) is rows
    few = sample(rows, 10, 0, False)
    assert len(few.y) == 10
    assert (np.diff(few.rows) > 0).all()


def test_samples_have_every_class_in_proportion():
    y = np.repeat(["common", "rare", "few"], [900, 95, 5])
    part = Part(pd.DataFrame({"x": np.arange(1000)}), y, np.arange(1000))
    found = sample(part, 200, 0, True)
    names, counts = np.unique(found.y, return_counts=True)
    assert dict(zip(names, counts.tolist(), strict=True)) == {"common": 180, "few": 5, "rare": 19}
    assert (np.diff(found.rows) > 0).all()
