"""The main job, from a file to predictions: ``study_table`` with nothing but a target and its kind."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import redirect_stderr
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from benchmarks.evidence.cases import MOST_TEST_ROWS, Case, dirty_case, tables
from benchmarks.evidence.measures import Said, measured
from rowtrust.workflow.api import study_table

Array = NDArray[Any]

TARGET = "the target"


def command(settings: Mapping[str, Any], data: Path) -> dict[str, Any]:
    """Measure a study of the rows that the others get, in a file with missing cells and words."""
    table, case = tables(data)[settings["table"]], dirty_case(settings, data)
    rows = np.arange(len(table.target))
    fit, test = train_test_split(  # the split of the table
        rows,
        train_size=len(case.given),
        random_state=int(settings["split"]),
        stratify=table.target if table.is_classes else None,
    )
    inputs = table.inputs.rename(columns=str)
    frames = inputs.iloc[fit], inputs.iloc[test[:MOST_TEST_ROWS]]
    return measured(partial(studied, *frames), case)


def studied(fit: pd.DataFrame, test: pd.DataFrame, case: Case) -> Said:
    """Study a file, and predict another."""
    given = [f"class {each}" for each in case.given] if case.is_classes else case.given
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("rows.csv", "new.csv")]
        fit.assign(**{TARGET: given}).to_csv(files[0], index=False)
        test.to_csv(files[1], index=False)
        task = "classification" if case.is_classes else "regression"
        with redirect_stderr(StringIO()):  # its notes on the time
            study = study_table(str(files[0]), TARGET, task=task)
        new = pd.read_csv(files[1])
    if not case.is_classes:
        return Said(np.asarray(study.model.predict(new)))
    probability = np.zeros((len(new), len(case.labels)))
    place = [int(str(label).split()[-1]) for label in study.model.classes_]
    probability[:, np.searchsorted(case.labels, place)] = study.model.predict_proba(new)
    return Said(probability)
