"""Robust sparse Bayesian kernel machines with scikit-learn's interface."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rowtrust.contracts import LandmarksWarning
    from rowtrust.estimators import (
        RVC,
        RVR,
        BayesianSVR,
        FuzzyRVC,
        FuzzyRVR,
        RobustRVC,
        RobustRVR,
        SparseBayesClassifier,
        SparseBayesRegressor,
        TrustedClassifier,
        TrustedRegressor,
    )
    from rowtrust.trust import find_wrong_rows
    from rowtrust.workflow.api import study_table
    from rowtrust.workflow.study import Study

__version__ = "0.1.0"
__all__ = [
    "RVC",
    "RVR",
    "BayesianSVR",
    "FuzzyRVC",
    "FuzzyRVR",
    "LandmarksWarning",
    "RobustRVC",
    "RobustRVR",
    "SparseBayesClassifier",
    "SparseBayesRegressor",
    "TrustedClassifier",
    "TrustedRegressor",
    "find_wrong_rows",
]

_EXTRA = {"Study": "rowtrust.workflow.study", "study_table": "rowtrust.workflow.api"}
"""Names that need the libraries of an extra, and where they are."""

_LATER = {
    **dict.fromkeys(__all__, "rowtrust.estimators"),
    "LandmarksWarning": "rowtrust.contracts",
    "find_wrong_rows": "rowtrust.trust",
    **_EXTRA,
}
"""All names, and where they are: imported when they are first used, so that the command can say at once that
it was interrupted, or that it needs its extra."""

if find_spec("pandas") is not None:
    __all__ += ["Study", "study_table"]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'rowtrust' has no attribute '{name}'")
    try:
        return getattr(import_module(_LATER[name]), name)
    except ModuleNotFoundError as error:
        if name not in _EXTRA or (error.name or "").startswith("rowtrust"):
            raise
        raise ImportError(f"rowtrust.{name} needs its extra: pip install 'rowtrust[cli]'") from error


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__", "__doc__"])
