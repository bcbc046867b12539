"""A new likelihood, weighting or engine is one new class: here are some, of a few lines each.

The likelihoods know their log density and their mean. What they are fitted to is checked by a solver of its
own: scipy's optimiser over the mean and the Cholesky factor of a Gaussian, with derivatives from textbooks.
"""

import inspect
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import entr, expit, gammaln, log_ndtr, ndtr
from sklearn.datasets import make_moons

from rowtrust import RVC, RVR, SparseBayesClassifier, SparseBayesRegressor
from rowtrust.contracts import WeightMoments
from rowtrust.engines import Block, Engine, MemoryEngine
from rowtrust.inference import AsGiven, Problem, WorkingSet, solve
from rowtrust.kernels import Basis, Kernel
from rowtrust.likelihoods import Gaussian, Likelihood, Logistic, base
from rowtrust.priors import ARD
from rowtrust.weights import Gamma, Unit, Weights

AS_GIVEN = {"scaling": None, "sparsity": 0.0}
"""Numbers for ``gamma`` mean the inputs as they are, and every column stays."""

# Two likelihoods, from their log densities and means


@dataclass(frozen=True)
class Probit(Likelihood):
    """``P(t = 1) = Phi(f)`` for targets 0 and 1."""

    def log_density(self, target, latent):
        return log_ndtr((2.0 * target - 1.0) * latent)

    def mean(self, latent):
        return ndtr(latent)


@dataclass(frozen=True)
class Poisson(Likelihood):
    """Counts with the rate ``exp(f)``."""

    def log_density(self, target, latent):
        return target * latent - np.exp(latent) - gammaln(target + 1.0)

    def mean(self, latent):
        return np.exp(latent)


converged = pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")

# The same by other means: expected log densities, slopes and curvatures under N(mean, variance)

NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(80)
NODE_WEIGHTS = NODE_WEIGHTS / NODE_WEIGHTS.sum()


def probit_terms(target, mean, variance):
    """The derivatives of ``ln Phi(u)`` are ``r`` and ``-r (r + u)``, ``r`` the inverse Mills ratio."""
    side = 2.0 * target - 1.0
    u = side[:, None] * (mean[:, None] + np.sqrt(variance)[:, None] * NODES)
    mills = np.exp(-0.5 * u**2 - 0.5 * np.log(2 * np.pi) - log_ndtr(u))
    return log_ndtr(u) @ NODE_WEIGHTS, side * (mills @ NODE_WEIGHTS), (mills * (mills + u)) @ NODE_WEIGHTS


def poisson_terms(target, mean, variance):
    """The average of ``exp(f)`` is ``exp(mean + variance / 2)``."""
    rate = np.exp(mean + 0.5 * variance)
    return target * mean - rate - gammaln(target + 1.0), target - rate, rate


def best_gaussian(phi, target, prior_precision, terms):
    """Return latent means and variances under the Gaussian posterior with the highest bound."""
    k = phi.shape[1]
    whitener = np.linalg.cholesky(np.linalg.inv(phi.T @ phi + np.diag(prior_precision)))
    phi, prior = phi @ whitener, whitener.T @ np.diag(prior_precision) @ whitener
    lower = np.tril_indices(k)

    def unpacked(flat):
        factor = np.zeros((k, k))
        factor[lower] = flat[k:]
        return flat[:k], factor

    def negative_bound(flat):
        mean, factor = unpacked(flat)
        spread = phi @ factor
        value, slope, curvature = terms(target, phi @ mean, (spread**2).sum(axis=1))
        bound = value.sum() - 0.5 * mean @ prior @ mean - 0.5 * np.sum((prior @ factor) * factor)
        bound += np.log(np.abs(np.diag(factor))).sum()
        by_mean = phi.T @ slope - prior @ mean
        by_factor = np.diag(1.0 / np.diag(factor)) - phi.T @ (curvature[:, None] * spread) - prior @ factor
        return -bound, -np.concatenate([by_mean, by_factor[lower]])

    start = np.concatenate([np.zeros(k), np.eye(k)[lower]])
    options = {"maxiter": 10_000, "maxfun": 20_000, "ftol": 1e-15, "gtol": 1e-8}
    found = minimize(negative_bound, start, jac=True, method="L-BFGS-B", options=options)
    mean, factor = unpacked(found.x)
    return phi @ mean, ((phi @ factor) ** 2).sum(axis=1)


