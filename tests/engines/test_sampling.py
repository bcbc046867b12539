"""A sample by one reading: the rows with the smallest keys, of all and of every class, by brute force."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare, kstest

from rowtrust.engines import ArraySource, Chunk, RowSource
from rowtrust.engines.sampling import draw_sample, random_keys, sample_chunk

SIZES = SIZE, OF_A_CLASS = 60, 12


def rows(n=400, seed=0, rare=0.02):
    rng = np.random.default_rng(seed)
    y = rng.choice(["a", "b", "rare"], size=n, p=[0.68, 0.3, rare])
    return rng.normal(size=(n, 2)), y, rng.uniform(0.5, 3.0, n)


def brute_force(y, weight, seed, classes):
    """Return the positions that are to be drawn, by sorting all keys."""
    key = random_keys(np.arange(len(y)), seed)
    order = [place for place in np.argsort(key) if weight[place] > 0]
    drawn = set(order[:SIZE])
    for label in np.unique(y) if classes else ():
        drawn |= set([place for place in order if y[place] == label][:OF_A_CLASS])
    return sorted(drawn)


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize("chunk_rows", [1, 5, 13, 99, 400, 1000])
@pytest.mark.parametrize("seed", [0, 12345])
def test_the_smallest_keys_are_drawn_however_rows_are_stored(seed, chunk_rows, classes):
    X, y, weight = rows()
    weight[::7] = 0.0
    found = draw_sample(ArraySource(X, y, weight, chunk_rows, 2), seed, classes, SIZES)
    expected = brute_force(y, weight, seed, classes)
    assert found.rows.index.tolist() == expected
    np.testing.assert_array_equal(found.rows.X, X[expected])
    np.testing.assert_array_equal(found.rows.y, y[expected])
    np.testing.assert_array_equal(found.rows.weight, weight[expected])
    assert found.n_rows == len(y)
    assert found.total == pytest.approx(weight.sum(), rel=1e-12)


@settings(deadline=None, max_examples=40)
@given(cuts=st.lists(st.integers(0, 200), min_size=2, max_size=6), seed=st.integers(0, 2**31 - 2))
def test_samples_add_up_in_any_grouping(cuts, seed):
    X, y, weight = rows(200)
    edges = [0, *sorted(cuts), 200]
    parts = [
        sample_chunk(Chunk(X[a:b], y[a:b], weight[a:b], a), seed, True, SIZES) for a, b in pairwise(edges)
    ]
    left = parts[0]
    for part in parts[1:]:
        left = left + part
    right = parts[-1]
    for part in parts[-2::-1]:
        right = part + right
    whole = sample_chunk(Chunk(X, y, weight, 0), seed, True, SIZES)
    for found in (left, right):
        assert found.rows.index.tolist() == whole.rows.index.tolist()
        assert found.labels.values.tolist() == whole.labels.values.tolist()
        np.testing.assert_array_equal(found.labels.counts, whole.labels.counts)
        np.testing.assert_allclose(found.labels.weights, whole.labels.weights)
        assert (found.n_rows, found.total) == (200, pytest.approx(weight.sum()))


def test_every_row_is_drawn_equally_often():
    n, draws = 200, 2000
    counts = np.zeros(n)
    for seed in range(draws):
        counts[np.argsort(random_keys(np.arange(n), 7919 * seed))[:SIZE]] += 1
    # Draws without replacement vary less than independent ones.
    assert chisquare(counts).pvalue > 1e-3
    assert counts.std() > 0.5 * np.sqrt(draws * 0.3 * 0.7)


@pytest.mark.parametrize("seed", [0, 1, 2**31 - 2])
def test_keys_are_uniform_distinct_and_their_own(seed):
    key = random_keys(np.arange(20_000), seed)
    assert len(np.unique(key)) == len(key)
    assert kstest(key / 2.0**64, "uniform").pvalue > 1e-3
    assert abs(np.corrcoef(key[:-1] / 2.0**64, key[1:] / 2.0**64)[0, 1]) < 0.03
    np.testing.assert_array_equal(key[500:600], random_keys(np.arange(500, 600), seed))


@pytest.mark.filterwarnings("error")
def test_large_seeds_overflow_in_silence():
    a, b = (random_keys(np.arange(100), seed) for seed in (2**31 - 2, 2**31 - 3))
    assert not set(a.tolist()) & set(b.tolist())


def test_every_class_is_there_and_the_shares_are_restored():
    """A class of a hundredth of the rows is thinned less, and each of its rows stands for less."""
    X, y, _ = rows(3000, rare=0.02)
    found = draw_sample(ArraySource(X, y, None, 128, 1), 0, True, SIZES)
    drawn = dict(zip(*np.unique(found.rows.y, return_counts=True), strict=True))
    assert drawn["rare"] == OF_A_CLASS > 2 * SIZE * np.mean(y == "rare")
    for label in ("a", "b", "rare"):
        own = found.stands_for[found.rows.y == label].sum() / found.stands_for.sum()
        assert own == pytest.approx(np.mean(y == label), rel=1e-12)
    assert found.stands_for.mean() == pytest.approx(1.0)


def test_weights_of_a_class_are_restored_in_the_mean():
    """A drawn row's own weight times what it stands for: the sum over draws is that of all rows."""
    X, y, weight = rows(1000, rare=0.02)
    weight[y == "rare"] *= 5.0
    shares = []
    for seed in range(200):
        found = draw_sample(ArraySource(X, y, weight, 1000, 1), seed, True, SIZES)
        share = found.rows.weight * found.stands_for
        shares.append(share[found.rows.y == "rare"].sum() / share.sum())
    truth = weight[y == "rare"].sum() / weight.sum()
    assert np.mean(shares) == pytest.approx(truth, rel=0.05)


