"""Names of types and functions that a model file may ask for."""

from __future__ import annotations

from dataclasses import is_dataclass
from importlib import import_module
from pickle import whichmodule  # type: ignore[attr-defined]

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.gaussian_process.kernels import Kernel

PACKAGES = (
    *("estimators", "svr", "fitting", "inference", "trust", "likelihoods", "weights", "priors", "kernels"),
    *("predictive", "contracts"),
)
"""Packages whose records and estimators a model may be made of: those that a fit uses."""

STEPS = frozenset(("rowtrust.workflow.tables.steps.ReadColumns", "rowtrust.workflow.tables.steps.DateCycles"))
"""Steps that ``rowtrust fit`` puts before a model: they read and compute, and keep words and numbers."""

KERNELS = Kernel.__module__
"""Where scikit-learn's kernel objects are, of which skops knows nothing. They are numbers and words."""

SCALARS = frozenset(
    f"numpy.{name}"
    for name in (
        *("bool", "bool_", "str_", "float16", "float32", "float64", "longdouble", "complex64", "complex128"),
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "intc", "longlong"),
    )
)
"""NumPy's numbers and words. ``numpy.void`` is not here: a number makes it reserve as many bytes."""

KEY_TYPES = frozenset({"builtins.str", "builtins.int", "builtins.float", "builtins.bool", *SCALARS})
"""Types that a model may name: those of keys, and of numbers to make. None of them does anything."""

CLASSES = {
    "DictNode": {"builtins.dict", "collections.OrderedDict"},
    "ListNode": {"builtins.list"},
    "TupleNode": {"builtins.tuple"},
    "SetNode": {"builtins.set"},
    "JsonNode": {"builtins.str"},
    "SliceNode": {"builtins.slice"},
    "DTypeNode": {"numpy.dtype"},
    "NdArrayNode": {"numpy.ndarray", *SCALARS},
    "SparseMatrixNode": {"scipy.sparse._csr.csr_matrix", "scipy.sparse._csr.csr_array"},
    "MaskedArrayNode": {"numpy.ma.MaskedArray", "numpy.ma.core.MaskedArray"},
    "RandomStateNode": {"numpy.random.mtrand.RandomState"},
}
"""Classes that each kind of plain data may be of, as skops writes them. A kind that is not here has a rule
of its own."""

FUNCTIONS = ("numpy", whichmodule(np.sin, "sin"), "scipy.special._ufuncs", "scipy.special")
"""Modules whose elementwise functions a pipeline may apply, as in ``FunctionTransformer(np.log1p)``. NumPy
before 2.2 does not say that its own are in ``numpy``: skops then names the module that holds them."""

SKLEARN = (
    *("pipeline", "compose", "preprocessing", "impute", "decomposition", "feature_selection"),
    *("feature_extraction", "random_projection", "kernel_approximation", "multiclass", "multioutput"),
    *("linear_model", "model_selection", "calibration", "ensemble._bagging"),
)
"""Packages of scikit-learn whose estimators may stand around a model: nearly all of them compute with NumPy,
which checks where it reads. Trees, neighbours, clusters and ``svm`` follow stored numbers when compiled, and
a crafted file could make some read anywhere: ``KMeans`` with centres of one column predicts rows of ten
million without an error."""


def is_harmless_function(module: str, name: str) -> bool:
    """Whether a name is that of an elementwise function of NumPy or SciPy, which only computes."""
    return module in FUNCTIONS and isinstance(getattr(import_module(module), name, None), np.ufunc)


def is_around_models(name: str) -> bool:
    """Whether a full name is that of an estimator of scikit-learn that may stand around a model."""
    if not any(name.startswith(f"sklearn.{package}.") for package in SKLEARN) or ".tests." in name:
        return False
    found = _class_of(name)
    return found is not None and issubclass(found, BaseEstimator) and not found.__name__.startswith("_")


def is_ours(name: str) -> bool:
    """Whether a name is that of a record, an estimator or a kernel: no side effects."""
    if name in STEPS:
        return _class_of(name) is not None
    module_name = name.rpartition(".")[0]
    root, *parts = module_name.split(".")
    in_our_packages = root == "rowtrust" and bool(parts) and parts[0] in PACKAGES
    if not in_our_packages and module_name != KERNELS:
        return False
    found = _class_of(name)
    return found is not None and (
        issubclass(found, Kernel)
        or (in_our_packages and (is_dataclass(found) or issubclass(found, BaseEstimator)))
    )


def _class_of(name: str) -> type | None:
    """Return the class of a full name; None if there is none, or if it was only imported there."""
    module_name, _, class_name = name.rpartition(".")
    try:
        found = getattr(import_module(module_name), class_name, None)
    except ImportError:
        return None
    return found if isinstance(found, type) and found.__module__ == module_name else None
