"""Missing values: what a Gaussian says of them, and kernels averaged over them."""

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import multivariate_normal

from rowtrust.kernels import Basis, Columns, Kernel, SharedDistances, expected_rows, is_uncertain, with_holes
from rowtrust.kernels.missing import HIDDEN, MOST_COLUMNS, learn_moments

NODES = np.linspace(-8.0, 8.0, 1201)
WEIGHTS = np.exp(-0.5 * NODES**2) / np.exp(-0.5 * NODES**2).sum()


def rows(n, seed=0, share=0.3):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, 4)) @ generator.normal(size=(4, 4)) + [5.0, 0.0, -3.0, 100.0]
    return X, np.where(generator.random(X.shape) < share, np.nan, X)


def averaged(kernel, x, c):
    """The kernel of two rows, averaged over every combination of their missing values, column by column."""

    def values(cell):
        return (
            (cell.real + cell.imag * NODES, WEIGHTS) if cell.imag > 0 else (np.array([cell.real]), np.ones(1))
        )

    found = 1.0
    for (first, share), (second, other) in zip(map(values, x), map(values, c), strict=True):
        found *= share @ kernel(first[:, None], second[:, None]) @ other
    return found


@pytest.mark.parametrize(
    ("name", "gamma", "error"), [("rbf", 0.2, 1e-9), ("rbf", 3.0, 1e-9), ("laplacian", 0.7, 1e-4)]
)
def test_the_kernel_is_its_average_over_missing_values(name, gamma, error):
    generator = np.random.default_rng(0)
    X, C = (generator.normal(size=(4, 3)) + 1j * (0.2 + generator.random((4, 3))) for _ in range(2))
    X[:2, 0], X[0], C[1:3, 1], C[0] = X[:2, 0].real, X[0].real, C[1:3, 1].real, C[0].real
    found = Kernel(name, gamma)(X, C)
    for i, j in np.ndindex(4, 4):
        assert found[i, j] == pytest.approx(averaged(Kernel(name, gamma), X[i], C[j]), rel=error)


@pytest.mark.parametrize("name", ["rbf", "laplacian"])
def test_known_values_are_the_kernel_itself(name):
    X, _ = rows(7)
    kernel = Kernel(name, 0.1)
    np.testing.assert_allclose(kernel(X + 0j, X), kernel(X, X), rtol=1e-9)
    np.testing.assert_allclose(kernel(X + 1j * HIDDEN, X), kernel(X, X), rtol=1e-9)
    far = np.array([[1e4 + 1e-8j]])
    assert np.isfinite(kernel(far, np.zeros((1, 1)))).all()


@pytest.mark.parametrize("name", ["rbf", "laplacian"])
def test_widths_scales_and_sides(name):
    generator = np.random.default_rng(1)
    X = generator.normal(size=(5, 2)) + 1j * np.abs(generator.normal(size=(5, 2)))
    gamma = np.array([0.1, 0.5, 2.0, 0.5, 1.0])
    each = [Kernel(name, g)(X, X[[j]])[:, 0] for j, g in enumerate(gamma)]
    np.testing.assert_allclose(Kernel(name, gamma)(X, X), np.column_stack(each))
    np.testing.assert_allclose(Kernel(name, 0.5)(X, X), Kernel(name, 0.5)(X, X).T)
    scales = np.array([2.0, 0.3])
    np.testing.assert_allclose(
        Kernel(name, 0.5, metric=scales)(X, X), Kernel(name, 0.5)(X * scales, X * scales)
    )
    basis = Basis(Kernel(name, gamma), X)
    np.testing.assert_allclose(
        basis.columns(X, np.array([0, 2, 5])), np.column_stack([np.ones(5), *each])[:, [0, 2, 5]]
    )


def test_the_kernel_of_uncertain_rows_is_positive_definite():
    _, holed = rows(60)
    X = Columns.of(holed, np.ones(60)).filled(holed)
    for name in ("rbf", "laplacian"):
        assert np.linalg.eigvalsh(Kernel(name, 0.05)(X, X)).min() > -1e-10


def test_other_kernels_see_the_means():
    _, holed = rows(8)
    X = Columns.of(holed, np.ones(8)).filled(holed)
    for kernel in (Kernel("linear", 1.0), Kernel("polynomial", 0.1), Kernel(lambda A, B: A @ B.T, 1.0)):
        np.testing.assert_array_equal(kernel(X, X), kernel(expected_rows(X), expected_rows(X)))
    assert SharedDistances(X, X).kernel(Kernel("rbf", 1.0), np.arange(3)) is None


def test_missing_values_have_the_moments_of_a_gaussian_given_the_others():
    X, holed = rows(300)
    columns = Columns.of(holed, np.ones(300))
    filled = columns.filled(holed)
    covariance = columns.covariance * np.outer(columns.scale, columns.scale)
    for row, values in zip(filled[:40], holed[:40], strict=True):
        gone = np.isnan(values)
        to, of = covariance[np.ix_(gone, ~gone)], covariance[np.ix_(~gone, ~gone)]
        mean = columns.mean[gone] + to @ np.linalg.solve(of, values[~gone] - columns.mean[~gone])
        left = covariance[np.ix_(gone, gone)] - to @ np.linalg.solve(of, to.T)
        np.testing.assert_allclose(row.real[gone], mean, rtol=1e-8)
        np.testing.assert_allclose(row.imag[gone], np.sqrt(np.diag(left)), rtol=1e-6)
        np.testing.assert_array_equal(row.real[~gone], values[~gone])
        assert (row.imag[~gone] == 0.0).all()
    better = np.abs(expected_rows(filled) - X)[np.isnan(holed)].mean()
    assert better < 0.8 * np.abs(columns.mean - X)[np.isnan(holed)].mean()


