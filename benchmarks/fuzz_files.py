"""Random files of tables: CSV, TSV and Parquet as people write them, and as no one should."""

from __future__ import annotations

import bz2
import gzip
import io
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.fuzz_data import Generator, log_uniform, one_of

MOST_ROWS = 60
"""Rows of a table: a fit of it by the command takes a second."""

MARK = "key{:04d}"
"""The first cell of every record, by which it is known again in whatever is made of the table."""

NAMES = (
    "",
    " ",
    "target",
    "=1+1",
    "a b",
    "été",
    "日本",
    '"q"',
    "x,y",
    "new\nline",
    "Unnamed: 0",
    "1",
    "a" * 300,
    "\ufeffb",
)
"""Names of columns that have bitten other programs."""

CELLS = (
    *("", " ", "NA", "null", "None", "nan", "N/A", "-", "?", "inf", "-inf", "1e400", "1e-400", "007", "0x10"),
    *(
        "=1+1",
        "@SUM(A1)",
        "+1",
        "1,5",
        "1 000",
        "1_000",
        "True",
        "2020-01-31",
        'say "so"',
        "a,b",
        "two\nlines",
    ),
    *("tab\there", "é", "日本", "🙂", "'", "\\", "#", "1.", ".5", "--", "\u00a0", "\u2028", "x" * 5000),
)
"""Cells that stand where nobody expects them."""


@dataclass(frozen=True)
class Table:
    """A table before it is written.

    Attributes
    ----------
    header
        Names of the columns.
    records
        Cells of every row; the first has its mark.
    target
        Name of the column to predict.
    delimiter, decimal, line_end, encoding, suffix
        How it is written.
    told
        Options of the command that say so.
    lines
        Lines that are no records, by the number of the record before which they stand.
    countable
        Whether it is certain what the records of the file are.
    traits
        What is odd about it, in words.
    """

    header: tuple[str, ...]
    records: tuple[tuple[str, ...], ...]
    target: str
    delimiter: str = ","
    decimal: str = "."
    line_end: str = "\n"
    encoding: str = "utf-8"
    suffix: str = ".csv"
    told: tuple[str, ...] = ()
    lines: dict[int, str] = field(default_factory=dict)
    countable: bool = True
    traits: tuple[str, ...] = ()

    def __str__(self) -> str:
        odd = ", ".join(self.traits) or "nothing odd"
        return f"{len(self.records)} x {len(self.header)}{self.suffix}: {odd}"

    @property
    def marks(self) -> list[str]:
        """What every record is known by."""
        return [record[0] for record in self.records]

    def column(self, name: str) -> set[str]:
        """Return the cells of a column, as written; none of short rows."""
        place = self.header.index(name)
        return {record[place] for record in self.records if len(record) > place}

    def content(self) -> bytes:
        """Return the file."""
        if ".parquet" in self.suffix:
            return parquet(self)
        ends = [self.line_end] if self.line_end != "mixed" else ["\n", "\r\n"]
        text = "" if "--no-header" in self.told else written(self.header, self) + ends[0]
        for number, record in enumerate(self.records):
            text += self.lines.get(number, "") + written(record, self) + ends[number % len(ends)]
        if "no last line end" in self.traits:
            text = text.rstrip("\r\n")
        if "NUL bytes" in self.traits:
            text = text.replace("red", "r\0d")
        content = text.encode(self.encoding, "replace")
        packed: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".bz2": bz2.compress}
        return packed.get(Path(self.suffix).suffix, bytes)(content)


def written(cells: tuple[str, ...], table: Table) -> str:
    """Return a record as text: quoted where it must be."""
    special = (table.delimiter, '"', "\n", "\r")
    quoted = [
        '"' + cell.replace('"', '""') + '"' if any(s in cell for s in special) else cell for cell in cells
    ]
    return table.delimiter.join(quoted)


def parquet(table: Table) -> bytes:
    """Return the table as a Parquet file, numbers as numbers."""
    width = len(table.header)
    whole = [(*record, *[""] * width)[:width] for record in table.records]
    frame = pd.DataFrame(whole, columns=list(table.header), dtype=object)
    for place in range(1, width):
        numbers = pd.to_numeric(frame.iloc[:, place], errors="coerce")
        if numbers.notna().all() and len(numbers):
            frame.isetitem(place, numbers)
    stream = io.BytesIO()
    frame.to_parquet(stream)
    return stream.getvalue()


def draw_table(generator: Generator, odd: float = 0.1) -> Table:
    """Return a random table, each oddity with a given probability."""
    table = plain_table(generator)
    for name, change in CHANGES.items():
        if generator.random() < odd * RARE.get(name, 1.0):
            changed = change(generator, table)
            table = replace(changed, traits=(*changed.traits, name))
    return table


def plain_table(generator: Generator) -> Table:
    """Return a table of numbers, words and a target that follows them."""
    n_rows = log_uniform(generator, 9, MOST_ROWS)
    n_numbers = log_uniform(generator, 1, 4)
    numbers = generator.normal(size=(n_rows, n_numbers)) * one_of(generator, (1.0, 100.0, 1e-3))
    colours = generator.choice(["red", "green", "blue"], n_rows)
    value = numbers[:, 0] / np.std(numbers) + (colours == "red") + 0.3 * generator.normal(size=n_rows)
    target = [f"{each:.3f}" for each in value]
    if generator.random() < 0.6:
        words = one_of(
            generator, (("yes", "no"), ("0", "1"), ("007", "08"), ("None", "some"), ("a", "b", "c"))
        )
        levels = np.quantile(value, np.linspace(0, 1, len(words) + 1)[1:-1])
        target = [words[place] for place in np.digitize(value, levels)]
    records = [
        (MARK.format(row), *(f"{each:.6g}" for each in numbers[row]), str(colours[row]), target[row])
        for row in range(n_rows)
    ]
    header = ("key", *(f"n{place}" for place in range(n_numbers)), "colour", "y")
    return Table(header, tuple(records), "y")


