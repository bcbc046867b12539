"""Numbers with something around them: percent, currency, thousands, decimal commas, detection limits."""

import numpy as np
import pandas as pd
import pytest

from rowtrust.workflow.tables import InputError, Schema
from rowtrust.workflow.tables.cells import parse_numbers, read_cells
from rowtrust.workflow.tables.columns import find_kind, find_numbers
from rowtrust.workflow.tables.readings import parsed_cell
from rowtrust.workflow.tables.targets import numbers_target, read_target

CELLS = {
    "percent": (["12 %", "12%", "-3.5 %", "7"], [12.0, 12.0, -3.5, 7.0]),
    "currency": (["€ 5", "5 EUR", "$-7.25", "-£2"], [5.0, 5.0, -7.25, -2.0]),
    "currency, thousands": (["$1,234.50", "$2", "$3,000", "4.5"], [1234.5, 2.0, 3000.0, 4.5]),
    "thousands": (["1,234.5", "999", "12,000", "1'000", "1 000 000"], [1234.5, 999, 12000, 1000, 1e6]),
    "decimal comma": (
        ["1,5", "2.000,25", "2.000", "7", "1 234,5", "-,5"],
        [1.5, 2000.25, 2000, 7, 1234.5, -0.5],
    ),
    "limits": (
        ["<5", ">100", "≤ 3", "< 0.01", "8", "9", ">=2", "10", "4", "7"],
        [2.5, 100, 1.5, 0.005, 8, 9, 2, 10, 4, 7],
    ),
    "percent, decimal comma, limits": (["<1,5 %", "2,5 %", "3%", "4,25%"], [0.75, 2.5, 3.0, 4.25]),
}


