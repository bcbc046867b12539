"""Tables from files: reading them, finding out what their columns are, preparing them for a model."""

from rowtrust.workflow.tables.errors import InputError
from rowtrust.workflow.tables.layout import Layout
from rowtrust.workflow.tables.reading import (
    Reading,
    read_chunks,
    read_for_study,
    read_records,
    read_table,
)
from rowtrust.workflow.tables.records import Records
from rowtrust.workflow.tables.schema import Column, Schema
from rowtrust.workflow.tables.steps import pipeline

__all__ = [
    "Column",
    "InputError",
    "Layout",
    "Reading",
    "Records",
    "Schema",
    "pipeline",
    "read_chunks",
    "read_for_study",
    "read_records",
    "read_table",
]
