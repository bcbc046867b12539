"""Paired comparisons: what counts as better, and how it is said."""

import numpy as np
import pytest

from papers.li.paired import Compared, Tally, differences, outcome, sentences, standard_error, tally


def records(ours, theirs, measure="G-mean"):
    return [{"A": {measure: a}, "B": {measure: b}} for a, b in zip(ours, theirs, strict=True)]


def test_differences_are_paired():
    # The spread of the repeats is large, that of the differences small: only pairs see it.
    base = np.array([0.1, 0.9, 0.3, 0.7])
    found = differences(records(base + np.array([0.01, 0.02, 0.01, 0.02]), base), "A", "B", "G-mean")
    np.testing.assert_allclose(found, [0.01, 0.02, 0.01, 0.02])
    assert standard_error(found) == pytest.approx(np.std(found, ddof=1) / 2)
    assert outcome(found, "G-mean") == 1


@pytest.mark.parametrize(
    ("values", "measure", "says"),
    [
        ([1.0, 1.1, 0.9], "G-mean", 1),
        ([1.0, 1.1, 0.9], "log loss", -1),
        ([-1.0, -1.1, -0.9], "RMSE", 1),
        ([-1.0, 1.0, 0.1], "G-mean", 0),
        ([0.0, 0.0, 0.0], "G-mean", 0),
        ([0.5], "G-mean", 0),
        ([0.2, 0.2], "G-mean", 1),
    ],
)
def test_two_standard_errors_decide(values, measure, says):
    assert outcome(np.array(values), measure) == says


def test_what_tells_nothing_apart_is_refused():
    with pytest.raises(ValueError, match="No way of 'coverage %'"):
        outcome(np.array([1.0, 1.1, 0.9]), "coverage %")
    with pytest.raises(ValueError, match="1 of 3 differences in 'G-mean' are NaN"):
        outcome(np.array([1.0, np.nan, 0.9]), "G-mean")


def test_two_standard_errors_are_the_edge():
    # Mean m and standard error 1 / sqrt(2) of the values m - 1/sqrt 2, m + 1/sqrt 2.
    spread = np.array([-1.0, 1.0]) * np.sqrt(0.5)
    assert outcome(spread + 2.0 * np.sqrt(0.5) - 0.01, "G-mean") == 0
    assert outcome(spread + 2.0 * np.sqrt(0.5) + 0.01, "G-mean") == 1


def test_a_tally_counts_problems():
    better, worse = records([2, 2.1, 1.9], [1, 1, 1]), records([1, 1.1, 0.9], [2, 2, 2])
    same = records([1, 2, 3], [1, 2, 3])
    found = tally([better, better, worse, same], "A", "B", "G-mean")
    assert found == Tally(2, 1, 1)
    assert tally([better, better, worse, same], "B", "A", "G-mean") == Tally(1, 1, 2)


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        (Tally(5, 1, 0), "better than X (5:0 of 6)"),
        (Tally(5, 1, 1), "mostly better than X (5:1 of 7)"),
        (Tally(3, 3, 0), "at times better than X (3:0 of 6)"),
        (Tally(0, 6, 0), "not told apart from X (0:0 of 6)"),
        (Tally(2, 2, 2), "no better than X (2:2 of 6)"),
        (Tally(1, 4, 2), "at times worse than X (1:2 of 7)"),
        (Tally(0, 1, 5), "worse than X (0:5 of 6)"),
    ],
)
def test_counts_choose_the_words(counts, words):
    assert Compared("T", "S", "X", "M", counts).words() == words


def test_sentences_of_one_topic_stand_together():
    found = sentences(
        [
            Compared("T", "the S", "X", "M", Tally(3, 0, 0)),
            Compared("T", "the S", "Y", "M", Tally(0, 3, 0)),
            Compared("T", "the S", "X", "N", Tally(0, 2, 1)),
            Compared("T", "R", "X", "M", Tally(0, 0, 3)),
            Compared("U", "R", "X", "M", Tally(0, 0, 3)),
        ]
    )
    first = "The S is in M better than X (3:0 of 3), not told apart from Y (0:0 of 3)"
    both = f"{first}; in N at times worse than X (0:1 of 3)"
    last = "R is in M worse than X (0:3 of 3)."
    assert found == [f"T. {both}. {last}", f"U. {last}"]