def with_cell(table: Table, row: int, place: int, cell: str) -> Table:
    """Return the table with another cell."""
    records = list(table.records)
    record = list(records[row])
    record[place] = cell
    records[row] = tuple(record)
    return replace(table, records=tuple(records))


# oddities -------------------------------------------------------------------------------------------


def odd_cells(generator: Generator, table: Table) -> Table:
    for _ in range(log_uniform(generator, 1, 10)):
        row, place = (
            int(generator.integers(len(table.records))),
            int(generator.integers(1, len(table.header))),
        )
        table = with_cell(table, row, place, one_of(generator, CELLS))
    return table


def odd_names(generator: Generator, table: Table) -> Table:
    header = list(table.header)
    place = int(generator.integers(1, len(header)))
    header[place] = one_of(generator, NAMES)
    target = header[-1] if place == len(header) - 1 else table.target
    return replace(table, header=tuple(header), target=target)


def repeated_names(generator: Generator, table: Table) -> Table:
    return replace(table, header=(table.header[0], table.header[1], table.header[1], *table.header[3:]))


def codes(generator: Generator, table: Table) -> Table:
    for row in range(len(table.records)):
        table = with_cell(table, row, 1, one_of(generator, ("01", "02", "x9", "10", "")))
    return table


def one_class(generator: Generator, table: Table) -> Table:
    for row in range(int(generator.integers(2)), len(table.records)):
        table = with_cell(table, row, -1, "same")
    return table


def blank_lines(generator: Generator, table: Table) -> Table:
    kind = one_of(generator, ("", " ", "   ", "\t", " \t ")) + (
        "\n" if table.line_end == "mixed" else table.line_end
    )
    places = generator.integers(len(table.records), size=log_uniform(generator, 1, 5))
    return replace(table, lines={**table.lines, **dict.fromkeys(places.tolist(), kind)})


def short_rows(generator: Generator, table: Table) -> Table:
    records = list(table.records)
    row = int(generator.integers(len(records)))
    records[row] = records[row][: int(generator.integers(1, len(table.header)))]
    return replace(table, records=tuple(records))


def long_rows(generator: Generator, table: Table) -> Table:
    records = list(table.records)
    row = int(generator.integers(len(records)))
    records[row] = (*records[row], "more", "1")
    return replace(table, records=tuple(records))


def few_records(generator: Generator, table: Table) -> Table:
    return replace(table, records=table.records[: int(generator.integers(4))], lines={})


def semicolons(generator: Generator, table: Table) -> Table:
    told = ("--delimiter", ";") if generator.random() < 0.5 else ()
    return replace(table, delimiter=";", told=(*table.told, *told))


def tabs(generator: Generator, table: Table) -> Table:
    return replace(table, delimiter="\t", suffix=one_of(generator, (".tsv", ".txt", ".csv")))


def decimal_commas(generator: Generator, table: Table) -> Table:
    records = tuple((record[0], *(cell.replace(".", ",") for cell in record[1:])) for record in table.records)
    told = ("--decimal", ",") if generator.random() < 0.7 else ()
    return replace(table, records=records, delimiter=";", told=(*table.told, *told))


def other_line_ends(generator: Generator, table: Table) -> Table:
    return replace(table, line_end=one_of(generator, ("\r\n", "mixed", "\r")))


def other_encoding(generator: Generator, table: Table) -> Table:
    encoding = one_of(generator, ("utf-8-sig", "latin-1", "utf-16", "cp1252"))
    told = ("--encoding", encoding) if generator.random() < 0.7 else ()
    is_sure = bool(told) or encoding != "utf-16"
    return replace(table, encoding=encoding, told=(*table.told, *told), countable=table.countable and is_sure)


def no_header(generator: Generator, table: Table) -> Table:
    names = tuple(str(place + 1) for place in range(len(table.header)))
    return replace(table, header=names, target=names[-1], told=(*table.told, "--no-header"))


def packed(generator: Generator, table: Table) -> Table:
    return replace(table, suffix=table.suffix + one_of(generator, (".gz", ".bz2")))


def as_parquet(generator: Generator, table: Table) -> Table:
    if len(set(table.header)) < len(table.header):
        return table  # pandas writes no such file
    return replace(table, suffix=".parquet", told=(), lines={})


def open_quote(generator: Generator, table: Table) -> Table:
    row = int(generator.integers(len(table.records)))
    return replace(table, lines={**table.lines, row: '"'}, countable=False)


def unchanged(generator: Generator, table: Table) -> Table:
    return table


CHANGES: dict[str, Callable[[Generator, Table], Table]] = {
    "odd cells": odd_cells,
    "codes": codes,
    "one class": one_class,
    "odd names": odd_names,
    "repeated names": repeated_names,
    "semicolons": semicolons,
    "tabs": tabs,
    "decimal commas": decimal_commas,
    "line ends": other_line_ends,
    "encoding": other_encoding,
    "blank lines": blank_lines,
    "an open quote": open_quote,
    "a short row": short_rows,
    "a long row": long_rows,
    "no header": no_header,
    "no last line end": unchanged,
    "NUL bytes": unchanged,
    "few records": few_records,
    "packed": packed,
    "Parquet": as_parquet,
}
"""Oddities of files, in the order in which they are put on."""

RARE = {"few records": 0.5, "an open quote": 0.5, "a long row": 0.5, "NUL bytes": 0.5, "repeated names": 0.5}
"""Factors on the probability of oddities after which a table is mostly refused."""
