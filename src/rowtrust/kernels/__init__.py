"""Kernels, and where their centres stand."""

from rowtrust.kernels.centres import distinct_rows, landmarks, row_groups
from rowtrust.kernels.distances import SharedDistances
from rowtrust.kernels.kernels import Basis, Kernel
from rowtrust.kernels.on_columns import OnColumns

__all__ = ["Basis", "Kernel", "OnColumns", "SharedDistances", "distinct_rows", "landmarks", "row_groups"]
