"""What the defaults promise: no kernel, no unit and no number of centres to choose."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone, is_classifier
from sklearn.datasets import make_friedman1, make_moons
from sklearn.metrics.pairwise import laplacian_kernel

from rowtrust import RVC, RVR, FuzzyRVC, FuzzyRVR, RobustRVC, RobustRVR
from rowtrust.contracts import LandmarksWarning
from rowtrust.estimators._machine import SparseBayesMachine
from rowtrust.fitting import Budget
from rowtrust.io import load, save
from rowtrust.kernels import robust_scaling

CLASSIFIERS, REGRESSORS = [RVC, RobustRVC, FuzzyRVC], [RVR, RobustRVR, FuzzyRVR]
ESTIMATORS = CLASSIFIERS + REGRESSORS
EACH = [
    RVC,
    RVR,
    *(pytest.param(each, marks=pytest.mark.slow) for each in ESTIMATORS if each not in (RVC, RVR)),
]
X = np.column_stack([make_moons(90, noise=0.2, random_state=0)[0], np.random.default_rng(0).normal(size=90)])
LABELS = make_moons(90, noise=0.2, random_state=0)[1]
TARGETS = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + 0.1 * np.random.default_rng(1).normal(size=90)
UNITS, SHIFT = np.array([1024.0, 2.0**-7, 3.0]), np.array([5e3, 0.0, -2.0])
NAMED = {"kernel": "rbf", "gamma": 0.5}


def fitted(estimator, rows=X, weight=None, index=slice(None), **options):
    y = LABELS if issubclass(estimator, tuple(CLASSIFIERS)) else TARGETS
    return estimator(random_state=0, **options).fit(rows, y[index], sample_weight=weight)


def latent(model, rows=X):
    return model.predictive_model_.latent_moments(rows)[0][:, 0]


def same(one, other, tolerance):
    """Compare predictions, of classes their probabilities, in the mean over rows."""
    said = [each.predict_proba(X)[:, 1] if is_classifier(each) else each.predict(X) for each in (one, other)]
    assert np.sqrt(np.mean((said[0] - said[1]) ** 2)) < tolerance


@pytest.mark.parametrize("estimator", [RVC, RVR])
@pytest.mark.parametrize("options", [{}, NAMED, {"kernel": "linear"}], ids=["auto", "rbf", "linear"])
def test_units_and_origin_of_the_inputs_do_not_matter(estimator, options):
    one, other = fitted(estimator, **options), fitted(estimator, X * UNITS + SHIFT, **options)
    np.testing.assert_allclose(latent(other, X * UNITS + SHIFT), latent(one), rtol=1e-4, atol=1e-4)
    far = X + 3.0
    np.testing.assert_allclose(latent(other, far * UNITS + SHIFT), latent(one, far), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("estimator", [RVC, RVR])
@pytest.mark.parametrize("options", [{}, NAMED, {"kernel": "linear"}], ids=["auto", "rbf", "linear"])
def test_what_is_told_is_in_the_users_units(estimator, options):
    rows = X * UNITS + SHIFT
    model = fitted(estimator, rows, **options)
    np.testing.assert_allclose(model.relevance_vectors_, rows[model.relevance_], rtol=1e-9)
    np.testing.assert_allclose(model.scale_, robust_scaling(rows, np.ones(90)).scale, rtol=1e-9)


@pytest.mark.parametrize("estimator", [RVC, RobustRVR])
def test_without_scaling_the_kernel_sees_the_inputs_as_they_are(estimator):
    """Inputs that are scaled by hand, and numbers for gamma in their units."""
    scaling = robust_scaling(X, np.ones(90))
    inside = fitted(estimator, **NAMED)
    by_hand = fitted(estimator, scaling(X), scaling=None, **NAMED)
    np.testing.assert_allclose(latent(by_hand, scaling(X)), latent(inside), rtol=1e-6, atol=1e-6)
    assert by_hand.scale_ is None
    assert inside.gamma_ == by_hand.gamma_ == 0.5
    stretched = fitted(estimator, 10.0 * X, scaling=None, kernel="rbf", gamma=0.005)
    np.testing.assert_allclose(
        latent(stretched, 10.0 * X), latent(fitted(estimator, scaling=None, **NAMED)), rtol=1e-6, atol=1e-6
    )


def test_callables_and_objects_see_scaled_inputs():
    named = fitted(RVC, kernel="laplacian", gamma=0.7)
    called = fitted(RVC, kernel=lambda a, b: laplacian_kernel(a, b, 0.7))
    np.testing.assert_allclose(called.predict_proba(X), named.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("estimator", EACH)
def test_a_constant_column_says_nothing(estimator):
    wide = np.column_stack([X, np.full(90, 1e5)])
    np.testing.assert_allclose(
        latent(fitted(estimator, wide, **NAMED), wide), latent(fitted(estimator, **NAMED)), atol=1e-6
    )


@pytest.mark.parametrize("estimator", [RVC, RVR])
def test_a_few_wild_inputs_do_not_squash_the_rest(estimator):
    """Two rows of a column are a million deviations off: the others are told apart as before."""
    wild = X.copy()
    wild[[3, 50], 0] = [1e6, -1e6]
    others = np.delete(np.arange(90), [3, 50])
    model, clean = fitted(estimator, wild), fitted(estimator, X[others], index=others)
    y = (LABELS if is_classifier(model) else TARGETS)[others]
    assert clean.score(X[others], y) > 0.9
    assert model.score(wild[others], y) > clean.score(X[others], y) - 0.05


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [RobustRVC, FuzzyRVR])
def test_the_laplacian_width_follows_the_units(estimator):
    one = fitted(estimator, kernel="laplacian", scaling=None)
    thousand = fitted(estimator, 1000.0 * X, kernel="laplacian", scaling=None)
    np.testing.assert_allclose(latent(thousand, 1000.0 * X), latent(one), atol=1e-4)
    assert thousand.gamma_ == pytest.approx(one.gamma_ / 1000.0)


@pytest.mark.parametrize("estimator", [RVR])
def test_the_order_of_rows_does_not_matter(estimator):
    """Fits see rows in the order of their content: kernels are weighed alike, answers are the same."""
    order = np.random.default_rng(0).permutation(90)
    one, other = fitted(estimator), fitted(estimator, X[order], index=order)
    names = {*one.kernel_share_, *other.kernel_share_}
    assert (
        max(abs(one.kernel_share_.get(name, 0) - other.kernel_share_.get(name, 0)) for name in names) < 1e-6
    )
    same(one, other, 1e-6)


@pytest.mark.parametrize("estimator", [RVR])
def test_the_order_of_columns_does_not_matter(estimator):
    """Neither to the evidence, nor to which rows are left out together and so to the shares of regressors."""
    model, other = fitted(estimator), fitted(estimator, X[:, [2, 0, 1]])
    np.testing.assert_allclose(latent(other, X[:, [2, 0, 1]]), latent(model), rtol=1e-3, atol=1e-3)
    assert other.kernel_share_ == pytest.approx(model.kernel_share_, abs=1e-4)


@pytest.mark.parametrize("estimator", [RVR])
def test_a_weight_of_two_is_a_row_twice(estimator):
    copies = np.arange(90) % 3 + 1
    weighted = fitted(estimator, weight=copies.astype(float))
    repeated = fitted(estimator, np.repeat(X, copies, axis=0), index=np.repeat(np.arange(90), copies))
    same(repeated, weighted, 1e-9)
    np.testing.assert_allclose(repeated.scale_, weighted.scale_, rtol=1e-9)


@pytest.mark.parametrize("estimator", [RVC, RobustRVR])
def test_shares_of_kernels_add_up(estimator):
    model = fitted(estimator)
    assert set(model.kernel_share_) <= {"rbf", "laplacian", "linear"}
    assert sum(model.kernel_share_.values()) == pytest.approx(1.0)
    assert sum(model.gamma_share_.values()) == pytest.approx(1.0)
    assert model.kernel_ in model.kernel_share_


@pytest.mark.parametrize("estimator", [RobustRVC, RVR])
def test_a_model_of_families_is_saved_and_loaded(estimator, tmp_path):
    model = fitted(estimator)
    save(model, tmp_path / "model.rowtrust")
    again = load(tmp_path / "model.rowtrust")
    new = np.vstack([X, X + 5.0])
    for one, two in zip(
        again.predictive_model_.latent_moments(new), model.predictive_model_.latent_moments(new), strict=True
    ):
        np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(again.predict(new), model.predict(new))


@pytest.mark.parametrize("estimator", EACH)
def test_settings_are_those_of_scikit_learn(estimator):
    model = estimator(kernel="laplacian", scaling=None, sparsity=0.5, basis=7)
    copied = clone(model).get_params()
    assert [copied[name] for name in ("kernel", "scaling", "sparsity", "basis")] == [
        "laplacian",
        None,
        0.5,
        7,
    ]
    given = estimator().get_params()
    assert [given[name] for name in ("kernel", "scaling", "sparsity", "basis")] == [
        "auto",
        "robust",
        0.01,
        "auto",
    ]
    for name, wrong in (("scaling", "standard"), ("sparsity", -1.0), ("kernel", "all"), ("basis", "many")):
        with pytest.raises(ValueError, match=name):
            fitted(estimator, **{name: wrong})


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [RVC, RobustRVR])
def test_two_jobs_give_the_same_fit(estimator):
    np.testing.assert_allclose(latent(fitted(estimator, n_jobs=2)), latent(fitted(estimator)), rtol=1e-9)


@pytest.mark.parametrize("estimator", [RVC, RVR])
def test_sparse_rows_and_numbers_for_gamma_leave_one_gaussian_kernel(estimator):
    assert list(fitted(estimator, csr_array(X)).kernel_share_) == ["rbf"]
    assert list(fitted(estimator, gamma=0.5).kernel_share_) == ["rbf"]
    np.testing.assert_array_equal(latent(fitted(estimator, gamma=0.5)), latent(fitted(estimator, **NAMED)))


@pytest.mark.parametrize("estimator", [RVR])
def test_fewer_columns_say_the_same(estimator):
    whole, lean = (fitted(estimator, sparsity=sparsity) for sparsity in (0.0, 0.01))
    assert len(lean.relevance_) < len(whole.relevance_)
    if is_classifier(lean):
        assert np.abs(lean.predict_proba(X) - whole.predict_proba(X)).mean() < 0.03
    else:
        noise = np.sqrt(whole.noise_variance_)
        assert np.sqrt(np.mean((lean.predict(X) - whole.predict(X)) ** 2)) < 0.2 * noise


@pytest.mark.slow
def test_the_average_is_better_than_its_worst_family_on_useless_inputs():
    rows, target = make_friedman1(200, noise=1.0, random_state=0)
    X_test, truth = make_friedman1(500, noise=0.0, random_state=1)
    errors = {
        kernel: np.mean((RVR(kernel=kernel).fit(rows, target).predict(X_test) - truth) ** 2)
        for kernel in ("auto", "rbf", "laplacian", "linear")
    }
    assert errors["auto"] < 0.8 * min(errors["rbf"], errors["laplacian"], errors["linear"])


@pytest.mark.parametrize("estimator", [RVC, RVR])
def test_many_rows_have_landmarks_and_are_told_so(estimator, monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("error", LandmarksWarning)
        every = fitted(estimator, gamma=0.5)
    np.testing.assert_array_equal(latent(fitted(estimator, gamma=0.5, basis=None)), latent(every))
    monkeypatch.setattr(SparseBayesMachine, "_budget", Budget(centre_rows=89, landmarks=25))
    with pytest.warns(LandmarksWarning, match="25 of 90 rows"):
        some = fitted(estimator, gamma=0.5)
    np.testing.assert_array_equal(latent(fitted(estimator, gamma=0.5, basis=25)), latent(some))
    with warnings.catch_warnings():
        warnings.simplefilter("error", LandmarksWarning)
        fitted(estimator, gamma=0.5, basis=None)
        fitted(estimator, np.repeat(X[:45], 2, axis=0), gamma=0.5)  # 45 distinct rows
