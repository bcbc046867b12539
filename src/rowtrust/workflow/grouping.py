"""Groups of rows that stay on one side of every split."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from rowtrust.contracts import Indices
from rowtrust.trust import alone_where


def group_numbers(column: pd.Series[Any]) -> Indices:
    """Return a number for every row, the same for equal values of a column; rows without one stand alone."""
    words = column.astype(object).map(lambda value: str(value).strip(), na_action="ignore")
    codes = pd.factorize(words)[0].astype(np.intp)
    return alone_where(codes, codes < 0)
