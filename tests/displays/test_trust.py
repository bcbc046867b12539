"""Trust in rows: every row is counted once, likely errors apart."""

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rowtrust import RVC, RobustRVC, find_wrong_rows
from rowtrust.datasets import flip_labels
from rowtrust.displays import TrustDisplay


@pytest.fixture(scope="module")
def rows():
    X, y = make_moons(150, noise=0.1, random_state=0)  # far enough apart for errors to be likely ones
    return X, flip_labels(y, 0.1, random_state=0)[0]


@pytest.fixture
def ax():
    return Figure().subplots()


def test_what_was_drawn_is_kept(rows, ax):
    model = RobustRVC().fit(*rows)
    before, numbers = dict(matplotlib.rcParams), pyplot.get_fignums()
    display = TrustDisplay.from_estimator(model, *rows, ax=ax)
    audit = model.audit(*rows).sort_index()
    np.testing.assert_allclose(display.trust, audit["trust"])
    flagged = audit["list"] == "likely error"
    np.testing.assert_array_equal(display.flagged, flagged)
    assert display.counts_.sum(axis=1).tolist() == [150 - flagged.sum(), flagged.sum()]
    heights = sum(patch.get_height() for patch in ax.patches)
    assert heights == 150
    assert display.ax_ is ax
    assert ax.get_xlabel() == "trust: probability that the row is right"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["rows", "likely errors"]
    assert pyplot.get_fignums() == numbers
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize("estimator", [RVC(), LogisticRegression()], ids=["ours", "another"])
def test_trust_is_the_probability_to_be_right(rows, estimator, ax):
    model = estimator.fit(*rows)
    display = TrustDisplay.from_estimator(model, *rows, ax=ax)
    found = find_wrong_rows(model, *rows)
    np.testing.assert_allclose(display.trust, 1.0 - found.p_wrong)
    assert ax.get_xlabel() == "trust: probability that the row is right"


def test_pipelines(rows, ax):
    model = make_pipeline(StandardScaler(), RobustRVC()).fit(*rows)
    display = TrustDisplay.from_estimator(model, *rows, ax=ax)
    np.testing.assert_allclose(display.trust, model[-1].sample_trust_, atol=1e-9)


def test_one_flagged_row_is_seen_beside_many_rows(ax):
    trust = np.append(np.ones(5000), 0.02)
    display = TrustDisplay.from_predictions(trust, flagged=trust < 0.5, about="how sure", ax=ax)
    ax.figure.draw_without_rendering()
    tall, small = (ax.transData.transform((0.0, height))[1] for height in (5000.0, 1.0))
    bottom = ax.transAxes.transform((0.0, 0.0))[1]
    assert (small - bottom) / (tall - bottom) > 0.02
    assert display.counts_[1].tolist() == [1, *[0] * 39]
    assert ax.get_xlabel() == "how sure"
    assert [text.get_text() for text in ax.get_yticklabels()] == ["0", "5", "10", "100", "1000"]


def test_without_flagged_rows_there_is_no_legend(ax):
    TrustDisplay.from_predictions([0.5, 1.0], ax=ax)
    assert ax.get_legend() is None


def test_weights_above_one_are_drawn(ax):
    display = TrustDisplay.from_predictions([0.5, 1.7], ax=ax)
    assert display.edges_[-1] == 1.7
    assert display.counts_.sum() == 2


def test_mistakes_are_named(ax):
    with pytest.raises(ValueError, match=r"one number per row; got an array of shape \(2, 1\)"):
        TrustDisplay.from_predictions([[0.5], [1.0]], ax=ax)
    with pytest.raises(ValueError, match="flagged must hold one truth value for each of 2 rows"):
        TrustDisplay.from_predictions([0.5, 1.0], flagged=[1, 0], ax=ax)


@pytest.mark.parametrize("bad", [np.nan, -0.2, np.inf])
def test_rows_do_not_vanish(bad, ax):
    with pytest.raises(ValueError, match=r"1 rows have none, the first of them is row 1.*Leave them out"):
        TrustDisplay.from_predictions([0.5, bad, 1.0], ax=ax)
