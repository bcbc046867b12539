"""Dirty data: as dirty as asked, where asked, and the answer is right."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from rowtrust import RVC, RobustRVC
from rowtrust.datasets import (
    add_heavy_tails,
    add_outliers,
    flip_labels,
    make_imbalanced,
    make_ripley,
)


@pytest.fixture(scope="module")
def ripley():
    return make_ripley(200, random_state=0)


def test_flips_are_exactly_the_marked_rows(ripley):
    dirty, flipped = flip_labels(ripley[1], 0.15, random_state=1)
    np.testing.assert_array_equal(dirty != ripley[1], flipped)
    assert flipped.sum() == 30


def test_one_sided_flips_leave_the_other_class_alone(ripley):
    dirty, flipped = flip_labels(ripley[1], 0.3, only_from=1, random_state=1)
    assert (ripley[1][flipped] == 1).all()
    assert flipped.sum() == round(0.3 * ripley[1].sum())
    np.testing.assert_array_equal(dirty != ripley[1], flipped)
    with pytest.raises(ValueError, match="no class 'x'"):
        flip_labels(["a", "b"], 0.5, only_from="x")


def test_outliers_lie_among_the_wrong_class(ripley):
    X, y, added = add_outliers(*ripley, 0.05, distance=0.0, random_state=0)
    assert added.sum() == 10
    np.testing.assert_array_equal(X[~added], ripley[0])
    guess = KNeighborsClassifier(5).fit(*ripley).predict(X[added])
    assert np.mean(guess != y[added]) >= 0.7


def test_outliers_go_as_far_as_asked(ripley):
    near, _, added = add_outliers(*ripley, 0.1, distance=0.0, random_state=0)
    far, _, _ = add_outliers(*ripley, 0.1, distance=3.0, random_state=0)
    spread = [np.linalg.norm(X[added] - ripley[0].mean(axis=0), axis=1).mean() for X in (near, far)]
    assert spread[1] > 2 * spread[0]


def test_heavy_tails_hit_the_marked_rows_only():
    y = np.linspace(0, 1, 40)
    dirty, hit = add_heavy_tails(y, 1.0, share=0.25, random_state=0)
    np.testing.assert_array_equal(dirty != y, hit)
    assert hit.sum() == 10
    upwards, hit = add_heavy_tails(y, 1.0, share=0.25, one_sided=True, random_state=0)
    assert (upwards[hit] > y[hit]).all()


@pytest.mark.parametrize(("rare", "ratio"), [(None, 5), (1, 20), (0, 1)])
def test_imbalance_is_as_asked(ripley, rare, ratio):
    X, y, kept = make_imbalanced(*ripley, ratio, rare=rare, random_state=0)
    few, many = np.sort(np.bincount(y))
    assert many / few == pytest.approx(ratio, rel=0.1)
    np.testing.assert_array_equal(ripley[0][kept], X)


def test_a_class_that_is_too_rare_already_thins_the_others():
    y = np.array([1] * 2 + [0] * 98)
    _, left, _ = make_imbalanced(np.zeros((100, 1)), y, 10, random_state=0)
    assert np.bincount(left).tolist() == [20, 2]


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_shares_outside_the_unit_interval_are_refused(share):
    with pytest.raises(ValueError, match="between 0 and 1"):
        flip_labels([0, 1], share)
    with pytest.raises(ValueError, match="between 0 and 1"):
        add_heavy_tails([0.0, 1.0], 1.0, share=share)


@pytest.mark.parametrize("noise", ["power", 0.1])
def test_a_robust_machine_moves_less_with_outliers(ripley, noise):
    X, y = ripley
    dirty = np.vstack([X, np.tile([[-0.7, 0.2]], (5, 1))]), np.append(y, np.ones(5, dtype=int))

    def change(machine):
        machine.set_params(kernel="rbf", gamma=4.0, scaling=None, sparsity=0.0, random_state=0)
        clean = machine.fit(X, y).predict_proba(X)
        return np.abs(machine.fit(*dirty).predict_proba(X) - clean).mean()

    assert change(RobustRVC(label_noise=noise)) < change(RVC())


@pytest.mark.parametrize("labels", [np.array([0, 1]), np.array(["a", "b", "c"])])
def test_flipped_labels_are_wrong_and_counted(labels):
    y = np.tile(labels, 50)
    dirty, flipped = flip_labels(y, 0.1, random_state=0)
    np.testing.assert_array_equal(dirty != y, flipped)
    assert flipped.sum() == round(0.1 * len(y))
    assert set(dirty) <= set(labels)


def test_flipping_is_repeatable_and_refuses_nonsense():
    y = np.array([0, 1] * 10)
    one, two = (flip_labels(y, 0.2, random_state=3)[0] for _ in range(2))
    np.testing.assert_array_equal(one, two)
    with pytest.raises(ValueError, match="between 0 and 1"):
        flip_labels(y, 1.5)
    with pytest.raises(ValueError, match="two or more classes"):
        flip_labels(np.zeros(5), 0.1)
