"""How a text file is laid out."""

import pytest

from rowtrust.limits import LimitError, Limits
from rowtrust.workflow.tables import InputError, Layout
from rowtrust.workflow.tables.layout import delimiter_of, first_line, is_number, names_of, sniffed


@pytest.mark.parametrize("mark", [",", "\t", ";", "|"])
def test_delimiters_are_found(mark):
    assert sniffed(mark.join(["a", "b", '"c,d,e,f"'])) == mark
    assert delimiter_of(mark.join(["a ", "", "c"]).encode() + b"\n1", Layout(), "d") == mark


def test_names_are_those_of_the_first_record():
    assert names_of(["a ", "", "c"], Layout(), "d") == ["a", "column 2", "c"]


def test_without_a_header_columns_are_counted():
    assert names_of(["1", "2", "3"], Layout(header=False), "d") == ["1", "2", "3"]
    with pytest.raises(InputError, match="holds numbers, not column names"):
        names_of(["1", "2", "3"], Layout(), "d")


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(InputError, match="several columns called 'a'"):
        names_of(["a", "b", "a"], Layout(), "d")


def test_a_character_that_is_cut_where_the_look_ahead_ends_does_not_matter():
    assert first_line("ü".encode() * 50 + b"\xc3", "utf-8") == "ü" * 50
    with pytest.raises(UnicodeDecodeError):
        first_line(b"\xfc and more", "utf-8")


def test_a_byte_order_mark_is_skipped():
    assert Layout(encoding="UTF8").codec == "utf-8-sig"
    assert Layout(encoding="latin-1").codec == "latin-1"
    assert first_line(b"\xef\xbb\xbfa,b\n", Layout().codec) == "a,b"


def test_more_columns_than_the_limit_are_refused_by_the_first_line():
    with pytest.raises(LimitError, match="more than 3 columns"):
        delimiter_of(b"a,b,c,d,e\n", Layout(limits=Limits(columns=3)), "d")


def test_numbers_are_numbers():
    assert is_number(" 1e3 ")
    assert not is_number("held.csv")
