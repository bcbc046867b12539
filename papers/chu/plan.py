"""Chu, Keerthi & Ong (2001): which experiments there are."""

from __future__ import annotations

from typing import Any

from papers.chu.monte_carlo import BETAS, SIZES, evidence_once
from papers.chu.printed import printed_once
from papers.chu.protocol import BETA, arm_once, boston_once, sinc_once
from papers.chu.published import SINC_BY_BETA, SINC_BY_NOISE, SPLITS
from papers.chu.starts_plan import start_experiments
from papers.chu.variants import variants_once
from papers.context import RunContext
from papers.experiments import Experiment, Record

DRAWS, QUICK_DRAWS = 50, 3
"""Fresh draws of the sinc and robot arm data: enough for a spread known to a tenth."""

QUICK_SPLITS = 3
"""Splits of the housing data in a quick run."""

QUICK_ARM_DRAWS = 4
"""Fresh draws of the robot arm in a quick run."""

RESTARTS = 4
"""Further starts of the search, drawn as in section 4: the paper's conclusion asks for several."""

STARTS, QUICK_STARTS = 20, 4
"""Random starts of the search on MacKay's rows, whose spread is the tolerance of tables 3 to 5."""

TABLE_2_NOISE = 0.1
"""Standard deviation of the noise of table 2."""

PROBLEMS, QUICK_PROBLEMS = 24, 2
"""Small problems of each size whose evidence is measured by Monte Carlo."""

VARIANT_SPLITS, QUICK_VARIANT_SPLITS = 20, 1
"""Splits on which variants of the rivals of table 7 are tried: the first of the 100."""

START_NAMES = {"": "designed start", "restarts": "best of five starts", "random": "one random start"}
"""How the search began, by the word in the experiment's name. The last is the paper's."""


def sinc_experiment(context: RunContext, noise: float, beta: float, start: str = "") -> Experiment:
    """Return the experiment of one level of noise, one beta and one way to start: see ``START_NAMES``."""
    settings: dict[str, Any] = {"noise": noise, "beta": beta}
    if start == "restarts":
        settings["restarts"] = RESTARTS
    elif start:
        settings["start"] = start
    kind = f"-{start}" if start else ""
    name = f"chu-sinc{kind}-noise-{noise:g}-beta-{beta:g}"
    return Experiment(name, sinc_once, settings, context.count(DRAWS, QUICK_DRAWS), stream="chu-sinc")


def arm_experiments(context: RunContext) -> tuple[Experiment, Experiment]:
    """Return the fit of MacKay's rows, and those of fresh draws."""
    restarts = 0 if context.quick else RESTARTS
    own = {"drawn": False, "restarts": restarts}
    fresh = {"drawn": True, "restarts": restarts}
    return (
        Experiment("chu-arm", arm_once, own, datasets=("robot arm",)),
        Experiment("chu-arm-fresh", arm_once, fresh, context.count(DRAWS, QUICK_ARM_DRAWS)),
    )


def arm_start_experiment(context: RunContext) -> Experiment:
    """Return the experiment of random starts on MacKay's rows."""
    settings = {"drawn": False, "restarts": 0, "start": "random"}
    starts = context.count(STARTS, QUICK_STARTS)
    return Experiment("chu-arm-starts", arm_once, settings, starts, datasets=("robot arm",))


def arm_records(context: RunContext) -> tuple[Record, list[Record]]:
    """Return the record of MacKay's rows, and those of fresh draws."""
    own, fresh = arm_experiments(context)
    records = context.collect([own, fresh])
    return records[own.name][0], records[fresh.name]


def arm_start_records(context: RunContext) -> list[Record]:
    """Return the records of random starts on MacKay's rows."""
    return records_of(context, arm_start_experiment(context))


def boston_experiment(context: RunContext) -> Experiment:
    """Return the experiment of the housing data."""
    splits = context.count(SPLITS, QUICK_SPLITS)
    return Experiment("chu-boston", boston_once, {"restarts": 0}, splits, datasets=("boston",))


def boston_records(context: RunContext) -> list[Record]:
    """Return the records of the housing data."""
    return records_of(context, boston_experiment(context))


def variants_experiment(context: RunContext) -> Experiment:
    """Return the experiment of variants of the rivals, on the same splits as the housing data."""
    splits = context.count(VARIANT_SPLITS, QUICK_VARIANT_SPLITS)
    return Experiment(
        "chu-boston-variants", variants_once, {}, splits, stream="chu-boston", datasets=("boston",)
    )


def printed_experiment(context: RunContext) -> Experiment:
    """Return the experiment of the printed hyperparameters on MacKay's rows."""
    return Experiment("chu-arm-printed", printed_once, datasets=("robot arm",))


def evidence_experiments(context: RunContext) -> dict[tuple[int, float], Experiment]:
    """Return the experiments of the evidence by Monte Carlo, by number of rows and beta."""
    problems = context.count(PROBLEMS, QUICK_PROBLEMS)
    return {
        (rows, beta): Experiment(
            f"chu-evidence-{rows}-rows-beta-{beta:g}",
            evidence_once,
            {"rows": rows, "beta": beta, "grid": context.grid},
            problems,
            stream="chu-evidence",
        )
        for rows in SIZES
        for beta in BETAS
    }


def records_of(context: RunContext, experiment: Experiment) -> list[Record]:
    """Return the records of one experiment."""
    return context.collect([experiment])[experiment.name]


def all_experiments(context: RunContext) -> list[Experiment]:
    """Return all experiments of this paper."""
    return [
        *(sinc_experiment(context, noise, BETA, start) for noise in SINC_BY_NOISE for start in START_NAMES),
        *(sinc_experiment(context, TABLE_2_NOISE, beta) for beta in SINC_BY_BETA if beta != BETA),
        *arm_experiments(context),
        arm_start_experiment(context),
        printed_experiment(context),
        boston_experiment(context),
        variants_experiment(context),
        *evidence_experiments(context).values(),
        *start_experiments(context).values(),
    ]
