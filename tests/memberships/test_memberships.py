"""What the fuzzy memberships promise: the papers' formulae, without an n x n matrix and without zeros."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from rowtrust.memberships import distances
from rowtrust.memberships.functions import (
    MEMBERSHIPS,
    ClassCentre,
    Context,
    Heuristic,
    Imbalance,
    Membership,
    Residual,
    Time,
    normalised,
    resolve,
)

CLASSIFICATION = [name for name in MEMBERSHIPS if name != "residual"]
NEEDS_CLASSES = [name for name in CLASSIFICATION if not name.startswith("time")]
IMBALANCE = [name for name in MEMBERSHIPS if name.startswith("imbalance_")]


def context_of(kernel=None, first_fit=None):
    """A context that fails when asked for what the test did not give."""

    def unasked(*_):
        raise AssertionError("this membership must not ask for that")

    def kernel_rows(rows):
        return kernel[rows]

    return Context(
        kernel_rows=unasked if kernel is None else kernel_rows,
        first_fit=unasked if first_fit is None else (lambda: np.asarray(first_fit)),
    )


@pytest.fixture
def rows():
    """Forty rows of three unequal classes, the kernel between them and the margins of some fit."""
    generator = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [24, 11, 5])
    generator.shuffle(y)
    X = generator.normal(size=(40, 3)) + 2.0 * y[:, None]
    X[generator.random(X.shape) < 0.3] = 0.0
    return X, y, context_of(rbf_kernel(X, gamma=0.3), generator.normal(size=40) + 1.0)


# Every membership.


@pytest.mark.parametrize("name", list(MEMBERSHIPS))
def test_every_name_gives_one_number_in_the_unit_interval_per_row(rows, name):
    X, y, context = rows
    target = y.astype(float) if name == "residual" else y
    values = resolve(name, X, target, context)
    assert values.shape == (40,)
    assert values.dtype == np.float64
    assert (values > 0.0).all()
    assert (values <= 1.0).all()


@pytest.mark.parametrize("name", CLASSIFICATION)
def test_a_sparse_matrix_gives_what_the_dense_one_gives(rows, name):
    X, y, context = rows
    np.testing.assert_allclose(
        resolve(name, sparse.csr_matrix(X), y, context), resolve(name, X, y, context), rtol=1e-9
    )


@pytest.mark.parametrize("name", CLASSIFICATION)
@pytest.mark.parametrize("size", [1, 7, 40])
def test_the_size_of_the_row_blocks_does_not_matter(rows, name, size, monkeypatch):
    X, y, context = rows
    expected = resolve(name, X, y, context)
    monkeypatch.setattr(distances, "block_rows", lambda _: size)
    np.testing.assert_allclose(resolve(name, X, y, context), expected, rtol=1e-9)


def test_kernel_blocks_stay_small(monkeypatch):
    """Never an n x n matrix: no block is longer than the block size allows."""
    asked = []

    def kernel_rows(block):
        asked.append(block.stop - block.start)
        return np.eye(50)[block]

    monkeypatch.setattr(distances, "block_rows", lambda _: 8)
    context = Context(kernel_rows, first_fit=lambda: np.ones(50))
    for membership in (ClassCentre("kernel"), Heuristic("alignment")):
        membership(np.zeros((50, 1)), np.arange(50) % 2, context)
    assert max(asked) == 8
    assert sum(asked) == 100


@pytest.mark.parametrize("name", CLASSIFICATION)
def test_the_names_of_the_classes_do_not_matter(rows, name):
    """Gaps and order of the class numbers carry no meaning."""
    X, y, context = rows
    renamed = np.array([7, 2, 40])[y]
    np.testing.assert_allclose(resolve(name, X, renamed, context), resolve(name, X, y, context), rtol=1e-12)


@pytest.mark.parametrize("name", NEEDS_CLASSES)
@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_the_units_of_inputs_kernel_and_margins_do_not_matter(rows, name, scale):
    X, y, context = rows
    scaled = context_of(scale * context.kernel_rows(slice(0, 40)), scale * context.first_fit())
    np.testing.assert_allclose(resolve(name, scale * X, y, scaled), resolve(name, X, y, context), rtol=1e-9)


@pytest.mark.parametrize("name", CLASSIFICATION)
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_matrix])
def test_one_row_a_class_is_believed_or_at_least_kept(name, store):
    X = np.array([[0.0, 1.0], [2.0, 0.0], [5.0, 5.0]])
    values = resolve(name, store(X), np.arange(3), context_of(rbf_kernel(X), [1.0, -2.0, 0.5]))
    assert (values >= 0.1).all()
    if name.endswith("class_centre") or name.startswith("imbalance_linear"):
        np.testing.assert_array_equal(values, 1.0)


@pytest.mark.parametrize("name", CLASSIFICATION)
def test_a_single_row_counts_fully_or_at_its_typical_value(name):
    values = resolve(name, np.ones((1, 2)), np.array([0]), context_of(np.ones((1, 1)), [3.0]))
    typical = 2.0 / (1.0 + np.e) if name == "imbalance_exponential_boundary" else 1.0
    np.testing.assert_allclose(values, typical)


@pytest.mark.parametrize("name", ["class_centre", "kernel_class_centre", "imbalance", "neighbours"])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_matrix])
def test_copies_of_one_row_are_all_believed(name, store):
    """Rounding in a class mean must not pass for a distance: 0.1 is no binary fraction."""
    X = np.repeat([[0.1, 0.7], [1e3, 0.3]], 1000, axis=0)
    y = np.repeat([0, 1], 1000)
    context = context_of(X @ X.T) if name.startswith("kernel") else context_of()
    np.testing.assert_array_equal(resolve(name, store(X), y, context), 1.0)


def test_float32_and_integer_inputs_are_measured_in_double_precision():
    X = np.array([[0], [1], [5], [2**24 + 1]])
    y = np.array([0, 0, 0, 1])
    expected = ClassCentre()(X.astype(float), y, context_of())
    for store in (np.asarray, sparse.csr_matrix):
        np.testing.assert_allclose(ClassCentre()(store(X), y, context_of()), expected)
        np.testing.assert_allclose(ClassCentre()(store(X.astype(np.float32)), y, context_of()), expected)


def test_sparse_matrices_with_repeated_entries_mean_their_sum():
    repeated = sparse.csr_matrix((np.ones(4), [0, 0, 1, 0], [0, 2, 3, 4]), shape=(3, 2))
    y = np.zeros(3, dtype=int)
    np.testing.assert_allclose(
        ClassCentre()(repeated, y, context_of()), ClassCentre()(repeated.toarray(), y, context_of())
    )
    assert repeated.nnz == 4


# Class centre.


def test_class_centre_by_hand():
    """Class 0 has mean 2 and distances 2, 1, 3; class 1 has mean (10, 4) and distances 4, 0, 4."""
    X = np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 0.0], [10.0, 0.0], [10.0, 4.0], [10.0, 8.0]])
    y = np.array([0, 0, 0, 1, 1, 1])
    values = ClassCentre(offset=0.25)(X, y, context_of())
    distance, radius = np.array([2.0, 1.0, 3.0, 4.0, 0.0, 4.0]), np.array([3.0, 3.0, 3.0, 4.0, 4.0, 4.0])
    np.testing.assert_allclose(values, 1.0 - distance / (1.25 * radius))


def test_linear_kernel_measures_the_distances_of_input_space(rows):
    X, y, _ = rows
    values = ClassCentre("kernel")(X, y, context_of(X @ X.T))
    np.testing.assert_allclose(values, ClassCentre("input")(X, y, context_of()), rtol=1e-9)


def test_kernel_class_centre_equals_explicit_features(rows):
    """Rows of a root of the kernel matrix are features whose inner products are the kernel."""
    X, y, context = rows
    value, vector = np.linalg.eigh(rbf_kernel(X, gamma=0.3))
    features = vector * np.sqrt(np.maximum(value, 0.0))
    np.testing.assert_allclose(
        ClassCentre("kernel")(X, y, context), ClassCentre("input")(features, y, context_of()), rtol=1e-7
    )


def test_kernel_class_centre_by_brute_force(rows):
    X, y, context = rows
    kernel = rbf_kernel(X, gamma=0.3)
    expected = np.empty(40)
    for k in range(3):
        own = kernel[np.ix_(y == k, y == k)]
        distance = np.sqrt(np.diag(own) - 2.0 * own.mean(axis=1) + own.mean())
        expected[y == k] = 1.0 - distance / (1.001 * distance.max())
    np.testing.assert_allclose(ClassCentre("kernel")(X, y, context), expected, rtol=1e-9)


def test_farther_from_the_centre_is_believed_less(rows):
    X, y, _ = rows
    values = ClassCentre()(X, y, context_of())
    for k in range(3):
        distance = np.linalg.norm(X[y == k] - X[y == k].mean(axis=0), axis=1)
        assert (np.diff(values[y == k][np.argsort(distance)]) <= 0.0).all()


def test_a_far_origin_costs_no_accuracy(rows):
    X, y, _ = rows
    np.testing.assert_allclose(
        ClassCentre()(X + 1e6, y, context_of()), ClassCentre()(X, y, context_of()), rtol=1e-5
    )


def test_two_rows_a_class_are_not_erased():
    """Both are the farthest from their midpoint, which says nothing against either."""
    X = np.array([[0.1], [0.3], [5.0], [6.7]])
    y = np.array([0, 0, 1, 1])
    np.testing.assert_array_equal(ClassCentre()(X, y, context_of()), 1.0)
    np.testing.assert_array_equal(ClassCentre("kernel")(X, y, context_of(rbf_kernel(X))), 1.0)


def test_a_kernel_that_is_not_positive_gives_valid_memberships():
    kernel = np.array([[-1.0, 2.0, 0.0], [2.0, -1.0, 0.5], [0.0, 0.5, 3.0]])
    values = resolve("kernel_class_centre", np.zeros((3, 1)), np.zeros(3, dtype=int), context_of(kernel))
    assert values.min() > 0.0


@pytest.mark.parametrize("offset", [1e-300, 1e-3, 1.0])
def test_the_farthest_row_keeps_a_positive_membership(offset):
    values = ClassCentre(offset=offset)(np.array([[0.0], [1.0], [5.0]]), np.zeros(3, int), context_of())
    assert values.min() == pytest.approx(offset / (1.0 + offset), rel=1e-12, abs=0.0)
    assert values.min() > 0.0


# Time.


def test_time_runs_from_floor_to_one():
    X = np.zeros((5, 1))
    linear = Time("linear", floor=0.2)(X, np.zeros(5), context_of())
    quadratic = Time("quadratic", floor=0.2)(X, np.zeros(5), context_of())
    np.testing.assert_allclose(linear, [0.2, 0.4, 0.6, 0.8, 1.0])
    np.testing.assert_allclose(quadratic, [0.2, 0.25, 0.4, 0.65, 1.0])


def test_given_times_decide_in_any_order_and_unit():
    times = [3.0, 1.0, 5.0]
    X = np.zeros((3, 1))
    expected = [0.55, 0.1, 1.0]
    dates = np.array(["2020-01-03", "2020-01-01", "2020-01-05"], dtype="datetime64[ns]")
    np.testing.assert_allclose(Time(times=times)(X, np.zeros(3), context_of()), expected)
    np.testing.assert_allclose(Time(times=dates)(X, np.zeros(3), context_of()), expected)


def test_rows_of_one_time_are_all_new():
    np.testing.assert_array_equal(Time(times=[4, 4])(np.zeros((2, 1)), np.zeros(2), context_of()), 1.0)


@pytest.mark.parametrize(
    "times", [[1.0, 2.0], [1.0, np.nan, 2.0], np.array(["2020", "NaT", "2021"], "M8[Y]")]
)
def test_times_that_do_not_fit_the_rows_are_refused(times):
    with pytest.raises(ValueError, match=r"one finite number or date per row, shape \(3,\)"):
        Time(times=times)(np.zeros((3, 1)), np.zeros(3), context_of())


# Heuristic.


def test_alignment_by_brute_force_with_three_classes(rows):
    X, y, context = rows
    sign = np.where(y[:, None] == y, 1.0, -1.0)
    h = (sign * rbf_kernel(X, gamma=0.3)).sum(axis=1)
    confident, trashy = np.median(h), h.min()
    expected = 0.1 + 0.9 * np.clip((h - trashy) / (confident - trashy), 0.0, 1.0) ** 2.0
    np.testing.assert_allclose(Heuristic("alignment", degree=2.0)(X, y, context), expected, rtol=1e-9)


def test_alignment_of_two_classes_is_the_product_with_signed_labels(rows):
    X, y, context = rows
    signed = np.where(y == 0, -1.0, 1.0)
    h = signed * (rbf_kernel(X, gamma=0.3) @ signed)
    values = Heuristic("alignment", confident=5.0, trashy=-5.0)(X, (y > 0).astype(int), context)
    np.testing.assert_allclose(values, 0.1 + 0.9 * np.clip((h + 5.0) / 10.0, 0.0, 1.0), rtol=1e-9)


def test_neighbours_by_hand():
    """Each of the two nearest others with the own label is worth one half; the row itself is not asked."""
    X = np.array([[0.0], [1.0], [2.1], [10.0], [11.0], [12.1]])
    y = np.array([0, 0, 1, 1, 1, 1])
    values = Heuristic("neighbours", confident=1.0, floor=0.2, n_neighbours=2)(X, y, context_of())
    np.testing.assert_allclose(values, [0.6, 0.6, 0.2, 1.0, 1.0, 1.0])


def test_a_flipped_label_is_believed_least():
    generator = np.random.default_rng(1)
    X = np.concatenate([generator.normal(0.0, 1.0, (30, 2)), generator.normal(6.0, 1.0, (30, 2))])
    y = np.repeat([0, 1], 30)
    y[[3, 40]] = 1 - y[[3, 40]]
    for measure in ("alignment", "neighbours"):
        values = Heuristic(measure)(X, y, context_of(rbf_kernel(X, gamma=0.2)))
        assert set(np.argsort(values)[:2]) == {3, 40}
        assert np.count_nonzero(values == 1.0) >= 30


def test_clean_neighbourhoods_are_hardly_doubted():
    """The estimated factors must not call the worst of good rows trash."""
    X = np.linspace(0.0, 1.0, 200)[:, None]
    values = Heuristic("neighbours")(X, (X[:, 0] > 0.5).astype(int), context_of())
    assert values.min() > 0.4
    assert values.mean() > 0.97


def test_confident_at_trashy_is_a_step():
    X = np.array([[0.0], [1.0], [2.1], [10.0], [11.0], [12.1]])
    y = np.array([0, 0, 1, 1, 1, 1])
    step = Heuristic("neighbours", confident=0.5, trashy=0.5, n_neighbours=2)(X, y, context_of())
    np.testing.assert_array_equal(step, [1.0, 1.0, 0.1, 1.0, 1.0, 1.0])
    # The estimated confident factor, the median, lies below the given trashy one: the given one decides.
    unreachable = Heuristic("neighbours", trashy=2.0, n_neighbours=2)(X, y, context_of())
    np.testing.assert_allclose(unreachable, 0.1)


def test_equal_agreement_doubts_nobody():
    """Rounding in sums of a constant kernel must not rank the rows."""
    y = np.arange(30) % 2
    values = Heuristic("alignment")(np.zeros((30, 1)), y, context_of(np.full((30, 30), 0.1)))
    np.testing.assert_array_equal(values, 1.0)


def test_more_neighbours_than_rows_asks_all_others():
    X = np.array([[0.0], [1.0], [2.0]])
    values = Heuristic("neighbours", confident=1.0, n_neighbours=10)(X, np.array([0, 0, 1]), context_of())
    np.testing.assert_allclose(values, [0.55, 0.55, 0.1])


# Imbalance.


@pytest.mark.parametrize("name", IMBALANCE)
def test_classes_of_one_shape_differ_by_the_ratio_of_their_sizes(name):
    """Row by row: f(x) in the smaller class, f(x) n_min / n_k in the larger."""
    shape = np.array([[-2.0, 0.0], [0.0, 0.0], [0.0, 1.0], [3.0, 0.0]])
    away = np.array([0.0, 7.0])
    X = np.concatenate([shape + away, shape - away, shape - away])
    y = np.repeat([0, 1], [4, 8])
    margin = np.tile([0.1, -0.2, 3.0, 1.0], 3)
    if "overall" in name:
        # Only where the classes lie on each other are they of one shape as seen from the overall centre.
        X = np.concatenate([shape, shape, shape])
    values = resolve(name, X, y, context_of(first_fit=margin))
    np.testing.assert_allclose(values[4:8], 0.5 * values[:4], rtol=1e-9)
    np.testing.assert_allclose(values[8:], 0.5 * values[:4], rtol=1e-9)


def test_every_class_is_scaled_to_the_smallest(rows):
    X, y, _ = rows
    ratio = Imbalance("class_centre", "linear")(X, y, context_of()) / ClassCentre()(X, y, context_of())
    np.testing.assert_allclose(ratio, np.array([5 / 24, 5 / 11, 1.0])[y], rtol=1e-12)


def test_linear_imbalance_by_hand():
    """Mean 4 over all; class 0 at distances 4, 2; class 1 at 0, 1, 5, of which two thirds count."""
    X, y = np.array([[0.0], [2.0], [4.0], [5.0], [9.0]]), np.array([0, 0, 1, 1, 1])
    values = Imbalance("overall_centre", "linear", offset=0.25)(X, y, context_of())
    f = 1.0 - np.array([4 / 5, 2 / 5, 0.0, 1 / 6.25, 5 / 6.25])
    np.testing.assert_allclose(values, f * np.array([1, 1, 2 / 3, 2 / 3, 2 / 3]))


def test_exponential_imbalance_by_hand():
    """Distances count in units of their class's median: 1, 2, 4 over 2 and 10, 30 over 20."""
    margin, y = np.array([1.0, -2.0, 4.0, 10.0, -30.0]), np.array([0, 0, 0, 1, 1])
    values = Imbalance("boundary", "exponential", rate=3.0)(np.zeros((5, 1)), y, context_of(first_fit=margin))
    f = 2.0 / (1.0 + np.exp(3.0 * np.array([0.5, 1.0, 2.0, 0.5, 1.5])))
    np.testing.assert_allclose(values, f * np.array([2 / 3, 2 / 3, 2 / 3, 1, 1]))


