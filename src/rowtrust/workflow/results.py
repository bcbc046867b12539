"""The folder of a study: model, report, flagged rows, metrics and manifest, all of them or none."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import pandas as pd
from sklearn.pipeline import Pipeline

from rowtrust import io
from rowtrust.atomic import BusyError, folder_locked, folder_written_aside
from rowtrust.atomic.folders import check_current
from rowtrust.limits import Limits
from rowtrust.workflow.input_data import InputTable, Question
from rowtrust.workflow.manifest import input_record, manifest
from rowtrust.workflow.output_paths import check_result_folder
from rowtrust.workflow.records import (
    FILES,
    FLAGGED,
    MANIFEST,
    METRICS,
    MODEL,
    REPORT,
    REVIEW,
    Progress,
    Settings,
)
from rowtrust.workflow.review import kept_review, review_table
from rowtrust.workflow.run import run_study
from rowtrust.workflow.splitting import columns_aside
from rowtrust.workflow.streaming import WholeFile
from rowtrust.workflow.study import Study
from rowtrust.workflow.summaries import summary
from rowtrust.workflow.tables import InputError, Layout, Schema
from rowtrust.workflow.tables.errors import shortened
from rowtrust.workflow.tables.names import check_columns
from rowtrust.workflow.tables.records import write_csv
from rowtrust.workflow.tables.schema import check_inputs
from rowtrust.workflow.tables.sources import file_state

RANKING_DIGITS = "%.6g"
"""How the ranking's numbers are written: six digits are more than it deserves, and shorten the file."""


MOST_TRIED = 10_000
"""Columns of a model that is tried: as many as ``rowtrust fit`` accepts."""


def study_input(asked: Question, progress: Progress | None = None, place: Path | None = None) -> Study:
    """Read a table and study it.

    Parameters
    ----------
    asked
        What is asked of which table.
    progress
        Told of every step.
    place
        Folder in which the rows of a large file may be kept for the time of the fit; None for the system's.
    """
    data, settings, layout, test = asked.data, asked.settings, asked.layout, asked.test
    start = perf_counter()
    progress = progress or Progress()
    found = data.for_study(layout, settings.fast, settings.seed, progress.rows)
    test_state = () if test is None else file_state(test.path)
    rows = None if test is None else test.table(layout)
    file = None
    again = data.can_be_read_again and not settings.fast
    if again and (settings.dask is not None or not found.is_whole):
        file = WholeFile(data.path, layout, found.n_rows, place, found.state, settings.id, progress.rows)
    study = run_study(found.table, settings, rows, progress, file)
    study.notes.extend(found.notes)
    inputs = [input_record(data, "data", found.n_rows, layout, found.state)]
    if test is not None and rows is not None:
        inputs.append(input_record(test, "test", len(rows), layout, test_state))
    study.provenance.update(inputs=inputs, seconds=round(perf_counter() - start, 3))
    if data.frame is not None and data.frame.index.is_unique:
        return replace(study, index=data.frame.index)
    if data.frame is not None:
        study.notes.append("the index of the frame has duplicates: rows are called by their place, from 0")
    return study


def study_file(
    asked: Question, folder: Path, progress: Progress | None = None, *, force: bool = False
) -> Study:
    """Read a table, study it, and write the results.

    Parameters
    ----------
    asked
        What is asked of which table.
    folder
        Where to write.
    progress
        Told of every step.
    force
        Whether results that are in the folder may be replaced.
    """
    start = perf_counter()
    progress = progress or Progress()
    data, test = asked.data, asked.test
    check_input(data, asked.settings, asked.layout)
    if test is not None:
        test.names(asked.layout)
    check_folder(folder)
    read = {"the data": data.file, "the file of --test": None if test is None else test.file}
    check_result_folder(folder, read)
    with written_alone(folder, force, progress.say) as aside:
        study = study_input(asked, progress, aside)
        progress.step("writing the report")
        write_files(study, aside, perf_counter() - start)
        keep_review(study, folder)
    return study


@contextmanager
def written_alone(folder: Path, force: bool, say: Callable[[str], None]) -> Iterator[Path]:
    """Yield an empty folder whose files appear in a folder of results, to which nobody else writes by then.

    Whoever may replace results waits for another run; who may not is refused.
    """

    def waiting() -> None:
        say(f"another run writes to {folder}; waiting for it")

    try:
        with folder_locked(folder, waiting if force else None):
            check_free(folder, force)
            with folder_written_aside(folder) as aside:
                yield aside
    except BusyError:
        raise InputError(
            f"another run writes to {folder}. Wait for it, or choose another --output."
        ) from None


