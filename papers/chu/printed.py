"""Chu, Keerthi & Ong (2001), table 3: (46) at the printed hyperparameters, on the paper's own rows."""

from __future__ import annotations

import numpy as np

from papers.chu.inside import Evaluated, evaluated, theta
from papers.chu.protocol import ARM_ROWS, BETA, Normalised, machine_of
from papers.chu.published import ARM_SETTINGS
from papers.datasets import load
from papers.experiments import Record
from rowtrust.contracts import Array
from rowtrust.svr.hyperparameters import Hyperparameters

HALF_DIGITS = {"C": 0.0005, "epsilon": 0.00005, "w1": 0.00005, "w2": 0.00005}
"""Half a unit of the last printed digit of each hyperparameter."""

ROUNDINGS = 30
"""Hyperparameters drawn from what the printed ones may have been before they were rounded."""

FACTORS = (1.0, 2.0, 5.0, 10.0, 20.0)
"""By which epsilon is multiplied, all else as printed."""


def printed_once(seed: int, data: str | None) -> Record:
    """Return (46) and the test errors at the printed hyperparameters, and what rounding can do to them."""
    X, Y = load("robot arm", data)
    rows = slice(0, ARM_ROWS)
    U = (X - X[rows].mean(axis=0)) / X[rows].std(axis=0)
    found: Record = {}
    for output, (name, settings) in enumerate(ARM_SETTINGS.items()):
        level, scale = Y[rows, output].mean(), Y[rows, output].std()
        t = (Y[:, output] - level) / scale
        model = evaluated(U[rows], t[rows], of_table(settings))
        error = scale * (model.predict(U[ARM_ROWS:]) - t[ARM_ROWS:])
        found[name] = {
            "-ln P": model.printed,
            "in M": len(model.solution.quadratic),
            "one row": row_share(model),
            "rounded": rounded(U[rows], t[rows], settings, seed),
            "wider": {
                f"{factor:g}": evaluated(U[rows], t[rows], of_table(settings, factor)).printed
                for factor in FACTORS
            },
            "ours": ours(X[rows], Y[rows, output], seed),
            **{f"set {part + 1}": errors_of(error[part * ARM_ROWS :][:ARM_ROWS]) for part in (0, 1)},
        }
    return found


def of_table(settings: dict[str, float], factor: float = 1.0) -> Hyperparameters:
    """Return printed hyperparameters, epsilon times a factor."""
    relevance = np.array([settings["w1"], settings["w2"]])
    return theta(settings["C"], factor * settings["epsilon"] / 100.0, relevance, BETA)


def row_share(model: Evaluated) -> float:
    """Return by how many nats (46) jumps where one row leaves the quadratic zone: the median row."""
    rows = model.solution.quadratic
    ridge = model.problem.ridge[rows]
    # |I + K / ridge| shrinks by the diagonal of its inverse.
    inverse = np.linalg.inv(np.eye(len(rows)) + model.problem.matrix.block(rows) / ridge)
    return float(np.median(-0.5 * np.log(np.diag(inverse))))


def rounded(X: Array, y: Array, settings: dict[str, float], seed: int) -> list[float]:
    """Return ``-ln P`` at hyperparameters that would be printed the same."""
    generator = np.random.default_rng(seed)
    values = []
    for _ in range(ROUNDINGS):
        moved = {
            key: settings[key] + half * generator.uniform(-1.0, 1.0) for key, half in HALF_DIGITS.items()
        }
        values.append(evaluated(X, y, of_table(moved)).printed)
    return values


def ours(X: Array, y: Array, seed: int) -> float:
    """Return (46) where our search ends, for targets of mean zero as the paper has them."""
    model = Normalised(machine_of("designed", BETA, seed, 0)).fit(X, y)
    return evaluated(model.X, model.y, model.theta).printed


def errors_of(error: Array) -> dict[str, float]:
    """Return squared and absolute error."""
    return {"ASE x 1000": 1000.0 * float(np.mean(error**2)), "AAE": float(np.mean(np.abs(error)))}
