"""Hwang & Jeong (2015): sentences about weights, regularisation and influence, tried on small problems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import optimize
from scipy.special import expit
from sklearn.datasets import make_circles
from sklearn.linear_model import LogisticRegression

from papers.claims import Finding
from papers.context import RunContext
from papers.hwang import theory
from papers.hwang.judging import Lead, identity, judged_order, judged_parts
from papers.hwang.loop_checks import halfway
from papers.hwang.models import MACHINES
from papers.hwang.practice import GAMMA, ROWS, TEST_ROWS, quiet_fit, ripley
from rowtrust.contracts import Array
from rowtrust.datasets import make_ripley
from rowtrust.datasets.fetchers import checked_text, data_folder
from rowtrust.kernels import Kernel

PENALTY = 0.1
"""Of the squared coefficients, where the influence function is taken; any above zero has one."""

WEIGHT_DRAWS = 12
"""Draws of Ripley's problem that are learnt with wrong weights: enough to tell 10 points of error."""

CANCER_FILE, CANCER_ROWS, INCOMPLETE = "breast_cancer_wisconsin/breast-cancer-wisconsin.data", 699, 16
"""The file of BC Wisconsin, its rows, and how many have missing values, as section 4.2.2 says."""


def wrong_weights(context: RunContext) -> Finding:
    """Section 1: incorrect weights may lead to poor generalisation.

    RRVM's own weights are turned upside down, so that doubted rows count most, or dealt out at random; the
    plain machine then learns with them. Judged are the former against no weights at all.
    """
    errors: dict[str, list[float]] = {name: [] for name in ("none", "own", "at random", "turned")}
    for repeat in range(WEIGHT_DRAWS):
        X, given, _ = ripley(context.store.seed + repeat)
        X_test, y_test = make_ripley(TEST_ROWS, random_state=context.store.seed + 1000 + repeat)
        trust = quiet_fit(MACHINES["RRVM"](gamma=GAMMA, random_state=0), X, given).expected_weight_
        shuffled = np.random.default_rng(repeat).permutation(trust)
        weights = {
            "none": np.ones(ROWS),
            "own": trust,
            "at random": shuffled,
            "turned": trust.max() + trust.min() - trust,
        }
        for name, weight in weights.items():
            model = MACHINES["RVM"](gamma=GAMMA, random_state=0).fit(X, given, sample_weight=weight)
            errors[name].append(100.0 * float(np.mean(model.predict(X_test) != y_test)))
    lead = Lead.of(np.subtract(errors["turned"], errors["none"]))
    verdict = judged_order([lead])
    shown = ", ".join(f"{name} {np.mean(values):.1f} %" for name, values in errors.items())
    return Finding(
        verdict,
        f"Ripley's problem, {ROWS} rows, 10 % flips, {len(errors['none'])} draws: test error of RVM with "
        f"these weights of rows: {shown}; turned less none {lead.mean:+.1f} (s.e. {lead.error:.1f})",
        ""
        if verdict in ("reproduced", "better")
        else "The difference lies within two standard errors."
        if lead.mean > 0
        else "Even weights turned upside down leave enough rows to learn from.",
    )


def penalised(context: RunContext) -> Finding:
    """Section 2: given its precisions, the RVM is logistic regression with a penalty on the coefficients."""
    X, y, _ = ripley(context.store.seed, 0.0)
    basis = theory.gaussian_basis(X, X[:10], 1.0 / GAMMA)[:, 1:]
    precision = 2.0

    def log_joint(beta: Array) -> tuple[float, Array]:
        latent = basis @ beta
        value = float(np.sum(theory.log_label(latent, y))) - precision * float(beta @ beta) / 2.0
        return -value, -(basis.T @ (y - expit(latent)) - precision * beta)

    mode = optimize.minimize(log_joint, np.zeros(10), jac=True, method="BFGS", options={"gtol": 1e-9}).x
    ridge = LogisticRegression(C=1.0 / precision, fit_intercept=False, tol=1e-10, max_iter=10_000)
    worst = float(np.abs(ridge.fit(basis, y).coef_[0] - mode).max())
    return identity(
        worst,
        f"the mode of the posterior with all precisions at {precision:g} and the penalised regression of "
        f"scikit-learn differ by at most {worst:.1e}",
        tolerance=1e-4,
    )


def overfits_without_penalty(context: RunContext) -> Finding:
    """Section 2: regularisation avoids overfitting by a complex model."""
    losses: dict[str, list[float]] = {"hardly any": [], "some": []}
    for repeat in range(3 if context.quick else 12):
        X, y, _ = ripley(context.store.seed + repeat, 0.0)
        X_test, y_test = make_ripley(TEST_ROWS, random_state=context.store.seed + 1000 + repeat)
        basis, test = (theory.gaussian_basis(rows, X, 1.0 / GAMMA)[:, 1:] for rows in (X, X_test))
        for name, C in (("hardly any", 1e6), ("some", 1.0)):
            model = quiet_fit(LogisticRegression(C=C, max_iter=5000), basis, y)
            margin = (2.0 * y_test - 1.0) * model.decision_function(test)
            losses[name].append(float(np.mean(theory.logistic_loss(margin))))
    lead = Lead.of(np.subtract(losses["hardly any"], losses["some"]))
    verdict = judged_order([lead])
    shown = ", ".join(f"{name} {np.mean(values):.3f}" for name, values in losses.items())
    return Finding(
        verdict,
        f"Ripley's problem, a Gaussian on each of {ROWS} rows, {len(losses['some'])} draws: logistic loss on "
        f"{TEST_ROWS} fresh rows with a penalty of {shown}",
        "" if verdict in ("reproduced", "better") else "The classes overlap little, and all fits are smooth.",
    )


