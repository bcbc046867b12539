"""Cholesky factorisations that survive rounding."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import LinAlgError, lapack

from rowtrust.contracts import Array
from rowtrust.numerics.magnitudes import JITTERS


def stable_cholesky(
    build: Callable[[float], Array], message: str, overwrite: bool = False
) -> tuple[Array, float]:
    """Return the lower Cholesky factor, and the sum of the logarithms of its diagonal.

    Parameters
    ----------
    build
        Returns the symmetric matrix, its diagonal raised by this share of its size; asked again only if
        rounding made the matrix indefinite.
    message
        What to say when even the last of ``JITTERS`` does not help.
    overwrite
        Whether what ``build`` returns may be overwritten: it makes the matrix anew each time.
    """
    for jitter in JITTERS:
        factor, failed = lapack.dpotrf(build(jitter), lower=1, clean=1, overwrite_a=overwrite)
        # Whatever is not finite in a row of the factor makes that row's diagonal NaN: the sum is the check.
        log_diagonal = float("nan") if failed else float(np.log(factor.diagonal()).sum())
        if np.isfinite(log_diagonal):
            return np.asarray(factor), log_diagonal
    raise LinAlgError(message)
