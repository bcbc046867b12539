"""Regression: ``sin(x) / x`` with noise."""

from __future__ import annotations

from benchmarks import peers, scores
from benchmarks.problems import sinc
from benchmarks.race import Entrant, Settings, race
from benchmarks.report import faster_verdict, print_races
from rowtrust import RVR, RobustRVR

GAMMA = 0.5
SIZES = (200, 1000, 2000, 5000, 10000)
TIMES_FASTER = {2000: 1, 10000: 5}


def run(settings: Settings) -> None:
    """Race at every size and print the table."""
    sizes = SIZES[:2] if settings.quick else SIZES
    races = {}
    for size in sizes:
        problems = [sinc(size, seed) for seed in range(settings.repeats)]
        races[size] = race(entrants(), problems, scores.rmse, settings.patience)
    print_races("Regression: sinc, noise 0.1, RMSE to the true function", races, "RVR", "RMSE")
    for size, target in TIMES_FASTER.items():
        if size in races:
            faster_verdict(races[size], "RVR", peers.FASTRVM, target, size)


def entrants() -> list[Entrant]:
    return [
        Entrant("RVR", lambda seed: RVR(gamma=GAMMA, random_state=seed)),
        Entrant("RobustRVR", lambda seed: RobustRVR(gamma=GAMMA, random_state=seed)),
        peers.fastrvm_regressor(GAMMA),
        peers.support_vector_regressor(GAMMA),
        peers.searched_regressor(largest=2000),
        peers.gaussian_process_regressor(largest=1000),
    ]
