"""A model that was read from a file answers to a row of its own columns, or the file is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from rowtrust import io
from rowtrust.workflow.tables import Schema

MOST_TRIED = 10_000
"""Columns of a model that is tried: as many as ``rowtrust fit`` accepts."""


def check_typical_row(path: Path, model: Any, schema: Schema) -> None:
    """Refuse a model that cannot predict the typical row that is kept beside it.

    Parameters
    ----------
    path
        The file, for the message.
    model
        The pipeline from it.
    schema
        What the file says of its columns.
    """
    if len(schema.inputs) <= MOST_TRIED:
        io.check_prediction(path, model, lambda: typical_row(schema))


def typical_row(schema: Schema) -> pd.DataFrame:
    """Return one row with the value that stands for each column, as a model takes it."""
    return schema.conform(pd.DataFrame({column.name: [column.typical] for column in schema.inputs}))
