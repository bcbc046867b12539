"""The study of a table: split, compare, fit, judge, explain, look for wrong rows."""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import count

import numpy as np
import pandas as pd

from rowtrust.estimators import budget
from rowtrust.workflow.candidates import TOGETHER, Candidate, build, choose, compare, names_to_compare
from rowtrust.workflow.checks.records import ordered
from rowtrust.workflow.fitting import FittedModel, fit_model, fit_to_file, tell_warnings
from rowtrust.workflow.flagged import rank_rows, vouching
from rowtrust.workflow.inputs import input_effects
from rowtrust.workflow.predictions import FOLDS
from rowtrust.workflow.quality.judging import judge, with_trusted_boosting
from rowtrust.workflow.quality.sentences import beats_guessing
from rowtrust.workflow.records import Part, Progress, Settings
from rowtrust.workflow.rows import StudyRows, cross_fitted, study_rows
from rowtrust.workflow.splitting import doubtful_classes, sample
from rowtrust.workflow.streaming import WholeFile
from rowtrust.workflow.study import Judged, Study
from rowtrust.workflow.tables import InputError, Schema
from rowtrust.workflow.tables.column_checks import reading_checks
from rowtrust.workflow.tables.describing import column_facts
from rowtrust.workflow.tables.targets import may_be_either

FIT_COST, ROWS_PER_COST, FEW_ROWS = 9.0, 17_000.0, 1500.0
"""What the fit costs, in fits of the comparison: so many, one more for so many rows, and less where rows are
few. Measured with ten inputs: 12 of them with 40 000 rows, 25 with 260 000. Only the bar depends on it."""

MOST_READINGS = 25
"""Readings of all rows that a fit may need: the bar counts them."""

LATER_STEPS = 5
"""Steps of the progress bar after the comparison: those of ``_study``, and the writing of the report."""