def nonlinear_boundary(context: RunContext) -> Finding:
    """Section 2: nonlinear basis functions make a nonlinear boundary; the polynomial kernel as printed."""
    X, y = make_circles(200, factor=0.4, noise=0.05, random_state=context.store.seed)
    printed = (1.0 + X @ X.T) ** 2
    off = float(np.abs(Kernel("polynomial", 1.0, degree=2, coef0=1.0)(X, X) - printed).max())
    errors = {
        name: 100.0
        * float(np.mean(LogisticRegression(C=10.0, max_iter=5000).fit(basis, y).predict(basis) != y))
        for name, basis in (("inputs", X), ("polynomials", printed))
    }
    parts = [off < 1e-9, errors["polynomials"] < 0.1 * errors["inputs"]]
    verdict = judged_parts(parts)
    return Finding(
        verdict,
        f"two circles, one in the other: {errors['inputs']:.0f} % of the rows are on the wrong side of a "
        f"line, {errors['polynomials']:.0f} % with polynomials of degree 2; the package's kernel is off "
        f"(1 + x'x)^2 by {off:.0e}",
        "" if verdict == "reproduced" else "The kernel is another, or its boundary is no better than a line.",
    )


def coupled(context: RunContext) -> Finding:
    """Section 3.2: each factor of Q depends on expectations of the others."""
    problem, factors = halfway(context.store.seed)
    twice = {
        "coefficients by the precisions": (theory.updated_coefficients, replace(factors, b=factors.b / 2.0)),
        "coefficients by the weights": (theory.updated_coefficients, replace(factors, d=2.0 * factors.d)),
        "precisions by the coefficients": (
            theory.updated_precisions,
            replace(factors, mean=2.0 * factors.mean),
        ),
        "weights by the coefficients": (theory.updated_weights, replace(factors, mean=2.0 * factors.mean)),
    }
    field = {"coefficients": "mean", "precisions": "b", "weights": "d"}
    moved = {}
    for name, (update, changed) in twice.items():
        before, after = (
            getattr(update(problem, each), field[name.split()[0]]) for each in (factors, changed)
        )
        moved[name] = float(np.abs(after - before).max() / np.abs(before).max())
    verdict = judged_parts([change > 1e-3 for change in moved.values()])
    shown = ", ".join(f"{name} {change:.2f}" for name, change in moved.items())
    return Finding(
        verdict,
        f"where one factor's expectation is doubled or halved, another's update moves, in shares of its "
        f"largest entry: {shown}",
        "" if verdict == "reproduced" else "An update does not see the others.",
    )


def ridge_coefficients(X: Array, y: Array) -> Array:
    """Return the minimum of mean logistic loss and PENALTY times half the squared coefficients."""
    C = 1.0 / (PENALTY * len(y))
    model = LogisticRegression(C=C, fit_intercept=False, solver="newton-cholesky", tol=1e-12, max_iter=200)
    return np.asarray(model.fit(X, y).coef_[0])


def finite_influence(context: RunContext) -> Finding:
    """Section 4.2.2: the sensitivity curve is the influence function of a finite sample.

    Of logistic regression with a penalty, which has a closed form: the curve at one row far away must come
    closer to it as rows are added.
    """
    far, gaps = np.array([4.0, -3.0]), []
    sizes = (100, 1000, 10_000)
    for size in sizes:
        generator = np.random.default_rng(context.store.seed)
        X = generator.standard_normal((size, 2))
        y = (generator.random(size) < expit(X @ np.array([2.0, -1.0]))).astype(int)
        beta = ridge_coefficients(X, y)
        with_row = ridge_coefficients(np.vstack([X, far]), np.append(y, 0))
        curve = (size + 1) * (with_row - beta)
        p = expit(X @ beta)
        curvature = (X * (p * (1.0 - p))[:, None]).T @ X / size + PENALTY * np.eye(2)
        slope = far * expit(far @ beta) + PENALTY * beta
        influence = -np.linalg.solve(curvature, slope)
        gaps.append(float(np.linalg.norm(curve - influence) / np.linalg.norm(influence)))
    verdict = judged_parts([bool(np.all(np.diff(gaps) < 0)), gaps[-1] < 0.01])
    shown = ", ".join(f"{gap:.4f} with {size}" for gap, size in zip(gaps, sizes, strict=True))
    return Finding(
        verdict,
        f"penalised logistic regression, a row of the wrong class far away: distance of the sensitivity "
        f"curve from the influence function, as a share of it: {shown} rows",
        "" if verdict == "reproduced" else "The curve does not approach it with so few rows.",
    )


def incomplete_rows(context: RunContext) -> Finding:
    """Section 4.2.2: 699 rows of BC Wisconsin, 16 of which have missing values and are deleted."""
    folder = data_folder(context.store.data)
    if folder is None:
        return Finding("not run", "the file was not at hand", "Rows from OpenML come without the file.")
    lines = [line for line in checked_text(folder, CANCER_FILE).splitlines() if line.strip()]
    missing = sum("?" in line for line in lines)
    verdict = judged_parts([len(lines) == CANCER_ROWS, missing == INCOMPLETE])
    return Finding(
        verdict,
        f"{len(lines)} rows, {missing} with a missing value, {len(lines) - missing} complete",
        "" if verdict == "reproduced" else "Another edition of the data.",
    )
