"""A model on fewer columns against the weighted least-squares projection, computed by NumPy."""

from dataclasses import replace

import numpy as np
import pytest

from rowtrust.fitting.average import average, projected
from rowtrust.fitting.fits import fit_kernel, shared
from rowtrust.kernels import Kernel

KERNELS = [Kernel("rbf", 0.3), Kernel("rbf", 1.5), Kernel("laplacian", 0.8), Kernel("linear", 1.0)]
SHARES = np.array([0.3, 0.2, 0.4, 0.1])
COPIES = np.random.default_rng(0).integers(1, 4, 60).astype(float)


@pytest.fixture(params=[0, 2, 3], ids=["numbers", "two classes", "three classes"])
def averaged(request, plan_of, make_plan):
    rows = make_plan(classes=request.param).rows
    plan = plan_of(rows.X, rows.y, request.param, COPIES)
    return plan, average(plan, shared([fit_kernel(plan, kernel) for kernel in KERNELS], SHARES))


def lean_model(plan, found, sparsity):
    return projected(replace(plan, sparsity=sparsity), found)


def columns_of(model, X):
    return model.basis.columns(X, np.arange(model.basis.n_columns))


def curvatures(plan, model):
    """Return the curvature of each row's log likelihood, one array an output, at the model that was given."""
    mean, variance = model.fitted_moments(plan.rows.X, model.covariance)
    return [
        model.likelihood.sites(coding(plan.rows.y), mean[:, o], variance[:, o]).precision
        for o, coding in enumerate(plan.codings)
    ]


def test_zero_changes_nothing(averaged):
    assert lean_model(*averaged, 0.0) is averaged[1]


@pytest.mark.parametrize("sparsity", [1e-4, 1e-2, 0.3])
def test_mean_and_covariance_are_the_least_squares_projection(averaged, sparsity):
    plan, found = averaged
    lean = lean_model(plan, found, sparsity)
    X, model = plan.rows.X, found.model
    whole, kept = columns_of(model, X), columns_of(lean.model, X)
    assert kept.shape[1] < whole.shape[1]
    change = 0.0
    for output, curvature in enumerate(curvatures(plan, model)):
        root = np.sqrt(COPIES * curvature)[:, None]
        carry = np.linalg.lstsq(root * kept, root * whole, rcond=1e-10)[0]
        before, after = whole @ model.coefficients[output], kept @ lean.model.coefficients[output]
        np.testing.assert_allclose(after, kept @ carry @ model.coefficients[output], atol=1e-5)
        own, expected = lean.model.covariance[output], carry @ model.covariance[output] @ carry.T
        np.testing.assert_allclose(kept @ own @ kept.T, kept @ expected @ kept.T, atol=1e-5)
        if model.spread is not None:
            carried = model.spread[:, output] @ carry.T @ kept.T
            np.testing.assert_allclose(lean.model.spread[:, output] @ kept.T, carried, atol=1e-5)
        np.testing.assert_allclose(lean.latent[:, output], after, atol=1e-9)
        change += COPIES @ (curvature * (after - before) ** 2)
    assert change <= sparsity * COPIES.sum() * (1 + 1e-6)


def test_more_tolerance_never_keeps_more_columns(averaged):
    tolerances = (1e-6, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 1e3)
    sizes = [lean_model(*averaged, each).model.basis.n_columns for each in tolerances]
    assert (np.diff(sizes) <= 0).all()
    assert sizes[0] > sizes[3] > sizes[-1] == 1
