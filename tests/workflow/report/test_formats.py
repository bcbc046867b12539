"""Numbers as people write them."""

import numpy as np
import pandas as pd
import pytest

from rowtrust.workflow.report import formats


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (18034.0, "18 034"),
        (18034.4, "18 030"),
        (1234567.8, "1 235 000"),
        (2015, "2015"),
        (0.1, "0.1"),
        (0.123456, "0.1235"),
        (-12.3456, "\u221212.35"),
        (9999.96, "10 000"),
        (0.0, "0"),
        (1.5e-7, "1.5·10⁻⁷"),
        (-2e20, "\u22122·10²⁰"),
        (np.float64(np.nan), "\u2013"),
        (float("inf"), "\u2013"),
        (np.int64(123456), "123 456"),
        (True, "True"),
        ("a word", "a word"),
        (pd.Timestamp("2020-05-17"), "2020-05-17"),
        (np.datetime64("2020-05-17T12:30"), "2020-05-17 12:30"),
    ],
)
def test_number(value, text):
    assert formats.number(value).replace(formats.SPACE, " ") == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.823, "82 %"),
        (0.0, "0 %"),
        (1.0, "100 %"),
        (0.994, "99.4 %"),
        (0.99996, "over 99.9 %"),
        (0.004, "0.4 %"),
        (0.0001, "under 0.1 %"),
        (-0.12, "\u221212 %"),
        (float("nan"), "\u2013"),
    ],
)
def test_percent(share, text):
    assert formats.percent(share).replace(formats.SPACE, " ") == text


def test_names_that_would_look_alike_lose_what_they_share():
    names = [f"category number {place} of many" for place in range(3)]
    assert formats.distinct(names, 12) == ["…0 of many", "…1 of many", "…2 of many"]
    assert formats.distinct(["north", "south"], 12) == ["north", "south"]
    assert all(len(each) <= 6 for each in formats.distinct(names, 6))


def test_points_and_counts():
    assert formats.points(0.0412) == "4.1"
    assert formats.counted(1, "row") == "1 row"
    assert formats.counted(0, "row") == "0 rows"
    assert formats.counted(2, "box", "boxes") == "2 boxes"
    assert formats.short("  ") == "(blank)"
    assert formats.tick(1e-17) == "0"
