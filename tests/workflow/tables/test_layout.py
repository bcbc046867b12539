"""How a text file is laid out."""

import io

import pytest

from rowtrust.limits import LimitError, Limits
from rowtrust.workflow.tables import InputError, Layout, read_table
from rowtrust.workflow.tables.layout import PEEK, first_record, is_number, look_ahead, names_of, sniffed
from rowtrust.workflow.tables.sources import LookAhead


def ahead(content):
    return LookAhead(io.BytesIO(content))


@pytest.mark.parametrize("mark", [",", "\t", ";", "|"])
def test_delimiters_are_found(mark):
    assert sniffed(mark.join(["a", "b", '"c,d,e,f"'])) == mark
    assert look_ahead(ahead(mark.join(["a ", "", "c"]).encode() + b"\n1"), Layout(), "d") == mark


def test_names_are_those_of_the_first_record():
    assert names_of(["a ", "", "c"], Layout(), "d") == ["a", "column 2", "c"]


def test_without_a_header_columns_are_counted():
    assert names_of(["1", "2", "3"], Layout(header=False), "d") == ["1", "2", "3"]


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(InputError, match="several columns called 'a'"):
        names_of(["a", "b", "a"], Layout(), "d")


def test_a_character_that_is_cut_where_the_look_ahead_ends_does_not_matter():
    line = "ü" * PEEK
    assert first_record(ahead(b"a" + line.encode() + b"\nmore"), "utf-8") == f"a{line}"
    with pytest.raises(UnicodeDecodeError):
        first_record(ahead(b"\xfc and more"), "utf-8")


def test_the_first_record_may_have_line_ends_in_quotes():
    assert first_record(ahead(b'\n  \r\n"a\nb",c\r\n1,2\n'), "utf-8") == '"a\nb",c'
    assert first_record(ahead(b"a,b"), "utf-8") == "a,b"


def test_a_byte_order_mark_is_skipped():
    assert Layout(encoding="UTF8").codec == "utf-8-sig"
    assert Layout(encoding="latin-1").codec == "latin-1"
    assert first_record(ahead(b"\xef\xbb\xbfa,b\n"), Layout().codec) == "a,b"
    with pytest.raises(InputError, match="begins as UTF-8 text does"):
        look_ahead(ahead(b"\xef\xbb\xbfa,b\n"), Layout(encoding="latin-1"), "d")


def test_a_line_that_tells_excel_the_delimiter_is_passed_over():
    stream = ahead(b"sep=;\r\na;b,c,d\n1;2\n")
    assert look_ahead(stream, Layout(), "d") == ";"
    assert stream.read().strip() == b"a;b,c,d\n1;2"


@pytest.mark.parametrize(
    "header", [b"a,b,c,d\n", b'"x",b,c,d\n', b"x" * 2 * PEEK + b",b,c,d\n", b'"x\ny",b,c,d\n', b"a,b,c,d"]
)
def test_more_columns_than_the_limit_are_refused_by_the_first_record(header):
    with pytest.raises(LimitError, match="more than 3 columns"):
        look_ahead(ahead(header), Layout(limits=Limits(columns=3)), "d")
    assert look_ahead(ahead(header), Layout(limits=Limits(columns=4)), "d") == ","
    assert look_ahead(ahead(b'"a,b,c,d,e,f",g\n'), Layout(limits=Limits(columns=2)), "d") == ","


def test_numbers_are_numbers():
    assert is_number(" 1e3 ")
    assert not is_number("held.csv")


def test_runs_of_blanks_stand_between_fields_where_nothing_else_does(tmp_path):
    file = tmp_path / "synth.tr"
    file.write_text("    xs            ys       yc\n  0.051  0.161    0\n -0.748  0.089    1\n")
    table = read_table(str(file))
    assert list(table.columns) == ["xs", "ys", "yc"]
    assert table["ys"].astype(float).tolist() == [0.161, 0.089]


def test_blanks_in_names_are_no_delimiters_beside_commas(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("first name,last name\nAda,King\n")
    assert list(read_table(str(file)).columns) == ["first name", "last name"]
