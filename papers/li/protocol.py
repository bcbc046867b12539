"""After Li et al. (2008): one repeat of the study of unbalanced and noisy data."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, log_loss, recall_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from papers.datasets import load
from papers.experiments import Record
from papers.hwang.models import AS_PUBLISHED, FOLDS, GRIDS, Grid, select_width
from rowtrust.contracts import Array
from rowtrust.datasets import (
    make_imbalanced,
    make_imbalanced_blobs,
)
from rowtrust.estimators import RVC, FuzzyRVC, RobustRVC
from rowtrust.memberships import MEMBERSHIPS, Residual, normalised

TRAINING_ROWS, TEST_ROWS = 606, 6060
"""At one rare row in a hundred, six to learn from and sixty to test on."""

NOISE_SHARE = 0.2
"""Rows of either class whose labels are swapped, as a share of the rare class."""

HEADLAMPS = 7
"""The rare class of the glass data, by its number in the file."""

CLASS_MEMBERSHIPS = tuple(
    name for name, membership in MEMBERSHIPS.items() if not isinstance(membership, Residual)
)
"""All memberships that are made for classes."""

RELEVANCE: dict[str, Any] = {
    "RVM": partial(RVC, **AS_PUBLISHED),
    "robust RVM": partial(RobustRVC, label_noise="power", **AS_PUBLISHED),
    "channel RVM": partial(RobustRVC, label_noise="channel", **AS_PUBLISHED),
    "fuzzy RVM": partial(FuzzyRVC, **AS_PUBLISHED),
}
"""The relevance vector machines, as the tables call them: "robust" weighs every row by a learnt power,
"channel" learns how often labels of either class were changed."""

MOVED = "moved threshold"
"""The rule that calls a row rare where it is likelier so than a training row is."""

MEASURES = ("G-mean", "balanced accuracy", "AUC", "average precision", "log loss")
"""What is measured, in the order of the tables; accuracy would reward ignoring the rare class."""

Rows = tuple[Array, NDArray[Any], Array, NDArray[Any]]
"""Training inputs and labels, test inputs and labels."""


def synthetic_once(
    seed: int, data: str | None, *, ratio: float, noise: bool, grid: str, rows: int | None = None
) -> Record:
    """Draw clouds of one ratio, perhaps swap labels, and measure every method."""
    X, y = make_imbalanced_blobs(rows or TRAINING_ROWS, ratio=ratio, random_state=seed)
    X_test, y_test = make_imbalanced_blobs(TEST_ROWS, ratio=ratio, random_state=seed + 1)
    return measured(X, swapped(y, noise, seed), X_test, y_test, GRIDS[grid], seed)


def unbalanced(name: str, data: str | None) -> tuple[Array, NDArray[Any]]:
    """Return a real data set whose rare class is 1."""
    X, y = load(name, data)
    if name == "glass":
        return X, (y == HEADLAMPS).astype(int)
    return X, 1 - y if name == "ionosphere" else y


def real_once(seed: int, data: str | None, *, name: str, ratio: float, noise: bool, grid: str) -> Record:
    """Split 60/40, thin the rare class of the training rows, and measure every method."""
    X, y = unbalanced(name, data)
    X, X_test, y, y_test = train_test_split(X, y, train_size=0.6, stratify=y, random_state=seed)
    X, y, _ = make_imbalanced(X, y, ratio, rare=1, random_state=seed)
    scaler = StandardScaler().fit(X)
    return measured(
        scaler.transform(X), swapped(y, noise, seed), scaler.transform(X_test), y_test, GRIDS[grid], seed
    )


def swapped(y: NDArray[Any], noise: bool, seed: int) -> NDArray[Any]:
    """Swap labels of as many rows of either class as a fifth of the rare class has.

    A share of all rows would bury the rare class under wrong labels.
    """
    if not noise:
        return y
    generator = np.random.default_rng(seed)
    dirty = y.copy()
    size = max(1, round(NOISE_SHARE * int(y.sum())))
    for label in (0, 1):
        chosen = generator.choice(np.flatnonzero(y == label), size, replace=False)
        dirty[chosen] = 1 - label
    return dirty


def measured(X: Array, y: NDArray[Any], X_test: Array, y_test: NDArray[Any], grid: Grid, seed: int) -> Record:
    """Return the measures of every method on the test rows."""
    rows = (X, y, X_test, y_test)
    found, memberships = relevance_scores(rows, grid, seed)
    return {**found, **support_scores(rows, memberships, grid, seed)}


def relevance_scores(rows: Rows, grid: Grid, seed: int) -> tuple[Record, dict[str, Array]]:
    """Measure the relevance vector machines; return the memberships too.

    The width is that of the plain machine's bound, for all: memberships are compared, not widths.
    """
    X, y, X_test, y_test = rows
    plain = select_width(RELEVANCE["RVM"](random_state=seed), X, y, grid.gammas(X.shape[1])).model
    shared = {"gamma": plain.gamma_, "random_state": seed}
    fitted = {
        "RVM": plain,
        "RVM balanced": RELEVANCE["RVM"](class_weight="balanced", **shared).fit(X, y),
        "robust RVM": RELEVANCE["robust RVM"](**shared).fit(X, y),
        "channel RVM": RELEVANCE["channel RVM"](**shared).fit(X, y),
        "channel RVM balanced": RELEVANCE["channel RVM"](class_weight="balanced", **shared).fit(X, y),
    }
    memberships = {}
    for name in CLASS_MEMBERSHIPS:
        model = RELEVANCE["fuzzy RVM"](membership=name, normalise_membership=True, **shared).fit(X, y)
        fitted[f"fuzzy RVM, {name}"] = model
        memberships[name] = normalised(model.expected_weight_, np.ones(len(y)))
    scores = {
        name: rare_scores(y_test, model.predict(X_test), model.predict_proba(X_test)[:, 1])
        for name, model in fitted.items()
    }
    for name in ("RVM", "channel RVM"):
        probability = fitted[name].predict_proba(X_test)[:, 1]
        scores[f"{name}, {MOVED}"] = rare_scores(y_test, moved(probability, y), probability)
    return scores, memberships


def moved(probability: Array, y: NDArray[Any]) -> NDArray[Any]:
    """Return the labels by a threshold at the rare class's share of the training rows, instead of a half."""
    return np.asarray(probability > np.mean(y), dtype=int)


