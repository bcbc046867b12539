"""Frames of other libraries as those of pandas."""

from __future__ import annotations

import warnings
from typing import Any

import pandas as pd
import pyarrow

from rowtrust.workflow.tables.errors import InputError


def as_frame(data: Any) -> pd.DataFrame:
    """Return a frame of another library as one of pandas."""
    if isinstance(data, pd.DataFrame):
        return data
    if getattr(data, "ndim", 2) != 2:
        raise InputError(f"the data are a {kind_of(data)}, no table. Give a DataFrame with columns.")
    if hasattr(data, "to_pandas"):
        found = data.to_pandas()
    elif hasattr(data, "__arrow_c_stream__"):
        found = pyarrow.table(data).to_pandas()
    elif hasattr(data, "__dataframe__"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of pandas, for what has no Arrow stream
            found = pd.api.interchange.from_dataframe(data)
    else:
        raise InputError(f"the data are a {kind_of(data)}. Give a DataFrame or the path of a file.")
    if not isinstance(found, pd.DataFrame):
        raise InputError(f"the data are a {kind_of(data)}, no table. Give a DataFrame with columns.")
    return found


def kind_of(data: Any) -> str:
    """Return the name of a value's type, with its library where it has one."""
    kind = type(data)
    library = kind.__module__.partition(".")[0]
    return kind.__name__ if library == "builtins" else f"{library} {kind.__name__}"
