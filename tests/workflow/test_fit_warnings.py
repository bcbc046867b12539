"""Warnings of fits in plain words."""

import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from rowtrust import RobustRVC
from rowtrust.fitting.refit import warn_if_far
from rowtrust.svr import output
from rowtrust.workflow.fitting import tell_warnings
from rowtrust.workflow.tables import Column, Schema

JARGON = ("max_iter", "tol", "nats", "solver", "basis", "evidence", "landmark", "n_restarts", "n_splits")


def caught(warn):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        warn()
    return found


def far():
    solution = SimpleNamespace(trace=[SimpleNamespace(converged=False, distance=900.0)])
    warn_if_far([solution], 1000.0, 16)


def constant():
    units = SimpleNamespace(target_offset=1.0)
    machine = SimpleNamespace(is_constant=True, units=units, log_evidence=-3.0, noise_variance=1.0)
    output.warn_of_constants([machine])


def few_of_a_class():
    warnings.warn("The least populated class in y has only 2 members, n_splits=3", UserWarning, stacklevel=1)


@pytest.mark.parametrize(
    ("warn", "words"),
    [
        (far, "predictions might still change"),
        (constant, "predicted a constant"),
        (lambda: output.warn_of_gap(1e-3), "stopped just short of convergence"),
        (lambda: output.warn_of_landmarks(9000, 1000), "random sample of them"),
        (few_of_a_class, "fewer rows than there are folds"),
    ],
)
def test_every_warning_of_the_library_has_plain_words(warn, words):
    found = caught(lambda: (warn(), warn()))
    notes, record = tell_warnings(found)
    (note,) = notes
    assert words in note
    assert not any(word in note for word in JARGON)
    assert len(record) == 1
    assert record[0] in " ".join(str(found[0].message).split())


def test_a_fit_that_was_cut_short_is_told_in_one_note():
    """The words come from real fits, whose own words advise options that the command lacks."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 2))
    y = generator.integers(3, size=60)
    model = RobustRVC(label_noise="power", max_iter=2, gamma="scale")  # one fit for each class
    found = caught(lambda: model.fit(X, y))
    assert sum(issubclass(each.category, ConvergenceWarning) for each in found) >= 2
    notes, record = tell_warnings(found)
    assert len(notes) == 1
    assert not any(word in notes[0] for word in JARGON)
    assert "max_iter" in record[0]


def test_whether_it_matters_is_said():
    def little():
        warnings.warn("its last step could still gain 0.3 nats of evidence", ConvergenceWarning, stacklevel=1)

    def much():
        warnings.warn("its last step could still gain 12 nats of evidence", ConvergenceWarning, stacklevel=1)

    assert "predictions barely change" in tell_warnings(caught(little))[0][0]
    both = tell_warnings(caught(lambda: (little(), much())))[0]
    assert "2 fits" in both[0]
    assert "might still change" in both[0]


def test_cells_of_test_rows_that_cannot_be_read_are_told():
    schema = Schema((Column("size", "number", 1.0),), "y", "regression")
    notes, _ = tell_warnings(caught(lambda: schema.conform(pd.DataFrame({"size": ["1", "high"]}))))
    assert len(notes) == 1
    assert notes[0].startswith("in the rows of --test, column 'size' has cells that are no numbers")


def test_what_is_inside_a_computation_is_kept_for_the_record_alone():
    def inside():
        warnings.warn("overflow encountered in exp", RuntimeWarning, stacklevel=1)
        warnings.warn("Found unknown categories\nin columns [0]", UserWarning, stacklevel=1)
        warnings.warn("old", DeprecationWarning, stacklevel=1)

    notes, record = tell_warnings(caught(inside))
    assert notes == []
    assert record == ["overflow encountered in exp", "Found unknown categories in columns [0]"]
