"""Limits are set in Python, by an option's text and by the environment, and say how to raise them."""

import dataclasses
import math

import pytest

from rowtrust.limits import EXCESS, KEYS, LimitError, Limits


def test_text_changes_what_it_names_and_nothing_else():
    limits = Limits.parse(" rows=1e6, seconds = 60,")
    assert limits == dataclasses.replace(Limits(), rows=1_000_000, seconds=60)
    assert Limits.parse("") == Limits()
    assert Limits.parse("columns=5", limits).rows == 1_000_000
    assert Limits.parse("rows=inf").rows == math.inf


@pytest.mark.parametrize("text", ["row=1", "=3", "1e6", "rows 5"])
def test_an_unknown_name_is_told_the_known_ones(text):
    with pytest.raises(ValueError, match=", ".join(KEYS)) as caught:
        Limits.parse(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["rows=", "rows=many", "rows=0", "rows=-1", "rows=nan", "rows=1=2"])
def test_what_is_no_positive_number_is_refused(text):
    with pytest.raises(ValueError, match="rows must be a number above zero"):
        Limits.parse(text)


def test_python_is_checked_as_the_text_is():
    with pytest.raises(ValueError, match="rows must be a number above zero"):
        Limits(rows=-1)
    with pytest.raises(ValueError, match="columns must be a number above zero"):
        Limits(columns=None)


def test_a_name_that_is_given_twice_is_refused():
    with pytest.raises(ValueError, match="rows is given twice"):
        Limits.parse("rows=1,rows=2")


def test_the_environment_is_named_where_it_is_wrong():
    assert Limits.from_environment({"ROWTRUST_LIMITS": "rows=7"}).rows == 7
    assert Limits.from_environment({}) == Limits()
    with pytest.raises(ValueError, match=r"^ROWTRUST_LIMITS: There is no limit 'bytes'"):
        Limits.from_environment({"ROWTRUST_LIMITS": "bytes=7"})


@pytest.mark.parametrize("name", KEYS)
def test_the_message_names_the_limit_its_value_and_the_cure(name):
    limits = Limits(**{name: 1500})
    limits.check(name, 1500, "t.csv")
    with pytest.raises(LimitError) as caught:
        limits.check(name, 1501, "t.csv")
    message = str(caught.value)
    assert message.startswith(f"t.csv {EXCESS[name].format('1,500')}, the limit {name}.")
    assert f"--limits {name}=N" in message
    assert f"Limits({name}=N)" in message
    assert "\n" not in message
    assert isinstance(caught.value, ValueError)
