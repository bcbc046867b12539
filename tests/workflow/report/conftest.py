"""Studies of small tables, made once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rowtrust.workflow import Settings, run_study
from rowtrust.workflow.checks.records import Check
from rowtrust.workflow.tables.describing import ColumnFacts


def stays(n_rows: int = 120) -> pd.DataFrame:
    """Two classes by one number; a count and a truth value say little. Six labels are wrong."""
    generator = np.random.default_rng(0)
    dose = generator.uniform(0, 60, n_rows)
    sick = dose + generator.normal(scale=4.0, size=n_rows) > 38
    sick[:6] = dose[:6] < 38
    return pd.DataFrame(
        {
            "dose": dose,
            "visits": generator.integers(1, 5, n_rows),
            "ward": generator.choice(["north", "south"], n_rows),
            "ill": np.where(sick, "yes", "no"),
        }
    )


def sums(n_rows: int = 110) -> pd.DataFrame:
    """Large amounts by one number, with three gross errors."""
    generator = np.random.default_rng(1)
    size = generator.uniform(1, 5, n_rows)
    amount = 18_034.0 * size + 500.0 * generator.normal(size=n_rows)
    amount[:3] += 60_000
    return pd.DataFrame({"size": size, "colour": generator.choice(["a", "b"], n_rows), "amount": amount})


def stripes(n_rows: int = 120) -> pd.DataFrame:
    """Three classes in stripes over the first of two numbers."""
    generator = np.random.default_rng(2)
    first, second = generator.uniform(0, 3, n_rows), generator.normal(size=n_rows)
    return pd.DataFrame(
        {"first": first, "second": second, "kind": np.array(["a", "b", "c"])[first.astype(int)]}
    )


@pytest.fixture(scope="session")
def class_study():
    """Two classes, with findings on the data and facts of its columns made up."""
    settings = Settings("stays.csv", "ill", model="robust", command="rowtrust fit stays.csv --target ill")
    checks = [
        Check("text", "note", "column 'remark' is free text."),
        Check("leak", "severe", "'dose' alone says all.", "Leave it out with --drop dose.", ("dose",)),
        Check("copies", "warning", "12 rows are copies.", "Look at them.", (), tuple(range(1, 13))),
    ]
    columns = [
        ColumnFacts("dose", "input", "number", "percent", 4, 2, 1, ("<5", "n. a."), 99, "0 to 60, median 31"),
        ColumnFacts("remark", "left out", "text", why="free text"),
    ]
    return replace(run_study(stays(), settings), checks=checks, columns=columns)


@pytest.fixture(scope="session")
def number_study():
    return run_study(sums(), Settings("sums.csv", "amount", model="robust"))


@pytest.fixture(scope="session")
def three_study():
    return run_study(stripes(), Settings("stripes.csv", "kind", model="robust", refit=False))
