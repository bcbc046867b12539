"""Any estimator, fitted to rows as far as they are believed."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.sparse import coo_matrix
from sklearn.base import BaseEstimator, clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingRegressor,
)
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from rowtrust import RobustRVC, TrustedClassifier, TrustedRegressor
from rowtrust.datasets import flip_labels
from rowtrust.estimators._encoding import JudgeInputs, as_words
from rowtrust.estimators._learner import Learner, weight_name
from rowtrust.fitting import Budget
from rowtrust.trust import Findings

RNG = np.random.default_rng(0)
X = RNG.normal(size=(160, 2))
LABEL = (X[:, 0] + 0.3 * X[:, 1] > 0.0).astype(int)
GIVEN, FLIPPED = flip_labels(LABEL, 0.2, random_state=1)
TARGET = X[:, 0] - 2.0 * X[:, 1] + 0.1 * RNG.normal(size=160)
WRONG = np.isin(np.arange(160), RNG.choice(160, 16, replace=False))
MOVED = np.where(WRONG, TARGET + 12.0, TARGET)
FOREST = RandomForestClassifier(20, random_state=0)
QUICK = RobustRVC(kernel="linear")


def found_all(model):
    """Return whether all wrong numbers are found, and next to no others."""
    return model.p_wrong_[WRONG].min() > 0.5 and np.sum(model.p_wrong_[~WRONG] > 0.5) <= 3


@pytest.fixture(scope="module")
def classifier():
    return TrustedClassifier(FOREST).fit(X, GIVEN)


@pytest.fixture(scope="module")
def regressor():
    return TrustedRegressor(Ridge()).fit(X, MOVED)


def test_wrong_labels_lose_their_pull(classifier):
    plain = clone(FOREST).fit(X, GIVEN)
    assert classifier.uses_trust_
    assert classifier.score(X, LABEL) > plain.score(X, LABEL) + 0.08
    assert classifier.p_wrong_[FLIPPED].mean() > 10.0 * classifier.p_wrong_[~FLIPPED].mean()
    assert 0.1 < 1.0 - np.diag(classifier.noise_).mean() < 0.3


def test_wrong_numbers_lose_their_pull(regressor):
    right = Ridge().fit(X[~WRONG], MOVED[~WRONG])
    np.testing.assert_allclose(regressor.estimator_.coef_, right.coef_, atol=0.05)
    np.testing.assert_allclose(regressor.estimator_.intercept_, right.intercept_, atol=0.05)
    assert found_all(regressor)


@pytest.mark.parametrize("judge", ["own", "both"])
def test_the_estimator_can_judge_itself(judge):
    model = TrustedClassifier(FOREST, judge=judge).fit(X, GIVEN)
    assert model.score(X, LABEL) > clone(FOREST).fit(X, GIVEN).score(X, LABEL)
    numbers = TrustedRegressor(Ridge(), judge=judge).fit(X, MOVED)
    assert found_all(numbers)


def test_clean_rows_get_the_plain_fit():
    numbers = TrustedRegressor(Ridge()).fit(X, TARGET)
    assert not numbers.uses_trust_
    np.testing.assert_array_equal(numbers.estimator_.coef_, Ridge().fit(X, TARGET).coef_)


def test_a_row_is_doubted_only_if_the_estimator_does_not_explain_it():
    mistaken = np.where(WRONG, 0.9, np.where(np.arange(160) < 30, 0.9, 0.0))
    model = TrustedRegressor(Ridge(), judge=Opinion(mistaken)).fit(X, MOVED)
    assert model.p_wrong_[WRONG].min() > 0.8
    assert model.p_wrong_[~WRONG].max() < 0.3


def test_doubt_that_does_not_help_is_not_used():
    """A judge takes a step for errors; a forest, which knows steps, predicts worse without these rows."""
    x = np.linspace(0.0, 1.0, 200)[:, None]
    y = np.where(x[:, 0] > 0.9, 5.0, 0.0) + 0.1 * RNG.normal(size=200)
    forest = RandomForestRegressor(20, random_state=0)
    model = TrustedRegressor(forest, judge=Opinion((y > 2.5).astype(float))).fit(x, y)
    assert not model.uses_trust_
    np.testing.assert_array_equal(model.predict(x), clone(forest).fit(x, y).predict(x))


class Opinion(BaseEstimator):
    """A judge who has made up its mind."""

    def __init__(self, p_wrong=None):
        self.p_wrong = p_wrong

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def judge_rows(self, X, y):
        order, mean = np.argsort(-self.p_wrong), np.zeros(len(y))
        return Findings(order, self.p_wrong, y, mean, y, (mean, np.ones(len(y))))


def test_intervals_hold_and_are_not_widened_by_errors(regressor):
    clean = TrustedRegressor(Ridge()).fit(X, TARGET)
    fresh = np.random.default_rng(5)
    X_new = fresh.normal(size=(2000, 2))
    y_new = X_new[:, 0] - 2.0 * X_new[:, 1] + 0.1 * fresh.normal(size=2000)
    for model in (clean, regressor):
        lower, upper = model.predict_interval(X_new, coverage=0.9)
        assert 0.84 < np.mean((lower < y_new) & (y_new < upper)) < 0.96
    widths = [np.mean(np.subtract(*model.predict_interval(X_new)[::-1])) for model in (clean, regressor)]
    assert widths[1] < 1.2 * widths[0]
    assert (np.subtract(*regressor.predict_interval(X_new, 0.5)[::-1]) < widths[1]).all()
    with pytest.raises(ValueError, match="coverage"):
        regressor.predict_interval(X_new, coverage=1.0)


def test_audit_knows_its_rows_again_and_judges_others(classifier, regressor):
    table = classifier.audit(X, GIVEN)
    assert FLIPPED[table.index[:10]].mean() > 0.8
    np.testing.assert_array_equal(table["p_wrong"].sort_index(), classifier.p_wrong_)
    new = np.array([[2.5, 0.5], [2.5, 0.5]])
    wrong = classifier.judge_rows(new, np.array([1, 0])).p_wrong
    assert wrong[1] > 0.5 > wrong[0]
    assert regressor.judge_rows(new, np.array([1.5, 40.0])).p_wrong[1] > 0.9
    assert regressor.audit(X, MOVED)["likely"].sort_index().sub(TARGET).abs().mean() < 0.3


def test_labels_may_be_words_and_rows_a_frame():
    frame = pd.DataFrame(X, columns=["a", "b"])
    frame["place"] = pd.Categorical(np.where(LABEL, "north", "south"))
    frame.loc[::7, "a"] = np.nan
    names = np.array(["no", "yes"])[GIVEN]
    boosting = HistGradientBoostingClassifier(max_iter=20, categorical_features="from_dtype")
    model = TrustedClassifier(boosting, judge=QUICK).fit(frame, names)
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.feature_names_in_.tolist() == ["a", "b", "place"]
    assert np.mean(model.predict(frame) == np.array(["no", "yes"])[LABEL]) > 0.9
    np.testing.assert_allclose(model.predict_proba(frame).sum(axis=1), 1.0)


def test_sparse_rows():
    rows = coo_matrix(np.where(np.abs(X) < 0.5, 0.0, X))
    assert TrustedRegressor(Ridge()).fit(rows, MOVED).p_wrong_[WRONG].min() > 0.5


@pytest.mark.parametrize("estimator", [KNeighborsClassifier(), LinearSVC()])
def test_estimators_without_weights_or_probabilities(estimator):
    model = TrustedClassifier(estimator, judge=QUICK).fit(X, GIVEN)
    assert model.uses_trust_
    assert model.score(X, LABEL) > 0.93
    assert hasattr(model, "predict_proba") == hasattr(estimator, "predict_proba")


def test_weights_are_refused_where_the_estimator_takes_none():
    with pytest.raises(ValueError, match="takes no sample_weight"):
        TrustedRegressor(KNeighborsRegressor()).fit(X, MOVED, sample_weight=np.ones(160))


def test_weights_reach_the_end_of_a_pipeline_and_of_a_search():
    pipeline = make_pipeline(StandardScaler(), Ridge())
    assert weight_name(pipeline) == "ridge__sample_weight"
    assert weight_name(GridSearchCV(pipeline, {})) == "ridge__sample_weight"
    inside = TrustedRegressor(pipeline).fit(X, MOVED)
    alone = TrustedRegressor(Ridge()).fit(StandardScaler().fit_transform(X), MOVED)
    np.testing.assert_allclose(inside.predict(X), alone.predict(StandardScaler().fit_transform(X)), atol=1e-3)


def test_a_search_over_the_estimator():
    grid = {"estimator__C": [1e-6, 1.0]}
    search = GridSearchCV(TrustedClassifier(LogisticRegression(), judge=QUICK), grid, cv=2).fit(X, GIVEN)
    assert search.best_params_ == {"estimator__C": 1.0}


def test_metadata_is_routed():
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(StandardScaler(), Ridge())
        model = TrustedRegressor(pipeline).set_fit_request(sample_weight=True, groups=True)
        model.set_score_request(sample_weight=True)
        weight = np.where(np.arange(160) < 10, 0.0, 1.0)
        found = cross_validate(model, X, MOVED, cv=2, params={"sample_weight": weight, "groups": X[:, 0] > 0})
    assert np.isfinite(found["test_score"]).all()


@pytest.mark.parametrize(
    ("estimator", "copies"),
    [
        (HistGradientBoostingClassifier(), True),
        (HistGradientBoostingClassifier(early_stopping=True), False),
        (make_pipeline(HistGradientBoostingClassifier(early_stopping=True)), False),
        (GridSearchCV(LogisticRegression(), {}), False),
        (LogisticRegression(), True),
    ],
)
def test_a_row_stands_in_a_fit_twice_only_where_no_row_is_held_out_inside(estimator, copies):
    assert Learner(estimator, np.arange(2)).may_see_copies(100) == copies


def test_boosting_that_may_hold_rows_out_does_so_from_ten_thousand_on():
    boosting = Learner(HistGradientBoostingClassifier(), np.arange(2))
    assert boosting.may_see_copies(5000)
    assert not boosting.may_see_copies(5001)


def test_many_rows_are_judged_by_a_sample(monkeypatch):
    small = Budget(together_rows=100, sample_rows=90)
    monkeypatch.setattr("rowtrust.estimators._trusted_base.budget", lambda: small)
    numbers = TrustedRegressor(Ridge()).fit(X, MOVED)
    assert found_all(numbers)
    right = Ridge().fit(X[~WRONG], MOVED[~WRONG])
    np.testing.assert_allclose(numbers.estimator_.coef_, right.coef_, atol=0.05)
    classes = TrustedClassifier(FOREST, judge="both").fit(X, np.where(np.arange(160) < 2, 2, GIVEN))
    assert classes.classes_.tolist() == [0, 1, 2]
    common, flipped = np.arange(160) >= 2, classes.p_wrong_[FLIPPED]
    assert flipped[1:].mean() > 5.0 * classes.p_wrong_[common & ~FLIPPED].mean()


def test_one_class_is_refused_and_a_failed_fit_changes_nothing(classifier):
    with pytest.raises(ValueError, match="two classes"):
        classifier.fit(X, np.zeros(160))
    assert classifier.predict(X[:2]).shape == (2,)


def test_what_the_judge_reads_of_a_frame():
    frame = pd.DataFrame(
        {
            "number": [1, 2, 3],
            "nullable": pd.array([1, None, 3], dtype="Int64"),
            "word": ["a", None, "b"],
            "day": pd.to_datetime(["2020-01-01", None, "2020-01-02"]),
            "code": pd.Categorical([7, 8, 7]),
            "truth": [True, False, True],
        }
    )
    rows = JudgeInputs().fit(frame).transform(frame)
    assert rows.shape == (3, 1 + 1 + 3 + 1 + 2 + 1)
    assert np.isnan(rows[1, [1, 5]]).all()
    assert np.isnan(rows).sum() == 2
    new = frame.assign(number=["x", "y", "z"], word=["c", "a", "b"])
    assert np.isnan(JudgeInputs().fit(frame).transform(new)[:, 0]).all()
    with pytest.raises(ValueError, match="table"):
        JudgeInputs().fit(["a text", "another"])


# Other people's tables


def test_a_class_of_one_row_and_groups_that_are_classes_fit():
    rare = np.where(np.arange(len(X)) == 3, "b", "a")
    for y, groups in ((rare, None), (GIVEN, GIVEN)):
        model = TrustedClassifier(LogisticRegression()).fit(X, y, groups=groups)
        assert model.predict_proba(X).shape == (len(X), 2)


def test_rows_of_one_group_are_refused_by_what_to_do():
    for model, y in ((TrustedClassifier(FOREST, judge=QUICK), GIVEN), (TrustedRegressor(Ridge()), MOVED)):
        with pytest.raises(ValueError, match="at least two groups, or leave groups out"):
            model.fit(X, y, groups=np.zeros(160))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # so little is a constant
@pytest.mark.parametrize("size", [1e-12, 1e-3])
def test_of_weights_that_are_next_to_nothing_nothing_is_learnt_and_it_says_so(size):
    """A weight is a number of copies: a thousandth of a copy each is no row at all."""
    with pytest.warns(UserWarning, match="divide them by their mean"):
        numbers = TrustedRegressor(Ridge(1e-300)).fit(X, MOVED, sample_weight=np.full(160, size))
    assert not numbers.uses_trust_
    np.testing.assert_allclose(numbers.estimator_.coef_, Ridge(1e-300).fit(X, MOVED).coef_)
    with pytest.warns(UserWarning, match="sum to"):
        classes = TrustedClassifier(FOREST).fit(X, GIVEN, sample_weight=np.full(160, size))
    assert not classes.uses_trust_
    plain = clone(FOREST).fit(X, GIVEN, sample_weight=np.full(160, size))
    np.testing.assert_array_equal(classes.predict(X), plain.predict(X))


def test_weights_are_copies_in_any_order():
    weight = np.arange(160) % 3
    rows = np.random.default_rng(0).permutation(np.repeat(np.arange(160), weight))
    for kind, inner, y in (
        (TrustedClassifier, LogisticRegression(tol=1e-10, max_iter=1000), GIVEN),
        (TrustedRegressor, Ridge(), MOVED),
    ):
        weighted = kind(inner).fit(X, y, sample_weight=weight.astype(float))
        copied = kind(inner).fit(X[rows], y[rows])
        assert weighted.uses_trust_
        np.testing.assert_allclose(weighted.p_wrong_[rows], copied.p_wrong_, atol=1e-5)
        np.testing.assert_allclose(weighted.estimator_.coef_, copied.estimator_.coef_, atol=1e-4)


def test_texts_are_judged_by_the_estimator_itself():
    words = (
        np.array([["good", "fine", "great"], ["bad", "poor", "awful"]])[LABEL],
        RNG.integers(0, 3, (160, 4)),
    )
    texts = [" ".join(row[place]) for row, place in zip(*words, strict=True)]
    texts = [f"{text} number {n % 40}" for n, text in enumerate(texts)]
    inner = make_pipeline(CountVectorizer(), LogisticRegression())
    model = TrustedClassifier(inner, judge="own").fit(texts, GIVEN)
    assert model.score(texts, LABEL) > 0.95
    assert model.p_wrong_[FLIPPED].mean() > 0.7
    assert model.p_wrong_[~FLIPPED].mean() < 0.1
    np.testing.assert_array_equal(model.judge_rows(texts[:5], GIVEN[:5]).p_wrong, model.p_wrong_[:5])
    good, bad = model.judge_rows(["great fine great good"] * 2, [0, 1]).p_wrong
    assert bad > 10.0 * good
    with pytest.raises(ValueError, match="judge='own'"):
        TrustedClassifier(inner).fit(texts, GIVEN)


def test_a_class_without_weight_is_refused_by_name():
    weight = (GIVEN[0] == GIVEN).astype(float)
    with pytest.raises(ValueError, match="sample weight zero"):
        TrustedClassifier(LogisticRegression()).fit(X, GIVEN, sample_weight=weight)


def test_estimators_that_can_be_asked_only_when_fitted_are_taken():
    stack = StackingRegressor([("one", Ridge()), ("two", Ridge(10.0))])
    assert TrustedRegressor(stack).fit(X, TARGET).predict(X).shape == (len(X),)


def test_categories_are_known_again_without_the_missing_ones_beside_them():
    column = pd.Series(pd.Categorical([1, 2, None, 3] * 30))
    assert as_words(column)[:2].tolist() == as_words(column[:2].astype(object)).tolist() == [["1"], ["2"]]
    frame = pd.DataFrame({"number": np.arange(120.0), "kind": column})
    y = (np.arange(120) % 4 > 1).astype(int)
    inner = make_pipeline(make_column_transformer(("passthrough", ["number"])), LogisticRegression())
    model = TrustedClassifier(inner).fit(frame, y)
    known = column.notna().to_numpy()
    np.testing.assert_allclose(model.judge_rows(frame[known], y[known]).p_wrong, model.p_wrong_[known])
