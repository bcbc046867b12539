"""Hwang & Jeong (2015): where the paper's own protocol gives other numbers than printed, and likely why."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from papers.context import RunContext
from papers.hwang.beside import gap, literal_pairs, nearest_cells, one_class_pairs
from papers.hwang.cells import PROTOCOL_HEADINGS, number
from papers.hwang.models import LITERAL
from papers.hwang.plan import Key, gathered
from papers.hwang.protocol import AS_SAID
from papers.hwang.published import CLASSIFIERS, published
from papers.tables import Cell, Number

DIFFERS = ("better", "worse", "differs")
"""Verdicts of cells beyond two standard errors."""

TRIED = (
    "fewer training rows, inputs not scaled, flips of all rows, flips of test labels too (1-NN, table B)",
    "flips in one class only (all five, table C)",
)
"""What was tried to explain a difference in errors; it does not bear on counts of coefficients."""

TRIED_COUNTS = "counting rows that have a coefficient instead of coefficients"
"""What was tried to explain a difference in counts: it stands in the same table."""

TRIED_LOOP = "the literal loop (RRVM, table A)"
"""What was tried where the loop runs."""


def deviations(context: RunContext, cells: Sequence[Cell], names: tuple[str, ...]) -> tuple[str, ...]:
    """List the cells of the paper's protocol that are not as printed, with the likeliest reason."""
    judged = [cell for cell in cells if cell.protocol == PROTOCOL_HEADINGS["paper"] and cell.verdict]
    found = [cell for cell in judged if cell.verdict in DIFFERS]
    lines = [
        (
            f"The paper's protocol against print: {len(judged) - len(found)} of {len(judged)} cells agree "
            "within two standard errors."
        )
    ]
    if found:
        lines[0] += " The others, in standard errors, with the likeliest reason:"
        lines.append("")
    for classifier in CLASSIFIERS:
        own = [cell for cell in found if cell.row[-1] == classifier]
        if own:
            lines.append(f"- **{classifier}** ({listed(own)}). {reason(context, classifier, names, own)}")
    return ("\n".join(lines), tried(context, names, found)) if found else ("\n".join(lines),)


def tried(context: RunContext, names: tuple[str, ...], cells: Sequence[Cell]) -> str:
    """Say what was tried that bears on these cells: on errors, on counts, or on both."""
    counts = [is_count(cell) for cell in cells]
    parts = [] if all(counts) else list(TRIED)
    parts += [TRIED_COUNTS] if any(counts) else []
    parts += [TRIED_LOOP] if any(key[0] in names for key in literal_pairs(context)) else []
    return f"Tried: {', '.join(parts)}."


def is_count(cell: Cell) -> bool:
    """Tell whether a cell is a share of coefficients."""
    return "coefficients" in cell.measure


def listed(cells: Sequence[Cell]) -> str:
    """Return cells with their differences, by place."""
    return ", ".join(
        f"{' '.join(cell.row[:-1])} % {cell.measure.removesuffix(' %')} {cell.difference:+.1f}"
        for cell in cells
    )


def reason(context: RunContext, classifier: str, names: tuple[str, ...], cells: Sequence[Cell]) -> str:
    """Return the likeliest reason, with the numbers that speak for it."""
    if classifier == "1-NN":
        return nearest_reason(context, names, cells)
    shares = any(is_count(cell) for cell in cells)
    scores = any(not is_count(cell) for cell in cells)
    parts = []
    if scores:
        parts += [SETTINGS[classifier], spread_reason(context, classifier, names)]
    if scores and classifier == "RRVM":
        parts += [width_reason(context, names), loop_reason(context, names, "ERR")]
    if shares:
        parts += [COUNTS[classifier]]
        if classifier == "RRVM":
            parts += [loop_reason(context, names, "kept 1 %")]
    return " ".join(part for part in parts if part)


SETTINGS = {
    "k-NN": "The number of neighbours is chosen as the paper says, from a grid it does not print.",
    "SVM": "Width and penalty are chosen as the paper says, from grids it does not print.",
    "RVM": (
        "The paper ran Tipping's program, whose stopping rule and grid of widths it does not print; it is "
        "MATLAB and was not run. It has Laplace's approximation of the evidence, ours a bound of it."
    ),
    "RRVM": "The width is chosen by (17), from a grid that the paper does not print.",
}
"""What is known of the choice of settings."""

