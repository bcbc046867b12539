"""The command against boosting, forests and SVM on every table of the manifest, as they are and with dirt.

``python -m benchmarks.command`` writes one line per cell into a CSV as it goes on, so that it can be stopped
and started again, and ``python -m benchmarks.command --report`` prints the tables. Every model gets the same
four fifths of the rows and is judged on the same other fifth, three times. The command gets the rows as a
text file, the name of the target and whether it is a class or a number, for wine's grades look like both. The
peers get what a careful user would give them: ``benchmarks.tables``. Dirt: a tenth of the training labels are
another class at random, or a tenth of the training targets are moved by ten deviations at random; test rows
are clean.
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from benchmarks.accuracy_models import CLASSIFIERS, FOLDS, REGRESSORS, Work, svc_search, svr_search
from benchmarks.tables import prepared, read_frame, read_manifest, usable_inputs
from rowtrust.workflow import Settings, run_study

Array = NDArray[Any]

SPLITS = 3
TEST_SHARE = 0.2
DIRT = 0.1
GROSS = 10.0
"""Deviations by which a gross error moves a target, up or down."""

SVM = "SVM"
PEERS = ("boosting", "forest", SVM)
"""The rivals: scikit-learn's defaults, and a support vector machine with a grid search of 20 points."""

SEARCH_ROWS, SVM_ROWS = 2000, 10_000
"""Rows on which support vector machines are searched, and rows that they are fitted to at most: they take
hours with more."""

SMALLEST_PROBABILITY = 1e-6
"""Where the log loss is cut off for all: forests say zero, which would cost them any number of nats."""

COLUMNS = ("name", "half", "task", "dirt", "split", "model", "score", "seconds", "rows", "what")


@dataclass(frozen=True)
class Split:
    """Rows to fit and rows to judge by, for the command as words and for the peers as numbers."""

    line: dict[str, str]
    dirt: bool
    number: int
    raw: pd.DataFrame
    inputs: pd.DataFrame
    target: Array
    given: Array
    fit: Array
    test: Array

    @property
    def is_classes(self) -> bool:
        """Whether the target is a class."""
        return self.line["task"] == "classes"


def splits(folder: Path, line: dict[str, str], dirt: bool) -> Iterator[Split]:
    """Yield the three splits of a table."""
    frame, target = read_frame(folder, line)
    known = target.notna().to_numpy()
    frame, target = frame[known].reset_index(drop=True), target[known].reset_index(drop=True)
    is_classes = line["task"] == "classes"
    words = target.astype(str).to_numpy(dtype=object)
    values = np.unique(words, return_inverse=True)[1] if is_classes else target.to_numpy(dtype=float)
    for number in range(SPLITS):
        fit, test = train_test_split(
            np.arange(len(values)),
            test_size=TEST_SHARE,
            random_state=number,
            stratify=values if is_classes else None,
        )
        given = values.copy()
        if dirt:
            given[fit] = spoilt(values[fit], is_classes, number)
        raw = frame.copy()
        raw["the target"] = np.unique(words)[given] if is_classes else given
        yield Split(line, dirt, number, raw, usable_inputs(frame), values, given, fit, test)


def spoilt(values: Array, is_classes: bool, seed: int) -> Array:
    """Return targets of which a tenth are wrong."""
    generator = np.random.default_rng(seed)
    rows = generator.choice(len(values), round(DIRT * len(values)), replace=False)
    found = values.copy()
    if is_classes:
        n_classes = int(values.max()) + 1
        found[rows] = (values[rows] + generator.integers(1, n_classes, len(rows))) % n_classes
    else:
        found[rows] += GROSS * values.std() * generator.choice([-1.0, 1.0], len(rows))
    return found


def score(is_classes: bool, prediction: Array, target: Array) -> float:
    """Return the log loss, or the RMSE in deviations of the target."""
    if is_classes:
        bounded = np.clip(prediction, SMALLEST_PROBABILITY, None)
        bounded /= bounded.sum(axis=1, keepdims=True)
        return float(log_loss(target, bounded, labels=np.arange(prediction.shape[1])))
    return float(np.sqrt(np.mean((prediction - target) ** 2)) / target.std())


