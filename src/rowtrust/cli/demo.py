"""``rowtrust demo``: the whole story on built-in dirty data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from rowtrust.atomic import written_aside
from rowtrust.cli import options
from rowtrust.cli.failing import in_one_line
from rowtrust.cli.fit import study_aloud
from rowtrust.datasets.demo import DirtyTable, dirty_tables
from rowtrust.workflow import Settings, Study
from rowtrust.workflow.api import question
from rowtrust.workflow.given import Given
from rowtrust.workflow.records import REPORT
from rowtrust.workflow.results import check_folder
from rowtrust.workflow.tables import Layout


@in_one_line
def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the results.")] = Path(
        "rowtrust-demo"
    ),
    seed: options.Seed = 0,
) -> None:
    """Study two built-in dirty tables: wrong diagnoses, and gross errors in numbers.

    Needs no network and takes seconds. The truth about the wrong rows is known but not shown to the study.
    """
    reports = [run(table, output, seed) for table in dirty_tables(seed)]
    print("Open the reports in a browser:")
    for report in reports:
        print(f"  {report.absolute()}")


def run(dirty: DirtyTable, output: Path, seed: int) -> Path:
    """Write a dirty table, study it as a user would, and compare the suspects with the truth."""
    folder = output / dirty.name
    check_folder(folder)
    data = output / f"{dirty.name}.csv"
    with written_aside(data) as aside:
        dirty.table.to_csv(aside, index=False)
    print(f"{dirty.name}: {dirty.story}")
    command = f"rowtrust fit {data} --target {dirty.target} --seed {seed} --output {folder}"
    settings = Settings(data.name, dirty.target, seed=seed, command=command)
    asked = question(Given(str(data)), settings, Layout(), settings.test)
    study = study_aloud(asked, folder, force=True)  # the folder is the demo's own
    print(f"truth     {against_truth(study, dirty.wrong)}\n")
    return folder / REPORT


def against_truth(study: Study, wrong: NDArray[np.bool_]) -> str:
    """Say how many suspects are truly wrong."""
    suspects = np.array(study.suspect_rows, dtype=np.intp) - 1
    among_training = int(wrong[study.fitted.train.rows - 1].sum())
    return (
        f"{int(wrong[suspects].sum())} of the {len(suspects)} suspects are among the {among_training} rows "
        "of the training part that were made wrong"
    )
