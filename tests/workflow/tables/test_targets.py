"""The target column: classes or numbers."""

import numpy as np
import pandas as pd
import pytest

from rowtrust.workflow.tables import InputError, targets
from rowtrust.workflow.tables.targets import known_labels, labels, read_target

N = 60


@pytest.mark.parametrize(
    ("values", "task"),
    [
        ([0, 1] * 30, "classification"),
        ([1.0, 2.0, np.nan] * 20, "classification"),
        ([1, 2, 3] * 20, "classification"),
        (list(range(N)), "regression"),
        (["a", "b"] * 30, "classification"),
        ([True, False] * 30, "classification"),
        ([0.5, 1.5] * 30, "regression"),
    ],
)
def test_tasks(values, task):
    assert read_target(pd.Series(values, name="y")).task == task


def test_a_task_can_be_given():
    column = pd.Series([1, 2, 3] * 20, name="y")
    assert read_target(column, "regression").values.dtype == float
    assert read_target(column, "classification").values.dtype == np.int64


def test_labels_are_whole_numbers_only_if_all_are():
    assert labels(pd.Series([1.0, 2.0])).dtype == np.int64
    assert labels(pd.Series(["1", "2 "])).tolist() == [1, 2]
    assert labels(pd.Series(["1", "b "])).tolist() == ["1", "b"]
    assert labels(pd.Series([1.5, 2.0])).tolist() == ["1.5", "2.0"]
    assert labels(pd.Series([True, False])).tolist() == ["True", "False"]


def test_labels_come_back_as_they_were_written():
    assert labels(pd.Series(["007", "010"])).tolist() == ["007", "010"]
    assert labels(pd.Series(["1.0", "2.0"])).tolist() == [1, 2]
    assert labels(pd.Series(["+1", "-1"])).tolist() == ["+1", "-1"]
    assert labels(pd.Series(["True", "FALSE", "true"])).tolist() == ["True", "FALSE", "true"]
    # The same number in two ways is one class.
    assert labels(pd.Series(["007", "7", "010"])).tolist() == [7, 7, 10]


@pytest.mark.parametrize("word", ["None", "NA", "null", "n/a"])
def test_a_class_may_be_called_as_missing_cells_are(word):
    found = read_target(pd.Series(["mild", word, "severe"] * 20, name="y"))
    assert len(found.rows) == 60
    assert set(found.values) == {"mild", word, "severe"}
    numbers = read_target(pd.Series(["0", word, "1"] * 20, name="y"))
    assert (len(numbers.rows), numbers.values.dtype) == (40, np.int64)


def test_known_labels_are_told_in_any_piece():
    column = pd.Series(["7", "007", "8", None, "x"])
    rows, values, unknown = known_labels(column, np.array([7, 8]))
    assert (rows.tolist(), values.tolist(), unknown) == ([0, 1, 2], [7, 7, 8], ["x"])
    rows, values, unknown = known_labels(pd.Series(["1", "0.0", "NA"]), np.array(["+0", "+1"]))
    assert (rows.tolist(), values.tolist(), unknown) == ([0, 1], ["+1", "+0"], [])
    rows, values, unknown = known_labels(pd.Series(["True", "NA"]), np.array(["False", "True"]))
    assert (rows.tolist(), values.tolist(), unknown) == ([0], ["True"], [])
    rows, values, unknown = known_labels(column, np.array(["007", "x"]))
    assert (rows.tolist(), values.tolist(), unknown) == ([1, 4], ["007", "x"], ["7", "8"])
    floats = pd.Series([7.0, np.nan, 8.0, 9.5])
    rows, values, unknown = known_labels(floats, np.array([7, 8]))
    assert (rows.tolist(), values.tolist(), unknown) == ([0, 2], [7, 8], ["9.5"])


@pytest.mark.parametrize("gaps", [False, True])
def test_truths_are_classes_of_these_names(gaps):
    column = pd.Series([True, False, None if gaps else True] * 20, dtype="boolean", name="y")
    found = read_target(column)
    assert (found.task, set(found.values), len(found.rows)) == (
        "classification",
        {"True", "False"},
        40 + 20 * (not gaps),
    )
    words = read_target(pd.Series(["TRUE", "FALSE", "NA" if gaps else "TRUE"] * 20, name="y"))
    assert (set(words.values), len(words.rows)) == ({"TRUE", "FALSE"}, len(found.rows))


