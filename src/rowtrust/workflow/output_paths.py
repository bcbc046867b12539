"""Outputs that are no inputs: what a command reads is never replaced by what it writes."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from rowtrust.atomic.files import existing, opened_by_a_process
from rowtrust.atomic.folders import RUNS
from rowtrust.workflow.records import FILES, MODEL
from rowtrust.workflow.tables import InputError

WORKBOOKS = (".xls", ".xlsx", ".xlsm", ".ods")
"""Ends of names that promise a workbook, which is not written; those that spreadsheets use."""


def check_outputs(
    outputs: Mapping[str, Path | None], inputs: Mapping[str, str | Path | None], *, force: bool
) -> None:
    """Refuse outputs that are inputs, each other, folders, results of a study, or there already.

    Before any work is done.

    Files are compared by what they are, so that links to one file are the same. Pipes and devices are no
    files, and neither is standard input.

    Parameters
    ----------
    outputs
        Files to write, by the option that names them.
    inputs
        Files that are read, by what messages call them; a folder of a study stands for the model in it.
    force
        Whether files that are there may be replaced.
    """
    seen: dict[str, Path] = {}
    for option, output in outputs.items():
        if output is None:
            continue
        existing(output)
        if output.suffix.lower() in WORKBOOKS:
            raise InputError(f"{output}: tables are written as CSV. Choose a name that ends in .csv.")
        place = Path(os.path.realpath(output)).parent
        if not place.is_dir():
            raise InputError(f"{place} is no folder. Make it, or choose another {option}.")
        for what, given in inputs.items():
            if any(same_file(output, each) for each in files_of(given)):
                raise InputError(f"{output} is {what}, which is read. Choose another {option}.")
        if is_result(output):
            raise InputError(f"{output} is a result of 'rowtrust fit'. Choose another {option}.")
        for other, path in seen.items():
            if same_file(output, path):
                raise InputError(f"{option} and {other} are both {output}. Choose another {option}.")
        if not force and opened_by_a_process(output) is None and output.is_file():
            raise InputError(f"{output} exists. Add --force or choose another {option}.")
        seen[option] = output


def check_result_folder(folder: Path, inputs: Mapping[str, str | Path | None]) -> None:
    """Refuse a folder of results in which an input would be replaced or removed.

    Parameters
    ----------
    folder
        Where the results of a study will be written.
    inputs
        Files that are read, by what messages call them.
    """
    place = os.path.realpath(folder)
    for what, given in inputs.items():
        for each in files_of(given):
            inside = os.path.relpath(os.path.realpath(each), place).split(os.sep)
            is_of_a_run = len(inside) > 1 and RUNS.fullmatch(inside[0])
            if is_of_a_run or any(same_file(each, folder / name) for name in FILES):
                raise InputError(f"{each} is {what} and would be replaced. Choose another --output.")


def files_of(given: str | Path | None) -> list[Path]:
    """Return the files that an input stands for."""
    if given is None or str(given) == "-":
        return []
    path = Path(given)
    return [path / MODEL if path.is_dir() else path]


def same_file(one: Path, other: Path) -> bool:
    """Whether two paths are one file, or would be; what exists and is no regular file never is."""
    try:
        first, second = os.stat(one), os.stat(other)
    except OSError:
        return os.path.realpath(one) == os.path.realpath(other)
    return stat.S_ISREG(first.st_mode) and os.path.samestat(first, second)


def is_result(path: Path) -> bool:
    """Whether a file is one of those that a study has written, or in a folder that its next run removes."""
    real = Path(os.path.realpath(path))
    if RUNS.fullmatch(real.parent.name):
        return True
    return real.name in FILES and all((real.parent / name).is_file() for name in FILES)
