"""Copying a table without some of its rows, cell by cell as it was."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection
from typing import TextIO

import pandas as pd

from rowtrust.workflow.tables.layout import PEEK, Layout, header_of
from rowtrust.workflow.tables.reading import frames, reading


def copy_without(source: str, layout: Layout, left_out: Collection[int], output: TextIO) -> int:
    """Write a table as CSV without the rows of these numbers, counted from 1; return how many remain."""
    gone = set(left_out)
    with reading(source, layout) as file:
        if file.is_parquet:
            table = pd.concat(list(frames(file, layout, None, None)), ignore_index=True)
            kept = table[~(table.index + 1).isin(gone)]
            kept.to_csv(output, index=False, lineterminator="\n")
            return len(kept)
        _, delimiter = header_of(file.stream.peek(PEEK), layout, file.name)
        text = io.TextIOWrapper(io.BufferedReader(file.stream), encoding=layout.codec, newline="")
        records = (record for record in csv.reader(text, delimiter=delimiter) if record)
        writer = csv.writer(output, delimiter=delimiter, lineterminator="\n")
        if layout.header:
            writer.writerow(next(records))
        kept_records = [record for number, record in enumerate(records, 1) if number not in gone]
        writer.writerows(kept_records)
        return len(kept_records)
