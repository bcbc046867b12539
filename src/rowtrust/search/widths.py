"""The width of the kernel, found by the evidence: several are fitted, and averaged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rowtrust.kernels import Kernel
from rowtrust.search.fits import FitPlan, KernelFit, shared
from rowtrust.search.scores import is_narrow_enough, tempered_shares
from rowtrust.search.starts import fits_along

SQUARED_WIDTHS = 12.8 / 2.0 ** np.arange(8)
"""Candidates, widest first, in units of the inputs' total variance: from nearly linear to narrower than any
of the papers' data wants. On Liver's data every second of them costs 0.4 to 1.0 points of error on clean
labels (RVC and RobustRVC, 20 splits, s.e. 0.3) and nothing with 10 % flips (-0.3 and -0.5, s.e. 0.4, RVC);
twice as many steps, or one more at the narrow end, gain nothing."""


WIDTHS = 8.0 / 2.0 ** np.arange(8)
"""Candidates of a Laplacian kernel, widest first, in units of the sum of the inputs' deviations. Not studied
further than that the best of them lies inside, on half A of the tables."""


def search_widths(plan: FitPlan, kernels: Sequence[Kernel]) -> list[KernelFit]:
    """Fit every kernel of a path, widest first, and weigh them by their evidence."""
    fits: list[KernelFit] = []
    for fit in fits_along(plan, kernels):
        fits.append(fit)
        if is_narrow_enough([each.score for each in fits], fit.kept_share):
            break
    return shared(fits, tempered_shares([fit.score for fit in fits]))
