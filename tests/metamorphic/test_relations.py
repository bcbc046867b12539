"""Every relation, for every estimator with its default settings."""

import functools

import numpy as np
import pytest

import rowtrust
from tests.metamorphic.relations import RELATIONS
from tests.metamorphic.tables import CLASSIFIERS, ESTIMATORS, TABLES, changed, fitted, said, table


@functools.cache
def first_table(name, kind, weighted=False):
    """Return a table, of two or three classes for classifiers, weights counting copies if asked for."""
    number = TABLES.index(kind) + ESTIMATORS.index(name)
    rows = table(kind, 2 + number % 2 if name in CLASSIFIERS else 0)
    return changed(rows, weight=(np.arange(len(rows.X)) % 4).astype(float)) if weighted else rows


@functools.cache
def first_answer(name, kind, weighted, options):
    rows = first_table(name, kind, weighted)
    return said(fitted(name, rows, **dict(options)), rows.new)


def cases():
    for number, (relation, one) in enumerate(RELATIONS.items()):
        for place, name in enumerate(ESTIMATORS):
            if one.holds_for(name, name in CLASSIFIERS):
                case = relation, name, TABLES[(number + place) % len(TABLES)]
                # One in three, each of every estimator, is enough for a quick run.
                is_slow = (number + 2 * place) % 3 or name.startswith("SparseBayes")
                yield pytest.param(*case, marks=pytest.mark.slow) if is_slow else case


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("relation", "name", "kind"), list(cases()))
def test_relation(relation, name, kind):
    one = RELATIONS[relation]
    weighted = relation == "copies against weights"
    rows = first_table(name, kind, weighted)
    other, back = one.change(rows, np.random.default_rng(7))
    expected = first_answer(name, kind, weighted, one.options_for(name))
    found = back(said(fitted(name, other, **dict(one.options_for(name))), other.new))
    difference = found.difference(expected, rows.unit)
    assert max(difference.values()) < one.tolerance_for(name), difference


def test_every_estimator_is_here():
    estimators = [name for name in rowtrust.__all__ if hasattr(getattr(rowtrust, name), "fit")]
    assert sorted(estimators) == sorted(ESTIMATORS)


@pytest.mark.parametrize("kind", TABLES)
def test_relations_are_of_tables_that_can_break_them(kind):
    """Columns differ, no order is that of the content, and answers depend on the rows at all."""
    rows = table(kind, 0)
    spread = rows.X.std(axis=0)
    assert (spread > 0.0).all()
    assert len(np.unique(spread)) == len(spread)
    fewer = changed(rows, X=rows.X[3:], y=rows.y[3:])
    answers = [said(fitted("RVR", each, kernel="rbf"), rows.new).parts["mean"] for each in (rows, fewer)]
    assert np.abs(answers[0] - answers[1]).max() > 1e-3 * rows.unit
