"""The cost model of the part on scaling: predicted beside measured, and a billion rows on paper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, log

import pandas as pd

from benchmarks.accuracy_lines import markdown, shown
from benchmarks.report import seconds
from benchmarks.scaling_costs import Work

PAPER_ROWS, INPUTS = 1e9, 10
BYTES_OF_A_ROW = 8 * (INPUTS + 1)
"""Inputs and a label, as doubles."""


@dataclass(frozen=True)
class Cluster:
    """A cluster that nobody has measured: round numbers of ordinary machines.

    Attributes
    ----------
    workers, cores
        Machines, and cores of each, as fast as those that were measured.
    disk, network
        Bytes a second that a worker reads, and that two of them exchange.
    latency
        Seconds of one step of a round: a message there and back.
    fan_in
        Sums that one worker adds up, in a tree.
    task, partition_rows
        Seconds that the scheduler spends on a task, one after the other, and rows of a task.
    """

    workers: int
    cores: int = 8
    disk: float = 5e8
    network: float = 1e9
    latency: float = 0.01
    fan_in: int = 8
    task: float = 1e-3
    partition_rows: float = 1e6

    @property
    def depth(self) -> int:
        """Levels of the tree in which sums travel."""
        return max(1, ceil(log(self.workers) / log(self.fan_in) - 1e-9))

    def round(self, travels: float, n_rows: float) -> float:
        """Return the seconds of a round besides the rows: what travels in the tree, and the tasks."""
        step = self.latency + self.fan_in * travels / self.network
        return 2 * self.depth * step + self.task * n_rows / self.partition_rows

    def reading(self, n_rows: float) -> float:
        """Return the seconds of reading all rows from the workers' disks."""
        return n_rows * BYTES_OF_A_ROW / (self.workers * self.disk)


def travelling(work: Work) -> float:
    """Return the bytes that a pass sends up: Gram matrices, and the scores of columns outside the model."""
    return 8.0 * (work.grams * work.inside**2 + work.inside * work.scored + 2 * work.entries)


def works(passes: pd.DataFrame) -> list[Work]:
    """Return what the passes of a fit do, in order."""
    ordered = passes.sort_values("number")
    fields = ordered[["what", "in_model", "entering", "scored", "grams"]].itertuples(index=False)
    return [Work(what, *map(int, numbers)) for what, *numbers in fields]


# predicted beside measured --------------------------------------------------------------------------


def model(fits: pd.DataFrame, passes: pd.DataFrame) -> Iterator[str]:
    """Yield the tables of the constants, of predictions beside what was measured, and of one fit's passes."""
    modelled = [fit for _, fit in fits.iterrows() if pd.notna(fit["multiply_s"])]
    if not modelled:
        yield "No fit in the store went over all rows in passes: there is nothing to predict."
        return
    yield "### Constants, measured in the process of each fit, CPU time\n\n" + constants(modelled)
    own = {(fit["rows"], fit["form"]): passes_of(passes, fit) for fit in modelled}
    yield "### Predicted and measured, seconds\n\n" + predictions(modelled, own)
    last = modelled[-1]
    yield (
        f"### The passes of the fit to {last['rows']:,} rows ({last['form']})\n\n"
        + each_pass(last, own[(last["rows"], last["form"])])
    )


def passes_of(passes: pd.DataFrame, fit: pd.Series) -> pd.DataFrame:
    """Return the passes of one fit, in order."""
    own = passes[(passes["rows"] == fit["rows"]) & (passes["form"] == fit["form"])]
    return own.sort_values("number")


def constants(fits: list[pd.Series]) -> str:
    rows = [
        [
            f"{fit['rows']:,}",
            fit["form"],
            shown(1e9 * fit["kernel_s"], 1),
            shown(1e9 * fit["multiply_s"], 3),
            shown(2e-9 / fit["multiply_s"], 1),
            shown(1e9 * fit["row_s"], 0),
            shown(1e3 * fit["waiting_s"], 1),
        ]
        for fit in fits
    ]
    headers = ["rows", "as", "kernel entry, ns", "multiplication, ns", "(Gflop/s)", "row, ns", "waiting, ms"]
    return markdown(headers, rows)


