"""General estimators: parts that fit together, and clear words about those that do not."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

from rowtrust import SparseBayesClassifier, SparseBayesRegressor
from rowtrust.likelihoods import Gaussian, Huber
from rowtrust.weights import Fixed, Gamma

X, Y = make_moons(80, noise=0.2, random_state=0)
T = np.sin(2 * X[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=80)


def test_fixed_weights_are_copies_in_regression_too():
    """But for the scale of the inputs and what is worth a column, which are a matter of rows alone."""
    alone = {"gamma": 0.5, "scaling": None, "sparsity": 0.0}
    copies = np.arange(80) % 3 + 1.0
    fixed = SparseBayesRegressor(weights=Fixed(copies), **alone).fit(X, T)
    weighted = SparseBayesRegressor(**alone).fit(X, T, sample_weight=copies)
    np.testing.assert_allclose(fixed.predict(X), weighted.predict(X), rtol=1e-8)
    assert fixed.lower_bound_ == pytest.approx(weighted.lower_bound_, rel=1e-9)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: SparseBayesRegressor(weights=Gamma(0.0)).fit(X, T),
            "trust of Gamma must be a finite number",
        ),
        (lambda: SparseBayesClassifier(weights=Gamma(np.nan)).fit(X, Y), "trust of Gamma must be a finite"),
        (lambda: Gaussian(precision=0.0), "precision must be a positive number"),
        (
            lambda: SparseBayesClassifier(likelihood=Gaussian()).fit(X, Y),
            "Gaussian is a likelihood of numbers",
        ),
        (
            lambda: SparseBayesClassifier(weights=Gamma(2.0, learns=True)).fit(X, Y),
            "Gamma.*learns its own prior",
        ),
        (
            lambda: SparseBayesRegressor(weights=Fixed(np.zeros(80))).fit(X, T),
            "factor above zero per row, 80 of them, all finite",
        ),
        (
            lambda: SparseBayesRegressor(weights=Fixed(np.full(80, np.inf))).fit(X, T),
            "factor above zero per row, 80 of them, all finite",
        ),
        (
            lambda: SparseBayesRegressor(weights=Fixed(np.ones(7))).fit(X, T),
            "one factor above zero per row, 80 of them.*got shape",
        ),
    ],
)
def test_what_does_not_fit_together_is_refused_by_name(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_noise_attributes_are_those_of_the_last_fit():
    model = SparseBayesRegressor(gamma=0.5).fit(X, T)
    scatter = model.predictive_model_.noise  # of new targets, as held-out rows show it
    assert model.noise_variance_ == pytest.approx(scatter.factor**2 / model.noise_precision_)
    model.set_params(likelihood=Huber(5.0, 0.1)).fit(X, T)
    assert model.noise_precision_ is None
    assert model.noise_variance_ == pytest.approx(model.predictive_model_.likelihood.variance)
