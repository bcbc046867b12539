"""The demonstration: a plain and a robust classifier on dirty data, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from skarn.contracts import Array
from skarn.datasets import flip_labels, make_ripley, ripley_probability
from skarn.estimators import RVC, RobustRVC

FLIPPED_SHARE = 0.1
GAMMA = 4.0


@dataclass(frozen=True)
class DirtyData:
    """Ripley's mixture: training rows with wrong labels among them, clean rows for the test."""

    X: Array
    given: Any
    flipped: Any
    X_test: Array
    y_test: Any


@dataclass(frozen=True)
class Outcome:
    """A fitted model and how it did on the clean rows."""

    name: str
    model: Any
    error: float
    auc: float
    rmse: float
    seconds: float

    @property
    def n_relevance(self) -> int:
        """How many relevance vectors the model kept."""
        return len(self.model.relevance_)


def dirty_data(seed: int) -> DirtyData:
    """Draw 250 training rows with 10 % wrong labels and 2000 clean test rows."""
    X, y = make_ripley(250, random_state=seed)
    given, flipped = flip_labels(y, FLIPPED_SHARE, random_state=seed + 1)
    X_test, y_test = make_ripley(2000, random_state=seed + 2)
    return DirtyData(X, given, flipped, X_test, y_test)


def compare(data: DirtyData, seed: int) -> list[Outcome]:
    """Fit both models and measure them on the clean rows."""
    return [measure(cls(gamma=GAMMA, random_state=seed), data) for cls in (RVC, RobustRVC)]


def measure(model: Any, data: DirtyData) -> Outcome:
    """Fit a model on the dirty rows; return its error, AUC and RMSE on the clean ones."""
    start = perf_counter()
    model.fit(data.X, data.given)
    seconds = perf_counter() - start
    probability = model.predict_proba(data.X_test)[:, 1]
    return Outcome(
        name=type(model).__name__,
        model=model,
        error=float(np.mean((probability > 0.5) != data.y_test)),
        auc=float(roc_auc_score(data.y_test, probability)),
        rmse=float(np.sqrt(np.mean((probability - data.y_test) ** 2))),
        seconds=seconds,
    )


def suspects(outcome: Outcome, data: DirtyData, size: int = 10) -> list[dict[str, Any]]:
    """Return the most suspicious rows, and whether each was really flipped."""
    table = outcome.model.audit(data.X, data.given)[:size]
    rows = table.index if hasattr(table, "index") else table["row"]
    fields = ("label", "suggested", "probability", "trust")
    columns = [np.asarray(table[field]) for field in fields]
    return [
        {"row": int(row), "wrong": bool(data.flipped[row]), **dict(zip(fields, values, strict=True))}
        for row, *values in zip(rows, *columns, strict=True)
    ]


def draw(outcomes: list[Outcome], data: DirtyData, path: Path) -> None:
    """Draw both boundaries over the training rows."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 5.2), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, outcome in zip(figure.subplots(1, 2, sharex=True, sharey=True), outcomes, strict=True):
        draw_boundary(axes, outcome, data)
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False, fontsize=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)


def draw_boundary(axes: Any, outcome: Outcome, data: DirtyData) -> None:
    """Draw one model: probability as shade, its boundary, the true one, rows and relevance vectors."""
    across, up = np.meshgrid(np.linspace(-1.35, 1.05, 200), np.linspace(-0.35, 1.35, 200))
    grid = np.column_stack([across.ravel(), up.ravel()])
    model = outcome.model.predict_proba(grid)[:, 1].reshape(across.shape)
    truth = ripley_probability(grid).reshape(across.shape)
    axes.contourf(across, up, model, levels=np.linspace(0, 1, 11), cmap="RdBu_r", alpha=0.35)
    axes.contour(across, up, model, levels=[0.25, 0.75], colors="0.35", linestyles=":", linewidths=1)
    axes.contour(across, up, model, levels=[0.5], colors="black", linewidths=2)
    axes.contour(across, up, truth, levels=[0.5], colors="seagreen", linestyles="--", linewidths=1.6)
    for label, colour in ((0, "tab:blue"), (1, "tab:red")):
        rows = data.given == label
        axes.scatter(*data.X[rows].T, s=12, c=colour, label=f"labelled {label}")
    axes.scatter(
        *data.X[data.flipped].T, s=60, marker="s", facecolors="none", edgecolors="0.2", label="wrong label"
    )
    axes.scatter(
        *outcome.model.relevance_vectors_.T,
        s=150,
        facecolors="none",
        edgecolors="black",
        linewidths=1.6,
        label="relevance vector",
    )
    axes.plot([], [], color="seagreen", linestyle="--", label="true boundary")
    axes.set_title(f"{outcome.name}: error {outcome.error:.1%}, RMSE {outcome.rmse:.3f}", fontsize=11)
    axes.set(xlabel="first input", ylabel="second input")
