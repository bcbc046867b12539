"""Arrays in an archive, looked at before NumPy and SciPy make them: what they say must be what they have."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
from scipy.sparse import csr_array, csr_matrix, save_npz

from rowtrust.archives.reading import Archive, DamagedError

KINDS = "biufcUS"
"""NumPy's kinds of numbers and words. Objects would be pickles; dates and records are in no model."""

LONGEST_HEADER = 1000
"""Letters of an array's header: those of numbers have 64 or 128."""

SPARSE_PARTS = {"format.npy", "shape.npy", "data.npy", "indices.npy", "indptr.npy", "_is_array.npy"}
"""Parts of a sparse matrix by rows, as SciPy writes it. The last is there for sparse arrays only."""

MOST_COLUMNS = 2**31 - 1
"""Columns of a sparse matrix: what SciPy's smaller indices can count."""


def check_array(data: bytes, name: str, budget: float) -> tuple[int, ...]:
    """Return the shape of an array in NumPy's format; refuse it unless header and bytes agree.

    Parameters
    ----------
    data
        The bytes.
    name
        Of the part, for the message.
    budget
        Bytes that the array might have if no axis were empty: an empty array may claim any width.
    """
    stream = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        shape, _, dtype = read[version](stream, max_header_size=LONGEST_HEADER)
    except Exception as error:
        raise DamagedError(f"its part {name[:40]!r} is no array that can be read") from error
    size = len(data) - stream.tell()
    if dtype.kind not in KINDS or dtype.hasobject:
        raise DamagedError(f"its array {name[:40]!r} holds neither numbers nor words")
    if any(side < 0 for side in shape) or math.prod(shape) * dtype.itemsize != size:
        raise DamagedError(f"its array {name[:40]!r} has not the size that it says")
    if math.prod(max(side, 1) for side in shape) * max(dtype.itemsize, 1) > budget:
        raise DamagedError(f"its array {name[:40]!r} is empty and says to be very wide")
    return tuple(shape)


def rewritten_sparse(data: bytes, name: str, archive: Archive) -> bytes:
    """Return a sparse matrix in SciPy's format, written anew after all of its indices were checked.

    Compiled code follows the indices of a sparse matrix without looking where they lead.
    """
    inner = Archive(data, archive.left)
    if set(inner.names) - {"_is_array.npy"} != SPARSE_PARTS - {"_is_array.npy"}:
        raise DamagedError(f"its part {name[:40]!r} is no sparse matrix by rows")
    parts = {each: _array(inner.read(each), f"{name}/{each}", archive.budget) for each in inner.names}
    archive.left = inner.left
    shape, values = parts["shape.npy"], parts["data.npy"]
    indices, starts = parts["indices.npy"], parts["indptr.npy"]
    if parts["format.npy"].tolist() not in (b"csr", "csr") or values.dtype.kind not in "biufc":
        raise DamagedError(f"its part {name[:40]!r} is no sparse matrix by rows")
    if not (shape.shape == (2,) and all(each.dtype.kind == "i" for each in (shape, indices, starts))):
        raise DamagedError(f"its sparse matrix {name[:40]!r} has indices that are none")
    n_rows, n_columns = (int(side) for side in shape)
    _check_indices(n_rows, n_columns, values, indices, starts, name)
    kind = csr_array if "_is_array.npy" in parts and parts["_is_array.npy"].any() else csr_matrix
    stream = io.BytesIO()
    save_npz(stream, kind((values, indices, starts), shape=(n_rows, n_columns)), compressed=False)
    return stream.getvalue()


def _check_indices(n_rows: int, n_columns: int, values: Any, indices: Any, starts: Any, name: str) -> None:
    """Refuse a sparse matrix that does not fit together."""
    whole = (
        values.ndim == indices.ndim == starts.ndim == 1
        and 0 <= n_columns <= MOST_COLUMNS
        and len(starts) == n_rows + 1
        and len(values) == len(indices) >= starts.max()
        and starts[0] == starts.min() == 0
        and bool((np.diff(starts) >= 0).all())
        and (not len(indices) or (indices.min() >= 0 and indices.max() < n_columns))
    )
    if not whole:
        raise DamagedError(f"the parts of its sparse matrix {name[:40]!r} do not fit together")


def _array(data: bytes, name: str, budget: float) -> Any:
    check_array(data, name, budget)
    return np.load(io.BytesIO(data), allow_pickle=False)
