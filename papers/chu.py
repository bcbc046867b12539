"""Chu, Keerthi & Ong (2001): a unified loss function for support vector regression. Tables."""

from __future__ import annotations

from collections.abc import Callable

from papers import chu_published as paper
from papers.chu_protocol import BETA, arm_once, boston_once, sinc_once
from papers.context import RunContext
from papers.store import Experiment, Record
from papers.tables import Cell, Direction, Number, ResultTable

NOTES = (
    (
        "Inputs and targets are normalised to mean zero and variance one, and hyperparameters and -ln P "
        "are in those units, with the constant n ln 2 left out as in the paper. ASE and AAE are in the "
        "data's units, against noisy targets."
    ),
    "Sinc and robot arm: prior variance 1 and no bias, as in the paper. Boston: both learnt.",
    (
        "The paper's sinc and robot arm numbers are single runs. Ours are means over fresh draws, or "
        "MacKay's own rows with the spread over fresh draws. Where the paper gives no spread, ours stands "
        "in for it."
    ),
    (
        "C, epsilon and w say where the search ended, and are no merit: a lower -ln P at another place is "
        "a better end. The evidence jumps where a row changes zone, so many places are nearly as good."
    ),
    ("Ridge regressions: kernel and penalty by 80 rows left out, as Saunders et al. did; inputs in [0, 1]."),
)
"""What a reader of the tables must know."""

BETTER: dict[str, Direction] = {"-ln P": "lower", "ASE": "lower", "AAE": "lower", "ASE x 100": "lower"}
"""Measures with a merit; all others say where the search ended."""

DRAWS, QUICK_DRAWS = 50, 4
"""Fresh draws of the sinc and robot arm data: enough for a spread known to a tenth."""

QUICK_SPLITS = 4
"""Splits of the housing data in a quick run."""

QUICK_ARM_DRAWS = 6
"""Fresh draws of the robot arm in a quick run."""

ARM_RESTARTS = 4
"""Further starts of the search on the robot arm: the evidence jumps, and one start may end short."""

TABLE_2_NOISE = 0.1
"""Standard deviation of the noise of table 2."""


def direction(measure: str) -> Direction:
    """Return which way is better."""
    return BETTER.get(measure, "neither")


def sinc_experiment(context: RunContext, noise: float, beta: float) -> Experiment:
    """Return the experiment of one level of noise and one beta."""
    name = f"chu-sinc-noise-{noise:g}-beta-{beta:g}"
    settings = {"noise": noise, "beta": beta}
    return Experiment(name, sinc_once, settings, context.count(DRAWS, QUICK_DRAWS), stream="chu-sinc")


def table_1(context: RunContext) -> ResultTable:
    """Sinc at four levels of noise."""
    experiments = {noise: sinc_experiment(context, noise, BETA) for noise in paper.SINC_BY_NOISE}
    records = context.collect(experiments.values())
    cells = tuple(
        single(records[experiments[noise].name], (f"{noise:g}",), measure, value)
        for noise, row in paper.SINC_BY_NOISE.items()
        for measure, value in row.items()
    )
    return ResultTable("chu", 1, "Sinc at different noise, beta = 0.3", ("noise",), cells)


def single(records: list[Record], row: tuple[str, ...], measure: str, value: float) -> Cell:
    """Return our mean over draws beside the paper's single one."""
    ours = Number.of(record[measure] for record in records)
    heading = "epsilon x 100" if measure == "epsilon" else measure
    return Cell(row, heading, ours, Number(value), direction(measure))


def table_2(context: RunContext) -> ResultTable:
    """Sinc at eight values of beta."""
    betas = paper.SINC_BY_BETA
    experiments = {beta: sinc_experiment(context, TABLE_2_NOISE, beta) for beta in betas}
    records = context.collect(experiments.values())
    cells = tuple(
        single(records[experiments[beta].name], (f"{beta:g}",), measure, value)
        for beta, row in betas.items()
        for measure, value in zip(paper.BETA_COLUMNS, row, strict=True)
    )
    return ResultTable("chu", 2, "Sinc at different beta, noise 0.1", ("beta",), cells)


def arm_records(context: RunContext) -> tuple[Record, list[Record]]:
    """Return the fit of MacKay's rows, and those of fresh draws for the spread."""
    restarts = 0 if context.quick else ARM_RESTARTS
    own = Experiment("chu-arm", arm_once, {"drawn": False, "restarts": restarts})
    drawn = {"drawn": True, "restarts": restarts}
    fresh = Experiment("chu-arm-fresh", arm_once, drawn, context.count(DRAWS, QUICK_ARM_DRAWS))
    records = context.collect([own, fresh])
    return records[own.name][0], records[fresh.name]