def test_rows_of_weight_zero_are_never_drawn_and_their_labels_unknown():
    X, y, weight = rows(300)
    weight[(y == "rare") | (np.arange(300) % 2 == 0)] = 0.0
    found = draw_sample(ArraySource(X, y, weight, 37, 1), 3, True, SIZES)
    assert (found.rows.weight > 0).all()
    assert found.labels.values.tolist() == ["a", "b"]
    assert found.labels.counts.tolist() == [np.sum((y == label) & (weight > 0)) for label in "ab"]
    assert found.labels.weights == pytest.approx([weight[y == label].sum() for label in "ab"])


def test_few_rows_are_all_drawn_and_stand_for_one_each():
    X, y, _ = rows(40)
    found = draw_sample(ArraySource(X, y), 0, True, SIZES)
    assert found.rows.index.tolist() == list(range(40))
    np.testing.assert_allclose(found.stands_for, 1.0)
    numbers = draw_sample(ArraySource(X, np.arange(40.0)), 0, False, SIZES)
    assert numbers.labels is None
    np.testing.assert_array_equal(numbers.stands_for, np.ones(40))


def test_a_sample_is_one_reading():
    X, y, _ = rows()
    source = ArraySource(X, y, None, 50)
    draw_sample(source, 0, True, SIZES)
    assert source.reads == 1


def test_rows_are_drawn_as_they_are_with_their_holes_in_double_precision():
    X, y, _ = rows(100)
    holed = np.where(X > 1.0, np.nan, X)
    found = draw_sample(ArraySource(holed, y), 0, True, SIZES)
    np.testing.assert_array_equal(found.rows.X, holed[found.rows.index])
    assert draw_sample(ArraySource(X.astype(np.float32), y), 0, True, SIZES).rows.X.dtype == np.float64


def test_chunks_without_rows_change_nothing():
    X, y, weight = rows(100)

    class Gappy(RowSource):
        def chunks(self):
            for a, b in ((0, 0), (0, 60), (60, 60), (60, 100), (100, 100)):
                yield Chunk(X[a:b], y[a:b], weight[a:b], a)

    found = draw_sample(Gappy(), 5, True, SIZES)
    assert found.rows.index.tolist() == brute_force(y, weight, 5, True)
    assert found.n_rows == 100
