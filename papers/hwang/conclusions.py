"""Hwang & Jeong (2015): what the records say in all, in a few sentences."""

from __future__ import annotations

import numpy as np

from papers.context import RunContext
from papers.hwang.cells import BETTER, PROTOCOL_HEADINGS
from papers.hwang.plan import NAMES, gathered
from papers.hwang.published import PROTOCOLS, published
from papers.hwang.telling import errors_from_zero, place
from papers.tables import TOLERANCE, Number

RANKED = {"ERR": "error", "AUC": "AUC", "RMSE": "RMSE"}
"""The measures, as sentences call them."""


def conclusions(context: RunContext) -> list[str]:
    """Return the conclusions, each counted from records."""
    return [*(robustness(context, measure) for measure in RANKED), sparsity(context), seconds(context)]


def robustness(context: RunContext, measure: str) -> str:
    """Say whether the robust machine is ahead of the plain one where labels are wrong."""
    parts = [under(context, measure, protocol) for protocol in PROTOCOLS]
    sign = 1.0 if BETTER[measure] == "lower" else -1.0
    dirty = [key for key in gathered(context, NAMES) if key[1]]
    printed = 0
    for key in dirty:
        plain, robust = (published(*key, measure, name) for name in ("RVM", "RRVM"))
        printed += bool(plain and robust and sign * (plain.mean - robust.mean) > 0)
    return (
        f"**{RANKED[measure]}, wrong labels in training:** {'; '.join(parts)}. "
        f"In print RRVM is ahead in {printed} of {len(dirty)}."
    )


def under(context: RunContext, measure: str, protocol: str) -> str:
    """Say it under one protocol."""
    plain, robust = PROTOCOLS[protocol]["RVM"], PROTOCOLS[protocol]["RRVM"]
    sign = 1.0 if BETTER[measure] == "lower" else -1.0
    gains = {
        key: Number.of(sign * (record[plain][measure] - record[robust][measure]) for record in group)
        for key, group in gathered(context, NAMES).items()
        if key[1]
    }
    clear = sum(errors_from_zero(gain) > TOLERANCE for gain in gains.values())
    behind = [place(key) for key, gain in gains.items() if errors_from_zero(gain) < -TOLERANCE]
    return (
        f"{PROTOCOL_HEADINGS[protocol]}: {robust} is ahead of {plain} in "
        f"{sum(gain.mean > 0 for gain in gains.values())} of {len(gains)} cells, in {clear} by more than two "
        f"paired standard errors, and behind by as much in {', '.join(behind) or 'none'}"
    )


def sparsity(context: RunContext) -> str:
    """Say how many coefficients are kept, in all cells."""
    groups = gathered(context, NAMES)
    parts = []
    for classifier in ("SVM", "RVM", "RRVM", "RVC", "RobustRVC"):
        kept = [np.mean([record[classifier]["kept"] for record in group]) for group in groups.values()]
        printed = [found.mean for key in groups if (found := published(*key, "kept", classifier))]
        beside = f" (printed {np.mean(printed):.1f})" if printed else ""
        parts.append(f"{classifier} {np.mean(kept):.1f}{beside}")
    return (
        f"**Non-zero coefficients**, in per cent of the training rows, mean of all cells: {', '.join(parts)}."
    )


def seconds(context: RunContext) -> str:
    """Say how long each takes to be chosen and trained."""
    records = [record for group in gathered(context, NAMES).values() for record in group]
    parts = []
    for classifier in ("SVM", "RVM", "RRVM", "RVC", "RobustRVC"):
        times = [
            np.nansum([record[classifier][name] for name in ("selection", "training")]) for record in records
        ]
        parts.append(f"{classifier} {np.median(times):.2f}")
    told = ", ".join(parts)
    return f"**Seconds** to choose and train the model that is scored, median over all repeats: {told}."
