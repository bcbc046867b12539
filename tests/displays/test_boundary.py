"""The boundary in the plane: what is drawn is kept, by whichever classifier."""

import warnings

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_hex
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from rowtrust import RVC, RVR, RobustRVC
from rowtrust.datasets import flip_labels, make_ripley
from rowtrust.displays import BoundaryDisplay
from rowtrust.displays.marks import FLAGGED, class_names, leads, markers, plane_around

WOODS = np.array(["ash", "birch", "cedar"])


@pytest.fixture(scope="module")
def rows():
    X, y = make_ripley(120, random_state=0)
    return X, *flip_labels(y, 0.1, random_state=0)


@pytest.fixture(scope="module")
def model(rows):
    X, y, _ = rows
    return RobustRVC().fit(X, y)


@pytest.fixture(scope="module")
def woods():
    X = np.random.default_rng(0).normal(size=(90, 2))
    return pd.DataFrame(X, columns=["length", "width"]), WOODS[np.sum(X > [0.0, 0.5], axis=1)]


@pytest.fixture
def ax():
    return Figure().subplots()


def labels(display):
    return [text.get_text() for text in display.legend_.get_texts()]


def test_what_was_drawn_is_kept(model, rows, ax):
    X, y, flipped = rows
    display = BoundaryDisplay.from_estimator(
        model, X, y, flagged="audit", wrong=flipped, grid_resolution=30, ax=ax
    )
    points = np.column_stack([display.across.ravel(), display.up.ravel()])
    np.testing.assert_array_equal(display.response.reshape(-1, 2), model.predict_proba(points))
    np.testing.assert_array_equal(display.rings_.get_offsets(), model.relevance_vectors_)
    audit = model.audit(X, y)
    flagged = np.sort(audit.index[audit["list"] == "likely error"])
    assert len(flagged)
    np.testing.assert_array_equal(np.flatnonzero(display.flagged), flagged)
    np.testing.assert_array_equal(display.squares_.get_offsets(), X[flagged])
    assert to_hex(display.squares_.get_edgecolor()[0]) == FLAGGED
    np.testing.assert_array_equal(display.crosses_.get_offsets(), X[flipped])
    assert labels(display)[:5] == [
        "class 0",
        "class 1",
        "known to be wrong",
        "likely error",
        "relevance vector",
    ]
    assert labels(display)[5] == "probability 0.25, 0.75"


def test_axes_that_are_given_are_used_and_no_setting_changes(model, rows, ax):
    before, numbers = dict(matplotlib.rcParams), pyplot.get_fignums()
    display = BoundaryDisplay.from_estimator(model, *rows[:2], grid_resolution=20, ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert pyplot.get_fignums() == numbers
    assert dict(matplotlib.rcParams) == before
    assert BoundaryDisplay.from_estimator(model, *rows[:2], grid_resolution=20).figure_ is not ax.figure
    assert len(pyplot.get_fignums()) == len(numbers) + 1


def test_nothing_is_marked_unless_asked(model, rows, ax):
    display = BoundaryDisplay.from_estimator(model, rows[0], grid_resolution=20, ax=ax)
    assert display.flagged is None
    assert display.squares_ is None
    assert display.crosses_ is None
    assert labels(display)[0] == "row"


def test_flagged_rows_may_be_given(model, rows, ax):
    X, y, flipped = rows
    display = BoundaryDisplay.from_estimator(model, X, y, flagged=flipped, grid_resolution=20, ax=ax)
    np.testing.assert_array_equal(display.squares_.get_offsets(), X[flipped])


def test_several_classes_of_a_dataframe(woods, ax):
    X, y = woods
    model = RobustRVC().fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y, grid_resolution=25, ax=ax)
    assert display.response.shape == (25, 25, 3)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("length", "width")
    assert labels(display)[:3] == list(WOODS)
    assert "probability 0.25, 0.75" not in labels(display)
    named = display.classes[display.response.argmax(axis=-1)].ravel()
    points = np.column_stack([display.across.ravel(), display.up.ravel()])
    np.testing.assert_array_equal(named, model.predict(pd.DataFrame(points, columns=X.columns)))


@pytest.mark.parametrize("shape", ["ovr", "ovo"])
def test_classifiers_without_probabilities(woods, shape, ax):
    X, y = woods
    y = np.where(X["length"] > 1.0, "oak", y)  # of four classes there are six pairs
    model = SVC(decision_function_shape=shape).fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y, grid_resolution=25, ax=ax)
    assert not display.is_probability
    points = np.column_stack([display.across.ravel(), display.up.ravel()])
    named = display.classes[display.response.argmax(axis=-1)].ravel()
    agreed = named == model.predict(pd.DataFrame(points, columns=X.columns))
    assert agreed.mean() > 0.98  # votes of pairs break ties in their own way
    assert "support vector" in labels(display)


def test_two_classes_by_the_sign_of_a_decision(rows, ax):
    X, y, _ = rows
    model = SVC().fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y, grid_resolution=20, ax=ax)
    points = np.column_stack([display.across.ravel(), display.up.ravel()])
    lead = leads(display.response)[..., 1].ravel()
    np.testing.assert_allclose(lead, model.decision_function(points))
    np.testing.assert_array_equal(display.rings_.get_offsets(), model.support_vectors_)