@pytest.mark.parametrize("decay", ["linear", "exponential"])
def test_near_the_boundary_is_believed_more_on_either_side(decay):
    margin = np.array([0.1, -0.1, 1.0, -1.0, 5.0, -5.0])
    values = Imbalance("boundary", decay)(np.zeros((6, 1)), np.zeros(6, int), context_of(first_fit=margin))
    np.testing.assert_array_equal(values[::2], values[1::2])
    assert values[0] > values[2] > values[4] > 0.0


def test_an_outlier_far_beyond_the_exponential_range_stays_above_zero():
    margin = np.append(np.ones(9), 1e12)
    values = Imbalance("boundary", "exponential")(
        np.zeros((10, 1)), np.zeros(10, int), context_of(None, margin)
    )
    assert values[-1] == pytest.approx(1e-3 / 1.001)


def test_a_majority_of_rows_on_the_boundary_still_leaves_a_scale():
    margin = np.array([0.0, 0.0, 0.0, 2.0])
    values = Imbalance("boundary", "exponential")(
        np.zeros((4, 1)), np.zeros(4, int), context_of(None, margin)
    )
    np.testing.assert_allclose(values, [1.0, 1.0, 1.0, 2.0 / (1.0 + np.e)])


def test_the_recommended_imbalance_needs_neither_kernel_nor_fit(rows):
    X, y, _ = rows
    expected = resolve("imbalance_exponential_class_centre", X, y, context_of())
    np.testing.assert_array_equal(resolve("imbalance", X, y, context_of()), expected)


