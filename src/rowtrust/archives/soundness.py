"""Whether a model that was loaded can predict: its parts are there, fit together, and answer.

Compiled loops and NumPy's broadcasting make much out of little where shapes disagree, so shapes are compared
before anything is computed. Only then is one row predicted, and only where that is little work.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from joblib import parallel_config
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from rowtrust.archives.reading import DamagedError
from rowtrust.archives.shapes import Shapes, check_transformer, is_sound_transformer
from rowtrust.kernels import Columns
from rowtrust.kernels.missing import DRAWS
from rowtrust.predictive import PredictiveModel
from rowtrust.svr.output import OutputMachine

MOST_COLUMNS = 1_000_000
"""Columns of a dense row that is made to try a model: 8 MB, of which a prediction makes some copies. With ten
million a file of 67 KB took 491 MiB."""

MOST_WORK = 10_000_000
"""Products of numbers that trying a model may take, roughly; models with more are not tried. Those of the
tests take a million at most."""

WORDS = ("steps", "transformers", "transformer_list")
"""Attributes of scikit-learn's compositions, whose items are named parts."""


def check_model(model: Any) -> None:
    """Refuse what is no fitted model, or one whose parts do not fit together or do not answer.

    Raises
    ------
    DamagedError
        With what is wrong, as a part of a sentence.
    """
    if not isinstance(model, BaseEstimator) or not callable(getattr(model, "predict", None)):
        raise DamagedError("it holds no estimator that predicts")
    parts = estimators_in(model)
    for part in parts:
        _check_parameters(part)
    _check_fitted(model)
    fitted = [part for part in parts if from_rowtrust(part) and _is_fitted(part)]
    if not fitted:
        raise DamagedError("it holds no fitted estimator of rowtrust")
    work = 0
    for part in fitted:
        work += _check_shapes(part)
        if work <= MOST_WORK:
            try_row(part, _row_for(part))
    steps = model.steps[:-1] if isinstance(model, Pipeline) else []
    if steps and work <= MOST_WORK and all(check_transformer(step) for _, step in steps):
        try_row(model, _zeros(model))


def check_answer(model: Any, X: Any) -> None:
    """Refuse a pipeline that does not answer to a row; one with steps that are not known is not tried."""
    parts = [part for part in estimators_in(model) if not from_rowtrust(part)]
    if all(is_sound_transformer(part) for part in parts):
        try_row(model, X)


def estimators_in(model: Any) -> list[Any]:
    """Return all estimators within a model, itself first, each once."""
    found: list[Any] = []
    seen: set[int] = set()
    waiting = [model]
    while waiting:
        part = waiting.pop()
        if id(part) in seen or isinstance(part, str | bytes | type):
            continue
        seen.add(id(part))
        if isinstance(part, BaseEstimator):
            found.append(part)
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list | tuple | set):
            waiting.extend(part)
        elif isinstance(part, np.ndarray):
            waiting.extend(part.ravel() if part.dtype == object else ())
        elif type(part).__module__.startswith(("rowtrust.", "sklearn.")):
            waiting.extend(vars(part).values() if hasattr(part, "__dict__") else ())
    return found


def from_rowtrust(part: Any) -> bool:
    """Whether an estimator is one of rowtrust's."""
    return type(part).__module__.startswith("rowtrust.")


def try_row(model: Any, X: Any) -> None:
    """Predict a row, and look at the answer; without the thousand processes that a file may ask for."""
    if X is None:
        return
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"), parallel_config(backend="sequential"):
            warnings.simplefilter("ignore")
            answer = np.asarray(model.predict(X))
            shape, numbers = answer.shape, answer
            if is_classifier(model):
                shape, numbers = (1, len(model.classes_)), np.asarray(model.predict_proba(X))
            elif from_rowtrust(model):
                shape, numbers = (2, *answer.shape), np.array(model.predict(X, return_std=True))
            right = len(answer) == 1 and numbers.shape == shape and bool(np.isfinite(numbers).all())
    except Exception as error:
        kind = type(error).__name__
        raise DamagedError(f"its model cannot predict, as its parts do not fit ({kind})") from error
    if not right:
        raise DamagedError("its model predicts no finite numbers")


def _check_parameters(part: Any) -> None:
    """Refuse an estimator without one of its parameters, or a composition of parts that are none."""
    name = type(part).__name__
    try:
        part.get_params(deep=False)
        items = [item for word in WORDS for item in getattr(part, word, ())]
        named = all(isinstance(item, tuple | list) and isinstance(item[0], str) for item in items)
    except Exception as error:
        raise DamagedError(f"its {name} lacks a parameter") from error
    if not named:
        raise DamagedError(f"the steps of its {name} are none")


def _check_fitted(model: Any) -> None:
    try:
        check_is_fitted(model)
    except Exception as error:
        raise DamagedError("its model was not fitted") from error


def _is_fitted(part: Any) -> bool:
    """Whether an estimator was fitted: others may stand in a model as templates."""
    return any(hasattr(part, name) for name in ("predictive_model_", "machines_", "estimators_", "n_iter_"))


def _check_shapes(part: Any) -> int:
    """Refuse a fitted estimator whose arrays do not fit together; return how much work a row is."""
    n_features = getattr(part, "n_features_in_", None)
    if not isinstance(n_features, int | np.integer) or n_features < 1:
        raise DamagedError(f"its {type(part).__name__} does not know its number of inputs")
    machines, several = getattr(part, "machines_", None), getattr(part, "estimators_", None)
    model = getattr(part, "predictive_model_", None)
    records = [model] if machines is None or model is not None else []
    if several is not None:
        records = []
        if not isinstance(several, list) or not several or not all(map(from_rowtrust, several)):
            raise DamagedError(f"its {type(part).__name__} lacks the models of its targets")
    if machines is not None and not isinstance(machines, list):
        raise DamagedError(f"its {type(part).__name__} lacks its machines")
    records += machines or []
    if not all(isinstance(record, PredictiveModel | OutputMachine) for record in records):
        raise DamagedError(f"its {type(part).__name__} lacks its model")
    work = sum(Shapes(record, int(n_features)).work for record in records)
    columns = getattr(getattr(part, "fitted_", None), "columns", None)
    if columns is None:
        return work
    if not isinstance(columns, Columns):
        raise DamagedError(f"its {type(part).__name__} does not know its columns")
    return Shapes(columns, int(n_features)).work + work * (1 if columns.is_known.all() else 1 + DRAWS)


def _row_for(part: Any) -> Any:
    """Return a row like those of the fit: a centre of the model, or zeros; None where it would be large."""
    model = getattr(part, "predictive_model_", None)
    if model is not None:
        first = model.basis.parts[0]
        if issparse(first.centres):
            return csr_array((1, part.n_features_in_))
        wide = part.n_features_in_ > MOST_COLUMNS
        if first.kernel.function != "precomputed" and len(first.centres) and not wide:
            return np.ascontiguousarray(first.centres[:1].real, dtype=float)
    return _zeros(part)


def _zeros(part: Any) -> Any:
    n_features = getattr(part, "n_features_in_", None)
    if not isinstance(n_features, int | np.integer) or not 0 < n_features <= MOST_COLUMNS:
        return None
    return np.zeros((1, int(n_features)))
