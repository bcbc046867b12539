"""``rowtrust demo``: the whole story on built-in dirty data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import root_mean_squared_error

from rowtrust.atomic import written_aside
from rowtrust.cli import options
from rowtrust.cli.failing import in_one_line
from rowtrust.cli.fit import study_aloud
from rowtrust.datasets.demo import DirtyTable, dirty_tables
from rowtrust.estimators import TrustedClassifier, TrustedRegressor
from rowtrust.workflow import Settings, Study
from rowtrust.workflow.api import question
from rowtrust.workflow.input_data import InputTable
from rowtrust.workflow.records import REPORT
from rowtrust.workflow.results import check_folder
from rowtrust.workflow.tables import Layout

TEST_SHARE = 4
"""One row in so many is kept to test boosting: more than a hundred rows. A usual share."""


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
    """Write a dirty table, study it as a user would, and compare the flagged rows with the truth."""
    folder = output / dirty.name
    check_folder(folder)
    data = output / f"{dirty.name}.csv"
    with written_aside(data) as aside:
        dirty.table.to_csv(aside, index=False)
    print(f"{dirty.name}: {dirty.story}")
    command = f"rowtrust fit {data} --target {dirty.target} --seed {seed} --output {folder}"
    settings = Settings(data.name, dirty.target, seed=seed, command=command)
    asked = question(InputTable(str(data)), settings, Layout(), settings.test)
    study = study_aloud(asked, folder, force=True)  # the folder is the demo's own
    print(f"truth     {against_truth(study, dirty.wrong)}")
    print(f"boosting  {boosting_three_times(dirty, seed)}\n")
    return folder / REPORT


def boosting_three_times(dirty: DirtyTable, seed: int) -> str:
    """Say how boosting predicts true targets of other rows: as given, trusted, without the true errors."""
    X, given = dirty.table.drop(columns=dirty.target), dirty.table[dirty.target].to_numpy()
    X = X.astype(dict.fromkeys(X.select_dtypes(exclude="number").columns, "category"))
    rows = np.random.default_rng([seed, TEST_SHARE]).permutation(len(given))
    test, train = np.split(rows, [len(rows) // TEST_SHARE])
    is_classes = given.dtype.kind not in "if"
    boosting: Any = (HistGradientBoostingClassifier if is_classes else HistGradientBoostingRegressor)()
    boosting.set_params(random_state=seed)
    trusted = (TrustedClassifier if is_classes else TrustedRegressor)(boosting, random_state=seed)
    right = train[~dirty.wrong[train]]
    results = []
    for name, model, known in (
        ("as given", boosting, train),
        ("trusted", trusted, train),
        ("with the true errors removed", boosting, right),
    ):
        said, true = model.fit(X.iloc[known], given[known]).predict(X.iloc[test]), dirty.true[test]
        off = f"{np.mean(said != true):.1%}" if is_classes else f"{root_mean_squared_error(true, said):.1f}"
        results.append(f"{name} {off}")
    plain = "" if trusted.uses_trust_ else " (weighting did not help: trusted is the plain fit)"
    return f"{'errors' if is_classes else 'RMSE'} on {len(test)} true rows: {', '.join(results)}{plain}"


def against_truth(study: Study, wrong: NDArray[np.bool_]) -> str:
    """Say how many flagged rows are truly wrong."""
    flagged = np.array(study.flagged_rows, dtype=np.intp)
    among_training = int(wrong[study.fitted.train.rows - 1].sum())
    return (
        f"{int(wrong[flagged].sum())} of the {len(flagged)} flagged rows are among the {among_training} rows "
        "of the training part that were made wrong"
    )