def keep_review(study: Study, folder: Path) -> None:
    """Keep a review that somebody filled in, and say so."""
    copy = kept_review(folder / REVIEW)
    if copy is not None:
        study.notes.append(f"{REVIEW} was filled in: it is kept as {copy.name}, beside the new one")


def check_input(data: InputTable, settings: Settings, layout: Layout) -> None:
    """Refuse a file that is not there, or that lacks a column, before its results are spoken of."""
    names = data.names(layout)
    if names is not None:
        check_inputs(len(names) - len({settings.target, *settings.drop}))
        aside = columns_aside(settings)
        check_columns(pd.DataFrame(columns=names), settings.target, settings.drop, aside, settings.keep)


def check_folder(folder: Path) -> None:
    """Refuse a folder that cannot be written, before any work is done."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file. Choose another --output.")
    for name in FILES:
        if (folder / name).exists() and not (folder / name).is_file():
            raise InputError(f"{folder / name} is no file. Move it or choose another --output.")
    check_current(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    place = folder if folder.exists() else folder.parent
    if not os.access(place, os.W_OK):
        raise InputError(f"{place} may not be written. Choose another --output.")


def check_free(folder: Path, force: bool) -> None:
    """Refuse a folder that has results of an earlier study, unless they may be replaced."""
    if force or not any((folder / name).exists() for name in FILES):
        return
    raise InputError(f"{folder} has results{told_of(folder)}. Add --force or choose another --output.")


def told_of(folder: Path) -> str:
    """Say of which study a folder has the results, as far as its files tell."""
    try:
        known = json.loads((folder / METRICS).read_text(encoding="utf-8"))
        return f" of {shortened(known['data'])}, target '{shortened(known['target'])}'"
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def write_results(study: Study, folder: Path, seconds: float, *, force: bool = False) -> None:
    """Write the files of a study so that they appear in a folder in one step."""
    check_folder(folder)
    read = {f"the table of {each['role']}": each["path"] for each in study.provenance.get("inputs", [])}
    check_result_folder(folder, read)
    with written_alone(folder, force, Progress().say) as aside:
        write_files(study, aside, seconds)
        keep_review(study, folder)


def write_files(study: Study, folder: Path, seconds: float) -> None:
    """Write model, report, flagged rows, metrics and manifest into an empty folder."""
    from rowtrust.workflow.report import render  # matplotlib takes a second that only this step needs

    facts = {
        "schema": study.fitted.schema.as_json(),
        "classes": study.fitted.classes.tolist(),
        "id": study.settings.id,
    }
    io.save(study.fitted.pipeline, folder / MODEL, facts=facts)
    (folder / REPORT).write_text(render(study), encoding="utf-8")
    write_csv(study.ranking.reset_index(), folder / FLAGGED, RANKING_DIGITS)
    write_csv(review_table(study.ranking), folder / REVIEW, RANKING_DIGITS)
    write_json(summary(study, seconds), folder / METRICS)
    write_json(manifest(study), folder / MANIFEST)


def write_json(content: dict[str, Any], path: Path) -> None:
    """Write a file of JSON for people and programs."""
    path.write_text(f"{json.dumps(content, indent=2)}\n", encoding="utf-8")


@dataclass(frozen=True)
class StoredModel:
    """A model from its file: the pipeline, what it knows of its columns, and the column that names rows."""

    pipeline: Pipeline
    schema: Schema
    id: str | None = None


def read_model(path: Path, limits: Limits = Limits()) -> tuple[Pipeline, Schema]:  # noqa: B008
    """Read a model from its file or from the folder of a study, with what it knows of its columns."""
    found = read_stored(path, limits)
    return found.pipeline, found.schema


def read_stored(path: Path, limits: Limits = Limits()) -> StoredModel:  # noqa: B008
    """Read a model from its file or from the folder of a study, with all that is kept beside it."""
    if path.is_dir():
        path = path / MODEL
    model, facts = io.load_with_facts(path, limits=limits)
    try:
        schema = Schema.from_json(facts["schema"])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise io.ModelFileError(
            f"{path} does not name its columns. Give a model that 'rowtrust fit' wrote."
        ) from error
    if len(schema.inputs) <= MOST_TRIED:
        io.check_prediction(path, model, lambda: typical_row(schema))
    named = facts.get("id")
    return StoredModel(model, schema, named if isinstance(named, str) else None)


def typical_row(schema: Schema) -> pd.DataFrame:
    """Return one row with the value that stands for each column, as a model takes it."""
    return schema.conform(pd.DataFrame({column.name: [column.typical] for column in schema.inputs}))