def fitted_function(model, X):
    """Return the basis functions of a fit, and its latent means and variances, from public attributes."""
    phi = np.column_stack([np.ones(len(X)), np.exp(-model.gamma_ * distances(X, model.relevance_vectors_))])
    mean = phi @ np.append(model.intercept_, model.dual_coef_[0])
    return phi, mean, np.einsum("ij,ij->i", phi @ model.covariance_[0], phi)


def distances(X, centres):
    return ((X[:, None] - centres) ** 2).sum(axis=2)


def check_against_the_best_gaussian(model, X, target, terms):
    phi, mean, variance = fitted_function(model, X)
    precision = np.append(model.intercept_precision_, model.weight_precision_[0])
    best_mean, best_variance = best_gaussian(phi, target, precision, terms)
    np.testing.assert_allclose(mean, best_mean, rtol=0, atol=2e-3 * np.std(best_mean))
    np.testing.assert_allclose(variance, best_variance, rtol=0.05)


def moons(n, seed):
    X, y = make_moons(n, noise=0.25, random_state=seed)
    return X, y.astype(float)


def counts(level, seed=0, n=150):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, (n, 1))
    rate = np.exp(level + np.sin(X[:, 0]))
    return X, rng.poisson(rate).astype(float), rate


@converged
@pytest.mark.parametrize("seed", [0, 1, 2, 3, 5])
def test_a_probit_fit_is_the_best_gaussian(seed):
    X, y = moons(120, seed)
    model = SparseBayesClassifier(likelihood=Probit(), gamma=1.0, tol=1e-6, **AS_GIVEN).fit(X, y)
    assert model.dual_coef_.shape[1] >= 1
    check_against_the_best_gaussian(model, X, y, probit_terms)


@converged
@pytest.mark.parametrize("level", [-3.0, -1.5, 0.0, 1.0, 2.0, 5.0])
def test_a_poisson_fit_is_the_best_gaussian(level):
    X, y, _ = counts(level)
    model = SparseBayesRegressor(likelihood=Poisson(), gamma=0.5, tol=1e-6, **AS_GIVEN).fit(X, y)
    assert model.dual_coef_.shape[1] >= 1
    check_against_the_best_gaussian(model, X, y, poisson_terms)


@converged
def test_probit_and_logistic_probabilities_are_much_the_same():
    X, y = moons(300, 0)
    new, truth = moons(1000, 1)
    probit = SparseBayesClassifier(likelihood=Probit(), gamma=0.7).fit(X, y)
    logistic = RVC(gamma=0.7).fit(X, y)
    difference = np.abs(probit.predict_proba(new) - logistic.predict_proba(new))
    assert difference.mean() < 0.03
    assert np.mean(probit.predict(new) == logistic.predict(new)) > 0.97
    assert probit.score(new, truth) > 0.9
    np.testing.assert_allclose(probit.predict_proba(new).sum(axis=1), 1.0)


@converged
@pytest.mark.parametrize("level", [1.0, 2.0, 5.0])
def test_poisson_means_are_near_the_true_rates(level):
    X, y, rate = counts(level, n=300)
    model = SparseBayesRegressor(likelihood=Poisson(), gamma=0.5, **AS_GIVEN).fit(X, y)
    error = np.abs(model.predict(X) / rate - 1.0).mean()
    assert error < 0.5 / np.sqrt(np.exp(level))


