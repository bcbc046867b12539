"""scikit-learn estimators: validate, compose, solve, set attributes."""

from rowtrust.estimators._bayesian_svr import BayesianSVR
from rowtrust.estimators._fuzzy import FuzzyRVC, FuzzyRVR
from rowtrust.estimators._plain import RVC, RVR
from rowtrust.estimators._robust import RobustRVC, RobustRVR

__all__ = ["RVC", "RVR", "BayesianSVR", "FuzzyRVC", "FuzzyRVR", "RobustRVC", "RobustRVR"]
