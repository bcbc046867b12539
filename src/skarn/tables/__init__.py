"""Tables from files: reading them, finding out what their columns are, preparing them for a model."""

from skarn.tables.complaints import InputError
from skarn.tables.preparing import pipeline
from skarn.tables.reading import Layout, read_chunks, read_sample, read_table
from skarn.tables.schema import Column, Schema

__all__ = [
    "Column",
    "InputError",
    "Layout",
    "Schema",
    "pipeline",
    "read_chunks",
    "read_sample",
    "read_table",
]