class Half(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[(X[:, 0] > 0).astype(int)]


def test_classifiers_that_only_name_a_class(rows, ax):
    X, y, _ = rows
    display = BoundaryDisplay.from_estimator(Half().fit(X, y), X, y, grid_resolution=20, ax=ax)
    np.testing.assert_array_equal(display.response[..., 1], display.across > 0)
    assert display.vectors is None
    assert display.rings_ is None


def test_vectors_of_a_pipeline_are_in_the_users_units(rows, ax):
    X, y, _ = rows
    shifted = 100.0 + 30.0 * X
    model = make_pipeline(StandardScaler(), RobustRVC()).fit(shifted, y)
    options = {"flagged": "audit", "grid_resolution": 20, "ax": ax}
    display = BoundaryDisplay.from_estimator(model, shifted, y, **options)
    wanted = shifted[np.unique(model[-1].relevance_)]
    np.testing.assert_array_equal(np.sort(display.vectors, axis=0), np.sort(wanted, axis=0))
    scaled = model[:-1].transform(shifted)
    assert display.flagged.sum() == (model[-1].audit(scaled, y)["list"] == "likely error").sum()


def test_from_predictions(ax):
    across, up, points = plane_around(np.array([[0.0, 0.0], [1.0, 1.0]]), 0.0, 11)
    display = BoundaryDisplay.from_predictions(
        across, up, points[:, 0].reshape(across.shape), X=[[0.2, 0.5]], y=[1], wrong=[True], ax=ax
    )
    np.testing.assert_allclose(display.response.sum(axis=-1), 1.0)
    assert display.classes.tolist() == [0, 1]
    np.testing.assert_array_equal(display.crosses_.get_offsets(), [[0.2, 0.5]])


def test_it_can_be_drawn_again(model, rows, ax):
    display = BoundaryDisplay.from_estimator(model, *rows[:2], grid_resolution=20, ax=ax)
    other = Figure().subplots()
    assert display.plot(other).ax_ is other


def test_mistakes_are_named_with_their_cure(model, rows):
    X, y, flipped = rows
    with pytest.raises(ValueError, match=r"exactly two inputs; got X of shape \(120, 3\)"):
        BoundaryDisplay.from_estimator(model, np.column_stack([X, y]), y)
    with pytest.raises(ValueError, match=r"RVR is not a classifier.*PredictionDisplay"):
        BoundaryDisplay.from_estimator(RVR().fit(X, X[:, 0]), X, y)
    with pytest.raises(ValueError, match='flagged="audit" needs y'):
        BoundaryDisplay.from_estimator(model, X, flagged="audit")
    with pytest.raises(ValueError, match="one truth value per row, got 'all'"):
        BoundaryDisplay.from_estimator(model, X, y, flagged="all")
    with pytest.raises(ValueError, match=r"wrong must hold one truth value for each of 120 rows.*numpy.isin"):
        BoundaryDisplay.from_estimator(model, X, y, wrong=np.flatnonzero(flipped))


def test_dark_paper_gives_dark_shades_and_light_rings(rows):
    X, y, _ = rows
    fitted = RVC().fit(X, y)
    with pyplot.style.context("dark_background"):
        display = BoundaryDisplay.from_estimator(fitted, X, y, grid_resolution=20)
    assert to_hex(display.rings_.get_edgecolor()[0]) == "#ffffff"
    shades = [
        each.get_facecolor()[0][:3] for each in display.ax_.collections if len(each.get_facecolor()) == 1
    ]
    assert np.mean(shades[0]) < 0.3


def test_a_legend_lies_beside_the_axes_where_there_is_room(model, rows):
    display = BoundaryDisplay.from_estimator(model, *rows[:2], grid_resolution=20)
    display.figure_.draw_without_rendering()
    assert display.legend_.get_window_extent().x0 > display.ax_.get_window_extent().x1


def test_a_plane_reaches_beyond_rows():
    X = np.array([[0.0, 5.0], [10.0, 5.0], [np.nan, 5.0]])
    across, up, points = plane_around(X, 0.1, 3)
    np.testing.assert_allclose(across[0], [-1.0, 5.0, 11.0])
    np.testing.assert_allclose(up[:, 0], [4.9, 5.0, 5.1])
    assert points.shape == (9, 2)


def test_many_classes_have_different_marks():
    assert len(set(zip([place % 6 for place in range(36)], markers(36), strict=True))) == 36
    assert class_names([0, "oak", np.str_("ash"), 1.5]) == ["class 0", "oak", "ash", "class 1.5"]


@pytest.mark.parametrize(
    "estimator",
    [
        FixedThresholdClassifier(LogisticRegression(), threshold=0.2, response_method="predict_proba"),
        SVC(probability=True, random_state=0),
    ],
    ids=["threshold", "Platt"],
)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_the_border_is_that_of_predict(estimator, rows, ax):
    X, y, _ = rows
    model = estimator.fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y, grid_resolution=60, ax=ax)
    points = np.column_stack([display.across.ravel(), display.up.ravel()])
    named = model.predict(points).reshape(display.across.shape)
    assert (display.response.argmax(axis=-1) != named).any()
    np.testing.assert_array_equal(display.named, named)
    (border,) = [each for each in ax.collections if isinstance(each, ContourSet) and not each.filled][:1]
    places = np.concatenate([path.vertices for path in border.get_paths()])
    step = np.diff(display.across[0])[0]
    # Within a cell of the grid on both sides of the border predict names two classes.
    around = np.array([[step, 0], [-step, 0], [0, step], [0, -step]]) * 1.5
    answers = np.array([model.predict(places + offset) for offset in around])
    assert (answers.min(axis=0) != answers.max(axis=0)).mean() > 0.9


