"""What is said of a model's quality: figures with intervals, tables of classes, curves, calibration."""

from __future__ import annotations

from dataclasses import dataclass, field

LEVEL = 0.9
"""Probability of all intervals that are shown; a habit, as good as any."""


@dataclass(frozen=True)
class Figure:
    """A measure of quality.

    Attributes
    ----------
    name
        Of the measure; for people, and the key in ``metrics.json``.
    value
        On all judged rows.
    lower, upper
        Interval of probability ``LEVEL``: what other rows of the same kind might have given.
    explanation
        What the measure is, in a few words.
    method
        How the interval was found, in a few words.
    """

    name: str
    value: float
    lower: float
    upper: float
    explanation: str
    method: str = ""


@dataclass(frozen=True)
class PerClass:
    """One class against all others, as a clinician reads a test.

    Attributes
    ----------
    name
        The class.
    is_positive
        Whether it is the positive one of two classes (``positive_class`` says which that is).
    n_train, n_judged
        Rows of the class among those that were fitted, and among those that judge the model.
    true_positive, false_positive, false_negative, true_negative
        Judged rows: true positives, false positives, false negatives, true negatives.
    prevalence
        Share of the class among the judged rows.
    figures
        Sensitivity (recall), specificity, positive and negative predictive value and F1 by their names, in
        the order of a table's columns; None where no row, or no prediction, is of the kind that is counted.
    """

    name: str
    is_positive: bool
    n_train: int
    n_judged: int
    true_positive: int
    false_positive: int
    false_negative: int
    true_negative: int
    prevalence: Figure
    figures: dict[str, Figure | None]


@dataclass(frozen=True)
class Curves:
    """How well the probability of a class ranks the rows: what a threshold finds, and at what cost.

    Attributes
    ----------
    name
        The class that counts as positive.
    base_rate
        Its share of the judged rows: the precision of guessing.
    false_positive_rate, true_positive_rate
        Points of the ROC curve, from (0, 0) to (1, 1).
    recall, precision
        Points of the precision-recall curve, recall falling from 1 to 0.
    area
        Area under the ROC curve; None where the rows of a class are too few.
    average_precision
        Mean precision over the recall that each threshold adds; None as above.
    """

    name: str
    base_rate: float
    false_positive_rate: tuple[float, ...]
    true_positive_rate: tuple[float, ...]
    recall: tuple[float, ...]
    precision: tuple[float, ...]
    area: Figure | None
    average_precision: Figure | None


@dataclass(frozen=True)
class Bin:
    """What was said of some rows, and what came true, with its exact interval."""

    said: float
    seen: float
    lower: float
    upper: float
    n_rows: int


@dataclass(frozen=True)
class Calibration:
    """Whether probabilities, or intervals, can be taken at face value.

    Attributes
    ----------
    verdict
        "right", "nearly right", "too sure", "too careful", "uneven" or "too few rows".
    words
        The same for people, with the figures.
    p_value
        How often rows that follow the predictions exactly would look as bad; None where nothing was tested.
    n_rows
        Judged rows.
    bins
        Of classes: rows by the probability of their predicted class. Of numbers: the central intervals.
    factor
        Of numbers: by what the deviations would have to be multiplied. None for classes.
    """

    verdict: str
    words: str
    p_value: float | None
    n_rows: int
    bins: tuple[Bin, ...]
    factor: float | None = None


@dataclass(frozen=True)
class Reference:
    """Another model on the same rows, by the same figures: a baseline, or boosting.

    Attributes
    ----------
    name
        "baseline" or "boosting".
    explanation
        What it does, in a few words.
    figures
        Its quality, by the names of the model's own figures.
    differences
        Its figure less the model's on the same rows, with an interval: of accuracy and log loss, or of RMSE
        and MAE.
    note
        What is not quite as with the model, such as fewer rows; empty if nothing is.
    seconds
        How long it took to fit and to predict.
    """

    name: str
    explanation: str
    figures: list[Figure]
    differences: list[Figure] = field(default_factory=list)
    note: str = ""
    seconds: float = 0.0
