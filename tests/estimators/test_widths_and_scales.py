"""Widths chosen by the evidence, and one scale per input."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.datasets import load_iris, make_friedman1, make_moons

from rowtrust import RVC, RVR, FuzzyRVC, FuzzyRVR, RobustRVC, RobustRVR
from rowtrust.kernels.kernels import Kernel
from rowtrust.search import starts
from rowtrust.search.alternate import FrozenSites
from rowtrust.search.length_scales import scaled_log_evidence
from rowtrust.search.scores import TEMPERATURE, log_choices, tempered_shares, width_score
from rowtrust.search.widths import SQUARED_WIDTHS

ESTIMATORS = [RVC, RobustRVC, FuzzyRVC, RVR, RobustRVR, FuzzyRVR]
X, Y = make_moons(150, noise=0.2, random_state=0)


def test_choosing_more_columns_costs_more():
    costs = [log_choices(100, kept) for kept in range(101)]
    assert costs[0] == 0.0
    assert (np.diff(costs) > 0).all()
    assert width_score(-10.0, 100, 3) == pytest.approx(-10.0 - 0.5 * costs[3])


def test_shares_are_tempered_and_sum_to_one():
    shares = tempered_shares([-100.0, -120.0, -1000.0])
    assert shares.sum() == pytest.approx(1.0)
    assert shares[0] / shares[1] == pytest.approx(np.e)
    assert shares[2] == 0.0


@pytest.mark.parametrize(
    ("estimator", "options"),
    [
        *((each, {}) for each in (RVC, FuzzyRVC, RVR)),
        (RobustRVR, {"trust_prior": 2.0}),  # a learnt one is compared with none, at every width anew
        (FuzzyRVR, {"membership": np.linspace(0.5, 1.0, 150)}),  # that of residuals asks all widths first
        (RobustRVC, {"label_noise": "power"}),
        (RobustRVC, {"label_noise": 0.1, "calibration": None}),
    ],
)
def test_the_average_is_the_mixture_of_its_members(estimator, options, monkeypatch):
    """Mean and variance of the one sparse model are those of its single-width fits, averaged.

    All from the best guess of a start: which others are worth trying, a path remembers and one width cannot.
    """
    monkeypatch.setattr(starts, "best_start", lambda answer: (answer[0], (0,)))
    model = estimator(kernel="rbf", sparsity=0.0, random_state=0, **options).fit(X, Y)
    assert len(model.gamma_share_) > 1
    assert sum(model.gamma_share_.values()) == pytest.approx(1.0)
    members = [
        estimator(kernel="rbf", gamma=gamma, sparsity=0.0, random_state=0, **options).fit(X, Y)
        for gamma in model.gamma_share_
    ]
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


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_careful_fit_ends_little_higher_than_a_default_one(estimator):
    """In the median: vectors of little worth stay out, and some fits end in another maximum.

    Which one hangs on the order of the rows: without one of their content it was -1.5 to 0.9 nats (FuzzyRVR).
    """
    gammas = RVC(gamma="scale", scaling=None).fit(X, Y).gamma_ / SQUARED_WIDTHS[::2]
    careful, default = (
        np.array([estimator(gamma=gamma, scaling=None, **tol).fit(X, Y).lower_bound_ for gamma in gammas])
        for tol in ({"tol": 1e-6}, {})
    )
    assert abs(np.median(careful - default)) < 0.1 * TEMPERATURE


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


@pytest.mark.parametrize("estimator", ESTIMATORS)
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
    assert len(SQUARED_WIDTHS) == 8


def test_the_gradient_by_the_scales_is_exact():
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(40, 3))
    precision, shift = generator.uniform(0.1, 1, 40), generator.normal(size=40)
    held = FrozenSites(precision, shift, rows[:6], generator.uniform(0.1, 1, 7))
    at = generator.normal(scale=0.3, size=3)
    _, gradient = scaled_log_evidence(at, rows, held)
    step = 1e-6

    def value(shift):
        return scaled_log_evidence(at + shift, rows, held)[0]

    numeric = [(value(step * unit) - value(-step * unit)) / (2 * step) for unit in np.eye(3)]
    np.testing.assert_allclose(gradient, numeric, rtol=1e-6)


def test_learnt_scales_switch_irrelevant_inputs_off():
    rows, target = make_friedman1(240, noise=1.0, random_state=0)
    X_test, truth = make_friedman1(1000, noise=0.0, random_state=100)

    def error(**options):
        model = RVR(**options).fit(rows, target)
        return np.mean((model.predict(X_test) - truth) ** 2), model.feature_relevance_

    fixed, none = error(kernel="rbf")
    learnt, relevance = error(length_scales="learnt")
    assert none is None
    assert learnt < fixed / 3
    assert relevance[5:].max() < 0.05 * relevance.max()


@pytest.mark.parametrize(
    ("estimator", "options"),
    [(RVC, {}), (RobustRVC, {}), (FuzzyRVC, {"membership": np.linspace(0.5, 1.0, 200)})],
)
def test_learnt_scales_switch_irrelevant_inputs_off_in_classification(estimator, options):
    """From a common scale the climb ends at a nearly linear model in which noise has its say.

    Memberships are given: by distance from the class centres, irrelevant inputs have their say in them.
    """

    def noisy_moons(n_rows, seed):
        rows, labels = make_moons(n_rows, noise=0.2, random_state=seed)
        return np.column_stack([rows, np.random.default_rng(seed).normal(size=(n_rows, 6))]), labels

    rows, labels = noisy_moons(200, 0)
    common = estimator(kernel="rbf", scaling=None, random_state=0, **options).fit(rows, labels)
    learnt = estimator(length_scales="learnt", scaling=None, random_state=0, **options).fit(rows, labels)
    test = noisy_moons(1000, 100)
    assert learnt.feature_relevance_[2:].max() < 0.05 * learnt.feature_relevance_.max()
    assert learnt.score(*test) > 0.94 > common.score(*test) + 0.05
    assert learnt.lower_bound_ > common.lower_bound_ + 10.0


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("gamma", [0.25, "evidence"])
def test_learnt_scales_raise_the_bound(estimator, gamma):
    """Bounds compare fits to the same data: noise, trust and memberships that a fit chooses would differ."""
    given = {
        RobustRVC: {"label_noise": 0.05},
        RobustRVR: {"trust_prior": 2.0},
        FuzzyRVR: {"membership": np.linspace(0.5, 1.0, 80)},
    }
    options = {"gamma": gamma, "random_state": 0, **given.get(estimator, {})}
    wide = np.column_stack([X, np.random.default_rng(0).normal(size=(150, 3))])[:80]
    y = Y[:80] if is_classifier(estimator()) else np.sin(3.0 * wide[:, 0]) + wide[:, 1] + 0.1 * wide[:, 2]
    common = estimator(kernel="rbf", **options).fit(wide, y)
    learnt = estimator(length_scales="learnt", **options).fit(wide, y)
    assert learnt.lower_bound_ > common.lower_bound_ + 1.0
    assert learnt.feature_relevance_.shape == (5,)


def test_learnt_scales_need_no_marginal_effect():
    """No input of an exclusive or says anything alone, and the steepness is all there is to go by."""
    generator = np.random.default_rng(0)
    rows, test = generator.uniform(-1, 1, (200, 6)), generator.uniform(-1, 1, (1000, 6))
    labels, truth = ((each[:, 0] * each[:, 1] > 0).astype(int) for each in (rows, test))
    model = RVC(length_scales="learnt").fit(rows, labels)
    assert model.score(test, truth) > 0.94
    assert model.feature_relevance_[2:].max() < 0.05 * model.feature_relevance_.max()


def test_learnt_scales_stay_where_nothing_is_steep():
    rows = np.random.default_rng(0).normal(size=(40, 3))
    model = RVR(length_scales="learnt").fit(rows, np.ones(40))
    np.testing.assert_allclose(model.predict(rows), 1.0)


def test_learnt_scales_need_a_dense_rbf_kernel():
    with pytest.raises(ValueError, match="dense inputs"):
        RVC(length_scales="learnt").fit(sparse.csr_array(X), Y)
    with pytest.raises(ValueError, match="rbf"):
        RVC(length_scales="learnt", kernel="laplacian").fit(X, Y)
