"""A fitted estimator answers as it was fitted, whatever its parameters are set to afterwards."""

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.gaussian_process.kernels import RBF

import rowtrust
from rowtrust.likelihoods import Huber, Logistic
from rowtrust.weights import Fixed, Gamma

PUBLIC = (getattr(rowtrust, name) for name in rowtrust.__all__)
OUR_OWN = [part for part in PUBLIC if hasattr(part, "fit") and not part.__name__.startswith("Trusted")]
ESTIMATORS = sorted(OUR_OWN, key=lambda kind: kind.__name__)
X, LABEL = make_moons(60, noise=0.2, random_state=0)
TARGET = np.sin(2 * X[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=60)
TWO = np.column_stack([TARGET, X[:, 1] - TARGET])
OTHER = {
    "kernel": "polynomial",
    "gamma": 7.0,
    "degree": 5,
    "coef0": 3.0,
    "basis": 3,
    "solver": "variational",
    "max_iter": 2,
    "tol": 0.5,
    "n_jobs": 3,
    "random_state": 5,
    "class_weight": "balanced",
    "label_noise": 0.3,
    "trust_prior": 0.4,
    "membership": np.full(60, 0.1),
    "normalise_membership": False,
    "loss": "laplace",
    "C": 3.0,
    "epsilon": 2.0,
    "beta": 0.9,
    "relevance": 9.0,
    "kernel_variance": 8.0,
    "bias_variance": 0.0,
    "n_restarts": 4,
    "combine": "mixture",
    "missing": None,
    "scaling": None,
    "sparsity": 0.5,
}
WAYS = [
    pytest.param(kind, {}, marks=[pytest.mark.slow] * kind.__name__.startswith("SparseBayes"))
    for kind in ESTIMATORS
] + [
    (rowtrust.RobustRVC, {"label_noise": "power"}),
    pytest.param(rowtrust.RobustRVC, {"label_noise": 0.1}, marks=pytest.mark.slow),
    (rowtrust.RVC, {"calibration": "folds"}),
    (rowtrust.RVR, {"kernel": "polynomial"}),
    (rowtrust.RVR, {"kernel": RBF(1.0)}),
    pytest.param(rowtrust.BayesianSVR, {"combine": "mixture", "n_restarts": 1}, marks=pytest.mark.slow),
]


def is_classifier(kind):
    return hasattr(kind, "predict_proba")


def other_value(kind, name):
    if name == "likelihood":
        return Logistic() if is_classifier(kind) else Huber(5.0, 0.1)
    if name == "calibration":
        return "folds" if kind is rowtrust.RVC else None
    if name == "weights":
        return Fixed(np.full(60, 0.5)) if is_classifier(kind) else Gamma(2.0)
    return OTHER[name]


def answers(model, y):
    names = ("predict", "predict_proba", "predict_given_proba", "decision_function", "predict_interval")
    found = [np.asarray(getattr(model, name)(X)) for name in names if hasattr(model, name)]
    if not is_classifier(model):
        found.append(np.asarray(model.predict(X, return_std=True)))
    found.append(model.log_score_samples(X, y))
    if y.ndim == 1 and model.predictive_model_ is not None:
        audit = model.judge_rows(X, y)
        found += [audit.p_wrong, audit.agreement, audit.trust, audit.likely]
        found += [np.asarray(model.audit(X, y))] if hasattr(model, "audit") else []
    return found


def assert_same(before, after):
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(("kind", "parameters"), WAYS)
def test_parameters_set_after_a_fit_change_no_answer(kind, parameters):
    y = LABEL if is_classifier(kind) else TARGET
    model = kind(**{"random_state": 0, **parameters}).fit(X, y)
    before = answers(model, y)
    for name in model.get_params(deep=False):
        model.set_params(**{name: other_value(kind, name)})
    assert_same(before, answers(model, y))
    for name in model.get_params(deep=False):
        model.set_params(**{name: object()})
    assert_same(before, answers(model, y))


@pytest.mark.parametrize("kind", [rowtrust.RVR, rowtrust.BayesianSVR])
def test_nor_with_several_targets(kind):
    model = kind(random_state=0).fit(X, TWO)
    before = answers(model, TWO)
    for name in model.get_params(deep=False):
        model.set_params(**{name: object()})
    assert_same(before, answers(model, TWO))


def test_a_kernel_object_may_be_changed_after_the_fit():
    for parameters in ({}, {"gamma": "scale"}):
        model = rowtrust.RVR(kernel=RBF(1.0), **parameters).fit(X, TARGET)
        before = answers(model, TARGET)
        model.set_params(kernel__length_scale=9.0)
        assert_same(before, answers(model, TARGET))


def test_arrays_that_were_given_may_be_changed_after_the_fit():
    centres, rows, target = X[:20].copy(), X.copy(), TARGET.copy()
    model = rowtrust.RVR(basis=centres).fit(rows, target)
    before = answers(model, TARGET)
    centres[:], rows[:], target[:] = 0.0, 1.0, 2.0
    assert_same(before, answers(model, TARGET))


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_every_parameter_is_changed(kind):
    """The test above would miss a parameter whose other value is the default."""
    for name, default in kind().get_params(deep=False).items():
        other = other_value(kind, name)
        assert other is not default
        assert not (np.isscalar(other) and other == default)