# Residual.


def test_residual_by_hand():
    residual = np.array([0.0, 1.0, -4.0])
    values = Residual(offset=0.25)(np.zeros((3, 1)), np.zeros(3), context_of(first_fit=residual))
    np.testing.assert_allclose(values, [1.0, 0.8, 0.2])


@pytest.mark.parametrize("residual", [[0.0, 0.0, 0.0], [2.0, -2.0, 2.0]])
def test_residuals_of_one_size_doubt_nobody(residual):
    values = Residual()(np.zeros((3, 1)), np.zeros(3), context_of(first_fit=residual))
    np.testing.assert_array_equal(values, 1.0)


def test_the_unit_of_the_residuals_does_not_matter():
    residual = np.array([0.3, -1.0, 2.5])
    values = [
        Residual()(np.zeros((3, 1)), np.zeros(3), context_of(first_fit=scale * residual))
        for scale in (1e-200, 1.0, 1e200)
    ]
    np.testing.assert_allclose(values[0], values[1])
    np.testing.assert_allclose(values[2], values[1])


@pytest.mark.parametrize("outcome", [np.ones(2), np.ones((3, 1)), np.array([1.0, np.nan, 1.0])])
def test_a_first_fit_that_failed_is_reported(outcome):
    with pytest.raises(ValueError, match=r"first_fit must return one finite number per row, shape \(3,\)"):
        Residual()(np.zeros((3, 1)), np.zeros(3), context_of(first_fit=outcome))


