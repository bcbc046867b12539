"""Robust sparse Bayesian kernel machines with scikit-learn's interface."""

from rowtrust.auditing import find_wrong_rows
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
)

__version__ = "0.1.0"
__all__ = [
    "RVC",
    "RVR",
    "BayesianSVR",
    "FuzzyRVC",
    "FuzzyRVR",
    "RobustRVC",
    "RobustRVR",
    "SparseBayesClassifier",
    "SparseBayesRegressor",
    "find_wrong_rows",
]
