"""What the user says of the kernel, what cannot be combined, and the search that follows."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.gaussian_process.kernels import RBF

from rowtrust.search import KernelChoice, search_kernel
from rowtrust.search.choice import fits_of
from rowtrust.search.rows import inverse_width
from rowtrust.search.widths import SQUARED_WIDTHS, WIDTHS
from rowtrust.weights import Gamma


def choice(function="rbf", gamma="evidence", length_scales=None):
    return KernelChoice(function, gamma, length_scales, 3, 1.0)


def with_sparse_rows(plan):
    return replace(plan, rows=replace(plan.rows, X=csr_array(plan.rows.X)))


def test_a_number_is_one_width(make_plan):
    assert choice(gamma=0.7).gammas(make_plan().rows) == [0.7]


def test_scale_is_one_over_the_total_variance(make_plan):
    rows = make_plan().rows
    assert choice(gamma="scale").gammas(rows) == pytest.approx([1.0 / rows.X.var(axis=0).sum()])


@pytest.mark.parametrize("function", ["rbf", "laplacian"])
def test_evidence_is_a_path_from_wide_to_narrow(make_plan, function):
    rows = make_plan().rows
    found = choice(function).gammas(rows)
    unit, widths = {
        "rbf": (rows.X.var(axis=0).sum(), SQUARED_WIDTHS),
        "laplacian": (rows.X.std(axis=0).sum(), WIDTHS),
    }[function]
    np.testing.assert_allclose(found, 1.0 / (unit * widths))
    assert (np.diff(found) > 0).all()


@pytest.mark.parametrize(
    "function", ["linear", "precomputed", lambda X, Y: X @ Y.T], ids=["linear", "precomputed", "callable"]
)
def test_kernels_without_a_width_are_fitted_once(make_plan, function):
    assert choice(function).gammas(make_plan().rows) == [1.0]


def test_a_polynomial_is_scaled(make_plan):
    rows = make_plan().rows
    assert choice("polynomial").gammas(rows) == [inverse_width(rows, "polynomial")]
    kernel = KernelChoice("polynomial", "scale", None, 2, 0.5).kernel(0.3)
    assert (kernel.function, kernel.gamma, kernel.degree, kernel.coef0) == ("polynomial", 0.3, 2, 0.5)


def test_a_class_of_kernels_is_no_kernel(make_plan):
    with pytest.raises(TypeError, match=r"write RBF\(\), not RBF"):
        choice(RBF).check(make_plan().rows)


@pytest.mark.parametrize(
    ("wrong", "sparse", "cure"),
    [
        (choice("laplacian", length_scales="learnt"), False, "Use length_scales=None"),
        (choice("rbf", length_scales="learnt"), True, r"X.toarray\(\)"),
        (choice(RBF(), length_scales="learnt"), False, r"RBF\(length_scale=\[1.0\] \* 1\)"),
        (choice(RBF()), True, r"Use X.toarray\(\)"),
    ],
)
def test_what_cannot_be_combined_names_the_cure(make_plan, wrong, sparse, cure):
    plan = with_sparse_rows(make_plan()) if sparse else make_plan()
    with pytest.raises(ValueError, match=cure):
        wrong.check(plan.rows)


@pytest.mark.parametrize(
    "fine", [choice(), choice("linear"), choice(RBF()), choice("rbf", length_scales="learnt"), choice(np.dot)]
)
def test_what_can_be_combined_passes(make_plan, fine):
    fine.check(make_plan().rows)


def test_a_number_is_one_fit_that_counts_alone(make_plan):
    fits = fits_of(make_plan(), choice(gamma=0.7))
    assert [(fit.gamma, fit.share) for fit in fits] == [(0.7, 1.0)]


def test_evidence_averages_several(make_plan):
    found = search_kernel(make_plan(), choice())
    assert len(found.shares) > 1
    assert sum(share for _, share in found.shares) == pytest.approx(1.0)
    assert found.model.spread is not None


def test_an_object_is_used_as_it_is_or_learnt(make_plan):
    given = RBF(5.0)
    as_it_is = fits_of(make_plan(), choice(given, gamma="scale"))
    learnt = fits_of(make_plan(), choice(given))
    fixed = fits_of(make_plan(), choice(RBF(5.0, "fixed")))
    assert as_it_is[0].kernel.function.length_scale == fixed[0].kernel.function.length_scale == 5.0
    assert learnt[0].kernel.function.length_scale < 3.0
    assert learnt[0].bound > as_it_is[0].bound
    assert given.length_scale == 5.0


def test_length_scales_are_learnt(make_plan):
    found = fits_of(make_plan(), choice(length_scales="learnt"))
    assert found[-1].kernel.scales.shape == (1,)
    assert all(fit.kernel.scales is None for fit in found[:-1])
    assert sum(fit.share for fit in found) == pytest.approx(1.0)


def test_the_plan_is_checked_before_anything_is_fitted(make_plan):
    with pytest.raises(ValueError, match="trust nobody"):
        search_kernel(make_plan(classes=2, weights=Gamma(1.0, learns=True)), choice())
