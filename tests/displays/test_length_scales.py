"""Length scales: bars are shares of the relevance in comparable units, lengths are in the inputs' own."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from rowtrust import RVC, RVR, BayesianSVR
from rowtrust.displays import LengthScalesDisplay


def names(display):
    return [label.get_text() for label in display.ax_.get_yticklabels()]


def words(display):
    return [text.get_text() for text in display.ax_.texts]


def lengths(bars):
    return [float(bar.get_width()) for bar in bars]


@pytest.fixture(scope="module")
def table():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 3))
    return X, np.sin(2.0 * X[:, 0]) + 0.5 * X[:, 1] + 0.05 * generator.normal(size=60)


def test_the_most_relevant_input_comes_first():
    axes = Figure().subplots()
    display = LengthScalesDisplay.from_predictions([0.0, 4.0, 1.0], names=["a", "b", "c"], ax=axes)
    assert display.ax_ is axes
    assert names(display) == ["b", "c", "a"]
    assert lengths(display.bars_[0]) == [0.8, 0.2, 0.0]
    assert words(display) == ["length scale 0.5", "length scale 1", "off"]


def test_shares_do_not_depend_on_units_and_lengths_do():
    metres = LengthScalesDisplay.from_predictions([4.0, 1.0], scale=[1.0, 2.0])
    millimetres = LengthScalesDisplay.from_predictions([4e-6, 1.0], scale=[1000.0, 2.0])
    np.testing.assert_allclose(metres.share, [0.5, 0.5])
    np.testing.assert_allclose(millimetres.share, metres.share)
    np.testing.assert_allclose(millimetres.length_scales, [500.0, 1.0])


def test_lengths_are_written_without_powers_of_ten():
    display = LengthScalesDisplay.from_predictions(np.array([2.0, 999.7, 1234.0]) ** -2)
    assert words(display) == ["length scale 2", "length scale 1,000", "length scale 1,234"]


def test_twenty_inputs_are_drawn_at_most():
    assert len(LengthScalesDisplay.from_predictions(np.arange(1.0, 31.0)).bars_[0]) == 20


def test_outputs_stand_side_by_side():
    display = LengthScalesDisplay.from_predictions([[3.0, 1.0], [1.0, 0.0]])
    assert [lengths(bars) for bars in display.bars_] == [[0.75, 0.25], [1.0, 0.0]]
    assert len(display.ax_.get_legend().get_texts()) == 2
    assert names(display) == ["input 0", "input 1"]


@pytest.mark.parametrize("model", [BayesianSVR(), RVR()])
def test_estimators_show_their_own(model, table):
    pandas = pytest.importorskip("pandas")
    X, y = table
    wide = pandas.DataFrame(X * [1.0, 1.0, 100.0], columns=["first", "second", "noise"])
    display = LengthScalesDisplay.from_estimator(model.fit(wide, y))
    np.testing.assert_allclose(display.relevance, model.feature_relevance_)
    assert display.scale[2] == pytest.approx(100.0, rel=0.5)
    assert names(display)[0] == "first"
    assert display.share.sum() == pytest.approx(1.0)


def test_inputs_have_the_names_that_a_pipeline_gives_them(table):
    pandas = pytest.importorskip("pandas")
    X, y = table
    frame = pandas.DataFrame(X, columns=["first", "second", "noise"])
    model = BayesianSVR(C=10.0, epsilon=0.1)
    named = make_pipeline(StandardScaler(), model).fit(frame, y)
    assert set(names(LengthScalesDisplay.from_estimator(named))) == set(frame.columns)
    nameless = make_pipeline(FunctionTransformer(), model).fit(frame.to_numpy(), y)
    assert names(LengthScalesDisplay.from_estimator(nameless))[0].startswith("input ")


def test_several_outputs_and_constant_inputs_of_a_bayesian_svr(table):
    X, y = table
    X = np.column_stack([X[:, :2], np.ones(len(X))])
    model = BayesianSVR(C=10.0, epsilon=0.1).fit(X, np.column_stack([y, X[:, 1]]))
    display = LengthScalesDisplay.from_estimator(model)
    assert display.share.shape == (2, 3)
    assert (display.share[:, 2] == 0.0).all()


def test_errors_say_what_to_do(table):
    X, y = table
    with pytest.raises(ValueError, match="RVC has no feature_relevance_ to draw"):
        LengthScalesDisplay.from_estimator(RVC(kernel="rbf", gamma=1.0).fit(X, y > 0))
    with pytest.raises(ValueError, match="relevance must be a positive number or zero"):
        LengthScalesDisplay.from_predictions([-1.0, 1.0])
    with pytest.raises(ValueError, match="names must have one entry for each of 2 inputs"):
        LengthScalesDisplay.from_predictions([1.0, 1.0], names=["a"])


def test_relevances_must_be_numbers():
    with pytest.raises(ValueError, match="relevance must be finite"):
        LengthScalesDisplay.from_predictions([1.0, np.nan])
    with pytest.raises(ValueError, match="relevance must hold numbers"):
        LengthScalesDisplay.from_predictions(["a", "b"])


def test_names_may_be_an_array():
    display = LengthScalesDisplay.from_predictions([1.0, 2.0], names=np.array(["a", "b"]))
    assert names(display) == ["b", "a"]


def test_pipelines_say_which_units_are_meant(table):
    X, y = table
    display = LengthScalesDisplay.from_estimator(
        make_pipeline(StandardScaler(), BayesianSVR(C=10.0, epsilon=0.1)).fit(X, y)
    )
    assert display.is_prepared
    assert "units after preparation" in display.ax_.get_xlabel()