def support_scores(rows: Rows, memberships: dict[str, Array], grid: Grid, seed: int) -> Record:
    """Measure the support vector machines, all with the settings of the balanced one."""
    X, y, _, _ = rows
    folds = StratifiedKFold(min(FOLDS, int(y.sum())), shuffle=True, random_state=seed)
    search = GridSearchCV(
        SVC(class_weight="balanced"),
        {"gamma": grid.gammas(X.shape[1]), "C": list(grid.penalties)},
        scoring="balanced_accuracy",
        cv=folds,
        refit=False,
    ).fit(X, y)
    settings = search.best_params_
    found = {"SVM balanced": support_score(SVC(class_weight="balanced", **settings), rows, folds)}
    for name, weight in memberships.items():
        found[f"fuzzy SVM, {name}"] = support_score(SVC(**settings), rows, folds, weight)
    found["SMOTE + SVM"] = support_score(oversampled(SVC(**settings), int(y.sum()), seed), rows, folds)
    return found


def oversampled(machine: Any, n_rare: int, seed: int) -> Any:
    """Return an SVM behind SMOTE."""
    try:
        from imblearn.over_sampling import SMOTE
        from imblearn.pipeline import make_pipeline
    except ImportError as error:
        raise ImportError("SMOTE is imbalanced-learn's: pip install -e . --group papers") from error
    # The rows of a fold lack up to a fifth of the rare ones, and SMOTE needs more rows than neighbours.
    least = n_rare - int(np.ceil(n_rare / min(FOLDS, n_rare)))
    return make_pipeline(SMOTE(k_neighbors=max(1, min(5, least - 1)), random_state=seed), machine)


def support_score(machine: Any, rows: Rows, folds: Any, weight: Array | None = None) -> dict[str, float]:
    """Fit an SVM; its probabilities are Platt's, from decisions on rows left out."""
    X, y, X_test, y_test = rows
    given = {} if weight is None else {"sample_weight": weight}
    outside = cross_val_predict(machine, X, y, cv=folds, method="decision_function", params=given)
    sigmoid = LogisticRegression(C=1e3).fit(outside[:, None], y)
    decision = machine.fit(X, y, **given).decision_function(X_test)
    probability = sigmoid.predict_proba(decision[:, None])[:, 1]
    return rare_scores(y_test, (decision > 0).astype(int), probability, decision)


def rare_scores(
    y: NDArray[Any], predicted: NDArray[Any], probability: Array, ranking: Array | None = None
) -> dict[str, float]:
    """Return measures that a rare class cannot be ignored in, and the log loss."""
    recalls = recall_score(y, predicted, average=None, labels=[0, 1], zero_division=0.0)
    order = probability if ranking is None else ranking
    values = (
        np.sqrt(recalls[0] * recalls[1]),
        recalls.mean(),
        roc_auc_score(y, order),
        average_precision_score(y, order),
        log_loss(y, np.clip(probability, 1e-15, 1 - 1e-15)),
    )
    return dict(zip(MEASURES, map(float, values), strict=True))
