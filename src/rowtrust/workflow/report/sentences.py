"""What the figures say, in sentences for people who do not know the measures."""

from __future__ import annotations

from typing import Any

import numpy as np

from rowtrust.workflow.inputs import Curve, Importance, Surface
from rowtrust.workflow.quality.figures import interval_factor
from rowtrust.workflow.quality.records import LEVEL, Curves, Figure
from rowtrust.workflow.quality.sentences import (
    against_references,
    beats_guessing,
    calibration_words,
    is_lopsided,
    leading,
)
from rowtrust.workflow.report.formats import counted, number, percent, points, quoted, short
from rowtrust.workflow.study import Study
from rowtrust.workflow.summaries import why_chosen

LITTLE_LOST = 0.005
"""Loss of accuracy below which an input is said to matter little: half a point, which nobody would notice."""

LITTLE_SHARE = 0.01
"""Gain of the RMSE below which an input is said to matter little, as a share of it: nobody would notice."""

BY_FAR = 2.0
"""Times as much as any other by which an input is said to matter most by far: what far means to a reader."""

LITTLE_MOVE = 0.02
"""Moves of a prediction below which it is said to stay, of a probability or of the range of the target."""

MANY_DAYS = np.timedelta64(10, "D")
"""Range of dates beyond which the time of the day is not said; readability."""

LOW_TRUST = 0.5
"""Trust below which a row is more likely wrong than right; the rows that a reader should know of."""

VERDICTS = {
    "right": "can be taken at face value",
    "nearly right": "are nearly right and can be used as they are",
    "too sure": "are overconfident: leave a margin",
    "too careful": "are underconfident: it is right more often than it says",
    "uneven": "are off in some places: look at its calibration before you use them",
    "too few rows": "show no fault, but there are too few rows to be sure",
}
"""How far to trust probabilities or intervals, by the verdict on the calibration."""


def in_short(study: Study) -> list[str]:
    """Return three sentences for whoever reads nothing else: how good, which rows, what matters."""
    return [quality(study), rows(study), inputs(study)]


def figure_of(study: Study, name: str) -> Figure:
    """Return one of the model's figures."""
    return next(each for each in study.judged.figures if each.name == name)


def quality(study: Study) -> str:
    """Say how good the model is in everyday terms, and how good a guess would be."""
    judged = study.judged
    start = f"On {counted(len(judged.rows.y), 'held-out row')},"
    if not beats_guessing(judged):
        start = f"This model is no better than guessing: on{start[2:]}"
    if is_lopsided(judged):
        return f"{start} {lopsided(study)}."
    if study.fitted.task == "classification":
        found = figure_of(study, "accuracy")
        names, counts = np.unique(study.fitted.train.y, return_counts=True)
        common = names[counts.argmax()]
        guess = float(np.mean(judged.rows.y == common))
        said = f"the model predicted the right class for {percent(found.value)} {between(found, percent)}"
        guessing = f"always guessing {quoted(common)} would get {percent(guess)}"
        return f"{start} {said}; {guessing}."
    found = figure_of(study, "median error")
    middle = float(np.mean(study.fitted.train.y))
    guess = float(np.median(np.abs(judged.rows.y - middle)))
    target = quoted(study.fitted.schema.target)
    said = f"the median error of the model's predictions of {target} was {number(found.value, 3)}"
    guessing = f"always guessing the mean, {number(middle, 3)}, it would be {number(guess, 3)}"
    return f"{start} {said} {between(found, lambda value: number(value, 3))}; {guessing}."


def lopsided(study: Study) -> str:
    """Say how good the model is where most rows are of one class."""
    tables, figures = study.judged.per_class, leading(study.judged)
    common = max(tables, key=lambda each: each.prevalence.value)
    parts = [f"{each.name} {percent(each.value)} {between(each, percent)}" for each in figures]
    if len(tables) == 2:
        rare = next(each for each in tables if each is not common)
        found = (
            f"{number(rare.true_positive)} of {counted(rare.n_judged, 'row')} that are {quoted(rare.name)}"
        )
        said = f"the model found {found}, with {counted(rare.false_positive, 'false alarm')}"
    else:
        said = f"most rows are {quoted(common.name)}, so look at the classes one by one"
    guess = f"always guessing {quoted(common.name)} would get {percent(common.prevalence.value)}"
    accuracy = percent(figure_of(study, "accuracy").value)
    return f"{said} ({', '.join(parts)}). Accuracy, {accuracy}, says little here: {guess}"


def between(figure: Figure, written: Any) -> str:
    """Return the interval of a figure in brackets."""
    return f"({interval(figure, written)})"


def interval(figure: Figure, written: Any = percent) -> str:
    """Return the interval of a figure, with one sign for both ends."""
    return f"{written(figure.lower).removesuffix('%').strip()} to {written(figure.upper)}"


