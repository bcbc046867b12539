"""Random rows for random fits: sound ones, and whatever is in tables of other people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

Generator = np.random.Generator

WORDS = (
    "",
    " ",
    "None",
    "nan",
    "NA",
    "yes",
    "no",
    "é",
    "日本",
    "🙂",
    "=1+1",
    'a "b"',
    "a,b",
    "new\nline",
    "007",
    "-1",
)
"""Class names that have bitten other programs."""

MOST_ROWS, MOST_COLUMNS = 150, 12
"""Sizes at which a fit takes a fifth of a second, so that a night has many."""


@dataclass(frozen=True)
class Rows:
    """Rows to fit and rows to predict.

    Attributes
    ----------
    X, y, weight
        As they go to ``fit``.
    new
        Rows that were not in the fit, stored as X is.
    traits
        What is odd about them, in words.
    """

    X: Any
    y: Any
    weight: Any
    new: Any
    traits: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        rows, columns = self.X.shape
        return f"{rows} x {columns}: {', '.join(self.traits) or 'nothing odd'}"


def log_uniform(generator: Generator, lower: int, upper: int) -> int:
    """Return a whole number whose size is as likely small as large."""
    return int(np.floor(np.exp(generator.uniform(np.log(lower), np.log(upper + 1)))))


def one_of(generator: Generator, choices: Any) -> Any:
    """Return one of some things, whatever they are."""
    return choices[int(generator.integers(len(choices)))]


def draw_rows(generator: Generator, classifies: bool, odd: float = 0.12, fewest: int = 2) -> Rows:
    """Return random rows, each oddity with a given probability."""
    n_rows = log_uniform(generator, fewest, MOST_ROWS)
    n_columns = log_uniform(generator, 1, MOST_COLUMNS)
    X = generator.normal(size=(n_rows + 8, n_columns))
    traits = []
    for name, change in CHANGES.items():
        if generator.random() < odd * RARE.get(name, 1.0):
            X = change(generator, X)
            traits.append(name)
    latent = latent_function(generator, X[:n_rows])
    draw = draw_labels if classifies else draw_numbers
    y, about = draw(generator, latent, odd)
    weight, about_weight = draw_weight(generator, n_rows, odd)
    rows = Rows(X[:n_rows], y, weight, X[n_rows:], (*traits, *about, *about_weight))
    return stored(generator, rows, odd)


def latent_function(generator: Generator, X: NDArray[Any]) -> NDArray[Any]:
    """Return a function of rows in units of its own, whatever theirs are."""
    with np.errstate(all="ignore"):
        ranks = np.nan_to_num(X).argsort(axis=0).argsort(axis=0) / max(1, len(X) - 1) - 0.5
    slope = generator.normal(size=X.shape[1])
    value = ranks @ slope / np.linalg.norm(slope)
    if generator.random() < 0.5:
        value = np.sin(6.0 * value)
    return value + one_of(generator, (0.0, 0.05, 0.3, 2.0)) * generator.normal(size=len(X))


# inputs ---------------------------------------------------------------------------------------------


def duplicated(generator: Generator, X: NDArray[Any]) -> NDArray[Any]:
    kinds = log_uniform(generator, 1, len(X))
    return X[generator.integers(kinds, size=len(X))]


def with_constant(generator: Generator, X: NDArray[Any]) -> NDArray[Any]:
    X[:, generator.integers(X.shape[1])] = one_of(generator, (0.0, 1.0, -3.7, 1e6, 1e-9))
    return X


def collinear(generator: Generator, X: NDArray[Any]) -> NDArray[Any]:
    first, second = generator.integers(X.shape[1], size=2)
    X[:, first] = one_of(generator, (1.0, -2.0, 1e3)) * X[:, second] + one_of(generator, (0.0, 1.0, 1e-8))
    return X


def in_units(generator: Generator, X: NDArray[Any]) -> NDArray[Any]:
    return X * 10.0 ** generator.uniform(-8, 8, size=X.shape[1])


def in_extreme_units(generator: Generator, X: NDArray[Any]) -> NDArray[Any]:
    return X * 10.0 ** generator.uniform(-170, 170)


def far_from_zero(generator: Generator, X: NDArray[Any]) -> NDArray[Any]:
    return X + 10.0 ** generator.uniform(0, 9)


def heavy_tailed(generator: Generator, X: NDArray[Any]) -> NDArray[Any]:
    return generator.standard_t(1.0, size=X.shape) * X


def with_outliers(generator: Generator, X: NDArray[Any]) -> NDArray[Any]:
    X[generator.integers(len(X)), generator.integers(X.shape[1])] = one_of(generator, (1e8, -1e8, 1e4, 1e15))
    return X


def with_holes(generator: Generator, X: NDArray[Any]) -> NDArray[Any]:
    return np.where(generator.random(X.shape) < one_of(generator, (0.02, 0.2, 0.7)), np.nan, X)


def with_empty_column(generator: Generator, X: NDArray[Any]) -> NDArray[Any]:
    X[:, generator.integers(X.shape[1])] = np.nan
    return X


def rounded(generator: Generator, X: NDArray[Any]) -> NDArray[Any]:
    return np.round(X * one_of(generator, (1.0, 3.0, 1e9)))


def mostly_zero(generator: Generator, X: NDArray[Any]) -> NDArray[Any]:
    return np.where(generator.random(X.shape) < 0.8, 0.0, X)


def all_equal(generator: Generator, X: NDArray[Any]) -> NDArray[Any]:
    return np.full_like(X, one_of(generator, (0.0, 1.0, 1e5)))


def with_infinity(generator: Generator, X: NDArray[Any]) -> NDArray[Any]:
    X[generator.integers(len(X)), generator.integers(X.shape[1])] = one_of(generator, (np.inf, -np.inf))
    return X


CHANGES: dict[str, Callable[[Generator, NDArray[Any]], NDArray[Any]]] = {
    "heavy tails": heavy_tailed,
    "units": in_units,
    "far from zero": far_from_zero,
    "few values": rounded,
    "mostly zero": mostly_zero,
    "collinear": collinear,
    "constant column": with_constant,
    "duplicates": duplicated,
    "outliers": with_outliers,
    "extreme units": in_extreme_units,
    "all equal": all_equal,
    "missing values": with_holes,
    "empty column": with_empty_column,
    "infinity": with_infinity,
}
"""Oddities of inputs, in the order in which they are put on."""

RARE = {"extreme units": 0.25, "all equal": 0.25, "empty column": 0.25, "infinity": 0.1}
"""Factors on the probability of oddities that spoil whatever else a case would try."""


# targets --------------------------------------------------------------------------------------------


def draw_labels(generator: Generator, latent: NDArray[Any], odd: float) -> tuple[Any, tuple[str, ...]]:
    """Return class labels that follow a function."""
    n_rows = len(latent)
    n_classes = one_of(generator, (2, 2, 2, 3, 3, 4, 8, max(2, n_rows // 2)))
    levels = np.quantile(latent, np.sort(generator.random(n_classes - 1)))
    number = np.digitize(latent, levels)
    about = [f"{n_classes} classes"]
    if generator.random() < odd:
        number = np.minimum(number, 0)
        number[: one_of(generator, (0, 1, 1, 2))] = 1
        about.append("a rare class")
    elif generator.random() < odd:
        number = generator.integers(n_classes, size=n_rows)
        about.append("random labels")
    names, kind = class_names(generator, n_classes + 1)
    return names[number], (*about, kind)


def class_names(generator: Generator, size: int) -> tuple[NDArray[Any], str]:
    """Return labels of some type."""
    words = [*WORDS, *(f"class {number}" for number in range(size))]
    kind = one_of(generator, ("int", "int", "negative", "float", "text", "object", "bool", "huge", "int8"))
    names: dict[str, Any] = {
        "int": np.arange(size),
        "negative": np.arange(size) - 1,
        "float": np.arange(size) * 2.0,
        "text": np.array(words, dtype=str)[generator.permutation(len(words))[:size]],
        "object": np.array(words, dtype=object)[generator.permutation(len(words))[:size]],
        "bool": np.arange(size) % 2 == 1,
        "huge": np.arange(size) + 2**53,
        "int8": np.arange(size).astype(np.int8),
    }
    return names[kind], f"labels {kind}"


def draw_numbers(generator: Generator, latent: NDArray[Any], odd: float) -> tuple[Any, tuple[str, ...]]:
    """Return targets that follow a function."""
    y, about = latent.copy(), []
    changes: dict[str, Callable[[NDArray[Any]], Any]] = {
        "outliers in y": lambda y: np.where(generator.random(len(y)) < 0.1, y + 1e8, y),
        "units of y": lambda y: y * 10.0 ** generator.uniform(-12, 12),
        "y far from zero": lambda y: y + 10.0 ** generator.uniform(0, 9),
        "few values of y": lambda y: np.round(2.0 * y),
        "constant y": lambda y: np.full_like(y, one_of(generator, (0.0, 1.0, -1e6, 1e-9))),
        "extreme units of y": lambda y: y * 10.0 ** generator.uniform(-120, 120),
        "heavy tails of y": lambda y: y * generator.standard_t(1.0, size=len(y)),
        "float32 y": lambda y: y.astype(np.float32),
        "whole numbers": lambda y: np.round(np.clip(y, -1e9, 1e9)).astype(int),
        "a hole in y": lambda y: np.where(np.arange(len(y)) == 0, np.nan, y),
        "several targets": lambda y: np.stack([y, -y + 1, generator.normal(size=len(y))], axis=1)[:, :2],
        "y is a column": lambda y: y[:, None] if y.ndim == 1 else y,
    }
    for name, change in changes.items():
        if generator.random() < odd * (0.3 if name in ("a hole in y", "extreme units of y") else 1.0):
            y = change(y)
            about.append(name)
    return y, tuple(about)


def draw_weight(generator: Generator, n_rows: int, odd: float) -> tuple[Any, tuple[str, ...]]:
    """Return sample weights, mostly none."""
    if generator.random() > 2 * odd:
        return None, ()
    kinds: dict[str, Any] = {
        "copies": generator.integers(0, 4, size=n_rows).astype(float),
        "shares": generator.random(n_rows),
        "zeros": (generator.random(n_rows) < 0.5).astype(float),
        "large": 1e3 * generator.random(n_rows),
        "of all sizes": 10.0 ** generator.uniform(-6, 3, size=n_rows),
        "tiny": np.full(n_rows, 1e-12),
        "all zero": np.zeros(n_rows),
        "negative": generator.normal(size=n_rows),
        "one row": (np.arange(n_rows) == 0).astype(float),
        "a number": 2.0,
        "too short": np.ones(max(1, n_rows - 1)),
    }
    name = one_of(generator, list(kinds) if generator.random() < 0.3 else ["copies", "shares", "zeros"])
    return kinds[name], (f"weights {name}",)


# storage --------------------------------------------------------------------------------------------


def stored(generator: Generator, rows: Rows, odd: float) -> Rows:
    """Return rows in some container."""
    if generator.random() > 3 * odd:
        return rows
    whole = bool(np.isfinite(rows.X).all() and (np.abs(rows.X) < 1e9).all())
    forms: dict[str, Callable[[NDArray[Any]], Any]] = {
        "DataFrame": lambda X: pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])]),
        "csr matrix": sparse.csr_matrix,
        "csc array": sparse.csc_array,
        "float32": as_float32,
        "Fortran order": np.asfortranarray,
        "int64": lambda X: X.astype(np.int64) if whole else X,
        "bool": lambda X: X > 0,
        "strided": lambda X: np.repeat(X, 2, axis=0)[::2],
        "objects": lambda X: X.astype(object),
        "read only": read_only,
    }
    name = one_of(generator, list(forms))
    return replace(
        rows, X=forms[name](rows.X), new=forms[name](rows.new), traits=(*rows.traits, f"stored as {name}")
    )


def as_float32(X: NDArray[Any]) -> NDArray[Any]:
    with np.errstate(all="ignore"):
        return X.astype(np.float32)


def read_only(X: NDArray[Any]) -> NDArray[Any]:
    X = X.copy()
    X.setflags(write=False)
    return X