def test_rows_without_a_number_are_left_out():
    found = read_target(pd.Series([1.5, None, 2.5, np.inf] * 20, name="y"))
    assert found.task == "regression"
    assert found.rows[:3].tolist() == [0, 2, 4]
    assert found.values[:2].tolist() == [1.5, 2.5]


@pytest.mark.parametrize(
    ("values", "task", "words"),
    [
        ([None] * 5, None, "has no value"),
        ([3.5] * 20, "regression", "3.5 in every row"),
        (["a"] * 20, None, "one class 'a'"),
        ([f"name {n}" for n in range(20)], None, "20 different values"),
        (["x", "y"] * 10, "regression", "holds text, not numbers. Use --task classification"),
        (list(pd.date_range("2020", periods=20)), None, "holds dates"),
        (list(pd.date_range("2020", periods=20).strftime("%Y-%m-%d")), None, "has dates in 20 rows"),
    ],
)
def test_targets_of_which_nothing_can_be_learnt(values, task, words):
    with pytest.raises(InputError, match=words):
        read_target(pd.Series(values, name="y"), task)


def test_spellings_of_a_class_are_one_class():
    words = ["Yes", "yes", " YES", "No", "no", "Yes"] * 5
    target = read_target(pd.Series(words, dtype="str", name="y"))
    assert target.values.tolist() == ["Yes", "Yes", "Yes", "No", "No", "Yes"] * 5
    classes = np.unique(target.values)
    rows, values, unknown = known_labels(pd.Series(["YES", "n o", "nO", None, "maybe"], dtype="str"), classes)
    assert (rows.tolist(), values.tolist(), unknown) == ([0, 2], ["Yes", "No"], ["n o", "maybe"])


def test_ties_between_spellings_do_not_depend_on_the_order_of_the_rows():
    found = {read_target(pd.Series(words)).values[0] for words in (["a", "A", "b"] * 5, ["A", "a", "b"] * 5)}
    assert found == {"A"}


def test_a_label_is_looked_at_once_however_many_rows_have_it(monkeypatch):
    """Of ten million rows each label was stripped by itself: two thirds of the time of a reading."""
    seen = []
    parse = targets.parse_numbers
    monkeypatch.setattr(
        targets, "parse_numbers", lambda values, *args: seen.append(len(values)) or parse(values)
    )
    column = pd.Series(["a", "b", " a", None] * 1000, dtype="str")
    rows, values, unknown = known_labels(column, np.array(["a", "b"]))
    assert len(rows) == len(values) == 3000
    assert values[:3].tolist() == ["a", "b", "a"]
    assert unknown == []
    assert max(seen) <= 3


def inputs_of(target, seed=0, codes=False):
    """Four inputs that follow the target, or each code in its own way, with noise."""
    generator = np.random.default_rng(seed)
    steps = np.unique(target, return_inverse=True)[1]
    centre = (
        generator.normal(size=(steps.max() + 1, 4)) if codes else np.outer(np.arange(101), [1, -1, 0.5, 0])
    )
    scale = 0.5 if codes else 5.0
    return pd.DataFrame(centre[steps] + scale * generator.normal(size=(len(steps), 4)))


@pytest.mark.parametrize("n_codes", [13, 26, 90])
def test_many_codes_are_classes_and_many_amounts_are_numbers(n_codes):
    values = np.random.default_rng(1).integers(n_codes, size=12 * n_codes) * 3 + 100
    for codes, task in ((True, "classification"), (False, "regression")):
        for seed in range(3):
            inputs = inputs_of(values, seed, codes)
            found = read_target(pd.Series(values, name="y"), inputs=inputs.copy)
            assert found.task == task, (codes, seed)


def test_where_inputs_say_nothing_uneven_gaps_are_codes():
    generator = np.random.default_rng(0)
    place, noise = generator.integers(13, size=400), pd.DataFrame(generator.normal(size=(400, 3)))
    codes = np.array([250, 272, 276, 401, 403, 410, 411, 414, 427, 428, 434, 486, 491])
    assert read_target(pd.Series(codes[place], name="y"), inputs=lambda: noise).task == "classification"
    assert read_target(pd.Series(place, name="y"), inputs=lambda: noise).task == "regression"


def test_a_few_rows_of_each_number_are_amounts():
    values = pd.Series(np.tile(np.arange(50), 4), name="y")
    assert read_target(values, inputs=lambda: inputs_of(values, codes=True)).task == "regression"
