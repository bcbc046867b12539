"""One output: copies merged, units translated, results mixed."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import softmax

from rowtrust.svr.hyperparameters import Settings
from rowtrust.svr.output import fit_outputs, merged

SETTINGS = Settings(
    loss="soft_insensitive",
    C="evidence",
    epsilon="evidence",
    beta=0.3,
    relevance="evidence",
    kernel_variance="evidence",
    bias_variance="evidence",
    n_restarts=2,
    max_iter=8,
    tol=0.1,
    n_jobs=None,
)


def machine_for(rows, settings=SETTINGS):
    X, y, weight = rows
    (machine,) = fit_outputs(X, y[:, None], weight, settings, np.random.default_rng(0))
    return machine


@pytest.fixture
def machine(random_rows):
    return machine_for(random_rows(0, n=40))


def test_equal_rows_are_merged_and_found_again():
    X = np.array([[1.0, 2.0], [0.0, 1.0], [1.0, 2.0], [1.0, 2.0]])
    y = np.array([3.0, 5.0, 3.0, 4.0])
    inputs, targets, weight, first = merged(X, y, np.array([1.0, 2.0, 4.0, 8.0]))
    np.testing.assert_array_equal(first, [1, 0, 3])
    np.testing.assert_array_equal(inputs, X[first])
    np.testing.assert_array_equal(targets, [5.0, 3.0, 4.0])
    np.testing.assert_array_equal(weight, [2.0, 5.0, 8.0])


def test_the_order_of_rows_does_not_matter_to_the_last_digit(random_rows):
    X, y, weight = random_rows(0)
    order = np.random.default_rng(0).permutation(60)
    ours, theirs = merged(X, y, weight), merged(X[order], y[order], weight[order])
    for part in range(3):
        np.testing.assert_array_equal(ours[part], theirs[part])


def test_results_come_best_evidence_first(machine):
    values = [result.log_evidence for result in machine.results]
    assert len(values) == 3
    assert values == sorted(values, reverse=True)
    assert machine.best is machine.results[0]


def test_what_is_published_is_in_the_users_units(random_rows):
    X, y, weight = random_rows(0, n=40)
    scale, settings = 1024.0, replace(SETTINGS, n_restarts=0)
    # A power of two rescales without rounding, so that both searches take the same way.
    plain, scaled = machine_for((X, y, weight), settings), machine_for((X, scale * y, weight), settings)
    assert scaled.hyperparameters.C * scale == pytest.approx(plain.hyperparameters.C)
    assert scaled.noise_variance == pytest.approx(scale**2 * plain.noise_variance)
    assert scaled.log_evidence == pytest.approx(plain.log_evidence - weight.sum() * np.log(scale))
    np.testing.assert_allclose(scaled.dual * scale, plain.dual)
    np.testing.assert_array_equal(scaled.support, plain.support)


def test_the_published_duals_predict_the_mean(machine, random_rows):
    X, _, _ = random_rows(0, n=40)
    theta, step = machine.hyperparameters, X[:, None, :] - X[machine.support][None, :, :]
    kernel = theta.kernel_variance * np.exp(-0.5 * step**2 @ theta.relevance) + theta.bias_variance
    expected = kernel @ machine.dual + machine.units.target_offset
    # Support vectors lie where they were rounded to, a billionth of a standard deviation away.
    np.testing.assert_allclose(machine.mean(X, False), expected, atol=1e-7)


def test_a_mixture_has_the_moments_of_its_parts(machine, random_rows):
    X, _, _ = random_rows(1, n=10)
    shares = softmax(np.array([result.log_evidence for result in machine.results]))
    scale = machine.units.target_scale
    parts = [result.posterior.latent_moments(machine.units.inputs(X)) for result in machine.results]
    means = machine.units.target_offset + scale * np.array([mean for mean, _ in parts])
    stretches = [result.noise.stretch(mean) for result, (mean, _) in zip(machine.results, parts, strict=True)]
    variances = scale**2 * np.array(stretches) * np.array([variance for _, variance in parts])
    mean, variance, noise = machine.moments(X, True)
    np.testing.assert_allclose(mean, shares @ means)
    np.testing.assert_allclose(machine.mean(X, True), mean)
    np.testing.assert_allclose(variance, shares @ (variances + means**2) - mean**2, atol=1e-10)
    plain = [scale**2 * result.hyperparameters.noise_variance for result in machine.results]
    np.testing.assert_allclose(noise, shares @ (np.array(plain)[:, None] * np.array(stretches)))


def test_alone_the_best_predicts(machine, random_rows):
    X, _, _ = random_rows(1, n=10)
    mean, variance, noise = machine.moments(X, False)
    np.testing.assert_allclose(mean, machine.mean(X, False))
    level, latent = machine.best.posterior.latent_moments(machine.units.inputs(X))
    scale, stretch = machine.units.target_scale**2, machine.best.noise.stretch(level)
    np.testing.assert_allclose(variance, scale * stretch * latent)
    np.testing.assert_allclose(noise, machine.noise_variance * stretch / machine.best.noise.factor**2)


def test_every_output_has_its_own_machine(random_rows):
    X, y, weight = random_rows(0, n=40)
    settings = replace(SETTINGS, n_restarts=0)
    both = fit_outputs(X, np.column_stack([y, -3.0 * y]), weight, settings, np.random.default_rng(0))
    assert len(both) == 2
    np.testing.assert_allclose(both[0].mean(X, False), machine_for((X, y, weight), settings).mean(X, False))