def test_ties_are_no_difference(rows, ax):
    X, y, _ = rows

    class Even(Half):
        def predict_proba(self, X):
            return np.full((len(X), 2), 0.5)

    assert BoundaryDisplay.from_estimator(Even().fit(X, y), X, y, grid_resolution=5, ax=ax).named is None


def grid(resolution=5):
    across, up, _ = plane_around(np.array([[0.0, 0.0], [1.0, 1.0]]), 0.0, resolution)
    return across, up


def test_decision_values_may_be_given(ax):
    across, up = grid()
    display = BoundaryDisplay.from_predictions(across, up, across - 0.4, is_probability=False, ax=ax)
    np.testing.assert_array_equal(display.response.argmax(axis=-1), across > 0.4)
    assert not display.is_probability
    listed = BoundaryDisplay.from_predictions(
        across.tolist(), up.tolist(), across.tolist(), ax=Figure().subplots()
    )
    assert listed.response.shape == (5, 5, 2)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"response": np.zeros((4, 5))}, r"one grid; got shapes \(5, 5\), \(5, 5\) and \(4, 5\).*meshgrid"),
        ({"response": np.zeros((5, 5, 1))}, "two points a side and two classes"),
        ({"response": grid()[0] - 0.4}, r"from -0\.4 to 0\.6\. Of decision values say is_probability=False"),
        ({"response": grid()[0] * np.nan}, "response must be finite"),
        ({"classes": ["a", "b", "c"]}, "of 2 classes; classes has 3"),
        ({"y": [0, 1]}, "Give the rows: X"),
        ({"flagged": [True]}, "Give the rows: X"),
        ({"X": [[0.1, 0.2]], "y": ["oak"]}, "none of the classes: 'oak'"),
        ({"X": [[0.1, 0.2]], "y": [0, 1]}, "inconsistent numbers of samples"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(given, message, ax):
    across, up = grid()
    with pytest.raises(ValueError, match=message):
        BoundaryDisplay.from_predictions(across, up, **{"response": across, **given}, ax=ax)


def test_rows_do_not_vanish(model, rows, ax):
    X, y, _ = rows
    with pytest.raises(ValueError, match=r"none of the classes: 2\. The classes are 0, 1"):
        BoundaryDisplay.from_estimator(model, X, np.where(np.arange(len(y)) < 3, 2, y), ax=ax)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        BoundaryDisplay.from_estimator(model, X, y[:-1], ax=ax)


def test_grids_have_two_ends(model, rows, ax):
    with pytest.raises(ValueError, match="grid_resolution must be 2 or more, got 1"):
        BoundaryDisplay.from_estimator(model, *rows[:2], grid_resolution=1, ax=ax)
    with pytest.raises(TypeError, match="grid_resolution must be a whole number"):
        BoundaryDisplay.from_estimator(model, *rows[:2], grid_resolution=20.5, ax=ax)
    with pytest.raises(ValueError, match="no row with a number in each column"):
        plane_around(np.full((3, 2), np.nan))


def test_several_targets_are_no_boundary(rows, ax):
    X, y, _ = rows
    both = KNeighborsClassifier().fit(X, np.column_stack([y, 1 - y]))
    with pytest.raises(ValueError, match="KNeighborsClassifier has not one list of two or more classes_"):
        BoundaryDisplay.from_estimator(both, X, y, ax=ax)


@pytest.mark.parametrize("kind", ["sparse", "nullable", "polars"])
def test_rows_of_other_kinds(kind, rows, ax):
    X, y, _ = rows
    given = {
        "sparse": csr_array,
        "nullable": lambda X: pd.DataFrame(X, columns=["a", "b"]).astype("Float64"),
        "polars": lambda X: pytest.importorskip("polars").DataFrame(X, schema=["a", "b"]),
    }[kind](X)
    model = LogisticRegression().fit(given, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        display = BoundaryDisplay.from_estimator(model, given, y, grid_resolution=8, ax=ax)
    np.testing.assert_array_equal(display.X, X)
    assert ax.get_xlabel() == ("input 0" if kind == "sparse" else "a")


def test_inputs_of_an_array_are_numbered(model, rows, ax):
    BoundaryDisplay.from_estimator(model, rows[0], grid_resolution=5, ax=ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("input 0", "input 1")
