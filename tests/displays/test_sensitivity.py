"""Sensitivity curves: what is drawn is how far refits move from the fit without the row."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.sparse import csr_array
from sklearn.datasets import make_moons
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC

from rowtrust.displays import SensitivityDisplay


@pytest.fixture
def line():
    X = np.linspace(0.0, 1.0, 11)[:, None]
    return X, 2.0 * X[:, 0]


def test_a_mean_moves_in_proportion_and_a_median_stays(line):
    X, y = line
    values = np.array([0.0, 1.0, 6.0])
    mean = SensitivityDisplay.from_estimator(DummyRegressor(), X, y, row=5, values=values)
    # The mean of the ten other rows is 1; the row has an eleventh part in the new one.
    np.testing.assert_allclose(mean.change, np.abs(values - 1.0) / 11.0, atol=1e-12)
    np.testing.assert_array_equal(mean.line_.get_xydata().T, [values, mean.change])
    median = SensitivityDisplay.from_estimator(
        DummyRegressor(strategy="median"), X, y, row=5, values=[6.0, 60.0]
    )
    assert median.change[0] == median.change[1]


def test_defaults_reach_one_range_beyond_the_data(line):
    X, y = line
    display = SensitivityDisplay.from_estimator(LinearRegression(), X, y, row=10)
    np.testing.assert_allclose(display.values, np.linspace(-2.0, 4.0, 21))
    assert display.at == 2.0
    assert display.label == "LinearRegression"
    assert display.ax_.get_xlabel() == "target of row 10"


def test_inputs_are_moved_by_number_or_name(line):
    pandas = pytest.importorskip("pandas")
    X, y = line
    frame = pandas.DataFrame({"age": X[:, 0], "kind": ["a", "b"] * 5 + ["a"]}, index=range(20, 31))
    given = {"row": 10, "values": [1.0, 3.0]}
    by_number = SensitivityDisplay.from_estimator(LinearRegression(), X, y, column=0, **given)
    assert by_number.change[0] == pytest.approx(0.0, abs=1e-12)
    assert by_number.change[1] > 0.1
    by_name = SensitivityDisplay.from_estimator(LinearRegression(), frame[["age"]], y, column="age", **given)
    np.testing.assert_allclose(by_name.change, by_number.change)
    assert by_name.ax_.get_xlabel() == "age of row 10"
    assert frame["age"].iloc[10] == X[10, 0] == 1.0


def test_probabilities_of_classifiers_are_compared():
    X, y = make_moons(40, noise=0.1, random_state=0)
    display = SensitivityDisplay.from_estimator(LogisticRegression(), X, y, row=3, values=[5.0], column=1)
    others, moved = np.delete(X, 3, axis=0), X.copy()
    moved[3, 1] = 5.0
    before = LogisticRegression().fit(others, np.delete(y, 3)).predict_proba(others)[:, 1]
    after = LogisticRegression().fit(moved, y).predict_proba(others)[:, 1]
    assert display.change[0] == pytest.approx(np.abs(after - before).mean())
    assert display.ax_.get_ylabel() == "mean change of probabilities"


def test_several_curves_on_the_same_axes_are_told_apart_and_all_seen():
    axes = Figure().subplots()
    first = SensitivityDisplay.from_predictions([0.0, 1.0], [0.0, 0.1], at=0.5, label="plain", ax=axes)
    second = SensitivityDisplay.from_predictions([0.0, 1.0], [0.0, 0.7], at=0.5, label="other", ax=axes)
    assert first.ax_ is second.ax_ is axes
    assert first.line_.get_color() != second.line_.get_color()
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["plain", "other"]
    assert axes.get_ylim()[0] == 0.0
    assert axes.get_ylim()[1] > 0.7
    assert [text.get_text() for text in axes.texts] == ["as it is"]


def test_errors_say_what_to_do(line):
    X, y = line
    classes = np.arange(11) > 0
    with pytest.raises(ValueError, match=r"LogisticRegression is a classifier.*such as column=0"):
        SensitivityDisplay.from_estimator(LogisticRegression(), X, classes, row=3)
    with pytest.raises(ValueError, match="LinearSVC has no predict_proba"):
        SensitivityDisplay.from_estimator(LinearSVC(), X, classes, row=3, column=0)
    with pytest.raises(ValueError, match="Row 0 is the only one of its class"):
        SensitivityDisplay.from_estimator(LogisticRegression(), X, classes, row=0, column=0)
    with pytest.raises(ValueError, match="row must lie between 0 and 10, got 11"):
        SensitivityDisplay.from_estimator(LinearRegression(), X, y, row=11)
    with pytest.raises(ValueError, match=r"there is no column 1 in X of shape \(11, 1\)"):
        SensitivityDisplay.from_estimator(LinearRegression(), X, y, row=3, column=1)
    with pytest.raises(ValueError, match="there is no column 'age': X has no names"):
        SensitivityDisplay.from_estimator(LinearRegression(), X, y, row=3, column="age")
    with pytest.raises(ValueError, match="give as many of each"):
        SensitivityDisplay.from_predictions([0.0, 1.0], [0.0])


@pytest.mark.parametrize("column", [1, -1, "5"])
def test_columns_need_no_names_of_letters(line, column):
    pandas = pytest.importorskip("pandas")
    X, y = line
    frame = pandas.DataFrame({3: X[:, 0] ** 2, 5: X[:, 0]})
    given = {"row": 10, "values": [1.0, 3.0]}
    by_place = SensitivityDisplay.from_estimator(LinearRegression(), frame, y, column=column, **given)
    plain = SensitivityDisplay.from_estimator(LinearRegression(), frame.to_numpy(), y, column=1, **given)
    np.testing.assert_allclose(by_place.change, plain.change)
    assert by_place.ax_.get_xlabel() == "5 of row 10"


def test_rows_of_other_kinds(line):
    X, y = line
    given = {"row": 10, "values": [1.0, 3.0], "column": 0}
    wanted = SensitivityDisplay.from_estimator(LinearRegression(), X, y, **given).change
    polars = pytest.importorskip("polars").DataFrame({"age": X[:, 0]})
    for rows in (polars, csr_array(X), X.tolist()):
        found = SensitivityDisplay.from_estimator(LinearRegression(), rows, y, **given)
        np.testing.assert_allclose(found.change, wanted)


def test_more_than_six_curves_are_told_apart():
    axes = Figure().subplots()
    drawn = [
        SensitivityDisplay.from_predictions([0.0, 1.0], [0.0, 0.1 * place], ax=axes) for place in range(14)
    ]
    lines = [each.line_ for each in drawn]
    assert len({(each.get_color(), each.get_marker(), str(each._dash_pattern)) for each in lines}) == 14
    assert len(axes.get_legend().get_texts()) == 14


def test_values_must_be_numbers(line):
    X, y = line
    with pytest.raises(ValueError, match="values must be finite"):
        SensitivityDisplay.from_estimator(LinearRegression(), X, y, row=3, values=[np.nan])
    with pytest.raises(ValueError, match="values must hold one number per place"):
        SensitivityDisplay.from_predictions([], [])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        SensitivityDisplay.from_estimator(LinearRegression(), X, y[:-1], row=3)