def test_without_holes_the_gaussian_is_that_of_the_rows():
    X, _ = rows(50)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    mean, covariance = learn_moments(Z, np.ones(50))
    np.testing.assert_allclose(mean, 0.0, atol=1e-12)
    expected = (50 * np.corrcoef(X.T) + np.eye(4)) / 51.0
    np.testing.assert_allclose(covariance, expected, atol=1e-12)


def test_with_holes_the_gaussian_is_the_likeliest_of_what_is_seen():
    """The log likelihood of the known values, with the prior's rows, falls in every direction."""
    _, holed = rows(80)
    Z = (holed - np.nanmean(holed, axis=0)) / np.nanstd(holed, axis=0)
    mean, covariance = learn_moments(Z, np.ones(80))

    def objective(mean, covariance):
        inverse = np.linalg.inv(covariance)
        prior = -0.5 * (np.trace(inverse) + np.linalg.slogdet(covariance)[1])
        parts = [
            multivariate_normal.logpdf(row[seen], mean[seen], covariance[np.ix_(seen, seen)])
            for row, seen in zip(Z, ~np.isnan(Z), strict=True)
            if seen.any()
        ]
        return prior + np.sum(parts)

    best, generator = objective(mean, covariance), np.random.default_rng(0)
    for _ in range(20):
        step = 0.1 * generator.normal(size=(4, 4))
        assert (
            objective(mean, covariance + 0.5 * (step + step.T) @ covariance @ (step + step.T)) < best + 0.02
        )
        assert objective(mean + 0.1 * generator.normal(size=4), covariance) < best + 0.02


def test_copies_order_and_units_do_not_matter():
    _, holed = rows(40)
    weight = np.arange(40) % 3 + 1.0
    one = Columns.of(holed, weight)
    repeated = Columns.of(np.repeat(holed, weight.astype(int), axis=0), np.ones(int(weight.sum())))
    np.testing.assert_allclose(one.filled(holed), repeated.filled(holed), rtol=1e-9)
    order, factor, shift = [2, 0, 3, 1], np.array([1e-6, 1.0, 1e5, -3.0]), np.array([0.0, 1e3, 0.0, 5.0])
    moved = Columns.of(holed[:, order], weight).filled(holed[:, order])
    np.testing.assert_allclose(moved, one.filled(holed)[:, order], rtol=1e-9)
    scaled = Columns.of(holed * factor + shift, weight).filled(holed * factor + shift)
    np.testing.assert_allclose(scaled.real, one.filled(holed).real * factor + shift, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(scaled.imag, one.filled(holed).imag * np.abs(factor), rtol=1e-6, atol=1e-100)


def test_rows_without_holes_are_not_touched():
    X, holed = rows(30)
    columns = Columns.of(X, np.ones(30))
    assert columns.filled(X) is X
    assert Columns.of(holed, np.ones(30)).filled(X) is X
    assert columns.filled(sparse.csr_array(X)).shape == X.shape
    again = with_holes(columns.filled(holed))
    np.testing.assert_array_equal(again, holed)
    assert not is_uncertain(with_holes(X))


def test_columns_without_values_or_without_variance():
    X, holed = rows(30)
    empty, constant = np.full((30, 1), np.nan), np.full((30, 1), 7.3)
    constant[3] = np.nan
    columns = Columns.of(np.hstack([holed, empty, constant]), np.ones(30))
    filled = columns.filled(np.hstack([holed, empty, constant]))
    np.testing.assert_allclose(filled[:, :4], Columns.of(holed, np.ones(30)).filled(holed), rtol=1e-9)
    assert (filled[:, 4].real == 0.0).all()
    assert filled[3, 5] == pytest.approx(7.3)
    assert filled[3, 5].imag == HIDDEN
    seen = columns.filled(np.hstack([X, np.full((30, 1), 9.0), constant]))
    assert (seen[:, 4].real == 0.0).all()


def test_a_row_without_any_value_is_the_mean():
    _, holed = rows(60)
    columns = Columns.of(holed, np.ones(60))
    nothing = columns.filled(np.full((1, 4), np.nan))
    np.testing.assert_allclose(nothing.real[0], columns.mean)
    np.testing.assert_allclose(nothing.imag[0] / columns.scale, np.sqrt(np.diag(columns.covariance)))


def test_means_alone_and_many_columns():
    _, holed = rows(40)
    plain = Columns.of(holed, np.ones(40), spreads=False).filled(holed)
    assert not is_uncertain(plain)
    np.testing.assert_array_equal(plain, Columns.of(holed, np.ones(40)).filled(holed).real)
    generator = np.random.default_rng(0)
    wide = generator.normal(size=(20, MOST_COLUMNS + 1))
    wide[0, 0] = np.nan
    columns = Columns.of(wide, np.ones(20))
    assert columns.covariance is None
    assert columns.filled(wide)[0, 0] == pytest.approx(np.nanmean(wide[:, 0]) + 1j * np.nanstd(wide[:, 0]))
