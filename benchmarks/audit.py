"""The audit: finding rows with a wrong label, against cleanlab's recipe.

The recipe: probabilities of every row from a cross-validated, calibrated support vector machine, ranked by
cleanlab's ``find_label_issues``. Both get the same standardised inputs and the same wrong labels.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.problems import Array, read_ripley
from benchmarks.race import Settings
from benchmarks.report import print_table, print_title, verdict
from rowtrust import RobustRVC
from rowtrust.datasets import flip_labels
from rowtrust.trust import find_wrong_rows

SEEDS, QUICK_SEEDS = 10, 3
FLIPPED_SHARE = 0.1
FOLDS = 5

Ranking = Callable[[Array, Array, int], Array]
"""From inputs, labels as given and a seed to the rows, the most suspicious first."""


@dataclass(frozen=True)
class Search:
    """How well and how fast wrong rows were found, in the mean over seeds."""

    precision: float
    seconds: float
    share: float


def run(settings: Settings) -> None:
    """Print average precision and time on every data set that is here."""
    try:
        import cleanlab  # noqa: F401
    except ImportError:
        print("\naudit: skipped; install cleanlab to race against it.")
        return
    seeds = QUICK_SEEDS if settings.quick else SEEDS
    print_title(f"Audit: {FLIPPED_SHARE:.0%} of the labels flipped, average precision over {seeds} seeds")
    found = {name: compare(X, y, seeds) for name, X, y in data_sets(settings.data)}
    rows = [table_row(name, *pair) for name, pair in found.items()]
    headers = ["data", "rowtrust", "cleanlab", "rowtrust s", "cleanlab s", "x faster", "share estimated"]
    print_table(headers, rows)
    verdicts(found)


def table_row(name: str, ours: Search, theirs: Search) -> list[str]:
    return [
        name,
        f"{ours.precision:.4f}",
        f"{theirs.precision:.4f}",
        f"{ours.seconds:.4f}",
        f"{theirs.seconds:.3f}",
        f"{theirs.seconds / ours.seconds:.1f}",
        f"{ours.share:.3f}",
    ]


def verdicts(found: dict[str, tuple[Search, Search]]) -> None:
    ours = float(np.mean([pair[0].precision for pair in found.values()]))
    theirs = float(np.mean([pair[1].precision for pair in found.values()]))
    verdict(ours >= theirs, f"mean average precision {ours:.4f} (target at least cleanlab's {theirs:.4f})")
    for name, (mine, peer) in found.items():
        verdict(
            mine.precision >= peer.precision, f"on {name} {mine.precision:.4f}, cleanlab {peer.precision:.4f}"
        )
    slowest = min(peer.seconds / mine.seconds for mine, peer in found.values())
    total = sum(pair[1].seconds for pair in found.values()) / sum(pair[0].seconds for pair in found.values())
    verdict(total >= 10, f"{total:.1f} x faster in all, {slowest:.1f} x where it leads least (target 10)")


def compare(X: Array, y: Array, seeds: int) -> tuple[Search, Search]:
    """Let both rank the same dirty labels, in turn."""
    X = StandardScaler().fit_transform(X)
    results: dict[Ranking, list[tuple[float, float, float]]] = {by_rowtrust: [], by_cleanlab: []}
    for rank in results:  # nobody pays for imports
        rank(X[::5], y[::5], 0)
    for seed in range(seeds):
        given, flipped = flip_labels(y, FLIPPED_SHARE, random_state=seed)
        for rank, runs in results.items():
            runs.append(timed(rank, X, given, flipped, seed))
    ours, theirs = (summary(runs) for runs in results.values())
    return ours, theirs


def timed(rank: Ranking, X: Array, given: Array, flipped: Array, seed: int) -> tuple[float, float, float]:
    gc.collect()
    start = perf_counter()
    order = rank(X, given, seed)
    seconds = perf_counter() - start
    position = np.empty(len(order))
    position[order] = np.arange(len(order))
    share = find_wrong_rows(RobustRVC(random_state=seed), X, given).share if rank is by_rowtrust else np.nan
    return float(average_precision_score(flipped, -position)), seconds, share


def summary(runs: list[tuple[float, float, float]]) -> Search:
    precision, seconds, share = zip(*runs, strict=True)
    return Search(float(np.mean(precision)), median(seconds), float(np.mean(share)))


def by_rowtrust(X: Array, y: Array, seed: int) -> Array:
    return find_wrong_rows(RobustRVC(random_state=seed), X, y).order


def by_cleanlab(X: Array, y: Array, seed: int) -> Array:
    from cleanlab.filter import find_label_issues
    from cleanlab.rank import get_label_quality_scores

    model = CalibratedClassifierCV(SVC(random_state=seed))
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    probability = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
    issues = find_label_issues(y, probability, return_indices_ranked_by="self_confidence", n_jobs=1)
    # The filter names only some rows; the others follow in the order of the same score.
    rest = np.argsort(get_label_quality_scores(y, probability, method="self_confidence"), kind="stable")
    return np.concatenate([issues, rest[~np.isin(rest, issues)]]).astype(int)


def data_sets(folder: Path | None) -> Iterator[tuple[str, Array, Array]]:
    """Yield the bundled breast-cancer table, and the papers' data where their folder is known."""
    X, y = load_breast_cancer(return_X_y=True)
    yield "breast cancer", X, y
    if folder is None:
        print("Ripley, Ionosphere, Cancer, Banana: skipped; give their folder with --data or ROWTRUST_DATA.")
        return
    yield "Ripley", *read_ripley(folder)
    table = np.genfromtxt(folder / "ionosphere" / "ionosphere.data", delimiter=",", dtype=str)
    yield "Ionosphere", table[:, :-1].astype(float), (table[:, -1] == "g").astype(int)
    path = folder / "breast_cancer_wisconsin" / "breast-cancer-wisconsin.data"
    table = np.genfromtxt(path, delimiter=",", missing_values="?")
    table = table[~np.isnan(table).any(axis=1)]
    yield "Cancer", table[:, 1:-1], (table[:, -1] == 4).astype(int)
    X = np.loadtxt(folder / "banana" / "banana_train_data_1.asc")
    yield "Banana", X, (np.loadtxt(folder / "banana" / "banana_train_labels_1.asc") > 0).astype(int)