def spread(own: float, fresh: list[float]) -> Number:
    """Return MacKay's number with the standard deviation over fresh draws."""
    return Number(own, Number.of(fresh).deviation, 1)


def table_3(context: RunContext) -> ResultTable:
    """The hyperparameters of the robot arm."""
    own, fresh = arm_records(context)
    cells = tuple(
        Cell(
            (output,),
            "epsilon x 100" if measure == "epsilon" else measure,
            spread(
                own["settings"][output][measure],
                [record["settings"][output][measure] for record in fresh],
            ),
            Number(value),
            direction(measure),
        )
        for output, row in paper.ARM_SETTINGS.items()
        for measure, value in row.items()
    )
    return ResultTable("chu", 3, "Robot arm: hyperparameters", ("target",), cells)


def table_4(context: RunContext) -> ResultTable:
    """The errors of the robot arm, beside the noise itself."""
    own, fresh = arm_records(context)
    cells = tuple(
        Cell(
            (place,),
            measure,
            spread(own["errors"][place][measure], [record["errors"][place][measure] for record in fresh]),
            Number(value),
            "neither" if measure in ("ASN x 1000", "AAN") else "lower",
        )
        for place, row in paper.ARM_ERRORS.items()
        for measure, value in zip(paper.ARM_COLUMNS, row, strict=True)
    )
    return ResultTable("chu", 4, "Robot arm: errors on two test sets", ("test set",), cells)


def position_error(record: Record) -> float:
    """Return the squared error of the position over both test sets."""
    places = ("set 1, position", "set 2, position")
    return float(sum(record["errors"][place]["ASE x 1000"] for place in places)) / 2000.0


def table_5(context: RunContext) -> ResultTable:
    """The robot arm by other methods: published, and a Gaussian process and our own run again."""
    own, fresh = arm_records(context)
    ours = {
        "Bayesian SVR": spread(position_error(own), [position_error(record) for record in fresh]),
        **{
            name: spread(value, [record["rivals"][name] for record in fresh])
            for name, value in own["rivals"].items()
        },
    }
    nothing = Number(float("nan"), None, 0)
    cells = tuple(
        Cell((method,), "ASE", ours.get(method, nothing), Number(value), rival=method != "Bayesian SVR")
        for method, value in paper.ARM_METHODS.items()
    )
    notes = ("The best guess with the true function known has 0.005. Networks were not trained again.",)
    return ResultTable("chu", 5, "Robot arm: position by method", ("method",), cells, notes)


def boston_records(context: RunContext) -> list[Record]:
    """Return the records of the housing data."""
    experiment = Experiment(
        "chu-boston", boston_once, {"restarts": 0}, context.count(paper.SPLITS, QUICK_SPLITS)
    )
    return context.collect([experiment])[experiment.name]


def table_6(context: RunContext) -> ResultTable:
    """Boston housing by Bayesian SVR."""
    records = boston_records(context)
    cells = tuple(
        Cell(
            ("Bayesian SVR",),
            measure,
            Number.of(record["Bayesian SVR, Gaussian"][measure] for record in records),
            Number(*theirs, paper.SPLITS),
            "other machine" if "time" in measure else "lower",
        )
        for measure, theirs in paper.BOSTON.items()
    )
    return ResultTable("chu", 6, "Boston housing, splits of 481 and 25 rows", ("method",), cells)


def table_7(context: RunContext) -> ResultTable:
    """Boston housing by six methods."""
    records = boston_records(context)
    methods = [name for name in records[0] if isinstance(records[0][name], dict)]
    cells = tuple(
        Cell(
            (method,),
            "ASE",
            Number.of(record[method]["ASE"] for record in records),
            published_boston(method),
            rival=method.startswith("ridge"),
        )
        for method in methods
    )
    return ResultTable("chu", 7, "Boston housing by method", ("method",), cells)


def published_boston(method: str) -> Number | None:
    """Return the paper's number for a method, if it has one."""
    value = paper.BOSTON_METHODS.get(method)
    deviation = paper.BOSTON["ASE"][1] if method.startswith("Bayesian") else None
    return None if value is None else Number(value, deviation, paper.SPLITS)


TABLES: dict[int, Callable[[RunContext], ResultTable]] = {
    1: table_1,
    2: table_2,
    3: table_3,
    4: table_4,
    5: table_5,
    6: table_6,
    7: table_7,
}
"""The paper's tables, by number."""
