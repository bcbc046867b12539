"""Heuristic: rows that disagree with the rows around them are doubted, others are not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from rowtrust.memberships import Heuristic


def test_alignment_by_brute_force_with_three_classes(rows):
    X, y, side = rows
    sign = np.where(y[:, None] == y, 1.0, -1.0)
    h = (sign * rbf_kernel(X, gamma=0.3)).sum(axis=1)
    confident, trashy = np.median(h), h.min()
    expected = 0.1 + 0.9 * np.clip((h - trashy) / (confident - trashy), 0.0, 1.0) ** 2.0
    np.testing.assert_allclose(Heuristic("alignment", degree=2.0)(X, y, side), expected, rtol=1e-9)


def test_alignment_of_two_classes_is_the_product_with_signed_labels(rows):
    X, y, side = rows
    signed = np.where(y == 0, -1.0, 1.0)
    h = signed * (rbf_kernel(X, gamma=0.3) @ signed)
    values = Heuristic("alignment", confident=5.0, trashy=-5.0)(X, (y > 0).astype(int), side)
    np.testing.assert_allclose(values, 0.1 + 0.9 * np.clip((h + 5.0) / 10.0, 0.0, 1.0), rtol=1e-9)


def test_neighbours_by_hand(side_of):
    """Each of the two nearest others with the own label is worth one half; the row itself is not asked."""
    X = np.array([[0.0], [1.0], [2.1], [10.0], [11.0], [12.1]])
    y = np.array([0, 0, 1, 1, 1, 1])
    values = Heuristic("neighbours", confident=1.0, floor=0.2, n_neighbours=2)(X, y, side_of())
    np.testing.assert_allclose(values, [0.6, 0.6, 0.2, 1.0, 1.0, 1.0])


def test_a_flipped_label_is_believed_least(side_of):
    generator = np.random.default_rng(1)
    X = np.concatenate([generator.normal(0.0, 1.0, (30, 2)), generator.normal(6.0, 1.0, (30, 2))])
    y = np.repeat([0, 1], 30)
    y[[3, 40]] = 1 - y[[3, 40]]
    for measure in ("alignment", "neighbours"):
        values = Heuristic(measure)(X, y, side_of(rbf_kernel(X, gamma=0.2)))
        assert set(np.argsort(values)[:2]) == {3, 40}
        assert np.count_nonzero(values == 1.0) >= 30


def test_clean_neighbourhoods_are_hardly_doubted(side_of):
    """The estimated factors must not call the worst of good rows trash."""
    X = np.linspace(0.0, 1.0, 200)[:, None]
    values = Heuristic("neighbours")(X, (X[:, 0] > 0.5).astype(int), side_of())
    assert values.min() > 0.4
    assert values.mean() > 0.97


def test_confident_at_trashy_is_a_step(side_of):
    X = np.array([[0.0], [1.0], [2.1], [10.0], [11.0], [12.1]])
    y = np.array([0, 0, 1, 1, 1, 1])
    step = Heuristic("neighbours", confident=0.5, trashy=0.5, n_neighbours=2)(X, y, side_of())
    np.testing.assert_array_equal(step, [1.0, 1.0, 0.1, 1.0, 1.0, 1.0])
    # The estimated confident factor, the median, lies below the given trashy one: the given one decides.
    unreachable = Heuristic("neighbours", trashy=2.0, n_neighbours=2)(X, y, side_of())
    np.testing.assert_allclose(unreachable, 0.1)


def test_equal_agreement_doubts_nobody(side_of):
    """Rounding in sums of a constant kernel must not rank the rows."""
    y = np.arange(30) % 2
    values = Heuristic("alignment")(np.zeros((30, 1)), y, side_of(np.full((30, 30), 0.1)))
    np.testing.assert_array_equal(values, 1.0)


def test_more_neighbours_than_rows_asks_all_others(side_of):
    X = np.array([[0.0], [1.0], [2.0]])
    values = Heuristic("neighbours", confident=1.0, n_neighbours=10)(X, np.array([0, 0, 1]), side_of())
    np.testing.assert_allclose(values, [0.55, 0.55, 0.1])


def test_neighbours_refuse_a_precomputed_kernel(rows):
    X, y, side = rows
    with pytest.raises(ValueError, match=r"needs inputs, not a precomputed kernel\. Use 'alignment'"):
        Heuristic("neighbours")(X, y, replace(side, precomputed=True))


@pytest.mark.parametrize(
    ("membership", "message"),
    [
        (Heuristic(measure="votes"), "measure must be one of 'alignment', 'neighbours'"),
        (Heuristic(degree=-1.0), "degree must be"),
        (Heuristic(floor=2.0), "floor must be"),
        (Heuristic(n_neighbours=0), "n_neighbours must be a whole number"),
        (Heuristic(n_neighbours=2.5), "n_neighbours must be a whole number"),
        (Heuristic(confident=0.1, trashy=0.2), "confident must not lie below trashy"),
    ],
)
def test_an_option_that_makes_no_sense_is_named(rows, membership, message):
    X, y, side = rows
    with pytest.raises(ValueError, match=message):
        membership(X, y, side)
