"""Rows on a device, as arrays of PyTorch, CuPy or any library of the array API standard.

Blocks are large, for a device works on many numbers at once; what is row-sized stays there, and the sums over
all rows come back once a pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn._config import get_config

from rowtrust.engines.sources import BLOCK_BYTES, Chunk, RowSource, Sum
from rowtrust.kernels import is_uncertain
from rowtrust.numerics.array_api import all_to_numpy, compat, double, is_elsewhere, like, namespace, to_numpy
from rowtrust.numerics.blocks import BLOCK_NUMBERS

DEVICE_BYTES, DEVICE_SHARE = 2**30, 1 / 64
"""Size of the largest temporary of a block on a device, and the most of its memory that it may be; there are
about six at a time. Not studied."""


class DeviceSource(RowSource):
    """Arrays on a device. Inputs in single precision are taken in double precision, chunk by chunk.

    Parameters
    ----------
    X, y, weight
        Rows, targets, and how many rows each stands for (None: one), all on the same device.
    block_bytes
        Size of the largest temporary of a block; None: as the memory of the device allows.
    """

    def __init__(self, X: Any, y: Any, weight: Any = None, block_bytes: int | None = None) -> None:
        self.X, self.y, self.weight = X, y, weight
        self.block_bytes = device_block_bytes(X) if block_bytes is None else block_bytes

    def chunks(self) -> Iterator[Chunk]:
        """Yield slices of the arrays, which stay on the device."""
        n_rows, n_columns = self.X.shape
        size = max(1, self.block_bytes // (8 * max(1, n_columns)))
        for start in range(0, n_rows, size):
            rows = slice(start, min(start + size, n_rows))
            y = None if self.y is None else self.y[rows]
            weight = None if self.weight is None else double(self.weight[rows])
            yield Chunk(double(self.X[rows, :]), y, weight, start)

    def beside(self, X: Any, y: Any, weight: Any) -> DeviceSource | None:
        """Return what reads a few rows of the memory on the device."""
        if is_in_memory(self.X) or is_uncertain(X):
            return None
        here = double(self.X[:1, :])
        return DeviceSource(like(X, here), like(y, here), like(weight, here))

    def _sum(self, function: Callable[[Chunk], Sum]) -> Sum | None:
        total: Sum | None = all_to_numpy(super()._sum(function))
        return total


def device_block_bytes(array: Any) -> int:
    """Return a good size of the largest temporary of a block, where an array is."""
    if is_in_memory(array):
        return BLOCK_BYTES
    memory = device_memory(array)
    return DEVICE_BYTES if memory is None else min(DEVICE_BYTES, int(DEVICE_SHARE * memory))


def numbers_of_block(array: Any) -> int:
    """Return how many doubles the largest temporary of a block may have, in memory or on a device."""
    return device_block_bytes(array) // 8 if is_elsewhere(array) else BLOCK_NUMBERS


def is_in_memory(array: Any) -> bool:
    """Tell whether an array of another library is in the memory of this machine."""
    return bool(compat.is_torch_array(array) and array.device.type == "cpu")


def device_memory(array: Any) -> int | None:
    """Return how many bytes the device of an array has; None where its library does not say."""
    if compat.is_torch_array(array) and array.device.type == "cuda":
        import torch

        return int(torch.cuda.mem_get_info(array.device)[1])
    if compat.is_cupy_array(array):
        return int(array.device.mem_info[1])
    return None


def on_device(X: Any) -> bool:
    """Whether an array is of another library than NumPy, and is to be worked on where it is."""
    return is_elsewhere(X) and bool(get_config()["array_api_dispatch"])


def device_source(X: Any, y: Any, weight: Any, most: int) -> DeviceSource | None:
    """Return what reads rows on a device if there are more than ``most`` of them.

    What needs a closer look than a device can give it comes to memory, however much it is: missing values,
    labels that are not numbers, and whatever is wrong.
    """
    if X.ndim != 2 or X.shape[0] <= most:
        return None
    found = [moved(part, X, of_rows) for part, of_rows in ((X, False), (y, True), (weight, True))]
    sound = all(each is not None for each in found[:2]) and (weight is None or are_weights(found[2]))
    return DeviceSource(*found) if sound else None


def moved(values: Any, X: Any, of_rows: bool) -> Any:
    """Return finite numbers on the device of X, one a row if they are of rows; None if they are not so."""
    xp = namespace(X)
    if not is_elsewhere(values):
        values = np.asarray(values)
        if values.dtype.kind not in "fiu":
            return None
    values = xp.asarray(values, device=compat.device(X))
    if of_rows and values.shape != (X.shape[0],):
        return None
    return values if all_numbers(values) else None


def are_weights(weight: Any) -> bool:
    """Whether numbers on a device can be weights: none is negative, and not all are zero."""
    if weight is None:
        return False
    xp = namespace(weight)
    return bool(xp.all(weight >= 0)) and float(xp.max(weight)) > 0.0


def all_numbers(values: Any) -> bool:
    """Whether an array on a device has finite numbers alone."""
    xp = namespace(values)
    if xp.isdtype(values.dtype, "integral"):
        return True
    return bool(xp.isdtype(values.dtype, "real floating") and xp.all(xp.isfinite(values)))


def rows_there(X: Any, n_features: int) -> Any:
    """Return rows to be predicted on their device, or in memory where some values are missing or wrong."""
    right = X.ndim == 2 and X.shape[1] == n_features and X.shape[0] > 0
    return double(X) if right and all_numbers(X) else to_numpy(X)


def back_to(X: Any, values: NDArray[Any]) -> NDArray[Any]:
    """Return what was made of rows where the rows are; labels that are not numbers stay in memory."""
    if not on_device(X) or values.dtype.kind not in "fiu":
        return values
    there: NDArray[Any] = like(values, X) if values.dtype.kind == "f" else moved(values, X, False)
    return there
