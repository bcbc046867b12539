"""Chu, Keerthi & Ong (2001): our own tables beside the paper's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.stats import sem

from papers.chu import published as paper
from papers.chu.evidence_words import conclusion
from papers.chu.plan import (
    arm_experiments,
    arm_records,
    arm_start_records,
    boston_records,
    evidence_experiments,
    printed_experiment,
    records_of,
    sinc_experiment,
    variants_experiment,
)
from papers.chu.printed_words import agreement
from papers.chu.protocol import ARM_ROWS, BETA, LEVELS
from papers.context import RunContext
from papers.experiments import Record
from papers.tables import Cell, Number, ResultTable


def plain(row: tuple[str, ...], **numbers: float) -> list[Cell]:
    """Return cells without a paper's number; underscores in names stand for spaces."""
    return [
        Cell(row, name.replace("_", " "), Number(value), better="neither") for name, value in numbers.items()
    ]


def table_a(context: RunContext) -> ResultTable:
    """The printed settings of the robot arm, put into (46) on the same rows."""
    (record,) = records_of(context, printed_experiment(context))
    cells: list[Cell] = []
    told = []
    for output, settings in paper.ARM_SETTINGS.items():
        found, row, printed = record[output], (output,), settings["-ln P"]
        cells.append(Cell(row, "-ln P", Number(found["-ln P"]), Number(printed), "neither"))
        reach = max(abs(value - found["-ln P"]) for value in found["rounded"])
        cells += plain(row, one_row_more_or_less=found["one row"], rounding_of_the_settings=reach)
        wider = min(found["wider"].items(), key=lambda item: item[1])
        cells += plain(row, at_our_end=found["ours"], best_over_epsilon_alone=wider[1])
        for part in ("set 1", "set 2"):
            for place, measure in ((1, "ASE x 1000"), (3, "AAE")):
                theirs = Number(paper.ARM_ERRORS[f"{part}, {output}"][place])
                cells.append(Cell(row, f"{measure}, {part}", Number(found[part][measure]), theirs, "neither"))
        told.append(
            f"{output}: {found['-ln P'] - printed:+.2f} nats from the print ({found['one row']:.2f} for "
            f"each row that changes zone), {found['-ln P'] - found['ours']:.1f} nats worse than our end, "
            f"and {found['-ln P'] - wider[1]:.1f} nats worse than with epsilon times {wider[0]}"
        )
    found = agreement(record)
    notes = (
        f"(46) at the printed settings: {'; '.join(told)}.",
        f"{found.on_errors()} {found.on_evidence()}",
    )
    title = "Robot arm: the printed settings, evaluated here"
    return ResultTable("chu", "A", title, ("target",), tuple(cells), notes)


def table_b(context: RunContext) -> ResultTable:
    """The evidence by Laplace's method beside the integral."""
    experiments = evidence_experiments(context)
    records = context.collect(experiments.values())
    cells: list[Cell] = []
    for (rows, beta), experiment in experiments.items():
        cells += evidence_cells((f"{rows}", f"{beta:g}"), records[experiment.name])
    found = {place: records[experiment.name] for place, experiment in experiments.items()}
    title = "The evidence of small problems: Laplace's method (46) beside the integral (43)"
    notes = (
        (
            "Rows of sinc, noise 0.1, on a grid of C, epsilon and w. The error is -ln P by (46) minus "
            "-ln P by importance sampling, in nats: above zero, Laplace's method takes the evidence for "
            "smaller than it is. *Chosen as well*: how often both methods like the same point of the "
            "grid best. *Nats lost*: of the true evidence, by choosing with (46)."
        ),
        *conclusion(found),
    )
    return ResultTable("chu", "B", title, ("rows", "beta"), tuple(cells), notes)


def evidence_cells(row: tuple[str, ...], records: list[Record]) -> list[Cell]:
    """Return the row of one number of rows and one beta."""
    points = [point for record in records for point in record["points"]]
    errors = Number.of(point["laplace"] - point["integral"] for point in points)
    best = [min(record["points"], key=lambda point: point["integral"]) for record in records]
    n = float(row[0])
    return [
        Cell(row, "error, nats", errors, better="neither"),
        Cell(row, "error, median", Number(errors.median), better="neither"),
        Cell(row, "error, furthest", Number(errors.worst("neither")), better="neither"),
        Cell(
            row,
            "error at the best point",
            Number.of(point["laplace"] - point["integral"] for point in best),
            better="neither",
        ),
        Cell(row, "rows in M, %", Number.of(100.0 * point["in M"] / n for point in points), better="neither"),
        Cell(row, "chosen as well, %", Number(100.0 * mean_of(records, "same point")), better="neither"),
        Cell(row, "nats lost", Number.of(record["lost nats"] for record in records), better="neither"),
        Cell(row, "largest s.e.", Number(max(point["error"] for point in points)), better="neither"),
        Cell(
            row,
            "least effective points",
            Number(min(point["effective"] for point in points)),
            better="neither",
        ),
    ]


def mean_of(records: list[Record], key: str) -> float:
    """Return the mean of an entry."""
    return float(np.mean([record[key] for record in records]))


