"""Hwang & Jeong (2015): tables beside the paper's, which look for what sets its numbers apart."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from papers.context import RunContext
from papers.experiments import Record
from papers.hwang.cells import BETTER, HEADINGS, RANKED, left_out, number
from papers.hwang.models import LITERAL, LITERAL_LOOP
from papers.hwang.plan import (
    NAMES,
    Key,
    collected,
    gathered,
    literal_experiments,
    nearest_experiments,
    one_class_experiments,
)
from papers.hwang.protocol import AS_SAID, SHARE_SAID
from papers.hwang.published import CLASSIFIERS, published
from papers.tables import Cell, Number, ResultTable

COUNTED = ("kept", "kept 1 %")
"""How table A counts coefficients."""

LOOP, SOLVER = "literal loop", "default solver"
"""What table A puts side by side."""

IN_ONE, AT_RANDOM = "flips in one class", "flips at random"
"""What table C puts side by side."""


def literal_pairs(context: RunContext) -> dict[Key, list[tuple[Record, Record]]]:
    """Return what the literal loop and the default solver measured on the same splits."""
    loops = collected(context, literal_experiments(context))
    usual = gathered(context, tuple(name for name in NAMES if any(key[0] == name for key in loops)))
    return {key: list(zip(records, usual[key], strict=False)) for key, records in loops.items()}


def literal_table(context: RunContext) -> ResultTable:
    """Table A: RRVM by the paper's own loop and by the default solver, on the same splits."""
    pairs = literal_pairs(context)
    cells = tuple(
        Cell(
            (key[0], f"{key[1]}"),
            HEADINGS.get(measure, measure),
            number([pair[place] for pair in pairs[key]], classifier, measure),
            published(*key, measure, "RRVM"),
            BETTER[measure],
            protocol=protocol,
        )
        for measure in (*RANKED, *COUNTED)
        for key in pairs
        for place, classifier, protocol in ((0, LITERAL, LOOP), (1, "RRVM", SOLVER))
    )
    title = "RRVM by the paper's own loop, and by the default solver on the same splits"
    repeats: dict[tuple[str, ...], int] = {(key[0], f"{key[1]}"): len(group) for key, group in pairs.items()}
    notes = (*literal_notes(pairs), *left_out(cells, repeats))
    return ResultTable("hwang", "A", title, ("data", "flipped %"), cells, notes)


def literal_notes(pairs: dict[Key, list[tuple[Record, Record]]]) -> tuple[str, ...]:
    """Say how far the loop and the solver are apart."""
    every = [pair for group in pairs.values() for pair in group]
    apart = Number.of(loop[LITERAL]["ERR"] - solver["RRVM"]["ERR"] for loop, solver in every)
    same = sum(loop[LITERAL]["width"] == solver["RRVM"]["width"] for loop, solver in every)
    kept = np.mean([loop[LITERAL]["kept"] for loop, _ in every])
    seen = np.mean([loop[LITERAL]["kept 1 %"] for loop, _ in every])
    fewest = np.mean([solver["RRVM"]["kept"] for _, solver in every])
    nearer, of = nearer_counts(pairs)
    return (
        (
            f"The loop: {LITERAL_LOOP['max_iter']} steps at most, or until the bound (17) rises by less than "
            f"{LITERAL_LOOP['tol']:g}; its width is that of the highest bound over the same grid."
        ),
        (
            f"Over {len(every)} splits the loop's error is {apart.mean:+.2f} points from the default "
            f"solver's on the same rows{error_of(apart)}; both choose the same width on {same} of them."
        ),
        (
            f"The loop drops no column: it has {kept:.0f} % as many coefficients other than zero as there "
            f"are training rows. Those above 1 % of the largest are {seen:.1f} %; the default solver keeps "
            f"{fewest:.1f} %. The loop's count of those above 1 % is nearer to print than the default "
            f"solver's count of all in {nearer} of {of} cells."
        ),
    )


def nearer_counts(pairs: dict[Key, list[tuple[Record, Record]]]) -> tuple[int, int]:
    """Return in how many cells, of how many, the loop's count above 1 % is nearer to print."""
    found = []
    for key, group in pairs.items():
        printed = published(*key, "kept", "RRVM")
        if printed is not None:
            loop = np.mean([each[LITERAL]["kept 1 %"] for each, _ in group])
            solver = np.mean([each["RRVM"]["kept"] for _, each in group])
            found.append(bool(abs(loop - printed.mean) < abs(solver - printed.mean)))
    return sum(found), len(found)


def error_of(found: Number) -> str:
    """Return the standard error of a mean in brackets, nothing where there is none."""
    if found.deviation is None:
        return ""
    return f" (s.e. {found.deviation / np.sqrt(found.count):.2f})"


STAMPS = ("seconds", "made with")
"""What the store adds to a record: no readings of the paper."""


def nearest_numbers(context: RunContext) -> dict[Key, dict[str, Number]]:
    """Return the errors of 1-NN by cell and reading of the paper."""
    records = collected(context, nearest_experiments(context))
    return {
        key: {
            reading: Number.of(record[reading] for record in group)
            for reading in group[0]
            if reading not in STAMPS
        }
        for key, group in records.items()
    }


