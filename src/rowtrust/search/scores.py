"""How kernels compare by their evidence, and how much each counts in an average.

The bare evidence of a sparse fit takes too narrow a kernel on noisy data: a narrow kernel has more
columns that differ, and choosing the best k of n columns is a choice the evidence has not paid for. Half
the logarithm of the number of choices is the term that serves best. No single width wins everywhere
even then, so widths are averaged with weights tempered from that score; an average of latent functions
is again one sparse model, whose centres come in several widths.

The constants below were chosen together: about 25 rules (penalty, temperature, space of averaging) compared
by test error on 20 splits each of Ripley, Banana, Liver, Ionosphere and Cancer with 0, 5 and 10 % flipped
labels.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import softmax

from rowtrust.contracts import Array

TEMPERATURE = 20.0
"""Nats of the score by which a width may fall behind before it counts e times less. Over five data sets with
0 and 10 % flips 10 to 40 differ by 0.2 points of error in the mean. 10 and 40 move the error of Friedman #1
by -1 and 2 % for RVR and by 1 and -1 % for RobustRVR, that of sinc with outliers by 7 and 50 % (5 seeds)."""

SMALLEST_SHARE = 0.02
"""A width that counts less than this is left out: it would add columns and change hardly a prediction. None
to 0.04 give the same errors on Ripley's data and moons, within 0.4 % on Friedman #1; on sinc with outliers
half of it and none cost 7 % (5 seeds)."""

HOPELESS, PAST_PEAK = 40.0, 20.0
"""Narrower widths are not tried once the score has fallen this many nats below the best: the first as long as
the widest is the best, the second once a peak was passed, as scores mostly fall further then. With 20 alone
the path ends in a dip before the peak on yacht's data, at twice the error; with 40 alone a fit takes a sixth
longer, at errors and log losses that are the same within their noise (half A of the tables, three splits of
up to 1000 rows)."""

INTERPOLATING = 0.5
"""Nor once a width behind the best keeps more than this share of its columns: narrower ones interpolate. It
halves the time on Friedman #1 at the same error (RVR, 5 seeds; a third for RobustRVR). 0.25 takes a third of
the time again, for an error 1 % lower; 0.75 up to half as long again. On Ripley's data, moons and sinc it
does not act."""


def log_choices(n_columns: int, n_kept: int) -> float:
    """Return ``k (1 + ln(n / k))``: about the logarithm of the ways to keep k of n columns.

    The number of ways itself falls again beyond half of the columns, and would charge nothing for
    keeping all of them.
    """
    return n_kept * (1.0 + float(np.log(n_columns / n_kept))) if n_kept else 0.0


def width_score(bound: float, n_columns: int, n_kept: int) -> float:
    """Return the bound less half the logarithm of the choices that were made."""
    return bound - 0.5 * log_choices(n_columns, n_kept)


def is_narrow_enough(scores: Sequence[float], kept_share: float) -> bool:
    """Whether widths narrower than the last of these, widest first, are not worth a fit.

    ``kept_share`` is the share of its columns that the last one keeps.
    """
    last, best = scores[-1], max(scores)
    limit = HOPELESS if best == scores[0] else PAST_PEAK
    return last < best - limit or (last < best and kept_share > INTERPOLATING)


def tempered_shares(scores: Sequence[float]) -> Array:
    """Return how much each width counts: a softmax at ``TEMPERATURE``, without negligible ones."""
    return without_negligible(np.asarray(softmax(np.asarray(scores) / TEMPERATURE)))


def without_negligible(shares: Array) -> Array:
    """Return shares without those that are negligible."""
    shares = np.where(shares < SMALLEST_SHARE, 0.0, shares)
    return np.asarray(shares / shares.sum())
