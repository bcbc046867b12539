"""Basis functions: a kernel around each centre."""

from skarn.basis.anchors import Anchors, choose_anchors
from skarn.basis.centres import distinct_rows, landmarks
from skarn.basis.design import Design
from skarn.basis.kernels import Basis, Kernel

__all__ = ["Anchors", "Basis", "Design", "Kernel", "choose_anchors", "distinct_rows", "landmarks"]
