"""How new targets scatter: a split Student t whose width follows the model's own deviation."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm
from scipy.stats import t as student

from rowtrust.predictive import TargetNoise
from rowtrust.trust import NumberJudge
from rowtrust.trust.numbers import learn_number_noise

JUDGE = NumberJudge(
    unit=0.5,
    centre=1.0,
    spread=2.0,
    log_scale=0.3,
    growth=0.2,
    log_freedom=0.7,
    skewness=-0.4,
    location=0.1,
)
NOISE = TargetNoise.of(JUDGE, 0.0)
MEAN, DEVIATION = np.array([1.0]), np.array([0.8])
LEVELS = (0.001, 0.1, 0.4, 0.5, 0.7, 0.975)


def test_quantiles_densities_and_probabilities_are_of_one_distribution():
    def density(target):
        return float(np.exp(NOISE.log_density(MEAN, DEVIATION, np.array([target])))[0])

    for level in LEVELS:
        at = NOISE.quantile(MEAN, DEVIATION, level)
        assert NOISE.cdf(MEAN, DEVIATION, at)[0] == pytest.approx(level, abs=1e-9)
        assert quad(density, -400.0, at[0], points=[1.05], limit=400)[0] == pytest.approx(level, abs=1e-4)


def test_it_is_the_density_by_which_the_judge_knows_right_rows():
    mean, own = np.array([1.0, 3.0, -2.0]), np.array([1.0, 0.4, 3.0])
    target = mean + np.array([0.3, -1.0, 0.5])
    rows = JUDGE.residuals(target, mean, own, np.ones(3))
    at = np.array([JUDGE.log_scale, JUDGE.growth, JUDGE.log_freedom, JUDGE.skewness, JUDGE.location])
    deviation = np.sqrt(NOISE.stretch(mean)) * own
    found = NOISE.log_density(mean, deviation, target)
    np.testing.assert_allclose(found, rows.log_noise(at)[0] - np.log(JUDGE.unit))


def test_a_deviation_is_that_of_the_gaussian_with_the_same_95_percent():
    low, high = (NOISE.quantile(MEAN, DEVIATION, level)[0] for level in (0.025, 0.975))
    assert high - low == pytest.approx(2.0 * norm.ppf(0.975) * DEVIATION[0])


def test_targets_in_other_units_turned_and_moved_have_the_same_noise():
    turned = NOISE.rescaled(5.0, -3.0)
    for level in LEVELS:
        found = turned.quantile(5.0 - 3.0 * MEAN, 3.0 * DEVIATION, level)
        assert found[0] == pytest.approx(5.0 - 3.0 * NOISE.quantile(MEAN, DEVIATION, 1.0 - level)[0])
    means = np.array([-3.0, 0.0, 4.0])
    np.testing.assert_allclose(turned.stretch(5.0 - 3.0 * means), NOISE.stretch(means))


@pytest.mark.parametrize("believed", [0.4, 1.0, 3.0])
def test_whatever_a_model_believes_intervals_cover_what_they_say(believed):
    """Of noise with tails that is larger where the prediction is, for deviations of a wrong size."""
    rng = np.random.default_rng(0)
    mean = rng.normal(size=4000)
    target = mean + np.exp(0.5 * mean) * student.rvs(4, size=4000, random_state=rng)
    deviation = np.full(4000, believed)
    judge = learn_number_noise(target[:2000], mean[:2000], deviation[:2000])
    noise = TargetNoise.of(judge, judge.usual)
    said = np.sqrt(noise.stretch(mean)) * deviation
    for level in (0.5, 0.8, 0.95):
        low, high = (noise.quantile(mean, said, 0.5 + 0.5 * sign * level) for sign in (-1.0, 1.0))
        for part in (mean > 0.5, mean < -0.5):
            assert np.mean((low < target) & (target < high), where=part) == pytest.approx(level, abs=0.035)


@pytest.mark.parametrize("far", [8.0, 40.0])
def test_gross_errors_are_not_noise(far):
    rng = np.random.default_rng(0)
    clean = rng.normal(size=400)
    dirty = clean + far * rng.choice([-1, 1], 400) * (np.arange(400) < 40) * rng.uniform(1.0, 2.0, 400)
    noises = [learn_number_noise(each, np.zeros(400), np.ones(400)) for each in (clean, dirty)]
    factors = [TargetNoise.of(each, each.usual).factor for each in noises]
    assert factors[1] == pytest.approx(factors[0], rel=0.12)


def test_rounded_targets_have_the_noise_of_what_was_rounded():
    rng = np.random.default_rng(0)
    exact = 0.4 * rng.normal(size=1000)
    noises = [learn_number_noise(each, np.zeros(1000), np.ones(1000)) for each in (exact, np.round(exact))]
    factors = [TargetNoise.of(each, each.usual).factor for each in noises]
    assert factors[0] == pytest.approx(0.4, rel=0.05)
    assert factors[1] == pytest.approx(np.hypot(0.4, 1.0 / np.sqrt(6.0)), rel=0.25)


def test_too_few_rows_and_none_that_differ_say_nothing():
    assert learn_number_noise(np.arange(11.0), np.zeros(11), np.ones(11)) is None
    assert learn_number_noise(np.ones(50), np.ones(50), np.ones(50)) is None
