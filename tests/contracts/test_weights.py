"""What every weighting promises: moments in range, a bound at its maximum, updates that raise it."""

from dataclasses import dataclass

import numpy as np
import pytest

from rowtrust import weights
from rowtrust.contracts import Statistics
from rowtrust.weights import Fixed, Gamma, Unit, Weights

LOSS = np.array([0.0, 1e-3, 0.2, 0.7, 3.0, 40.0, 1e4])
CASES = [
    Unit(),
    Fixed(np.linspace(0.2, 1.0, len(LOSS))),
    Gamma(0.4),
    Gamma(1.3),
    Gamma(9.0),
    Gamma(2.0, learns=True),
]
every_case = pytest.mark.parametrize("weighting", CASES, ids=repr)
both_exponents = pytest.mark.parametrize("exponent", [0.0, 0.5])


@dataclass(frozen=True)
class Rows:
    """Statistics of rows of which only the weights matter."""

    moments: weights.Weights
    copies: np.ndarray

    @property
    def statistics(self):
        return Statistics(
            gram=np.eye(2),
            vector=np.ones(2),
            constant=-3.0,
            normaliser=float(self.copies @ self.moments.bound),
            loss=5.0,
            count=float(self.copies.sum()),
            likelihood=np.empty(0),
            weights=self.moments.statistics @ self.copies,
        )


def test_every_weighting_has_a_case(check_cases):
    check_cases(weights, Weights, CASES)


@both_exponents
@every_case
def test_moments_are_in_range(weighting, exponent):
    moments = weighting.learn(LOSS, exponent)
    assert moments.expected.shape == moments.bound.shape == LOSS.shape
    assert moments.statistics.ndim == 2
    assert moments.statistics.shape[1] == len(LOSS)
    assert (moments.expected > 0).all()
    assert np.isfinite(moments.bound).all()
    assert (np.diff(moments.expected) <= 0).all(), "a row with more loss is trusted no more"
    if exponent == 0.0:
        assert (moments.expected <= 1).all(), "a power weight is never above one"


@both_exponents
@every_case
def test_rows_are_weighed_one_by_one(weighting, exponent):
    whole = weighting.learn(LOSS, exponent)
    for i in range(len(LOSS)):
        alone = weighting.learn(LOSS[i : i + 1], exponent)
        for field in ("expected", "bound", "statistics"):
            np.testing.assert_allclose(
                getattr(alone, field)[..., 0], getattr(whole, field)[..., i], rtol=1e-14
            )


@both_exponents
@every_case
def test_the_bound_is_at_its_maximum_over_the_weights(weighting, exponent):
    """Then its derivative by a row's loss, the weights free to follow, is minus the expected weight."""
    loss = LOSS[1:-1]
    step = 1e-5 * (1.0 + loss)

    def share(at):
        moments = weighting.learn(at, exponent)
        return moments.bound - moments.expected * at

    loss = np.maximum(loss, step)
    slope = (share(loss + step) - share(loss - step)) / (2 * step)
    np.testing.assert_allclose(slope, -weighting.learn(loss, exponent).expected, rtol=1e-6)


@pytest.mark.parametrize("scale", [0.05, 1.0, 20.0])
@every_case
def test_an_update_raises_the_bound_and_touches_nothing_but_the_normaliser(weighting, scale):
    rng = np.random.default_rng(0)
    loss, copies = rng.exponential(scale, 200), rng.integers(0, 4, 200).astype(float)
    statistics = Rows(weighting.learn(loss, 0.5), copies).statistics
    updated, restated = weighting.update(statistics)
    if not weighting.learns:
        assert updated is weighting
        assert restated is statistics
        return
    assert type(updated) is type(weighting)
    assert restated.normaliser > statistics.normaliser
    for field in ("gram", "vector", "constant", "loss", "count", "likelihood", "weights"):
        assert getattr(restated, field) is getattr(statistics, field)


