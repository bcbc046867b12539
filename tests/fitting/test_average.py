"""The average of several fits against the average of their functions, evaluated one by one."""

import numpy as np
import pytest

from rowtrust.fitting.average import average
from rowtrust.fitting.fits import fit_kernel, shared
from rowtrust.kernels import Kernel
from rowtrust.weights import Fixed, Gamma, Unit

NEW = np.linspace(-4, 4, 37)[:, None]
KERNELS = [
    Kernel("rbf", 0.5),
    Kernel("linear", 1.0),
    Kernel("laplacian", 0.4),
    Kernel("rbf", 2.0),
    Kernel("rbf", 0.2, metric=np.array([3.0])),
]
SHARES = np.array([0.1, 0.3, 0.2, 0.15, 0.25])


def fits_of(plan, kernels=KERNELS, shares=SHARES):
    return shared([fit_kernel(plan, kernel) for kernel in kernels], shares)


def moments_one_by_one(fits):
    """Return each fit's own latent means and variances at new rows, shapes (fits, rows, outputs)."""
    moments = []
    for fit in fits:
        pairs = [(each, fit.engine.basis.columns(NEW, each.state.columns)) for each in fit.solutions]
        moments.append(np.transpose([each.posterior.latent_moments(phi) for each, phi in pairs], (1, 2, 0)))
    return np.transpose(moments, (1, 0, 2, 3))


@pytest.mark.parametrize("classes", [0, 3])
@pytest.mark.parametrize("disagreement", [False, True])
def test_moments_are_those_of_the_mixture_with_or_without_disagreement(make_plan, classes, disagreement):
    plan = make_plan(classes=classes, disagreement=disagreement)
    fits = fits_of(plan)
    means, variances = moments_one_by_one(fits)
    mean, variance = np.tensordot(SHARES, means, axes=1), np.tensordot(SHARES, variances, axes=1)
    if disagreement:
        variance += np.tensordot(SHARES, (means - mean) ** 2, axes=1)
    found = average(plan, fits).model.latent_moments(NEW)
    np.testing.assert_allclose(found, [mean, variance], rtol=1e-7, atol=1e-9)


def test_what_is_told_of_the_average_fits_its_columns(make_plan):
    plan = make_plan(classes=3)
    fits = fits_of(plan)
    found = average(plan, fits)
    basis = found.model.basis
    assert len(found.positions) == basis.n_columns - 1 == found.precision.shape[1]
    np.testing.assert_array_equal(plan.rows.X[found.positions], basis.centres)
    # Infinite where an output has no such column, and there its coefficient is zero.
    np.testing.assert_array_equal(np.isinf(found.precision), found.model.coefficients[:, 1:] == 0.0)
    assert {share: kernel for kernel, share in found.shares} == dict(zip(SHARES, KERNELS, strict=True))
    assert found.best.score == max(fit.score for fit in fits)
    np.testing.assert_allclose(found.latent, np.tensordot(SHARES, [fit.latent for fit in fits], axes=1))
    np.testing.assert_allclose(found.trust, SHARES @ [fit.trust for fit in fits])


def test_neither_the_order_of_fits_nor_splitting_a_share_changes_the_function(make_plan):
    plan = make_plan()
    fits = fits_of(plan)
    expected = average(plan, fits).model.latent_moments(NEW)
    turned = average(plan, fits[::-1]).model.latent_moments(NEW)
    np.testing.assert_allclose(turned, expected, rtol=1e-9, atol=1e-10)
    split = shared([*fits, fits[0]], np.r_[0.04, SHARES[1:], 0.06])
    np.testing.assert_allclose(
        average(plan, split).model.latent_moments(NEW), expected, rtol=1e-9, atol=1e-10
    )


def test_learnt_parts_are_averaged_as_variances_and_trust(make_plan):
    plan = make_plan(weights=Gamma(1.0, learns=True))
    fits = fits_of(plan)
    model, states = average(plan, fits).model, [fit.states[0] for fit in fits]
    variance = SHARES @ [1.0 / state.likelihood.precision for state in states]
    assert 1.0 / model.likelihood.precision == pytest.approx(variance)
    assert model.weights.trust == pytest.approx(SHARES @ [state.weights.trust for state in states])


def test_new_rows_have_no_membership(make_plan):
    plan = make_plan(weights=Fixed(np.linspace(0.2, 1.0, 60)))
    found = average(plan, fits_of(plan))
    assert found.model.weights == Unit()
    assert found.count == pytest.approx(0.6 * 60)
