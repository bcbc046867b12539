"""Kernels, where their centres stand, and the scale of their inputs."""

from rowtrust.kernels.blindness import refuse_blind
from rowtrust.kernels.centres import distinct_rows, landmarks
from rowtrust.kernels.content import content_keys, row_groups
from rowtrust.kernels.distances import SharedDistances
from rowtrust.kernels.joint import JointBasis, joined
from rowtrust.kernels.kernels import Basis, Kernel
from rowtrust.kernels.missing import Columns, expected_rows, is_uncertain, with_holes
from rowtrust.kernels.on_columns import OnColumns
from rowtrust.kernels.scaling import ColumnScaling, robust_scaling

__all__ = [
    "Basis",
    "ColumnScaling",
    "Columns",
    "JointBasis",
    "Kernel",
    "OnColumns",
    "SharedDistances",
    "content_keys",
    "distinct_rows",
    "expected_rows",
    "is_uncertain",
    "joined",
    "landmarks",
    "refuse_blind",
    "robust_scaling",
    "row_groups",
    "with_holes",
]
