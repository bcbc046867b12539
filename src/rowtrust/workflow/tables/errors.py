"""What is said of data that cannot be used."""

from __future__ import annotations

from collections.abc import Iterable

from pandas.errors import EmptyDataError, ParserWarning

SHORT = 60
"""Characters of a cell that a message shows; fits a line of a terminal beside other words."""

FEW_NAMES = 5
"""Names that a message lists before it counts the rest; readability alone."""

EXPONENTS_FROM = 1e15
"""Numbers from here on are written with a power of ten: a double has no more digits."""

READ_ERRORS: dict[type[Exception], str] = {
    FileNotFoundError: ": no such file. Check the path.",
    IsADirectoryError: " is a folder. Give a file.",
    PermissionError: " may not be read. Check its permissions.",
    EmptyDataError: " is empty. Give a file with a header line and rows.",
    EOFError: " ends too early. Was it copied whole?",
}
"""What is said after a file's name when it cannot be read."""


class InputError(ValueError):
    """Data that cannot be used; the message is one line and names the cure."""


class UnreadableWarning(UserWarning):
    """Cells of new rows that could not be read and count as missing."""


class NoRowsError(InputError):
    """A file that has a header at most."""


def listed(names: Iterable[object], most: int = FEW_NAMES) -> str:
    """Return names in quotes, at most a few of them."""
    every = [f"'{shortened(name)}'" for name in names]
    shown = ", ".join(every[:most])
    return shown if len(every) <= most else f"{shown} and {len(every) - most} more"


def shortened(value: object, most: int = SHORT) -> str:
    """Return a value of a file as short, printable text."""
    text = "".join(letter if letter.isprintable() else " " for letter in str(value))
    return text if len(text) <= most else f"{text[: most - 1]}…"


def encoding_error_message(name: str, encoding: str, error: UnicodeError) -> str:
    """Say which byte is wrong, and which encoding to try."""
    byte = ""
    if isinstance(error, UnicodeDecodeError):
        byte = f" (byte 0x{error.object[error.start]:02x})"
    other = "utf-8" if encoding != "utf-8" else "latin-1"
    return f"{name} is not {encoding} text{byte}. Try --encoding {other}."


def parser_error_message(name: str, error: Exception, header: bool = True) -> str:
    """Say in which line the fields do not fit the header."""
    text = str(error)
    if "saw" in text and "line" in text:
        line, seen = text.split("line")[1].split(",")[0].strip(), text.split("saw")[1].strip()
        wanted = text.split("Expected")[1].split("fields")[0].strip()
        if line == "2" and header:
            return (
                f"{name}: the first row has {seen} fields, more fields than the header, which has {wanted}. "
                "Name every column, or use --no-header."
            )
        return (
            f"{name}: line {line} has {seen} fields, the {'header' if header else 'first'} has {wanted}. "
            "Quote fields that contain the delimiter, or name another with --delimiter."
        )
    if isinstance(error, ParserWarning):
        return f"{name}: the rows have more fields than the header. Name every column, or use --no-header."
    return f"{name} cannot be read as a table: {shortened(text.strip(), 120)}. Fix the file."


def brief(value: float, digits: int = 4) -> str:
    """Return a number with some digits, but all those before its point.

    Parameters
    ----------
    value
        The number.
    digits
        How many there are at least.
    """
    whole = 10.0 ** (digits - 1) <= abs(value) < EXPONENTS_FROM
    return f"{value:.0f}" if whole else f"{value:.{digits}g}"
