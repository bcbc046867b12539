"""Rows made block by block: the same in every reading, for blocks of any size, with the truth they claim."""

import numpy as np
import pytest
from scipy.special import expit

from rowtrust.datasets import make_many_rows
from rowtrust.datasets.large import DRAWN_ROWS, latent


def together(rows):
    return [np.concatenate(parts) for parts in zip(*rows, strict=True)]


@pytest.mark.parametrize("block_rows", [1000, DRAWN_ROWS, DRAWN_ROWS + 1, 10**6])
def test_rows_do_not_hang_on_the_size_of_blocks(block_rows):
    size = 2 * DRAWN_ROWS + 321
    expected = make_many_rows(size, block_rows=777, random_state=3)
    rows = make_many_rows(size, block_rows=block_rows, random_state=3)
    assert {len(y) for _, y in list(rows)[:-1]} <= {block_rows}
    for mine, theirs in zip(together(rows), together(expected), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_blocks_can_be_read_again():
    rows = make_many_rows(3000, block_rows=1000)
    for first, second in zip(together(rows), together(rows), strict=True):
        np.testing.assert_array_equal(first, second)


def test_more_rows_begin_with_the_same_ones():
    few, many = (make_many_rows(size, random_state=0).arrays() for size in (5000, 9000))
    np.testing.assert_array_equal(few[0], many[0][:5000])
    np.testing.assert_array_equal(few[1], many[1][:5000])


def test_no_row_comes_twice_and_a_seed_matters():
    X, _ = make_many_rows(3 * DRAWN_ROWS, random_state=0).arrays()
    assert len(np.unique(X[:, 0])) == len(X)
    assert not np.isin(make_many_rows(100, random_state=1).arrays()[0], X).any()


def test_labels_follow_the_function_and_the_flips():
    X, clean = make_many_rows(50_000, flipped=0.0, random_state=0).arrays()
    _, dirty = make_many_rows(50_000, flipped=0.1, random_state=0).arrays()
    x = X.T
    f = 2 * np.sin(2 * x[0]) + 1.5 * x[1] * x[2] + x[3] - 0.5 * x[4] ** 2 + 0.5
    np.testing.assert_allclose(latent(X), f)
    probability = expit(3 * f)
    for low in np.arange(0.0, 1.0, 0.1):
        near = (probability >= low) & (probability < low + 0.1)
        spread = np.sqrt(0.25 / near.sum())
        assert abs(clean[near].mean() - probability[near].mean()) < 4 * spread
    assert np.mean(clean != dirty) == pytest.approx(0.1, abs=0.006)


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        make_many_rows(0)
    with pytest.raises(ValueError, match="from 0 to 1"):
        make_many_rows(10, flipped=10)
