"""Tables and fitted models, small and made once."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rowtrust.workflow import Settings
from rowtrust.workflow.candidates import build
from rowtrust.workflow.fitting import fit_model
from rowtrust.workflow.splitting import usable


def classes_table(n_rows: int = 90) -> pd.DataFrame:
    """Classes that follow the first input alone; the second has gaps and says nothing."""
    generator = np.random.default_rng(0)
    first, second = generator.normal(size=(2, n_rows))
    table = pd.DataFrame({"first": first, "second": second, "kind": np.where(first > 0, "yes", "no")})
    table.loc[::9, "second"] = np.nan
    return table


def numbers_table(n_rows: int = 80) -> pd.DataFrame:
    """A wave over the first input with four gross errors at the top."""
    generator = np.random.default_rng(0)
    x = generator.uniform(-3, 3, n_rows)
    y = np.sin(x) + 0.1 * generator.normal(size=n_rows)
    y[:4] += 6
    return pd.DataFrame({"x": x, "group": generator.choice(["a", "b"], n_rows), "y": y})


def fitted(table: pd.DataFrame, target: str):
    """The robust model of one width, which is quick to fit."""
    schema, rows = usable(table, Settings("d", target))
    estimator = build("robust", schema.task, fast=False, seed=0).set_params(gamma="scale")
    return fit_model(schema, estimator, rows, rows)


@pytest.fixture(scope="session")
def class_model():
    return fitted(classes_table(), "kind")


@pytest.fixture(scope="session")
def number_model():
    return fitted(numbers_table(), "y")
