"""Random options of the estimators: from what each parameter says that it takes, and now and then beyond."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.gaussian_process import kernels as objects
from sklearn.utils._param_validation import Interval, Options, StrOptions

import rowtrust
from benchmarks.fuzz_data import Generator, Rows, log_uniform, one_of
from rowtrust.kernels import OnColumns
from rowtrust.likelihoods import Gaussian, Huber, Laplace, Logistic, SoftInsensitive
from rowtrust.memberships import ClassCentre, Heuristic, Imbalance, Residual, Time
from rowtrust.weights import Fixed, Gamma, Unit

MACHINES = [name for name in rowtrust.__all__ if not name.startswith("Trusted")]
ESTIMATORS = [name for name in MACHINES if hasattr(getattr(rowtrust, name), "fit")]
CLASSIFIERS = [name for name in ESTIMATORS if hasattr(getattr(rowtrust, name), "predict_proba")]

SET, INVALID = 0.2, 0.004
"""Probabilities that an option is not left at its default, and that it is something that no fit can take."""

NUMBERS: dict[str, tuple[float, ...]] = {
    "gamma": (1e-6, 1e-3, 0.1, 1.0, 30.0, 1e4),
    "degree": (0.5, 1, 2, 3, 7),
    "coef0": (-1.0, 0.0, 1.0, 10.0),
    "sparsity": (0.0, 1e-4, 0.1, 10.0),
    "max_iter": (1, 2, 5, 30, 300),
    "tol": (1e-8, 1e-3, 0.1, 10.0),
    "trust_prior": (1e-3, 0.5, 1.0, 5.0, 1e3),
    "label_noise": (0.0, 0.05, 0.3, 0.49, 0.6, 0.99),
    "n_restarts": (0, 1),
    "C": (1e-3, 1.0, 100.0),
    "epsilon": (1e-3, 0.1, 3.0),
    "beta": (1e-3, 0.3, 1.0),
    "relevance": (0.0, 1e-3, 1.0, 100.0),
    "kernel_variance": (1e-3, 1.0, 100.0),
    "bias_variance": (0.0, 1e-3, 1.0, 100.0),
    "basis": (1, 2, 5, 30, 1000),
}
"""Numbers of each option: small, sensible and large."""

OUTSIDE = (-1, 0, 2.5, np.nan, np.inf, "", "nonsense", [], object(), True, np.float64(-0.5), (1, 2), b"auto")
"""What no option takes, or hardly any."""


@dataclass(frozen=True)
class Model:
    """An estimator to fit: its name and its options."""

    name: str
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def classifies(self) -> bool:
        """Whether it takes labels."""
        return self.name in CLASSIFIERS

    def build(self) -> Any:
        """Return the unfitted estimator."""
        return getattr(rowtrust, self.name)(**self.options)

    def __str__(self) -> str:
        options = ", ".join(f"{name}={short(value)}" for name, value in self.options.items())
        return f"{self.name}({options})"


def short(value: Any) -> str:
    """Return a value for a line of text."""
    text = " ".join(repr(value).split())
    return text if len(text) < 80 else text[:77] + "..."


def draw_model(generator: Generator, name: str, rows: Rows, invalid: float = INVALID) -> Model:
    """Return an estimator with random options."""
    kind = getattr(rowtrust, name)
    options = {}
    for option, constraints in kind._parameter_constraints.items():
        if generator.random() < invalid and option != "n_jobs":  # -1 would start processes
            options[option] = one_of(generator, OUTSIDE)
        elif generator.random() < SET:
            options[option] = draw_option(generator, option, constraints, rows)
    options["random_state"] = one_of(generator, (0, 7, None))
    if options.get("solver") == "variational":
        options.setdefault("max_iter", 30)  # it needs hundreds, of n^3 each
    return Model(name, options)


def draw_option(generator: Generator, option: str, constraints: list[Any], rows: Rows) -> Any:
    """Return one of the values that an option takes."""
    if option in SPECIAL and generator.random() < 0.5:
        return SPECIAL[option](generator, rows)
    plain: list[Any] = []
    for constraint in constraints:
        if isinstance(constraint, StrOptions | Options):
            plain += sorted(constraint.options)
        elif isinstance(constraint, Interval):
            plain += NUMBERS[option]
        elif constraint is None:
            plain.append(None)
        elif constraint == "boolean":
            plain += [True, False]
    if option == "n_jobs":
        plain = [None, 1]
    return one_of(generator, plain) if plain else SPECIAL[option](generator, rows)


# options that are more than a word or a number ------------------------------------------------------


def sine_kernel(X: Any, Y: Any) -> Any:
    """Return a kernel that is not positive definite."""
    return np.sin(product(X, Y))


def linear_kernel(X: Any, Y: Any) -> Any:
    """Return a kernel that grows."""
    return product(X, Y)


def broken_kernel(X: Any, Y: Any) -> Any:
    """Return what no kernel should."""
    return np.full((X.shape[0], Y.shape[0]), np.nan)


def wrong_shape(X: Any, Y: Any) -> Any:
    """Return one number too few."""
    return np.zeros((X.shape[0], max(0, Y.shape[0] - 1)))


def product(X: Any, Y: Any) -> Any:
    """Return all inner products, dense."""
    values = X @ Y.T
    return values.toarray() if hasattr(values, "toarray") else np.asarray(values)


def draw_kernel(generator: Generator, rows: Rows) -> Any:
    last = rows.X.shape[1] - 1
    choices: list[Callable[[], Any]] = [
        lambda: sine_kernel,
        lambda: linear_kernel,
        lambda: broken_kernel,
        lambda: wrong_shape,
        lambda: objects.RBF(),
        lambda: objects.RBF(np.ones(last + 1)),
        lambda: objects.Matern(nu=one_of(generator, (0.5, 1.5, 2.5))),
        lambda: objects.RationalQuadratic(),
        lambda: objects.DotProduct(),
        lambda: objects.ExpSineSquared(),
        lambda: objects.RBF() + objects.DotProduct(),
        lambda: objects.ConstantKernel(2.0) * objects.RBF(0.5, "fixed") + objects.WhiteKernel(),
        lambda: objects.RBF() ** 2,
        lambda: OnColumns(objects.RBF(), [0]) + OnColumns(objects.Matern(), [last]),
        lambda: OnColumns(objects.RBF(), [99]),
    ]
    return one_of(generator, choices)()


def draw_basis(generator: Generator, rows: Rows) -> Any:
    columns = rows.X.shape[1] + (generator.random() < 0.1)
    size = log_uniform(generator, 1, 20)
    return generator.normal(size=(size, columns)) if generator.random() < 0.8 else np.arange(size)


def draw_membership(generator: Generator, rows: Rows) -> Any:
    n_rows = rows.X.shape[0]
    choices: list[Callable[[], Any]] = [
        lambda: generator.uniform(0.01, 1.0, n_rows),
        lambda: np.ones(n_rows + 1),
        lambda: generator.normal(size=n_rows),
        lambda: some_memberships,
        lambda: ClassCentre("kernel", offset=0.5),
        lambda: Time("quadratic", floor=0.3),
        lambda: Time(times=np.arange(n_rows)[::-1]),
        lambda: Heuristic("neighbours", n_neighbours=3),
        lambda: Imbalance("boundary", rate=3.0),
        lambda: Residual(),
        lambda: Time,
    ]
    return one_of(generator, choices)()


def some_memberships(X: Any, y: Any) -> Any:
    """Return every second row in full."""
    return np.where(np.arange(X.shape[0]) % 2 == 0, 1.0, 0.3)


def draw_label_noise(generator: Generator, rows: Rows) -> Any:
    classes = np.unique(np.asarray(rows.y, dtype=str if np.asarray(rows.y).dtype == object else None))
    size = len(classes)
    matrix = generator.dirichlet(np.ones(size), size) * 0.3 + 0.7 * np.eye(size)
    choices: list[Any] = [
        matrix,
        {classes.tolist()[0]: 0.2},
        {"nobody": 0.1},
        dict.fromkeys(classes.tolist(), 0.1),
        np.ones((size, size)),
        np.eye(size + 1),
    ]
    return one_of(generator, choices)


def draw_class_weight(generator: Generator, rows: Rows) -> Any:
    classes = np.unique(
        np.asarray(rows.y, dtype=str if np.asarray(rows.y).dtype == object else None)
    ).tolist()
    whole = dict(zip(classes, generator.uniform(0.1, 10.0, len(classes)).tolist(), strict=True))
    return one_of(
        generator, [whole, {classes[0]: 5.0}, {classes[0]: 0.0}, {classes[0]: -1.0}, {"nobody": 2.0}]
    )


def draw_likelihood(generator: Generator, rows: Rows) -> Any:
    C, epsilon = one_of(generator, NUMBERS["C"]), one_of(generator, NUMBERS["epsilon"])
    choices = [Gaussian(), Huber(C, epsilon), Laplace(C), Logistic(), SoftInsensitive(C, epsilon, 0.3), None]
    return one_of(generator, choices)


def draw_weights(generator: Generator, rows: Rows) -> Any:
    shares = generator.uniform(0.01, 1.0, rows.X.shape[0])
    return one_of(generator, [Unit(), Gamma(), Gamma(0.5, learns=True), Fixed(shares), None])


def draw_relevance(generator: Generator, rows: Rows) -> Any:
    size = rows.X.shape[1] + (generator.random() < 0.1)
    return generator.uniform(0.0 if generator.random() < 0.9 else -1.0, 2.0, size)


SPECIAL: dict[str, Callable[[Generator, Rows], Any]] = {
    "kernel": draw_kernel,
    "basis": draw_basis,
    "membership": draw_membership,
    "label_noise": draw_label_noise,
    "class_weight": draw_class_weight,
    "likelihood": draw_likelihood,
    "weights": draw_weights,
    "relevance": draw_relevance,
    "random_state": lambda generator, rows: 1,
}
"""Options that take arrays, functions and objects."""
