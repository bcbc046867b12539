"""Which cells there are, in the order in which they are worth measuring.

A run that is stopped is a balanced sample: all tables before a second split, 20 % of errors before other
rates, development and held-back tables in turn, and all learners of a case one after another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product, zip_longest
from pathlib import Path
from typing import Any

from benchmarks.evidence.keys import key
from benchmarks.evidence.records import SETTINGS
from benchmarks.tables import read_manifest

CLEAN, RATE, OTHER_RATES = "none", 0.2, (0.1, 0.3)
"""The noise of tables as they are, the rate of all noises, and those of two of them."""

NOISES = {
    "labels": ("uniform", "one-sided", "class-dependent", "instance-dependent"),
    "values": ("both-sided", "one-sided", "moderate", "exchanged"),
}
"""Kinds of errors by page; the first two come at all rates."""

OWN = {
    "labels": ("RVC", "RobustRVC", "trusted boosting", "trusted forest"),
    "values": ("RVR", "RobustRVR", "BayesianSVR", "trusted boosting", "trusted forest"),
}
"""Learners of this library, by page."""

PEERS = {
    "labels": (
        *("SVC tuned", "forest", "boosting", "logistic tuned"),
        *("cleanlab forest", "cleanlab boosting", "oracle forest", "oracle boosting"),
    ),
    "values": (
        *("SVR tuned", "forest", "boosting", "ridge tuned", "GPR"),
        *("cleanlab forest", "cleanlab boosting", "oracle forest", "oracle boosting"),
    ),
}
"""All others."""

RELEASES = {
    "A": ("activemq-5.0.0", "derby-10.2.1.6", "jruby-1.1", "activemq-5.2.0", "derby-10.5.1.1", "jruby-1.5.0"),
    "B": ("camel-1.4.0", "groovy-1_5_7", "groovy-1_6_BETA_2"),
}
"""Software modules by half, projects in turn."""

ON_MODULES = (*OWN["labels"], "forest", "boosting", "logistic tuned", "cleanlab forest", "cleanlab boosting")
ON_HOUSES = (*OWN["values"], "forest", "boosting", "cleanlab forest", "cleanlab boosting")
ON_AIR = ("RVR", "RobustRVR", "BayesianSVR", "trusted boosting", "trusted forest", "GPR")
"""Learners of the real tables: those that find errors with what they are built on, and those with
intervals."""

SIZES = (1000, 10_000, 100_000, 1_000_000, 10_000_000)
FILE_SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
LARGEST_IN_MEMORY = 1_000_000
"""Numbers of rows, and the largest of which an array is made."""

STUDY = "study_table"
PAGES = {"labels": 0.3, "values": 0.4, "real": 0.1, "command": 0.1, "scaling": 0.1}
"""What is measured, and the share of the time that each gets while all have cells left."""

CONSTANTS = "constants"
SHARES = {**PAGES, CONSTANTS: 0.1}
"""The same, with what is measured only if it is asked for."""


@dataclass(frozen=True)
class Options:
    """What the command line asks for.

    Attributes
    ----------
    data
        The folder of ``manifest.csv``.
    rows, splits
        Rows to fit at most, and splits of every table.
    largest
        Rows of the largest fit of the part on scaling.
    pages, tables
        What to measure; all unless given.
    """

    data: Path
    rows: int = 1000
    splits: int = 3
    largest: int = 1_000_000
    pages: tuple[str, ...] = tuple(PAGES)
    tables: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cell:
    """One learner on one case.

    Attributes
    ----------
    page
        Where the result belongs.
    function
        Module and function of this package that measure it.
    settings
        What the function is called with.
    """

    page: str
    function: str
    settings: dict[str, Any] = field(hash=False)

    @property
    def key(self) -> str:
        """What names the result: the code, and the settings."""
        return key(f"benchmarks.evidence.{self.function.split(':')[0]}", self.settings)

    @property
    def name(self) -> tuple[str, ...]:
        """The settings as text, in the order of the results' columns."""
        return tuple(str(self.settings[each]) for each in SETTINGS[self.page])


def cells(options: Options) -> dict[str, list[Cell]]:
    """Return the cells of every page, the first to measure first."""
    makers = {
        "labels": lambda: dirty_cells("labels", options),
        "values": lambda: dirty_cells("values", options),
        "real": lambda: real_cells(options),
        "command": lambda: study_cells(options),
        "scaling": lambda: scaling_cells(options),
        CONSTANTS: lambda: constant_cells(options),
    }
    return {page: list(makers[page]()) for page in options.pages}


