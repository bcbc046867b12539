"""Bad input gives a clear error or a good fit; no estimator is ever left half fitted."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_moons
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from rowtrust import (
    RVC,
    RVR,
    BayesianSVR,
    FuzzyRVC,
    FuzzyRVR,
    RobustRVC,
    RobustRVR,
    SparseBayesClassifier,
    SparseBayesRegressor,
)
from rowtrust.likelihoods import Logistic
from rowtrust.weights import Gamma

CLASSIFIERS = [RVC, RobustRVC, FuzzyRVC]
REGRESSORS = [RVR, RobustRVR, FuzzyRVR]
ESTIMATORS = CLASSIFIERS + REGRESSORS
EACH_OF_CLASSES = [
    RVC,
    RobustRVC,
    *(pytest.param(each, marks=pytest.mark.slow) for each in CLASSIFIERS if each not in (RVC, RobustRVC)),
]
EACH_OF_NUMBERS = [
    RVR,
    RobustRVR,
    *(pytest.param(each, marks=pytest.mark.slow) for each in REGRESSORS if each not in (RVR, RobustRVR)),
]
EACH = [
    RVC,
    RVR,
    *(pytest.param(each, marks=pytest.mark.slow) for each in ESTIMATORS if each not in (RVC, RVR)),
]
X, Y = make_moons(60, noise=0.2, random_state=0)
TARGET = np.sin(3 * X[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=60)


def targets(estimator):
    return Y if estimator in CLASSIFIERS else TARGET


def spoilt(value):
    spoilt_X = X.copy()
    spoilt_X[3, 1] = value
    return spoilt_X


@pytest.mark.parametrize("estimator", EACH)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda y: {"X": np.full((60, 2), np.nan), "y": y}, "NaN"),
        (lambda y: {"X": spoilt(np.inf), "y": y}, "infinity"),
        (lambda y: {"X": X, "y": y[:-1]}, "inconsistent numbers of samples"),
        (lambda y: {"X": X[:1], "y": y[:1]}, "minimum of 2 is required"),
        (lambda y: {"X": X, "y": y, "sample_weight": -np.ones(60)}, "Negative"),
        (lambda y: {"X": X, "y": y, "sample_weight": np.zeros(60)}, "zero"),
        (lambda y: {"X": X, "y": y, "sample_weight": np.ones(59)}, "sample_weight"),
        (lambda y: {"X": X, "y": y, "sample_weight": np.full(60, np.nan)}, "NaN"),
        (lambda y: {"X": X[:, 0], "y": y}, "2D"),
    ],
)
def test_bad_rows_are_refused_and_leave_no_trace(estimator, change, message):
    model = estimator()
    with pytest.raises(ValueError, match=message):
        model.fit(**change(targets(estimator)))
    with pytest.raises(NotFittedError):
        check_is_fitted(model)
    assert vars(model) == vars(estimator())


@pytest.mark.parametrize("estimator", EACH)
def test_a_failed_refit_keeps_the_old_fit(estimator):
    model = estimator(gamma=1.0, random_state=0).fit(X, targets(estimator))
    before = model.predict(X)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full((60, 5), np.nan), targets(estimator))
    np.testing.assert_array_equal(model.predict(X), before)
    assert model.n_features_in_ == 2


@pytest.mark.parametrize("estimator", EACH_OF_CLASSES)
def test_one_class_is_refused(estimator):
    with pytest.raises(ValueError, match="at least two classes"):
        estimator().fit(X, np.zeros(60))
    with pytest.raises(ValueError, match="at least two classes"):
        estimator().fit(X, Y, sample_weight=(Y == 0).astype(float))


@pytest.mark.parametrize("estimator", EACH)
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"gamma": 0.0}, "gamma"),
        ({"gamma": -1.0}, "gamma"),
        ({"kernel": "sigmund"}, "kernel"),
        ({"basis": 0}, "basis"),
        ({"basis": np.zeros((3, 5))}, "features"),
        ({"solver": "magic"}, "solver"),
        ({"max_iter": 0}, "max_iter"),
        ({"tol": 0.0}, "tol"),
    ],
)
def test_bad_parameters_are_refused(estimator, parameters, message):
    with pytest.raises(ValueError, match=message):
        estimator(**parameters).fit(X, targets(estimator))


@pytest.mark.parametrize("estimator", [FuzzyRVC, FuzzyRVR])
@pytest.mark.parametrize(
    ("membership", "message"),
    [
        (np.zeros(60), r"\(0, 1\]"),
        (np.full(60, 1.5), r"\(0, 1\]"),
        (np.full(60, np.nan), r"\(0, 1\]"),
        (np.ones(59), "one membership per row"),
        (lambda X, y: np.ones(3), "one number per row"),
        ("moon phase", "membership"),
    ],
)
def test_bad_memberships_are_refused(estimator, membership, message):
    with pytest.raises(ValueError, match=message):
        estimator(membership=membership).fit(X, targets(estimator))


@pytest.mark.parametrize("estimator", EACH)
def test_precomputed_kernels_of_the_wrong_shape_are_refused(estimator):
    model = estimator(kernel="precomputed")
    with pytest.raises(ValueError, match="square"):
        model.fit(np.ones((60, 59)), targets(estimator))
    model.fit(X @ X.T, targets(estimator))
    with pytest.raises(ValueError, match="features"):
        model.predict(np.ones((3, 59)))


@pytest.mark.parametrize("estimator", [RVC, pytest.param(RobustRVR, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "rows",
    [
        np.column_stack([X, np.ones(60)]),
        np.column_stack([X, X]),
        np.tile(X[:10], (6, 1)),
        np.ones((60, 2)),
        X.astype(np.float32),
        1e-8 * X,
        1e8 * X,
        X + 1e7,
    ],
    ids=["constant", "duplicated", "repeated", "all equal", "float32", "tiny", "huge", "far"],
)
def test_awkward_inputs_fit(estimator, rows):
    model = estimator(kernel="auto" if estimator is RVC else "rbf").fit(rows, targets(estimator))
    assert np.isfinite(model.predictive_model_.latent_moments(rows)).all()
    assert np.isfinite(model.lower_bound_)


@pytest.mark.parametrize("estimator", EACH_OF_NUMBERS)
@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_the_scale_of_the_targets_does_not_matter(estimator, scale):
    plain = estimator(gamma=1.0, random_state=0).fit(X, TARGET)
    scaled = estimator(gamma=1.0, random_state=0).fit(X, scale * TARGET)
    for one, two in zip(plain.predict(X, return_std=True), scaled.predict(X, return_std=True), strict=True):
        np.testing.assert_allclose(scale * one, two, rtol=1e-5, atol=1e-5 * scale)
    shift = 60 * np.log(scale)
    if estimator is not FuzzyRVR:
        assert scaled.lower_bound_ == pytest.approx(plain.lower_bound_ - shift, abs=1e-3)


@pytest.mark.parametrize("estimator", EACH_OF_NUMBERS)
@pytest.mark.parametrize("value", [0.0, 5.0, -1e9])
def test_constant_targets_give_a_constant_model(estimator, value):
    model = estimator().fit(X, np.full(60, value))
    np.testing.assert_allclose(model.predict(X), value, atol=1e-6)


@pytest.mark.parametrize("estimator", EACH_OF_NUMBERS)
def test_noise_free_targets_do_not_diverge(estimator):
    line = np.linspace(0, 1, 50)[:, None]
    model = estimator(gamma=5.0).fit(line, np.sin(6 * line[:, 0]))
    assert np.isfinite(model.noise_precision_)
    assert model.score(line, np.sin(6 * line[:, 0])) > 0.999


@pytest.mark.parametrize("estimator", EACH_OF_CLASSES)
@pytest.mark.parametrize("solver", ["working_set", "variational"])
def test_separable_classes_end_and_are_separated(estimator, solver):
    rows = np.r_[X[:30] * 0.1, X[30:] * 0.1 + 10]
    labels = np.repeat([0, 1], 30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = estimator(solver=solver, max_iter=300).fit(rows, labels)
    assert (model.predict(rows) == labels).all()
    assert np.isfinite(model.predict_proba(rows)).all()


@pytest.mark.parametrize("estimator", EACH_OF_CLASSES)
def test_two_rows_of_two_classes_fit(estimator):
    model = estimator().fit([[0.0], [1.0]], ["no", "yes"])
    assert model.predict_proba([[0.0], [1.0]]).shape == (2, 2)


@pytest.mark.parametrize("estimator", EACH)
def test_more_landmarks_than_rows_are_all_rows(estimator):
    many = estimator(basis=1000, gamma=1.0).fit(X, targets(estimator))
    every = estimator(basis=None, gamma=1.0).fit(X, targets(estimator))
    np.testing.assert_array_equal(many.predict(X), every.predict(X))


def test_audit_refuses_labels_it_does_not_know_and_wrong_lengths():
    model = RobustRVC(gamma=1.0).fit(X, Y)
    with pytest.raises(ValueError, match="not in the fit"):
        model.audit(X, np.full(60, 7))
    with pytest.raises(ValueError, match="one per row"):
        model.audit(X, Y[:-1])
    with pytest.raises(ValueError, match="one per row"):
        RobustRVR(gamma=1.0).fit(X, TARGET).audit(X, TARGET[:-1])


@pytest.mark.parametrize("estimator", EACH)
def test_a_kernel_that_overflows_is_refused(estimator):
    with pytest.raises(ValueError, match="Scale the inputs"), np.errstate(all="ignore"):
        estimator(kernel="polynomial", gamma=1e200).fit(X, targets(estimator))


@pytest.mark.parametrize("estimator", EACH)
def test_an_all_zero_kernel_column_is_no_harm(estimator):
    rows = np.r_[np.zeros((1, 2)), X[1:]]
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        model = estimator(kernel="linear", random_state=0).fit(rows, targets(estimator))
    assert 0 not in model.relevance_


def test_one_wild_row_does_not_blur_the_kernel_of_the_others():
    wild = np.r_[X, [[1e7, 1e7]]]
    model = RVC(gamma=2.0, random_state=0).fit(wild, np.r_[Y, 0])
    assert model.score(X, Y) > 0.93


@pytest.mark.parametrize("estimator", [RVC, RVR])
def test_sparse_precomputed_kernels_fit(estimator):
    matrix = np.exp(-2 * ((X[:, None] - X) ** 2).sum(axis=2))
    dense = estimator(kernel="precomputed", random_state=0).fit(matrix, targets(estimator))
    stored = estimator(kernel="precomputed", random_state=0).fit(csr_array(matrix), targets(estimator))
    np.testing.assert_allclose(dense.predict(matrix), stored.predict(csr_array(matrix)))


@pytest.mark.parametrize("estimator", EACH_OF_CLASSES)
@pytest.mark.parametrize("class_weight", [{0: -1.0, 1: 1.0}, {0: 0.0, 1: 1.0}, {0: np.nan, 1: 1.0}])
def test_bad_class_weights_are_refused(estimator, class_weight):
    with pytest.raises(ValueError, match="above zero"):
        estimator(class_weight=class_weight).fit(X, Y)


@pytest.mark.parametrize("estimator", EACH_OF_NUMBERS)
@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_targets_whose_squares_overflow_are_refused(estimator, scale):
    with pytest.raises(ValueError, match="Rescale y"):
        estimator().fit(X, scale * TARGET)


@pytest.mark.parametrize("estimator", EACH)
def test_sizes_that_overflow_are_refused(estimator):
    with pytest.raises(ValueError, match="Divide them"):
        estimator().fit(X, targets(estimator), sample_weight=np.full(60, 1e200))
    with pytest.raises(ValueError, match="Multiply X by 1e-200"):
        estimator(scaling=None).fit(1e200 * X, targets(estimator))


@pytest.mark.parametrize("estimator", EACH)
def test_inputs_whose_squares_overflow_are_scaled_or_refused(estimator):
    try:
        large = estimator(gamma=0.5).fit(2.0**600 * X, targets(estimator))
    except ValueError as refused:
        assert "Scale them" in str(refused)  # noqa: PT017
    else:
        plain = estimator(gamma=0.5).fit(X, targets(estimator))
        np.testing.assert_allclose(large.predict(2.0**600 * X), plain.predict(X), rtol=1e-6)


def test_the_variational_solver_says_how_many_columns_it_can_keep(monkeypatch):
    monkeypatch.setattr("rowtrust.inference.variational.MOST_COLUMNS", 30)
    with pytest.raises(ValueError, match="working_set"):
        RVC(solver="variational").fit(X, Y)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_audit_refuses_targets_that_are_no_numbers(value):
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        RobustRVR(gamma=1.0).fit(X, TARGET).audit(X, np.full(60, value))


def test_a_huge_constant_column_does_not_set_the_width():
    plain = RVC(random_state=0).fit(X, Y)
    wide = RVC(random_state=0).fit(np.column_stack([X, np.full(60, 1e12)]), Y)
    assert wide.gamma_ == pytest.approx(plain.gamma_, rel=1e-6)


@pytest.mark.parametrize("label", [np.int64(7), np.str_("a"), np.float64(2.0), True])
def test_the_one_class_is_named_as_a_person_would(label):
    with pytest.raises(ValueError, match="at least two classes") as refusal:
        RVC().fit(np.zeros((4, 1)), np.array([label] * 4))
    assert str(refusal.value).endswith(f"of class {np.asarray(label).item()!r}.")


def test_logistic_targets_must_lie_between_zero_and_one():
    X = np.linspace(-1, 1, 12)[:, None]
    shares = 1.0 / (1.0 + np.exp(-2.0 * X[:, 0]))
    SparseBayesRegressor(likelihood=Logistic(), gamma=1.0).fit(X, shares)
    with pytest.raises(ValueError, match=r"targets from 0 to 1; got -5.88 to -5.12"):
        SparseBayesRegressor(likelihood=Logistic(), gamma=1.0).fit(X, shares - 6.0)


@pytest.mark.parametrize("weights", [Gamma(1.0, learns=True), Gamma(0.05), Gamma(0.5)], ids=repr)
def test_no_row_is_trusted_more_than_wholly(weights):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(40, 2))
    y = X[:, 0] + 0.1 * generator.standard_t(2.0, size=40)
    model = SparseBayesRegressor(weights=weights, gamma=0.5).fit(X, y)
    assert model.expected_weight_.max() <= 1.0
    assert model.expected_weight_.min() < 0.9
    for trust in (model.sample_trust_, model.judge_rows(X, y).trust, model.judge_rows(X + 0.01, y).trust):
        assert 0.0 <= trust.min() <= trust.max() <= 1.0


def test_tails_too_heavy_for_any_interval_are_refused():
    X = np.linspace(-1, 1, 8)[:, None]
    y = 1e11 * X[:, 0] ** 2
    with pytest.raises(ValueError, match=r"at least 0.05 for noise of numbers, got 0.001"):
        SparseBayesRegressor(weights=Gamma(1e-3), gamma=1.0).fit(X, y)
    doubting = SparseBayesRegressor(weights=Gamma(0.05), gamma=1.0).fit(X, y)
    assert np.isfinite(doubting.predict(X, return_std=True)[1]).all()
    SparseBayesClassifier(weights=Gamma(1e-3), gamma=1.0).fit(X, y > y.mean())


@pytest.mark.parametrize("far", [1e13, 1e15])
@pytest.mark.parametrize("kind", [RVR, RVC])
def test_inputs_that_are_constant_but_for_rounding(kind, far):
    """They were refused at the default, with the advice to leave scaling at its default."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] > 0 if kind is RVC else X[:, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        model = kind().fit(X + far, y)
    assert np.isfinite(model.predict(X + far).astype(float)).all()


