"""The one Cholesky against numpy's inverse, and the site evidence against the dense Gaussian marginal."""

import numpy as np
import pytest
from scipy.linalg import LinAlgError
from scipy.stats import multivariate_normal

from rowtrust.inference.posterior import site_log_evidence, solve_posterior


def random_problem(seed, n=30, k=6):
    rng = np.random.default_rng(seed)
    phi = np.column_stack([np.ones(n), rng.normal(size=(n, k - 1))])
    target = phi @ rng.normal(size=k) + rng.normal(size=n)
    weight, precision = rng.uniform(0.05, 2.0, n), rng.exponential(1.0, k) + 1e-3
    return phi, target, weight, precision


def statistics(phi, target, weight, tau):
    return tau * phi.T @ (weight[:, None] * phi), tau * phi.T @ (weight * target)


@pytest.mark.parametrize("seed", range(5))
def test_the_posterior_is_the_dense_inverse(seed):
    phi, target, weight, precision = random_problem(seed)
    gram, vector = statistics(phi, target, weight, 3.0)
    before = gram.copy()
    posterior = solve_posterior(gram, vector, precision)
    inverse = np.linalg.inv(gram + np.diag(precision))
    np.testing.assert_allclose(posterior.covariance, inverse, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(posterior.variance, np.diag(inverse), rtol=1e-10)
    np.testing.assert_allclose(posterior.mean, inverse @ vector, rtol=1e-9, atol=1e-12)
    assert posterior.log_determinant == pytest.approx(
        np.linalg.slogdet(gram + np.diag(precision))[1], rel=1e-12
    )
    np.testing.assert_array_equal(gram, before)


def test_badly_scaled_columns_cost_no_accuracy():
    """Columns of 1e-8 and 1e8 side by side: the truth is the well-scaled problem, rescaled."""
    phi, target, weight, precision = random_problem(1)
    scale = 10.0 ** np.array([0, -8, 8, -4, 4, 1])
    gram, vector = statistics(phi, target, weight, 2.0)
    plain = solve_posterior(gram, vector, precision)
    scaled = solve_posterior(gram * np.outer(scale, scale), vector * scale, precision * scale**2)
    np.testing.assert_allclose(scaled.mean * scale, plain.mean, rtol=1e-9)
    np.testing.assert_allclose(scaled.variance * scale**2, plain.variance, rtol=1e-9)
    assert scaled.log_determinant == pytest.approx(plain.log_determinant + 2 * np.log(scale).sum(), abs=1e-8)


@pytest.mark.parametrize("copies", [2, 5, 40])
@pytest.mark.parametrize("prior", [1.0, 1e-12])
def test_duplicated_columns_share_one_coefficient(copies, prior):
    """With a prior of next to nothing the matrix is singular in floating point: jitter must save it."""
    phi, target, weight, _ = random_problem(2, k=3)
    repeated = np.column_stack([phi[:, :1], np.repeat(phi[:, 1:2], copies, axis=1), phi[:, 2:]])
    gram, vector = statistics(repeated, target, weight, 100.0)
    posterior = solve_posterior(gram, vector, np.full(copies + 2, prior))
    single, single_vector = statistics(phi, target, weight, 100.0)
    # Copies with precision `prior` each are one coefficient of precision prior / copies.
    alone = solve_posterior(single, single_vector, np.array([prior, prior / copies, prior]))
    mean, variance = posterior.latent_moments(repeated)
    expected_mean, expected_variance = alone.latent_moments(phi)
    # A jitter of 1e-14 to 1e-8 on near-singular directions shows in the fourth digit at worst.
    np.testing.assert_allclose(mean, expected_mean, atol=1e-4)
    np.testing.assert_allclose(variance, expected_variance, atol=1e-4)
    assert (variance >= 0).all()


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_order_in_memory_does_not_matter_when_rounding_made_the_gram_indefinite(order):
    """A first attempt at a factorisation must not spoil the matrix for the next."""
    rng = np.random.default_rng(0)
    phi = rng.normal(size=(30, 3))
    spanned = np.column_stack([phi, phi @ rng.normal(size=(3, 30))])
    gram, vector = statistics(spanned, phi @ [1.0, -2.0, 0.5], np.ones(30), 100.0)
    posterior = solve_posterior(np.array(gram, order=order), vector, np.full(33, 1e-13))
    np.testing.assert_allclose(posterior.latent_moments(spanned)[0], phi @ [1.0, -2.0, 0.5], atol=1e-4)


def test_an_exactly_singular_gram_is_factored():
    gram = np.ones((3, 3))
    posterior = solve_posterior(gram, np.ones(3), np.full(3, 1e-18))
    assert np.isfinite(posterior.root).all()
    assert posterior.mean.sum() == pytest.approx(1.0, abs=1e-4)


def test_an_indefinite_matrix_is_an_error_that_names_the_cure():
    with pytest.raises(LinAlgError, match="scale the inputs, or use another kernel"):
        solve_posterior(np.array([[1.0, 2.0], [2.0, 1.0]]), np.ones(2), np.full(2, 1e-3))


@pytest.mark.parametrize(
    "bad",
    [
        np.nan,
        np.inf,
    ],
)
def test_columns_that_are_not_finite_are_an_error(bad):
    gram = np.eye(3)
    gram[1, 2] = gram[2, 1] = bad
    with pytest.raises(LinAlgError, match="not finite"):
        solve_posterior(gram, np.ones(3), np.ones(3))


def test_latent_moments_are_those_of_a_linear_map():
    phi, target, weight, precision = random_problem(3)
    gram, vector = statistics(phi, target, weight, 1.0)
    posterior = solve_posterior(gram, vector, precision)
    rows = np.random.default_rng(9).normal(size=(11, 6))
    mean, variance = posterior.latent_moments(rows)
    covariance = np.linalg.inv(gram + np.diag(precision))
    np.testing.assert_allclose(mean, rows @ covariance @ vector, rtol=1e-9)
    np.testing.assert_allclose(variance, np.diag(rows @ covariance @ rows.T), rtol=1e-9)


def test_latent_variances_agree_with_draws_of_the_coefficients():
    phi, target, weight, precision = random_problem(4)
    posterior = solve_posterior(*statistics(phi, target, weight, 1.0), precision)
    noise = np.random.default_rng(0).normal(size=(6, 200_000))
    latent = phi[:3] @ (posterior.mean[:, None] + posterior.root @ noise)
    mean, variance = posterior.latent_moments(phi[:3])
    np.testing.assert_allclose(latent.mean(axis=1), mean, atol=0.01)
    np.testing.assert_allclose(latent.var(axis=1), variance, rtol=0.02)


@pytest.mark.parametrize(("n", "k"), [(5, 1), (12, 3), (30, 8), (8, 15)])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weighted", [False, True])
def test_the_site_evidence_is_the_dense_gaussian_marginal(n, k, seed, weighted):
    """ln N(t; 0, W^-1 / tau + Phi A^-1 Phi'), for learnt precision weights with their normaliser."""
    phi, target, weight, precision = random_problem(seed, n, k)
    weight = weight if weighted else np.ones(n)
    tau = 1.7
    gram, vector = statistics(phi, target, weight, tau)
    posterior = solve_posterior(gram, vector, precision)
    constant = -0.5 * tau * weight @ target**2
    normaliser = 0.5 * np.sum(np.log(weight * tau / (2 * np.pi)))
    evidence = site_log_evidence(constant + normaliser, vector, precision, posterior)
    covariance = np.diag(1 / (weight * tau)) + phi @ np.diag(1 / precision) @ phi.T
    dense = multivariate_normal.logpdf(target, np.zeros(n), covariance)
    assert evidence == pytest.approx(dense, rel=1e-8)


def test_the_site_evidence_ignores_a_coefficient_whose_prior_is_certain():
    phi, target, weight, precision = random_problem(6)
    with_it, without = precision.copy(), np.delete(precision, 2)
    with_it[2] = 1e14
    gram, vector = statistics(phi, target, weight, 1.0)
    full = site_log_evidence(0.0, vector, with_it, solve_posterior(gram, vector, with_it))
    fewer = np.delete(np.arange(6), 2)
    small, small_vector = gram[np.ix_(fewer, fewer)], vector[fewer]
    rest = site_log_evidence(0.0, small_vector, without, solve_posterior(small, small_vector, without))
    assert full == pytest.approx(rest, abs=1e-8)
