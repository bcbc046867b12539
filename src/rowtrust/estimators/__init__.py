"""scikit-learn estimators: validate, plan, fit, publish."""

from rowtrust.estimators._bayesian_svr import BayesianSVR
from rowtrust.estimators._fuzzy import FuzzyRVC, FuzzyRVR
from rowtrust.estimators._machine import budget
from rowtrust.estimators._robust import RobustRVC, RobustRVR
from rowtrust.estimators._sparse_bayes import RVC, RVR, SparseBayesClassifier, SparseBayesRegressor
from rowtrust.estimators._trusted import TrustedClassifier, TrustedRegressor

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
    "TrustedClassifier",
    "TrustedRegressor",
    "budget",
]
