"""Critical differences: Friedman's and Nemenyi's tests, and the bars over what they do not tell apart."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import stats

from rowtrust.displays import CriticalDifferenceDisplay
from rowtrust.displays.critical_difference import alike, nemenyi_difference


@pytest.fixture
def scores():
    generator = np.random.default_rng(0)
    return generator.normal(size=(30, 5)) + np.array([0.0, 0.2, 0.4, 0.9, 1.0])


NAMES = ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize(
    ("n_models", "q_05", "q_10"),
    [(2, 1.960, 1.645), (3, 2.343, 2.052), (5, 2.728, 2.459), (10, 3.164, 2.920)],
)
def test_differences_are_demsars(n_models, q_05, q_10):
    # Demsar (2006), table 5(a).
    spread = np.sqrt(n_models * (n_models + 1) / (6 * 14))
    assert nemenyi_difference(n_models, 14, 0.05) == pytest.approx(q_05 * spread, abs=1.5e-3)
    assert nemenyi_difference(n_models, 14, 0.10) == pytest.approx(q_10 * spread, abs=1.5e-3)


def test_the_statistics_are_scipys(scores):
    display = CriticalDifferenceDisplay.from_scores(scores, names=NAMES)
    np.testing.assert_allclose(display.mean_ranks, stats.rankdata(scores, axis=1).mean(axis=0))
    assert display.p_value == pytest.approx(stats.friedmanchisquare(*scores.T).pvalue, rel=1e-6)


def test_models_under_a_bar_are_those_nemenyis_test_does_not_tell_apart(scores):
    posthocs = pytest.importorskip("scikit_posthocs")
    p_values = posthocs.posthoc_nemenyi_friedman(scores).to_numpy()
    display = CriticalDifferenceDisplay.from_scores(scores, names=NAMES, alpha=0.05)
    ranks = display.mean_ranks
    bars = [bar.get_xdata() for bar in display.bars_]
    for one in range(5):
        for other in range(one):
            low, high = sorted(ranks[[one, other]])
            joined = any(start <= low and high <= end for start, end in bars)
            assert joined == (p_values[one, other] > 0.05)


def test_the_best_is_on_the_left_either_way(scores):
    errors = CriticalDifferenceDisplay.from_scores(scores, names=NAMES)
    gains = CriticalDifferenceDisplay.from_scores(-scores, names=NAMES, greater_is_better=True)
    np.testing.assert_array_equal(errors.mean_ranks, gains.mean_ranks)
    assert np.argmin(errors.mean_ranks) == 0


def test_what_is_given_is_drawn():
    axes = Figure().subplots()
    ranks = [3.0, 1.25, 1.75]
    display = CriticalDifferenceDisplay.from_predictions(ranks, 0.6, names=["x", "y", "z"], ax=axes)
    assert display.ax_ is axes
    words = [text.get_text() for text in axes.texts]
    assert {"x 3.00", "y 1.25", "z 1.75", "critical difference 0.60"} <= set(words)
    assert [list(bar.get_xdata()) for bar in display.bars_] == [[1.25, 1.75]]
    hanging = {line.get_xdata()[0] for line in axes.lines if len(line.get_xdata()) == 3}
    assert hanging == set(ranks)


def test_bars_join_what_does_not_differ():
    assert alike(np.array([1.0, 1.5, 3.0, 3.2]), 0.6) == [(1.0, 1.5), (3.0, 3.2)]
    assert alike(np.array([1.0, 1.5, 2.0]), 0.6) == [(1.0, 1.5), (1.5, 2.0)]
    assert alike(np.array([1.0, 3.0]), 0.5) == []


def test_errors_say_what_is_wrong(scores):
    with pytest.raises(ValueError, match=r"a row for each data set .* got shape \(5,\)"):
        CriticalDifferenceDisplay.from_scores(scores[0], names=NAMES)
    with pytest.raises(ValueError, match="scores must be finite"):
        CriticalDifferenceDisplay.from_scores(np.where(scores > 1.0, np.nan, scores), names=NAMES)
    with pytest.raises(ValueError, match=r"shape \(5,\) and 1 names"):
        CriticalDifferenceDisplay.from_scores(scores, names=["a"])
    with pytest.raises(ValueError, match="alpha must lie between 0 and 1"):
        CriticalDifferenceDisplay.from_scores(scores, names=NAMES, alpha=5)


def test_names_are_those_of_a_table(scores):
    pandas = pytest.importorskip("pandas")
    display = CriticalDifferenceDisplay.from_scores(pandas.DataFrame(scores, columns=NAMES))
    assert list(display.names) == NAMES
    assert list(CriticalDifferenceDisplay.from_scores(scores).names)[:2] == ["model 0", "model 1"]


def test_many_models_have_room():
    names = [f"model {place} with a rather long name of many words" for place in range(30)]
    display = CriticalDifferenceDisplay.from_predictions(np.arange(1.0, 31.0), 2.5, names=names)
    assert display.figure_.get_size_inches()[1] > 4.0
    display.figure_.draw_without_rendering()
    shown = [text for text in display.ax_.texts if text.get_text().startswith("model")]
    left = [text.get_window_extent() for text in shown if text.get_ha() == "right"]
    edges = sorted((box.y0, box.y1) for box in left)
    assert all(upper[0] >= lower[1] - 1.0 for lower, upper in pairwise(edges))
    assert display.ax_.get_window_extent().width > 0.2 * display.figure_.bbox.width
    ticks = [text for text in display.ax_.texts if text.get_text().isdigit()]
    assert len(ticks) <= 10


def test_ranks_must_be_numbers():
    with pytest.raises(ValueError, match="mean_ranks must be finite"):
        CriticalDifferenceDisplay.from_predictions([1.0, np.nan], 0.5, names=["a", "b"])
    with pytest.raises(ValueError, match="critical_difference must be positive or zero"):
        CriticalDifferenceDisplay.from_predictions([1.0, 2.0], -0.5, names=["a", "b"])
