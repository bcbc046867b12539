"""Words that are numbers with something around them: percent, currency, thousands, detection limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

SYMBOLS = "$€£¥₹₽₩₺₴₪฿"
"""Signs of currencies that may stand before or behind a number."""

CODES = (
    *("EUR", "USD", "GBP", "CHF", "JPY", "CNY", "INR", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "CAD"),
    *("AUD", "NZD", "BRL", "MXN", "ZAR", "RUB", "TRY", "KRW"),
)
"""Codes of currencies (ISO 4217) that may stand before or behind a number: those of the largest economies."""

BLANKS = "'\u2019 \u00a0\u202f"
"""What stands between thousands in both conventions: apostrophes and kinds of blanks."""

DECORATED = re.compile(
    r"(?P<limit>[<>≤≥]=?|=[<>])?\s*(?P<sign>[+-])?\s*"
    rf"(?P<before>[{SYMBOLS}]|{'|'.join(CODES)})?\s*(?P<inner>[+-])?"
    rf"(?P<body>[0-9.,][0-9.,{BLANKS}]*(?:[eE][+-]?[0-9]+)?)"
    rf"\s*(?P<after>%|[{SYMBOLS}]|{'|'.join(CODES)})?"
)
"""A number with a limit's sign before it, and a currency or percent sign around it."""

PLAIN = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
"""A number as programs write it."""

EITHER = re.compile(r"[1-9][0-9]{0,2},[0-9]{3}")
"""One comma with three digits after it: a thousand, or three decimals."""

GROUPED = re.compile(
    rf"[1-9][0-9]{{0,2}}(?P<mark>[,{BLANKS}])[0-9]{{3}}(?:(?P=mark)[0-9]{{3}})*(?:\.[0-9]+)?"
)
"""Thousands in groups, and a decimal point if any."""

COMMA = re.compile(
    rf"[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?|[1-9][0-9]{{0,2}}(?P<mark>[.{BLANKS}])[0-9]{{3}}(?:(?P=mark)[0-9]{{3}})*,[0-9]+"
    r"|[1-9][0-9]{0,2}(?:\.[0-9]{3}){2,}"
)
"""A decimal comma, points or blanks between thousands if any; or several groups of thousands in points."""

POINT_GROUPS = r"^[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+$"
"""What reads as decimals, and as thousands where the column has decimal commas."""

PERCENT, CURRENCY, THOUSANDS, DECIMAL_COMMA, LIMITS = READINGS = (
    "percent",
    "currency",
    "thousands",
    "decimal comma",
    "limits",
)
"""How a column of numbers is read beyond plain numbers; kept in model files, several with commas between."""

LIMIT_SHARE = 0.5
"""Numbers below a detection limit count as this share of it: the usual convention of laboratories."""


@dataclass(frozen=True)
class Cell:
    """A word taken apart.

    Attributes
    ----------
    limit
        "<" or ">" for a detection limit, else nothing.
    sign
        Minus one or one.
    mark
        "percent", "currency" or nothing.
    body
        The digits.
    form
        "plain", "either" (1,234), "thousands", "comma" or "blanks" (1 234).
    """

    limit: str
    sign: float
    mark: str
    body: str
    form: str

    def value(self, comma: bool) -> float | None:
        """Return the number, with a decimal comma or point; None if that cannot be.

        Parameters
        ----------
        comma
            Whether the column has decimal commas.
        """
        body = re.sub(f"[{BLANKS}]", "", self.body)
        if comma and (self.form in ("comma", "either") or re.match(POINT_GROUPS, body)):
            body = body.replace(".", "").replace(",", ".")
        elif self.form in ("thousands", "either") and not comma:
            body = body.replace(",", "")
        elif self.form not in ("plain", "blanks"):
            return None
        number = self.sign * float(body)
        return number * LIMIT_SHARE if self.limit == "<" and number > 0 else number


def parsed_cell(word: str) -> Cell | None:
    """Return what a word is made of; None if it is no number with something around it."""
    found = DECORATED.fullmatch(word.strip())
    if found is None or (found["sign"] and found["inner"]) or (found["before"] and found["after"]):
        return None
    body = found["body"].strip()
    form = form_of(body)
    if form is None:
        return None
    around = found["before"] or found["after"] or ""
    mark = PERCENT if around == "%" else CURRENCY if around else ""
    limit = found["limit"] or ""
    below = any(sign in limit for sign in "<≤")
    sign = -1.0 if "-" in (found["sign"], found["inner"]) else 1.0
    return Cell(("<" if below else ">") if limit else "", sign, mark, body, form)


def form_of(body: str) -> str | None:
    """Return how digits are written; None if they are no number."""
    if PLAIN.fullmatch(body):
        return "plain"
    if EITHER.fullmatch(body):
        return "either"
    if grouped := GROUPED.fullmatch(body):
        return "blanks" if grouped["mark"] in BLANKS and "." not in body else "thousands"
    return "comma" if COMMA.fullmatch(body) else None


def read_word(word: str, reading: str) -> tuple[float | None, bool]:
    """Return what a word in a column of a reading says as a number, and whether it is a limit.

    Limits, currencies and thousands are read in every column of numbers; percent only where the column has
    been found to be percent, as 12 % beside 0.12 may be either.
    """
    cell = parsed_cell(word)
    if cell is None or (cell.mark == PERCENT and PERCENT not in reading):
        return None, False
    number = cell.value(DECIMAL_COMMA in reading)
    return number, number is not None and bool(cell.limit)


def reading_of(counts: Mapping[str, int], n_plain: int, plain: Iterable[str], comma: bool) -> str:
    """Return how words that are no plain numbers are to be read, given the others of their column.

    Parameters
    ----------
    counts
        How often each word occurs.
    n_plain
        How many cells are plain numbers.
    plain
        Some of these, as they were written.
    comma
        Whether other columns of the table have decimal commas: decides where this one leaves it open.
    """
    cells = [(cell, times) for word, times in counts.items() if (cell := parsed_cell(word)) is not None]

    def number(*forms: str) -> int:
        return sum(times for cell, times in cells if cell.form in forms)

    points = sum("." in word and not re.match(POINT_GROUPS, word.strip()) for word in plain)
    points += sum(
        times
        for cell, times in cells
        if cell.form == "plain" and "." in cell.body and not re.match(POINT_GROUPS, cell.body)
    )
    against = number("thousands") + points
    is_comma = number("comma") > against or (comma and against == 0 and number("either") > 0)
    found = [DECIMAL_COMMA] if is_comma else []
    if number("either", "thousands", "blanks") and not is_comma:
        found.append(THOUSANDS)
    n_percent = sum(times for cell, times in cells if cell.mark == PERCENT)
    if 2 * n_percent >= n_plain + sum(times for _, times in cells):
        found.append(PERCENT)
    if any(cell.mark == CURRENCY for cell, _ in cells):
        found.append(CURRENCY)
    if any(cell.limit for cell, _ in cells):
        found.append(LIMITS)
    return ", ".join(each for each in READINGS if each in found)
