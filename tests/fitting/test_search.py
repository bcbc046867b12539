"""From what was said of the kernel to an average: families, widths, doubt, and how noisy labels are."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_friedman1
from sklearn.gaussian_process.kernels import RBF

from rowtrust.fitting import Budget, KernelChoice, inverse_width, search
from rowtrust.fitting.selection import NEGLIGIBLE
from rowtrust.likelihoods import LabelChannel
from rowtrust.weights import Gamma


def friedman(n=90):
    X, y = make_friedman1(n, n_features=6, noise=1.0, random_state=0)
    return (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()


def shares_of(found):
    """Return how much the kernels of each name count."""
    names = {kernel.function for kernel, _ in found.shares}
    return {name: sum(share for kernel, share in found.shares if kernel.function == name) for name in names}


# What is said of the kernel


def test_a_number_or_scale_is_one_width_and_counts_alone(make_plan):
    plan = make_plan(kernel=KernelChoice("rbf", 0.7))
    rows, found = plan.rows, search(plan)[0]
    assert [(kernel.gamma, share) for kernel, share in found.shares] == [(0.7, 1.0)]
    (kernel,) = KernelChoice("rbf", "scale").kernels(rows)
    assert kernel.gamma == pytest.approx(1.0 / rows.X.var(axis=0).sum())


@pytest.mark.parametrize("function", ["rbf", "laplacian"])
def test_evidence_is_a_path_from_wide_to_narrow_in_units_of_the_spread(make_plan, function):
    rows = make_plan().rows
    gamma = np.array([kernel.gamma for kernel in KernelChoice(function).kernels(rows)])
    np.testing.assert_allclose(gamma[1:] / gamma[:-1], 2.0)
    assert gamma[0] < inverse_width(rows, function) < gamma[-1]


def test_what_cannot_be_a_kernel_is_refused_before_anything_is_fitted(make_plan):
    with pytest.raises(TypeError, match=r"write RBF\(\), not RBF"):
        search(make_plan(kernel=KernelChoice(RBF)))
    sparse = make_plan(kernel=KernelChoice(RBF()))
    with pytest.raises(ValueError, match=r"X.toarray\(\)"):
        search(replace(sparse, rows=replace(sparse.rows, X=csr_array(sparse.rows.X))))


def test_parts_that_cannot_be_composed_are_refused(make_plan):
    with pytest.raises(ValueError, match="trust no row"):
        make_plan(classes=2, weights=Gamma(1.0, learns=True)).check()
    for trust in (0.0, np.inf):
        with pytest.raises(ValueError, match="finite number above zero"):
            make_plan(weights=Gamma(trust)).check()
    make_plan(weights=Gamma(1.0, learns=True)).check()
    make_plan(classes=2, weights=Gamma(1.0)).check()


# Widths and families


def test_the_width_of_the_truth_counts_most_in_an_average_of_several(make_plan, plan_of):
    X = make_plan(n=120).rows.X
    y = np.sin(X[:, 0]) + 0.2 * np.random.default_rng(0).normal(size=120)
    found = search(plan_of(X, y, kernel=KernelChoice("rbf")))[0]
    shares = {float(kernel.gamma): share for kernel, share in found.shares}
    assert 0.1 < max(shares, key=shares.get) < 1.5
    assert max(shares.values()) < 0.5
    assert sum(shares.values()) == pytest.approx(1.0)
    assert found.model.spread is not None


@pytest.mark.parametrize("classes", [0, 2])
def test_a_line_is_left_to_the_linear_kernel(plan_of, classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = X @ [1.0, -0.5, 0.2]
    given = (y > 0.5 * rng.logistic(size=80)).astype(int) if classes else y + 0.05 * rng.normal(size=80)
    found = search(plan_of(X, given, classes))[0]
    shares = shares_of(found)
    assert sum(shares.values()) == pytest.approx(1.0)
    assert max(shares, key=shares.get) == "linear" or classes
    assert np.corrcoef(found.model.latent_moments(X)[0][:, 0], y)[0, 1] > 0.9


@pytest.mark.parametrize("classes", [0, 2])
def test_what_a_sample_chose_is_fitted_to_all_rows(plan_of, classes):
    X, y = friedman(150)
    plan = plan_of(X, (y > 0).astype(int) if classes else y, classes, budget=Budget(search_rows=60, refits=2))
    found = search(plan)[0]
    assert found.latent.shape == (150, 1)
    assert sum(share for _, share in found.shares) == pytest.approx(1.0)
    assert classes or len(found.shares) <= 2


# Doubt


def wave(seed, outliers=0.0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-4, 4, (120, 1))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=120)
    bad = rng.random(120) < outliers
    y[bad] += rng.choice([-1, 1], bad.sum()) * rng.uniform(3, 9, bad.sum())
    return X, y, bad


ROBUST = {"weights": Gamma(3.0, learns=True), "may_be_plain": True, "robust_units": True}


@pytest.mark.parametrize("kernel", [KernelChoice(), KernelChoice("rbf", 0.5)], ids=["families", "one"])
def test_outliers_are_doubted(plan_of, kernel):
    X, y, bad = wave(0, outliers=0.1)
    found = search(plan_of(X, y, kernel=kernel, **ROBUST))[0]
    assert found.model.weights.trust <= 10.0
    assert found.trust[bad].max() < 0.2 < 0.8 < np.median(found.trust[~bad])


def steep():
    """A clean function with a steep part, where a smooth model errs."""
    X = np.random.default_rng(2).uniform(-2, 2, (80, 2))
    y = np.exp(2.0 * X[:, 0]) + X[:, 1]
    return X, y / np.median(np.abs(y - np.median(y)))


def test_a_steep_part_of_a_clean_function_is_not_doubted(plan_of):
    """Rows that a smooth model misses look like outliers to the evidence, and not to rows left out."""
    X, y = steep()
    plan = plan_of(X, y, kernel=KernelChoice("rbf"), **ROBUST)
    chosen, doubting = search(plan)[0], search(replace(plan, may_be_plain=False))[0]
    np.testing.assert_allclose(chosen.trust, 1.0)
    assert np.isfinite(chosen.model.weights.trust), "it is still a model with weights, all of them whole"
    assert doubting.trust.min() < 0.5


# Noise of labels


def flipped(make_plan, share, n=120, **changes):
    plan = make_plan(
        n=n, classes=2, kernel=KernelChoice("rbf", 0.8), label_noise=np.full((1, 2, 2), np.nan), **changes
    )
    flip = np.random.default_rng(7).random(n) < share
    return replace(plan, rows=replace(plan.rows, y=np.where(flip, 1 - plan.rows.y, plan.rows.y)))


def test_noise_is_learnt_from_labels_left_out(make_plan):
    clean, noisy = (search(flipped(make_plan, share, n=240)) for share in (0.0, 0.2))
    assert clean[1].matrix[[0, 1], [1, 0]].max() < 0.08
    assert noisy[1].matrix[[0, 1], [1, 0]].sum() > 0.15
    assert noisy[0].likelihoods is not None
    assert noisy[0].model.likelihood == make_plan(classes=2).likelihood, "the model is of true labels"


def test_stated_noise_stands_and_every_output_has_the_channel_of_its_class(make_plan):
    plan, rate = make_plan(classes=3, kernel=KernelChoice("rbf", 0.8)), 0.2
    matrix = np.where(np.eye(3) > 0, 1.0 - rate, rate / 2)
    found, noise = search(replace(plan, label_noise=matrix[None]))
    np.testing.assert_array_equal(noise.matrix, matrix)
    assert noise.slope == 1.0
    for channel in found.likelihoods:  # given shares are even, so are the true ones
        assert (channel.false_one, channel.false_zero) == pytest.approx((0.1, 0.2))
    assert isinstance(found.best.states[0].likelihood, LabelChannel)


def test_negligible_noise_leaves_the_fit_as_it_is(make_plan):
    plan = make_plan(classes=2, kernel=KernelChoice("rbf", 0.8))
    tiny = np.array([[0.995, 0.005], [0.005, 0.995]])
    plain, found = search(plan)[0], search(replace(plan, label_noise=tiny[None]))[0]
    np.testing.assert_array_equal(found.latent, plain.latent)


def test_calibration_tells_how_sure_log_odds_may_be_and_leaves_the_fit_alone(make_plan):
    plan = flipped(make_plan, 0.3)
    (plain, as_it_is), (found, noise) = (
        search(replace(plan, label_noise=None, calibrates=each)) for each in (False, True)
    )
    assert as_it_is.slope == 1.0
    assert noise.slope < 1.0, "flipped labels are not as sure as the fit was"
    np.testing.assert_array_equal(found.latent, plain.latent)


def test_where_a_class_is_too_small_for_folds_labels_are_right_or_as_noisy_as_stated(make_plan):
    plan = flipped(make_plan, 0.0)
    plan = replace(plan, rows=replace(plan.rows, y=(np.arange(120) == 7).astype(int)))
    found, noise = search(plan)
    np.testing.assert_allclose(noise.matrix, np.eye(2), atol=NEGLIGIBLE)
    np.testing.assert_array_equal(found.latent, search(replace(plan, label_noise=None))[0].latent)
    stated = np.array([[0.9, 0.1], [0.1, 0.9]])
    noise = search(replace(plan, label_noise=stated[None], calibrates=True))[1]
    np.testing.assert_array_equal(noise.matrix, stated)
    assert noise.slope == 1.0
