"""The peers, set up as a user would, with the kernel width of rowtrust where they cannot learn one."""

from __future__ import annotations

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC, SVR

from benchmarks.race import Entrant

FASTRVM = "fastrvm"


def fastrvm_classifier(gamma: float) -> Entrant:
    import fastrvm

    return Entrant(FASTRVM, lambda seed: fastrvm.RVC(kernel="rbf", gamma=gamma))


def fastrvm_regressor(gamma: float) -> Entrant:
    import fastrvm

    return Entrant(FASTRVM, lambda seed: fastrvm.RVR(kernel="rbf", gamma=gamma))


def calibrated_classifier(gamma: float) -> Entrant:
    return Entrant("SVC calibrated", lambda seed: CalibratedClassifierCV(SVC(gamma=gamma)))


def searched_classifier(largest: float = np.inf) -> Entrant:
    grid = {"C": [0.1, 1.0, 10.0], "gamma": [0.5, 2.0, 8.0]}
    return Entrant("SVC grid search", lambda seed: GridSearchCV(SVC(), grid), largest)


def gaussian_process_classifier(largest: float = np.inf) -> Entrant:
    kernel = ConstantKernel() * RBF()
    return Entrant("GPC", lambda seed: GaussianProcessClassifier(kernel, random_state=seed), largest)


def support_vector_regressor(gamma: float) -> Entrant:
    return Entrant("SVR", lambda seed: SVR(gamma=gamma))


def searched_regressor(largest: float = np.inf) -> Entrant:
    grid = {"C": [1.0, 10.0], "gamma": [0.05, 0.2, 1.0], "epsilon": [0.03, 0.1]}
    return Entrant("SVR grid search", lambda seed: GridSearchCV(SVR(), grid), largest)


def gaussian_process_regressor(largest: float = np.inf) -> Entrant:
    kernel = ConstantKernel() * RBF() + WhiteKernel()
    return Entrant("GPR", lambda seed: GaussianProcessRegressor(kernel, random_state=seed), largest)
