"""BayesianSVR: scikit-learn's contract, the limits, robustness, calibration, and bad input."""

import os
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.utils.estimator_checks import parametrize_with_checks

from rowtrust import BayesianSVR
from rowtrust.svr import output

LOSSES = ("soft_insensitive", "huber", "laplace", "epsilon_insensitive")
GRID = np.linspace(-9.5, 9.5, 100)[:, None]
FIXED = {"C": 8.0, "epsilon": 0.1, "relevance": 0.5, "kernel_variance": 0.5, "bias_variance": 0.1}


def sinc(X):
    return np.sinc(X[:, 0] / np.pi)


def sinc_rows(seed, n=80, noise=0.1):
    generator = np.random.default_rng(seed)
    X = generator.uniform(-10, 10, (n, 1))
    return X, sinc(X) + noise * generator.standard_normal(n), generator


def with_outliers(y, generator, share=0.1):
    spoilt = y.copy()
    rows = generator.choice(len(y), int(share * len(y)), replace=False)
    spoilt[rows] += generator.choice([-1, 1], len(rows)) * generator.uniform(1, 3, len(rows))
    return spoilt


def root_mean_square(values):
    return float(np.sqrt(np.mean(np.square(values))))


@parametrize_with_checks([BayesianSVR(max_iter=5)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_fits_sinc_and_reports_itself(loss):
    X, y, _ = sinc_rows(0)
    machine = BayesianSVR(loss=loss).fit(X, y)
    assert root_mean_square(machine.predict(GRID) - sinc(GRID)) < 0.08
    assert machine.duality_gap_ <= 1e-8
    assert 0 < machine.beta_ <= 1
    assert machine.C_ > 0
    assert machine.epsilon_ > 0
    assert 0.05**2 < machine.noise_variance_ < 0.2**2
    assert machine.feature_relevance_.shape == (1,)
    assert np.isfinite(machine.evidence_)
    assert machine.dual_coef_.shape == (1, len(machine.support_))
    np.testing.assert_array_equal(machine.support_vectors_, X[machine.support_])


@pytest.mark.slow
def test_a_small_beta_is_sparse_and_the_zone_grows_with_it():
    """Chu et al.'s table 2: beta sets the size of the quadratic zone, and hardly the error."""
    X, y, _ = sinc_rows(1, n=100)
    sizes, errors = [], []
    for beta in (0.05, 0.3, 1.0):
        machine = BayesianSVR(beta=beta).fit(X, y)
        sizes.append(len(machine.machines_[0].best.posterior.quadratic))
        errors.append(root_mean_square(machine.predict(GRID) - sinc(GRID)))
    assert sizes[0] < sizes[1] < sizes[2]
    assert max(errors) - min(errors) < 0.02


@pytest.mark.slow
def test_the_slope_falls_as_the_noise_grows():
    """Chu et al.'s table 1."""
    found = []
    for noise in (0.0, 0.1, 0.3):
        X, y, _ = sinc_rows(2, n=100, noise=noise)
        found.append(BayesianSVR(beta=0.3).fit(X, y).C_)
    assert found[0] > found[1] > found[2]


def test_the_prediction_is_the_sum_over_support_vectors():
    X, y, _ = sinc_rows(0)
    machine = BayesianSVR().fit(X, y)
    squares = (GRID - machine.support_vectors_.T) ** 2
    kernel = machine.kernel_variance_ * np.exp(-0.5 * machine.feature_relevance_[0] * squares)
    by_hand = (kernel + machine.bias_variance_) @ machine.dual_coef_[0] + machine.intercept_[0]
    np.testing.assert_allclose(machine.predict(GRID), by_hand, atol=1e-7)
    assert np.abs(machine.dual_coef_).max() <= machine.C_ * (1 + 1e-9)


@pytest.mark.parametrize("name", FIXED)
def test_hyperparameters_can_be_fixed_one_by_one(name):
    X, y, _ = sinc_rows(0, n=40)
    machine = BayesianSVR(**{name: FIXED[name]}, max_iter=10).fit(X, y)
    fitted = "feature_relevance_" if name == "relevance" else f"{name}_"
    assert np.ravel(getattr(machine, fitted))[0] == pytest.approx(FIXED[name])


def test_all_fixed_equals_gaussian_process_regression_in_the_gaussian_limit():
    X, y, _ = sinc_rows(0)
    y = y - np.sort(y)[len(y) // 2 - 1]
    variance, epsilon = 0.01, 1e3
    machine = BayesianSVR(
        loss="huber",
        C=2 * epsilon / variance,
        epsilon=epsilon,
        relevance=0.5,
        kernel_variance=0.3,
        bias_variance=0.2,
    ).fit(X, y)
    kernel = 0.3 * RBF(np.sqrt(2)) + ConstantKernel(0.2) + WhiteKernel(variance)
    reference = GaussianProcessRegressor(kernel, optimizer=None, alpha=0.0).fit(X, y - machine.intercept_[0])
    mean, std = reference.predict(GRID, return_std=True)
    ours, our_std = machine.predict(GRID, return_std=True)
    np.testing.assert_allclose(ours, mean + machine.intercept_[0], atol=1e-6)
    np.testing.assert_allclose(our_std, std, atol=1e-6)
    assert machine.evidence_ == pytest.approx(reference.log_marginal_likelihood_value_, abs=1e-4)


def test_the_two_uncertainties_add_up():
    X, y, _ = sinc_rows(0)
    machine = BayesianSVR().fit(X, y)
    mean, total = machine.predict(GRID, return_std=True)
    same, function = machine.predict(GRID, return_std="function")
    again, model, noise = machine.predict(GRID, return_std="parts")
    for other in (same, again, machine.predict(GRID)):
        np.testing.assert_allclose(other, mean)
    np.testing.assert_allclose(function, model)
    np.testing.assert_allclose(total**2, model**2 + noise**2)
    assert (noise**2).min() < machine.noise_variance_ < (noise**2).max()  # it changes with the level
    far = machine.predict([[1e3]], return_std="function")[1]
    assert far[0] > 2 * model.mean()
    with pytest.raises(ValueError, match="return_std"):
        machine.predict(GRID, return_std="noise")


def test_several_outputs_are_several_machines():
    X, y, _ = sinc_rows(0)
    both = np.column_stack([y, 5 - 3 * y])
    machine = BayesianSVR(max_iter=20).fit(X, both)
    first = BayesianSVR(max_iter=20).fit(X, both[:, 0])
    mean, std = machine.predict(GRID, return_std=True)
    assert mean.shape == std.shape == (100, 2)
    np.testing.assert_allclose(mean[:, 0], first.predict(GRID), atol=1e-8)
    assert machine.C_.shape == (2,)
    assert machine.feature_relevance_.shape == (2, 1)
    assert machine.dual_coef_.shape == (2, len(machine.support_))


def test_a_useless_input_loses_its_relevance():
    generator = np.random.default_rng(0)
    X = generator.uniform(-3, 3, (120, 3))
    y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.1 * generator.standard_normal(120)
    relevance = BayesianSVR().fit(X, y).feature_relevance_
    assert relevance[2] < 0.05 * relevance[0]


@pytest.mark.parametrize("loss", LOSSES)
def test_with_fixed_hyperparameters_an_outlier_has_bounded_influence(loss):
    X, y, _ = sinc_rows(0)
    fixed = {name: value for name, value in FIXED.items() if not (loss == "laplace" and name == "epsilon")}
    clean = BayesianSVR(loss=loss, **fixed).fit(X, y).predict(GRID)
    spoilt = []
    for size in (1e2, 1e6):
        outlier = y.copy()
        outlier[7] = size
        spoilt.append(BayesianSVR(loss=loss, **fixed).fit(X, outlier).predict(GRID))
    np.testing.assert_allclose(spoilt[0], spoilt[1], atol=1e-6)
    assert np.abs(spoilt[0] - clean).max() <= 2 * FIXED["C"] * (
        FIXED["kernel_variance"] + FIXED["bias_variance"]
    )


@pytest.mark.slow
def test_learnt_under_outliers_the_error_hardly_grows():
    ratios = []
    for seed in range(20):
        X, y, generator = sinc_rows(seed, n=100)
        clean = BayesianSVR().fit(X, y).predict(GRID)
        spoilt = BayesianSVR().fit(X, with_outliers(y, generator)).predict(GRID)
        ratios.append((np.mean((spoilt - sinc(GRID)) ** 2), np.mean((clean - sinc(GRID)) ** 2)))
    dirty, clean = np.mean(ratios, axis=0)
    assert np.sqrt(dirty / clean) < 1.3


@pytest.mark.slow
def test_the_interval_of_the_function_covers():
    inside = []
    for seed in range(6):
        X, y, _ = sinc_rows(seed, n=100)
        mean, std = BayesianSVR().fit(X, y).predict(GRID, return_std="function")
        inside.append(np.mean(np.abs(mean - sinc(GRID)) < 1.96 * std))
    assert 0.88 <= np.mean(inside) <= 0.99


def test_integer_weights_equal_repeated_rows_and_zero_weights_absent_ones():
    X, y, generator = sinc_rows(0, n=40)
    weight = generator.integers(0, 4, 40)
    order = generator.permutation(weight.sum())
    weighted = BayesianSVR(max_iter=20).fit(X, y, sample_weight=weight)
    repeated = BayesianSVR(max_iter=20).fit(np.repeat(X, weight, axis=0)[order], np.repeat(y, weight)[order])
    np.testing.assert_allclose(weighted.predict(GRID), repeated.predict(GRID), atol=1e-8)
    assert weighted.evidence_ == pytest.approx(repeated.evidence_, rel=1e-8)
    assert set(weighted.support_) <= set(np.flatnonzero(weight))


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_units_do_not_matter(scale):
    X, y, _ = sinc_rows(0, n=50)
    plain = BayesianSVR(max_iter=20).fit(X, y)
    scaled = BayesianSVR(max_iter=20).fit(X / scale, y * scale)
    # Rounding alone decides where a search over a jumping evidence ends, so only nearly.
    np.testing.assert_allclose(scaled.predict(GRID / scale) / scale, plain.predict(GRID), atol=0.02)
    assert scaled.noise_variance_ / scale**2 == pytest.approx(plain.noise_variance_, rel=0.2)
    assert scaled.C_ * scale == pytest.approx(plain.C_, rel=0.3)


def test_a_mixture_of_restarts_predicts_between_them():
    X, y, _ = sinc_rows(0, n=40, noise=0.3)
    machine = BayesianSVR(n_restarts=2, combine="mixture", random_state=0, max_iter=15).fit(X, y)
    (output,) = machine.machines_
    assert len(output.results) == 3
    assert all(a.log_evidence >= b.log_evidence for a, b in pairwise(output.results))
    inputs = output.units.inputs(GRID)
    each = np.array([result.posterior.latent_mean(inputs) for result in output.results])
    each = output.units.target_offset + output.units.target_scale * each
    mean, std = machine.predict(GRID, return_std=True)
    assert (mean >= each.min(axis=0) - 1e-9).all()
    assert (mean <= each.max(axis=0) + 1e-9).all()
    np.testing.assert_allclose(machine.predict(GRID), mean)
    assert (std > 0).all()


def test_the_same_seed_gives_the_same_fit():
    X, y, _ = sinc_rows(0, n=40)
    fits = [BayesianSVR(n_restarts=1, random_state=3, max_iter=10).fit(X, y).predict(GRID) for _ in range(2)]
    np.testing.assert_array_equal(*fits)


def test_duplicated_rows_with_different_targets_are_averaged_not_refused():
    X, y, _ = sinc_rows(0, n=30)
    machine = BayesianSVR(max_iter=20).fit(
        np.repeat(X, 3, axis=0), np.repeat(y, 3) + np.tile([-0.2, 0.0, 0.2], 30)
    )
    assert np.isfinite(machine.predict(GRID)).all()
    assert root_mean_square(machine.predict(X) - y) < 0.2


@pytest.mark.parametrize("value", [0.0, 7.0, -1e9, 1e-9])
def test_a_constant_target_is_predicted(value):
    X, _, _ = sinc_rows(0, n=20)
    mean, std = BayesianSVR().fit(X, np.full(20, value)).predict(GRID, return_std=True)
    np.testing.assert_allclose(mean, value, rtol=1e-3, atol=1e-12)
    assert (std <= 0.05 * max(abs(value), 1.0)).all()


def test_a_constant_input_and_a_single_row_do_no_harm():
    X, y, _ = sinc_rows(0, n=30)
    machine = BayesianSVR(max_iter=20).fit(np.column_stack([X, np.full(30, 3.0)]), y)
    assert np.isfinite(machine.predict(np.column_stack([GRID, np.full(100, 3.0)]))).all()
    assert BayesianSVR().fit([[1.0]], [2.0]).predict([[1.0]]) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize(
    "wrong",
    [
        {"C": 0},
        {"C": -1.0},
        {"epsilon": 0},
        {"epsilon": -0.1},
        {"beta": 0},
        {"beta": 1.5},
        {"loss": "squared"},
        {"relevance": -1.0},
        {"relevance": [1.0, 2.0]},
        {"kernel_variance": 0},
        {"bias_variance": -1},
        {"n_restarts": -1},
        {"combine": "mean"},
        {"loss": "huber", "beta": 0.5},
        {"loss": "laplace", "epsilon": 0.1},
    ],
)
def test_impossible_parameters_are_refused_by_name(wrong):
    X, y, _ = sinc_rows(0, n=20)
    machine = BayesianSVR(**wrong)
    with pytest.raises(ValueError, match=list(wrong)[-1]):
        machine.fit(X, y)
    with pytest.raises(NotFittedError):
        machine.predict(X)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("where", ["X", "y"])
def test_numbers_that_are_none_are_refused(bad, where):
    X, y, _ = sinc_rows(0, n=20)
    (X if where == "X" else y)[3] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        BayesianSVR().fit(X, y)


def test_too_many_rows_are_refused_with_a_cure(monkeypatch):
    monkeypatch.setattr(output, "MOST_ROWS", 30)
    X, y, _ = sinc_rows(0, n=31)
    with pytest.raises(ValueError, match=r"at most 30 rows.*basis=1000"):
        BayesianSVR(basis=None).fit(X, y)


def test_a_failed_fit_leaves_the_old_one_alone():
    X, y, _ = sinc_rows(0, n=30)
    machine = BayesianSVR(max_iter=10).fit(X, y)
    before = machine.predict(GRID)
    with pytest.raises(ValueError, match="NaN"):
        machine.fit(np.column_stack([X, X * np.nan]), y)
    np.testing.assert_array_equal(machine.predict(GRID), before)


def test_it_can_be_cloned_and_printed():
    machine = BayesianSVR(loss="huber", C=3.0)
    assert "huber" in repr(clone(machine))


def data_folder():
    if "ROWTRUST_DATA" not in os.environ:
        pytest.skip("ROWTRUST_DATA names no folder with the papers' data")
    return Path(os.environ["ROWTRUST_DATA"])


@pytest.mark.slow
def test_the_robot_arm_is_learnt_better_than_in_the_paper():
    folder = data_folder() / "robot_arm"
    X, Y = np.loadtxt(folder / "Mackay-inputs.data"), np.loadtxt(folder / "Mackay-outputs.data")
    machine = BayesianSVR().fit(X[:200], Y[:200])
    position = np.sum((machine.predict(X[200:]) - Y[200:]) ** 2, axis=1)
    assert position.mean() <= 0.00535


@pytest.mark.slow
def test_boston_is_learnt_better_than_in_the_paper():
    data = np.loadtxt(data_folder() / "boston_housing" / "housing.data")
    errors = []
    for seed in range(3):
        rows = np.random.default_rng(seed).permutation(506)
        train, test = data[rows[:481]], data[rows[481:]]
        machine = BayesianSVR().fit(train[:, :-1], train[:, -1])
        errors.append(np.mean((machine.predict(test[:, :-1]) - test[:, -1]) ** 2))
    assert np.mean(errors) <= 8.0