def nearest_table(context: RunContext) -> ResultTable:
    """Table B: the error of 1-NN under several readings of the paper."""
    cells = nearest_cells(context)
    notes = ["1-NN has nothing to tune: where its error is not the printed one, the rows or labels differ."]
    for name in NAMES:
        totals = misfits(cell for cell in cells if cell.row[0] == name)
        best = min(totals, key=totals.__getitem__)
        far = max(abs(gap(cell)) for cell in cells if cell.row[0] == name and cell.row[2] == best)
        notes.append(
            f"{name}: of the readings tried at every percentage, the nearest to print is *{best}*, at most "
            f"{far:.1f} points away{contaminated_best(cells, name)}."
        )
    notes += [share_note(cells, name) for name in NAMES if any(is_share(cell, name) for cell in cells)]
    title = "Error of 1-NN by what the training set may have been"
    return ResultTable("hwang", "B", title, ("data", "flipped %", "reading"), cells, tuple(notes))


def is_share(cell: Cell, name: str) -> bool:
    """Return whether a cell of table B has the paper's share of training rows, with clean labels."""
    return cell.row == (name, "0", SHARE_SAID)


def share_note(cells: Iterable[Cell], name: str) -> str:
    """Say how near 1-NN comes to print with our training rows and with the paper's share of them."""
    clean = {cell.row[2]: cell for cell in cells if cell.row[:2] == (name, "0")}
    usual, said = clean[AS_SAID], clean[SHARE_SAID]
    printed = said.paper.mean if said.paper else np.nan
    return (
        f"{name}, clean labels: {usual.ours.mean:.2f} % with the training rows of our tables, "
        f"{said.ours.mean:.2f} % with {SHARE_SAID}, {printed:.2f} % printed. Our rows were chosen by this."
    )


def nearest_cells(context: RunContext) -> tuple[Cell, ...]:
    """Return the cells of table B."""
    return tuple(
        Cell(
            (key[0], f"{key[1]}", reading),
            "ERR % of 1-NN",
            found,
            published(*key, "ERR", "1-NN"),
            "neither",
            rival=True,
        )
        for key, readings in nearest_numbers(context).items()
        for reading, found in readings.items()
    )


def misfits(cells: Iterable[Cell]) -> dict[str, float]:
    """Return the sum of squared differences to print of the readings that were tried at every percentage."""
    by_reading: dict[str, list[float]] = {}
    for cell in cells:
        by_reading.setdefault(cell.row[2], []).append(gap(cell) ** 2)
    most = max(map(len, by_reading.values()))
    return {reading: sum(squares) for reading, squares in by_reading.items() if len(squares) == most}


def contaminated_best(cells: Iterable[Cell], name: str) -> str:
    """Return which reading is nearest where labels are flipped, as a clause."""
    chosen = [cell for cell in cells if cell.row[0] == name and cell.row[1] == "10"]
    best = min(chosen, key=lambda cell: abs(gap(cell)))
    theirs = best.paper.mean if best.paper else np.nan
    return f"; at 10 % it is *{best.row[2]}*, {best.ours.mean:.1f} % where {theirs:.1f} % is printed"


def one_class_pairs(context: RunContext) -> dict[Key, tuple[list[Record], list[Record]]]:
    """Return the records with flips in one class, and with flips at random on as many splits."""
    inside = collected(context, one_class_experiments(context))
    usual = gathered(context, tuple(name for name, _ in inside))
    return {key: (records, usual[key][: len(records)]) for key, records in inside.items()}


def one_class_table(context: RunContext) -> ResultTable:
    """Table C: the paper's protocol where all flipped labels are of one class."""
    pairs = one_class_pairs(context)
    cells = tuple(
        Cell(
            (key[0], f"{key[1]}", classifier),
            "ERR %",
            number(pairs[key][place], classifier, "ERR"),
            published(*key, "ERR", classifier),
            "neither",
            rival=classifier not in ("RVM", "RRVM"),
            protocol=protocol,
        )
        for key in pairs
        for classifier in CLASSIFIERS
        for place, protocol in ((0, IN_ONE), (1, AT_RANDOM))
    )
    title = "Error with all flipped labels in one class, by the paper's protocol"
    repeats: dict[tuple[str, ...], int] = {
        (key[0], f"{key[1]}"): len(group[0]) for key, group in pairs.items()
    }
    notes = (*one_class_notes(cells), *left_out(cells, repeats))
    return ResultTable("hwang", "C", title, ("data", "flipped %", "classifier"), cells, notes)


def gap(cell: Cell) -> float:
    """Return our mean minus the printed one."""
    return cell.ours.mean - cell.paper.mean if cell.paper else np.nan


def spread_gap(cell: Cell) -> float:
    """Return our standard deviation minus the printed one."""
    theirs = cell.paper.deviation if cell.paper else None
    return np.nan if cell.ours.deviation is None or theirs is None else cell.ours.deviation - theirs


def one_class_notes(cells: tuple[Cell, ...]) -> tuple[str, ...]:
    """Say in how many cells flips in one class come nearer to print than flips at random."""
    chosen = [cell for cell in cells if cell.row[2] != "1-NN"]
    inside = [cell for cell in chosen if cell.protocol == IN_ONE]
    at_random = [cell for cell in chosen if cell.protocol == AT_RANDOM]
    pairs = list(zip(inside, at_random, strict=True))
    means = sum(abs(gap(one)) < abs(gap(other)) for one, other in pairs)
    spreads = sum(abs(spread_gap(one)) < abs(spread_gap(other)) for one, other in pairs)
    return (
        (
            "The paper says that it flips labels of randomly chosen rows. Here the same number is flipped, "
            "all in one class, drawn anew in every repeat: labels are lopsided, now one way, now the other."
        ),
        (
            f"Without 1-NN, flips in one class come nearer to the printed error in {means} of {len(inside)} "
            f"cells, and nearer to its printed standard deviation in {spreads}."
        ),
    )
