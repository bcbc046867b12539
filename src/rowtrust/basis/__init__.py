"""Basis functions: a kernel around each centre."""

from rowtrust.basis.anchors import Anchors, choose_anchors
from rowtrust.basis.centres import distinct_rows, landmarks
from rowtrust.basis.design import Design
from rowtrust.basis.kernels import Basis, Kernel

__all__ = ["Anchors", "Basis", "Design", "Kernel", "choose_anchors", "distinct_rows", "landmarks"]
