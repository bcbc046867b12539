"""The review of the listed rows: a file in which people say which are wrong, written and read."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rowtrust.atomic import written_aside
from rowtrust.workflow.flagged import listed_rows
from rowtrust.workflow.tables import InputError, Layout, Records, read_records
from rowtrust.workflow.tables.errors import NoRowsError, brief, listed, shortened
from rowtrust.workflow.tables.layout import is_number
from rowtrust.workflow.tables.names import folded
from rowtrust.workflow.tables.records import FORMULAS

WRONG, RIGHT, UNSURE = VERDICTS = ("wrong", "right", "unsure")
"""What people may say of a row; part of the file's format."""

MARKS = {
    WRONG: frozenset([WRONG, "w"]),
    RIGHT: frozenset([RIGHT, "r", "ok"]),
    UNSURE: frozenset([UNSURE, "u", "?"]),
}
"""How people write it, in small letters. Not "yes", "x", "1" or "true": they can mean wrong and right."""

FILLED_IN = ("verdict", "corrected", "comment")
"""Columns in which people write; part of the file's format."""

NEEDED = ("row", "given", "verdict")
"""Columns without which a file is no review."""

FORMER_P_WRONG = "p(wrong)"
"""What the column ``p_wrong`` was called: reviews that people have begun are read."""

ENCODINGS = ("utf-8", "cp1252")
"""Encodings that are tried: ours, and that of Excel on Windows in the West. What else there is, is rare."""

SAME_NUMBER = 1e-5
"""Relative difference up to which two numbers are one: the file has six digits."""

GIVEN_DIGITS = 6
"""Digits of a number in the file, at least: enough to know it again in the data. A convention."""

GIVEN_LENGTH = 40
"""Characters of a value in a message; readability alone."""


@dataclass(frozen=True)
class Decision:
    """What somebody said of a row.

    Attributes
    ----------
    row
        Number of the row, counted from 1.
    verdict
        "wrong", "right" or "unsure".
    given, likely, corrected
        The value as given, the likely one, and the right one where somebody wrote it; otherwise nothing.
    p_wrong
        Probability of the row to be wrong; None where the file does not say.
    """

    row: int
    verdict: str
    given: str
    likely: str = ""
    corrected: str = ""
    p_wrong: float | None = None


