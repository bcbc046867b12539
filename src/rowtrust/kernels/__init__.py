"""Kernels, where their centres stand, and the scale of their inputs."""

from rowtrust.kernels.basis import JointBasis, SharedDistances, joined
from rowtrust.kernels.blindness import is_stationary, refuse_blind
from rowtrust.kernels.content import Keys, content_keys, distinct_rows, landmarks, numbered, row_keys
from rowtrust.kernels.kernels import NAMES, WITH_A_WIDTH, Basis, Kernel, times
from rowtrust.kernels.missing import (
    Columns,
    expected_rows,
    function_spread,
    is_uncertain,
    mean_spread,
    spreads,
    with_holes,
)
from rowtrust.kernels.on_columns import OnColumns
from rowtrust.kernels.scaling import ColumnScaling, robust_scaling

__all__ = [
    "NAMES",
    "WITH_A_WIDTH",
    "Basis",
    "ColumnScaling",
    "Columns",
    "JointBasis",
    "Kernel",
    "Keys",
    "OnColumns",
    "SharedDistances",
    "content_keys",
    "distinct_rows",
    "expected_rows",
    "function_spread",
    "is_stationary",
    "is_uncertain",
    "joined",
    "landmarks",
    "mean_spread",
    "numbered",
    "refuse_blind",
    "robust_scaling",
    "row_keys",
    "spreads",
    "times",
    "with_holes",
]
