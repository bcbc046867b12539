"""The demonstration's data: dirty where it says so."""

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes

from rowtrust.datasets.demo import dirty_breast_cancer, dirty_diabetes, dirty_tables


def test_a_tenth_of_the_diagnoses_is_flipped():
    dirty = dirty_breast_cancer(0)
    loaded = load_breast_cancer()
    truth = loaded.target_names[loaded.target]
    np.testing.assert_array_equal(dirty.table["diagnosis"] != truth, dirty.wrong)
    assert dirty.wrong.sum() == 57
    assert "57 diagnoses were flipped" in dirty.story


def test_a_twentieth_of_the_numbers_has_a_gross_error():
    dirty = dirty_diabetes(0)
    truth = load_diabetes(scaled=False).target
    error = np.abs(dirty.table["progression"].to_numpy() - truth) / truth.std()
    np.testing.assert_array_equal(error > 0, dirty.wrong)
    assert dirty.wrong.sum() == 22
    assert (error[dirty.wrong] > 3.9).all()
    assert (error[dirty.wrong] < 8.1).all()
    assert set(dirty.table["sex"]) == {"first", "second"}


def test_a_seed_repeats_itself():
    for one, two, other in zip(dirty_tables(1), dirty_tables(1), dirty_tables(2), strict=True):
        np.testing.assert_array_equal(one.wrong, two.wrong)
        assert one.table.equals(two.table)
        assert (one.wrong != other.wrong).any()
