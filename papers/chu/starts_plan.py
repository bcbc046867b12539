"""Chu, Keerthi & Ong (2001), section 5: which experiments of several starts there are."""

from __future__ import annotations

from papers.chu.starts import PROBLEMS, starts_once
from papers.context import RunContext
from papers.experiments import Experiment, Record

RESTARTS = 4
"""Random starts beside the first."""

DRAWS, QUICK_DRAWS = 12, 2
"""Draws of each problem."""

WAYS = ("paper", "library")
"""How a search climbs: at the paper's beta from the start, or as the estimator does."""


def start_experiments(context: RunContext) -> dict[tuple[str, str], Experiment]:
    """Return the experiments by problem and way."""
    return {
        (problem, way): Experiment(
            f"chu-starts-{problem.replace(' ', '-').lower()}-{way}",
            starts_once,
            {"problem": problem, "restarts": RESTARTS, "way": way},
            context.count(DRAWS, QUICK_DRAWS),
            stream=f"chu-starts-{problem}",
            datasets=("boston",) if problem == "Boston" else (),
        )
        for problem in PROBLEMS
        for way in WAYS
    }


def start_records(context: RunContext) -> dict[tuple[str, str], list[Record]]:
    """Return the records by problem and way."""
    experiments = start_experiments(context)
    records = context.collect(experiments.values())
    return {key: records[experiment.name] for key, experiment in experiments.items()}
