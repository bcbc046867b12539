"""Groups of rows that stay on one side of every split."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from rowtrust.contracts import Indices


def group_numbers(column: pd.Series[Any]) -> Indices:
    """Return a number for every row, the same for equal values of a column; rows without one stand alone."""
    words = column.astype(object).map(lambda value: str(value).strip(), na_action="ignore")
    codes = pd.factorize(words)[0].astype(np.intp)
    return alone_where(codes, codes < 0)


def alone_where(numbers: Indices, which: NDArray[np.bool_]) -> Indices:
    """Return group numbers in which some rows stand alone."""
    return np.where(which, numbers.max(initial=-1) + 1 + np.arange(len(numbers)), numbers).astype(np.intp)


def united(*groupings: Indices) -> Indices | None:
    """Return the groups of rows that any of several groupings joins, in chains; None if all stand alone."""
    n_rows = len(groupings[0])
    ends, start = [], n_rows
    for each in groupings:
        codes = np.unique(each, return_inverse=True)[1]
        ends.append(codes + start)
        start += int(codes.max(initial=-1)) + 1
    rows = np.tile(np.arange(n_rows), len(groupings))
    graph = coo_array((np.ones(len(rows)), (rows, np.concatenate(ends))), shape=(start, start))
    joined = connected_components(graph, directed=False)[1][:n_rows]
    found = np.unique(joined, return_inverse=True)[1].astype(np.intp)
    return found if len(np.unique(found)) < n_rows else None
