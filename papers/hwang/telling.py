"""Hwang & Jeong (2015): what the tables say of the robust machine, in sentences made from the records."""

from __future__ import annotations

import numpy as np

from papers.context import RunContext
from papers.hwang.cells import PROTOCOL_HEADINGS, number
from papers.hwang.plan import Key, gathered
from papers.hwang.published import CLASSIFIERS, PROTOCOLS, SPARSE, published
from papers.tables import TOLERANCE, Number

WORDS = {"ERR": ("error", "points"), "kept": ("share of non-zero coefficients", "points")}
"""What a sentence calls a measure, and its unit."""


def robust_notes(context: RunContext, names: tuple[str, ...], measure: str) -> tuple[str, ...]:
    """Say where the robust machine is ahead of the plain one and where behind, under either protocol."""
    return (
        *(robust_note(context, names, measure, protocol) for protocol in PROTOCOLS),
        printed_note(context, names, measure),
    )


def robust_note(context: RunContext, names: tuple[str, ...], measure: str, protocol: str) -> str:
    """Say it under one protocol."""
    records = gathered(context, names)
    plain, robust = PROTOCOLS[protocol]["RVM"], PROTOCOLS[protocol]["RRVM"]
    gaps = {
        key: Number.of(record[robust][measure] - record[plain][measure] for record in group)
        for key, group in records.items()
    }
    means = {
        key: {shown: number(group, name, measure).mean for shown, name in PROTOCOLS[protocol].items()}
        for key, group in records.items()
    }
    word, unit = WORDS[measure]
    heading = PROTOCOL_HEADINGS[protocol]
    lines = "; ".join(f"{place(key)} {gap.mean:+.2f}{deviation_of(gap)}" for key, gap in gaps.items())
    return (
        f"{heading.capitalize()}, {word}: {robust} is below {plain} in {below(gaps, flipped=True)} "
        f"contaminated cells and in {below(gaps, flipped=False)} clean ones. {robust} minus {plain} in "
        f"{unit}, paired over splits (s.e.): {lines}. {worse_sentence(gaps, robust, plain)} "
        f"{best_of(means, measure)}"
    )


def printed_note(context: RunContext, names: tuple[str, ...], measure: str) -> str:
    """Say what the paper prints of the same."""
    keys = gathered(context, names)
    means = {
        key: {name: found.mean for name in CLASSIFIERS if (found := published(*key, measure, name))}
        for key in keys
    }
    gaps = {key: Number(row["RRVM"] - row["RVM"]) for key, row in means.items()}
    word, _ = WORDS[measure]
    return (
        f"In print, {word}: RRVM is below RVM in {below(gaps, flipped=True)} contaminated cells and in "
        f"{below(gaps, flipped=False)} clean ones. {best_of(means, measure)}"
    )


def below(gaps: dict[Key, Number], *, flipped: bool) -> str:
    """Return in how many cells a difference is negative, of how many."""
    chosen = [gap.mean for (_, share), gap in gaps.items() if (share > 0) == flipped]
    return f"{sum(gap < 0 for gap in chosen)} of {len(chosen)}"


def worse_sentence(gaps: dict[Key, Number], robust: str, plain: str) -> str:
    """Name the cells in which the robust machine is clearly worse, or clearly better."""
    parts = []
    for sign, word in ((1.0, "worse"), (-1.0, "better")):
        found = [place(key) for key, gap in gaps.items() if sign * errors_from_zero(gap) > TOLERANCE]
        where = ", ".join(found) if found else "no cell"
        parts.append(f"{word.upper() if sign > 0 and found else word} in {where}")
    return f"By more than two standard errors {robust} is {parts[0]}, and {parts[1]}."


def errors_from_zero(gap: Number) -> float:
    """Return a mean difference in its standard errors; zero where there is none."""
    if not gap.deviation:
        return 0.0
    return float(gap.mean / (gap.deviation / np.sqrt(gap.count)))


def best_of(means: dict[Key, dict[str, float]], measure: str) -> str:
    """Say in how many cells each classifier has the lowest mean."""
    names = SPARSE if measure == "kept" else CLASSIFIERS
    winners = [min(names, key=lambda name: row[name]) for row in means.values()]
    shares = ", ".join(f"{name} in {winners.count(name)}" for name in names if name in winners)
    return f"Lowest of the {len(names)} rows: {shares} of {len(winners)} cells."


def place(key: Key) -> str:
    """Return what a sentence calls a cell."""
    return f"{key[0]} {key[1]} %"


def deviation_of(gap: Number) -> str:
    """Return the standard error of a mean difference in brackets."""
    return f" ({gap.deviation / np.sqrt(gap.count):.2f})" if gap.deviation else ""
