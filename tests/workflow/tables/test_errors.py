"""Messages about data."""

from rowtrust.workflow.tables.errors import encoding_error_message, listed, parser_error_message, shortened


def test_names_are_listed_up_to_a_few():
    assert listed("abc") == "'a', 'b', 'c'"
    assert listed("abcdefg") == "'a', 'b', 'c', 'd', 'e' and 2 more"


def test_text_of_a_file_cannot_break_a_line():
    assert shortened("a\nb\x1b[31m") == "a b [31m"
    assert len(shortened("x" * 100)) == 60
    assert shortened("x" * 100).endswith("…")


def test_the_other_encoding_is_proposed():
    error = UnicodeDecodeError("utf-8", b"gr\xfcn", 2, 3, "invalid")
    assert (
        encoding_error_message("d", "utf-8", error)
        == "d is not utf-8 text (byte 0xfc). Try --encoding latin-1."
    )
    assert (
        encoding_error_message("d", "utf-16", UnicodeError()) == "d is not utf-16 text. Try --encoding utf-8."
    )


def test_what_pandas_says_of_a_line_is_said_in_our_words():
    text = "Error tokenizing data. C error: Expected 3 fields in line 5, saw 4\n"
    assert parser_error_message("d", ValueError(text)).startswith("d: line 5 has 4 fields, the header has 3.")
    assert "cannot be read as a table: odd" in parser_error_message("d", ValueError("odd"))