def test_error_bars_need_a_conditional_variance_and_say_so():
    X, y, _ = counts(1.0)
    model = SparseBayesRegressor(likelihood=Poisson(), gamma=0.5, **AS_GIVEN).fit(X, y)
    with pytest.raises(NotImplementedError, match=r"Poisson .* conditional_variance\(latent\)"):
        model.predict(X, return_std=True)

    class WithVariance(Poisson):
        def conditional_variance(self, latent):
            return np.exp(latent)

    mean, deviation = (
        SparseBayesRegressor(likelihood=WithVariance(), gamma=0.5, **AS_GIVEN)
        .fit(X, y)
        .predict(X, return_std=True)
    )
    assert (deviation**2 > mean).all(), "the counts' own variance, and that of the function"


@pytest.mark.parametrize(
    ("constant", "factor", "accuracy"),
    [
        ("SMALLEST_DEVIATION", 0.5, 1e-6),
        ("SMALLEST_DEVIATION", 2.0, 1e-6),
    ],
)
def test_the_constants_of_quadrature_hardly_matter(monkeypatch, constant, factor, accuracy):
    def fits():
        X, y = moons(120, 0)
        yield (
            SparseBayesClassifier(likelihood=Probit(), gamma=1.0, tol=1e-6, **AS_GIVEN)
            .fit(X, y)
            .decision_function(X)
        )
        X, y, _ = counts(2.0)
        yield SparseBayesRegressor(likelihood=Poisson(), gamma=0.5, tol=1e-6, **AS_GIVEN).fit(X, y).predict(X)

    before = list(fits())
    monkeypatch.setattr(base, constant, factor * getattr(base, constant))
    for one, two in zip(before, fits(), strict=True):
        np.testing.assert_allclose(one, two, rtol=0, atol=accuracy * np.std(one))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_new_likelihood_goes_with_several_widths_and_classes():
    """Narrow widths separate the classes, and coefficients grow without end: the best state is kept."""
    X, y = moons(100, 0)
    three = np.where(X[:, 1] > 0.8, 2.0, y)
    model = SparseBayesClassifier(likelihood=Probit()).fit(X, three)
    assert model.predict_proba(X).shape == (100, 3)
    assert model.score(X, three) > 0.85


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_evidence_of_labels_is_never_above_zero():
    """Probabilities of labels are at most one."""
    X, y = moons(100, 0)
    model = SparseBayesClassifier(likelihood=Probit(), gamma=10.0, max_iter=100).fit(X, y)
    assert model.lower_bounds_.max() <= 0.0


@converged
def test_a_new_likelihood_goes_with_several_widths():
    X, y, rate = counts(2.0)
    model = SparseBayesRegressor(likelihood=Poisson()).fit(X, y)
    assert np.abs(model.predict(X) / rate - 1.0).mean() < 0.2


# An engine that reads its blocks from disk


class DiskEngine(Engine):
    """Rows in files, one for the inputs and one for the targets of each block."""

    def __init__(self, folder, basis, probes):
        super().__init__(basis, probes)
        self.folder = folder

    def blocks(self, width):
        offset = 0
        for inputs in sorted(self.folder.glob("X*.npy")):
            X, y = np.load(inputs), np.load(inputs.with_name("y" + inputs.name[1:]))
            yield Block(X, y, np.ones(len(y)), offset, self.basis)
            offset += len(y)


class FixedBlocks(MemoryEngine):
    """Rows in memory, in blocks of as many rows as a file holds."""

    rows_per_block = 64

    def blocks(self, width):
        self._block_bytes = 8 * max(1, width) * self.rows_per_block
        return super().blocks(width)


def test_an_engine_takes_few_lines():
    assert len(inspect.getsource(DiskEngine).splitlines()) <= 40


