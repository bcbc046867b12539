"""The facts that single sections of the page show, ready to be written."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype
from scipy.stats import spearmanr
from scipy.stats.contingency import association
from sklearn.metrics import confusion_matrix

from rowtrust.numerics.magnitudes import shown
from rowtrust.workflow.candidates import lead
from rowtrust.workflow.checks.records import SEVERITIES
from rowtrust.workflow.flagged import is_flagged
from rowtrust.workflow.inputs import as_dates
from rowtrust.workflow.manifest import versions
from rowtrust.workflow.quality.records import Figure
from rowtrust.workflow.quality.sentences import is_lopsided, named
from rowtrust.workflow.report import sentences
from rowtrust.workflow.report.formats import number, percent, short
from rowtrust.workflow.study import Study
from rowtrust.workflow.tables.schema import MISSING

SHOWN = 20
"""Flagged rows and relevance vectors in the page; all rows are in flagged.csv. Readability alone."""

SHOWN_INPUTS = 4
"""Inputs in the table of relevance vectors; the width of the page."""

LISTED_INPUTS = 60
"""Inputs that are listed with their histograms, the most important; as many as importance is measured of."""

BINS = 16
"""Bars of a small histogram; readability."""

MOST_CLASSES = 12
"""Classes up to which a table has a column for each, and is not folded; the width of the page."""

LONG_TABLE = 8
"""Columns of the data beyond which their table is folded; a screen of a laptop."""

SHARES = frozenset(["accuracy", "balanced accuracy", "90% coverage"])
"""Figures that are written in percent."""


def severities(study: Study) -> dict[str, int]:
    """Return how many findings there are of each severity, those of which there are some."""
    counts = {name: sum(each.severity == name for each in study.checks) for name in SEVERITIES}
    return {name: count for name, count in counts.items() if count}


def class_counts(study: Study) -> list[dict[str, Any]]:
    """Return how many rows each class has among those fitted and those that judge, the commonest first."""
    model, judged = study.fitted, study.judged.rows.y
    rows = [(name, int(np.sum(model.train.y == name)), int(np.sum(judged == name))) for name in model.classes]
    total = max(1, sum(each[1] for each in rows))
    rows.sort(key=lambda each: -each[1])
    return [
        {"name": short(name, 40), "train": train, "judged": seen, "share": train / total}
        for name, train, seen in rows
    ]


def written(figure: Figure | None, value: float | None = None) -> str:
    """Return a figure, or another value of its kind: shares in percent, numbers with a few digits."""
    if figure is None:
        return "\u2013"
    shown = figure.value if value is None else value
    return percent(shown) if figure.name in SHARES else number(shown, 3)


def figure_rows(study: Study) -> list[dict[str, Any]]:
    """Return the figures of the model, each beside those of the references."""
    references = study.judged.references
    found = []
    for figure in study.judged.figures:
        compared = [named(other.figures, figure.name) for other in references]
        between = sentences.interval(figure, partial(written, figure))
        ours = {"figure": figure, "value": written(figure), "interval": between}
        best = best_of([figure, *compared])
        beside = [{"value": written(each), "best": written(each) == best} for each in compared]
        found.append({**ours, "best": written(figure) == best, "compared": beside})
    return found


def best_of(figures: list[Figure | None]) -> str | None:
    """Return the best of some figures as written; None where no order is known, or all are alike."""
    known = [each for each in figures if each is not None]
    if len({written(each) for each in known}) < 2:
        return None
    if known[0].name in ("log loss", "Brier score", "RMSE", "MAE", "median error"):
        return written(min(known, key=lambda each: each.value))
    if known[0].name in ("accuracy", "balanced accuracy", "AUC", "R²"):
        return written(max(known, key=lambda each: each.value))
    return None


def confusion(study: Study) -> dict[str, Any]:
    """Return counts of true against predicted classes, with the share of each row."""
    names = study.fitted.classes
    predicted = names[np.argmax(study.judged.prediction, axis=1)]
    return cells(names, study.judged.rows.y, predicted)


def given_and_likely(study: Study) -> dict[str, Any] | None:
    """Return how often flagged rows of each class are likely of another; None where there are none."""
    flagged = study.ranking[is_flagged(study.ranking)]
    if study.fitted.task == "regression" or not len(flagged):
        return None
    given, likely = flagged["given"].to_numpy(), flagged["likely"].to_numpy()
    return cells(np.unique(np.concatenate([given, likely])), given, likely)


def cells(names: NDArray[Any], given: NDArray[Any], other_labels: NDArray[Any]) -> dict[str, Any]:
    """Return counts of two labels of each row; of many classes the most frequent pairs that differ."""
    counts = confusion_matrix(given, other_labels, labels=names)
    found = {"said": sentences.confusion([str(name) for name in names], counts), "names": names.tolist()}
    if len(names) > MOST_CLASSES:
        apart = np.where(np.eye(len(names), dtype=bool), 0, counts)
        order = np.argsort(-apart, axis=None, kind="stable")[:MOST_CLASSES]
        places = [np.unravel_index(place, counts.shape) for place in order if apart.flat[place]]
        return {**found, "pairs": [(names[i], names[j], int(counts[i, j])) for i, j in places]}
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return {**found, "counts": counts.tolist(), "shares": shares.tolist(), "pairs": None}


def leaderboard(study: Study) -> dict[str, Any]:
    """Return all models: the candidates, best first, with how far they lie behind it, then the references.

    Candidates have figures of the comparison; the chosen model and the references those of the judged rows.
    """
    classes = study.fitted.task == "classification"
    name = "RMSE" if not classes else "balanced accuracy" if is_lopsided(study.judged) else "accuracy"
    ours = sentences.figure_of(study, name)
    write = percent if classes else partial(number, digits=3)
    found = sorted(study.candidates, key=lambda each: -each.log_score)
    rows: list[dict[str, Any]] = [
        {
            "name": each.estimator,
            "log_score": each.log_score,
            "lead": lead(found[0], each),
            "compared": write(each.score),
            "judged": written(ours) if each.name == study.chosen else None,
            "seconds": each.seconds,
            "chosen": each.name == study.chosen,
        }
        for each in found
    ]
    if not found:
        rows = [{"name": type(study.fitted.estimator).__name__, "judged": written(ours), "chosen": True}]
    rows += [
        {
            "name": each.name,
            "judged": written(named(each.figures, name)),
            "seconds": each.seconds,
            "note": each.note,
        }
        for each in study.judged.references
    ]
    names = ("name", "log_score", "lead", "compared", "judged", "seconds", "chosen", "note")
    lines = [{**dict.fromkeys(names), **row} for row in rows]
    return {"compared": "accuracy" if classes else "RMSE", "judged": name, "rows": lines}


def input_rows(study: Study) -> list[dict[str, Any]]:
    """Return the histogram, the gaps and the correlation with the target of the most important inputs."""
    X, y = study.fitted.train.X, pd.Series(study.fitted.train.y, index=study.fitted.train.X.index)
    names = [each.name for each in study.inputs.importances][:LISTED_INPUTS]
    return [
        {
            "name": name,
            "histogram": histogram(X[name]),
            "missing": float((X[name].isna() | (X[name] == MISSING)).mean()),
            "correlation": correlation(X[name], y, study.fitted.task == "classification"),
        }
        for name in names
    ]


def histogram(values: pd.Series[Any]) -> Markup:
    """Draw how often an input has which values: of words the commonest first."""
    if is_numeric_dtype(values.dtype):
        counts = np.histogram(values.dropna().astype(float), bins=BINS)[0]
    else:
        counts = values.value_counts().to_numpy()[:BINS]
    top = max(1, int(counts.max(initial=0)))
    bars = "".join(
        f'<rect x="{7 * place}" y="{24 - height:.1f}" width="6" height="{height:.1f}"/>'
        for place, height in enumerate(24.0 * counts / top)
    )
    looks = f'class="histogram" viewBox="0 0 {7 * BINS} 24" role="img" aria-label="Histogram"'
    return Markup(f"<svg {looks}>{bars}</svg>")  # numbers alone, no word of the data


def correlation(x: pd.Series[Any], y: pd.Series[Any], is_classes: bool) -> str:
    """Return Spearman's correlation of two numbers, else the correlation ratio of ranks, or Cramer's V."""
    is_number = is_numeric_dtype(x.dtype)
    if x.nunique() < 2:
        return "\u2013"
    if is_number and not is_classes:
        return f"{float(spearmanr(x, y, nan_policy='omit').statistic):+.2f}".replace("-", "\u2212")
    if not is_number and is_classes:
        return f"{association(pd.crosstab(x, y), method='cramer'):.2f}"
    ranks, groups = (x.rank(), y) if is_number else (y.rank(), x)
    return f"{float(np.sqrt(ranks.groupby(groups).transform('mean').var() / ranks.var())):.2f}"


def shown_inputs(study: Study) -> list[str]:
    """Return the names of the most important inputs."""
    return [each.name for each in study.inputs.importances[:SHOWN_INPUTS]]


def vector_rows(study: Study) -> list[dict[str, Any]]:
    """Return the relevance vectors, the heaviest first, with a few of their inputs."""
    model, rows = study.fitted, study.fitted.relevance
    coefficients = np.atleast_2d(model.estimator.dual_coef_)
    sizes = np.abs(coefficients).max(axis=0)
    heaviest = max(float(sizes.max(initial=0.0)), 1e-300)
    widths = reaches(study)
    return [
        {
            "row": int(model.train.rows[rows[place]]),
            "id": "" if model.train.ids is None else model.train.ids[rows[place]],
            "target": model.train.y[rows[place]],
            "towards": pull(study, coefficients[:, place]),
            "strength": sizes[place] / heaviest,
            "reach": None if widths is None else float(widths[place]),
            "inputs": [cell_of(study, name, rows[place]) for name in shown_inputs(study)],
        }
        for place in np.argsort(-sizes)[:SHOWN]
    ]


def cell_of(study: Study, name: str, place: int) -> Any:
    """Return the value of an input in a training row, dates as dates."""
    value = study.fitted.train.X[name].iloc[place]
    is_date = any(column.kind == "date" for column in study.fitted.schema.inputs if column.name == name)
    return as_dates(value)[()] if is_date and np.isfinite(value) else value


def reaches(study: Study) -> Any:
    """Return how far the kernel of each vector reaches, in deviations; None where all reach alike."""
    gamma = getattr(study.fitted.estimator, "relevance_gamma_", None)
    if gamma is None or np.ndim(gamma) != 1 or len(np.unique(gamma)) < 2:
        return None
    return np.asarray(gamma, dtype=float) ** -0.5


def pull(study: Study, coefficients: Any) -> str:
    """Say where a vector pulls the prediction."""
    heaviest = int(np.abs(coefficients).argmax())
    is_up = coefficients[heaviest] > 0
    if study.fitted.task == "regression":
        return "up" if is_up else "down"
    known = study.fitted.estimator.classes_
    if len(coefficients) == 1:
        return f"to {short(known[int(is_up)], 20)}"
    return f"{'to' if is_up else 'from'} {short(known[heaviest], 20)}"


def settings(study: Study) -> dict[str, str]:
    """Return what is needed to run it again."""
    asked, estimator = study.settings, study.fitted.estimator
    columns = {"group": asked.group, "time": asked.time, "id": asked.id}
    read = study.provenance.get("inputs", [])
    hashes = {f"SHA-256 of {each['name']}": each["sha256"] for each in read if each["sha256"]}
    return {
        "data": asked.data,
        "target": asked.target,
        "task": study.fitted.task,
        **{name: value for name, value in columns.items() if value is not None},
        **({"left out": ", ".join(asked.drop)} if asked.drop else {}),
        **({"kept": ", ".join(asked.keep)} if asked.keep else {}),
        "model": f"{asked.model} → {type(estimator).__name__}",
        "compared": ", ".join(each.estimator for each in study.candidates) or "nothing",
        "judged on": study.judged.how,
        "seed": str(asked.seed),
        "versions": ", ".join(f"{name} {found}" for name, found in versions().items()),
        **hashes,
        "parameters": ", ".join(f"{name}={shown(value)}" for name, value in estimator.get_params().items()),
    }
