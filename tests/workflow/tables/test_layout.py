"""How a text file is laid out."""

import pytest

from rowtrust.workflow.tables import InputError, Layout
from rowtrust.workflow.tables.layout import PEEK, decoded, header_of, is_number, sniffed


@pytest.mark.parametrize("mark", [",", "\t", ";", "|"])
def test_delimiters_are_found(mark):
    assert sniffed(mark.join(["a", "b", '"c,d"']) + "\n1") == mark
    names, delimiter = header_of(mark.join(["a ", "", "c"]).encode(), Layout(), "d")
    assert (names, delimiter) == (["a", "column 2", "c"], mark)


def test_without_a_header_columns_are_counted():
    assert header_of(b"1,2,3\n", Layout(header=False), "d")[0] == ["1", "2", "3"]
    with pytest.raises(InputError, match="holds numbers, not column names"):
        header_of(b"1,2,3\n", Layout(), "d")


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(InputError, match="several columns called 'a'"):
        header_of(b"a,b,a\n", Layout(), "d")


def test_no_character_is_cut_where_the_look_ahead_ends():
    line = "ü" * 50 + "\n"
    head = (line * (PEEK // len(line))).encode()[: PEEK - 1] + b"\xc3"
    assert len(head) == PEEK
    assert decoded(head, "utf-8").endswith("ü\n")


def test_a_byte_order_mark_is_skipped():
    assert Layout(encoding="UTF8").codec == "utf-8-sig"
    assert Layout(encoding="latin-1").codec == "latin-1"
    assert header_of(b"\xef\xbb\xbfa,b\n", Layout(), "d")[0] == ["a", "b"]


def test_numbers_are_numbers():
    assert is_number(" 1e3 ")
    assert not is_number("held.csv")
