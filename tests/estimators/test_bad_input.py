"""Bad input gives a clear error or a good fit; no estimator is ever left half fitted."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_moons
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from rowtrust import RVC, RVR, FuzzyRVC, FuzzyRVR, RobustRVC, RobustRVR

CLASSIFIERS = [RVC, RobustRVC, FuzzyRVC]
REGRESSORS = [RVR, RobustRVR, FuzzyRVR]
ESTIMATORS = CLASSIFIERS + REGRESSORS
X, Y = make_moons(60, noise=0.2, random_state=0)
TARGET = np.sin(3 * X[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=60)


def targets(estimator):
    return Y if estimator in CLASSIFIERS else TARGET


def spoilt(value):
    spoilt_X = X.copy()
    spoilt_X[3, 1] = value
    return spoilt_X


@pytest.mark.parametrize("estimator", ESTIMATORS)
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


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_failed_refit_keeps_the_old_fit(estimator):
    model = estimator(gamma=1.0, random_state=0).fit(X, targets(estimator))
    before = model.predict(X)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full((60, 5), np.nan), targets(estimator))
    np.testing.assert_array_equal(model.predict(X), before)
    assert model.n_features_in_ == 2


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_one_class_is_refused(estimator):
    with pytest.raises(ValueError, match="at least two classes"):
        estimator().fit(X, np.zeros(60))
    with pytest.raises(ValueError, match="at least two classes"):
        estimator().fit(X, Y, sample_weight=(Y == 0).astype(float))


@pytest.mark.parametrize("estimator", ESTIMATORS)
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
        ({"landmarks": "spread"}, "landmarks"),
    ],
)
def test_bad_parameters_are_refused(estimator, parameters, message):
    with pytest.raises(ValueError, match=message):
        estimator(**parameters).fit(X, targets(estimator))


@pytest.mark.parametrize("estimator", [RobustRVC, RobustRVR])
def test_bad_trust_priors_are_refused(estimator):
    with pytest.raises(ValueError, match="trust_prior"):
        estimator(trust_prior=-1.0).fit(X, targets(estimator))


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


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_precomputed_kernels_of_the_wrong_shape_are_refused(estimator):
    model = estimator(kernel="precomputed")
    with pytest.raises(ValueError, match="square"):
        model.fit(np.ones((60, 59)), targets(estimator))
    model.fit(X @ X.T, targets(estimator))
    with pytest.raises(ValueError, match="features"):
        model.predict(np.ones((3, 59)))


@pytest.mark.parametrize("estimator", ESTIMATORS)
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
    model = estimator(random_state=0).fit(rows, targets(estimator))
    assert np.isfinite(model.predictive_model_.latent_moments(rows)).all()
    assert np.isfinite(model.lower_bound_)


@pytest.mark.parametrize("estimator", REGRESSORS)
@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_the_scale_of_the_targets_does_not_matter(estimator, scale):
    plain = estimator(gamma=1.0, random_state=0).fit(X, TARGET)
    scaled = estimator(gamma=1.0, random_state=0).fit(X, scale * TARGET)
    for one, two in zip(plain.predict(X, return_std=True), scaled.predict(X, return_std=True), strict=True):
        np.testing.assert_allclose(scale * one, two, rtol=1e-5, atol=1e-5 * scale)
    shift = 60 * np.log(scale)
    if estimator is not FuzzyRVR:
        assert scaled.lower_bound_ == pytest.approx(plain.lower_bound_ - shift, abs=1e-3)


@pytest.mark.parametrize("estimator", REGRESSORS)
@pytest.mark.parametrize("value", [0.0, 5.0, -1e9])
def test_constant_targets_give_a_constant_model(estimator, value):
    model = estimator().fit(X, np.full(60, value))
    np.testing.assert_allclose(model.predict(X), value, atol=1e-6)


@pytest.mark.parametrize("estimator", REGRESSORS)
def test_noise_free_targets_do_not_diverge(estimator):
    line = np.linspace(0, 1, 50)[:, None]
    model = estimator(gamma=5.0).fit(line, np.sin(6 * line[:, 0]))
    assert np.isfinite(model.noise_precision_)
    assert model.score(line, np.sin(6 * line[:, 0])) > 0.999


@pytest.mark.parametrize("estimator", CLASSIFIERS)
@pytest.mark.parametrize("solver", ["working_set", "variational"])
def test_separable_classes_end_and_are_separated(estimator, solver):
    rows = np.r_[X[:30] * 0.1, X[30:] * 0.1 + 10]
    labels = np.repeat([0, 1], 30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = estimator(solver=solver, max_iter=300).fit(rows, labels)
    assert (model.predict(rows) == labels).all()
    assert np.isfinite(model.predict_proba(rows)).all()


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_two_rows_of_two_classes_fit(estimator):
    model = estimator().fit([[0.0], [1.0]], ["no", "yes"])
    assert model.predict_proba([[0.0], [1.0]]).shape == (2, 2)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_more_landmarks_than_rows_are_all_rows(estimator):
    many = estimator(basis=1000, random_state=0).fit(X, targets(estimator))
    every = estimator(basis=None, random_state=0).fit(X, targets(estimator))
    np.testing.assert_array_equal(many.predict(X), every.predict(X))


def test_audit_refuses_labels_it_does_not_know_and_wrong_lengths():
    model = RobustRVC(random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="not in the fit"):
        model.audit(X, np.full(60, 7))
    with pytest.raises(ValueError, match="one per row"):
        model.audit(X, Y[:-1])
    with pytest.raises(ValueError, match="one per row"):
        RobustRVR(random_state=0).fit(X, TARGET).audit(X, TARGET[:-1])


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_kernel_that_overflows_is_refused(estimator):
    with pytest.raises(ValueError, match="Scale the inputs"), np.errstate(all="ignore"):
        estimator(kernel="polynomial", gamma=1e200).fit(X, targets(estimator))


@pytest.mark.parametrize("estimator", ESTIMATORS)
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


@pytest.mark.parametrize("estimator", CLASSIFIERS)
@pytest.mark.parametrize("class_weight", [{0: -1.0, 1: 1.0}, {0: 0.0, 1: 1.0}, {0: np.nan, 1: 1.0}])
def test_bad_class_weights_are_refused(estimator, class_weight):
    with pytest.raises(ValueError, match="above zero"):
        estimator(class_weight=class_weight).fit(X, Y)


@pytest.mark.parametrize("estimator", REGRESSORS)
@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_targets_whose_squares_overflow_are_refused(estimator, scale):
    with pytest.raises(ValueError, match="Rescale y"):
        estimator().fit(X, scale * TARGET)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_sizes_that_overflow_are_refused(estimator):
    with pytest.raises(ValueError, match="Divide them"):
        estimator().fit(X, targets(estimator), sample_weight=np.full(60, 1e200))
    with pytest.raises(ValueError, match="Multiply X by 1e-200"):
        estimator(scaling=None).fit(1e200 * X, targets(estimator))


@pytest.mark.parametrize("estimator", ESTIMATORS)
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
        RobustRVR(random_state=0).fit(X, TARGET).audit(X, np.full(60, value))


def test_a_huge_constant_column_does_not_set_the_width():
    plain = RVC(random_state=0).fit(X, Y)
    wide = RVC(random_state=0).fit(np.column_stack([X, np.full(60, 1e12)]), Y)
    assert wide.gamma_ == pytest.approx(plain.gamma_, rel=1e-6)
