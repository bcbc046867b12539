"""The tables of a data folder's manifest, as a careful user would hand them to any estimator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

Array = NDArray[Any]

MOST_LEVELS = 30
"""Columns of text with more different values are names or numbers of things, and are left out."""

MISSING = ["?", "NA", ""]
"""What stands in a file for a cell that nobody filled."""


@dataclass(frozen=True)
class Table:
    """One data set of the manifest.

    Attributes
    ----------
    name, half
        As the manifest has them: constants are chosen on half A and reported on both.
    is_classes
        Whether the target is a class; a number otherwise.
    inputs, target
        All rows, before any preparation.
    """

    name: str
    half: str
    is_classes: bool
    inputs: pd.DataFrame
    target: Array

    def split(self, most_rows: int, seed: int = 0) -> tuple[Array, Array, Array, Array]:
        """Return inputs and targets to fit, at most so many rows and at most two thirds, and others to test.

        Inputs are standardised, categories coded in columns of their own, missing cells filled with medians,
        all as the rows to fit have it.
        """
        rows = np.arange(len(self.target))
        stratify = self.target if self.is_classes else None
        fit, test = train_test_split(
            rows, train_size=min(most_rows, 2 * len(rows) // 3), random_state=seed, stratify=stratify
        )
        X, X_test = prepared(self.inputs, fit, test)
        return X, self.target[fit], X_test, self.target[test]


def prepared(inputs: pd.DataFrame, fit: Array, test: Array) -> tuple[Array, Array]:
    """Return the rows to fit and those to test as numbers, by what the rows to fit say."""
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    categories = make_pipeline(
        SimpleImputer(strategy="most_frequent"),
        OneHotEncoder(drop="if_binary", handle_unknown="infrequent_if_exist", sparse_output=False),
        StandardScaler(),
    )
    prepare = make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (categories, make_column_selector(dtype_include=["object", "string", "bool", "category"])),
    )
    X = prepare.fit_transform(inputs.iloc[fit])
    return np.asarray(X), np.asarray(prepare.transform(inputs.iloc[test]))


def read_manifest(folder: Path) -> list[dict[str, str]]:
    """Return the lines of the folder's ``manifest.csv``."""
    manifest = pd.read_csv(folder / "manifest.csv", dtype=str, keep_default_na=False)
    return [{str(name): str(cell) for name, cell in line.items()} for line in manifest.to_dict("records")]


def read_tables(folder: Path) -> Iterator[Table]:
    """Yield every table that the folder's ``manifest.csv`` names."""
    for line in read_manifest(folder):
        frame, target = read_frame(folder, line)
        is_classes = line["task"] == "classes"
        known = target.notna().to_numpy()
        values = target[known].to_numpy()
        codes = np.unique(values.astype(str), return_inverse=True)[1] if is_classes else values.astype(float)
        yield Table(line["name"], line["half"], is_classes, usable_inputs(frame[known]), codes)


def read_frame(folder: Path, line: dict[str, str]) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Return the inputs and the target of one line of the manifest."""
    if line["name"] == "banana":
        return read_banana(folder / line["file"])
    parts = [read_file(folder / file, line["header"] == "yes") for file in line["file"].split(" + ")]
    frame = pd.concat(parts, ignore_index=True)
    frame.columns = frame.columns.map(str)
    dropped = [name for name in line["drop"].split() if name in frame.columns]
    return frame.drop(columns=[line["target"], *dropped]), frame[line["target"]]


def read_file(file: Path, header: bool) -> pd.DataFrame:
    """Read a table with commas or blanks between its cells; without a header columns count from 1."""
    with file.open() as lines:
        blanks = "," not in lines.readline()
    frame = pd.read_csv(
        file,
        sep=r"\s+" if blanks else ",",
        header=0 if header else None,
        na_values=MISSING,
        skipinitialspace=not blanks,
    )
    if not header:
        frame.columns = pd.RangeIndex(1, frame.shape[1] + 1)
    return frame


def read_banana(folder: Path) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Read the first realisation of the benchmark, both parts of it."""
    parts = ("train", "test")
    inputs = [np.loadtxt(folder / f"banana_{part}_data_1.asc") for part in parts]
    labels = [np.loadtxt(folder / f"banana_{part}_labels_1.asc") for part in parts]
    return pd.DataFrame(np.vstack(inputs)), pd.Series(np.concatenate(labels))


def usable_inputs(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the inputs without columns that are empty, constant, or a name for every row."""
    text = frame.select_dtypes(include=["object", "string", "category"]).columns
    names = [column for column in text if frame[column].nunique() > MOST_LEVELS]
    useless = [column for column in frame.columns if frame[column].nunique() < 2]
    return frame.drop(columns=list(dict.fromkeys([*names, *useless])))
