"""The models of the part on accuracy: ours with default settings, and peers with theirs searched.

Seconds are CPU seconds from bare rows to a model that predicts, the choice of settings included.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from rowtrust import RVC, RVR, BayesianSVR, FuzzyRVR, RobustRVC, RobustRVR

Array = NDArray[Any]

FOLDS = 5
"""Of grid searches and of calibration."""

CHOICE_FOLDS = 3
"""Of the choice among our own regressors."""

PENALTIES = (0.1, 1.0, 10.0, 100.0, 1000.0)
GAMMAS = (1 / 16, 1 / 4, 1.0, 4.0)
"""The 20 points of the grid: C, and multiples of scikit-learn's "scale" of gamma."""

TUBES = (0.01, 0.1)
"""Widths of the tube that SVR may choose too, for targets of variance one."""

MOST_STEPS = 2_000_000
"""Of a fit of SVR: seconds. Large C on noisy targets would take hours else. With a tenth of the steps errors
on yacht are 8 to 16 % larger."""

MOST_GPR_ROWS = 1000
"""Rows that scikit-learn's GPR is given at most: its cost grows with their cube."""

TREES = 200


@dataclass
class Work:
    """Rows to fit, and what models of one cell share.

    Attributes
    ----------
    X, y
        Rows to fit.
    seed
        Of every model and fold that draws.
    searched
        Results of grid searches, with their seconds.
    """

    X: Array
    y: Array
    seed: int
    searched: dict[str, tuple[Any, float]] = field(default_factory=dict)

    def search(self, name: str, build: Callable[[Work], Any]) -> tuple[Any, float]:
        """Return a grid search's best model, fitted, and its seconds; it is made once."""
        if name not in self.searched:
            start = process_time()
            best = build(self).fit(self.X, self.y).best_estimator_
            self.searched[name] = best, process_time() - start
        return self.searched[name]


@dataclass(frozen=True)
class Fitted:
    """A model and the CPU seconds it took."""

    model: Any
    seconds: float


Model = Callable[[Work], Fitted]


def own(build: Callable[[], Any], work: Work) -> Fitted:
    """Fit a model of ours; those that draw do so from NumPy's seed, for settings are the defaults."""
    np.random.seed(work.seed)  # noqa: NPY002
    start = process_time()
    model = build().fit(work.X, work.y)
    return Fitted(model, process_time() - start)


def peer(build: Callable[[Work], Any], work: Work) -> Fitted:
    start = process_time()
    model = build(work).fit(work.X, work.y)
    return Fitted(model, process_time() - start)


# classes --------------------------------------------------------------------------------------------


def svc_search(work: Work) -> Any:
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=work.seed)
    return GridSearchCV(SVC(), {"C": PENALTIES, "gamma": gammas(work.X)}, cv=folds)


def gammas(X: Array) -> list[float]:
    return [factor / (X.shape[1] * X.var()) for factor in GAMMAS]


def searched_svc(work: Work) -> Fitted:
    return Fitted(*work.search("SVC", svc_search))


def calibrated_svc(work: Work) -> Fitted:
    """Fit the sigmoids of the grid search's best point; the seconds of the search count."""
    best, seconds = work.search("SVC", svc_search)
    start = process_time()
    model = CalibratedClassifierCV(clone(best), method="sigmoid", cv=FOLDS, ensemble=False)
    model.fit(work.X, work.y)
    return Fitted(model, seconds + process_time() - start)


OWN_CLASSIFIERS: dict[str, Callable[[], Any]] = {"RVC": RVC, "RobustRVC": RobustRVC}

CLASSIFIERS: dict[str, Model] = {
    **{name: partial(own, build) for name, build in OWN_CLASSIFIERS.items()},
    "SVC grid": searched_svc,
    "calibrated SVC": calibrated_svc,
    "forest": partial(peer, lambda work: RandomForestClassifier(TREES, random_state=work.seed)),
    "boosting": partial(peer, lambda work: HistGradientBoostingClassifier(random_state=work.seed)),
}


# numbers --------------------------------------------------------------------------------------------


def svr_search(work: Work) -> Any:
    """Return a grid search on targets of variance one."""
    machine = TransformedTargetRegressor(SVR(max_iter=MOST_STEPS), transformer=StandardScaler())
    grid = {
        "regressor__C": PENALTIES,
        "regressor__gamma": gammas(work.X),
        "regressor__epsilon": TUBES,
    }
    folds = KFold(FOLDS, shuffle=True, random_state=work.seed)
    return GridSearchCV(machine, grid, cv=folds, scoring="neg_mean_squared_error")


