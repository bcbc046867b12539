"""What the figures say in sentences."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from rowtrust.trust import Findings
from rowtrust.workflow.inputs import Curve, Importance, InputEffects
from rowtrust.workflow.quality.records import Calibration, Curves, Figure
from rowtrust.workflow.report import sentences
from rowtrust.workflow.report.formats import percent


def plain(text):
    """A sentence with ordinary spaces."""
    return text.replace("\u202f", " ").replace("\u2212", "-")


def test_three_sentences(class_study, number_study, three_study):
    for study in (class_study, number_study, three_study):
        said = sentences.in_short(study)
        assert len(said) == 3
        assert all(sentence[0].isupper() or sentence[0] == "'" or sentence[0].isdigit() for sentence in said)
        assert all(sentence.endswith(".") and "nan" not in sentence for sentence in said)


def test_classes_against_the_commonest(class_study):
    judged = class_study.judged
    right = np.mean(class_study.fitted.classes[judged.prediction.argmax(axis=1)] == judged.rows.y)
    common = max(set(class_study.fitted.train.y), key=list(class_study.fitted.train.y).count)
    guess = np.mean(judged.rows.y == common)
    said = sentences.quality(class_study)
    assert f"{percent(right)} (" in said
    assert said.endswith(f"'{common}' would get {percent(guess)}.")


def test_numbers_against_the_mean(number_study):
    judged = number_study.judged
    off = np.median(np.abs(judged.rows.y - judged.prediction[0]))
    guess = np.median(np.abs(judged.rows.y - np.mean(number_study.fitted.train.y)))
    found = re.findall(r"(?:was|would be) ([\d ]+)", plain(sentences.quality(number_study)))
    assert [float(each.replace(" ", "")) for each in found] == pytest.approx([off, guess], rel=0.006)
    assert "predictions of 'amount'" in sentences.quality(number_study)


def test_a_model_no_better_than_a_guess_is_called_so(class_study):
    assert "no better than guessing" not in sentences.quality(class_study)
    references = [each for each in class_study.judged.references if each.name == "baseline"]
    none = [replace(each, lower=-1.0, upper=1.0) for each in references[0].differences]
    figures = [replace(each, lower=0.0) for each in class_study.judged.figures]
    same = replace(class_study.judged, references=[replace(references[0], differences=none)], figures=figures)
    said = sentences.quality(replace(class_study, judged=same))
    assert said.startswith("This model is no better than guessing: on 24 held-out rows")


def judged(study, wrong):
    """The study with other probabilities of rows to be wrong."""
    wrong = np.array(wrong)
    order = np.argsort(-wrong, kind="stable")
    given = np.full(len(wrong), "a")
    return replace(study, findings=Findings(order, wrong, given, given, wrong, np.eye(2)))


def test_both_lists_are_counted(class_study):
    said = sentences.rows(judged(class_study, [0.85, 0.8, 0.6, *[0.001] * 97]))
    assert said.startswith("2 of 100 training rows")
    assert "1 more is worth a look" in said
    said = sentences.rows(judged(class_study, [0.6, 0.6, *[0.001] * 98]))
    assert said.startswith("None of 100 training rows")
    assert "2 rows are worth a look" in said
    assert "look" not in sentences.rows(judged(class_study, [0.001] * 50))


def mattering(study, *found):
    return replace(study, inputs=InputEffects(list(found), [], None))


def test_importance_in_points_and_units(class_study, number_study):
    study = mattering(class_study, Importance("age", 0.041, 0.01), Importance("b", 0.001, 0.01))
    assert "4.1 points" in sentences.importance(study)
    assert "by far" in sentences.matters_most(study)
    study = mattering(class_study, Importance("age", 0.041, 0.01), Importance("b", 0.03, 0.04))
    assert sentences.matters_most(study).endswith("'age' matters most")
    study = mattering(number_study, Importance("size", 12_345.6, 10.0), Importance("b", 5000.0, 10.0))
    rmse = next(each.value for each in number_study.judged.figures if each.name == "RMSE")
    told = re.findall(r"([\d ]+)(?:,|\.$)", plain(sentences.importance(study)))
    assert [float(each.replace(" ", "")) for each in told] == pytest.approx([12_300, rmse], rel=0.006)
    assert "then 'b'" in sentences.matters_most(study)
    study = mattering(class_study, Importance("age", 0.004, 0.001), Importance("b", 0.05, 0.06))
    assert "No input alone" in sentences.importance(study)  # all within the chance of shuffles


@pytest.mark.parametrize("verdict", sentences.VERDICTS)
def test_calibration_is_in_the_third_sentence(verdict, class_study, number_study):
    found = Calibration(verdict, "words of the calibration", None, 24, ())
    for study, what in ((class_study, "probabilities"), (number_study, "intervals")):
        study = replace(study, judged=replace(study.judged, calibration=found))
        assert f"; the model's {what} {sentences.VERDICTS[verdict]}." in sentences.inputs(study)
        assert sentences.calibration(study) == "words of the calibration"


def line(kind, grid, values, outcome="yes"):
    values = np.array(values)[:, None]
    return Curve("age", kind, grid, (outcome,), values, 0 * values, np.empty(0))


def test_curves_name_their_ends_or_their_extremes(class_study):
    def said(*arguments):
        return plain(sentences.curve(class_study, line(*arguments)))

    for number in ("55 %", "32 %", "10", "40", "falls"):
        assert number in said("number", [10.0, 25.0, 40.0], [0.55, 0.5, 0.32])
    for word in ("'b' (74 %)", "'(blank)' (19 %)"):
        assert word in said("category", ["a", "b", ""], [0.5, 0.74, 0.19])
    assert "rises" in said("number", [1.0, 2.0, 3.0], [0.001, 0.9999, 0.9998])
    assert "hardly" in said("steps", [1.0, 2.0, 3.0], [0.5, 0.501, 0.502])
    days = list(np.array(["2019-01-03T09:07", "2019-02-01T00:00", "2019-05-27T14:52"], dtype="datetime64[s]"))
    assert "2019-01-03 to 2019-05-27" in said("date", days, [0.55, 0.5, 0.32])


def test_trust_is_counted(class_study):
    table = class_study.ranking.assign(trust=np.linspace(0.3, 1.0, len(class_study.ranking)))
    low = (np.linspace(0.3, 1.0, len(table)) < 0.5).sum()
    assert (
        sentences.trust(replace(class_study, ranking=table))
        == f"{low} of {len(table)} rows have trust below 0.5."
    )
    table = table.assign(trust=np.append(0.1, np.ones(len(table) - 1)))
    said = sentences.trust(replace(class_study, ranking=table))
    assert said == f"1 of {len(table)} rows has trust below 0.5."


def test_rows_that_cannot_be_judged_are_not_called_right(class_study):
    found = replace(judged(class_study, [0.0] * 20).findings, reason="there are too few rows.")
    assert sentences.rows(replace(class_study, findings=found)).startswith("Rows cannot be judged: there are")


def test_residuals_outside_are_counted(number_study):
    mean, deviation = number_study.judged.prediction
    prediction = (mean, np.full(len(mean), 1e-9))
    study = replace(number_study, judged=replace(number_study.judged, prediction=prediction))
    assert plain(sentences.residuals(study)).startswith(
        "22 of 22 rows (100 %) lie outside their 90 % interval; 2 would"
    )
    prediction = (mean, deviation + 1e9)
    study = replace(number_study, judged=replace(number_study.judged, prediction=prediction))
    assert sentences.residuals(study).startswith("0 of 22 rows")


def test_the_most_frequent_mistake():
    said = sentences.confusion(["a", "b", "c"], [[9, 0, 1], [4, 9, 0], [0, 2, 9]])
    assert said == "The most frequent mistake: 'b' was taken for 'a', 4 times."
    assert sentences.confusion(["a", "b"], [[9, 0], [0, 9]]) == "No row was misclassified."


def ranked(name, area, base=0.2):
    figure = Figure("AUC", area, area - 0.1, area + 0.1, "")
    return Curves(name, base, (0, 1), (0, 1), (1.0, 0.8, 0.5, 0.0), (base, 0.6, 0.7, 1.0), figure, None)


def test_curves_of_ranking():
    assert "'ill'" in sentences.roc([ranked("ill", 0.87)])
    assert "in 87 % of all pairs;" in plain(sentences.roc([ranked("ill", 0.87)]))
    assert "in 81 % of all pairs (the lowest of all classes)" in plain(
        sentences.roc([ranked("a", 0.9), ranked("b", 0.81)])
    )
    assert "too few rows" in sentences.roc([replace(ranked("a", 0.9), area=None)])
    said = plain(sentences.precision_recall([ranked("common", 0.9, 0.6), ranked("rare", 0.9, 0.1)]))
    assert said.startswith(
        "When the model finds 80 % of the rows that are 'rare', 60 % of the rows that it names are right"
    )
    assert said.endswith("with guessing, 10 %.")


def candidate(name, scores):
    """What the words need of a candidate."""
    scores = np.array(scores, dtype=float)
    return SimpleNamespace(name=name, estimator=f"{name}-model", row_scores=scores, log_score=scores.mean())


def test_the_choice_is_explained(number_study):
    generator = np.random.default_rng(0)
    good = generator.normal(size=500)
    other = good - 0.0024 + 0.15 * generator.normal(size=500)
    bad = good - 1.0
    study = replace(number_study, settings=replace(number_study.settings, model="auto"))
    ranked = [candidate("robust", other), candidate("plain", bad), candidate("fuzzy", good)]
    gain, noise = np.sum(good - other), np.std(good - other) * np.sqrt(500)
    tied = sentences.choice(replace(study, candidates=ranked, chosen="robust"))
    assert "fuzzy-model leads by only" in tied
    found = [float(each) for each in re.search(r"by only ([\d.]+) ± ([\d.]+),.*over 500 rows", tied).groups()]
    assert found == pytest.approx([gain / 500, noise / 500], rel=0.06)
    assert "ahead of robust-model" in sentences.choice(replace(study, candidates=ranked, chosen="fuzzy"))
    twins = [candidate("robust", good), candidate("plain", good + 1e-6)]
    assert "none predicts" in sentences.choice(replace(study, candidates=twins, chosen="robust"))
    assert "the only model" in sentences.choice(replace(study, candidates=ranked[:1], chosen="robust"))
    assert "nothing was compared" in sentences.choice(number_study)


def test_the_plane_in_words(three_study):
    drawn = three_study.inputs.surface
    said = sentences.plane(three_study, drawn)
    count, drawn_rows = map(int, re.match(r"(\d+) of the (\d+) training rows", said).groups())
    labels = three_study.fitted.labels(three_study.fitted.train.y)
    share = np.mean(three_study.fitted.predict(three_study.fitted.train.X).argmax(axis=1) == labels)
    assert drawn_rows == len(labels)
    assert count / drawn_rows == pytest.approx(share, abs=0.05)
