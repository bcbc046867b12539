"""Predictions along one input: bands are the estimator's own, of function and noise."""

import warnings
from dataclasses import dataclass

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure
from scipy.special import gammaln
from scipy.stats import norm
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from rowtrust import RVR, BayesianSVR, FuzzyRVR, RobustRVR, SparseBayesRegressor, find_wrong_rows
from rowtrust.displays import PredictionDisplay
from rowtrust.likelihoods import Laplace, Likelihood

REGRESSORS = {
    "RVR": RVR(),
    "RobustRVR": RobustRVR(),
    "FuzzyRVR": FuzzyRVR(),
    "BayesianSVR": BayesianSVR(max_iter=10),
    "mixture": BayesianSVR(max_iter=5, n_restarts=1, combine="mixture", random_state=0),
}


@pytest.fixture(scope="module")
def rows():
    generator = np.random.default_rng(0)
    X = np.sort(generator.uniform(-10, 10, (60, 1)), axis=0)
    y = np.sinc(X[:, 0] / np.pi) + 0.1 * generator.standard_normal(60)
    y[::20] += 2.0
    return X, y


@pytest.fixture(scope="module")
def wide():
    generator = np.random.default_rng(1)
    X = pd.DataFrame(generator.normal(size=(60, 3)), columns=["depth", "salt", "heat"])
    return X, pd.Series(X["depth"] ** 2 + X["salt"], name="yield")


@pytest.fixture
def ax():
    return Figure().subplots()


def ends(band):
    """The lowest and the highest place of a band."""
    height = band.get_paths()[0].vertices[:, 1]
    return height.min(), height.max()


@pytest.mark.parametrize("regressor", REGRESSORS.values(), ids=REGRESSORS)
def test_bands_are_the_estimators_own(regressor, rows, ax):
    X, y = rows
    model = regressor.fit(X, y)
    display = PredictionDisplay.from_estimator(model, X, y, level=0.8, grid_resolution=40, ax=ax)
    points = display.x[:, None]
    mean, std = model.predict(points, return_std=True)
    np.testing.assert_allclose(display.mean, mean)
    np.testing.assert_allclose(np.hypot(display.function_std, display.noise_std), std)
    lower, upper = model.predict_interval(points, coverage=0.8)
    np.testing.assert_allclose(display.lower, lower)
    np.testing.assert_allclose(ends(display.band_), (lower.min(), upper.max()))
    half = norm.ppf(0.9) * display.function_std
    np.testing.assert_allclose(ends(display.function_band_), ((mean - half).min(), (mean + half).max()))
    np.testing.assert_array_equal(display.line_.get_ydata(), mean)
    if regressor is REGRESSORS["BayesianSVR"]:
        _, function, noise = model.predict(points, return_std="parts")
        np.testing.assert_allclose(display.function_std, function)
        np.testing.assert_allclose(display.noise_std, noise, rtol=1e-6)


def test_axes_that_are_given_are_used_and_no_setting_changes(rows, ax):
    model = RVR().fit(*rows)
    before, numbers = dict(matplotlib.rcParams), pyplot.get_fignums()
    display = PredictionDisplay.from_estimator(model, *rows, ax=ax)
    assert display.ax_ is ax
    assert pyplot.get_fignums() == numbers
    assert dict(matplotlib.rcParams) == before


def test_vectors_are_ringed_and_flagged_rows_squared(rows, ax):
    X, y = rows
    model = RobustRVR().fit(X, y)
    display = PredictionDisplay.from_estimator(model, X, y, flagged="audit", ax=ax)
    ringed = np.unique(model.relevance_)
    np.testing.assert_array_equal(display.rings_.get_offsets(), np.column_stack([X[ringed, 0], y[ringed]]))
    squared = np.sort(find_wrong_rows(model, X, y).flagged)
    assert {0, 20, 40} <= set(squared)
    np.testing.assert_array_equal(display.squares_.get_offsets()[:, 1], y[squared])


def test_rows_that_were_not_fitted_are_not_ringed(rows, ax):
    X, y = rows
    model = RVR().fit(X, y)
    assert PredictionDisplay.from_estimator(model, X + 0.01, y, ax=ax).rings_ is None
    assert PredictionDisplay.from_estimator(model, X[:3], y[:3], ax=ax).rings_ is None
    assert PredictionDisplay.from_estimator(model, X, ax=ax).rows is None


