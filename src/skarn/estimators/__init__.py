"""scikit-learn estimators: validate, compose, solve, set attributes."""

from skarn.estimators._bayesian_svr import BayesianSVR
from skarn.estimators._fuzzy import FuzzyRVC, FuzzyRVR
from skarn.estimators._plain import RVC, RVR
from skarn.estimators._robust import RobustRVC, RobustRVR

__all__ = ["RVC", "RVR", "BayesianSVR", "FuzzyRVC", "FuzzyRVR", "RobustRVC", "RobustRVR"]