def searched_svr(work: Work) -> Fitted:
    return Fitted(*work.search("SVR", svr_search))


def gaussian_process(work: Work) -> Fitted:
    """Fit a length scale per input, from one start, to the first rows, which are in random order."""
    inputs = work.X.shape[1]
    kernel = ConstantKernel(1.0, (1e-3, 1e3)) * RBF(np.full(inputs, np.sqrt(inputs)), (1e-2, 1e3))
    model = GaussianProcessRegressor(kernel + WhiteKernel(0.1, (1e-5, 10.0)), normalize_y=True)
    start = process_time()
    model.fit(work.X[:MOST_GPR_ROWS], work.y[:MOST_GPR_ROWS])
    return Fitted(model, process_time() - start)


OWN_REGRESSORS: dict[str, Callable[[], Any]] = {
    "RVR": RVR,
    "RobustRVR": RobustRVR,
    "FuzzyRVR": FuzzyRVR,
    "BayesianSVR": BayesianSVR,
}


def chosen_regressor(work: Work) -> Fitted:
    """Fit whichever of our regressors has the best log score on rows left out."""
    np.random.seed(work.seed)  # noqa: NPY002
    start = process_time()
    folds = list(KFold(CHOICE_FOLDS, shuffle=True, random_state=work.seed).split(work.X))
    scores = {
        name: np.mean([left_out_score(build(), work, *fold) for fold in folds])
        for name, build in OWN_REGRESSORS.items()
    }
    model = OWN_REGRESSORS[max(scores, key=lambda name: scores[name])]().fit(work.X, work.y)
    return Fitted(model, process_time() - start)


def left_out_score(model: Any, work: Work, fit: Array, rest: Array) -> float:
    mean, deviation = model.fit(work.X[fit], work.y[fit]).predict(work.X[rest], return_std=True)
    return float(norm.logpdf(work.y[rest], mean, deviation).mean())


CHOSEN = "ours chosen"
REGRESSORS: dict[str, Model] = {
    **{name: partial(own, build) for name, build in OWN_REGRESSORS.items()},
    CHOSEN: chosen_regressor,
    "SVR grid": searched_svr,
    "GPR": gaussian_process,
    "forest": partial(peer, lambda work: RandomForestRegressor(TREES, random_state=work.seed)),
    "boosting": partial(peer, lambda work: HistGradientBoostingRegressor(random_state=work.seed)),
}
WITH_DEVIATION = (*OWN_REGRESSORS, CHOSEN, "GPR")
"""The regressors that say how sure they are."""


# few coefficients -----------------------------------------------------------------------------------


def one_width(work: Work) -> Fitted:
    """Fit the paper's machine, one width of its grid chosen by the bound."""
    from papers.hwang.models import GRIDS, MACHINES, select_width  # only this model needs them

    start = process_time()
    machine = MACHINES["RRVM"](random_state=work.seed)
    found = select_width(machine, work.X, work.y, GRIDS["full"].gammas(work.X.shape[1]))
    return Fitted(found.model, process_time() - start)


UNPROJECTED = "RobustRVC unprojected"
SPARSE: dict[str, Model] = {
    "RobustRVC": partial(own, RobustRVC),
    UNPROJECTED: partial(own, lambda: RobustRVC(sparsity=0)),  # type: ignore[call-arg]
    "RRVM one width": one_width,
}
if "sparsity" not in RobustRVC().get_params():
    del SPARSE[UNPROJECTED]


# which models a kind has ----------------------------------------------------------------------------

OWN = (*OWN_CLASSIFIERS, *OWN_REGRESSORS, CHOSEN, *SPARSE)
SMOOTH = (*OWN_REGRESSORS, "GPR")
COVERAGE = ("RobustRVR", "BayesianSVR")
"""The models that face outliers in all tables."""

KINDS: dict[str, dict[str, Model]] = {
    "classes": CLASSIFIERS,
    "numbers": REGRESSORS,
    "contaminated": {name: model for name, model in REGRESSORS.items() if name not in (CHOSEN, "FuzzyRVR")},
    "smooth": {name: REGRESSORS[name] for name in SMOOTH},
    "sparsity": SPARSE,
}


def coefficients(model: Any) -> float:
    """Return how many coefficients other than zero a kernel machine has, over all outputs."""
    for inner in ("regressor_", "base_estimator_"):
        model = getattr(model, inner, model)
    if hasattr(model, "calibrated_classifiers_"):
        model = model.calibrated_classifiers_[0].estimator
    for name in ("dual_coef_", "alpha_"):
        if hasattr(model, name):
            return float(np.count_nonzero(getattr(model, name)))
    return np.nan
