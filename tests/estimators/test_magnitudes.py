"""Inputs and targets of any size: the same fit, or a refusal that names the cure; never a silent guess."""

import re
from functools import cache

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.gaussian_process.kernels import RBF

from rowtrust import RVC, RVR, BayesianSVR, FuzzyRVC, FuzzyRVR, RobustRVC, RobustRVR

RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 2))
TRUTH = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1]
Y = TRUTH + 0.1 * RNG.normal(size=50)
LABELS = (TRUTH > 0).astype(int)
NEW = RNG.normal(size=(20, 2))
HOLES = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
EVERY = [RVC, RobustRVC, FuzzyRVC, RVR, RobustRVR, FuzzyRVR, BayesianSVR]
SLOWLY = [pytest.param(kind, exponent, marks=pytest.mark.slow) for kind in EVERY for exponent in (-515, 900)]
KERNELS = [
    {},
    {"kernel": "rbf"},
    {"kernel": "rbf", "gamma": "scale"},
    {"kernel": "laplacian", "gamma": "scale"},
    {"kernel": "polynomial"},
    {"kernel": "linear"},
    {"kernel": RBF(1.0)},
]
ATTRIBUTES = ("gamma_", "relevance_gamma_", "feature_relevance_", "scale_", "lower_bound_")


def fitted(kind, rows, y=None, **parameters):
    target = LABELS if hasattr(kind, "predict_proba") else Y
    return kind(**parameters).fit(rows, target if y is None else y)


@cache
def reference(kind, number=0, scaling="robust"):
    """Return the answers of a model of rows in ordinary units."""
    parameters = {} if kind is BayesianSVR else {**KERNELS[number], "scaling": scaling}
    return answer(fitted(kind, X, **parameters), NEW)


def numbered(kernels):
    return [pytest.param(number, id=ids(KERNELS[number])) for number in kernels]


def refusal(fit):
    """Return what a fit or a prediction gives, and with which words it is refused."""
    try:
        return fit(), None
    except ValueError as refused:
        return None, str(refused)


def answer(model, rows):
    if hasattr(model, "predict_proba"):
        return model.predict_proba(rows)
    return np.column_stack(model.predict(rows, return_std=True))


def assert_finite(model):
    for name in ATTRIBUTES:
        value = getattr(model, name, None)
        assert value is None or np.isfinite(value).all(), name
    for shares in (getattr(model, "gamma_share_", {}), getattr(model, "kernel_share_", {})):
        assert all(np.isfinite(key) for key in shares if not isinstance(key, str))


def ids(parameters):
    return "-".join(str(value) for value in parameters.values()) or "auto"


@pytest.mark.parametrize(("kind", "exponent"), [(RVC, 900), (RVR, -515), (BayesianSVR, -900), *SLOWLY])
def test_a_power_of_two_changes_nothing(kind, exponent):
    """At 2**-515, 1e-155, relevances were infinite; without scaling gamma was, and the model a constant."""
    other = fitted(kind, np.ldexp(X, exponent))
    np.testing.assert_array_equal(answer(other, np.ldexp(NEW, exponent)), reference(kind))
    assert_finite(other)


@pytest.mark.parametrize("exponent", [-515, pytest.param(900, marks=pytest.mark.slow)])
@pytest.mark.parametrize("number", numbered(range(1, len(KERNELS))))
def test_nor_with_any_kernel(number, exponent):
    other = fitted(RVR, np.ldexp(X, exponent), **KERNELS[number])
    np.testing.assert_array_equal(answer(other, np.ldexp(NEW, exponent)), reference(RVR, number))
    assert_finite(other)


@pytest.mark.slow
@pytest.mark.parametrize("scale", [1e-155, 1e280])
@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_a_power_of_ten_changes_roundings(scale, storage):
    one, other = fitted(RVR, storage(X), kernel="rbf"), fitted(RVR, storage(scale * X), kernel="rbf")
    np.testing.assert_allclose(answer(other, storage(scale * NEW)), answer(one, storage(NEW)), atol=1e-8)


@pytest.mark.parametrize(("kind", "exponent"), [(RVC, -515), (RVR, 515)])
def test_missing_values_of_any_size(kind, exponent):
    """Below 1e-150 a missing value had more spread than its column."""
    one, other = fitted(kind, HOLES), fitted(kind, np.ldexp(HOLES, exponent))
    rows = np.where(NEW > 1.0, np.nan, NEW)
    np.testing.assert_array_equal(answer(other, np.ldexp(rows, exponent)), answer(one, rows))


@pytest.mark.parametrize(("kind", "exponent"), [(RVC, -900), (RVR, 900), (BayesianSVR, -40)])
def test_one_column_beside_ordinary_ones(kind, exponent):
    scales = np.array([1.0, np.ldexp(1.0, exponent)])
    np.testing.assert_array_equal(answer(fitted(kind, scales * X), scales * NEW), reference(kind))


@pytest.mark.parametrize("scale", [0.0, 1e-310, 1e300])
@pytest.mark.parametrize("kind", [RVR, BayesianSVR])
def test_what_cannot_be_divided_by_names_the_cure(kind, scale):
    """Beyond, one over a spread is no double. Zero is a constant, which is none of that."""
    if scale == 0.0:
        assert np.isfinite(answer(fitted(kind, scale * X), NEW)).all()
        return
    with pytest.raises(ValueError, match=r"Input 0 spreads over .* Multiply it by 1e[+-]\d+") as refused:
        fitted(kind, scale * X)
    factor = float(re.search(r"Multiply it by (1e[+-]\d+)", str(refused.value)).group(1))
    assert np.isfinite(answer(fitted(kind, factor * (scale * X)), NEW)).all()