def coverage_records(context: RunContext) -> dict[str, list[dict[str, float]]]:
    """Return the coverage of every repeat, by data set."""
    experiments = {noise: sinc_experiment(context, noise, BETA) for noise in paper.SINC_BY_NOISE}
    records = context.collect(experiments.values())
    found = {
        f"sinc, noise {noise:g}": [record["coverage"] for record in records[experiment.name]]
        for noise, experiment in experiments.items()
    }
    _, fresh = arm_records(context)
    for output in paper.ARM_SETTINGS:
        found[f"robot arm, {output}"] = [record["coverage"][output] for record in fresh]
    found["Boston"] = [record["Bayesian SVR, Gaussian"]["coverage"] for record in boston_records(context)]
    return found


def standard_error(shares: list[float]) -> float:
    """Return the standard error of a mean share; repeats are the clusters, since rows of one share a fit."""
    return float(sem(shares))


def table_c(context: RunContext) -> ResultTable:
    """How many new targets lie inside the intervals."""
    cells: list[Cell] = []
    off = []
    for data, repeats in coverage_records(context).items():
        for level in LEVELS:
            shares = [100.0 * repeat[f"{level:g}"] for repeat in repeats]
            error = standard_error(shares)
            gap = float(np.mean(shares)) - 100.0 * level
            row = (data, f"{100 * level:g} %")
            cells += plain(row, inside=float(np.mean(shares)), standard_error=error, off=gap)
            cells += plain(row, off_in_standard_errors=gap / error if error > 0 else np.nan)
            cells += plain(row, median=float(np.median(shares)), lowest=min(shares))
            off.append((gap, error, data, level))
    notes = (
        (
            "Shares in per cent of new, noisy targets inside `predict_interval`, of the distribution of "
            "function and noise together. The standard error is over repeats."
        ),
        on_coverage(off),
        (
            "On rows without noise the intervals rest on the least noise that the search can tell, the "
            "largest C that it allows (see table 1): how many targets they contain says nothing there."
        ),
    )
    title = "Coverage of the error bars"
    return ResultTable("chu", "C", title, ("data", "interval"), tuple(cells), notes)


def on_coverage(off: list[tuple[float, float, str, float]]) -> str:
    """Say where intervals are too wide or too narrow."""
    narrow = [f"{data} {100 * level:g} %" for gap, error, data, level in off if gap < -2.0 * error]
    wide = [f"{data} {100 * level:g} %" for gap, error, data, level in off if gap > 2.0 * error]
    worst = min(off)
    return (
        f"By more than two standard errors too few inside: {', '.join(narrow) or 'nowhere'}; too many: "
        f"{', '.join(wide) or 'nowhere'}; of {len(off)}. The furthest below is {worst[2]}, "
        f"{100 * worst[3]:g} %: {worst[0]:+.1f} points."
    )


def table_d(context: RunContext) -> ResultTable:
    """Where the printed numbers of the robot arm lie among fresh draws of the data."""
    (_, fresh), starts = arm_records(context), arm_start_records(context)
    places = [
        ("table 3", "settings", output, measure, value)
        for output, row in paper.ARM_SETTINGS.items()
        for measure, value in row.items()
    ] + [
        ("table 4", "errors", place, measure, row[column])
        for place, row in paper.ARM_ERRORS.items()
        for column, measure in enumerate(paper.ARM_COLUMNS)
    ]
    cells: list[Cell] = []
    for table, part, place, measure, value in places:
        drawn = np.array([record[part][place][measure] for record in fresh])
        own = float(np.median([record[part][place][measure] for record in starts]))
        low, middle, high = np.quantile(drawn, (0.05, 0.5, 0.95))
        row = (table, place, "epsilon x 100" if measure == "epsilon" else measure)
        cells += plain(row, printed=value, on_the_same_rows=own, fresh_draws=float(middle))
        cells += plain(row, lowest_twentieth=float(low), highest_twentieth=float(high))
        cells += plain(row, fresh_below_the_print=100.0 * float(np.mean(drawn < value)))
    starts_each = 1 + arm_experiments(context)[1].settings["restarts"]
    note = (
        f"For information: {len(fresh)} fresh draws of {3 * ARM_ROWS} rows each ({ARM_ROWS} to learn from), "
        f"by the best end of {starts_each} start{'s' if starts_each > 1 else ''}. "
        "*Fresh below the print* in per cent."
    )
    title = "Robot arm: the printed numbers among fresh draws of the data"
    return ResultTable("chu", "D", title, ("table", "row", "measure"), tuple(cells), (note,))


def table_e(context: RunContext) -> ResultTable:
    """Variants of two rivals on the housing data."""
    records = records_of(context, variants_experiment(context))
    cells: list[Cell] = []
    for name in (name for name in records[0] if ": " in name):
        method, change = name.split(": ")
        ours = Number.of(record[name] for record in records)
        theirs = Number(paper.BOSTON_METHODS[method], None, paper.SPLITS)
        rival = method.startswith("ridge")
        row = (method, change)
        cells.append(Cell(row, "ASE", ours, theirs, rival=rival))
        cells.append(Cell(row, "ASE, median", Number(ours.median), rival=rival))
        cells.append(Cell(row, "ASE, worst", Number(ours.worst("lower")), rival=rival))
    note = f"On {len(records)} of the splits of table 7. Nothing of table 7 was chosen by this table."
    title = "Boston housing: rivals with what their papers leave open done otherwise"
    return ResultTable("chu", "E", title, ("method", "variant"), tuple(cells), (note,))


OUR_TABLES: dict[str, Callable[[RunContext], ResultTable]] = {
    "A": table_a,
    "B": table_b,
    "C": table_c,
    "D": table_d,
    "E": table_e,
}
"""Our own tables, by letter."""