COUNTS = {
    "SVM": "Many pairs of width and penalty are equally good by cross-validation and keep different shares.",
    "RVM": "The count follows the width: a narrow kernel needs more columns, and the grid is not printed.",
    "RRVM": "The count depends on the width, and on where a coefficient counts as zero: neither is printed.",
}
"""What is known of the counts of coefficients."""


def nearest_reason(context: RunContext, names: tuple[str, ...], cells: Sequence[Cell]) -> str:
    """Return which reading of the paper comes nearest to its errors of 1-NN."""
    parts = []
    for name, flipped in keys_of(names, cells):
        rows = [cell for cell in nearest_cells(context) if cell.row[:2] == (name, f"{flipped}")]
        usual = next(cell for cell in rows if cell.row[2] == AS_SAID)
        best = min(rows, key=lambda cell: abs(gap(cell)))
        theirs = usual.paper.mean if usual.paper else np.nan
        parts.append(
            f"{name} {flipped} %: {usual.ours.mean:.1f}, printed {theirs:.1f}, nearest *{best.row[2]}* with "
            f"{best.ours.mean:.1f}"
        )
    return (
        "It has nothing to tune, so the paper's training rows or labels were others than its text says. "
        f"Table B: {'; '.join(parts)}."
    )


def keys_of(names: tuple[str, ...], cells: Sequence[Cell]) -> list[Key]:
    """Return the data sets and percentages of cells: a table of one data set does not name it."""
    found = [
        (cell.row[0], int(cell.row[1])) if len(cell.row) == 3 else (names[0], int(cell.row[0]))
        for cell in cells
    ]
    return list(dict.fromkeys(found))


def spread_reason(context: RunContext, classifier: str, names: tuple[str, ...]) -> str:
    """Compare the printed mean and spread at 10 % with flips at random and with flips in one class."""
    pairs = one_class_pairs(context)
    usual = gathered(context, names)
    parts = []
    for name in names:
        theirs = published(name, 10, "ERR", classifier)
        if theirs is None:
            continue
        own = number(usual[name, 10], classifier, "ERR")
        text = f"{name} {theirs.text()} printed, {own.text()} here"
        if (name, 10) in pairs:
            text += f", {number(pairs[name, 10][0], classifier, 'ERR').text()} with flips in one class"
        parts.append(text)
    return (
        f"Error and spread at 10 %: {'; '.join(parts)}. Where the printed spread is above that of flips at "
        "random, the paper's flips or its choice of settings varied more than its text says."
    )


def width_reason(context: RunContext, names: tuple[str, ...]) -> str:
    """Say which widths the bound takes, beside those of cross-validation."""
    records = [record for group in gathered(context, names).values() for record in group]
    bound, folds = (
        float(np.exp(np.mean([np.log(record[name]["width"]) for record in records])))
        for name in ("RRVM", "RVM")
    )
    way = "narrower" if bound < folds else "wider"
    return (
        f"The bound takes {way} kernels than cross-validation does for RVM: squared widths per input of "
        f"{bound:.2f} against {folds:.2f} in the geometric mean."
    )


def loop_reason(context: RunContext, names: tuple[str, ...], measure: str) -> str:
    """Say what the literal loop gives on the same splits, where it was run."""
    parts = []
    for key, pairs in literal_pairs(context).items():
        theirs = published(*key, measure, "RRVM")
        if key[0] in names and theirs is not None:
            loop = Number.of(pair[0][LITERAL][measure] for pair in pairs)
            solver = Number.of(pair[1]["RRVM"][measure] for pair in pairs)
            parts.append(f"{key[0]} {key[1]} % {loop.mean:.2f} ({solver.mean:.2f}; {theirs.mean:.2f})")
    if not parts:
        return ""
    what = "the error" if measure == "ERR" else "the share of coefficients above 1 % of the largest"
    return f"The literal loop has as {what} (in brackets the default solver on its splits; print): " + (
        "; ".join(parts) + "."
    )
