"""Classification: two half-moons with 10 % wrong labels."""

from __future__ import annotations

from benchmarks import peers, scores
from benchmarks.problems import moons
from benchmarks.race import Entrant, Record, Settings, race
from benchmarks.report import faster_verdict, print_races, verdict
from rowtrust import RVC, RobustRVC

GAMMA = 2.0
SIZES = (200, 1000, 2000, 5000)
TIMES_FASTER = {("RVC", 2000): 4, ("RVC", 5000): 30, ("RobustRVC", 2000): 2, ("RobustRVC", 5000): 15}
ACCURACY_LOST = 0.002


def run(settings: Settings) -> None:
    """Race at every size and print the table."""
    sizes = SIZES[:2] if settings.quick else SIZES
    races = {}
    for size in sizes:
        problems = [moons(size, seed) for seed in range(settings.repeats)]
        races[size] = race(entrants(), problems, scores.accuracy, settings.patience)
    print_races("Classification: moons, 10 % of the labels wrong, clean test rows", races, "RVC", "accuracy")
    for (model, size), target in TIMES_FASTER.items():
        if size in races:
            faster_verdict(races[size], model, peers.FASTRVM, target, size)
            accuracy_verdict(races[size], model, size)


def entrants() -> list[Entrant]:
    return [
        Entrant("RVC", lambda seed: RVC(gamma=GAMMA, random_state=seed)),
        Entrant("RobustRVC", lambda seed: RobustRVC(gamma=GAMMA, random_state=seed)),
        peers.fastrvm_classifier(GAMMA),
        peers.calibrated_classifier(GAMMA),
        peers.searched_classifier(largest=2000),
        peers.gaussian_process_classifier(largest=1000),
    ]


def accuracy_verdict(records: dict[str, Record], model: str, size: int) -> None:
    lead = records[model].lead(records[peers.FASTRVM], "accuracy")
    verdict(
        lead >= -ACCURACY_LOST,
        f"accuracy of {model} less that of fastrvm on the same data at n = {size}: {lead:+.4f} "
        f"(target at least {-ACCURACY_LOST:g})",
    )