def run_study(
    table: pd.DataFrame,
    settings: Settings,
    test: pd.DataFrame | None = None,
    progress: Progress | None = None,
    file: WholeFile | None = None,
) -> Study:
    """Study a table: which model, how good, which rows are wrong, how sure.

    Parameters
    ----------
    table
        All columns, the target among them.
    settings
        What the user asked for.
    test
        Rows to judge the model by, instead of a share of the table.
    progress
        Told of every step.
    file
        Where the table is a sample of a file: the file, to all rows of which the model is fitted.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        study = _study(table, settings, test, progress or Progress(), file)
    notes, messages = tell_warnings(caught)
    study.notes.extend(notes)
    study.warnings.extend(messages)
    return study


def _study(
    table: pd.DataFrame,
    settings: Settings,
    test: pd.DataFrame | None,
    progress: Progress,
    file: WholeFile | None,
) -> Study:
    rows = study_rows(table, settings, test, file)
    schema, everything, train, held_out = rows.schema, rows.everything, rows.train, rows.held_out
    n_rows = len(train.y) if file is None else file.n_rows
    names = candidate_names(settings, schema, n_rows, must_cross_fit=held_out is None)
    costly = cost_of_fit(n_rows)
    refitted = settings.refit and held_out is not None and test is None and file is None
    progress.start(FOLDS * len(names) + (1 + refitted) * costly + LATER_STEPS - 1)
    compared = sample(train, budget().compared_rows, settings.seed, schema.task == "classification")
    candidates = compare(schema, compared, names, settings, progress.step)
    chosen = choose(candidates).name if settings.model == "auto" else settings.model
    progress.step(f"fitting: {chosen}", costly)
    model = fitted(chosen, schema, (everything, train, held_out), settings, progress, file)
    progress.step("judging")
    judged = judged_rows(model, rows, compared, candidates, chosen, settings)
    is_useless = settings.task is None and may_be_either(everything.y) and not beats_guessing(judged)
    other = other_task(table, settings, test, progress, file, schema.task) if is_useless else None
    if other is not None:
        return other
    progress.step("measuring importance")
    effects = input_effects(model, judged.rows, settings.seed)
    measured = model
    if refitted:
        progress.step(f"fitting to all rows: {chosen}", costly)
        model = fitted(chosen, schema, (everything, everything, None), settings, progress, None)
    progress.step("looking for wrong rows")
    findings, flagged = rank_rows(judge_of_rows(model, chosen, everything, settings, file))
    n_unusable = len(table) - len(everything.y)
    n_kept = 0 if held_out is None or test is not None else len(held_out.y)
    neither = f"'{schema.target}' can be predicted neither as classes nor as numbers"
    notes = [
        *[neither] * is_useless,
        *remarks(everything, n_unusable),
        *sampling_remarks(measured, len(compared.y), n_kept, candidates, file),
        *vouching(model),
    ]
    parts = (settings, candidates, chosen, model, judged, effects, findings, flagged, n_unusable, notes)
    columns = column_facts(table, schema)
    checks = ordered([*rows.checks, *reading_checks(table, schema, columns)])
    return Study(*parts, checks=checks, columns=columns, refitted=refitted)


def judged_rows(
    model: FittedModel,
    rows: StudyRows,
    compared: Part,
    candidates: list[Candidate],
    chosen: str,
    settings: Settings,
) -> Judged:
    """Judge the model by the rows kept for that, or by what its fits without a fold said of the others."""
    if rows.held_out is not None:
        prediction = model.predict(rows.held_out.X)
        judged = judge(model, rows.held_out, rows.how, prediction, settings.seed, rows.train)
        return with_trusted_boosting(judged, model, settings.seed)
    prediction = next(each.prediction for each in candidates if each.name == chosen)
    predicted, how = cross_fitted(compared, model.task == "classification", settings)
    return judge(model, predicted, how, prediction, settings.seed, None, compared)


def other_task(
    table: pd.DataFrame,
    settings: Settings,
    test: pd.DataFrame | None,
    progress: Progress,
    file: WholeFile | None,
    task: str,
) -> Study | None:
    """Return the study of the other task, where a guessed one explains nothing; None if both do not."""
    was, now = ("classes", "numbers") if task == "classification" else ("numbers", "classes")
    other = "regression" if task == "classification" else "classification"
    try:
        found = _study(table, replace(settings, task=other), test, progress, file)
    except InputError:
        return None
    if not beats_guessing(found.judged):
        return None
    found.notes.append(
        f"'{settings.target}' was taken as {now}: as {was} nothing predicted it better than a guess. To have "
        f"{was} all the same, add --task {task}"
    )
    return found


def judge_of_rows(
    model: FittedModel, chosen: str, everything: Part, settings: Settings, file: WholeFile | None
) -> FittedModel:
    """Return the model by which rows are judged: the robust one, as in an audit, whichever predicts best.

    Where that needs another fit to many rows, to a file or on a device, the chosen one judges.
    """
    many = file is not None or settings.device is not None or len(model.train.y) > budget().together_rows
    if chosen == "robust" or many:
        return model
    estimator = build("robust", model.task, settings.fast, settings.seed)
    return fit_model(model.schema, estimator, everything, model.train)


def cost_of_fit(n_rows: int) -> float:
    """Return how long the fit takes, in fits of the comparison."""
    return max(1.0, min(FIT_COST, n_rows / FEW_ROWS)) + n_rows / ROWS_PER_COST


def fitted(
    name: str,
    schema: Schema,
    parts: tuple[Part, Part, Part | None],
    settings: Settings,
    progress: Progress,
    file: WholeFile | None,
) -> FittedModel:
    """Fit the chosen model to all rows that are not kept for judging, or to as many as it can take."""
    everything, train, held_out = parts
    if train.weights is not None and (file is not None or settings.device is not None):
        raise InputError("--weight needs all rows in memory. Leave --dask and --device out, or add --fast.")
    seed, is_classes = settings.seed, schema.task == "classification"
    if name in TOGETHER:
        train = sample(train, budget().together_rows, seed, is_classes)
        estimator = build(name, schema.task, settings.fast, seed)
        return fit_model(schema, estimator, everything, train)
    estimator = build(name, schema.task, settings.fast, seed)
    if file is None:
        return fit_model(schema, estimator, everything, train, settings.device)
    judging = np.empty(0, dtype=np.intp) if held_out is None or settings.test == 0.0 else held_out.rows
    readings = count(1)

    def on_pass() -> None:
        progress.part(next(readings) / MOST_READINGS)

    return fit_to_file(schema, estimator, everything, train, judging, file, settings, on_pass)


def sampling_remarks(
    model: FittedModel, n_compared: int, n_kept: int, candidates: list[Candidate], file: WholeFile | None
) -> list[str]:
    """Say which rows were drawn at random, and for what; and how many rows of a file were of no use."""
    found, n_fitted = [], model.n_fitted
    if candidates and n_compared < n_fitted:
        found.append(
            f"candidates were compared on {n_compared} rows drawn at random; the chosen one was fitted to "
            f"{n_fitted}"
        )
    reads = getattr(model.estimator, "n_reads_", None)
    if reads is not None and n_fitted > budget().sample_rows:
        found.append(
            f"kernels were chosen on a sample of some {budget().sample_rows} rows; then all {n_fitted} rows "
            f"were read {reads} times"
        )
    if file is not None and n_fitted > len(model.train.y):
        found.append(
            f"the file has {file.n_rows} rows: scores, pictures and flagged rows come from "
            f"{len(model.train.y)} of them and from the test rows, drawn at random"
        )
    if file is not None and (passed := file.n_rows - n_fitted - n_kept) > 0 and reads is not None:
        found.append(
            f"{passed} of the file's rows were skipped: they have no target, or a class that the sample lacks"
        )
    return found


def candidate_names(settings: Settings, schema: Schema, n_rows: int, must_cross_fit: bool) -> list[str]:
    """Return the models to compare; a named model is cross-fitted only if nothing else can judge it."""
    elsewhere = settings.dask is not None or settings.device is not None
    if settings.model == "auto":
        known = names_to_compare(schema.task, n_rows)
        return [name for name in known if not (elsewhere and name in TOGETHER)]
    if elsewhere and settings.model in TOGETHER:
        raise InputError(
            f"--model {settings.model} needs all rows at once, in this process. Choose robust or "
            "plain, or leave --dask and --device out."
        )
    build(settings.model, schema.task, settings.fast, settings.seed)
    return [settings.model] if must_cross_fit else []


def remarks(everything: Part, n_unusable: int) -> list[str]:
    """Say which rows were left out of the table, and which might have been."""
    found = doubtful_classes(everything)
    if n_unusable:
        weightless = "" if everything.weights is None else ", or the weight 0,"
        found.append(f"{n_unusable} rows have no target{weightless} and were not used")
    return found
