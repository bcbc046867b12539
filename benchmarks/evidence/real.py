"""Tables with wrong rows that nobody drew, as cases: software modules, pictures, houses, and air."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

from benchmarks.evidence.cases import Case
from rowtrust.datasets.real import (
    JIRA,
    fetch_air_quality,
    fetch_cifar10n,
    fetch_corrected_boston,
    fetch_jira,
    fetch_roman,
)

Array = NDArray[Any]

RELEASES = {
    "A": [f"{name}-{each}" for name in ("activemq", "derby", "jruby") for each in JIRA[name]],
    "B": [f"{name}-{each}" for name in ("camel", "groovy") for each in JIRA[name]],
}
"""Releases of development and of held-back projects, as the manifest of the data has them."""

NETWORKS = {"cifar10n": fetch_cifar10n, "roman": fetch_roman}
BOSTON, AIR = "boston", "air quality"

TEST_SHARE, WEEKS = 1 / 3, 2
"""Share of Boston's rows that judge, and the length of the blocks of hours that stay together."""


def real_case(settings: Mapping[str, Any], data: Path) -> Case:
    """Return the rows of a cell of real errors."""
    name, rows, split = settings["table"], settings["rows"], int(settings["split"])
    if name == BOSTON:
        return houses(data, split)
    return air(data, rows, split) if name == AIR else modules(data, name, settings["half"], rows, split)


def modules(data: Path, name: str, half: str, rows: int, split: int) -> Case:
    """Return a release with its given labels, and the half's other projects with the true ones."""
    own = fetch_jira(data, release=name)
    some = drawn(len(own.given), rows, split)
    others = [fetch_jira(data, release=each) for each in RELEASES[half] if not each.startswith(own.group)]
    X, X_test = scaled(logs(own.data[some]), logs(np.vstack([each.data for each in others])))
    given, true = own.given[some], own.true[some]
    y_test = np.concatenate([each.true for each in others])
    return Case(X, given, given != true, X_test, y_test, True, split)


def houses(data: Path, split: int) -> Case:
    """Return Boston's tracts with the prices as published, judged by others with the corrected ones."""
    boston = fetch_corrected_boston(data)
    order = np.random.default_rng(split).permutation(len(boston.given))
    test, fit = np.split(order, [round(TEST_SHARE * len(order))])
    off = boston.given != boston.true
    fit = np.concatenate([fit, test[off[test]]])  # all eight wrong rows are there to be found
    test = test[~off[test]]
    X, X_test = scaled(boston.data[fit], boston.data[test])
    return Case(X, boston.given[fit], off[fit], X_test, boston.true[test], False, split)


def air(data: Path, rows: int, split: int) -> Case:
    """Return hours of some weeks, judged by the hours of the others."""
    hours = fetch_air_quality(data)
    blocks = hours.week // WEEKS
    of_test = np.random.default_rng(split).random(blocks.max() + 1)[blocks] < TEST_SHARE
    fit, test = (np.flatnonzero(each) for each in (~of_test, of_test))
    fit = fit[drawn(len(fit), rows, split)]
    X, X_test = scaled(hours.data[fit], hours.data[test])
    right = np.zeros(len(fit), dtype=bool)
    return Case(X, hours.target[fit], right, X_test, hours.target[test], False, split)


def probabilities(settings: Mapping[str, Any], data: Path) -> Case:
    """Return pictures as the probabilities that a network gives them."""
    found = NETWORKS[settings["table"]](data)
    inputs = found.probabilities / found.probabilities.sum(axis=1, keepdims=True)
    none = np.empty((0, inputs.shape[1]))
    return Case(inputs, found.given, found.wrong, none, np.empty(0), True, 0)


def drawn(n_rows: int, most: int, seed: int) -> Array:
    """Return so many rows at most, at random."""
    return np.random.default_rng(seed).permutation(n_rows)[:most]


def logs(counts: Array) -> Array:
    """Return counts and times on the scale of their logarithms."""
    return np.asarray(np.log1p(np.maximum(counts, 0.0)))


def scaled(X: Array, X_test: Array) -> tuple[Array, Array]:
    """Return inputs in deviations of the rows to fit."""
    scaler = StandardScaler().fit(X)
    return scaler.transform(X), scaler.transform(X_test)
