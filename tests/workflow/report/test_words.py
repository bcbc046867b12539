"""What the figures say in sentences."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from rowtrust.auditing import Findings
from rowtrust.workflow.inputs import Curve, Importance, InputEffects
from rowtrust.workflow.quality import Calibration, Curves, Figure
from rowtrust.workflow.report import words
from rowtrust.workflow.report.formats import percent


def plain(text):
    """A sentence with ordinary spaces."""
    return text.replace("\u202f", " ").replace("\u2212", "-")


def test_three_sentences(class_study, number_study, three_study):
    for study in (class_study, number_study, three_study):
        said = words.in_short(study)
        assert len(said) == 3
        assert all(sentence[0].isupper() or sentence[0] == "'" or sentence[0].isdigit() for sentence in said)
        assert all(sentence.endswith(".") and "nan" not in sentence for sentence in said)


def test_classes_against_the_commonest(class_study):
    judged = class_study.judged
    right = np.mean(class_study.fitted.classes[judged.prediction.argmax(axis=1)] == judged.rows.y)
    common = max(set(class_study.fitted.train.y), key=list(class_study.fitted.train.y).count)
    guess = np.mean(judged.rows.y == common)
    said = words.quality(class_study)
    assert said.startswith("On 24 rows that it had not seen, the model named the right class in ")
    assert f"right class in {percent(right)} (" in said
    assert said.endswith(f"always guessing '{common}' would get {percent(guess)}.")


def test_numbers_against_the_mean(number_study):
    judged = number_study.judged
    off = np.median(np.abs(judged.rows.y - judged.prediction[0]))
    guess = np.median(np.abs(judged.rows.y - np.mean(number_study.fitted.train.y)))
    found = re.findall(r"less than ([\d ]+)", plain(words.quality(number_study)))
    assert [float(each.replace(" ", "")) for each in found] == pytest.approx([off, guess], rel=0.006)
    assert "predictions of 'amount'" in words.quality(number_study)


def worse(study, **values):
    """The study with another accuracy."""
    figures = [replace(each, **values) if each.name == "accuracy" else each for each in study.judged.figures]
    return replace(study, judged=replace(study.judged, figures=figures))


def test_a_model_no_better_than_a_guess_is_called_so(class_study):
    assert "may be chance" in words.quality(worse(class_study, value=0.99, lower=0.1, upper=1.0))
    assert "of no use" in words.quality(worse(class_study, value=0.1, lower=0.05, upper=0.2))
    assert "chance" not in words.quality(worse(class_study, value=0.99, lower=0.98, upper=1.0))


def doubted(study, wrong):
    """The study with other probabilities of rows to be wrong."""
    wrong = np.array(wrong)
    order = np.argsort(-wrong, kind="stable")
    given = np.full(len(wrong), "a")
    return replace(study, findings=Findings(order, wrong, given, given, wrong, 1 - wrong, np.eye(2)))


def test_likely_wrong_and_hard_to_judge(class_study):
    said = words.rows(doubted(class_study, [0.85, 0.8, 0.6, *[0.001] * 97]))
    assert said.startswith("2 of 100 training rows are likely wrong and 1 more row is hard to judge: check")
    said = words.rows(doubted(class_study, [0.6, 0.6, *[0.001] * 98]))
    assert said.startswith("None of 100 training rows is likely wrong, and 2 rows are hard to judge")
    assert words.rows(doubted(class_study, [0.001] * 50)) == "None of 50 training rows is likely wrong."
    assert "1 of 100 training rows is likely" in words.rows(doubted(class_study, [0.99, *[0.001] * 99]))


def mattering(study, *found):
    return replace(study, inputs=InputEffects(list(found), [], None))


def test_importance_in_points_and_units(class_study, number_study):
    study = mattering(class_study, Importance("age", 0.041, 0.01), Importance("b", 0.001, 0.01))
    assert (
        words.importance(study)
        == "'age' matters most: with its values shuffled 4.1 points more rows would be named wrongly."
    )
    assert words.matters_most(study) == "'age' matters most, by far"
    study = mattering(class_study, Importance("age", 0.041, 0.01), Importance("b", 0.03, 0.04))
    assert words.matters_most(study) == "'age' matters most"
    study = mattering(class_study, Importance("age", 0.041, 0.01))
    assert words.matters_most(study) == "'age' matters most"
    study = mattering(number_study, Importance("size", 12_345.6, 10.0), Importance("b", 5000.0, 10.0))
    rmse = next(each.value for each in number_study.judged.figures if each.name == "RMSE")
    assert "would grow by 12 300, from" in plain(words.importance(study))
    assert float(
        plain(words.importance(study)).split("from ")[1].rstrip(".").replace(" ", "")
    ) == pytest.approx(rmse, rel=0.006)
    assert words.matters_most(study) == "'size' matters most, then 'b'"


def test_inputs_within_the_chance_of_shuffles_do_not_matter(class_study):
    study = mattering(class_study, Importance("age", 0.004, 0.001), Importance("b", 0.05, 0.06))
    assert "No input alone matters much" in words.importance(study)
    assert words.matters_most(study) == "No input alone matters much"


@pytest.mark.parametrize("verdict", words.VERDICTS)
def test_calibration_is_in_the_third_sentence(verdict, class_study, number_study):
    found = Calibration(verdict, "words of the calibration", None, 24, ())
    for study, what in ((class_study, "probabilities"), (number_study, "intervals")):
        study = replace(study, judged=replace(study.judged, calibration=found))
        assert f"; the model's {what} {words.VERDICTS[verdict]}." in words.inputs(study)
        assert words.calibration(study) == "words of the calibration"


def line(kind, grid, values, outcome="yes"):
    values = np.array(values)[:, None]
    return Curve("age", kind, grid, (outcome,), values, 0 * values, np.empty(0))


def test_curves_in_words(class_study, number_study):
    said = words.curve(class_study, line("number", [10.0, 25.0, 40.0], [0.55, 0.5, 0.32]))
    assert plain(said) == "P(ill = yes) falls from 55 % to 32 % on average as 'age' goes from 10 to 40."
    said = words.curve(class_study, line("category", ["a", "b", ""], [0.5, 0.74, 0.19]))
    assert plain(said) == "P(ill = yes) is highest on average at 'b' (74 %), lowest at '(blank)' (19 %)."
    said = words.curve(class_study, line("number", [1.0, 2.0, 3.0], [0.001, 0.9999, 0.9998]))
    assert "rises" in said
    days = list(np.array(["2019-01-03T09:07", "2019-02-01T00:00", "2019-05-27T14:52"], dtype="datetime64[s]"))
    said = words.curve(class_study, line("date", days, [0.55, 0.5, 0.32]))
    assert said.endswith("as 'age' goes from 2019-01-03 to 2019-05-27.")
    said = words.curve(class_study, line("steps", [1.0, 2.0, 3.0], [0.5, 0.501, 0.502]))
    assert said == "P(ill = yes) hardly moves with 'age'."
    said = words.curve(
        number_study, line("number", [1.0, 2.0, 3.0], [20_000.0, 90_000.0, 30_000.0], "amount")
    )
    assert plain(said) == "'amount' is highest on average at age 2 (90 000), lowest at age 1 (20 000)."


def test_trust_is_counted(class_study):
    table = class_study.suspects.assign(trust=np.linspace(0.3, 1.0, len(class_study.suspects)))
    low = (np.linspace(0.3, 1.0, len(table)) < 0.5).sum()
    assert (
        words.trust(replace(class_study, suspects=table))
        == f"{low} of {len(table)} rows have trust below 0.5."
    )
    table = table.assign(trust=1.0, wrong=np.append(0.9, np.zeros(len(table) - 1)))
    said = words.trust(replace(class_study, suspects=table))
    assert said == f"1 of {len(table)} rows is more likely wrong than right."


def test_residuals_outside_are_counted(number_study):
    mean, deviation = number_study.judged.prediction
    prediction = (mean, np.full(len(mean), 1e-9))
    study = replace(number_study, judged=replace(number_study.judged, prediction=prediction))
    assert plain(words.residuals(study)).startswith(
        "22 of 22 rows (100 %) lie outside their 90 % interval; 2 would"
    )
    prediction = (mean, deviation + 1e9)
    study = replace(number_study, judged=replace(number_study.judged, prediction=prediction))
    assert words.residuals(study).startswith("0 of 22 rows")


def test_the_most_frequent_mistake():
    said = words.confusion(["a", "b", "c"], [[9, 0, 1], [4, 9, 0], [0, 2, 9]])
    assert said == "The most frequent mistake: 'b' was taken for 'a', 4 times."
    assert words.confusion(["a", "b"], [[9, 0], [0, 9]]) == "No row was taken for one of another class."


def ranked(name, area, base=0.2):
    figure = Figure("AUC", area, area - 0.1, area + 0.1, "")
    return Curves(name, base, (0, 1), (0, 1), (1.0, 0.8, 0.5, 0.0), (base, 0.6, 0.7, 1.0), figure, None)


def test_curves_of_ranking():
    assert "'ill'" in words.roc([ranked("ill", 0.87)])
    assert "in 87 % of all pairs;" in plain(words.roc([ranked("ill", 0.87)]))
    assert "in 81 % of all pairs or more, by class" in plain(words.roc([ranked("a", 0.9), ranked("b", 0.81)]))
    assert "too few rows" in words.roc([replace(ranked("a", 0.9), area=None)])
    said = plain(words.precision_recall([ranked("common", 0.9, 0.6), ranked("rare", 0.9, 0.1)]))
    assert said.startswith("To find 80 % of the rows that are 'rare', 60 % of those named so would be right")
    assert said.endswith("by guessing, 10 %.")


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
    tied = words.choice(replace(study, candidates=ranked, chosen="robust"))
    assert "within noise of the best (fuzzy-model, ahead by" in tied
    found = [float(each) for each in re.search(r"by ([\d.]+) ± ([\d.]+) nats over 500 rows", tied).groups()]
    assert found == pytest.approx([gain, noise], rel=0.06)
    assert tied.endswith("the first of robust, plain, svr, fuzzy is taken.")
    assert "ahead of robust-model by" in words.choice(replace(study, candidates=ranked, chosen="fuzzy"))
    twins = [candidate("robust", good), candidate("plain", good + 1e-6)]
    assert "none predicted" in words.choice(replace(study, candidates=twins, chosen="robust"))
    assert "the only model" in words.choice(replace(study, candidates=ranked[:1], chosen="robust"))
    assert "named by the user" in words.choice(number_study)


def test_the_plane_in_words(three_study):
    drawn = three_study.inputs.surface
    said = words.plane(three_study, drawn)
    count, drawn_rows = map(int, re.match(r"(\d+) of the (\d+) training rows", said).groups())
    labels = three_study.fitted.labels(three_study.fitted.train.y)
    share = np.mean(three_study.fitted.predict(three_study.fitted.train.X).argmax(axis=1) == labels)
    assert drawn_rows == len(labels)
    assert count / drawn_rows == pytest.approx(share, abs=0.05)
