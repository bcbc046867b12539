"""The command: print the tables of the parts asked for, all of them unless named."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter

from benchmarks import (
    classes,
    classification,
    fuzz,
    imbalance,
    intervals,
    judge,
    kernels,
    kills,
    metric,
    missing,
    passes,
    regression,
    trusted,
    widths,
)
from benchmarks.evidence.__main__ import main as evidence
from benchmarks.race import Options, Settings, one_thread

PARTS: dict[str, Callable[[Settings], None]] = {
    "classes": classes.run,
    "classification": classification.run,
    "regression": regression.run,
    "imbalance": imbalance.run,
    "judge": judge.run,
    "widths": widths.run,
    "intervals": intervals.run,
    "kernels": kernels.run,
    "metric": metric.run,
    "passes": passes.run,
    "missing": missing.run,
    "kills": kills.run,
    "trusted": trusted.run,
}


def main() -> None:
    """Read the command line and run the parts in order; fuzz, evidence and constants are commands of
    their own.
    """
    if sys.argv[1:2] == ["fuzz"]:
        sys.exit(fuzz.main(sys.argv[2:]))
    if sys.argv[1:2] == ["evidence"]:
        sys.exit(evidence(sys.argv[2:]))
    if sys.argv[1:2] == ["constants"]:
        sys.exit(evidence(["--pages", "constants", *sys.argv[2:]]))
    parser = command_line()
    given = parser.parse_args()
    unknown = sorted(set(given.parts) - set(PARTS))
    if unknown:
        parser.error(f"unknown part {unknown[0]!r}; choose from {', '.join(PARTS)}.")
    settings = Options(**{name: value for name, value in vars(given).items() if name != "parts"})
    with one_thread():
        print(environment())
        for name in PARTS:
            if name in given.parts or not given.parts:
                run_part(name, settings)


def command_line() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Race rowtrust against its peers.",
        epilog="Commands of their own: fuzz, evidence, constants; each has --help.",
    )
    parser.add_argument("parts", nargs="*", help=f"any of {', '.join(PARTS)}; all of them unless named")
    parser.add_argument("--quick", action="store_true", help="small sizes and few seeds only")
    parser.add_argument("--repeats", type=positive, default=3, help="timed runs of each race (default: 3)")
    parser.add_argument(
        "--patience",
        type=float,
        default=20.0,
        help="a model with a run longer than this many seconds gets no further runs (default: 20)",
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=os.environ.get("ROWTRUST_DATA"),
        help="folder with ripley/synth.tr and ripley/synth.te (default: the variable ROWTRUST_DATA)",
    )
    parser.add_argument(
        "--reference", help="a Python with an earlier version, to time default fits of both (part: passes)"
    )
    parser.add_argument(
        "--moments",
        type=positive,
        default=kills.MOMENTS,
        help="kills of each command (part: kills; default: 50)",
    )
    add_stored(parser)
    return parser


def add_stored(parser: argparse.ArgumentParser) -> None:
    """Add the options of the parts that keep what they found."""
    group = parser.add_argument_group("parts classes, intervals, judge and trusted")
    group.add_argument("--store", type=Path, help="file of results to add to; what it has is not run again")
    group.add_argument("--only", type=names, default=(), help="models to run, commas between them")
    group.add_argument("--tables", type=names, default=(), help="tables to run, commas between them")
    group.add_argument("--most-rows", type=positive, help="rows to fit at most (default: a part's own)")
    group.add_argument("--draws", type=positive, default=1, help="splits and flips of a cell (default: 1)")
    group.add_argument("--kinds", type=names, default=(), help="classes, numbers (trusted)")
    group.add_argument("--half", choices=["A", "B"], default="", help="of the manifest (default: both)")
    group.add_argument("--jobs", type=positive, default=1, help="processes (default: 1)")


def names(text: str) -> tuple[str, ...]:
    """Return the names between commas."""
    return tuple(text.split(","))


def positive(text: str) -> int:
    """Return the whole number that the text stands for, if it is at least one."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1; got {number}.")
    return number


def run_part(name: str, settings: Settings) -> None:
    start = perf_counter()
    PARTS[name](settings)
    print(f"\n({name} took {perf_counter() - start:.0f} s)", flush=True)


def environment() -> str:
    """Return one line on the machine and the versions that race."""
    packages = ", ".join(
        f"{name} {installed(name)}" for name in ("rowtrust", "fastrvm", "scikit-learn", "numpy")
    )
    return (
        f"Python {platform.python_version()}, {packages}; {os.cpu_count()} cores, one thread in use.\n"
        "Seconds are medians over runs on different data, the same for all models. Ratios matter."
    )


def installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "from source"


if __name__ == "__main__":
    main()
