"""Centres: distinct rows by brute force, landmarks by what they promise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.sparse import csc_array, csr_array

from rowtrust.kernels import distinct_rows, landmarks

few_values = st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.5])


def first_occurrences(X):
    """Compare every row with every one before it, as numbers."""
    return [i for i in range(len(X)) if not any((X[i] == X[j]).all() for j in range(i))]


# Distinct rows


@settings(deadline=None)
@given(arrays(float, array_shapes(min_dims=2, max_dims=2, max_side=7), elements=few_values))
def test_distinct_rows_are_the_first_occurrences_in_order(X):
    assert distinct_rows(X).tolist() == first_occurrences(X)


@settings(deadline=None)
@given(arrays(float, array_shapes(min_dims=2, max_dims=2, max_side=7), elements=few_values))
def test_sparse_rows_are_distinct_exactly_when_dense_ones_are(X):
    assert distinct_rows(csr_array(X)).tolist() == first_occurrences(X)


def test_negative_zero_is_zero():
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [0.0, -1.0]])
    assert distinct_rows(X).tolist() == [0, 2]
    assert np.signbit(X[1, 0]), "the input was changed"


def test_rows_that_differ_in_the_last_bit_are_distinct():
    X = np.array([[1.0], [np.nextafter(1.0, 2.0)], [1.0]])
    assert distinct_rows(X).tolist() == [0, 1]


def test_strided_and_fortran_inputs_are_read_by_value():
    X = np.array([[1.0, 2.0], [1.0, 2.0], [2.0, 1.0], [1.0, 2.0]])
    assert distinct_rows(np.asfortranarray(X)).tolist() == [0, 2]
    wide = np.repeat(X, 2, axis=1) + np.array([0.0, 7.0, 0.0, 9.0])
    assert distinct_rows(wide[:, ::2]).tolist() == [0, 2]
    assert distinct_rows(X[::-1]).tolist() == [0, 1]


def test_explicit_zeros_and_unsorted_indices_do_not_make_sparse_rows_distinct():
    data = np.array([1.0, 2.0, 2.0, 1.0, 0.0, 1.0, 2.0, 2.0, 1.0, -0.0])
    indices = np.array([0, 2, 2, 0, 1, 0, 2, 0, 2, 1])
    X = csr_array((data, indices, np.array([0, 2, 5, 7, 10])), shape=(4, 3))
    # Rows 0, 1 and 2 are (1, 0, 2); row 3 is (2, 0, 1).
    assert distinct_rows(X).tolist() == [0, 3]
    np.testing.assert_array_equal(X.data, data)
    np.testing.assert_array_equal(X.indices, indices)


def test_entries_stored_twice_in_a_sparse_row_are_added():
    X = csr_array((np.array([1.0, 1.0, 2.0]), np.array([1, 1, 1]), np.array([0, 2, 3])), shape=(2, 2))
    assert distinct_rows(X).tolist() == [0]


def test_empty_sparse_rows_are_one_row():
    assert distinct_rows(csr_array(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]]))).tolist() == [0, 1]


def test_sparse_values_are_not_mistaken_for_indices():
    """Rows with the same values in other places, and other values in the same places, are distinct."""
    X = np.array([[1.0, 0.0, 2.0], [1.0, 2.0, 0.0], [2.0, 0.0, 1.0], [0.0, 1.0, 2.0]])
    assert distinct_rows(csr_array(X)).tolist() == [0, 1, 2, 3]
    assert distinct_rows(csc_array(X)).tolist() == [0, 1, 2, 3]


def test_integer_and_single_precision_rows_are_compared_by_value():
    X = np.array([[1, 2], [3, 4], [1, 2]])
    for dtype in (np.int64, np.float32):
        assert distinct_rows(X.astype(dtype)).tolist() == [0, 1]


# Landmarks


def draw(strata, size, seed=0, candidates=None):
    candidates = np.arange(len(strata)) if candidates is None else candidates
    return landmarks(strata, candidates, size, seed)


@pytest.mark.parametrize("size", [1, 2, 7, 30, 59])
def test_landmarks_are_so_many_distinct_candidates_in_order(size):
    rng = np.random.default_rng(0)
    candidates = np.sort(rng.permutation(90)[:60])
    chosen = draw(rng.integers(0, 3, 90), size, candidates=candidates)
    assert len(chosen) == size
    assert (np.diff(chosen) > 0).all()
    assert np.isin(chosen, candidates).all()


def test_the_same_seed_draws_the_same_landmarks_and_another_seed_others():
    strata = np.random.default_rng(0).integers(0, 2, 200)
    first = draw(strata, 20, seed=3)
    np.testing.assert_array_equal(first, draw(strata, 20, seed=3))
    assert not np.array_equal(first, draw(strata, 20, seed=4))


@pytest.mark.parametrize("size", [10, 11, 1000])
def test_as_many_landmarks_as_candidates_are_all_of_them(size):
    candidates = np.arange(0, 30, 3)
    np.testing.assert_array_equal(draw(np.zeros(30), size, candidates=candidates), candidates)


@pytest.mark.parametrize("share", [0.5, 0.2, 0.06])
@pytest.mark.parametrize("seed", range(3))
def test_every_class_is_represented_in_proportion(seed, share):
    strata = (np.random.default_rng(seed).permutation(1000) < 1000 * share).astype(int)
    chosen = draw(strata, 50, seed)
    assert abs(strata[chosen].sum() - 50 * share) <= 1


@pytest.mark.parametrize("seed", range(5))
def test_rare_classes_have_a_landmark_too(seed):
    strata = np.random.default_rng(seed).permutation(np.repeat([0, 1, 2, 3], [300, 150, 2, 1]))
    assert set(strata[draw(strata, 10, seed)]) == {0, 1, 2, 3}
    assert len(draw(strata, 3, seed)) == 3


def test_within_a_class_every_row_is_drawn_alike():
    """No row is favoured by its place: over many seeds the draws are uniform."""
    strata, times = np.repeat([0, 1], 20), np.zeros(40)
    for seed in range(2000):
        times[draw(strata, 4, seed)] += 1
    # Each row is drawn with probability 1/10: 200 times, with a standard deviation of 13.4.
    assert np.abs(times - 200).max() < 5 * 13.4


def test_targets_are_spread_over_their_quantiles_in_regression():
    target = np.random.default_rng(0).standard_cauchy(1000)
    rank = np.argsort(np.argsort(target))[draw(target, 20)]
    np.testing.assert_array_equal(np.bincount(rank // 50, minlength=20), np.ones(20))


def test_landmarks_are_drawn_at_random_in_regression_too():
    """Targets that all differ leave nothing to shuffle, but a draw from each slice is still a draw."""
    target = np.random.default_rng(0).normal(size=200)
    assert len({tuple(draw(target, 20, seed)) for seed in range(10)}) > 1