@pytest.mark.parametrize("scale", [1e-310, 1e-155, 1e-120, 1e120, 1e200])
@pytest.mark.parametrize("kind", [RVC, RobustRVC, RVR, RobustRVR, FuzzyRVR])
def test_without_scaling_a_fit_is_the_same_or_refused(kind, scale):
    with pytest.raises(ValueError, match=r"Multiply X by|Scale the inputs"):
        fitted(kind, scale * X, scaling=None)


@pytest.mark.parametrize("scale", [1e-155, 1e10, 1e200])
@pytest.mark.parametrize("number", numbered(range(1, len(KERNELS))))
@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_without_scaling_no_kernel_guesses(number, scale, storage):
    parameters = KERNELS[number]
    is_object = not isinstance(parameters["kernel"], str)
    if storage is csr_array and is_object:
        pytest.skip("dense rows only")
    model, words = refusal(lambda: fitted(RVR, storage(scale * X), scaling=None, **parameters))
    if words is not None:
        assert re.search(r"Multiply X by|Scale the inputs", words)
    elif is_object:  # its bounds are in the user's units
        assert np.ptp(model.predict(storage(scale * X))) > 0.0
    else:
        found = answer(model, storage(scale * NEW))
        np.testing.assert_allclose(found, reference(RVR, number, None), atol=1e-6)
        assert_finite(model)


@pytest.mark.parametrize("gamma", [1e-30, 1e30])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
@pytest.mark.parametrize("kind", [RVC, RVR])
def test_a_width_that_tells_no_rows_apart_is_refused(kind, kernel, gamma):
    with pytest.raises(ValueError, match="would make a constant of the model"):
        fitted(kind, X, kernel=kernel, gamma=gamma)


@pytest.mark.parametrize("scale", [1e-200, 1e-20, 1e20, 1e200])
def test_a_relevance_that_tells_no_rows_apart_is_refused(scale):
    with pytest.raises(ValueError, match="Multiply X by"):
        BayesianSVR(relevance=0.7).fit(scale * X, Y)


def test_a_narrow_kernel_may_look_words_up():
    """Rows with copies have something to learn from, though no other row is like them."""
    codes = np.repeat(np.eye(3), 10, axis=0)
    model = RVR(kernel="rbf", gamma=1e4, scaling=None).fit(
        codes, np.repeat([1.0, 2.0, 5.0], 10) + 0.01 * Y[:30]
    )
    np.testing.assert_allclose(model.predict(np.eye(3)), [1.0, 2.0, 5.0], atol=0.1)


@pytest.mark.parametrize(
    ("kind", "offset", "spread"), [(RVC, 1e8, 1e-3), (RVR, 1.0, 1e-12), (BayesianSVR, 1e3, 1e-8)]
)
def test_a_large_offset_keeps_the_digits_that_the_rows_have(kind, offset, spread):
    rows, new = offset + spread * X, offset + spread * NEW
    exact = fitted(kind, (rows - offset) / spread)
    expected = answer(exact, (new - offset) / spread)
    np.testing.assert_allclose(answer(fitted(kind, rows), new), expected, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("scaling", ["robust", None])
@pytest.mark.parametrize(("offset", "spread"), [(1e8, 1e-3), (1.0, 1e-12)])
def test_also_of_sparse_rows(offset, spread, scaling):
    """Squares by dot products had no digit left of it, and the variance none either."""
    rows, new = offset + spread * X, offset + spread * NEW
    exact = fitted(RVR, (rows - offset) / spread, kernel="rbf", scaling=scaling)
    found = fitted(RVR, csr_array(rows), kernel="rbf", scaling=scaling)
    expected = answer(exact, (new - offset) / spread)
    np.testing.assert_allclose(answer(found, csr_array(new)), expected, atol=1e-3)


@pytest.mark.parametrize("size", [1e-150, 1e-90, 1e12, 1e150])
@pytest.mark.parametrize("kind", [RVR, BayesianSVR])
def test_targets_of_any_size(kind, size):
    if not 1e-100 < size < 1e100:
        with pytest.raises(ValueError, match=r"Multiply y by 1e[+-]\d+"):
            fitted(kind, X, size * Y)
        return
    other = fitted(kind, X, size * Y)
    np.testing.assert_allclose(answer(other, NEW) / size, reference(kind), atol=1e-5)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("parameters", KERNELS[:-1], ids=ids)
@pytest.mark.parametrize("scaling", ["robust", pytest.param(None, marks=pytest.mark.slow)])
def test_rows_far_beyond_are_answered_or_refused(parameters, scaling):
    far = np.array([[1e120, 1.0], [-1e200, 1e200], [1.7e308, -1.7e308], [0.1, 1e308]])
    holes = np.where(far == 1.0, np.nan, far)
    storages = [np.asarray]
    if isinstance(parameters.get("kernel", ""), str):
        storages.append(csr_array)
    for storage in storages:
        model = fitted(RVR, storage(X), scaling=scaling, **parameters)
        for rows in (storage(far), *([holes] if storage is np.asarray else [])):
            found, words = refusal(lambda model=model, rows=rows: answer(model, rows))
            if words is None:
                assert np.isfinite(found).all()
            else:
                assert re.search("Scale the inputs|infinity", words)