@pytest.mark.parametrize("scale", [0.05, 1.0, 20.0])
@pytest.mark.parametrize("weighting", [case for case in CASES if case.learns], ids=repr)
def test_learning_again_and_again_climbs_to_a_fixed_point(weighting, scale):
    loss, copies = np.random.default_rng(1).exponential(scale, 300), np.ones(300)
    bounds = []
    for _ in range(300):
        moments = weighting.learn(loss, 0.5)
        bounds.append(float(copies @ (moments.bound - moments.expected * loss)))
        weighting, _ = weighting.update(Rows(moments, copies).statistics)
    assert np.diff(bounds).min() >= -1e-9
    assert bounds[-1] - bounds[-2] < 1e-3


@both_exponents
@every_case
def test_a_fit_may_begin_with_itself_among_others(weighting, exponent):
    starts = weighting.starts(exponent)
    assert any(start is weighting for start in starts)
    assert len({repr(start) for start in starts}) == len(starts), "the same fit twice"
    for start in starts:
        assert isinstance(start, Weights)
        assert start.learn(LOSS, exponent).expected.shape == LOSS.shape


@every_case
def test_coordinates_lead_back_to_the_weighting(weighting):
    assert weighting.coordinates.shape == ((1,) if weighting.learns else (0,))
    again = weighting.moved_to(weighting.coordinates)
    assert type(again) is type(weighting)
    for field in ("expected", "bound", "statistics"):
        one, two = (getattr(each.learn(LOSS, 0.5), field) for each in (again, weighting))
        np.testing.assert_allclose(one, two, rtol=1e-12, err_msg=field)


@pytest.mark.parametrize("size", [1.0, 30.0, 600.0])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
@every_case
def test_no_coordinates_lead_beyond_what_may_be_learnt(weighting, sign, size):
    moved = weighting.moved_to(weighting.coordinates + sign * size)
    assert moved.learns == weighting.learns
    np.testing.assert_allclose(moved.moved_to(moved.coordinates).coordinates, moved.coordinates, rtol=1e-12)
    moments = moved.learn(LOSS, 0.5)
    assert np.isfinite(moments.expected).all()
    assert np.isfinite(moments.bound).all()
    if isinstance(weighting, Gamma) and weighting.learns:
        assert Gamma.lower <= moved.trust <= Gamma.upper
        assert moved.trust != weighting.trust
        if size > np.log(Gamma.upper / Gamma.lower):
            assert moved.trust == (Gamma.upper if sign > 0 else Gamma.lower)


@pytest.mark.parametrize("case", [case for case in CASES if case.learns], ids=repr)
def test_coordinates_are_those_of_what_is_learnt(case):
    """An update and a move to its coordinates are the same weighting."""
    loss = np.random.default_rng(2).exponential(1.0, 200)
    updated, _ = case.update(Rows(case.learn(loss, 0.5), np.ones(200)).statistics)
    moved = case.moved_to(updated.coordinates)
    np.testing.assert_allclose(moved.learn(LOSS, 0.5).bound, updated.learn(LOSS, 0.5).bound, rtol=1e-12)
    assert not np.allclose(moved.coordinates, case.coordinates)


@both_exponents
@every_case
def test_weights_never_narrow_the_noise(weighting, exponent):
    assert weighting.widening(exponent) >= 1.0
    assert weighting.widening(0.0) == 1.0


@every_case
def test_the_average_of_one_weighting_is_itself(weighting):
    average = type(weighting).average([weighting, weighting], np.array([0.4, 0.6]))
    np.testing.assert_allclose(
        average.learn(LOSS, 0.5).expected, weighting.learn(LOSS, 0.5).expected, rtol=1e-12
    )


@every_case
def test_what_is_known_of_the_rows_lies_above_zero(weighting):
    assert weighting.membership is None or (np.asarray(weighting.membership) > 0).all()
