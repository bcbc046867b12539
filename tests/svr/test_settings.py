"""From constructor arguments to what is fixed and what is learnt."""

from dataclasses import replace

import numpy as np
import pytest

from rowtrust.svr.hyperparameters import LAPLACE_ZONE, Settings

LEARNT = Settings(
    loss="soft_insensitive",
    C="evidence",
    epsilon="evidence",
    beta="auto",
    relevance="evidence",
    kernel_variance="evidence",
    bias_variance="evidence",
    n_restarts=0,
    max_iter=60,
    tol=0.1,
    n_jobs=None,
)


def test_by_default_everything_is_learnt_and_beta_may_rise():
    choices = LEARNT.choices(3)
    fixed = (choices.C, choices.epsilon, choices.relevance, choices.kernel_variance, choices.bias_variance)
    assert fixed == (None,) * 5
    assert choices.beta == 0.3
    assert not choices.beta_is_given
    assert choices.tie is None


@pytest.mark.parametrize(
    ("loss", "beta", "tie"),
    [("huber", 1.0, None), ("laplace", 1.0, LAPLACE_ZONE), ("epsilon_insensitive", 1e-3, None)],
)
def test_every_other_loss_fixes_beta(loss, beta, tie):
    choices = replace(LEARNT, loss=loss).choices(3)
    assert choices.beta == beta
    assert choices.beta_is_given
    assert choices.tie == tie


def test_numbers_are_fixed():
    choices = replace(LEARNT, C=2, beta=0.5, relevance=0.25, bias_variance=0).choices(3)
    assert (choices.C, choices.beta, choices.bias_variance) == (2.0, 0.5, 0.0)
    assert choices.beta_is_given
    np.testing.assert_array_equal(choices.relevance, [0.25, 0.25, 0.25])
    np.testing.assert_array_equal(replace(LEARNT, relevance=[1, 2, 0]).choices(3).relevance, [1.0, 2.0, 0.0])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"loss": "huber", "beta": 0.5}, "beta=0.5 has no meaning"),
        ({"loss": "laplace", "epsilon": 0.1}, "epsilon=0.1 has no meaning"),
        ({"relevance": [1.0, 2.0]}, r"3 of them; got shape \(2,\) with 0 numbers below 0 or not finite"),
        ({"relevance": np.array([1.0, 2.0, -1.0])}, r"shape \(3,\) with 1 numbers below 0 or not finite"),
        ({"relevance": [1.0, 2.0, np.nan]}, "relevance must be one number"),
    ],
)
def test_contradictions_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        replace(LEARNT, **wrong).choices(3)
