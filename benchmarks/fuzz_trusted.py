"""Random fits of trusted estimators: any rows, any judge, around a model that is quick to fit."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge

from benchmarks.fuzz_data import Generator, draw_rows, one_of
from benchmarks.fuzz_fits import check_audit, check_pickle
from benchmarks.fuzz_outcomes import asked, check_between, check_finite, check_shape, only_known_warnings
from rowtrust import TrustedClassifier, TrustedRegressor

Tell = Callable[[str], None]

JUDGES = ("rowtrust", "own", "both")
"""Who judges rows."""


def case(generator: Generator, tell: Tell) -> None:
    """Fit a trusted estimator to random rows, and check what it says of them and of others."""
    classifies = bool(generator.random() < 0.5)
    with np.errstate(all="ignore"):
        rows = draw_rows(generator, classifies)
    options = {"judge": one_of(generator, JUDGES), "random_state": 0}
    model = (
        TrustedClassifier(LogisticRegression(), **options)
        if classifies
        else TrustedRegressor(Ridge(), **options)
    )
    tell(f"{model}\n  {rows}")
    n_rows = rows.X.shape[0]
    with only_known_warnings(), np.errstate(all="ignore"):
        warnings.filterwarnings("ignore", module="sklearn|scipy")  # of what is inside
        asked(model.fit, rows.X, rows.y, sample_weight=rows.weight)
        for name in ("p_wrong_", "sample_trust_"):
            check_shape(name, getattr(model, name), (n_rows,))
            check_between(name, getattr(model, name), 0.0, 1.0)
        check_finite("predictions", asked(model.predict_proba if classifies else model.predict, rows.new))
        check_audit(asked(model.audit, rows.X, rows.y), n_rows, ("p_wrong", "trust"))
        check_pickle(model, rows.X)
