"""Two lists of rows, the strict one and the longer one; and the table of rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowtrust.contracts import Array, Indices, Mask

FALSE_SHARE = 0.2
"""Share of the likely errors that are expected to be right: one in five is checked in vain. A convention,
which callers may change."""

LIKELY_ERROR, WORTH_A_LOOK = "likely error", "worth a look"
"""What the column ``list`` of a table says of a row; nothing of a row on neither list."""

DOUBTFUL = 0.01
"""P(wrong) below which no row is worth a look for its P(wrong) alone. A guard against listing everything."""

FEWEST_ERRORS = 0.5
"""Expected number of errors below which the likeliest number is none, and no row is worth a look."""


class ListEnds(NamedTuple):
    """From which P(wrong) on a row is on a list.

    Attributes
    ----------
    flagged, worth_a_look
        Of likely errors, and of rows worth a look.
    contradicted
        Of rows worth a look whose label the others contradict.
    """

    flagged: float
    worth_a_look: float
    contradicted: float


def list_ends(p_wrong: Array, false_share: float = FALSE_SHARE) -> ListEnds:
    """Return from which P(wrong) on rows are likely errors, and from which they are worth a look.

    Likely errors are as many rows as can be without more false ones than that share; none is among them that
    is more likely right, unless more than half may be false. Worth a look are they and the rows of the best
    expected F1: of the k likeliest rows it is ``2 sum(p_wrong of them) / (k + sum(p_wrong))``. Equal rows are
    listed together. Errors near the border of two classes hide below that cut: a row whose label the others
    contradict is worth a look if it is likelier wrong than the average row. With those of two in a hundred or
    more instead, F1 under uniform, one-sided, class- and instance-dependent noise is 0.675, 0.567, 0.638 and
    0.580 for 0.674, 0.578, 0.638 and 0.604 (half A, 400 rows).

    Parameters
    ----------
    p_wrong : (n,)
        Probability of each row to be wrong.
    false_share
        Share of the likely errors that may be expected to be right: the mean of ``1 - p_wrong`` over them.
    """
    ordered = np.sort(p_wrong)[::-1]
    is_last, count = (
        np.append(ordered[1:] < ordered[:-1], True)[: len(ordered)],
        np.arange(1, len(ordered) + 1),
    )
    false = np.cumsum(1.0 - ordered) / count
    may_end = is_last & (false <= false_share) & (ordered > min(0.5, 1.0 - false_share))
    flagged, total = ordered[may_end].min(initial=np.inf), ordered.sum()
    if total < FEWEST_ERRORS:
        return ListEnds(float(flagged), float(flagged), np.inf)
    score = np.where(is_last, np.cumsum(ordered) / (count + total), 0.0)
    look = min(flagged, max(ordered[score.argmax()], DOUBTFUL))
    return ListEnds(float(flagged), float(look), float(total / len(ordered)))


def is_flagged(p_wrong: Array, false_share: float = FALSE_SHARE) -> Mask:
    """Return which rows are likely errors."""
    return np.asarray(p_wrong >= list_ends(p_wrong, false_share)[0])


def list_names(p_wrong: Array, ends: ListEnds, against: Any) -> NDArray[np.str_]:
    """Return what the column ``list`` says of each row; ``against`` are the labels that others contradict."""
    looked_at = (p_wrong >= ends.worth_a_look) | (against & (p_wrong >= ends.contradicted))
    return np.where(p_wrong >= ends.flagged, LIKELY_ERROR, np.where(looked_at, WORTH_A_LOOK, ""))


def audit_table(X: Any, order: Indices, **columns: Any) -> Any:
    """Return the columns in the order of ``order``, the row of the table that comes first first.

    A DataFrame with the index of X where pandas is installed, otherwise a structured array with the
    field ``row``.
    """
    columns = {name: np.asarray(values)[order] for name, values in columns.items()}
    try:
        import pandas
    except ImportError:
        return _structured(order, columns)
    index = getattr(X, "index", None)
    rows = index[order] if isinstance(index, pandas.Index) else order
    return pandas.DataFrame(columns, index=pandas.Index(rows, name="row"))


def _structured(order: Indices, columns: dict[str, NDArray[Any]]) -> NDArray[Any]:
    columns = {"row": order, **columns}
    table = np.empty(len(order), dtype=[(name, values.dtype) for name, values in columns.items()])
    for name, values in columns.items():
        table[name] = values
    return table