# Options and targets that make no sense.


@pytest.mark.parametrize(
    ("membership", "message"),
    [
        (ClassCentre(space="output"), "space must be one of 'input', 'kernel'; got 'output'"),
        (ClassCentre(offset=0.0), "offset must be a finite number above 0"),
        (Time(order="cubic"), "order must be one of 'linear', 'quadratic'"),
        (Time(floor=0.0), r"floor must be in \(0, 1\]"),
        (Heuristic(measure="votes"), "measure must be one of 'alignment', 'neighbours'"),
        (Heuristic(degree=-1.0), "degree must be"),
        (Heuristic(floor=2.0), "floor must be"),
        (Heuristic(n_neighbours=0), "n_neighbours must be a whole number"),
        (Heuristic(n_neighbours=2.5), "n_neighbours must be a whole number"),
        (Heuristic(confident=0.1, trashy=0.2), "confident must not lie below trashy"),
        (Imbalance(distance="edge"), "distance must be one of 'class_centre', 'overall_centre', 'boundary'"),
        (Imbalance(decay="sudden"), "decay must be one of 'linear', 'exponential'"),
        (Imbalance(rate=np.inf), "rate must be"),
        (Imbalance(offset=np.nan), "offset must be"),
        (Residual(offset=-1.0), "offset must be"),
    ],
)
def test_an_option_that_makes_no_sense_is_named(rows, membership, message):
    X, y, context = rows
    with pytest.raises(ValueError, match=message):
        membership(X, y, context)


