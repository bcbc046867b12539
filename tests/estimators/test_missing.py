"""Machines fitted to rows with missing values."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_friedman1
from sklearn.gaussian_process.kernels import RBF
from sklearn.utils import get_tags

import rowtrust
from rowtrust import RVC, RVR, FuzzyRVC, FuzzyRVR, RobustRVC, RobustRVR
from rowtrust.export.portable import ExportError, portable
from rowtrust.io import load, save

SPARSE = [RVC, RobustRVC, FuzzyRVC, RVR, RobustRVR, FuzzyRVR]
EACH = [
    RVC,
    RVR,
    *(pytest.param(each, marks=pytest.mark.slow) for each in SPARSE if each not in (RVC, RVR)),
]
X, TARGET = make_friedman1(80, n_features=5, noise=0.3, random_state=0)
X = np.column_stack([X, X[:, 3] + 0.05 * np.random.default_rng(1).normal(size=len(X))])
LABEL = (np.median(TARGET) < TARGET).astype(int)
HOLED = np.where(np.random.default_rng(2).random(X.shape) < 0.15, np.nan, X)


def target_of(kind):
    return LABEL if hasattr(kind, "predict_proba") else TARGET


def fitted(kind, rows=HOLED, **parameters):
    return kind(random_state=0, **{"gamma": 1.0, **parameters}).fit(rows, target_of(kind))


def answers(model, rows):
    return model.predict_proba(rows) if hasattr(model, "predict_proba") else model.predict(rows)


@pytest.mark.parametrize("kind", [RVC, RVR])
def test_without_nan_nothing_changes(kind):
    model, refusing = fitted(kind, X), fitted(kind, X, missing=None)
    np.testing.assert_array_equal(answers(model, X), answers(refusing, X))
    assert model.lower_bound_ == refusing.lower_bound_


@pytest.mark.parametrize(
    ("kind", "kernel"),
    [*((kind, "rbf") for kind in SPARSE), (RVC, "laplacian"), (RVR, "laplacian"), (RobustRVR, "linear")],
)
def test_machines_learn_from_rows_with_holes(kind, kernel):
    model = fitted(kind, kernel=kernel)
    for rows in (HOLED, X):
        chance = 0.5 if hasattr(kind, "predict_proba") else 0.0
        assert model.score(rows, target_of(kind)) > chance + 0.2
    assert np.isnan(model.relevance_vectors_).any() == (kernel != "linear")


@pytest.mark.parametrize("kind", [RVC, RVR])
def test_a_column_that_is_always_missing_is_no_column(kind):
    wide = np.insert(HOLED, 2, np.nan, axis=1)
    model, narrow = fitted(kind, wide, gamma="evidence"), fitted(kind, gamma="evidence")
    np.testing.assert_allclose(answers(model, wide), answers(narrow, HOLED), rtol=1e-6, atol=1e-9)
    seen = np.insert(X, 2, 1e3, axis=1)
    np.testing.assert_allclose(answers(model, seen), answers(narrow, X), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("kind", [RVC, RVR])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_the_order_of_columns_does_not_matter(kind, kernel):
    order = [3, 0, 5, 1, 4, 2]
    one, other = fitted(kind, kernel=kernel), fitted(kind, HOLED[:, order], kernel=kernel)
    np.testing.assert_allclose(answers(other, HOLED[:, order]), answers(one, HOLED), rtol=1e-5, atol=1e-7)


def test_a_repeated_row_is_a_weight_of_two():
    weight = np.ones(80)
    weight[:30] = 2.0
    twice = RVR(gamma=1.0).fit(np.vstack([HOLED, HOLED[:30]]), np.append(TARGET, TARGET[:30]))
    weighted = RVR(gamma=1.0).fit(HOLED, TARGET, sample_weight=weight)
    np.testing.assert_allclose(twice.predict(X), weighted.predict(X), rtol=1e-5)


@pytest.mark.parametrize("kind", [RVR, RVC])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_the_latent_function_of_a_holed_row_is_averaged_over_its_missing_value(kind, kernel):
    model = fitted(kind, X, kernel=kernel).predictive_model_
    row = X[:1].astype(complex)
    row[0, 2] += 0.3j
    draws = np.repeat(X[:1], 20001, axis=0)
    steps = np.linspace(-8.0, 8.0, 20001)
    draws[:, 2] += 0.3 * steps
    share = np.exp(-0.5 * steps**2) / np.exp(-0.5 * steps**2).sum()
    expected = share @ model.fitted_moments(draws, None)[0]
    np.testing.assert_allclose(model.fitted_moments(row, None)[0][0], expected, rtol=1e-6)


@pytest.mark.parametrize("kind", EACH)
def test_holes_in_new_rows_alone(kind):
    model = fitted(kind, X)
    holed = X.copy()
    holed[:, 5] = np.nan  # which column 3 says nearly as well
    assert model.score(holed, target_of(kind)) > model.score(X, target_of(kind)) - 0.05
    nothing = answers(model, np.full((1, 6), np.nan))
    assert np.isfinite(nothing).all()


@pytest.mark.parametrize(
    "parameters",
    [
        {"kernel": rowtrust.kernels.OnColumns(RBF(1.0), [0, 3])},
        {"kernel": lambda A, B: (1.0 + A @ B.T) ** 2},
        {"basis": 30},
        {"basis": X[:40]},
        {"solver": "variational", "max_iter": 30, "tol": 1.0},
    ],
)
def test_whatever_the_kernel_and_the_centres(parameters):
    model = fitted(RVR, **parameters)
    assert model.score(HOLED, TARGET) > 0.3


@pytest.mark.parametrize("membership", ["imbalance", "class_centre"])
def test_memberships_see_the_expected_rows(membership):
    assert fitted(FuzzyRVC, membership=membership).score(HOLED, LABEL) > 0.7


@pytest.mark.parametrize("kind", [RVC, RobustRVC, RobustRVR])
def test_an_audit_knows_the_rows_of_the_fit(kind):
    model = fitted(kind)
    table = model.audit(HOLED[40:60], target_of(kind)[40:60]).sort_index()
    audit = model.audit(HOLED, target_of(kind))
    np.testing.assert_allclose(table["trust"], audit.sort_index()["trust"][40:60], rtol=1e-9)
    assert len(audit) == 80


def test_several_targets():
    both = np.column_stack([TARGET, X[:, 0]])
    model = RVR(gamma=1.0).fit(HOLED, both)
    np.testing.assert_array_equal(
        model.predict(HOLED)[:, 0], RVR(gamma=1.0).fit(HOLED, TARGET).predict(HOLED)
    )


@pytest.mark.parametrize("kind", EACH)
def test_nan_is_refused_where_it_is_not_wanted(kind):
    words = rf"Input X contains NaN.*{kind.__name__}\(missing=\"expected\"\).*imputer"
    refusing = kind(missing=None)
    with pytest.raises(ValueError, match=words):
        refusing.fit(HOLED, target_of(kind))
    assert vars(refusing) == vars(kind(missing=None))
    model = fitted(kind, X, missing=None)
    with pytest.raises(ValueError, match=words):
        model.predict(HOLED)
    with pytest.raises(ValueError, match="infinity"):
        fitted(kind, np.where(np.isnan(HOLED), np.inf, X))
    with pytest.raises(ValueError, match="infinity"):
        model.predict(np.where(np.isnan(HOLED), np.inf, X))


def test_nan_is_refused_where_nothing_can_be_said_of_it():
    with pytest.raises(ValueError, match="contains NaN"):
        RVR().fit(sparse.csr_array(HOLED), TARGET)
    with pytest.raises(ValueError, match="contains NaN"):
        fitted(RVR, sparse.csr_array(X)).predict(sparse.csr_array(HOLED))
    gram = X @ X.T
    gram[0, 1] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        fitted(RVR, gram, kernel="precomputed")


def test_the_tag_says_who_takes_nan():
    assert get_tags(RVC()).input_tags.allow_nan
    assert not get_tags(RVC(missing=None)).input_tags.allow_nan
    assert not get_tags(RVC(kernel="precomputed")).input_tags.allow_nan
    assert not get_tags(rowtrust.BayesianSVR()).input_tags.allow_nan


def test_model_files_have_what_fills_holes(tmp_path):
    pytest.importorskip("skops")
    for kind, rows in ((RVC, HOLED), (RVR, HOLED), (RVR, X)):
        model = fitted(kind, rows)
        save(model, tmp_path / "model.skops")
        np.testing.assert_array_equal(answers(load(tmp_path / "model.skops"), HOLED), answers(model, HOLED))


def test_exports_refuse_a_model_of_uncertain_rows():
    with pytest.raises(ExportError, match=r"rows with missing values.*imputer"):
        portable(fitted(RVR))
    assert portable(fitted(RVR, X)).classes is None
