"""What cells say: which are missing, which are numbers."""

import numpy as np
import pandas as pd
import pytest

from rowtrust.workflow.tables.cells import (
    MISSING_MARKS,
    MISSING_WORDS,
    as_numbers,
    parse_numbers,
    read_cells,
)
from rowtrust.workflow.tables.columns import find_kind


@pytest.mark.parametrize("mark", sorted(MISSING_MARKS))
def test_marks_are_gaps_everywhere(mark):
    table = read_cells(pd.DataFrame({"a": ["1", mark, f" {mark} "], "b": ["x", mark, "y"]}, dtype="str"))
    assert table["a"].isna().tolist() == [False, True, True]
    assert table["b"].isna().tolist() == [False, True, False]


@pytest.mark.parametrize("word", sorted(MISSING_WORDS))
def test_words_for_missing_are_gaps_among_numbers_and_words_among_words(word):
    numbers = pd.Series(["1.5", word, "2.5", "4"] * 5, dtype="str")
    assert find_kind(numbers) == "number"
    assert parse_numbers(numbers).unreadable_share == 0.0
    np.testing.assert_array_equal(as_numbers(numbers)[:3], [1.5, np.nan, 2.5])
    words = pd.Series(["mild", word, "severe", word] * 5, dtype="str")
    assert find_kind(words) == "category"
    assert read_cells(words.to_frame("w"))["w"].tolist() == words.tolist()


def test_users_name_marks_of_their_own():
    table = read_cells(pd.DataFrame({"a": ["-9", "1", "none"]}, dtype="str"), missing=["-9", "none"])
    assert table["a"].isna().tolist() == [True, False, True]


def test_a_column_of_truths_is_one_of_numbers():
    truths = pd.Series(["TRUE", "False", "NA", "true"] * 5, dtype="str")
    assert find_kind(truths) == "number"
    np.testing.assert_array_equal(as_numbers(truths)[:4], [1.0, 0.0, np.nan, 1.0])
    assert find_kind(pd.Series(["true", "maybe"] * 10, dtype="str")) == "category"
    assert find_kind(pd.Series(["true"] * 19 + ["maybe"], dtype="str")) == "category"
    # Cell by cell, so that no piece of a file is read otherwise than the whole.
    mixed = pd.Series(["0", "1", "true", "maybe"], dtype="str")
    np.testing.assert_array_equal(as_numbers(mixed), [0.0, 1.0, 1.0, np.nan])
    assert parse_numbers(mixed).unreadable_share == 0.25


def test_infinite_numbers_are_numbers_that_are_missing():
    column = pd.Series(["1.5", "inf", "-inf", "2.5", "1e400"] * 4, dtype="str")
    assert find_kind(column) == "number"
    np.testing.assert_array_equal(as_numbers(column)[:5], [1.5, np.nan, np.nan, 2.5, np.nan])


def test_points_between_thousands():
    cells = pd.DataFrame({"a": ["12.345", "1.234,5", "-1.000.000", "1.5x", "1.2.2020"]}, dtype="str")
    assert read_cells(cells, ",")["a"].tolist() == ["12345", "1234.5", "-1000000", "1.5x", "1.2.2020"]


def test_numbers_are_those_of_python():
    generator = np.random.default_rng(0)
    numbers = generator.normal(size=500) * 10.0 ** generator.integers(-300, 300, 500)
    for words in ([repr(float(each)) for each in numbers], [f"{each:.4e}" for each in numbers] + ["oops"]):
        expected = [np.nan if each == "oops" else float(each) for each in words]
        np.testing.assert_array_equal(as_numbers(pd.Series(words, dtype="str")), expected)


def test_only_words_for_missing_say_nothing():
    assert find_kind(pd.Series(["NA", "NULL"] * 10, dtype="str")) == "all missing"


@pytest.mark.parametrize("mark", [",", "^", "]", "\\"])
def test_decimal_marks(mark):
    cells = pd.DataFrame({"a": [f"1{mark}5", f"-{mark}5e2", f"a{mark}b", f"1{mark}2{mark}3"]}, dtype="str")
    assert read_cells(cells, mark)["a"].tolist() == ["1.5", "-.5e2", f"a{mark}b", f"1{mark}2{mark}3"]


def test_what_is_no_text_stays():
    table = pd.DataFrame(
        {"n": [1, 2], "f": [0.5, np.nan], "d": pd.date_range("2020", periods=2), "b": [True, False]}
    )
    pd.testing.assert_frame_equal(read_cells(table), table)


def test_a_sample_of_a_count_of_rows_is_a_count_of_rows():
    count = pd.Series(np.arange(1000, 1200))
    assert find_kind(count.sample(50, random_state=0).sort_index()) == "row number"
