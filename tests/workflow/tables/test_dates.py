"""Dates: the order of day and month, and days since 1970."""

import numpy as np
import pandas as pd
import pytest

from rowtrust.workflow.tables import Schema
from rowtrust.workflow.tables.columns import find_kind
from rowtrust.workflow.tables.dates import DAY_FIRST, MONTH_FIRST, UNSURE, date_reading, parse_dates

DAYS = pd.date_range("1999-11-20", periods=80, freq="11D")


@pytest.mark.parametrize(
    ("form", "reading"),
    [
        ("%Y-%m-%d", ""),
        ("%Y/%m/%d", ""),
        ("%d/%m/%Y %H:%M", DAY_FIRST),
        ("%m/%d/%Y", MONTH_FIRST),
        ("%d.%m.%y", DAY_FIRST),
        ("%d %b %Y", ""),
        ("%b %d, %Y", ""),
        ("%Y-%m-%dT%H:%M:%SZ", ""),
        ("%-d-%-m-%Y", DAY_FIRST),
    ],
)
def test_days_are_the_same_however_they_are_written(form, reading):
    words = pd.Series(DAYS.strftime(form), dtype="str")
    assert find_kind(words) == "date"
    assert date_reading(words) == reading
    expected = (DAYS - pd.Timestamp("1970-01-01")).days
    np.testing.assert_allclose(parse_dates(words, reading).values, expected)


def test_order_of_day_and_month_where_nothing_tells():
    assert date_reading(pd.Series(["3/4/2020", "5/6/2021"])) == UNSURE
    assert (
        parse_dates(pd.Series(["3/4/2020"]), UNSURE).values[0]
        == parse_dates(pd.Series(["2020-03-04"])).values[0]
    )
    assert date_reading(pd.Series(["3.4.2020", "5.6.2021"])) == DAY_FIRST


def test_a_column_of_dates_is_one_of_days_in_every_form():
    table = pd.DataFrame({"when": DAYS.strftime("%d/%m/%Y"), "y": ["u", "v"] * 40})
    schema = Schema.from_json(Schema.find(table, "y")[0].as_json())
    found = schema.conform(table)
    assert (schema.inputs[0].kind, found["when"].dtype) == ("date", float)
    typed = pd.DataFrame({"when": DAYS.where(np.arange(80) != 3)})
    assert np.isnan(schema.conform(typed)["when"][3])
    np.testing.assert_array_equal(schema.conform(typed)["when"].drop(3), found["when"].drop(3))
    objects = pd.DataFrame({"when": [day.date() for day in DAYS]})
    np.testing.assert_array_equal(schema.conform(objects)["when"], found["when"])
    zoned = pd.DataFrame({"when": pd.DatetimeIndex(["2020-01-01 01:00"]).tz_localize("Europe/Berlin")})
    assert schema.conform(zoned)["when"][0] == pytest.approx(18262.0)
    pd.testing.assert_frame_equal(schema.conform(found), found)


def test_what_is_no_date_is_counted():
    words = pd.Series([*DAYS.strftime("%Y-%m-%d"), "soon", "2020-13-45"], dtype="str")
    found = parse_dates(words)
    assert (found.n_unreadable, found.examples) == (2, ("soon", "2020-13-45"))
    assert find_kind(words) == "date"


def test_numbers_with_dashes_that_are_no_dates_are_names():
    phones = pd.Series([f"{n:03}-55-{n:04}" for n in range(100, 160)], dtype="str")
    assert find_kind(phones) == "id"
