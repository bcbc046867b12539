"""Columns that order rows in time."""

import datetime

import numpy as np
import pandas as pd
import pytest

from rowtrust.workflow.splitting import times_of
from rowtrust.workflow.tables import InputError
from rowtrust.workflow.tables.columns import look_at

DAYS = pd.to_datetime(["2020-01-31", "2019-12-03", "2021-07-04", "2020-02-01"])
ORDER = np.argsort(DAYS)


@pytest.mark.parametrize(
    "written",
    [
        DAYS,
        DAYS.tz_localize("Europe/Berlin"),
        [each.date() for each in DAYS],
        DAYS.strftime("%Y-%m-%d"),
        DAYS.strftime("%Y-%m-%dT%H:%M:%SZ"),
        DAYS.strftime("%d.%m.%Y"),
        DAYS.strftime("%m/%d/%Y"),
        DAYS.strftime("%d/%m/%y %H:%M"),
        DAYS.strftime("%d %b %Y"),
        DAYS.strftime("%b %d, %Y"),
        DAYS.strftime("%Y%m%d"),
        DAYS.year + DAYS.day_of_year / 366,
    ],
    ids=str,
)
def test_dates_are_ordered_however_they_are_written(written):
    found = times_of(pd.Series(written, name="date"))
    np.testing.assert_array_equal(np.argsort(found.values), ORDER)


def test_the_range_is_told_and_gaps_stay():
    found = times_of(pd.Series(["2020-01-31", None, "2019-12-03 14:30"]))
    assert (found.first, found.last) == ("2019-12-03 14:30", "2020-01-31")
    assert np.isnan(found.values).tolist() == [False, True, False]
    found = times_of(pd.Series(["10", "9", None]))
    assert (found.first, found.last) == ("9", "10")


def test_days_and_months_that_could_change_places_are_doubtful():
    assert times_of(pd.Series(["03/04/2020", "05/06/2020"])).ambiguous
    assert not times_of(pd.Series(["03/04/2020", "25/06/2020"])).ambiguous
    assert not times_of(pd.Series(["2020-04-03", "2020-06-05"])).ambiguous


def test_dates_are_read_as_in_inputs():
    for words in (["03.04.2020", "05.06.2020"], ["03/04/2020", "05/06/2020"], ["31.12.99", "01.02.20"]):
        column = pd.Series(words)
        days = look_at(column).dates.values
        np.testing.assert_array_equal(times_of(column).values, days * 86_400)
    assert times_of(pd.Series(["03.04.2020", "05.06.2020"])).first == "2020-04-03"


@pytest.mark.parametrize("as_dates", [False, True])
def test_dates_that_stand_for_no_end_are_read(as_dates):
    words = ["2020-01-31 14:30:59", "9999-12-31"]
    values = [datetime.datetime.fromisoformat(each) for each in words] if as_dates else words
    found = times_of(pd.Series(values, name="until", dtype=object))
    assert (found.first, found.last) == ("2020-01-31 14:30", "9999-12-31")


def test_other_words_are_refused_with_the_cure():
    with pytest.raises(InputError, match=r"'date' of --time holds 'soon'.*2020-01-31"):
        times_of(pd.Series(["2020-01-31", "soon", "later"], name="date"))
    with pytest.raises(InputError, match="'date' of --time has no value"):
        times_of(pd.Series([None, None], name="date"))
    with pytest.raises(InputError, match="2020-01-31 in every row"):
        times_of(pd.Series([datetime.date(2020, 1, 31)] * 3, name="date"))
