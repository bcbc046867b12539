"""The demonstration's data: two tables bundled with scikit-learn, made dirty with a known answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_diabetes

from rowtrust.datasets.contamination import flip_labels

if TYPE_CHECKING:
    import pandas as pd

FLIPPED_SHARE = 0.1
"""Share of the diagnoses that are flipped; enough to be found. Chosen for the story, without a study."""

OUTLIER_SHARE = 0.05
"""Share of the targets that get a gross error; few enough to be called outliers. Chosen likewise."""

GROSS_ERROR = (4.0, 8.0)
"""Range of a gross error in standard deviations of the target; beyond any honest value."""


@dataclass(frozen=True)
class DirtyTable:
    """A table with wrong rows in it, which rows they are, and the true targets."""

    name: str
    target: str
    table: pd.DataFrame
    wrong: NDArray[np.bool_]
    story: str
    true: NDArray[Any]


def dirty_breast_cancer(seed: int) -> DirtyTable:
    """Return the breast-cancer table with a tenth of the diagnoses flipped."""
    loaded: Any = load_breast_cancer(as_frame=True)
    names = np.asarray(loaded.target_names)[loaded.target.to_numpy()]
    given, flipped = flip_labels(names, FLIPPED_SHARE, random_state=seed)
    table = loaded.data.assign(diagnosis=given)
    story = f"569 tumours, 30 measurements; {int(flipped.sum())} diagnoses were flipped"
    return DirtyTable("breast-cancer", "diagnosis", table, flipped, story, names)


def dirty_diabetes(seed: int) -> DirtyTable:
    """Return the diabetes table with gross errors in a twentieth of the targets."""
    loaded: Any = load_diabetes(as_frame=True, scaled=False)
    generator = np.random.default_rng(seed)
    progression = loaded.target.to_numpy(dtype=float, copy=True)
    wrong = np.zeros(len(progression), dtype=bool)
    wrong[generator.choice(len(wrong), round(OUTLIER_SHARE * len(wrong)), replace=False)] = True
    error = generator.choice([-1.0, 1.0], wrong.sum()) * generator.uniform(*GROSS_ERROR, wrong.sum())
    progression[wrong] = np.round(progression[wrong] + error * progression.std())
    sex = loaded.data["sex"].map({1.0: "first", 2.0: "second"})
    table = loaded.data.assign(sex=sex, progression=progression)
    story = f"442 patients, 10 measurements; {int(wrong.sum())} targets were replaced by gross errors"
    return DirtyTable("diabetes", "progression", table, wrong, story, loaded.target.to_numpy(dtype=float))


def dirty_tables(seed: int) -> list[DirtyTable]:
    """Return both tables of the demonstration."""
    return [dirty_breast_cancer(seed), dirty_diabetes(seed)]
