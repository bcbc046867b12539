"""Where the rows of a fit are: in memory, on the disk, on a device, or with the workers of a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn._config import config_context

from rowtrust.contracts import Array
from rowtrust.workflow.streaming import StoredBlocks
from rowtrust.workflow.tables import InputError

PATIENCE = 10.0
"""Seconds in which a scheduler must answer; Dask waits three times as long. A guard."""


def fit_on_device(estimator: Any, X: Array, y: NDArray[Any], device: str) -> Any:
    """Fit with rows that lie on a device; what is fitted comes back.

    Labels travel as whole numbers, since a device knows no words.
    """
    torch = torch_with(device)
    classes = None
    if hasattr(estimator, "predict_proba"):
        classes, y = np.unique(y, return_inverse=True)
    os.environ.setdefault("SCIPY_ARRAY_API", "1")  # scikit-learn asks for it
    with config_context(array_api_dispatch=True):
        estimator.fit(torch.asarray(X, device=device), torch.asarray(y, device=device))
    if classes is not None:
        estimator.classes_ = classes
    return estimator


def torch_with(device: str) -> Any:
    """Return PyTorch if it is there and has the device."""
    try:
        import torch
    except ImportError as error:
        raise InputError(f"--device {device} needs PyTorch. Install torch, or leave --device out.") from error
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise InputError(f"--device {device}: PyTorch finds no CUDA device. Leave --device out.")
    return torch


def all_in_memory(blocks: StoredBlocks) -> tuple[Array, NDArray[Any]]:
    """Return the rows of all blocks as two arrays."""
    parts = list(blocks)
    return np.concatenate([X for X, _ in parts]), np.concatenate([y for _, y in parts])


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Connect with a Dask scheduler for the time of a fit."""
    try:
        from dask.distributed import Client
    except ImportError as error:
        raise InputError("--dask needs Dask: pip install 'dask[array,distributed]'.") from error
    try:
        client = Client(address, timeout=PATIENCE)
    except (OSError, TimeoutError, ValueError) as error:
        raise InputError(f"--dask {address}: no scheduler answers there. Check the address.") from error
    with client:
        yield client


def as_dask(blocks: StoredBlocks) -> tuple[Any, Any]:
    """Return stored blocks as Dask arrays: every worker reads its own, so that it must see the folder."""
    from dask import array, delayed

    first, target = next(iter(blocks))
    read = delayed(np.load, pure=True)
    X, y = [], []
    for number, length in enumerate(blocks.lengths):
        names = [str(blocks.path(number, name)) for name in ("X", "y")]
        X.append(array.from_delayed(read(names[0]), (length, first.shape[1]), first.dtype))
        y.append(array.from_delayed(read(names[1]), (length,), target.dtype))
    return array.concatenate(X), array.concatenate(y)