def test_other_inputs_stay_at_their_medians(wide, ax):
    X, y = wide
    model = make_pipeline(StandardScaler(), RVR()).fit(X, y)
    display = PredictionDisplay.from_estimator(model, X, y, column="salt", grid_resolution=30, ax=ax)
    points = pd.DataFrame(np.tile(X.median(), (30, 1)), columns=X.columns)
    points["salt"] = display.x
    np.testing.assert_allclose(display.mean, model.predict(points))
    assert display.x[0] < X["salt"].min() < X["salt"].max() < display.x[-1]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("salt", "yield")
    assert display.vectors.sum() == len(np.unique(model[-1].relevance_))
    numbered = PredictionDisplay.from_estimator(
        RVR().fit(X.to_numpy(), y), X.to_numpy(), column=2, ax=Figure().subplots()
    )
    assert numbered.ax_.get_xlabel() == "input 2"
    assert numbered.ax_.get_ylabel() == "target"


def test_heavy_tails_have_their_own_interval(rows, ax):
    X, y = rows
    model = SparseBayesRegressor(likelihood=Laplace(1.0)).fit(X, y)
    display = PredictionDisplay.from_estimator(model, X, y, level=0.99, grid_resolution=20, ax=ax)
    _, upper = model.predict_interval(display.x[:, None], coverage=0.99)
    np.testing.assert_allclose(display.upper, upper)


@dataclass(frozen=True)
class Poisson(Likelihood):
    """Counts with the rate ``exp(f)``: no noise around a function in its units."""

    def log_density(self, target, latent):
        return target * latent - np.exp(latent) - gammaln(target + 1.0)

    def mean(self, latent):
        return np.exp(latent)

    def conditional_variance(self, latent):
        return np.exp(latent)


def test_counts_have_the_interval_of_their_deviations(ax):
    generator = np.random.default_rng(0)
    X = generator.uniform(-2, 2, (80, 1))
    counts = generator.poisson(np.exp(1.0 + X[:, 0])).astype(float)
    model = SparseBayesRegressor(likelihood=Poisson()).fit(X, counts)
    display = PredictionDisplay.from_estimator(model, X, counts, grid_resolution=20, ax=ax)
    mean, std = model.predict(display.x[:, None], return_std=True)
    np.testing.assert_allclose(display.upper, mean + norm.ppf(0.975) * std)
    np.testing.assert_allclose(display.noise_std**2, mean, rtol=1e-6)  # a Poisson variance is its mean


def test_from_predictions(ax):
    x = np.linspace(0.0, 1.0, 5)
    dots = {"rows": [[0.5, 3.0], [0.2, 0.1]], "flagged": [True, False]}
    display = PredictionDisplay.from_predictions(x, x, 0.3, 0.4, level=0.9, **dots, ax=ax)
    np.testing.assert_allclose(display.upper - x, norm.ppf(0.95) * 0.5)
    assert display.squares_.get_offsets().tolist() == [[0.5, 3.0]]
    assert [text.get_text() for text in display.legend_.get_texts()][:2] == [
        "new target, 90 %",
        "function, 90 %",
    ]


def test_dark_paper_gives_light_rows(rows):
    model = RVR().fit(*rows)
    with pyplot.style.context("dark_background"):
        display = PredictionDisplay.from_estimator(model, *rows)
    dots = display.ax_.collections[2]
    assert dots.get_facecolor()[0][:3].tolist() == [1.0, 1.0, 1.0]


def test_mistakes_are_named_with_their_cure(rows, wide, ax):
    X, y = rows
    with pytest.raises(ValueError, match="LinearRegression does not tell function from noise"):
        PredictionDisplay.from_estimator(LinearRegression().fit(X, y), X, y, ax=ax)
    with pytest.raises(ValueError, match="2 targets cannot be drawn as one"):
        PredictionDisplay.from_estimator(RVR().fit(X, np.column_stack([y, y])), X, ax=ax)
    model = RVR().fit(*wide)
    with pytest.raises(ValueError, match="no column 'sale': there are depth, salt, heat"):
        PredictionDisplay.from_estimator(model, *wide, column="sale", ax=ax)
    with pytest.raises(ValueError, match=r"no column 3 in X of shape \(60, 3\)"):
        PredictionDisplay.from_estimator(model, *wide, column=3, ax=ax)
    with pytest.raises(ValueError, match="'salt': X has no names"):
        PredictionDisplay.from_estimator(model, wide[0].to_numpy(), column="salt", ax=ax)
    with pytest.raises(ValueError, match="level must lie between 0 and 1, got 95"):
        PredictionDisplay.from_predictions([0.0, 1.0], 0.0, 1.0, 1.0, level=95, ax=ax)


