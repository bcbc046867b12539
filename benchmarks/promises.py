"""Two promises that are hard to keep: intervals of label-noise rates, and flagged rows where classes overlap.

``python -m benchmarks.promises [--data FOLDER]``; the second part needs the folder of tables.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from sklearn.datasets import make_moons

from benchmarks.report import print_table, print_title
from rowtrust import RobustRVC, study_table
from rowtrust.datasets import flip_labels

DRAWS, OVERLAP_DRAWS = 40, 10
"""Draws of the moons, and of wrong labels in a table: standard errors of eight points, and about a minute."""

ROWS, SPREAD = 800, 0.2
"""Rows of two moons, and their spread: classes hardly overlap."""

RATES = ((0.1, 0.3), (0.0, 0.3))
"""Shares of class 0 and of class 1 that are given the other label."""

FLIPPED = 0.08
"""Share of wrong labels in the table."""


def rates_and_coverage(rates: tuple[float, float]) -> list[list[str]]:
    """Return true rates above zero, the means of the learnt ones, and how often the interval held them."""
    learnt, held = np.zeros((DRAWS, 2)), np.zeros((DRAWS, 2), dtype=bool)
    for draw in range(DRAWS):
        X, y = make_moons(ROWS, noise=SPREAD, random_state=draw)
        swapped = np.random.default_rng(draw).random(ROWS) < np.array(rates)[y]
        model = RobustRVC(random_state=0).fit(X, np.where(swapped, 1 - y, y))
        for label in (0, 1):
            low, high = model.noise_interval_[:, label, 1 - label]
            learnt[draw, label] = model.noise_[label, 1 - label]
            held[draw, label] = low <= rates[label] <= high
    return [
        [f"{rates[label]:.0%}", f"{learnt[:, label].mean():.1%}", f"{held[:, label].sum()} of {DRAWS}"]
        for label in (0, 1)
        if rates[label] > 0.0
    ]


def overlapping(file: Path) -> list[list[str]]:
    """Return for each draw how many rows of titanic were named, and how many of these had been flipped."""
    table = pd.read_csv(file).drop(columns="alive", errors="ignore")
    rows = []
    with TemporaryDirectory() as folder:
        dirty = Path(folder) / "titanic.csv"
        for draw in range(OVERLAP_DRAWS):
            given, flipped = flip_labels(table["survived"].to_numpy(), FLIPPED, random_state=draw)
            table.assign(survived=given).to_csv(dirty, index=False)
            study = study_table(dirty, "survived", progress=False)
            named = [int(row) - 1 for row in study.flagged_rows]  # rows of a file are counted from 1
            rows.append([str(draw), str(len(named)), str(int(flipped[named].sum()))])
    return rows


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of tables, with titanic.csv in it")
    data = parser.parse_args().data
    lines = [line for rates in RATES for line in rates_and_coverage(rates)]
    print_title("90 % intervals of label-noise rates, two moons")
    print_table(["true", "learnt", "held"], lines)
    if data is not None:
        print_title("Flagged rows of titanic, 8 % of the labels flipped")
        print_table(["draw", "named", "flipped"], overlapping(data / "titanic.csv"))


if __name__ == "__main__":
    main()