@pytest.mark.parametrize("name", NEEDS_CLASSES)
def test_class_memberships_refuse_real_targets(rows, name):
    X, y, context = rows
    with pytest.raises(ValueError, match=r"needs class numbers .* use 'residual'"):
        resolve(name, X, y + 0.5, context)


def test_residual_refuses_class_numbers(rows):
    X, y, context = rows
    with pytest.raises(ValueError, match=r"needs real targets .* use 'class_centre'"):
        resolve("residual", X, y, context)


# Resolve and normalise.


def test_resolve_takes_names_memberships_callables_and_arrays(rows):
    X, y, context = rows
    expected = ClassCentre()(X, y, context)
    for membership in (
        "class_centre",
        ClassCentre(),
        lambda X, y: ClassCentre()(X, y, context),
        list(expected),
    ):
        np.testing.assert_array_equal(resolve(membership, X, y, context), expected)


def test_resolve_does_not_hand_out_the_users_array(rows):
    X, y, context = rows
    given = np.full(40, 0.5)
    resolve(given, X, y, context)[0] = 0.9
    assert given[0] == 0.5


def test_an_unknown_name_lists_the_names(rows):
    X, y, context = rows
    with pytest.raises(ValueError, match="unknown membership 'centre'") as caught:
        resolve("centre", X, y, context)
    assert all(repr(name) in str(caught.value) for name in MEMBERSHIPS)