def manifest(options: Options, task: str) -> list[dict[str, str]]:
    """Return the tables of a task, the halves in turn."""
    lines = [each for each in read_manifest(options.data) if each["task"] == task]
    wanted = [each for each in lines if each["name"] in (options.tables or [each["name"]])]
    halves = ([each for each in wanted if each["half"] == half] for half in "AB")
    return [each for pair in zip_longest(*halves) for each in pair if each is not None]


def dirty_cells(page: str, options: Options) -> Iterator[Cell]:
    """Yield the cells of dirty labels or numbers."""
    tables = manifest(options, "classes" if page == "labels" else "numbers")
    noises = NOISES[page]
    others = [(noise, rate) for rate in OTHER_RATES for noise in noises[:2]]
    for split in range(options.splits):
        for part in ([(CLEAN, 0.0), *((noise, RATE) for noise in noises)], others):
            for turn, place in product(range(len(part)), range(len(tables))):
                # Noises take turns over the tables: a part of them has all of both.
                noise, rate = part[(turn + place // 2) % len(part)]
                yield from learned(page, tables[place], noise, rate, split, options)


def learned(
    page: str, table: dict[str, str], noise: str, rate: float, split: int, options: Options
) -> Iterator[Cell]:
    """Yield all learners of a case."""
    for module, names in (("ours", OWN), ("peers", PEERS)):
        for learner in names[page]:
            settings = {"noise": noise, "rate": rate, "split": split, "rows": options.rows}
            yield Cell(page, f"{module}:{page}", {**half_of(table), **settings, "learner": learner})


def half_of(table: dict[str, str]) -> dict[str, str]:
    return {"table": table["name"], "half": table["half"]}


def real_cells(options: Options) -> Iterator[Cell]:
    """Yield the cells of real errors."""
    for table, half in (("cifar10n", "A"), ("roman", "B")):
        for module, learner in (("ours", "find_wrong_rows"), ("peers", "cleanlab")):
            settings = {"table": table, "half": half, "split": 0, "rows": 0, "learner": learner}
            yield Cell("real", f"{module}:real_probabilities", settings)
    pairs = zip_longest(*([(each, half, ON_MODULES) for each in RELEASES[half]] for half in "BA"))
    tables = [("boston", "A", ON_HOUSES), ("air quality", "B", ON_AIR)]
    tables += [each for pair in pairs for each in pair if each is not None]
    for split, (table, half, names) in product(range(options.splits), tables):
        if table in (options.tables or [table]):
            for learner in names:
                own = learner in (*OWN["labels"], *OWN["values"])
                settings = {"table": table, "half": half, "split": split, "rows": options.rows}
                yield Cell("real", f"{'ours' if own else 'peers'}:real", {**settings, "learner": learner})


def study_cells(options: Options) -> Iterator[Cell]:
    """Yield the studies of tables as they are, and with a tenth of the targets wrong."""
    parts = [manifest(options, task) for task in ("classes", "numbers")]
    tables = [each for pair in zip_longest(*parts) for each in pair if each is not None]
    for split in range(options.splits):
        for turn, table in product((0, 1), tables):
            page = "labels" if table["task"] == "classes" else "values"
            noise, rate = ((CLEAN, 0.0), (NOISES[page][0], OTHER_RATES[0]))[turn]
            settings = {"noise": noise, "rate": rate, "split": split, "rows": options.rows, "learner": STUDY}
            yield Cell("command", "study:command", {**half_of(table), **settings})


def scaling_cells(options: Options) -> Iterator[Cell]:
    """Yield fits to more and more rows, those of arrays by one of our learners and by boosting first."""
    others = ("RobustRVR", "boosting, numbers", "trusted boosting", "trusted boosting, numbers")
    fits = [(size, "array", learner) for size in SIZES for learner in ("RobustRVC", "boosting")]
    for size in SIZES:
        fits += [(size, form, "RobustRVC") for form in ("file", "dask") if size in FILE_SIZES]
        fits += [(size, "array", learner) for learner in others]
    for size, form, learner in fits:
        if size <= min(options.largest, LARGEST_IN_MEMORY if form == "array" else options.largest):
            yield Cell("scaling", "large:scaling", {"size": size, "form": form, "learner": learner})


def constant_cells(options: Options) -> Iterator[Cell]:
    """Yield the constants, halved and doubled."""
    from benchmarks.evidence import constants  # it reaches all that is measured here

    asked = [(constants.BASE, 1.0), *product(constants.names(), constants.FACTORS)]
    for constant, factor in asked:
        settings = {"constant": constant, "factor": factor, "rows": options.rows}
        yield Cell(CONSTANTS, "constants:constants", settings)
