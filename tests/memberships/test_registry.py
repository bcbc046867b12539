"""Names, instances, callables and arrays stand for memberships; nothing else does."""

from __future__ import annotations

import numpy as np
import pytest

from rowtrust.memberships import MEMBERSHIPS, ClassCentre, Membership, normalised, resolve


def test_resolve_takes_names_memberships_callables_and_arrays(rows):
    X, y, side = rows
    expected = ClassCentre()(X, y, side)
    for membership in (
        "class_centre",
        ClassCentre(),
        lambda X, y: ClassCentre()(X, y, side),
        list(expected),
    ):
        np.testing.assert_array_equal(resolve(membership, X, y, side), expected)


def test_resolve_does_not_hand_out_the_users_array(rows):
    X, y, side = rows
    given = np.full(40, 0.5)
    resolve(given, X, y, side)[0] = 0.9
    assert given[0] == 0.5


def test_an_unknown_name_lists_the_names(rows):
    X, y, side = rows
    with pytest.raises(ValueError, match="unknown membership 'centre'") as caught:
        resolve("centre", X, y, side)
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
    X, y, side = rows
    with pytest.raises(ValueError, match=message):
        resolve(membership, X, y, side)


def test_none_is_refused_with_the_choices(rows):
    X, y, side = rows
    with pytest.raises(ValueError, match="membership must"):
        resolve(None, X, y, side)


def test_memberships_of_ones_own_join_by_subclassing(rows):
    class Half(Membership):
        def __call__(self, X, y, side):
            return np.full(X.shape[0], 0.5)

    X, y, side = rows
    np.testing.assert_array_equal(resolve(Half(), X, y, side), 0.5)


def test_normalised_memberships_have_mean_one_and_keep_their_ratios():
    values, weight = np.array([0.1, 0.2, 0.9]), np.array([1.0, 2.0, 3.0])
    scaled = normalised(values, weight)
    assert np.average(scaled, weights=weight) == pytest.approx(1.0)
    np.testing.assert_allclose(scaled / scaled[0], values / values[0])
