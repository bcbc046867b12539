"""scikit-learn estimators: validate, compose, fit, publish attributes."""

from rowtrust.estimators._bayesian_svr import BayesianSVR
from rowtrust.estimators._fuzzy_rvc import FuzzyRVC
from rowtrust.estimators._fuzzy_rvr import FuzzyRVR
from rowtrust.estimators._robust_rvc import RobustRVC
from rowtrust.estimators._robust_rvr import RobustRVR
from rowtrust.estimators._rvc import RVC
from rowtrust.estimators._rvr import RVR
from rowtrust.estimators._sparse_bayes_classifier import SparseBayesClassifier
from rowtrust.estimators._sparse_bayes_regressor import SparseBayesRegressor

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
]
