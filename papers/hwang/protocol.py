"""Hwang & Jeong (2015): the experiments, one repeat at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from papers.datasets import load
from papers.experiments import Record
from papers.hwang.models import GRIDS, LITERAL, MODELS, Fit, literal_loop, scores
from rowtrust.contracts import Array
from rowtrust.datasets import flip_labels

SYNTHETIC, REAL = ("ripley", "banana"), ("liver", "ionosphere", "cancer")
"""Those of tables 1 to 6, and those of table 7."""

TRAINING_SHARE = {"banana": 400 / 5300}
"""Share of the rows to train on where it is not USUAL_TRAINING_SHARE: table B says why."""

USUAL_TRAINING_SHARE = 0.6
"""The paper's share of rows to train on."""

PAPERS_OWN = ("1-NN", "k-NN", "SVM", "RVM", "RRVM")
"""The paper's five classifiers."""

FEWER_ROWS = (100, 150, 250, 400)
"""Training rows that table B tries beside the paper's share."""

AS_SAID, SHARE_SAID = "as in our tables", "60 % of the rows"
"""What table B calls the rules of our tables, and the paper's share of training rows."""

RAW, ONE_IN_SIX, TEST_TOO = "inputs not scaled", "flips counted from all rows", "test labels flipped too"
"""What else table B tries."""


@dataclass(frozen=True)
class Split:
    """Training rows with labels as they are given, and test rows.

    Parameters
    ----------
    training, given
        Inputs and labels to learn from.
    testing, true
        Inputs and labels to be judged by.
    """

    training: Array
    given: NDArray[Any]
    testing: Array
    true: NDArray[Any]


def usual_rows(name: str, n_rows: int) -> int:
    """Return how many of its rows our tables train on."""
    return round(TRAINING_SHARE.get(name, USUAL_TRAINING_SHARE) * n_rows)


def split(
    seed: int, data: str | None, name: str, flipped: int, most: int | None, one_class: bool = False
) -> Split:
    """Split at random, flip labels of the training rows, and standardise the inputs by them."""
    X, y = load(name, data)
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = np.split(order, [usual_rows(name, len(y))])
    train = train[:most]
    flip = flip_one_class if one_class else flip_labels
    given, _ = flip(y[train], flipped / 100.0, random_state=seed)
    scaler = StandardScaler().fit(X[train])
    return Split(scaler.transform(X[train]), given, scaler.transform(X[test]), y[test])


def flip_one_class(
    y: NDArray[Any], share: float, *, random_state: int
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Flip as many labels as ``flip_labels`` does, but all of one class, which the seed chooses.

    At least half of that class keeps its label.
    """
    generator = np.random.default_rng(random_state)
    of_class = np.flatnonzero(y == generator.integers(2))
    number = min(round(share * len(y)), len(of_class) // 2)
    changed = np.zeros(len(y), dtype=bool)
    changed[generator.choice(of_class, number, replace=False)] = True
    return np.where(changed, 1 - y, y), changed


def split_once(
    seed: int, data: str | None, *, name: str, flipped: int, grid: str, most: int | None = None
) -> Record:
    """Fit every classifier to a split, and score it on clean test rows."""
    return judged(MODELS, split(seed, data, name, flipped, most), grid, seed)


def literal_once(
    seed: int, data: str | None, *, name: str, flipped: int, grid: str, most: int | None = None
) -> Record:
    """Run the paper's own loop on the split that the other classifiers had with this seed."""
    return judged({LITERAL: literal_loop}, split(seed, data, name, flipped, most), grid, seed)


def one_class_once(
    seed: int, data: str | None, *, name: str, flipped: int, grid: str, most: int | None = None
) -> Record:
    """Fit the paper's classifiers where all flipped labels are of one class."""
    five = {classifier: MODELS[classifier] for classifier in PAPERS_OWN}
    return judged(five, split(seed, data, name, flipped, most, one_class=True), grid, seed)


def judged(models: dict[str, Fit], rows: Split, grid: str, seed: int) -> Record:
    """Fit classifiers and score them."""
    return {
        classifier: scores(
            fit(rows.training, rows.given, GRIDS[grid], seed), rows.testing, rows.true, len(rows.given)
        )
        for classifier, fit in models.items()
    }


def nearest_once(seed: int, data: str | None, *, name: str, flipped: int) -> Record:
    """Return the error of 1-NN, which has nothing to tune, under several readings of the paper."""
    X, y = load(name, data)
    order = np.random.default_rng(seed).permutation(len(y))
    usual, said = usual_rows(name, len(y)), round(USUAL_TRAINING_SHARE * len(y))
    sizes = {f"{size} rows": size for size in FEWER_ROWS if size < said and size != usual}
    if said != usual:
        sizes[SHARE_SAID] = said
    share = flipped / 100.0
    found = {AS_SAID: nearest_error(X, y, order, usual, share, seed)}
    found |= {word: nearest_error(X, y, order, size, share, seed) for word, size in sizes.items()}
    found[RAW] = nearest_error(X, y, order, usual, share, seed, scaled=False)
    if flipped:
        found[ONE_IN_SIX] = nearest_error(X, y, order, usual, share / USUAL_TRAINING_SHARE, seed)
        found[TEST_TOO] = nearest_error(X, y, order, usual, share, seed, test_share=share)
    return found


def nearest_error(
    X: Array,
    y: NDArray[Any],
    order: NDArray[np.int64],
    size: int,
    share: float,
    seed: int,
    scaled: bool = True,
    test_share: float = 0.0,
) -> float:
    """Return the error of 1-NN in per cent, learnt from the first rows of an order."""
    train, test = np.split(order, [size])
    given, _ = flip_labels(y[train], share, random_state=seed)
    judged_by, _ = flip_labels(y[test], test_share, random_state=seed + 1)
    inputs = StandardScaler().fit(X[train]).transform(X) if scaled else X
    model = KNeighborsClassifier(1).fit(inputs[train], given)
    return 100.0 * float(np.mean(model.predict(inputs[test]) != judged_by))


def flips_of(name: str) -> tuple[int, ...]:
    """Return the percentages of wrong labels that the paper tries on a data set."""
    return (0, 5, 10) if name in SYNTHETIC else (0, 10)
