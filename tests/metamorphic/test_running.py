"""How a model is run, stored or asked does not matter; and relations of single settings."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from rowtrust import FuzzyRVR, RobustRVC, RobustRVR, SparseBayesRegressor
from rowtrust.weights import Fixed
from tests.metamorphic.relations import EXACT, MIRRORED, ROUNDING
from tests.metamorphic.tables import (
    CLASSIFIERS,
    ESTIMATORS,
    INNER,
    TABLES,
    Said,
    changed,
    fitted,
    made,
    said,
    table,
    truth,
)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
MACHINES = [name for name in ESTIMATORS if name not in ("BayesianSVR", *INNER)]


def one_kernel(name):
    """Return options of a quick fit."""
    return {} if name in INNER else {"kernel": "rbf", "gamma": 0.3}


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=[pytest.mark.slow] * name.startswith(("SparseBayes", "Fuzzy")))
        for name in ESTIMATORS
    ],
)
def pair(request):
    """A fitted model, and its table."""
    rows = table("smooth", 2 if request.param in CLASSIFIERS else 0)
    return request.param, fitted(request.param, rows), rows


def largest(one, other, unit=1.0):
    return max(one.difference(other, unit).values())


def test_batches_say_what_the_whole_says(pair):
    """Only products of matrices of other shapes round."""
    _, model, rows = pair
    whole = said(model, rows.new)
    parts = [said(model, rows.new[start : start + 1]).parts for start in range(len(rows.new))]
    together = {
        name: np.concatenate([each[name] for each in parts]) for name in whole.parts if name != "trust"
    }
    assert largest(Said(together), whole, rows.unit) < EXACT


def test_a_stored_model_says_the_same_and_a_clone_fits_the_same(pair):
    _, model, rows = pair
    expected = said(model, rows.new)
    assert largest(said(pickle.loads(pickle.dumps(model)), rows.new), expected) == 0.0
    again = clone(model).fit(rows.X, rows.y)
    assert largest(said(again, rows.new), expected) == 0.0


@pytest.mark.slow
def test_threads_do_not_matter(pair):
    """Threads share sums in another way: roundings."""
    name, model, rows = pair
    if name in ("RVC", "RVR", "BayesianSVR"):  # of each way to search one
        with threadpool_limits(limits=2):
            again = fitted(name, rows)
        assert largest(said(again, rows.new), said(model, rows.new), rows.unit) < ROUNDING


@pytest.mark.slow
def test_jobs_do_not_matter(pair):
    name, model, rows = pair
    if name in ("RVC", "RobustRVR", "BayesianSVR"):  # of each way to search one
        assert largest(said(fitted(name, rows, n_jobs=2), rows.new), said(model, rows.new), rows.unit) < EXACT


@pytest.mark.parametrize("name", [*MACHINES, *INNER])
@pytest.mark.parametrize("kind", ["mixed"])
def test_trust_lies_between_nothing_and_all(name, kind):
    rows = table(kind, 3 if name in CLASSIFIERS else 0)
    model = fitted(name, rows, **one_kernel(name))
    own, new = model.judge_rows(rows.X, rows.y), model.judge_rows(rows.new, rows.y[: len(rows.new)])
    for trust in (model.sample_trust_, own.trust, new.trust):
        assert trust.min() >= 0.0
        assert trust.max() <= 1.0


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "weighted"), [("smooth", False), ("mixed", True)])
def test_outliers_may_be_as_wild_as_they_like(kind, weighted):
    """None of them is believed, the others are, and the error is that of a fit to the others alone.

    The answers are not the same ones: which rows are doubted first is a start, and fits have several ends.
    """
    rows = table(kind, 0)
    generator = np.random.default_rng(3)
    weight = generator.integers(1, 3, len(rows.y)).astype(float) if weighted else None
    where = generator.choice(len(rows.y), 6, replace=False)
    clean = np.delete(np.arange(len(rows.y)), where)
    others = changed(rows, X=rows.X[clean], y=rows.y[clean], weight=None if weight is None else weight[clean])
    expected = error_of(fitted("RobustRVR", others), rows)
    for size in (1e6, 1e8):
        y = rows.y.copy()
        y[where] += size * np.array([1.0, -1.0, 1.0, 1.0, -1.0, -1.0])
        model = fitted("RobustRVR", changed(rows, y=y, weight=weight))
        assert model.sample_trust_[where].max() < 1e-6
        assert np.median(model.sample_trust_[clean]) > 0.5
        assert error_of(model, rows) < 1.3 * expected


def error_of(model, rows):
    """Return the root of the mean square error on new rows inside the data."""
    inside = rows.new[:30]
    return float(np.sqrt(np.mean((model.predict(inside) - truth(inside)) ** 2)))


@pytest.mark.slow
@settings(max_examples=8, deadline=None, derandomize=True)
@given(
    name=st.sampled_from(MACHINES),
    kind=st.sampled_from(TABLES),
    units=st.lists(st.floats(-6.0, 6.0), min_size=4, max_size=4),
)
def test_a_laplacian_kernel_follows_the_units(name, kind, units):
    """With scaling any units will do; without it one unit for all columns."""
    rows = table(kind, 2 if name in CLASSIFIERS else 0)
    factors = 10.0 ** np.array(units[: rows.X.shape[1]])
    for options, factor in (({}, factors), ({"scaling": None}, factors[0])):
        settings_of_both = {"kernel": "laplacian", "gamma": "scale", **options}
        one = said(fitted(name, rows, **settings_of_both), rows.new)
        other = changed(rows, X=rows.X * factor, new=rows.new * factor)
        assert largest(said(fitted(name, other, **settings_of_both), other.new), one, rows.unit) < ROUNDING


@settings(max_examples=6, deadline=None, derandomize=True)
@given(st.sampled_from(MACHINES), st.sampled_from(TABLES), st.integers(0, 2**31), st.booleans())
def test_any_order_of_rows_with_missing_values(name, kind, seed, is_sparse_basis):
    """Rows with holes, landmarks that are drawn, weights of any size: the order of the rows is none of it."""
    rows, generator = table(kind, 2 if name in CLASSIFIERS else 0), np.random.default_rng(seed)
    X = np.where(generator.random(rows.X.shape) < 0.1, np.nan, rows.X)
    weight, order = generator.uniform(0.2, 2.0, len(X)), generator.permutation(len(X))
    options = {"kernel": "rbf", "gamma": 0.5, "random_state": 3, "basis": 15 if is_sparse_basis else None}
    one = fitted(name, changed(rows, X=X, weight=weight), **options)
    other = fitted(name, changed(rows, X=X[order], y=rows.y[order], weight=weight[order]), **options)
    back = said(other, rows.new)
    back = back.with_parts(trust=back.parts["trust"][np.argsort(order)])
    assert largest(back, said(one, rows.new), rows.unit) < (ROUNDING if "Fuzzy" in name else EXACT)
    np.testing.assert_array_equal(order[other.relevance_], one.relevance_)


def test_rates_of_wrong_labels_follow_the_names():
    generator = np.random.default_rng(10)
    X = generator.normal(size=(150, 2))  # fewer hardly tell of which class labels are wrong
    function = truth(X)
    right = (function + 0.4 * generator.normal(size=150) > np.median(function)).astype(int)
    y = np.where((np.arange(150) % 3 == 0) & (right == 1), 0, right)
    model, swapped = RobustRVC().fit(X, y), RobustRVC().fit(X, 1 - y)
    assert model.noise_[1, 0] > 1.5 * model.noise_[0, 1]
    np.testing.assert_allclose(swapped.noise_[::-1, ::-1], model.noise_, atol=MIRRORED)


def test_what_is_said_of_single_rows_is_said_of_the_rows_as_given():
    """Positions and memberships are the user's, whatever order the fit has."""
    rows = table("smooth", 0)
    y = rows.y.copy()
    y[[5, 40]] += 20.0
    model = RobustRVR().fit(rows.X, y)
    assert set(np.argsort(model.sample_trust_)[:2]) == {5, 40}
    assert set(model.audit(rows.X, y).index[:2]) == {5, 40}
    np.testing.assert_allclose(model.relevance_vectors_, rows.X[model.relevance_])

    doubt = np.ones(70)
    doubt[[5, 40]] = 1e-6
    fuzzy = FuzzyRVR(membership=doubt, gamma=0.3).fit(rows.X, y)
    np.testing.assert_allclose(fuzzy.expected_weight_, doubt)
    weight = np.ones(70)
    weight[::9] = 0.0
    for known in (doubt, doubt[weight > 0.0]):
        fixed = SparseBayesRegressor(weights=Fixed(known), gamma=0.3).fit(rows.X, y, sample_weight=weight)
        np.testing.assert_allclose(fixed.expected_weight_, doubt * (weight > 0.0))


def test_memberships_of_time_go_by_the_order_given():
    rows = table("smooth", 0)
    late = FuzzyRVR(membership="time_linear", gamma=0.3).fit(rows.X, rows.y).expected_weight_
    assert (np.diff(late) > 0.0).all()


def test_copies_of_a_row_have_its_trust():
    rows = table("smooth", 2)
    X, y = np.repeat(rows.X, 2, axis=0), np.repeat(rows.y, 2)
    for name in CLASSIFIERS:
        trust = made(name, **one_kernel(name)).fit(X, y).sample_trust_
        np.testing.assert_allclose(trust[::2], trust[1::2], atol=EXACT)
