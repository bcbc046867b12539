"""The average of several fits against the average of their functions, evaluated one by one."""

import numpy as np
import pytest

from rowtrust.kernels import Kernel
from rowtrust.search import fit_kernel
from rowtrust.search.averaging import average, averaged_part, member, weights_of_new_rows
from rowtrust.search.fits import shared
from rowtrust.weights import Fixed, Gamma, Unit

NEW = np.linspace(-4, 4, 37)[:, None]
SHARES = np.array([0.5, 0.2, 0.3])
GAMMAS = [0.1, 0.5, 2.0]


def fits_of(plan):
    return shared([fit_kernel(plan, Kernel("rbf", gamma)) for gamma in GAMMAS], SHARES)


def moments_one_by_one(fits):
    """Return each fit's own latent means and variances at new rows, shapes (fits, rows, outputs)."""
    moments = []
    for fit in fits:
        each = [
            each.posterior.latent_moments(fit.engine.basis.columns(NEW, each.state.columns))
            for each in fit.solutions
        ]
        moments.append(np.transpose(each, (1, 2, 0)))
    return np.transpose(moments, (1, 0, 2, 3))


@pytest.mark.parametrize("classes", [0, 3])
def test_the_mean_is_the_average_of_the_means(make_plan, classes):
    plan = make_plan(classes=classes)
    fits = fits_of(plan)
    found = average(plan, fits, disagreement=False).model.latent_moments(NEW)[0]
    np.testing.assert_allclose(found, np.tensordot(SHARES, moments_one_by_one(fits)[0], axes=1), atol=1e-9)


@pytest.mark.parametrize("classes", [0, 3])
@pytest.mark.parametrize("disagreement", [False, True])
def test_the_variance_is_that_of_the_mixture_with_or_without_disagreement(make_plan, classes, disagreement):
    plan = make_plan(classes=classes)
    fits = fits_of(plan)
    means, variances = moments_one_by_one(fits)
    expected = np.tensordot(SHARES, variances, axes=1)
    if disagreement:
        expected += np.tensordot(SHARES, (means - np.tensordot(SHARES, means, axes=1)) ** 2, axes=1)
    found = average(plan, fits, disagreement).model.latent_moments(NEW)[1]
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


def test_one_fit_is_its_own_average(make_plan):
    plan = make_plan()
    fit = fit_kernel(plan, Kernel("rbf", 0.5))
    found = average(plan, [fit], disagreement=True)
    mean, variance = (each[0] for each in moments_one_by_one([fit]))
    np.testing.assert_allclose(found.model.latent_moments(NEW), [mean, variance], rtol=1e-9, atol=1e-12)
    assert found.best is fit
    assert found.shares == [(fit.kernel, 1.0)]


def test_what_is_told_of_the_average_fits_its_columns(make_plan):
    plan = make_plan(classes=3)
    fits = fits_of(plan)
    found = average(plan, fits, disagreement=False)
    basis = found.model.basis
    assert len(basis.kernel.gamma) == len(found.positions) == basis.n_columns - 1 == found.precision.shape[1]
    np.testing.assert_array_equal(plan.rows.X[found.positions - 100], basis.centres)
    assert found.precision.shape[0] == 3
    # Infinite where an output has no such column, and there its coefficient is zero.
    np.testing.assert_array_equal(np.isinf(found.precision), found.model.coefficients[:, 1:] == 0.0)
    assert [(kernel.gamma, share) for kernel, share in found.shares] == list(zip(GAMMAS, SHARES, strict=True))
    assert found.best.score == max(fit.score for fit in fits)
    np.testing.assert_allclose(found.latent, np.tensordot(SHARES, [fit.latent for fit in fits], axes=1))
    np.testing.assert_allclose(found.trust, SHARES @ [fit.trust for fit in fits])


def test_outputs_share_the_union_of_their_columns(make_plan):
    fit = fit_kernel(make_plan(classes=3), Kernel("rbf", 0.5))
    part = member(fit)
    assert set(part.columns + 1) | {0} == set(np.concatenate([state.columns for state in fit.states]))
    for output, solution in enumerate(fit.solutions):
        where = np.searchsorted(np.r_[0, part.columns + 1], solution.state.columns)
        np.testing.assert_array_equal(part.mean[output, where], solution.state.posterior.mean)
        np.testing.assert_allclose(
            part.covariance[output][np.ix_(where, where)], solution.posterior.covariance, rtol=1e-12
        )


def test_learnt_parts_are_averaged_and_others_stand(make_plan):
    plan = make_plan(weights=Gamma(1.0, learns=True))
    fits = fits_of(plan)
    model = average(plan, fits, disagreement=True).model
    variance = sum(
        share / fit.states[0].likelihood.precision for share, fit in zip(SHARES, fits, strict=True)
    )
    assert 1.0 / model.likelihood.precision == pytest.approx(variance)
    assert model.weights.trust == pytest.approx(SHARES @ [fit.states[0].weights.trust for fit in fits])
    plain = Unit()
    assert averaged_part([plain, Unit()], np.array([0.1, 0.9])) is plain


def test_new_rows_have_no_membership():
    assert weights_of_new_rows(Fixed(np.ones(3))) == Unit()
    weights = Gamma(1.3)
    assert weights_of_new_rows(weights) is weights


def test_kernels_of_any_kind_are_averaged_families_beside_each_other(make_plan):
    plan = make_plan(classes=3)
    scales = np.array([3.0])
    kernels = [
        Kernel("rbf", 0.5),
        Kernel("linear", 1.0),
        Kernel("laplacian", 0.4),
        Kernel("rbf", 2.0),
        Kernel("rbf", 0.2, scales=scales),
    ]
    counts = np.array([0.1, 0.3, 0.2, 0.15, 0.25])
    fits = shared([fit_kernel(plan, kernel) for kernel in kernels], counts)
    found = average(plan, fits, disagreement=True)
    assert [kernel for kernel, _ in found.shares] == [kernels[each] for each in (0, 3, 1, 2, 4)]
    assert dict(zip(counts, kernels, strict=True)) == {share: kernel for kernel, share in found.shares}
    names = [(part.kernel.function, part.kernel.scales is None) for part in found.model.basis.parts]
    assert names == [("rbf", True), ("linear", True), ("laplacian", True), ("rbf", False)]
    means, variances = moments_one_by_one(fits)
    mean = np.tensordot(counts, means, axes=1)
    variance = np.tensordot(counts, variances + (means - mean) ** 2, axes=1)
    np.testing.assert_allclose(found.model.latent_moments(NEW), [mean, variance], rtol=1e-7, atol=1e-9)
    np.testing.assert_array_equal(plan.rows.X[found.positions - 100], found.model.basis.centres)
