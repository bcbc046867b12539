"""Imbalance: memberships and class weights where one class in twenty rows is the rare one."""

from __future__ import annotations

from sklearn.svm import SVC

from benchmarks import scores
from benchmarks.problems import rare_class
from benchmarks.race import Entrant, Record, Settings, race
from benchmarks.report import print_table, print_title, print_warnings, seconds, verdict
from rowtrust import RVC, FuzzyRVC
from rowtrust.memberships import MEMBERSHIPS, Residual

GAMMA = 0.5
ROWS = 800
SEEDS, QUICK_SEEDS = 10, 3
POINTS = 10.0
COLUMNS = ("balanced accuracy", "G-mean", "AUC", "average precision")


def run(settings: Settings) -> None:
    """Compare all memberships for classes, and print the table."""
    seeds = QUICK_SEEDS if settings.quick else SEEDS
    problems = [rare_class(ROWS, seed) for seed in range(seeds)]
    records = race(entrants(), problems, scores.rare_class)
    print_title(f"Imbalance: overlapping clouds, 5 % in the rare one, n = {ROWS}, {seeds} seeds")
    print_table(["model", "fit s", *COLUMNS], [row(record) for record in records.values()])
    print_warnings(records.values())
    imbalance_verdict(records)


def entrants() -> list[Entrant]:
    return [
        Entrant("RVC", lambda seed: RVC(gamma=GAMMA, random_state=seed)),
        Entrant("RVC balanced", lambda seed: RVC(gamma=GAMMA, class_weight="balanced", random_state=seed)),
        Entrant("SVC balanced", lambda seed: SVC(gamma=GAMMA, class_weight="balanced")),
        *(fuzzy(name) for name in class_memberships()),
    ]


def class_memberships() -> list[str]:
    """Return the names of all memberships but those for regression."""
    return [name for name, membership in MEMBERSHIPS.items() if not isinstance(membership, Residual)]


def fuzzy(membership: str) -> Entrant:
    return Entrant(
        f"FuzzyRVC {membership}",
        lambda seed: FuzzyRVC(gamma=GAMMA, membership=membership, random_state=seed),
    )


def row(record: Record) -> list[str]:
    return [record.name, seconds(record.seconds), *(f"{record.mean(column):.4f}" for column in COLUMNS)]


def imbalance_verdict(records: dict[str, Record]) -> None:
    fuzzy_records = [record for name, record in records.items() if name.startswith("FuzzyRVC")]
    best = max(fuzzy_records, key=lambda record: record.mean("balanced accuracy"))
    points = 100 * best.lead(records["RVC"], "balanced accuracy")
    verdict(
        points >= POINTS,
        f"the best membership, {best.name}, lifts balanced accuracy over RVC by {points:.1f} points "
        f"(target {POINTS:g})",
    )
