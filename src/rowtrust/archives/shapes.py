"""Shapes of the arrays in a model, compared with each other before anything is computed with them."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.gaussian_process.kernels import Kernel as KernelObject

from rowtrust.archives.reading import DamagedError
from rowtrust.kernels import Basis, Columns, Kernel
from rowtrust.predictive import PredictiveModel
from rowtrust.predictive.anchors import Anchors
from rowtrust.predictive.far_from_data import FarFromData

AXES = {
    "PredictiveModel": {
        "coefficients": "OJ",
        "covariance": "VJJ",
        "spread": "gOJ",
        "hidden": "O",
        "narrowing": "OnJ",
    },
    "Basis": {"centres": "kD"},
    "Kernel": {"metric": "D|Dr", "origin": "D"},
    "FarFromData": {"mean": "O", "variance": "V", "bridge": "aO"},
    "Anchors": {"rows": "mD", "whitener": "mm"},
    "OutputMachine": {"support": "k", "dual": "k"},
    "Units": {"columns": "E", "input_offset": "E", "input_scale": "E"},
    "Hyperparameters": {"relevance": "r"},
    "SoftPosterior": {"support": "k", "vectors": "kE", "dual": "k", "quadratic": "m", "factor": "mm"},
    "LandmarkPosterior": {"support": "k", "vectors": "kE", "dual": "k", "root": "kk"},
    "GaussianCovariance": {"relevance": "E"},
    "Columns": {"mean": "D", "scale": "D", "is_known": "D", "covariance": "DD"},
}
"""Axes of the arrays in each record: those of one letter have one length. Capitals are the same throughout
a model, small letters within a record; D counts inputs, O outputs, V those that share no variance, J basis
functions with the bias. Where there are several possibilities the number of axes decides."""

UNCERTAIN = ("kD", "mD")
"""Axes of the arrays that may be complex: rows, of which values may be missing."""

TRANSFORMERS = {
    "StandardScaler": ("mean_", "scale_", "var_"),
    "MinMaxScaler": ("min_", "scale_", "data_min_", "data_max_"),
    "MaxAbsScaler": ("scale_", "max_abs_"),
    "RobustScaler": ("center_", "scale_"),
    "SimpleImputer": ("statistics_",),
}
"""Transformers of numbers, with the arrays of which they have one number an input."""

COMPOSED = ("Pipeline", "ColumnTransformer", "OneHotEncoder")
"""What else ``rowtrust fit`` puts before a model."""

MOST_CATEGORIES = 1_000_000
"""Categories of an encoder that is tried with a row: it makes as many columns. A guard."""

TYPES: dict[str, Any] = {
    "float": Real,
    "int": Integral,
    "bool": bool | np.bool_,
    "str": str,
    "None": type(None),
    "Array": np.ndarray,
    "Indices": np.ndarray,
    "Mask": np.ndarray,
    "Holes": np.ndarray,
}
"""What the words in the annotations of records stand for; others are names of classes."""


LARGEST = 1e250
"""Numbers of a model beyond this overflow when a prediction adds them up: variances of the largest targets
that a fit accepts are below 1e200. A guard."""

ABSENT = object()
"""Stands for an attribute that is not there."""


class Shapes:
    """The shapes in a record and in all records within it.

    Parameters
    ----------
    record
        A ``PredictiveModel``, an ``OutputMachine``, or ``Columns``.
    n_features
        How many inputs it has.

    Attributes
    ----------
    work : int
        Products of numbers that the prediction of a row takes, roughly.
    """

    def __init__(self, record: Any, n_features: int) -> None:
        self.sizes = {"D": n_features}
        self.work = 0
        self._check(record)

    def _check(self, record: Any) -> None:
        name = type(record).__name__
        axes, own = AXES.get(name, {}), dict[str, int]()
        for field in fields(record):
            value = getattr(record, field.name, ABSENT)
            if value is ABSENT or not has_type(value, str(field.type)):
                raise DamagedError(f"{field.name} of its {name} is not what it should be")
        if isinstance(record, Basis) and record.kernel.function == "precomputed":
            axes = {}
        for field_name, letters in axes.items():
            self._compare(getattr(record, field_name), letters, own, f"{field_name} of its {name}")
        self._special(record)
        for field in fields(record):
            if field.name not in axes:
                self._look_into(getattr(record, field.name), f"{field.name} of its {name}")

    def _compare(self, array: Any, letters: str, own: dict[str, int], what: str) -> None:
        """Refuse an array whose axes have other lengths than others of the same letters, or NaN."""
        if array is None:
            return
        letters = next((each for each in letters.split("|") if len(each) == array.ndim), letters)
        if len(array.shape) != len(letters):
            raise DamagedError(f"{what} has {len(array.shape)} axes, not {len(letters)}")
        for letter, length in zip(letters, array.shape, strict=True):
            sizes = self.sizes if letter.isupper() else own
            if sizes.setdefault(letter, length) != length:
                raise DamagedError(f"{what} has the shape {array.shape}, which does not fit the others")
        numbers = array.data if issparse(array) else array
        kinds = "biufc" if letters in UNCERTAIN else "biuf"
        if numbers.dtype.kind not in kinds or not np.abs(numbers).max(initial=0.0) < LARGEST:
            raise DamagedError(f"{what} is not all finite numbers")
        self.work += numbers.size

    def _special(self, record: Any) -> None:
        """Compare what letters cannot say, and add up work that is more than the size of an array."""
        if isinstance(record, PredictiveModel):
            n_columns = record.basis.n_columns
            if self.sizes["V"] != (1 if record.likelihood.is_joint else self.sizes["O"]):
                raise DamagedError("its model has other variances than outputs")
            if n_columns != self.sizes["J"]:
                raise DamagedError(f"its model has {self.sizes['J']} coefficients for {n_columns} functions")
            self.work += 0 if record.spread is None else record.spread.size * n_columns
        if isinstance(record, FarFromData) and record.variance.min(initial=0.0) < 0.0:
            raise DamagedError("its model has a negative variance far from the data")
        if isinstance(record, Anchors):
            self._check_metric(record.kernel, record.rows)
        if isinstance(record, Columns) and record.covariance is not None:
            self.work += record.covariance.size * self.sizes["D"]
        if isinstance(record, Basis):
            if np.ndim(record.kernel.gamma) and np.shape(record.kernel.gamma) != (record.centres.shape[0],):
                raise DamagedError("its kernel has other widths than centres")
            n_numbers = (
                math.prod(record.centres.shape) if not issparse(record.centres) else record.centres.nnz
            )
            is_uncertain = not issparse(record.centres) and np.iscomplexobj(record.centres)
            self._check_metric(record.kernel, record.centres)
            self.work += n_numbers * (len(kernels_in(record.kernel.function)) + 1000 * is_uncertain)

    def _check_metric(self, kernel: Kernel, rows: Any) -> None:
        """Refuse a metric that makes more of rows than they are; add up the work of one that does not."""
        if kernel.metric is not None and kernel.metric.ndim == 2:
            if issparse(rows) or kernel.metric.shape[1] > self.sizes["D"]:
                raise DamagedError("the metric of its Kernel has more columns than the model has inputs")
            self.work += rows.size * kernel.metric.shape[1]

    def _look_into(self, value: Any, what: str) -> None:
        """Go on to the records in a field; refuse other arrays that are longer than the model is wide."""
        if is_dataclass(value) and type(value).__module__.startswith("rowtrust."):
            self._check(value)
        elif isinstance(value, KernelObject):
            for kernel in kernels_in(value):
                for name, parameter in vars(kernel).items():
                    if not isinstance(parameter, KernelObject):
                        self._check_length(parameter, f"{name} of its {type(kernel).__name__}")
        elif isinstance(value, tuple | list) and any(map(is_dataclass, value)):
            for each in value:
                self._look_into(each, what)
        else:
            self._check_length(value, what)

    def _check_length(self, value: Any, what: str) -> None:
        if what.endswith("OutputMachine") or what.startswith("gamma of"):
            return
        if np.size(value) > max(self.sizes["D"], self.sizes.get("O", 1), 2):
            raise DamagedError(f"{what} is longer than its model is wide")


def kernels_in(kernel: Any) -> list[Any]:
    """Return a kernel object and all kernel objects within it."""
    found = [kernel]
    for part in found:
        if isinstance(part, KernelObject):
            found.extend(each for each in vars(part).values() if isinstance(each, KernelObject))
    return found


def has_type(value: Any, annotation: str) -> bool:
    """Whether a value is what the annotation of a field says; annotations of other forms say nothing."""
    return any(_is_of(value, word.strip()) for word in annotation.split(" | "))


def _is_of(value: Any, word: str) -> bool:
    if word == "Any":
        return True
    if word == "Matrix":
        return issparse(value) or isinstance(value, np.ndarray)
    if word in TYPES:
        return isinstance(value, TYPES[word]) or (
            word == "float"
            and isinstance(value, np.ndarray)
            and value.shape == ()
            and value.dtype.kind in "biuf"
        )
    outer, _, inner = word.rstrip("]").partition("[")
    if inner:
        kind: Any = {"tuple": tuple, "list": list}.get(outer, object)
        names = [name.strip() for name in inner.split(",") if name.strip() != "..."]
        is_plain = kind is not object and len(names) == 1
        return isinstance(value, kind) and (not is_plain or all(_is_of(each, names[0]) for each in value))
    return any(each.__name__ == word for each in type(value).__mro__)


def check_transformer(step: Any) -> bool:
    """Whether a step is a transformer of numbers; refuse it if its arrays have not one number an input.

    A step that is not known is neither refused nor vouched for, and False.
    """
    names = TRANSFORMERS.get(type(step).__name__)
    if names is None or not type(step).__module__.startswith("sklearn."):
        return False
    n_features = getattr(step, "n_features_in_", None)
    if n_features is None:
        return True  # a template; where it is none, predicting fails at once
    arrays = [getattr(step, name, None) for name in names]
    for name, array in zip(names, arrays, strict=True):
        if array is not None and not (isinstance(array, np.ndarray) and array.shape == (n_features,)):
            raise DamagedError(f"{name} of its {type(step).__name__} does not fit its {n_features} inputs")
    is_numbers = all(array is None or array.dtype.kind in "biuf" for array in arrays)
    if type(step).__name__ == "SimpleImputer":  # it may fill in words, or know nothing of a column
        return is_numbers
    if not is_numbers or not all(array is None or np.isfinite(array).all() for array in arrays):
        raise DamagedError(f"its {type(step).__name__} has what is no finite number")
    return True


def is_sound_transformer(part: Any) -> bool:
    """Whether a part of a pipeline is one that ``rowtrust fit`` writes, of a size that can be tried."""
    if type(part).__name__ == "OneHotEncoder":
        return sum(map(np.size, getattr(part, "categories_", []))) <= MOST_CATEGORIES
    return type(part).__name__ in COMPOSED or check_transformer(part)
