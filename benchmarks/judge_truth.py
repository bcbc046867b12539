"""The judge on labels without any error, and on tables whose errors nobody made.

*Right labels*: drawn from smooth probabilities of two and five classes, so that none is wrong, however much
classes overlap. *Real errors*: software modules with the label that a heuristic gave and the one found by
hand, a network's probabilities of pictures that people labelled, and Boston's prices before their correction.
"""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import brentq
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import average_precision_score, f1_score
from sklearn.preprocessing import StandardScaler

from benchmarks.dirty_peers import by_cleanlab, out_of_fold
from benchmarks.race import one_thread
from benchmarks.report import print_table, print_title
from rowtrust import RobustRVC, RobustRVR, find_wrong_rows
from rowtrust.trust import Findings

Array = NDArray[Any]

ROWS, INPUTS = 400, 4
"""Rows and inputs of the smooth classes."""

CLASSES = ((2, 0.05, 0.5), (2, 0.15, 0.5), (2, 0.3, 0.5), (5, 0.05, 0.2), (5, 0.15, 0.2), (5, 0.3, 0.2))
"""Numbers of classes, the error of the best classifier, and the share of the last class."""

RARE = (2, 0.02, 1.0 / 21.0)
"""One row in 21 is of the second class."""

MOST_ROWS = 1000
"""Rows of a table of software modules that are judged."""


def mask(findings: Findings, rows: Array) -> Array:
    """Return a list of rows as a mask."""
    return np.isin(np.arange(len(findings.p_wrong)), rows)


# right labels ---------------------------------------------------------------------------------------


def smooth_classes(n_classes: int, error: float, last: float, draw: int) -> tuple[Array, Array]:
    """Return inputs, and labels drawn from smooth probabilities whose best classifier errs so often."""
    rng = np.random.default_rng([draw, n_classes, int(100 * error)])
    X = rng.normal(size=(4000, INPUTS))
    slopes, waves = rng.normal(size=(2, INPUTS, n_classes))
    latent = X @ slopes + 1.5 * np.sin(1.5 * X @ waves)
    share = np.append(np.full(n_classes - 1, (1.0 - last) / (n_classes - 1)), last)

    def probability(log_scale: float) -> Array:
        found, offset = latent, np.zeros(n_classes)
        for _ in range(60):
            weight = np.exp(log_scale) * latent + offset
            found = np.exp(weight - weight.max(axis=1, keepdims=True))
            found /= found.sum(axis=1, keepdims=True)
            offset += 0.7 * np.log(share / np.maximum(found.mean(axis=0), 1e-9))
        return found

    def excess(log_scale: float) -> float:
        return float(1.0 - probability(log_scale).max(axis=1).mean() - error)

    p = probability(brentq(excess, -3.0, 5.0) if excess(-3.0) > 0.0 > excess(5.0) else 5.0)[:ROWS]
    return X[:ROWS], (rng.random((ROWS, 1)) > p.cumsum(axis=1)[:, :-1]).sum(axis=1)


def innocent_cell(n_classes: int, error: float, last: float, draw: int) -> tuple[float, float]:
    """Return the share of right labels that are called wrong, and the errors expected."""
    X, y = smooth_classes(n_classes, error, last, draw)
    found = RobustRVC().fit(X, y).judge_rows(X, y)
    return len(found.flagged) / len(y), found.expected_errors


def print_innocent(draws: int, jobs: int) -> None:
    """Print how many right labels are called wrong."""
    print_title(f"Labels of which none is wrong, {ROWS} rows, {draws} draws: likely errors")
    kinds = (*CLASSES, RARE)
    cells = [(*kind, draw) for kind in kinds for draw in range(draws)]
    with one_thread():
        work = (joblib.delayed(innocent_cell)(*cell) for cell in cells)
        done = np.reshape(joblib.Parallel(jobs, batch_size=1)(work), (len(kinds), draws, 2))
    rows = []
    for (n_classes, error, last), each in zip(kinds, done, strict=True):
        flagged, expected = each.T
        line = [f"{flagged.mean():.2%}", f"{np.mean(flagged == 0.0):.2f}", f"{expected.mean():.1f}"]
        rows.append([str(n_classes), f"{last:.2f}", f"{error:.0%}", *line])
    heads = ["classes", "share of last", "error", "flagged", "draws without any", "errors expected"]
    print_table(heads, rows)
    print(f"nobody is flagged in {np.mean(done[..., 0] == 0.0):.2f} of all draws")