def predictions(fits: list[pd.Series], own: dict[tuple[int, str], pd.DataFrame]) -> str:
    """Return passes and totals beside what the model says; what is outside is taken from the first fit."""
    outside = [fit["seconds"] - own[(fit["rows"], fit["form"])]["seconds"].sum() for fit in fits]
    rows = []
    for fit, besides in zip(fits, outside, strict=True):
        some = own[(fit["rows"], fit["form"])]
        said = sum(predicted(fit, work) for work in works(some))
        total = outside[0] + said
        rows.append(
            [
                *(f"{fit['rows']:,}", fit["form"], f"{len(some)}"),
                *(seconds(fit["threads"] * said), seconds(some["cpu"].sum())),
                *(seconds(said), seconds(some["seconds"].sum()), seconds(besides)),
                *(seconds(total), seconds(fit["seconds"]), shown(total / fit["seconds"])),
            ]
        )
    headers = [
        "rows",
        "as",
        "passes",
        "their CPU, predicted",
        "measured",
        "their time, predicted",
        "measured",
    ]
    return markdown([*headers, "besides", "total, predicted", "measured", "ratio"], rows)


def predicted(fit: pd.Series, work: Work) -> float:
    """Return the seconds that the model says of a pass."""
    return work.seconds(fit["rows"], fit, fit["threads"]) + float(fit["waiting_s"])


def each_pass(fit: pd.Series, passes: pd.DataFrame) -> str:
    rows = [
        [
            work.what.replace("_", " "),
            *(f"{work.in_model}", f"{work.entering}", f"{work.scored}", f"{work.grams}"),
            *(seconds(predicted(fit, work)), seconds(taken), seconds(cpu / fit["threads"])),
        ]
        for work, taken, cpu in zip(works(passes), passes["seconds"], passes["cpu"], strict=True)
    ]
    headers = ["what", "in the model", "entering", "scored", "Gram matrices", "predicted s", "measured s"]
    return markdown([*headers, "CPU s / threads"], rows)


# on paper -------------------------------------------------------------------------------------------


def on_paper(fits: pd.DataFrame, passes: pd.DataFrame) -> Iterator[str]:
    """Yield what a billion rows would need, by the passes and the constants of the largest fit."""
    modelled = fits[fits["multiply_s"].notna()]
    if not len(modelled):
        return
    fit = modelled.iloc[-1]
    own = passes_of(passes, fit)
    done, size = works(own), max(map(travelling, works(own)))
    besides = fit["seconds"] - own["seconds"].sum()
    some = Cluster(1)
    yield (
        f"Nobody has run this. Passes, their columns, the constants and the {besides:.0f} s besides the "
        f"passes are those of the fit to {fit['rows']:,} rows. Assumed, not measured: workers of "
        f"{some.cores} such cores, {some.disk / 1e6:.0f} MB/s from their disks, "
        f"{some.network / 1e9:g} GB/s between them, "
        f"{1e3 * some.latency:g} ms for a message there and back, sums over trees of {some.fan_in}, "
        f"partitions of {some.partition_rows:,.0f} rows, {1e3 * some.task:g} ms of the scheduler for each. "
        f"A pass reads {PAPER_ROWS * BYTES_OF_A_ROW / 1e9:.0f} GB; at most {size / 2**20:.2f} MiB of sums "
        "travel over each edge of the tree in a round, whatever the number of rows."
    )
    yield (
        "```\nseconds of a pass\n"
        "  = n (c_kernel (K + E + S) + c_multiply (K^2 + g (K + E)^2 / 2 + (K + E) S) + c_row) / (W cores)\n"
        "  + n bytes / (W disk)                                   unless the rows stay in memory\n"
        "  + 2 depth (latency + fan_in sums / network) + task n / partition_rows\n```"
    )
    yield cluster_table(fit, done, besides)


def cluster_table(fit: pd.Series, done: list[Work], besides: float) -> str:
    """Return passes and seconds for several numbers of workers."""
    rows = []
    for workers in (1, 10, 100, 1000):
        cluster = Cluster(workers)
        arithmetic = sum(work.seconds(PAPER_ROWS, fit, workers * cluster.cores) for work in done)
        reading = len(done) * cluster.reading(PAPER_ROWS)
        rounds = sum(cluster.round(travelling(work), PAPER_ROWS) for work in done)
        rows.append(
            [
                *(f"{workers}", f"{len(done)}", f"{cluster.depth}"),
                f"{PAPER_ROWS * BYTES_OF_A_ROW / workers / 1e9:,.2f}",
                *(f"{each / len(done):,.1f}" for each in (arithmetic, reading, rounds)),
                *(f"{each / 60:,.1f}" for each in (besides + arithmetic + rounds,)),
                f"{(besides + arithmetic + reading + rounds) / 60:,.1f}",
            ]
        )
    headers = ["workers", "passes", "depth", "GB of a worker", "arithmetic, s a pass", "reading, s a pass"]
    headers += ["round, s a pass", "total from memory, min", "total from disk, min"]
    return markdown(headers, rows)
