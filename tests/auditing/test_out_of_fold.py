"""Any scikit-learn estimator, judged by predictions of rows that it was not fitted to."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.cluster import KMeans
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from rowtrust import find_wrong_rows
from rowtrust.auditing.out_of_fold import left_out_numbers, left_out_probabilities

GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=(120, 2))
Y = (X[:, 0] + 0.3 * GENERATOR.normal(size=120) > 0).astype(int)


class Parrot(ClassifierMixin, RegressorMixin, BaseEstimator):
    """Knows the rows it was fitted to by heart, and nothing else."""

    def fit(self, X, y):
        self.classes_, self.seen_ = np.unique(y), dict(zip(map(tuple, X), y, strict=True))
        return self

    def predict_proba(self, X):
        known = np.array([tuple(row) in self.seen_ for row in X])
        return np.where(known[:, None], [[1.0, 0.0]], [[0.25, 0.75]])

    def predict(self, X):
        return np.array([self.seen_.get(tuple(row), -7.0) for row in X])


def test_no_row_is_judged_by_a_model_that_has_seen_it():
    np.testing.assert_allclose(left_out_probabilities(Parrot(), X, Y, np.unique(Y))[:, 1], 0.75)
    mean, _ = left_out_numbers(Parrot(), X, X[:, 0])
    np.testing.assert_array_equal(mean, -7.0)


def test_certain_probabilities_are_moved_inside():
    class Sure(Parrot):
        def predict_proba(self, X):
            return np.tile([1.0, 0.0], (len(X), 1))

    found = left_out_probabilities(Sure(), X, Y, np.unique(Y))
    assert ((found > 0.0) & (found < 1.0)).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert np.isfinite(find_wrong_rows(Sure(), X, Y).wrong).all()


def test_one_deviation_that_outliers_do_not_widen():
    target = 3.0 * X[:, 0] + 0.5 * GENERATOR.normal(size=120)
    target[:10] += 100.0
    _, deviation = left_out_numbers(LinearRegression(), X, target)
    assert np.ptp(deviation) == 0.0
    clean = left_out_numbers(LinearRegression(), X[10:], target[10:])[1][0]
    assert clean == pytest.approx(0.5, rel=0.2)
    assert deviation[0] < 20 * clean
    assert left_out_numbers(LinearRegression(), X, np.zeros(120))[1][0] > 0.0
    assert left_out_numbers(LinearRegression(), X, X[:, 0])[1][0] > 0.0


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_units_of_numbers_do_not_matter(unit):
    target = 3.0 * X[:, 0] + 0.5 * np.random.default_rng(1).normal(size=120)
    target[:5] += 10.0
    plain, scaled = (find_wrong_rows(LinearRegression(), X, factor * target) for factor in (1.0, unit))
    np.testing.assert_array_equal(scaled.order, plain.order)
    np.testing.assert_allclose(scaled.wrong, plain.wrong, atol=1e-9)
    assert set(plain.order[:5]) == set(range(5)) <= set(plain.suspects)


def test_pipelines_and_labels_of_any_kind():
    model = make_pipeline(StandardScaler(), LogisticRegression())
    numbers, names, flags = (find_wrong_rows(model, X, y) for y in (Y, np.array(["n", "y"])[Y], Y == 1))
    np.testing.assert_array_equal(names.wrong, numbers.wrong)
    np.testing.assert_array_equal(flags.wrong, numbers.wrong)
    assert set(names.likely) == {"n", "y"}


@pytest.mark.parametrize("rows", [X, X.tolist()], ids=["array", "list"])
def test_the_model_comes_first(rows):
    with pytest.raises(TypeError, match="The model comes first"):
        find_wrong_rows(rows, Y, LogisticRegression())


def test_errors_say_what_to_do():
    with pytest.raises(TypeError, match=r"LinearSVC has no predict_proba.*CalibratedClassifierCV"):
        find_wrong_rows(LinearSVC(), X, Y)
    with pytest.raises(TypeError, match="KMeans is neither"):
        find_wrong_rows(KMeans(2), X, Y)
    with pytest.raises(ValueError, match="two classes"):
        find_wrong_rows(LogisticRegression(), X, np.zeros(120))
    with pytest.raises(ValueError, match="The rarest of 3 classes has 1"):
        find_wrong_rows(LogisticRegression(), X, np.r_[2, Y[1:]])
    for share in (0.0, 1.0, np.nan):
        with pytest.raises(ValueError, match="between 0 and 1"):
            find_wrong_rows(LogisticRegression(), X, Y, false_share=share)