def run_ours(split: Split) -> tuple[float, float, str]:
    """Study the training rows as the command does, judged by the test rows."""
    table = as_text(split.raw)
    settings = Settings(
        split.line["name"], "the target", task="classification" if split.is_classes else "regression"
    )
    start = process_time()
    study = run_study(table.iloc[split.fit].reset_index(drop=True), settings, table.iloc[split.test])
    seconds = process_time() - start
    prediction = study.judged.prediction
    if isinstance(prediction, tuple):
        return score(False, prediction[0], split.target[split.test]), seconds, study.chosen
    words = np.unique(as_words(split.raw["the target"]))
    order = np.argsort([place_of(str(label), words) for label in study.fitted.classes])
    return score(True, np.asarray(prediction)[:, order], split.target[split.test]), seconds, study.chosen


def place_of(label: str, words: Array) -> int:
    """Return the place of a label among the words of a file: 1 may be written there as 1.0."""
    if label in words:
        return int(np.flatnonzero(words == label)[0])
    return int(np.flatnonzero(words.astype(float) == float(label))[0])


def as_words(column: pd.Series[Any]) -> list[str]:
    return [str(each) for each in column]


def as_text(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table as it is read from its text file."""
    from rowtrust.workflow.tables import read_table

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.csv"
        table.to_csv(file, index=False)
        return read_table(str(file))


def run_peer(split: Split, name: str) -> tuple[float, float, str]:
    """Fit a peer to the same rows."""
    X, X_test = prepared(split.inputs, split.fit, split.test)
    y, target = split.given[split.fit], split.target[split.test]
    start = process_time()
    if name == SVM:
        model = support_vector_machine(X, y, split.is_classes, split.number)
    else:
        models = CLASSIFIERS if split.is_classes else REGRESSORS
        model = models[name](Work(X, y, split.number)).model
    seconds = process_time() - start
    if not split.is_classes:
        return score(False, model.predict(X_test), target), seconds, ""
    probability = np.zeros((len(target), int(split.target.max()) + 1))
    probability[:, model.classes_] = model.predict_proba(X_test)
    return score(True, probability, target), seconds, ""


def support_vector_machine(X: Array, y: Array, is_classes: bool, seed: int) -> Any:
    """Return the best of a grid search, fitted to as many rows as it can take; classes with probabilities."""
    search = svc_search if is_classes else svr_search
    work = Work(X[:SEARCH_ROWS], y[:SEARCH_ROWS], seed)
    best = clone(search(work).fit(work.X, work.y).best_estimator_)
    if is_classes:
        best = CalibratedClassifierCV(best, method="sigmoid", cv=FOLDS, ensemble=False)
    return best.fit(X[:SVM_ROWS], y[:SVM_ROWS])


def run_cells(folder: Path, output: Path, asked: argparse.Namespace, dirts: list[bool]) -> None:
    """Run every cell that the output lacks, several at once if that is asked for."""
    done = set()
    if output.exists():
        with output.open() as stream:
            done = {(row["name"], row["dirt"], row["split"], row["model"]) for row in csv.DictReader(stream)}
    models = ("command", *([] if asked.ours_only else PEERS))
    cells = [
        (folder, line, dirt, number, model)
        for line in read_manifest(folder)
        if not asked.names or line["name"] in asked.names
        for dirt in dirts
        for number in range(SPLITS)
        for model in models
        if (line["name"], str(dirt), str(number), model) not in done
    ]
    with output.open("a", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        if not done:
            writer.writeheader()
        runs = Parallel(asked.jobs, return_as="generator_unordered")(
            delayed(run_cell)(*cell) for cell in cells
        )
        for row in runs:
            writer.writerow(dict(zip(COLUMNS, row, strict=True)))
            stream.flush()


def run_cell(folder: Path, line: dict[str, str], dirt: bool, number: int, model: str) -> tuple[Any, ...]:
    """Return one line of the output: a model on a split of a table."""
    warnings.simplefilter("ignore")
    split = next(each for each in splits(folder, line, dirt) if each.number == number)
    found, seconds, what = run_ours(split) if model == "command" else run_peer(split, model)
    return line["name"], line["half"], line["task"], dirt, number, model, found, seconds, len(split.fit), what


def run_whole(folder: Path, output: Path, names: list[str]) -> None:
    """Run the command itself on every file as it is; write its time, its memory and what it says."""
    with output.open("a", newline="") as stream:
        for line in read_manifest(folder):
            if names and line["name"] not in names:
                continue
            with tempfile.TemporaryDirectory() as place:
                print(line["name"], json.dumps(whole_run(folder, line, Path(place))), file=stream, flush=True)


def whole_run(folder: Path, line: dict[str, str], place: Path) -> dict[str, Any]:
    """Return what one run of the command took."""
    data, target = one_file(folder, line, place)
    options = ["--target", target, *([] if line["header"] == "yes" else ["--no-header"])]
    for name in line["drop"].split():
        options += ["--drop", name]
    code = "from rowtrust.cli import main; main()"
    command = [sys.executable, "-c", code, "fit", str(data), *options, "-o", str(place / "out"), "--json"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    start = perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    found: dict[str, Any] = {"rc": done.returncode, "seconds": round(seconds, 1)}
    found["MiB"] = f"{'<= ' if after == before else ''}{after // 1024}"
    if done.returncode:
        return {**found, "error": done.stderr.strip()[-300:]}
    facts = json.loads(done.stdout)
    return {**found, "rows": facts["rows"]["train"] + facts["rows"]["judged"], "model": facts["model"]}


def one_file(folder: Path, line: dict[str, str], place: Path) -> tuple[Path, str]:
    """Return the file of a table, made of its parts where it has several, and its target."""
    if line["name"] == "banana":
        frame, target = read_frame(folder, line)
        frame.assign(label=target).to_csv(place / "banana.csv", index=False, header=False)
        return place / "banana.csv", "3"
    parts = line["file"].split(" + ")
    if len(parts) == 1:
        return folder / parts[0], line["target"]
    texts = [(folder / part).read_text().splitlines(keepends=True) for part in parts]
    whole = place / Path(parts[0]).name
    whole.write_text("".join(texts[0] + [row for text in texts[1:] for row in text[1:]]))
    return whole, line["target"]


def report(output: Path) -> None:
    """Print the scores, their ranks, and the times."""
    cells = pd.read_csv(output)
    for dirt, part in cells.groupby("dirt"):
        print(f"\n## {'A tenth of the training targets wrong' if dirt else 'The tables as they are'}\n")
        means = part.pivot_table(index=["half", "task", "name"], columns="model", values="score")
        seconds = part.pivot_table(index=["half", "task", "name"], columns="model", values="seconds")
        ranks = means.dropna().rank(axis=1)
        print(markdown(means.assign(seconds=seconds["command"]).reset_index()))
        print("\nMean ranks of the mean scores:\n")
        halves = ranks.groupby(level="half").mean()
        halves.loc["all"] = ranks.mean()
        print(markdown(halves.round(2).reset_index()))
        print(f"\nTables: {len(ranks)}; splits of each: {part['split'].nunique()}.")


def markdown(table: pd.DataFrame) -> str:
    """Return a table as Markdown."""
    lines = [list(map(str, table.columns)), ["---"] * table.shape[1]]
    lines += [
        [f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in row] for row in table.values
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.command", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of manifest.csv")
    parser.add_argument("--output", type=Path, default=Path("command.csv"))
    parser.add_argument("--names", nargs="*", default=[])
    parser.add_argument("--jobs", type=int, default=1, help="cells at once")
    parser.add_argument("--ours-only", action="store_true")
    parser.add_argument("--dirt", choices=["none", "all", "both"], default="both")
    parser.add_argument("--whole", action="store_true", help="run the command itself on the whole files")
    parser.add_argument("--report", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.report:
        report(asked.output)
    elif asked.whole:
        run_whole(asked.data, asked.output, asked.names)
    else:
        dirts = {"none": [False], "all": [True], "both": [False, True]}[asked.dirt]
        run_cells(asked.data, asked.output, asked, dirts)


if __name__ == "__main__":
    main()
