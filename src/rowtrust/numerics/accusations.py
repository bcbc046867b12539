"""Which rows to call wrong, if few of those that are called so may be right."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rowtrust.contracts import Array

FALSE_SHARE = 0.2
"""Share of the rows called wrong that are expected to be right: one in five is checked in vain. A convention,
which callers may change."""

HARD_TO_JUDGE = 0.2
"""Probability to be wrong from which a row that is not called wrong is hard to judge: of five such rows at
least one is expected to be wrong. A convention, the mirror of ``FALSE_SHARE``; not studied."""


def accused(wrong: Array, false_share: float = FALSE_SHARE) -> NDArray[np.bool_]:
    """Return which rows to call wrong: as many as can be without more false ones than that share.

    None is called wrong that is more likely right, unless more than half may be false.

    Parameters
    ----------
    wrong : (n,)
        Probability of each row to be wrong.
    false_share
        Share of the rows called wrong that may be expected to be right: the mean of ``1 - wrong`` over them.
    """
    order = np.argsort(-wrong, kind="stable")
    expected = np.cumsum(1.0 - wrong[order]) / np.arange(1, len(wrong) + 1)
    named = np.zeros(len(wrong), dtype=bool)
    named[order[expected <= false_share]] = True
    return named & (wrong > min(0.5, 1.0 - false_share))