# real errors ----------------------------------------------------------------------------------------


def print_real(folder: Path) -> None:
    """Print what is found of real errors."""
    manifest = pd.read_csv(folder / "manifest.csv", dtype=str, keep_default_na=False)
    print_title("Real errors: RobustRVC, and cleanlab over a forest")
    rows = [modules(folder, line) for line in manifest.to_dict("records") if line["file"].startswith("jira")]
    heads = ["half", "table", "wrong", "AP", "cleanlab's", "F1 worth a look", "cleanlab's", "likely errors"]
    print_table(heads, rows)
    print_title("Real errors: probabilities of a network, and Boston's prices")
    networks = [line for line in manifest.to_dict("records") if "npz" in line["file"]]
    rows = [pictures(folder / line["file"], line) for line in networks]
    print_table(["half", "table", "wrong", "AP", "F1 worth a look", "likely errors", "seconds"], rows)
    print(boston(folder / "boston_corrected.csv"))


def figures(findings: Findings, wrong: Array) -> tuple[float, float, str]:
    """Return average precision, F1 of the rows worth a look, and how many likely errors there are and are."""
    named = mask(findings, findings.flagged)
    look = f1_score(wrong, mask(findings, findings.worth_a_look))
    return average_precision_score(wrong, findings.p_wrong), look, f"{(named & wrong).sum()} of {named.sum()}"


def modules(folder: Path, line: dict[str, str]) -> list[str]:
    """Return what is found in a table of software modules."""
    table = pd.read_csv(folder / line["file"])
    table = table.sample(min(MOST_ROWS, len(table)), random_state=0)
    given, true = (table[line[name]].astype(bool).to_numpy().astype(int) for name in ("given", "true"))
    wrong = given != true
    dropped = [line["given"], line["true"], *line["drop"].split()]
    X = StandardScaler().fit_transform(np.log1p(table.drop(columns=dropped).clip(lower=0.0)))
    precision, look, named = figures(RobustRVC().fit(X, given).judge_rows(X, given), wrong)
    forest = RandomForestClassifier(200, random_state=0)
    score, theirs = by_cleanlab(out_of_fold(forest, X, given, 0), given)
    peers = average_precision_score(wrong, score), f1_score(wrong, theirs)
    cells = [precision, peers[0], look, peers[1]]
    return [line["half"], line["name"], str(wrong.sum()), *(f"{each:.3f}" for each in cells), named]


def pictures(file: Path, line: dict[str, str]) -> list[str]:
    """Return what is found by the probabilities of a network."""
    data = np.load(file)
    given = data["given"].astype(int)
    wrong = data["wrong"].astype(bool) if "wrong" in data.files else given != data["true"]
    start = perf_counter()
    found = find_wrong_rows(y=given, probabilities=data["pred_probs"].astype(float))
    seconds = perf_counter() - start
    precision, look, named = figures(found, wrong)
    cells = [str(wrong.sum()), f"{precision:.3f}", f"{look:.3f}", named, f"{seconds:.1f}"]
    return [line["half"], line["name"], *cells]


def boston(file: Path) -> str:
    """Say at which places Boston's five large errors are ranked."""
    table = pd.read_csv(file)
    off = np.abs(table["MEDV"] - table["CMEDV"]).to_numpy()
    X = StandardScaler().fit_transform(table.drop(columns=["TOWN", "TOWNNO", "TRACT", "MEDV", "CMEDV"]))
    y = table["MEDV"].to_numpy()
    order = RobustRVR().fit(X, y).judge_rows(X, y).order
    places = sorted(1 + int(np.flatnonzero(order == row)[0]) for row in np.argsort(-off)[:5])
    return f"Boston: the five large errors are at places {', '.join(map(str, places))} of {len(y)}"
