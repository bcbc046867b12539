"""The answer to "which of my rows are wrong?" as a table."""

import numpy as np


def audit_table(X, order, **columns):
    """Return the columns sorted by ``order``, the smallest first.

    A DataFrame with the index of X where pandas is installed, otherwise a structured array with the
    field ``row``.
    """
    ranking = np.argsort(order, kind="stable")
    columns = {name: np.asarray(values)[ranking] for name, values in columns.items()}
    try:
        import pandas
    except ImportError:
        return _structured(ranking, columns)
    index = getattr(X, "index", None)
    rows = index[ranking] if isinstance(index, pandas.Index) else ranking
    return pandas.DataFrame(columns, index=pandas.Index(rows, name="row"))


def _structured(ranking, columns):
    columns = {"row": ranking, **columns}
    table = np.empty(len(ranking), dtype=[(name, values.dtype) for name, values in columns.items()])
    for name, values in columns.items():
        table[name] = values
    return table
