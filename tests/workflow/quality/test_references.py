"""A baseline and boosting on the same rows, and what is said of them."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.model_selection import cross_val_predict

from rowtrust.workflow.quality import references as module
from rowtrust.workflow.quality.figures import paired_differences, quality_figures
from rowtrust.workflow.quality.records import Figure, Reference
from rowtrust.workflow.quality.sentences import against_references
from rowtrust.workflow.records import Part

GENERATOR = np.random.default_rng(0)
N = 240


def table():
    """Numbers with gaps, words and truth values; the words tell most."""
    words = GENERATOR.choice(["red", "green", "blue"], N).astype(object)
    number = GENERATOR.normal(size=N)
    X = pd.DataFrame({"word": words, "number": number, "flag": number > 1.0})
    X.loc[::7, "number"] = np.nan
    return X, number, words


X, NUMBER, WORDS = table()
LABEL = np.where((WORDS == "red") ^ (GENERATOR.random(N) < 0.1), "in", "out")
TARGET = 3.0 * (WORDS == "red") + 0.3 * GENERATOR.normal(size=N)
CLASSES = np.array(["in", "out"])


def part(y, rows):
    return Part(X.iloc[rows], y[rows], rows + 1)


TRAIN, TEST = np.arange(0, N, 2), np.arange(1, N, 2)


def found_for(y, classes, prediction):
    predict, rows = module.fitted_and_judged(part(y, TRAIN), X.iloc[TEST], classes, 0)
    return module.references(part(y, TEST), prediction, classes, None, 0, rows, predict, "fewer rows")


def flat_classes():
    return np.tile([0.5, 0.5], (len(TEST), 1))


def test_boosting_and_the_baseline_are_judged_on_the_same_rows():
    (baseline, boosting), missing = found_for(LABEL, CLASSES, flat_classes())
    assert missing == []
    commonest = pd.Series(LABEL[TRAIN]).mode()[0]
    assert baseline.figures[0].value == pytest.approx((LABEL[TEST] == commonest).mean())
    ordinal = X.assign(word=pd.factorize(WORDS)[0])
    peer = HistGradientBoostingClassifier(random_state=0).fit(ordinal.iloc[TRAIN], LABEL[TRAIN])
    assert boosting.figures[0].value == pytest.approx(peer.score(ordinal.iloc[TEST], LABEL[TEST]), abs=0.03)
    assert boosting.figures[0].value > 0.8
    assert [each.name for each in baseline.figures] == [each.name for each in boosting.figures]
    assert (baseline.note, boosting.note) == ("", "fewer rows")


def test_boosting_has_as_many_rounds_as_rows_left_out_ask_for():
    """With a hundred rounds boosting is far too sure of few rows, and would be a straw man."""
    generator = np.random.default_rng(0)
    inputs = generator.normal(size=(2300, 5))
    log_odds = 2.0 * (inputs[:, 0] + inputs[:, 1] * inputs[:, 2])
    label = (generator.random(2300) < 1.0 / (1.0 + np.exp(-log_odds))).astype(int)
    plain = HistGradientBoostingClassifier(random_state=0)
    losses = [
        metrics.log_loss(label[300:], each.fit(inputs[:300], label[:300]).predict_proba(inputs[300:]))
        for each in (plain, module.BoostedClasses(plain))
    ]
    assert losses[1] < 0.95 * losses[0]
    noise = generator.normal(size=150)
    assert module.best_rounds(HistGradientBoostingRegressor(), inputs[:150], noise) < 30


def test_rounds_are_not_chosen_where_they_cannot_be():
    early = HistGradientBoostingClassifier(early_stopping=True, max_iter=70)
    rare = HistGradientBoostingClassifier(max_iter=70)
    assert module.best_rounds(early, NUMBER[:, None], LABEL) == 70
    assert module.best_rounds(rare, NUMBER[:, None], np.arange(N) > N - 3) == 70


@pytest.mark.parametrize(("n_classes", "rows", "early"), [(2, 99, False), (5, 100, True), (2, 12_000, True)])
def test_many_rows_or_classes_choose_the_rounds_by_a_tenth(n_classes, rows, early):
    assert module.ends_early(np.arange(rows) % n_classes, True) is early


@pytest.mark.parametrize(("copies", "single", "most"), [(40, True, 100), (4, False, module.FEW_ROUNDS)])
def test_many_classes_do_not_grow_trees_without_end(copies, single, most):
    """A class of one row, or fewer rows left out than classes, made a hundred rounds, or no reference."""
    y = np.repeat(np.arange(6), copies)
    y[0] = 6 if single else 0
    inputs = np.random.default_rng(0).normal(size=(len(y), 2)) + y[:, None]
    model = HistGradientBoostingClassifier(early_stopping=True, random_state=0)
    found = module.BoostedClasses(model).fit(inputs, y)
    assert found.classes_.tolist() == list(range(6))
    assert found.model_.n_iter_ <= most
    assert found.model_.early_stopping is single
    assert found.model_.n_iter_ < 100
    rare = module.BoostedClasses(model).fit(inputs, np.arange(len(y)) == 3)
    assert rare.classes_.tolist() == [False, True]


def test_boosting_of_numbers_has_no_coverage_and_the_baseline_has():
    mean = np.full(len(TEST), 1.0)
    (baseline, boosting), missing = found_for(TARGET, np.empty(0), (mean, mean))
    assert missing == []
    assert [each.name for each in baseline.figures][-1] == "90% coverage"
    assert [each.name for each in boosting.figures] == ["RMSE", "MAE", "median error", "R²"]
    rmse = metrics.root_mean_squared_error(TARGET[TEST], np.full(len(TEST), TARGET[TRAIN].mean()))
    assert baseline.figures[0].value == pytest.approx(rmse)
    assert boosting.figures[0].value < 0.6
    assert boosting.differences[0].value == pytest.approx(
        boosting.figures[0].value - metrics.root_mean_squared_error(TARGET[TEST], mean)
    )
    assert boosting.differences[0].upper < 0.0


def test_references_can_be_cross_fitted():
    rows = part(LABEL, np.arange(N))
    found, missing = module.references(
        rows,
        np.tile([0.5, 0.5], (N, 1)),
        CLASSES,
        None,
        0,
        rows,
        lambda model: cross_val_predict(model, rows.X, rows.y, method="predict_proba"),
    )
    assert missing == []
    assert found[1].figures[0].value > 0.8


def test_a_fault_of_a_reference_is_told_and_ends_nothing():
    def fails(model):
        if "prepare" in model.named_steps:
            raise RuntimeError("no memory\nat all")
        return flat_classes()

    rows = part(LABEL, TRAIN)
    found, missing = module.references(part(LABEL, TEST), flat_classes(), CLASSES, None, 0, rows, fails)
    assert [each.name for each in found] == ["baseline"]
    assert missing == ["The comparison with boosting is missing, as it could not be fitted: no memory"]


def test_boosting_is_fitted_to_so_many_rows_at_most(monkeypatch):
    monkeypatch.setattr(module, "FEWEST_ROWS", 20)
    _, rows = module.fitted_and_judged(part(LABEL, TRAIN), X.iloc[TEST], CLASSES, 0)
    assert len(rows.y) == len(TRAIN)  # as the model, however many they are
    monkeypatch.setattr(module, "MOST_WORK", 30 * X.shape[1] * len(CLASSES))
    _, rows = module.fitted_and_judged(part(LABEL, TRAIN), X.iloc[TEST], CLASSES, 0)
    assert 29 <= len(rows.y) <= 30
    assert module.note_of_rows(30, 120) == "fitted to 30 of the model's 120 rows"
    assert module.note_of_rows(120, 120) == ""


def test_differences_are_paired():
    """Two models that fail on the same rows differ by less than their intervals do."""
    generator = np.random.default_rng(0)
    label = generator.integers(2, size=400)
    ours = np.clip(np.eye(2)[np.where(generator.random(400) < 0.8, label, 1 - label)], 0.1, 0.9)
    theirs = ours.copy()
    theirs[:10] = theirs[:10, ::-1]
    accuracy, loss = paired_differences(theirs, ours, label, np.array([0, 1]), 0)
    figures = [quality_figures(each, label, np.array([0, 1]), None, 0) for each in (theirs, ours)]
    for place, each in ((0, accuracy), (2, loss)):
        assert each.value == pytest.approx(figures[0][place].value - figures[1][place].value)
        assert each.upper - each.lower < figures[0][place].upper - figures[0][place].lower
    same = paired_differences(ours, ours, label, np.array([0, 1]), 0)
    assert all(each.lower < 0.0 == each.value < each.upper for each in same)


def figure(name, value, lower=None, upper=None):
    return Figure(
        name, value, value - 0.01 if lower is None else lower, value + 0.01 if upper is None else upper, ""
    )


def judged(figures, *references):
    return SimpleNamespace(figures=figures, references=list(references), per_class=[])


def test_what_trust_gains_is_said_in_a_sentence_and_how_to_fit_it_where_it_is_better():
    alone = Reference("boosting", "", [figure("MAE", 5.0)], [figure("MAE", 1.0, 0.5, 1.5)])
    chance = Reference("trusted boosting", "", [figure("MAE", 4.0)], [figure("MAE", -0.1, -0.5, 0.5)])
    better = Reference("trusted boosting", "", [figure("MAE", 3.0)], [figure("MAE", -1.0, -1.5, -0.5)])
    told = "MAE of boosting alone: 5; trusted: 4."
    assert against_references(judged([figure("MAE", 4.1)], alone, chance)).endswith(told)
    told = (
        "trusted: 3. That is better than this model: rowtrust.TrustedRegressor().fit(X, y) fits it in Python."
    )
    assert against_references(judged([figure("MAE", 4.0)], alone, better)).endswith(told)


def test_losses_against_boosting_are_said_plainly():
    ours = [figure("accuracy", 0.833), figure("log loss", 0.40)]
    boosting = Reference(
        "boosting",
        "",
        [figure("accuracy", 0.841), figure("log loss", 0.37)],
        [figure("accuracy", 0.008, 0.002, 0.014), figure("log loss", -0.03, -0.04, -0.02)],
    )
    baseline = Reference(
        "baseline", "", [figure("accuracy", 0.616)], [figure("accuracy", -0.217, -0.3, -0.1)]
    )
    assert against_references(judged(ours, boosting, baseline)) == (
        "Boosting's accuracy is 84.1 %, 0.8 points more than this model's. Its probabilities are better (log "
        "loss 0.370 against 0.400). Guessing the commonest class reaches 61.6 %."
    )
    assert against_references(judged(ours)) == ""


def test_a_model_that_is_no_better_than_guessing_is_told_so():
    baseline = Reference("baseline", "", [figure("accuracy", 0.8)], [figure("accuracy", -0.01, -0.04, 0.02)])
    told = against_references(judged([figure("accuracy", 0.81)], baseline))
    assert told == (
        "This model is not clearly better than guessing: guessing the commonest class reaches 80.0 %."
    )
    worse = Reference("baseline", "", [figure("RMSE", 2.0)], [figure("RMSE", -0.5, -0.8, -0.2)])
    told = against_references(judged([figure("RMSE", 2.5)], worse))
    assert told == "This model is worse than guessing: always predicting the mean has an RMSE of 2."


def test_numbers_are_compared_by_shares_of_the_error():
    boosting = Reference("boosting", "", [figure("RMSE", 1803.0)], [figure("RMSE", -200.0, -500.0, 100.0)])
    told = against_references(judged([figure("RMSE", 2003.0)], boosting))
    assert told == "Boosting's RMSE is 1,803, 10.0 % less than this model's, which may be chance."


@pytest.mark.parametrize(("y", "classes"), [(LABEL, CLASSES), (TARGET, np.empty(0))])
def test_references_count_rows_as_the_model_does(y, classes):
    """Rows of hardly any weight say nonsense: whoever counts them fully believes it."""
    half = np.arange(len(TRAIN)) % 2 == 0
    told = part(y, TRAIN)
    wrong = np.where(y == "in", "out", "in") if len(classes) else -20.0 - y
    told = replace(told, y=np.where(half, wrong[TRAIN], y[TRAIN]), weights=np.where(half, 1e-6, 1.0))
    predict, rows = module.fitted_and_judged(told, X.iloc[TEST], classes, 0)
    nothing = flat_classes() if len(classes) else (np.zeros(len(TEST)), np.ones(len(TEST)))
    found, missing = module.references(part(y, TEST), nothing, classes, None, 0, rows, predict)
    assert missing == []
    baseline, boosting = (each.figures[0].value for each in found)
    if len(classes):
        assert boosting > 0.8
    else:
        assert baseline < 2.0
        assert boosting < 0.8
