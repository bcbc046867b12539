"""Where a search begins: short and long scales, told apart by the evidence of a sample of the rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rowtrust.contracts import Array
from rowtrust.svr.objective import EvidenceObjective, StoppingRule, TrainingSet, climb
from rowtrust.svr.space import SearchSpace

SCREENED_ROWS = 200
"""Rows on which starts are compared, if there are more. An evaluation takes about a millisecond there, and
the start with the highest evidence led to within 2 nats of the best of four, on all rows, on half A's five
tables of numbers (400 rows each) and 11 random functions. Relevances learnt from the sample as a start lost
12 and 25 nats on Boston and taxis."""

SCREENING_STEPS = 15
"""Quasi-Newton steps from each start on the sample. Ten were enough for the figures above."""


@dataclass(frozen=True)
class Screened:
    """A start, where a short climb on a sample led from it, and the negative log evidence there."""

    start: Array
    vector: Array
    value: float


def screen(rows: TrainingSet, space: SearchSpace, rule: StoppingRule) -> list[Screened]:
    """Climb a little from every designed start, with the widest quadratic zone; best evidence first."""
    short = replace(rule, max_iter=min(rule.max_iter, SCREENING_STEPS))
    found = []
    for start in space.designed_starts(len(rows)):
        objective = EvidenceObjective(rows, space, 1.0)
        vector = climb(objective, start, short)
        found.append(Screened(start, vector, objective.best_value))
    return sorted(found, key=lambda each: each.value)


def best_start(rows: TrainingSet, space: SearchSpace, rule: StoppingRule) -> Array:
    """Return the start of the main search.

    Where the sample is all there is, that is where the short climb led. Where it is not, the start itself:
    relevances learnt from few rows would lead astray.
    """
    if not space.free.any():
        return np.zeros(0)
    everything = len(rows) <= SCREENED_ROWS
    sample = rows if everything else rows.subset(SCREENED_ROWS)
    best = screen(sample, space, rule)[0]
    return best.vector if everything else best.start