def test_flagged_rows_need_rows(rows, ax):
    X, y = rows
    with pytest.raises(ValueError, match=r"there are no rows\. Give rows"):
        PredictionDisplay.from_predictions([0.0, 1.0], 0.0, 1.0, 1.0, flagged=[True, False], ax=ax)
    with pytest.raises(ValueError, match=r"without y no rows are drawn\. Give y"):
        PredictionDisplay.from_estimator(RVR(gamma=1.0).fit(X, y), X, flagged=y > 1.0, ax=ax)


@pytest.fixture(scope="module")
def ward():
    generator = np.random.default_rng(2)
    table = pd.DataFrame(
        {
            "dose": generator.normal(size=60),
            "ward": pd.Categorical(generator.choice(["a", "b", "b"], 60)),
            "age": generator.integers(20, 80, 60),
        }
    )
    return table, table["dose"] ** 2 + (table["ward"] == "b")


def prepared(model):
    scaled = ColumnTransformer(
        [("ward", OneHotEncoder(), ["ward"]), ("numbers", StandardScaler(), ["dose", "age"])]
    )
    return make_pipeline(scaled, model)


@pytest.mark.parametrize("column", ["dose", "age", -1])
def test_categories_stay_at_their_most_frequent(ward, column, ax):
    X, y = ward
    model = prepared(RVR(gamma=1.0)).fit(X, y)
    display = PredictionDisplay.from_estimator(model, X, y, column=column, grid_resolution=15, ax=ax)
    points = pd.DataFrame(
        {"dose": X["dose"].median(), "ward": "b", "age": X["age"].median()}, index=range(15)
    )
    points["age"] = X["age"].sort_values().iloc[29]  # the lower of the two in the middle
    points["age" if column == -1 else column] = display.x
    np.testing.assert_allclose(display.mean, model.predict(points))
    assert display.vectors.sum() == len(np.unique(model[-1].relevance_))


def test_categories_are_no_axis(ward, ax):
    X, y = ward
    model = prepared(RVR(gamma=1.0)).fit(X, y)
    with pytest.raises(ValueError, match="the column 'ward' holds no numbers"):
        PredictionDisplay.from_estimator(model, X, y, column="ward", ax=ax)


def test_polars_keep_their_names(ward, ax):
    polars = pytest.importorskip("polars")
    X, y = ward
    given = polars.DataFrame({"dose": X["dose"].to_numpy(), "age": X["age"].to_numpy()})
    model = RVR(gamma=1.0).fit(given, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        display = PredictionDisplay.from_estimator(model, given, y, column="age", grid_resolution=5, ax=ax)
    assert ax.get_xlabel() == "age"
    assert len(display.x) == 5


def test_what_is_given_must_fit(rows, ax):
    X, y = rows
    model = RVR(gamma=1.0).fit(X, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        PredictionDisplay.from_estimator(model, X, y[:-1], ax=ax)
    with pytest.raises(ValueError, match=r"one number per row, got an array of shape \(60, 2\)"):
        PredictionDisplay.from_estimator(model, X, np.column_stack([y, y]), ax=ax)
    with pytest.raises(ValueError, match="grid_resolution must be 2 or more"):
        PredictionDisplay.from_estimator(model, X, y, grid_resolution=1, ax=ax)
    with pytest.raises(ValueError, match=r"shapes do not fit together.*mean \(3,\)"):
        PredictionDisplay.from_predictions([0.0, 1.0], [0.0, 1.0, 2.0], 1.0, 1.0, ax=ax)
    with pytest.raises(ValueError, match="cannot be negative"):
        PredictionDisplay.from_predictions([0.0, 1.0], 0.0, -1.0, 1.0, ax=ax)
    with pytest.raises(ValueError, match="rows must have two columns"):
        PredictionDisplay.from_predictions([0.0, 1.0], 0.0, 1.0, 1.0, rows=[1.0, 2.0], ax=ax)
    two = RVR(gamma=1.0).fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match=r"Draw one of them: estimators_\[0\]"):
        PredictionDisplay.from_estimator(two, X, ax=ax)
    assert PredictionDisplay.from_estimator(two.estimators_[0], X, ax=ax).mean.shape == (300,)


def test_the_constructor_only_stores(ax):
    x = np.array([0.0, 1.0])
    display = PredictionDisplay(x=x, mean=x, function_std=x, noise_std=x)
    assert display.lower is None
    assert display.plot(ax).band_ is not None
