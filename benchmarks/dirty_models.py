"""All models of the part on dirty labels, each run from the labels as given to predictions and names.

Seconds are those from the bare table: an audit's include the fit or the out-of-fold probabilities it rests
on and the choice of settings, those of a fit on cleaned rows the audit that cleaned them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from benchmarks.dirty_peers import PEERS, by_aum, by_class, by_cleanlab, out_of_fold
from rowtrust import RVC, RobustRVC

Array = NDArray[Any]


@dataclass(frozen=True)
class Audit:
    """How suspicious every row is, which ones are named wrong, and the seconds that took."""

    score: Array
    named: Array
    seconds: float


@dataclass(frozen=True)
class Outcome:
    """What a model says: probabilities of the test rows, an audit, or both.

    Attributes
    ----------
    probability
        Of the test rows, one column per class.
    fit_seconds
        Until the model could predict.
    audit
        Of the rows fitted.
    label_noise
        The rates of wrong labels that it learnt, as text; empty for a model that learns none.
    """

    probability: Array | None = None
    fit_seconds: float = np.nan
    audit: Audit | None = None
    label_noise: str = ""


@dataclass
class Work:
    """The rows of one cell, and what its models share.

    Attributes
    ----------
    X, given
        Rows to fit, with labels of which some are wrong.
    X_test
        Rows to predict.
    seed
        Of every model that draws.
    """

    X: Array
    given: Array
    X_test: Array
    seed: int
    tuned: dict[str, tuple[Any, float]] = field(default_factory=dict)

    @property
    def labels(self) -> Array:
        """The classes."""
        return np.unique(self.given)

    def peer(self, name: str) -> tuple[Any, float]:
        """Return an unfitted peer with its settings chosen, and the seconds of the choice."""
        if name not in self.tuned:
            start = perf_counter()
            model = PEERS[name](self.X, self.given, self.seed)
            self.tuned[name] = model, perf_counter() - start
        model, seconds = self.tuned[name]
        return clone(model), seconds


def own(build: Callable[[], Any], work: Work) -> Outcome:
    """Fit a model of this library, and let it audit its rows."""
    start = perf_counter()
    model = build().fit(work.X, work.given)
    fitted = perf_counter() - start
    score, named = by_rowtrust(model, work.X, work.given)
    audit = Audit(score, named, perf_counter() - start)
    learnt = getattr(model, "noise_", None)
    text = "" if learnt is None else json.dumps(np.round(np.asarray(learnt, dtype=float), 4).tolist())
    return Outcome(by_class(model, work.X_test, work.labels), fitted, audit, text)


def by_rowtrust(model: Any, X: Array, y: Array) -> tuple[Array, Array]:
    """Return how suspicious every row is, and which rows are named."""
    found = model.judge_rows(X, y)
    named = np.zeros(len(y), dtype=bool)
    named[found.flagged] = True
    score = np.empty(len(y))
    score[found.order] = -np.arange(len(y))
    return score, named


def plain(name: str, work: Work) -> Outcome:
    """Fit a peer that believes all labels."""
    model, tuning = work.peer(name)
    start = perf_counter()
    model.fit(work.X, work.given)
    seconds = tuning + perf_counter() - start
    return Outcome(by_class(model, work.X_test, work.labels), seconds)


def cleaned(name: str, work: Work) -> Outcome:
    """Audit by cleanlab over a peer, and fit the peer to the rows not named."""
    model, tuning = work.peer(name)
    start = perf_counter()
    probability = out_of_fold(model, work.X, work.given, work.seed)
    score, named = by_cleanlab(probability, work.given)
    audit = Audit(score, named, tuning + perf_counter() - start)
    model.fit(work.X[~named], work.given[~named])
    seconds = tuning + perf_counter() - start
    return Outcome(by_class(model, work.X_test, work.labels), seconds, audit)


def under_margin(work: Work) -> Outcome:
    """Audit by AUM, which predicts nothing."""
    start = perf_counter()
    score, named = by_aum(work.X, work.given, work.seed)
    return Outcome(audit=Audit(score, named, perf_counter() - start))


OWN: dict[str, Callable[[], Any]] = {
    "RVC": RVC,
    "RobustRVC": RobustRVC,
    "RobustRVC power": partial(RobustRVC, label_noise="power"),
}
CLEANED = "+cleanlab"
"""Ends the name of a peer under cleanlab's recipe."""

MODELS: dict[str, Callable[[Work], Outcome]] = {
    **{name: partial(own, build) for name, build in OWN.items()},
    **{name: partial(plain, name) for name in PEERS},
    **{name + CLEANED: partial(cleaned, name) for name in PEERS},
    "AUM": under_margin,
}
