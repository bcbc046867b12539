"""What makes a likelihood's targets of the rows' y."""

import numpy as np

from rowtrust.inference import AsGiven, OneAgainstRest


def test_targets_as_given_are_the_targets():
    y = np.array([0.3, -2.0, 7.5])
    assert AsGiven()(y) is y


def test_one_class_against_the_rest():
    coding = OneAgainstRest(2)
    np.testing.assert_array_equal(coding(np.array([0, 2, 1, 2])), [0.0, 1.0, 0.0, 1.0])
    assert coding(np.array([0, 2])).dtype == np.float64
    np.testing.assert_array_equal(coding(np.array([0, 1])), [0.0, 0.0])


def test_the_codings_of_all_classes_add_up_to_one():
    y = np.random.default_rng(0).integers(0, 4, 30)
    np.testing.assert_array_equal(sum(OneAgainstRest(label)(y) for label in range(4)), np.ones(30))


def test_blocks_are_coded_alone():
    y = np.array([1, 0, 2, 1, 1])
    coding = OneAgainstRest(1)
    np.testing.assert_array_equal(np.concatenate([coding(y[:2]), coding(y[2:])]), coding(y))
