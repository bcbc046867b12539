"""Tables to feed to the command."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from rowtrust.cli import app


def small_table(n_rows: int = 80, seed: int = 0) -> pd.DataFrame:
    """Two numbers, a category with gaps, and classes that follow them."""
    generator = np.random.default_rng(seed)
    first, second = generator.normal(size=(2, n_rows))
    colour = generator.choice(["red", "green", "blue"], n_rows)
    kind = np.where(first + 0.5 * (colour == "red") > 0, "yes", "no")
    table = pd.DataFrame({"first": first, "second": second, "colour": colour, "kind": kind})
    table.loc[::11, "second"] = np.nan
    table.loc[5::13, "colour"] = None
    return table


@pytest.fixture
def table():
    return small_table()


@pytest.fixture
def csv(tmp_path, table):
    path = tmp_path / "data.csv"
    table.to_csv(path, index=False)
    return path


@pytest.fixture
def rowtrust(tmp_path, monkeypatch):
    """Run the command in an empty folder; return its result."""
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()

    def run(*arguments, stdin=None):
        return runner.invoke(app, [str(each) for each in arguments], input=stdin)

    return run


@pytest.fixture(scope="session")
def fitted(tmp_path_factory):
    """The folder of a fit, made once."""
    folder = tmp_path_factory.mktemp("fitted")
    small_table().to_csv(folder / "data.csv", index=False)
    arguments = [
        "fit",
        str(folder / "data.csv"),
        "-t",
        "kind",
        "--model",
        "robust",
        "-o",
        str(folder / "results"),
    ]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return folder
