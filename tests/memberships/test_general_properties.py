"""What is true of every membership class, examples of each; none may be missing."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from rowtrust import memberships
from rowtrust.memberships import (
    MEMBERSHIPS,
    ClassCentre,
    Heuristic,
    Imbalance,
    Membership,
    Residual,
    SideInformation,
    Time,
)

EXAMPLES = {
    ClassCentre: [lambda _: ClassCentre("input"), lambda _: ClassCentre("kernel")],
    Time: [lambda times: Time("linear", times=times), lambda times: Time("quadratic", times=times)],
    Heuristic: [lambda _: Heuristic("alignment"), lambda _: Heuristic("neighbours", n_neighbours=5)],
    Imbalance: [
        lambda _, distance=distance, decay=decay: Imbalance(distance, decay)
        for distance in ("class_centre", "overall_centre", "boundary")
        for decay in ("linear", "exponential")
    ],
    Residual: [lambda _: Residual()],
}
"""Of every class the ways to make one; given the times of the rows, because Time has to be told them."""

BUILDERS = [pytest.param(build, id=repr(build(None))) for builders in EXAMPLES.values() for build in builders]
ONCE = [case for case in BUILDERS if getattr(case.values[0](None), "measure", None) == "neighbours"]
"""The share of neighbours, which counts every row once whatever its sample weight, and says so."""


@dataclass(frozen=True)
class Rows:
    """Rows with all that a membership may look at."""

    X: np.ndarray
    y: np.ndarray
    times: np.ndarray
    outcome: np.ndarray

    def taken(self, index):
        """The rows of these numbers, in this order."""
        return Rows(self.X[index], self.y[index], self.times[index], self.outcome[index])

    def scaled(self, factor):
        """The rows in another unit; the linear kernel between them changes by the square."""
        return Rows(factor * self.X, self.y, self.times, self.outcome)

    def memberships(self, build, weight=None):
        """The memberships of the rows; Residual gets real targets."""
        membership = build(self.times)
        target = self.y.astype(float) if isinstance(membership, Residual) else self.y
        side = SideInformation(
            kernel_rows=lambda block: self.X[block] @ self.X.T,
            first_fit=lambda: self.outcome,
            sample_weight=weight,
        )
        return membership(self.X, target, side)


@pytest.fixture
def some_rows():
    generator = np.random.default_rng(3)
    y = generator.permutation(np.repeat([0, 1, 2], [30, 14, 6]))
    X = generator.normal(size=(50, 3)) + 1.5 * y[:, None]
    return Rows(X, y, generator.uniform(size=50), generator.normal(size=50))


def exported_memberships():
    exported = (getattr(memberships, name) for name in memberships.__all__)
    return {kind for kind in exported if isinstance(kind, type) and issubclass(kind, Membership)} - {
        Membership
    }


def defined_memberships(kind=Membership):
    """All subclasses that the package defines, exported or not."""
    found = set()
    for subclass in kind.__subclasses__():
        found |= {subclass} | defined_memberships(subclass)
    return {subclass for subclass in found if subclass.__module__.startswith("rowtrust.memberships.")}


def test_no_membership_is_missing_here():
    assert set(EXAMPLES) == exported_memberships()
    for kind, builders in EXAMPLES.items():
        assert builders
        assert all(type(build(None)) is kind for build in builders)


def test_no_membership_is_kept_private_or_without_a_name():
    assert exported_memberships() == defined_memberships()
    assert exported_memberships() == {type(membership) for membership in MEMBERSHIPS.values()}


@pytest.mark.parametrize("build", BUILDERS)
def test_one_finite_number_above_zero_and_up_to_one_per_row(some_rows, build):
    values = some_rows.memberships(build)
    assert values.shape == (50,)
    assert values.dtype == np.float64
    assert ((values > 0.0) & (values <= 1.0)).all()
    assert np.unique(values).size > 1


@pytest.mark.parametrize("build", BUILDERS)
def test_the_order_of_the_rows_does_not_matter(some_rows, build):
    order = np.random.default_rng(4).permutation(50)
    np.testing.assert_allclose(
        some_rows.taken(order).memberships(build), some_rows.memberships(build)[order], rtol=1e-9
    )


@pytest.mark.parametrize("build", BUILDERS)
@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_the_scale_of_the_inputs_does_not_matter(some_rows, build, factor):
    np.testing.assert_allclose(
        some_rows.scaled(factor).memberships(build), some_rows.memberships(build), rtol=1e-9
    )


@pytest.mark.parametrize("build", [case for case in BUILDERS if case not in ONCE])
def test_a_weight_equals_copies_of_the_row(some_rows, build):
    copies = np.random.default_rng(5).integers(1, 4, size=50)
    weighted = some_rows.memberships(build, weight=copies.astype(float))
    repeated = some_rows.taken(np.repeat(np.arange(50), copies)).memberships(build)
    np.testing.assert_allclose(np.repeat(weighted, copies), repeated, rtol=1e-9)


@pytest.mark.parametrize("build", ONCE)
def test_neighbours_are_asked_once_whatever_their_weight(some_rows, build):
    """With a given confident share; the estimated one is a median over copies."""
    given = replace(build(None), confident=0.8)
    copies = np.random.default_rng(5).integers(1, 4, size=50).astype(float)
    np.testing.assert_array_equal(
        some_rows.memberships(lambda _: given, weight=copies), some_rows.memberships(lambda _: given)
    )
