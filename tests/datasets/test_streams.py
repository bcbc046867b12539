"""The stream with a rotating boundary: the same blocks again, and a boundary that does rotate."""

import numpy as np
import pytest

from rowtrust.datasets import make_rotating_stream


def test_blocks_can_be_read_again():
    stream = make_rotating_stream(3, 20, random_state=0)
    once, again = list(stream), list(stream)
    assert len(stream) == len(once) == 3
    for (X, y), (same_X, same_y) in zip(once, again, strict=True):
        assert X.shape == (20, 2)
        np.testing.assert_array_equal(X, same_X)
        np.testing.assert_array_equal(y, same_y)
    assert not np.array_equal(once[0][0], once[1][0])


def test_seeds_make_the_stream():
    one, same, other = (list(make_rotating_stream(2, 20, random_state=seed)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one[1][0], same[1][0])
    assert not np.array_equal(one[1][0], other[1][0])


def test_labels_follow_the_probability():
    stream = make_rotating_stream(8, 4000, period=8, random_state=0)
    for number, (X, y) in enumerate(stream):
        p = stream.probability(X, number)
        assert y.mean() == pytest.approx(p.mean(), abs=4.0 * np.sqrt(0.25 / 4000))
        assert ((p > 0.5) == y).mean() > 0.87


def test_after_half_a_period_every_label_is_the_other_one():
    stream = make_rotating_stream(20, 10, period=20, random_state=0)
    X = np.random.default_rng(0).normal(size=(50, 2))
    np.testing.assert_allclose(stream.probability(X, 3), 1.0 - stream.probability(X, 13), atol=1e-12)
    np.testing.assert_allclose(stream.probability(X, 3), stream.probability(X, 23), atol=1e-12)


@pytest.mark.parametrize("wrong", [{"n_blocks": 0}, {"block_size": 0}, {"period": 0.0}])
def test_nonsense_is_refused(wrong):
    with pytest.raises(ValueError, match="at least one block"):
        make_rotating_stream(**wrong)
