"""Pipelines and searches: what is found in them, and that nothing of a row leaks into its audit."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from rowtrust import RVC, BayesianSVR, RobustRVC, find_wrong_rows
from rowtrust.datasets import make_ripley
from rowtrust.displays import BoundaryDisplay, KernelShareDisplay, LengthScalesDisplay, TrustDisplay
from rowtrust.displays._machines import findings_of, flagged_of, inputs_of, machine_of, steps_and_machine


@pytest.fixture(scope="module")
def rows():
    return make_ripley(80, random_state=0)


@pytest.fixture(scope="module")
def noise():
    """Labels that no input tells anything of: whoever finds them predictable has looked at them."""
    generator = np.random.default_rng(0)
    return generator.normal(size=(60, 400)), np.arange(60) % 2


@pytest.fixture
def ax():
    return Figure().subplots()


def test_pipelines_of_others_are_fitted_again_as_a_whole(noise, ax):
    X, y = noise
    model = make_pipeline(SelectKBest(f_classif, k=5), LogisticRegression()).fit(X, y)
    found = findings_of(model, X, y)
    whole = find_wrong_rows(model, X, y)
    np.testing.assert_array_equal(found.p_wrong, whole.p_wrong)
    named = found.prediction.argmax(axis=1) == y
    assert named.mean() < 0.7  # the inputs chosen with all labels in sight name more than this
    display = TrustDisplay.from_estimator(model, X, y, ax=ax)
    np.testing.assert_array_equal(display.flagged, flagged_of(model, X, y, "audit"))
    np.testing.assert_array_equal(np.flatnonzero(display.flagged), np.sort(whole.flagged))


def test_ours_get_what_their_pipeline_prepares(rows):
    X, y = rows
    model = make_pipeline(StandardScaler(), RobustRVC(gamma=1.0)).fit(X, y)
    found = findings_of(model, X, y)
    np.testing.assert_array_equal(
        found.p_wrong, find_wrong_rows(model[-1], model[:-1].transform(X), y).p_wrong
    )


def test_searches_and_pipelines_in_pipelines_are_seen_through(rows, ax):
    X, y = rows
    inner = make_pipeline(StandardScaler(), RVC(kernel="rbf", gamma=1.0))
    model = make_pipeline(FunctionTransformer(), inner).fit(X, y)
    search = GridSearchCV(model, {"pipeline__rvc__gamma": [0.5, 1.0]}, cv=2).fit(X, y)
    best = search.best_estimator_
    assert machine_of(search) is best[-1][-1]
    assert len(steps_and_machine(search)[0]) == 2
    np.testing.assert_array_equal(inputs_of(search, X), best[-1][:-1].transform(X))
    shares = KernelShareDisplay.from_estimator(search, ax=ax)
    assert shares.kernel_share == best[-1][-1].kernel_share_
    drawn = BoundaryDisplay.from_estimator(search, X, y, grid_resolution=10, ax=Figure().subplots())
    wanted = X[np.unique(best[-1][-1].relevance_)]
    np.testing.assert_array_equal(np.sort(drawn.vectors, axis=0), np.sort(wanted, axis=0))
    with pytest.raises(ValueError, match=r"kept no estimator\. Search with refit=True"):
        machine_of(GridSearchCV(RVC(gamma=1.0), {"gamma": [1.0]}, cv=2, refit=False).fit(X, y))


def test_a_search_alone_rings_its_vectors(rows, ax):
    X, y = rows
    search = GridSearchCV(RVC(kernel="rbf"), {"gamma": [0.5, 1.0]}, cv=2).fit(X, y)
    drawn = BoundaryDisplay.from_estimator(search, X, y, grid_resolution=10, ax=ax)
    np.testing.assert_array_equal(drawn.vectors, search.best_estimator_.relevance_vectors_)


def test_vectors_are_taken_back_where_rows_are_others(rows, ax):
    X, y = rows
    model = make_pipeline(StandardScaler(), RVC(gamma=1.0)).fit(X, y)
    drawn = BoundaryDisplay.from_estimator(model, X[:30] + 0.01, y[:30], grid_resolution=10, ax=ax)
    np.testing.assert_allclose(drawn.vectors, X[model[-1].relevance_])
    flat = make_pipeline(PCA(1), RVC(gamma=1.0)).fit(X, y)  # a line does not say which row it was
    drawn = BoundaryDisplay.from_estimator(flat, X[:30] + 0.01, y[:30], grid_resolution=10, ax=ax)
    assert not len(drawn.vectors)
    opaque = make_pipeline(FunctionTransformer(np.square), RVC(gamma=1.0)).fit(X, y)
    drawn = BoundaryDisplay.from_estimator(opaque, X, y, grid_resolution=10, ax=ax)
    assert len(drawn.vectors) == len(np.unique(opaque[-1].relevance_))


def test_machines_without_vectors_have_no_rings(rows, ax):
    X, y = rows
    model = make_pipeline(StandardScaler(), KNeighborsClassifier()).fit(X, y)
    assert BoundaryDisplay.from_estimator(model, X, y, grid_resolution=10, ax=ax).rings_ is None


def test_length_scales_of_a_pipeline_say_their_units(rows, ax):
    X, _ = rows
    machine = BayesianSVR(C=10.0, epsilon=0.1)
    alone = LengthScalesDisplay.from_estimator(machine.fit(X, X[:, 0]), ax=ax)
    assert "after preparation" not in alone.ax_.get_xlabel()
    nested = make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), machine)).fit(X, X[:, 0])
    drawn = LengthScalesDisplay.from_estimator(nested, ax=Figure().subplots())
    assert "length scales in units after preparation" in drawn.ax_.get_xlabel()
    assert drawn.ax_.get_yticklabels()[0].get_text() in ("x0", "x1")
