"""Basis functions: a kernel around each centre."""

from skarn.basis.centres import distinct_rows, landmarks
from skarn.basis.design import Design
from skarn.basis.kernels import Basis, Kernel

__all__ = ["Basis", "Design", "Kernel", "distinct_rows", "landmarks"]
