"""Friedman's and Nemenyi's tests agree with scipy and scikit-posthocs."""

import numpy as np
import pytest
from scipy import stats

from papers.statistics import compare


def draws():
    generator = np.random.default_rng(0)
    plain = generator.normal(size=(30, 5)) + np.array([0.0, 0.2, 0.4, 0.9, 1.0])
    tied = generator.integers(0, 4, size=(12, 4)).astype(float)
    strong = generator.normal(size=(150, 5)) + np.arange(5.0)
    return {"plain": plain, "tied": tied, "strong": strong}


@pytest.mark.parametrize("kind", ["plain", "tied", "strong"])
def test_friedman_is_scipys(kind):
    scores = draws()[kind]
    found = compare(scores)
    theirs = stats.friedmanchisquare(*scores.T)
    assert found.statistic == pytest.approx(theirs.statistic, rel=1e-10)
    assert found.p_value == pytest.approx(theirs.pvalue, rel=1e-6, abs=1e-300)


@pytest.mark.parametrize("kind", ["plain", "tied", "strong"])
def test_nemenyi_is_scikit_posthocs(kind):
    posthocs = pytest.importorskip("scikit_posthocs")
    scores = draws()[kind]
    theirs = posthocs.posthoc_nemenyi_friedman(scores).to_numpy()
    np.testing.assert_allclose(compare(scores).pair_p_values, theirs, atol=1e-6)


def test_critical_difference_is_demsars():
    # Demsar (2006), table 5: q = 2.728 for five classifiers at 0.05.
    found = compare(draws()["plain"])
    assert found.critical_difference == pytest.approx(2.728 * np.sqrt(5 * 6 / (6 * 30)), abs=1e-3)


def test_the_best_has_the_lowest_rank_either_way():
    scores = draws()["strong"]
    assert np.argmin(compare(scores).mean_ranks) == 0
    assert np.argmin(compare(scores, higher_is_better=True).mean_ranks) == 4


def test_equal_scores_differ_in_nothing():
    found = compare(np.ones((6, 3)))
    assert found.p_value == 1.0
    assert (found.pair_p_values == 1.0).all()


def test_two_classifiers_are_too_few():
    with pytest.raises(ValueError, match="three or more"):
        compare(np.ones((6, 2)))