@pytest.mark.parametrize(
    ("membership", "message"),
    [
        (np.ones(39), r"shape \(40,\); got shape \(39,\)"),
        (np.ones((40, 1)), r"shape \(40,\); got shape \(40, 1\)"),
        (0.5, r"shape \(40,\); got shape \(\)"),
        (np.zeros(40), r"in \(0, 1\]; got 0.0 at row 0 \(40 such rows\)"),
        (np.append(np.ones(39), 1.5), "got 1.5 at row 39"),
        (np.append(np.nan, np.ones(39)), "got nan at row 0"),
        (np.append(np.inf, np.ones(39)), "got inf at row 0"),
        (lambda X, y: -np.ones(len(y)), "got -1.0 at row 0"),
        (lambda X, y: "abc", "must be a name, a Membership, a callable"),
        ({"a": 1}, "must be a name, a Membership, a callable"),
        (ClassCentre, r"Write ClassCentre\(\)"),
    ],
)
def test_what_cannot_be_a_membership_is_refused(rows, membership, message):
    X, y, context = rows
    with pytest.raises(ValueError, match=message):
        resolve(membership, X, y, context)


def test_none_is_refused_with_the_choices(rows):
    X, y, context = rows
    with pytest.raises(ValueError, match="membership must"):
        resolve(None, X, y, context)


def test_memberships_of_ones_own_join_by_subclassing(rows):
    class Half(Membership):
        def __call__(self, X, y, context):
            return np.full(X.shape[0], 0.5)

    X, y, context = rows
    np.testing.assert_array_equal(resolve(Half(), X, y, context), 0.5)


def test_normalised_memberships_have_mean_one_and_keep_their_ratios():
    values, weight = np.array([0.1, 0.2, 0.9]), np.array([1.0, 2.0, 3.0])
    scaled = normalised(values, weight)
    assert np.average(scaled, weights=weight) == pytest.approx(1.0)
    np.testing.assert_allclose(scaled / scaled[0], values / values[0])


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
        context = Context(
            kernel_rows=lambda block: rbf_kernel(X[rows][block], X[rows]),
            first_fit=lambda: np.ones(len(rows)),
            sample_weight=weight,
        )
        return MEMBERSHIPS[name](storage(X[rows]), y[rows], context)

    weighted = memberships_of(np.arange(30), copies.astype(float))
    repeated = memberships_of(np.repeat(np.arange(30), copies), None)
    np.testing.assert_allclose(np.repeat(weighted, copies), repeated, rtol=1e-9)