def review_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that are on a list, with empty columns for what somebody says of them."""
    rows = listed_rows(table).reset_index()
    names = ["row", *(["id"] if "id" in rows else []), "given", "likely"]
    said = rows.loc[:, names]
    for name in ("given", "likely"):
        said[name] = pd.Series([as_text(value) for value in said[name]], index=said.index, dtype=object)
    said["p_wrong"], said["list"] = rows["p_wrong"].round(4), rows["list"]
    for name in FILLED_IN:
        said[name] = pd.Series("", index=said.index, dtype=object)
    return said


def as_text(value: Any) -> str:
    """Return a value of the target as the review has it."""
    return brief(float(value), GIVEN_DIGITS) if isinstance(value, float | np.floating) else str(value)


def read_review(source: str, layout: Layout = Layout()) -> list[Decision]:  # noqa: B008
    """Read what somebody said of rows; rows without a word are passed over.

    Spreadsheets change files: delimiters, decimal commas, capitals and apostrophes are taken as they come.

    Parameters
    ----------
    source
        Path of the file.
    layout
        How it is laid out; its limits are the only thing that is not found out.
    """
    records = read_leniently(source, Layout(limits=layout.limits))
    names = {str(name).strip().lower(): str(name) for name in records.cells.columns}
    absent = [name for name in NEEDED if name not in names]
    if absent:
        raise InputError(
            f"{source} is no review: it lacks the column{'s' * (len(absent) > 1)} {listed(absent)}. Take "
            "review.csv from the folder of 'rowtrust fit' or the report, or write one with 'rowtrust audit "
            "--review'."
        )
    cells = records.cells.rename(columns={there: name for name, there in names.items()})
    found: dict[int, Decision] = {}
    for line in cells.to_dict("records"):
        decision = decided({str(name): text_of(cell) for name, cell in line.items()})
        if decision is None:
            continue
        earlier = found.setdefault(decision.row, decision)
        if (earlier.verdict, earlier.corrected) != (decision.verdict, decision.corrected):
            raise InputError(f"the review has two verdicts for row {decision.row}. Keep one of them.")
    return list(found.values())


def kept_review(path: Path) -> Path | None:
    """Copy a review that somebody has filled in, by the time when that was, and return the copy.

    What cannot be read as a review may be somebody's work as well. None where there is nothing to keep.
    """
    if not path.is_file() or not is_filled_in(path):
        return None
    when = datetime.fromtimestamp(path.stat().st_mtime).strftime("%Y-%m-%d-%H%M%S")
    copy = path.with_name(f"{path.stem}-{when}{path.suffix}")
    with written_aside(copy) as aside:
        shutil.copy2(path, aside)
    return copy


def is_filled_in(path: Path) -> bool:
    """Whether anybody wrote into a review, or made another file of it."""
    try:
        cells = read_leniently(str(path), Layout()).cells
        return bool(cells.loc[:, list(FILLED_IN)].map(text_of).ne("").any(axis=None))
    except NoRowsError:
        return not all(name in path.read_text(errors="replace") for name in FILLED_IN)
    except (InputError, KeyError):
        return True


def read_leniently(source: str, layout: Layout) -> Records:
    """Read a file in the first encoding in which it is text."""
    for encoding in ENCODINGS[:-1]:
        try:
            return read_records(source, replace(layout, encoding=encoding))
        except InputError as error:
            if not isinstance(error.__cause__, UnicodeError):
                raise
    return read_records(source, replace(layout, encoding=ENCODINGS[-1]))


def text_of(cell: Any) -> str:
    """Return a cell as text without the apostrophe that keeps spreadsheets from running it."""
    word = "" if cell is None or cell is pd.NA or cell != cell else str(cell).strip()
    return word[1:] if word.startswith("'") and word[1:].startswith(FORMULAS) else word


def decided(line: dict[str, str]) -> Decision | None:
    """Return what a line of the file says; None if nothing."""
    said, corrected = line["verdict"].lower().rstrip(".!"), line.get("corrected", "")
    if not (said or corrected):
        return None
    row = row_number(line["row"])
    verdict = next((name for name, marks in MARKS.items() if said in marks), None) if said else WRONG
    if verdict is None:
        raise InputError(
            f"row {row}: the verdict '{shortened(line['verdict'], GIVEN_LENGTH)}' is none of "
            f"{', '.join(VERDICTS)}."
        )
    if corrected and same(corrected, line["given"]):
        if said and verdict == WRONG:
            raise InputError(
                f"row {row} is marked wrong, but its corrected value is the given one. Fix either."
            )
        verdict, corrected = (verdict if said else RIGHT), ""
    if corrected and verdict != WRONG:
        raise InputError(
            f"row {row} is marked {verdict}, but has the corrected value "
            f"'{shortened(corrected, GIVEN_LENGTH)}'. Mark it wrong, or empty the cell."
        )
    p_wrong = as_float(line.get("p_wrong", line.get(FORMER_P_WRONG, "")))
    return Decision(row, verdict, line["given"], line.get("likely", ""), corrected, p_wrong)


def row_number(text: str) -> int:
    """Return the number of a row, which a spreadsheet may have written as 17.0."""
    number = as_float(text)
    if number is None or number != int(number):
        raise InputError(
            f"the review has '{shortened(text, GIVEN_LENGTH)}' as the number of a row. Give a whole number."
        )
    return int(number)


def as_float(text: str) -> float | None:
    """Return a finite number, with a decimal comma too; None if it is none."""
    for word in (text, text.replace(",", ".")):
        if is_number(word) and abs(float(word)) < float("inf"):
            return float(word)
    return None


def same(one: str, other: str) -> bool:
    """Whether two texts are one value: the same word but for capitals and blanks, or the same number."""
    return folded(one) == folded(other) or close(as_float(one), as_float(other))


def close(one: float | None, other: float | None) -> bool:
    """Whether there are two numbers, and they are one but for the digits that a file leaves out."""
    if one is None or other is None:
        return False
    return abs(one - other) <= SAME_NUMBER * max(abs(one), abs(other))


def check_fits(
    decisions: Collection[Decision], cells: pd.Series[Any], numbers: NDArray[np.float64] | None = None
) -> None:
    """Refuse a review of another file: a row that is not there, or that has another value.

    Parameters
    ----------
    decisions
        What the review says.
    cells
        The target as it was read, one cell a row of the file.
    numbers
        What these cells say as numbers: a review has 9000 where the data have $9,000.00. None for classes.
    """
    for each in decisions:
        if not 1 <= each.row <= len(cells):
            raise InputError(
                f"the review names row {each.row}, but the data have {len(cells)} rows. Give the table that "
                "was reviewed."
            )
        there = text_of(cells.iloc[each.row - 1])
        number = None if numbers is None else float(numbers[each.row - 1])
        if not (same(there, each.given) or close(number, as_float(each.given))):
            raise InputError(
                f"row {each.row} says '{shortened(each.given, GIVEN_LENGTH)}' in the review but "
                f"'{shortened(there, GIVEN_LENGTH)}' in the data. Give the table that was reviewed."
            )