@pytest.mark.parametrize(
    ("weight", "fits"), [([0.0, 1.0, 0.0], False), ([0.0, 3.0, 0.0], True), ([1, 0.2, 0], True)]
)
def test_rows_of_weight_zero_are_not_there(weight, fits):
    """A weight counts copies of its row: what is refused of copies is refused of weights."""
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 2.0])
    if fits:
        assert np.isfinite(RVR().fit(X, y, sample_weight=weight).predict(X)).all()
        return
    with pytest.raises(ValueError, match="1 of 3 sample weights are positive: too few rows"):
        RVR().fit(X, y, sample_weight=weight)
    with pytest.raises(ValueError, match="minimum of 2"):
        RVR().fit(X[1:2], y[1:2])


@pytest.mark.parametrize("machine", [RVC, RVR, BayesianSVR])
def test_words_among_numbers_are_named_with_two_ways_out(machine):
    frame = pd.DataFrame({"age": [1.0, 2.0, 3.0, 4.0], "grade": ["1", "low", "high", "2"]})
    for X, column in ((frame, "'grade'"), (frame.to_numpy(dtype=object), "1")):
        with pytest.raises(ValueError, match=f"Column {column} of X holds words such as 'low'") as told:
            machine().fit(X, [0, 1, 0, 1])
        assert "OneHotEncoder" in str(told.value)
        assert "study_table" in str(told.value)


def test_poly_is_the_polynomial_kernel_as_in_svc():
    X, y = make_moons(40, random_state=0)
    short, long = (RVC(kernel=name, degree=2).fit(X, y) for name in ("poly", "polynomial"))
    np.testing.assert_array_equal(short.predict_proba(X), long.predict_proba(X))
    assert short.kernel_ == "polynomial"