@pytest.mark.parametrize("reading", CELLS)
def test_what_stands_around_a_number_is_read_and_kept(reading):
    words, expected = CELLS[reading]
    column = pd.Series(words * 10, dtype="str")
    assert find_kind(column) == "number"
    assert find_numbers(column)[0] == reading
    table = pd.DataFrame({"a": column, "y": ["u", "v"] * (len(column) // 2)})
    schema = Schema.from_json(Schema.find(table, "y")[0].as_json())
    assert schema.inputs[0].reading == reading
    np.testing.assert_allclose(schema.conform(table[:: len(words)])["a"], expected[0])
    found = schema.conform(table)
    np.testing.assert_allclose(found["a"][: len(words)], expected)
    pd.testing.assert_frame_equal(schema.conform(found), found)


def test_one_comma_before_three_digits_is_what_the_other_columns_say():
    open_one = ["1,234", "5,678", "9,999", "4,321"] * 5
    decided = ["1,5", "2,25", "3,5", "4,75"] * 5
    alone = pd.DataFrame({"a": open_one, "y": ["u", "v"] * 10}, dtype="str")
    beside = alone.assign(b=decided)
    assert [each.typical for each in Schema.find(alone, "y")[0].inputs] == [4999.5]
    assert [each.typical for each in Schema.find(beside, "y")[0].inputs] == pytest.approx([4.9995, 2.875])
    target = Schema.find(beside.drop(columns="y"), "a", "regression")[1]
    assert target.values[:2].tolist() == [1.234, 5.678]


@pytest.mark.parametrize(
    "words",
    [
        ["<5", ">=5"] * 20,  # two categories
        ["<18", "18-30", ">30", "30"] * 10,
        ["5 mg", "6 ml"] * 20,
        ["A1", "B2", "12%"] * 10,
        ["<b>", "<i>", ">"] * 10,
    ],
)
def test_words_that_only_look_like_numbers_stay_words(words):
    column = pd.Series(words, dtype="str")
    assert find_kind(column) == "category"
    assert find_numbers(column)[0] == ""


def test_most_of_a_column_may_be_limits_if_some_numbers_are_there():
    words = ["<0.1"] * 30 + [f"{n / 10}" for n in range(2, 8)]
    assert find_kind(pd.Series(words, dtype="str")) == "number"


def test_per_cent_among_shares_cannot_be_read():
    column = pd.Series(["0.12", "0.5", "0.25"] * 10 + ["12 %"], dtype="str")
    found = parse_numbers(column, find_numbers(column)[0])
    assert (found.n_unreadable, found.examples) == (1, ("12 %",))


def test_a_slip_of_a_comma_is_no_decimal_comma():
    column = pd.Series(["1.5", "2.5", "3.25"] * 10 + ["4,5"], dtype="str")
    reading, found = find_numbers(column)
    assert (reading, found.n_unreadable, found.examples) == ("", 1, ("4,5",))


def test_what_cannot_be_read_is_counted_with_examples():
    words = [*map(str, range(60)), "oops", "missing", "oops", "inf", "NA", "-inf"]
    found = parse_numbers(pd.Series(words, dtype="str"), "")
    assert (found.n_unreadable, found.n_infinite, found.n_spoken) == (3, 2, 65)
    assert found.examples == ("oops", "missing", "inf")
    assert np.isnan(found.values).sum() == 6
    plain = parse_numbers(pd.Series([1.0, np.inf, np.nan, -np.inf]))
    assert (plain.n_infinite, plain.n_unreadable, plain.examples) == (2, 0, ("inf", "-inf"))
    assert parse_numbers(pd.Series(["1.5", "inf"], dtype="str")).n_infinite == 1


def test_words_and_numbers_of_a_spreadsheet_are_read_alike():
    column = pd.Series([1.5, "<5", 3, None, "oops", 2.5] + [7, 8.5] * 20, dtype=object)
    reading, found = find_numbers(column)
    assert reading == "limits"
    np.testing.assert_array_equal(found.values[:6], [1.5, 2.5, 3.0, np.nan, np.nan, 2.5])
    assert found.examples == ("oops",)


def test_a_target_with_decimal_commas_is_one_of_numbers():
    words = [f"{n},{n % 10}" for n in range(40)]
    target = read_target(pd.Series(words, dtype="str", name="y"))
    assert (target.task, target.reading, target.values[3]) == ("regression", "decimal comma", 3.3)
    again = numbers_target(pd.Series(["2.000,5"], dtype="str"), target.reading, learns=False)
    assert again.values.tolist() == [2000.5]
    money = read_target(pd.Series([f"${n},000.50" for n in range(1, 40)], dtype="str", name="y"))
    assert (money.task, money.values[0]) == ("regression", 1000.5)
    with pytest.raises(InputError, match="holds text, not numbers\\. Use --task classification"):
        numbers_target(pd.Series(["high", "low"] * 10, name="y"))


def test_labels_stay_as_they_are_written():
    assert set(read_target(pd.Series(["10%", "20%"] * 10, name="y")).values) == {"10%", "20%"}
    assert set(read_target(pd.Series(["<=5", ">5"] * 10, name="y")).values) == {"<=5", ">5"}


def test_a_decimal_mark_that_is_told_is_found_within_decorations():
    cells = pd.DataFrame({"a": ["<1,5", "12,5 %", "€ 1.234,5", "2,5 EUR"]}, dtype="str")
    assert read_cells(cells, ",")["a"].tolist() == ["<1.5", "12.5 %", "€ 1234.5", "2.5 EUR"]


@pytest.mark.parametrize(
    "word", ["1,2,3", "2020-01-02", "5-10", "$5 EUR", "--5", "1,23,456", "", "<", "1.2.3", "%"]
)
def test_words_that_are_no_numbers(word):
    assert parsed_cell(word) is None


def test_limits_that_are_not_above_zero_are_not_halved():
    found = parse_numbers(pd.Series(["<-5", "<0", "1", "2", "3"], dtype="str"), "limits")
    assert found.values[:2].tolist() == [-5.0, 0.0]
