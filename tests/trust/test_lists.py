"""Two lists: few of the flagged rows are right, and what is worth a look has the best expected F1."""

from itertools import combinations

import numpy as np
import pytest

from rowtrust.trust.lists import is_flagged, list_ends, list_names


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("false_share", [0.05, 0.2, 0.5, 0.7])
def test_no_larger_set_of_rows_keeps_the_promise(seed, false_share):
    """Against every set of rows there is."""
    wrong = np.random.default_rng(seed).beta(0.7, 0.7, 9)
    named = is_flagged(wrong, false_share)
    allowed = [
        len(rows)
        for size in range(1, 10)
        for rows in combinations(np.flatnonzero(wrong > min(0.5, 1.0 - false_share)), size)
        if np.mean(1.0 - wrong[list(rows)]) <= false_share
    ]
    assert named.sum() == max(allowed, default=0)
    if named.any():
        assert np.mean(1.0 - wrong[named]) <= false_share
        assert wrong[named].min() >= wrong[~named].max(initial=0.0)


def test_the_order_of_the_rows_does_not_matter():
    generator = np.random.default_rng(0)
    wrong, order = generator.beta(0.5, 2.0, 200), generator.permutation(200)
    np.testing.assert_array_equal(is_flagged(wrong[order]), is_flagged(wrong)[order])


def test_calibrated_probabilities_keep_the_promise_in_truth():
    generator = np.random.default_rng(0)
    wrong = generator.beta(0.3, 0.6, 20_000)
    truth = generator.random(20_000) < wrong
    for false_share in (0.05, 0.1, 0.15):
        assert np.mean(~truth[is_flagged(wrong, false_share)]) == pytest.approx(false_share, abs=0.02)


def test_rows_that_are_likelier_right_are_not_named_for_the_company_of_sure_ones():
    wrong = np.array([1.0] * 20 + [0.1] * 4)
    assert is_flagged(wrong, 0.2).sum() == 20
    assert is_flagged(wrong, 0.95).sum() == 24


def test_equal_rows_are_named_together_or_not_at_all():
    wrong = np.array([0.99, 0.99, 0.7, 0.7, 0.7, 0.7])
    named = is_flagged(wrong)
    assert named[:2].all()
    assert len(set(named[2:])) == 1
    np.testing.assert_array_equal(is_flagged(wrong[::-1])[::-1], named)


# Worth a look


def worth_a_look(p_wrong, false_share=0.2):
    return p_wrong >= list_ends(p_wrong, false_share)[1]


@pytest.mark.parametrize("seed", range(20))
def test_no_other_number_of_rows_has_a_better_expected_f1(seed):
    """Against all of them."""
    p_wrong = np.random.default_rng(seed).beta(0.3, 1.5, 60)
    total, likeliest = p_wrong.sum(), np.sort(p_wrong)[::-1]
    scores = [2.0 * likeliest[:k].sum() / (k + total) for k in range(1, 61)]
    assert total > 0.5
    found = worth_a_look(p_wrong, 0.01)
    assert found.sum() == max(1 + np.argmax(scores), is_flagged(p_wrong, 0.01).sum())
    assert p_wrong[found].min() > p_wrong[~found].max()


def test_the_cut_has_nearly_the_best_f1_in_truth():
    generator = np.random.default_rng(0)
    p_wrong = generator.beta(0.3, 1.5, 20_000)
    truth, order = generator.random(20_000) < p_wrong, np.argsort(-p_wrong)
    count = np.arange(1, 20_001)
    scores = 2.0 * np.cumsum(truth[order]) / (count + truth.sum())
    assert scores[worth_a_look(p_wrong).sum() - 1] > scores.max() - 0.005


def test_equal_rows_are_worth_a_look_together_or_not_at_all():
    p_wrong = np.array([0.9, 0.4, 0.4, 0.4, 0.1, 0.1])
    assert worth_a_look(p_wrong).tolist() == [True] * 4 + [False] * 2
    assert worth_a_look(p_wrong[::-1])[::-1].tolist() == [True] * 4 + [False] * 2
    assert worth_a_look(np.full(9, 0.3)).all()


@pytest.mark.parametrize("false_share", [0.05, 0.2, 0.9])
def test_what_is_flagged_is_worth_a_look(false_share):
    for seed in range(20):
        p_wrong = np.random.default_rng(seed).beta(0.5, 0.5, 40)
        assert (worth_a_look(p_wrong, false_share) >= is_flagged(p_wrong, false_share)).all()


def test_where_no_error_is_expected_nothing_is_worth_a_look():
    assert not worth_a_look(np.array([0.4, 0.05])).any()
    assert worth_a_look(np.array([0.4, 0.11])).any()
    assert worth_a_look(np.array([0.4, 0.05]), 0.9).tolist() == [True, False]  # flagged, as was asked
    assert not worth_a_look(np.empty(0)).any()


def test_the_column_says_on_which_list_a_row_is():
    p_wrong = np.array([0.99, 0.45, 0.001])
    names = list_names(p_wrong, list_ends(p_wrong), np.zeros(3, dtype=bool))
    assert names.tolist() == ["likely error", "worth a look", ""]


def test_a_contradicted_label_is_worth_a_look_if_it_is_likelier_wrong_than_the_average_row():
    p_wrong = np.array([0.99, 0.9, 0.8, 0.25, 0.22, *[0.001] * 10])
    against = np.array([True] * 3 + [True, False] + [True] * 10)
    ends = list_ends(p_wrong)
    assert ends.contradicted == pytest.approx(p_wrong.mean())
    names = list_names(p_wrong, ends, against)
    assert names.tolist() == ["likely error"] * 3 + ["worth a look"] + [""] * 11
    assert set(list_names(p_wrong[-10:], list_ends(p_wrong[-10:]), against[-10:])) == {""}
