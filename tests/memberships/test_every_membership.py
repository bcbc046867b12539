"""What every membership promises, by name."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from rowtrust.memberships import MEMBERSHIPS, SideInformation, resolve

CLASSIFICATION = [name for name in MEMBERSHIPS if name != "residual"]
NEEDS_CLASSES = [name for name in CLASSIFICATION if not name.startswith("time")]


@pytest.mark.parametrize("name", list(MEMBERSHIPS))
def test_every_name_gives_one_number_in_the_unit_interval_per_row(rows, name):
    X, y, side = rows
    target = y.astype(float) if name == "residual" else y
    values = resolve(name, X, target, side)
    assert values.shape == (40,)
    assert values.dtype == np.float64
    assert (values > 0.0).all()
    assert (values <= 1.0).all()


@pytest.mark.parametrize("name", CLASSIFICATION)
def test_a_sparse_matrix_gives_what_the_dense_one_gives(rows, name):
    X, y, side = rows
    np.testing.assert_allclose(
        resolve(name, sparse.csr_matrix(X), y, side), resolve(name, X, y, side), rtol=1e-9
    )


@pytest.mark.parametrize("name", CLASSIFICATION)
def test_the_names_of_the_classes_do_not_matter(rows, name):
    """Gaps and order of the class numbers carry no meaning."""
    X, y, side = rows
    renamed = np.array([7, 2, 40])[y]
    np.testing.assert_allclose(resolve(name, X, renamed, side), resolve(name, X, y, side), rtol=1e-12)


@pytest.mark.parametrize("name", NEEDS_CLASSES)
@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_the_units_of_inputs_kernel_and_margins_do_not_matter(rows, name, scale, side_of):
    X, y, side = rows
    scaled = side_of(scale * side.kernel_rows(slice(0, 40)), scale * side.first_fit())
    np.testing.assert_allclose(resolve(name, scale * X, y, scaled), resolve(name, X, y, side), rtol=1e-9)


@pytest.mark.parametrize("name", CLASSIFICATION)
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_matrix])
def test_one_row_a_class_is_believed_or_at_least_kept(name, store, side_of):
    X = np.array([[0.0, 1.0], [2.0, 0.0], [5.0, 5.0]])
    values = resolve(name, store(X), np.arange(3), side_of(rbf_kernel(X), [1.0, -2.0, 0.5]))
    assert (values >= 0.1).all()
    if name.endswith("class_centre") or name.startswith("imbalance_linear"):
        np.testing.assert_array_equal(values, 1.0)


@pytest.mark.parametrize("name", CLASSIFICATION)
def test_a_single_row_counts_fully_or_at_its_typical_value(name, side_of):
    values = resolve(name, np.ones((1, 2)), np.array([0]), side_of(np.ones((1, 1)), [3.0]))
    typical = 2.0 / (1.0 + np.e) if name == "imbalance_exponential_boundary" else 1.0
    np.testing.assert_allclose(values, typical)


@pytest.mark.parametrize("name", ["class_centre", "kernel_class_centre", "imbalance", "neighbours"])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_matrix])
def test_copies_of_one_row_are_all_believed(name, store, side_of):
    """Rounding in a class mean must not pass for a distance: 0.1 is no binary fraction."""
    X = np.repeat([[0.1, 0.7], [1e3, 0.3]], 1000, axis=0)
    y = np.repeat([0, 1], 1000)
    side = side_of(X @ X.T) if name.startswith("kernel") else side_of()
    np.testing.assert_array_equal(resolve(name, store(X), y, side), 1.0)


@pytest.mark.parametrize("name", NEEDS_CLASSES)
def test_class_memberships_refuse_real_targets(rows, name):
    X, y, side = rows
    with pytest.raises(ValueError, match=r"needs class numbers .* use 'residual'"):
        resolve(name, X, y + 0.5, side)


@pytest.mark.parametrize(
    "name",
    [name for name in CLASSIFICATION if not name.startswith(("time", "neighbours"))],
)
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
def test_a_sample_weight_counts_copies_of_a_row(name, storage):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(30, 3))
    y = generator.integers(3, size=30)
    copies = generator.integers(1, 4, size=30)

    def memberships_of(rows, weight):
        side = SideInformation(
            kernel_rows=lambda block: rbf_kernel(X[rows][block], X[rows]),
            first_fit=lambda: np.ones(len(rows)),
            sample_weight=weight,
        )
        return MEMBERSHIPS[name](storage(X[rows]), y[rows], side)

    weighted = memberships_of(np.arange(30), copies.astype(float))
    repeated = memberships_of(np.repeat(np.arange(30), copies), None)
    np.testing.assert_allclose(np.repeat(weighted, copies), repeated, rtol=1e-9)
