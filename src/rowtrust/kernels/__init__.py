"""Kernels, and where their centres stand."""

from rowtrust.kernels.centres import distinct_rows, landmarks
from rowtrust.kernels.kernels import Basis, Kernel
from rowtrust.kernels.on_columns import OnColumns

__all__ = ["Basis", "Kernel", "OnColumns", "distinct_rows", "landmarks"]