@pytest.mark.parametrize(
    ("likelihood", "weights"),
    [
        (Gaussian(), Unit()),
        (Gaussian(), Gamma(1.0, learns=True)),
        (Logistic(), Gamma(1.3)),
        (Probit(), Unit()),
    ],
    ids=repr,
)
def test_rows_on_disk_and_in_memory_give_the_same_fit(tmp_path, likelihood, weights):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=300)
    y = y if isinstance(likelihood, Gaussian) else (y > 0).astype(float)
    for number, start in enumerate(range(0, 300, FixedBlocks.rows_per_block)):
        rows = slice(start, start + FixedBlocks.rows_per_block)
        np.save(tmp_path / f"X{number:03}.npy", X[rows])
        np.save(tmp_path / f"y{number:03}.npy", y[rows])
    basis = Basis(Kernel("rbf", 0.5), X)
    memory = FixedBlocks(X, y, np.ones(300), basis, cache_bytes=0)
    disk = DiskEngine(tmp_path, basis, memory.probes)
    assert len(list(disk.blocks(1))) == len(list(memory.blocks(1))) > 1
    one, two = (
        solve(Problem(engine, AsGiven(), likelihood, weights, ARD()), WorkingSet(), 1000)
        for engine in (disk, memory)
    )
    assert len(one.state.columns) > 3
    np.testing.assert_array_equal(one.state.columns, two.state.columns)
    np.testing.assert_allclose(one.latent_mean, two.latent_mean, rtol=0, atol=1e-10)
    size = np.abs(two.state.posterior.mean).max()
    np.testing.assert_allclose(one.state.posterior.mean, two.state.posterior.mean, rtol=0, atol=1e-10 * size)
    assert one.state.bound == pytest.approx(two.state.bound, rel=1e-10)


# A weighting


@dataclass(frozen=True)
class Contaminated(Weights):
    """Each row is sound or, in some cases, all but ignored: Tukey's contaminated noise."""

    sound: float = 0.95
    doubtful_weight: float = 0.01

    def learn(self, loss, exponent):
        low = self.doubtful_weight
        prior_odds = np.log(self.sound / (1.0 - self.sound))
        on = expit(prior_odds - exponent * np.log(low) - (1.0 - low) * loss)
        prior = on * np.log(self.sound) + (1.0 - on) * np.log(1.0 - self.sound)
        bound = exponent * (1.0 - on) * np.log(low) + prior + entr(on) + entr(1.0 - on)
        return WeightMoments(on + (1.0 - on) * low, bound, np.empty((0, len(loss))))


def test_a_weighting_takes_few_lines():
    assert len(inspect.getsource(Contaminated).splitlines()) < 20


def test_the_bound_of_the_new_weighting_is_the_exact_mixture():
    """Two weights are summed over, so that the bound is the logarithm of the mixture itself."""
    weights, loss = Contaminated(), np.array([0.0, 0.3, 2.0, 40.0])
    moments = weights.learn(loss, 0.5)
    mixture = 0.95 * np.exp(-loss) + 0.05 * np.sqrt(0.01) * np.exp(-0.01 * loss)
    np.testing.assert_allclose(moments.bound - moments.expected * loss, np.log(mixture), rtol=1e-10)


def test_a_new_weighting_sees_through_outliers():
    rng = np.random.default_rng(0)
    X = rng.uniform(-10, 10, (200, 1))
    truth = np.sinc(X[:, 0] / np.pi)
    y = truth + 0.05 * rng.normal(size=200)
    wrong = rng.choice(200, 20, replace=False)
    y[wrong] += rng.choice([-1.0, 1.0], 20) * rng.uniform(1.0, 3.0, 20)
    robust = SparseBayesRegressor(weights=Contaminated(), gamma=0.1, **AS_GIVEN).fit(X, y)
    plain = RVR(gamma=0.1, **AS_GIVEN).fit(X, y)
    rmse, plain_rmse = (np.sqrt(np.mean((model.predict(X) - truth) ** 2)) for model in (robust, plain))
    assert rmse < 0.05
    assert rmse < 0.3 * plain_rmse
    assert robust.expected_weight_[wrong].max() < 0.5
    assert np.delete(robust.expected_weight_, wrong).min() > 0.5
    bounds = robust.lower_bounds_
    assert np.diff(bounds).min() > -1e-8 * np.abs(bounds).max()
