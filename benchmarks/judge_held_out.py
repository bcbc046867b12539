"""What models that have not seen a row say of its label, kept in files: the judge takes milliseconds on them.

A cell is a table with wrong labels of one kind, right labels drawn from smooth classes, or a table with real
errors. Of each are kept the labels as given and in truth, and held-out probabilities or log-odds of
``RobustRVC``, on the way to its noise and behind it, and of the peers that cleanlab is run over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

from benchmarks import judge_labels
from benchmarks.dirty_peers import PEERS, out_of_fold
from benchmarks.judge_truth import CLASSES, MOST_ROWS, RARE, smooth_classes
from benchmarks.tables import Table
from rowtrust import RobustRVC
from rowtrust.fitting import fitted, selection

Array = NDArray[Any]

PEER_NAMES, FEW_PEERS = ("SVC", "forest", "logistic"), ("forest",)
"""Peers whose probabilities are kept, of the manifest's tables and of others. Boosting is as slow as all."""


@dataclass(frozen=True)
class Cell:
    """Labels to be judged: of the half A or B of the manifest, "right" or "real", with its inputs."""

    half: str
    table: str
    noise: str
    rate: float
    draw: int
    X: Array
    given: Array
    true: Array

    @property
    def name(self) -> str:
        """The name of its file, without its ending."""
        return f"{self.half} {self.table} {self.noise} {self.rate:.2f} {self.draw}"


def cells_of(tables: list[Table], draws: int, most_rows: int) -> Iterator[Cell]:
    """Yield tables as they are and with every kind of noise at every rate."""
    for table, kind, rate, draw in judge_labels.cells(tables, draws):
        X, y, *_ = table.split(most_rows, draw)
        y, _ = judge_labels.codes(y, y)
        if kind == judge_labels.CLEAN:
            given = y
        else:
            rng = np.random.default_rng([7, int(100 * rate), draw])
            given, _ = judge_labels.NOISES[kind](X, y, rate, rng)
        yield Cell(table.half, table.name, kind, rate, draw, X, given, y)


def right_cells(draws: int) -> Iterator[Cell]:
    """Yield smooth classes of which no label is wrong."""
    for draw in range(draws):
        for n_classes, error, last in (*CLASSES, RARE):
            X, y = smooth_classes(n_classes, error, last, draw)
            y = np.unique(y, return_inverse=True)[1]
            yield Cell("right", f"{n_classes} classes {last:.2f}", "none", error, draw, X, y, y)


def real_cells(folder: Path) -> Iterator[Cell]:
    """Yield the tables of software modules."""
    manifest = pd.read_csv(folder / "manifest.csv", dtype=str, keep_default_na=False)
    for line in manifest.to_dict("records"):
        if not line["file"].startswith("jira"):
            continue
        table = pd.read_csv(folder / line["file"])
        table = table.sample(min(MOST_ROWS, len(table)), random_state=0)
        given, true = (table[line[name]].astype(bool).to_numpy().astype(int) for name in ("given", "true"))
        dropped = [line["given"], line["true"], *line["drop"].split()]
        X = StandardScaler().fit_transform(np.log1p(table.drop(columns=dropped).clip(lower=0.0)))
        yield Cell("real", line["name"], line["half"], 0.0, 0, X, given, true)


@contextmanager
def recorded(kept: dict[str, Array]) -> Iterator[None]:
    """Keep what a fit asks the judge with, and what the alternatives to the noise counted say."""
    learn, choose, judge = selection.learn_label_noise, selection.chosen_noise, fitted.learn_label_judge

    def learn_label_noise(probability: Array, label: Array, weight: Array, unknown: Any = None) -> Any:
        kept["plain"], kept["plain label"], kept["plain weight"] = probability, label, weight
        return learn(probability, label, weight, unknown)

    def chosen_noise(tried: Any, said: Any, label: Array, weight: Array) -> Any:
        kept["tried"], kept["said"] = np.array([each.matrix for each in tried]), np.array(said)
        return choose(tried, said, label, weight)

    def learn_label_judge(log_odds: Array, label: Array, weight: Array, noise: Any) -> Any:
        kept["behind"], kept["behind label"], kept["behind weight"] = log_odds, label, weight
        kept["noise"], kept["shares"] = noise.matrices, noise.shares
        return judge(log_odds, label, weight, noise)

    with (
        mock.patch.object(selection, "learn_label_noise", learn_label_noise),
        mock.patch.object(selection, "chosen_noise", chosen_noise),
        mock.patch.object(fitted, "learn_label_judge", learn_label_judge),
    ):
        yield


def held_out(cell: Cell) -> dict[str, Array]:
    """Return what is said of the labels of a cell without them."""
    kept: dict[str, Array] = {"given": cell.given, "true": cell.true}
    with recorded(kept):
        model = RobustRVC().fit(cell.X, cell.given)
    _, label = np.unique(cell.given, return_inverse=True)
    kept["audit"] = model.fitted_.log_odds(cell.X, label)
    for name in PEER_NAMES if cell.half in ("A", "B") else FEW_PEERS:
        peer = PEERS[name](cell.X, cell.given, cell.draw)
        kept[name] = out_of_fold(peer, cell.X, cell.given, cell.draw)
    return kept


def keep(cells: Iterable[Cell], folder: Path) -> None:
    """Write what is said of every cell that the folder does not have."""
    folder.mkdir(parents=True, exist_ok=True)
    for cell in cells:
        file = folder / f"{cell.name}.npz"
        if not file.exists():
            arrays: dict[str, Any] = held_out(cell)
            np.savez_compressed(file, **arrays)
