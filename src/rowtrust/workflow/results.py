"""The folder of a study: model, report, suspects and metrics, all of them or none."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Any

from sklearn.pipeline import Pipeline

import rowtrust
from rowtrust import io
from rowtrust.atomic import folder_written_aside
from rowtrust.atomic.folders import check_current
from rowtrust.limits import Limits
from rowtrust.workflow.apart import check_folder_apart
from rowtrust.workflow.quality import quality_json
from rowtrust.workflow.records import FILES, METRICS, MODEL, REPORT, REVIEW, SUSPECTS, Progress, Settings
from rowtrust.workflow.review import review_table
from rowtrust.workflow.run import run_study
from rowtrust.workflow.streaming import WholeFile
from rowtrust.workflow.study import Study
from rowtrust.workflow.tables import InputError, Layout, Schema, read_for_study, read_table
from rowtrust.workflow.tables.sources import can_be_read_again
from rowtrust.workflow.tables.writing import write_csv
from rowtrust.workflow.trying import check_typical_row

RANKING_DIGITS = "%.6g"
"""How the ranking's numbers are written: six digits are more than it deserves, and shorten the file."""

SHOWN_SUSPECTS = 8
"""Suspects that the summary names; one line of a terminal."""


def study_file(
    source: str,
    settings: Settings,
    folder: Path,
    *,
    layout: Layout = Layout(),  # noqa: B008
    test_source: str | None = None,
    progress: Progress | None = None,
) -> Study:
    """Read a table, study it, and write the results.

    Parameters
    ----------
    source
        Path of the file, or ``-`` for standard input.
    settings
        What the user asked for.
    folder
        Where to write.
    layout
        How a text file is laid out.
    test_source
        A file of rows to judge the model by, instead of a share of the table.
    progress
        Told of every step.
    """
    start = perf_counter()
    progress = progress or Progress()
    check_folder(folder)
    check_folder_apart(folder, {"the data": source, "the file of --test": test_source})
    with folder_written_aside(folder) as aside:
        found = read_for_study(source, layout, settings.fast, settings.seed)
        test = None if test_source is None else read_table(test_source, layout)
        file = None
        again = can_be_read_again(source) and not settings.fast
        if again and (settings.dask is not None or not found.is_whole):
            file = WholeFile(source, layout, found.n_rows, aside, found.state)
        study = run_study(found.table, settings, test, progress, file)
        study.notes.extend(found.notes)
        progress.step("writing the report")
        write_files(study, aside, perf_counter() - start)
    return study


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


def write_results(study: Study, folder: Path, seconds: float) -> None:
    """Write model, report, suspects and metrics so that they appear in a folder in one step."""
    with folder_written_aside(folder) as aside:
        write_files(study, aside, seconds)


def write_files(study: Study, folder: Path, seconds: float) -> None:
    """Write model, report, suspects and metrics into an empty folder."""
    from rowtrust.workflow.report import render  # matplotlib takes a second that only this step needs

    facts = {"schema": study.fitted.schema.as_json(), "classes": study.fitted.classes.tolist()}
    io.save(study.fitted.pipeline, folder / MODEL, facts=facts)
    (folder / REPORT).write_text(render(study), encoding="utf-8")
    write_csv(study.suspects, folder / SUSPECTS, RANKING_DIGITS)
    write_csv(review_table(study.suspects), folder / REVIEW, RANKING_DIGITS)
    metrics = json.dumps(summary(study, seconds), indent=2)
    (folder / METRICS).write_text(f"{metrics}\n", encoding="utf-8")


def read_model(path: Path, limits: Limits = Limits()) -> tuple[Pipeline, Schema]:  # noqa: B008
    """Read a model from its file or from the folder of a study, with what it knows of its columns."""
    if path.is_dir():
        path = path / MODEL
    model, facts = io.load_with_facts(path, limits=limits)
    try:
        schema = Schema.from_json(facts["schema"])
    except (KeyError, TypeError, ValueError) as error:
        raise io.ModelFileError(
            f"{path} says nothing of its columns. Give a model that 'rowtrust fit' has written."
        ) from error
    check_typical_row(path, model, schema)
    return model, schema


def summary(study: Study, seconds: float) -> dict[str, Any]:
    """Return the figures of a study for JSON."""
    model, judged = study.fitted, study.judged
    return {
        "rowtrust": rowtrust.__version__,
        "data": study.settings.data,
        "target": study.settings.target,
        "task": model.task,
        "model": study.chosen,
        "estimator": type(model.estimator).__name__,
        "relevance_vectors": len(model.vectors),
        "rows": {
            "train": model.n_fitted,
            "judged": len(judged.rows.y),
            "without_target": study.n_unusable,
        },
        "judged_on": judged.how,
        "metrics": {
            each.name: {"value": each.value, "interval": [each.lower, each.upper]} for each in judged.figures
        },
        "quality": quality_json(judged),
        "candidates": [
            {
                "model": each.name,
                "estimator": each.estimator,
                "log_score": each.log_score,
                "own_lower_bound": each.bound,
            }
            for each in study.candidates
        ],
        "wrong_rows": {
            "suspects": study.suspect_rows,
            "hard_to_judge": len(study.findings.hard),
            "expected_share": study.findings.share,
            "expected_more": study.findings.missed,
        },
        "importance": {each.name: each.mean for each in study.inputs.importances},
        "notes": study.notes,
        "warnings": study.warnings,
        "settings": asdict(study.settings),
        "seconds": round(seconds, 3),
    }


def summary_lines(study: Study, folder: Path, seconds: float) -> list[str]:
    """Return the short summary for the terminal."""
    model, figures = study.fitted, study.judged.figures
    is_classes = model.task == "classification"
    kinds = f", {len(model.classes)} classes" if is_classes else ""
    size = f"{model.n_fitted} training rows, {len(model.schema.inputs)} inputs"
    shown = [figures[0], figures[-1]] if is_classes else [figures[0], figures[2]]
    quality = ", ".join(f"{f.name} {f.value:.3g} ({f.lower:.3g} to {f.upper:.3g})" for f in shown)
    suspects = study.suspect_rows
    first = f" First: rows {', '.join(map(str, suspects[:SHOWN_SUSPECTS]))}." if suspects else ""
    name = f"{type(model.estimator).__name__} with {len(model.vectors)} vectors"
    return [
        f"data      {study.settings.data}: {size}; {model.task} of '{model.schema.target}'{kinds}",
        f"model     {name}{comparison(study)}",
        f"quality   {quality}; {study.judged.how}",
        f"suspects  {study.findings.summary}{first}",
        f"written   {folder}/ with {', '.join(FILES)} ({seconds:.1f} s)",
    ]


def comparison(study: Study) -> str:
    """Say how the candidates compare, the best first; nothing where there is but one."""
    if len(study.candidates) < 2:
        return ""
    ranked = sorted(study.candidates, key=lambda each: -each.log_score)
    return f"; log score per row: {', '.join(f'{each.estimator} {each.log_score:.3f}' for each in ranked)}"
