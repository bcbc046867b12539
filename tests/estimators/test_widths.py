"""Widths chosen by the evidence."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.datasets import load_iris, make_friedman1, make_moons

from rowtrust import RVC, RVR, FuzzyRVC, FuzzyRVR, RobustRVC, RobustRVR
from rowtrust.kernels import Kernel

ESTIMATORS = [RVC, RobustRVC, FuzzyRVC, RVR, RobustRVR, FuzzyRVR]
X, Y = make_moons(150, noise=0.2, random_state=0)


@pytest.mark.parametrize(
    ("estimator", "options"),
    [
        (RVC, {}),
        (RVR, {}),
        (FuzzyRVR, {"membership": np.linspace(0.5, 1.0, 60)}),  # that of residuals asks all widths first
        (RobustRVC, {"label_noise": "power"}),
    ],
)
def test_the_average_is_the_mixture_of_its_members(estimator, options):
    """Mean and variance of the one sparse model are those of its single-width fits, averaged.

    By the reference solver: where others start, a path remembers and one width cannot.
    """
    X, Y = make_moons(60, noise=0.2, random_state=0)
    options = {"solver": "variational", "max_iter": 200, "kernel": "rbf", "sparsity": 0.0, **options}
    model = estimator(**options).fit(X, Y)
    assert len(model.gamma_share_) > 1
    assert sum(model.gamma_share_.values()) == pytest.approx(1.0)
    members = [estimator(gamma=gamma, **options).fit(X, Y) for gamma in model.gamma_share_]
    shares = np.array(list(model.gamma_share_.values()))[:, None]
    means, variances = (
        np.array([m.predictive_model_.fitted_moments(X, m.covariance_)[i][:, 0] for m in members])
        for i in (0, 1)
    )
    mean, variance = (moment[:, 0] for moment in model.predictive_model_.fitted_moments(X, model.covariance_))
    expected = (shares * means).sum(axis=0)
    np.testing.assert_allclose(mean, expected, rtol=1e-6, atol=1e-8)
    spread = 0.0 if is_classifier(model) else (means - expected) ** 2  # log-odds are pooled, not mixed
    np.testing.assert_allclose(variance, (shares * (variances + spread)).sum(axis=0), rtol=1e-4, atol=1e-8)
    assert len(model.relevance_) == sum(len(m.relevance_) for m in members)


@pytest.mark.parametrize("estimator", [RVC, RVR])
def test_a_careful_fit_ends_little_higher_than_a_default_one(estimator):
    """In the median: vectors of little worth stay out, and some fits end in another maximum.

    Which one hangs on the order of the rows: without one of their content it was -1.5 to 0.9 nats (FuzzyRVR).
    """
    gammas = RVC(gamma="scale", scaling=None).fit(X, Y).gamma_ * np.array([0.1, 0.3, 1.2, 5.0])
    careful, default = (
        np.array([estimator(gamma=gamma, scaling=None, **tol).fit(X, Y).lower_bound_ for gamma in gammas])
        for tol in ({"tol": 1e-6}, {})
    )
    assert abs(np.median(careful - default)) < 2.0


def test_one_width_is_fitted_to_the_tolerance_asked_for():
    careful, loose = (RVC(gamma=3.0, tol=tol).fit(X, Y) for tol in (1e-6, 1e-2))
    alone = RVC(gamma="scale").fit(X, Y)
    assert careful.n_iter_ > loose.n_iter_
    assert alone.lower_bound_ == RVC(gamma=alone.gamma_).fit(X, Y).lower_bound_


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
def test_a_kernel_may_have_one_width_per_centre(kernel, storage):
    gamma = np.array([0.1, 1.0, 10.0])
    together = Kernel(kernel, gamma)(storage(X), storage(X[:3]))
    apart = [Kernel(kernel, g)(storage(X), storage(X[i : i + 1]))[:, 0] for i, g in enumerate(gamma)]
    np.testing.assert_allclose(together, np.column_stack(apart), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("estimator", [RVC, RVR])
def test_the_width_does_not_depend_on_the_units_of_the_inputs(estimator):
    one = estimator(random_state=0).fit(X, Y)
    two = estimator(random_state=0).fit(1000.0 * X, Y)
    np.testing.assert_allclose(
        two.predictive_model_.latent_moments(1000.0 * X)[0],
        one.predictive_model_.latent_moments(X)[0],
        atol=1e-3,
    )


def test_narrow_kernels_do_not_win_by_interpolation():
    """In ten dimensions a narrow kernel's columns are the rows themselves: evidence alone takes them."""
    rows, target = make_friedman1(150, noise=1.0, random_state=0)
    X_test, truth = make_friedman1(500, noise=0.0, random_state=1)
    model = RVR(kernel="rbf").fit(rows, target)
    assert max(model.gamma_share_) < 4 * RVR(gamma="scale").fit(rows, target).gamma_
    assert np.mean((model.predict(X_test) - truth) ** 2) < 0.3 * np.var(truth)


def test_three_classes_share_their_widths():
    rows, labels = load_iris(return_X_y=True)
    model = RVC(random_state=0).fit(rows, labels)
    assert model.score(rows, labels) > 0.95
    assert model.dual_coef_.shape == (3, len(model.relevance_gamma_))
    assert set(model.relevance_gamma_) <= set(
        model.gamma_share_
    )  # one that counts little may be projected away
    assert len(set(model.relevance_gamma_)) > 3


def test_kernels_without_a_width_take_one_fit():
    for kernel in ("linear", "polynomial", lambda a, b: a @ b.T):
        assert len(RVC(kernel=kernel).fit(X, Y).gamma_share_) == 1
