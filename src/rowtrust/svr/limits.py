"""What BayesianSVR refuses, and what it says aloud: too many rows, a gap, a constant, landmarks."""

from __future__ import annotations

import warnings

from sklearn.exceptions import ConvergenceWarning

from rowtrust.contracts import LandmarksWarning
from rowtrust.engines.limits import largest_square
from rowtrust.svr.output import OutputMachine

MOST_ROWS = 20_000
"""Rows beyond which an exact fit is refused however large the memory: a round number, four matrices of 3
GiB, not measured."""

LARGEST_GAP = 1e-6
"""Relative duality gap above which a fit warns: ten thousand times what the solver asks for. Taken over
without a study; fits to Boston, sinc and the robot arm end near 1e-25."""

MATRIX_COPIES = 4
"""n x n matrices at the peak: correlations, factor and inverse of the quadratic zone, and their product.
Counted, not chosen."""


class ConstantFitWarning(UserWarning):
    """The fit is no better than a constant: no start found a dependence that explains held-out rows."""


def warn_of_gap(gap: float) -> None:
    """Say so if the solver could not close the duality gap."""
    if gap > LARGEST_GAP:
        warnings.warn(
            f"The solution may lie above the optimum by {gap:.1e} of the objective (the duality gap). "
            "C is too large, or the loss too sharp, for double precision: fix C or epsilon to a number.",
            ConvergenceWarning,
            stacklevel=4,
        )


def warn_of_constants(machines: list[OutputMachine]) -> None:
    """Say so if the best model that was found does not depend on the inputs."""
    for position, machine in enumerate(machines):
        if machine.is_constant:
            which = f"output {position}" if len(machines) > 1 else "y"
            warnings.warn(
                f"The fit is no better than a constant, {machine.units.target_offset:.4g}: no start, from "
                f"short scales to long, found a dependence of {which} on X that the evidence prefers and "
                f"that explains held-out rows (log evidence {machine.log_evidence:.1f}, noise of standard "
                f"deviation {machine.noise_variance**0.5:.3g}). More rows, other inputs or n_restarts may "
                "find one.",
                ConstantFitWarning,
                stacklevel=4,
            )


def warn_of_landmarks(n_rows: int, n_landmarks: int) -> None:
    """Say that landmarks stand for the rows."""
    warnings.warn(
        f"{n_rows} rows are many for a kernel matrix of all: the hyperparameters were learnt from a sample, "
        f"and {n_landmarks} landmarks stand for all rows (n_landmarks_). basis={n_landmarks} says that you "
        "know; basis=None fits all rows exactly, however long it takes.",
        LandmarksWarning,
        stacklevel=4,
    )


def check_size(n_rows: int) -> None:
    """Refuse more rows than the kernel matrix allows."""
    most = min(MOST_ROWS, largest_square(MATRIX_COPIES))
    if n_rows > most:
        raise ValueError(
            f"BayesianSVR(basis=None) needs the {n_rows} x {n_rows} kernel matrix in memory; on this machine "
            f'it takes at most {most} rows. Leave basis="auto", or give a number of landmarks: basis=1000.'
        )