def rows(study: Study) -> str:
    """Say how many rows are likely errors or worth a look, and what to do."""
    found = study.findings
    if found.reason:
        return found.flagged_text
    n_rows, count = counted(len(found.p_wrong), "training row"), len(found.flagged)
    more = len(found.worth_a_look) - count
    verb = "is" if more == 1 else "are"
    if not count:
        rest = f", and {counted(more, 'row')} {verb} worth a look" if more else ""
        return f"None of {n_rows} is a likely error{rest}."
    named = "is a likely error" if count == 1 else "are likely errors"
    rest = f" and {number(more)} more {verb} worth a look" if more else ""
    return (
        f"{number(count)} of {n_rows} {named}{rest}: "
        "check them in the list below, fix what is wrong, and fit again."
    )


def inputs(study: Study) -> str:
    """Say what matters most, and how far to trust the probabilities or intervals."""
    first = matters_most(study)
    if (found := study.judged.calibration) is None:
        return f"{first}."
    what = "probabilities" if study.fitted.task == "classification" else "intervals"
    return f"{first}; the model's {what} {VERDICTS[found.verdict]}."


def matters_most(study: Study) -> str:
    """Name the most important inputs."""
    ranking = [each for each in study.inputs.importances if matters(study, each)]
    if not ranking:
        return "No input alone matters much"
    if len(ranking) > 1:
        return f"{quoted(ranking[0].name)} matters most, then {quoted(ranking[1].name)}"
    others = [each.mean for each in study.inputs.importances if each is not ranking[0]]
    far = ", by far" if others and ranking[0].mean >= BY_FAR * max(others) else ""
    return f"{quoted(ranking[0].name)} matters most{far}"


def matters(study: Study, each: Importance) -> bool:
    """Whether an input matters more than little, and more than by the chance of the shuffles."""
    little = LITTLE_LOST
    if study.fitted.task == "regression":
        little = LITTLE_SHARE * figure_of(study, "RMSE").value
    return each.mean > max(little, each.deviation)


def importance(study: Study) -> str:
    """Say what the picture of importance shows."""
    first = study.inputs.importances[0]
    if not matters(study, first):
        return "No input alone matters much: others carry the same information, or none carries much."
    if study.fitted.task == "classification":
        lost = f"lowers the accuracy by {points(first.mean)} points"
    else:
        usual = number(figure_of(study, "RMSE").value, 3)
        lost = f"raises the error (RMSE) by {number(first.mean, 3)}, from {usual}"
    idle = sum(not matters(study, each) for each in study.inputs.importances)
    rest = f" {counted(idle, 'input')} of {len(study.inputs.importances)} hardly matter." if idle > 1 else ""
    return f"{quoted(first.name)} matters most: shuffling its values {lost}.{rest}"


def curve(study: Study, drawn: Curve) -> str:
    """Say how the prediction moves with an input."""
    is_classes = study.fitted.task == "classification"
    written: Any = percent if is_classes else lambda value: number(float(value), 3)
    spread = np.ptp(drawn.prediction, axis=0)
    which = int(spread.argmax())
    values = drawn.prediction[:, which]
    what = quoted(drawn.outcomes[which])
    if is_classes:
        what = chance_of(study, drawn.outcomes[which])
    scale = 1.0 if is_classes else max(float(np.ptp(study.fitted.train.y)), 1e-300)
    if spread[which] < LITTLE_MOVE * scale:
        return f"{what} hardly changes with {quoted(drawn.name)}."
    low, high = int(values.argmin()), int(values.argmax())
    near = LITTLE_MOVE * spread[which]
    ends_high = (values[-1] >= values.max() - near) and (values[0] <= values.min() + near)
    ends_low = (values[0] >= values.max() - near) and (values[-1] <= values.min() + near)
    if drawn.kind in ("number", "date") and (ends_high or ends_low):
        verb = "rises" if ends_high else "falls"
        moved = f"from {written(values[0])} to {written(values[-1])}"
        along = f"from {value_of(drawn, 0)} to {value_of(drawn, -1)}"
        return f"{what} {verb} {moved} on average as {quoted(drawn.name)} goes {along}."
    ends = [f"{value_of(drawn, place)} ({written(values[place])})" for place in (high, low)]
    return (
        f"{what} is highest on average when {quoted(drawn.name)} is {ends[0]}, lowest when it is {ends[1]}."
    )


def chance_of(study: Study, outcome: str, most: int = 40) -> str:
    """Name the probability of a class, with so many letters of each name at most."""
    return f"P({short(study.fitted.schema.target, most)} = {short(outcome, most)})"


