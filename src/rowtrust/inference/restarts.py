"""Leaving local maxima of the sequential rule: all columns of a working set at once, then pruned."""

from __future__ import annotations

import numpy as np

from rowtrust.contracts import Array, Statistics
from rowtrust.inference.phases import SETTLED
from rowtrust.inference.sequential import Selection, maximise_evidence
from rowtrust.numerics.magnitudes import HALF_DIGITS
from rowtrust.priors import Prior

JOINT_RESTART, LAST_RESTART = 1e-2, 1e-5
"""Prior precision, as a share of what the rows say beside the bias, with which all candidates are let in at
once; the smaller one, before the end, finds columns that are large and of opposite sign. Set while
watching bounds on Ripley's data and moons. A tenth or ten times the first moves the mean bound of
classifiers by 0.3 nats at most, single ones by 3; that of RVR on Friedman #1 by +9 and -6, and one sinc
fit in sixteen loses more than 20. Without the last RVR loses 2.5 and RobustRVR 0.6 nats in the mean,
classifiers 0.03; in place of two, 1e-4 and 1e-6, it changes one fit in 168 (half A of the tables, up to
500 rows, four widths). Leaving the first out while columns enter costs 3 nats in regression."""


def joint_restart(
    prior: Prior, statistics: Statistics, precision: Array, stuck: Selection, share: float, tol: float
) -> Selection:
    """Try to leave a local maximum: let every column of the working set in at once, and prune.

    Adding one column at a time cannot find two that are only good together. A restart that wins by little
    for each column it adds is the same model with copies, and is dropped.
    """
    gram = statistics.gram
    beside_bias = np.diagonal(gram) - gram[0] ** 2 / gram[0, 0]
    newcomers = np.where(beside_bias > HALF_DIGITS * np.diagonal(gram), share * beside_bias, np.inf)
    everyone = np.where(np.isfinite(precision), precision, newcomers)
    pruned = maximise_evidence(prior, gram, statistics.vector, everyone, tol)
    more_columns = max(1, len(pruned.kept) - len(stuck.kept))
    return pruned if pruned.log_evidence > stuck.log_evidence + SETTLED * more_columns else stuck
