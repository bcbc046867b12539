"""The quality of a model beside others, in plain sentences, and for JSON."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from rowtrust.workflow.quality.records import Figure, Reference

if TYPE_CHECKING:  # the record of a judged model has these records in it
    from rowtrust.workflow.study import Judged

LOPSIDED = 0.8
"""Share of the commonest class from which accuracy says little: guessing is right in four of five rows. A
matter of words; no table of half A has so much."""


COUNTS = ("true_positive", "false_positive", "false_negative", "true_negative")
"""Counts of a class against the others; names in ``metrics.json``."""


def percent(share: float, digits: int = 0) -> str:
    """Return a share as per cent."""
    return f"{100.0 * share:.{digits}f} %"


def compact(value: float) -> str:
    """Return a number with three digits or more, without an exponent where it can be read so."""
    if abs(value) >= 1000.0:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def named(figures: list[Figure], name: str) -> Figure | None:
    """Return the figure of a name, if it is there."""
    return next((each for each in figures if each.name == name), None)


def is_lopsided(judged: Judged) -> bool:
    """Whether most rows are of one class, so that accuracy says little."""
    share = max((each.prevalence.value for each in judged.per_class), default=0.0)
    return share >= LOPSIDED


def leading(judged: Judged) -> list[Figure]:
    """Return the figures that matter most: where most rows are of one class, how the rare one is found."""
    names = ["accuracy", "AUC", "RMSE", "MAE"]
    rare = []
    if is_lopsided(judged):
        names = ["balanced accuracy", "AUC"]
        rarest = min(judged.per_class, key=lambda each: each.prevalence.value)
        if len(judged.per_class) == 2 and (found := rarest.figures["sensitivity"]) is not None:
            rare = [replace(found, name=f"sensitivity for '{rarest.name}'")]
    known = [named(judged.figures, name) for name in names]
    return [*rare, *(each for each in known if each is not None)] or judged.figures[:1]


def beats_guessing(judged: Judged) -> bool:
    """Whether the model is clearly better than the baseline by any measure, or nobody knows."""
    baseline = next((each for each in judged.references if each.name == "baseline"), None)
    if baseline is None:
        return True
    better = [-each.upper if each.name == "accuracy" else each.lower for each in baseline.differences]
    for name, guess in (("AUC", 0.5), ("balanced accuracy", 1.0 / max(2, len(judged.per_class)))):
        figure = named(judged.figures, name)
        better += [] if figure is None else [figure.lower - guess]
    return max(better, default=0.0) > 0.0


def calibration_words(judged: Judged) -> str:
    """Return whether probabilities, or intervals, can be taken at face value; nothing if nobody looked."""
    return "" if judged.calibration is None else judged.calibration.words


def against_references(judged: Judged) -> str:
    """Return how the model compares with boosting and with guessing; nothing without references."""
    found = {each.name: each for each in judged.references}
    is_classes = named(judged.figures, "accuracy") is not None
    parts = []
    if "boosting" in found:
        parts.append(
            against_boosting(judged, found["boosting"], is_classes) + probabilities(judged, found["boosting"])
        )
        if found["boosting"].note:
            parts.append(f"It was {found['boosting'].note}.")
    if "trusted boosting" in found:
        parts.append(by_trust(found["boosting"], found["trusted boosting"], is_classes))
    if "baseline" in found:
        parts.append(against_baseline(judged, found["baseline"], is_classes))
    return " ".join(parts)


def against_boosting(judged: Judged, boosting: Reference, is_classes: bool) -> str:
    """Say how far boosting is ahead or behind."""
    name = "accuracy" if is_classes else "RMSE"
    figures = (judged.figures, boosting.figures, boosting.differences)
    ours, theirs, ahead = (named(each, name) for each in figures)
    if ours is None or theirs is None or ahead is None:
        return ""
    value = percent(theirs.value, 1) if is_classes else compact(theirs.value)
    apart = 100.0 * abs(ahead.value) / (1.0 if is_classes else ours.value or 1.0)
    if f"{apart:.1f}" == "0.0":
        return f"Boosting's {name} is {value}, the same as this model's."
    by = f"{apart:.1f} {'points' if is_classes else '%'} {'more' if ahead.value > 0.0 else 'less'}"
    return f"Boosting's {name} is {value}, {by} than this model's{chance(ahead)}."


def by_trust(alone: Reference, trusted: Reference, is_classes: bool) -> str:
    """Say what boosting gains by trust, and how to fit it where it is better than the model."""
    name, kind = ("accuracy", "Classifier") if is_classes else ("MAE", "Regressor")
    before, after = named(alone.figures, name), named(trusted.figures, name)
    ahead = named(trusted.differences, name)
    if before is None or after is None:
        return ""
    text = f"{name.capitalize() if is_classes else name} of boosting alone: "
    text += f"{before.value:.4g}; trusted: {after.value:.4g}."
    if ahead is None or is_chance(ahead) or (ahead.value > 0.0) != is_classes:
        return text
    return f"{text} That is better than this model: rowtrust.Trusted{kind}().fit(X, y) fits it in Python."


def probabilities(judged: Judged, boosting: Reference) -> str:
    """Say whose probabilities are better, where that is clear."""
    ours, theirs = named(judged.figures, "log loss"), named(boosting.figures, "log loss")
    ahead = named(boosting.differences, "log loss")
    if ours is None or theirs is None or ahead is None or is_chance(ahead):
        return ""
    if f"{theirs.value:.3f}" == f"{ours.value:.3f}":
        return ""
    word = "worse" if ahead.value > 0.0 else "better"
    return f" Its probabilities are {word} (log loss {theirs.value:.3f} against {ours.value:.3f})."


def against_baseline(judged: Judged, baseline: Reference, is_classes: bool) -> str:
    """Say what guessing achieves, and plainly if the model is not better."""
    name = "accuracy" if is_classes else "RMSE"
    guess, ahead = named(baseline.figures, name), named(baseline.differences, name)
    if guess is None or ahead is None:
        return ""
    if is_classes:
        does, value = "Guessing the commonest class", f"reaches {percent(guess.value, 1)}"
    else:
        does, value = "Always predicting the mean", f"has an RMSE of {compact(guess.value)}"
    is_worse = ahead.lower > 0.0 if is_classes else ahead.upper < 0.0
    if beats_guessing(judged):
        return f"{does} {value}."
    if is_worse:
        return f"This model is worse than guessing: {does[0].lower()}{does[1:]} {value}."
    return f"This model is not clearly better than guessing: {does[0].lower()}{does[1:]} {value}."


def is_chance(difference: Figure) -> bool:
    """Whether the interval of a difference has zero in it."""
    return difference.lower <= 0.0 <= difference.upper


def chance(difference: Figure) -> str:
    """Say that a difference may be chance, if it may."""
    return ", which may be chance" if is_chance(difference) else ""


def quality_json(judged: Judged) -> dict[str, Any]:
    """Return what is known of a model's quality beyond its figures, for ``metrics.json``."""
    return {
        "per_class": [class_json(each) for each in judged.per_class],
        "curves": [
            {
                "class": each.name,
                "base_rate": each.base_rate,
                "AUC": figure_json(each.area),
                "average_precision": figure_json(each.average_precision),
            }
            for each in judged.curves
        ],
        "references": [
            {
                "model": each.name,
                "explanation": each.explanation,
                "metrics": {figure.name: figure_json(figure) for figure in each.figures},
                "less_this_model": {figure.name: figure_json(figure) for figure in each.differences},
                "note": each.note,
            }
            for each in judged.references
        ],
        "calibration": None if judged.calibration is None else asdict(judged.calibration),
        "remarks": judged.remarks,
    }


def class_json(table: Any) -> dict[str, Any]:
    """Return the table of a class for JSON."""
    return {
        "class": table.name,
        "is_positive": table.is_positive,
        "rows": {"train": table.n_train, "judged": table.n_judged},
        "counts": {name: getattr(table, name) for name in COUNTS},
        "prevalence": figure_json(table.prevalence),
        **{name.replace(" ", "_"): figure_json(figure) for name, figure in table.figures.items()},
    }


def figure_json(figure: Figure | None) -> dict[str, Any] | None:
    """Return a figure with its interval for JSON."""
    if figure is None:
        return None
    return {"value": figure.value, "interval": [figure.lower, figure.upper], "method": figure.method}