def value_of(drawn: Curve, place: int) -> str:
    """Return a value of an input as people write it: of dates over many days the day alone."""
    value = drawn.grid[place]
    if drawn.kind == "date":
        many = drawn.grid[-1] - drawn.grid[0] > MANY_DAYS
        return number(value.astype("datetime64[D]") if many else value)
    return quoted(value) if drawn.kind == "category" else number(value, 3)


def plane(study: Study, drawn: Surface) -> str:
    """Say what the plane of two inputs shows."""
    if study.fitted.task == "regression":
        values = drawn.prediction[..., 0]
        ends = []
        for place in (values.argmin(), values.argmax()):
            up, right = np.unravel_index(place, values.shape)
            at = f"{short(drawn.names[0])} = {number(float(drawn.first[right]), 3)}"
            at += f", {short(drawn.names[1])} = {number(float(drawn.second[up]), 3)}"
            ends.append(f"{number(float(values[up, right]), 3)} ({at})")
        return f"The prediction ranges from {ends[0]} to {ends[1]}."
    right = np.abs(drawn.rows[:, :1] - drawn.first).argmin(axis=1)
    up = np.abs(drawn.rows[:, 1:] - drawn.second).argmin(axis=1)
    inside = drawn.prediction[up, right].argmax(axis=1) == drawn.target
    return (
        f"{number(int(inside.sum()))} of the {len(inside)} training rows drawn lie where the model "
        "predicts their class."
    )


def confusion(names: list[str], counts: Any) -> str:
    """Say which mistake is the most frequent."""
    wrong = np.array(counts)
    np.fill_diagonal(wrong, 0)
    if not wrong.any():
        return "No row was misclassified."
    given, named = np.unravel_index(wrong.argmax(), wrong.shape)
    times = counted(int(wrong[given, named]), "time")
    return f"The most frequent mistake: {quoted(names[given])} was taken for {quoted(names[named])}, {times}."


def calibration(study: Study) -> str:
    """Say whether probabilities, or intervals, can be taken at face value."""
    return calibration_words(study.judged)


def references(study: Study) -> str:
    """Say how the model compares with others on the same rows."""
    return against_references(study.judged)


def residuals(study: Study) -> str:
    """Say how many rows lie outside their interval."""
    mean, deviation = study.judged.prediction
    far = np.abs(study.judged.rows.y - mean) > interval_factor(study.judged.estimator) * deviation
    share = percent(float(far.mean()))
    return (
        f"{number(int(far.sum()))} of {counted(len(far), 'row')} ({share}) lie outside their 90 % interval; "
        f"{number(round((1.0 - LEVEL) * len(far)))} would be expected."
    )


def targets(study: Study) -> str:
    """Say how far the predictions follow the targets."""
    found = next((each.value for each in study.judged.figures if each.name == "R²"), 0.0)
    if found <= 0.0:
        return "The predictions are no better than the mean of the targets."
    return f"The predictions explain {percent(found)} of the variance of the targets."


def trust(study: Study) -> str:
    """Say how many rows have low trust."""
    values = study.ranking["trust"].to_numpy(dtype=float)
    low = int((values < LOW_TRUST).sum())
    verb = "has" if low <= 1 else "have"
    return (
        f"{number(low) if low else 'None'} of {counted(len(values), 'row')} {verb} trust below {LOW_TRUST}."
    )


def roc(curves: list[Curves]) -> str:
    """Say how well the probabilities rank rows."""
    known = [each for each in curves if each.area is not None]
    if not known:
        return "There are too few rows of a class to measure an area."
    worst = min(known, key=lambda each: each.area.value if each.area else 1.0)
    value = worst.area.value if worst.area else 1.0
    least = "" if len(known) == 1 or value == 1.0 else " (the lowest of all classes)"
    return (
        f"Given one row that is {quoted(worst.name)} and one that is not, the model ranks them correctly in "
        f"{percent(value)} of all pairs{least}; guessing does in 50 %."
    )


def precision_recall(curves: list[Curves]) -> str:
    """Say what finding most of a class costs."""
    rarest = min(curves, key=lambda each: each.base_rate)
    recall, precision = np.array(rarest.recall), np.array(rarest.precision)
    enough = recall >= 0.8
    best = float(precision[enough].max()) if enough.any() else float(precision[0])
    return (
        f"When the model finds 80 % of the rows that are {quoted(rarest.name)}, {percent(best)} of the rows "
        f"that it names are right; with guessing, {percent(rarest.base_rate)}."
    )


def choice(study: Study) -> str:
    """Say why the model was chosen."""
    name = type(study.fitted.estimator).__name__
    if study.settings.model != "auto":
        return f"You chose {name}; nothing was compared."
    if len(study.candidates) < 2:
        return f"{name} is the only model for a table of this size."
    n_rows = counted(len(study.candidates[0].row_scores), "row")
    return f"{name} was chosen: {why_chosen(study)} (nats per row, over {n_rows})."
