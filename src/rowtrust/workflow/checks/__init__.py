"""Checks of the data, made before any model is fitted."""

from rowtrust.workflow.checks.copies import Copies, find_copies, kept_together
from rowtrust.workflow.checks.leaks import find_leaks
from rowtrust.workflow.checks.records import SEVERITIES, Check, ordered, together
from rowtrust.workflow.checks.table import (
    check_shape,
    check_test_groups,
    check_test_rows,
    data_checks,
    refuse_severe,
)

__all__ = [
    "SEVERITIES",
    "Check",
    "Copies",
    "check_shape",
    "check_test_groups",
    "check_test_rows",
    "data_checks",
    "find_copies",
    "find_leaks",
    "kept_together",
    "ordered",
    "refuse_severe",
    "together",
]
