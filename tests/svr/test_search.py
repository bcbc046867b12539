"""The search over hyperparameters: its stages, its starts, and what it leaves alone."""

import numpy as np
import pytest
from scipy.special import softmax

from rowtrust.svr import search as search_module
from rowtrust.svr.evidence import EvidenceObjective, StoppingRule, TrainingSet, climb
from rowtrust.svr.search import (
    possible_betas,
    refine,
    same_noise_variance,
    search,
    search_from_starts,
)
from rowtrust.svr.space import SearchSpace


def random_starts(n):
    generator = np.random.default_rng(0)
    return lambda space: [space.random_start(generator) for _ in range(n)]


def test_what_is_fixed_stays_fixed(random_rows, choices_with):
    rows = TrainingSet(*random_rows(0))
    choices = choices_with(C=4.0, relevance=np.array([1.0, 0.5, 0.0]), bias_variance=0.0)
    (found,) = search_from_starts(rows, choices, StoppingRule(20, 0.1))
    assert pytest.approx(4.0) == found.hyperparameters.C
    np.testing.assert_allclose(found.hyperparameters.relevance, [1.0, 0.5, 0.0], atol=1e-12)
    assert found.hyperparameters.bias_variance < 1e-12


def test_restarts_side_by_side_give_what_they_give_in_turn(random_rows, choices_with):
    rows = TrainingSet(*random_rows(0, n=40))
    runs = [
        search_from_starts(rows, choices_with(), StoppingRule(10, 0.1), n_jobs, random_starts(2))
        for n_jobs in (None, 2)
    ]
    values = [[result.log_evidence for result in run] for run in runs]
    np.testing.assert_allclose(values[0], values[1])
    assert values[0] == sorted(values[0], reverse=True)
    shares = softmax(np.array(values[0]))
    assert shares.sum() == pytest.approx(1.0)
    assert (np.diff(shares) <= 0).all()


def test_a_search_ends_above_its_start_and_reports_its_evaluations(random_rows, choices_with):
    rows, choices = TrainingSet(*random_rows(1)), choices_with()
    start = SearchSpace(choices, 3).first_start()
    result = search(rows, choices, start, StoppingRule(20, 0.1), None)
    assert -result.log_evidence <= EvidenceObjective(rows, SearchSpace(choices, 3), 0.3)(start)[0]
    assert result.duality_gap <= 1e-8
    assert result.n_iter > 1


def test_with_everything_fixed_a_search_only_solves(random_rows, choices_with):
    rows = TrainingSet(*random_rows(0))
    fixed = choices_with(C=2.0, epsilon=0.2, relevance=np.ones(3), kernel_variance=1.0, bias_variance=0.1)
    (result,) = search_from_starts(rows, fixed, StoppingRule(20, 0.1), None, random_starts(5))
    assert result.n_iter == 1
    assert pytest.approx(2.0) == result.hyperparameters.C


@pytest.mark.parametrize("beta", [0.01, 0.3, 0.7])
def test_a_smaller_beta_begins_with_the_noise_variance_of_the_widest(beta, choices_with):
    space = SearchSpace(choices_with(beta=beta), 3)
    widest = space.first_start()
    variance = space.hyperparameters(widest, 1.0).noise_variance
    begun = space.hyperparameters(same_noise_variance(space, widest, beta), beta)
    assert begun.noise_variance == pytest.approx(variance, rel=0.05)
    before = space.hyperparameters(widest, beta)
    np.testing.assert_allclose(begun.relevance, before.relevance)
    assert begun.kernel_variance == pytest.approx(before.kernel_variance)


def test_a_search_never_ends_below_what_the_widest_zone_has_seen(random_rows, choices_with):
    rows, choices = TrainingSet(*random_rows(2)), choices_with(beta=1.0)
    space = SearchSpace(choices, 3)
    widest = EvidenceObjective(rows, space, 1.0)
    best = climb(widest, space.first_start(), StoppingRule(20, 0.1))
    seen = widest.best_value
    assert -refine(widest, best, StoppingRule(5, 0.1), 0).log_evidence <= seen + 1e-6


def test_beta_rises_up_to_one_unless_it_is_given(choices_with):
    assert possible_betas(choices_with(beta=0.3)) == [0.3]
    assert possible_betas(choices_with(beta=0.3, beta_is_given=False)) == pytest.approx([0.3, 0.6, 1.0])
    assert possible_betas(choices_with(beta=1.0, beta_is_given=False)) == [1.0]


def test_beta_is_raised_while_rows_lack_curvature(random_rows, choices_with):
    rows = TrainingSet(*random_rows(0))
    for given in (True, False):
        space = SearchSpace(choices_with(beta=1e-3, beta_is_given=given), 3)
        result = refine(EvidenceObjective(rows, space, 1.0), space.first_start(), StoppingRule(5, 0.1), 0)
        if given:
            assert result.hyperparameters.beta == 1e-3
        else:
            assert result.hyperparameters.beta > 0.01


@pytest.mark.parametrize(
    ("most", "expected"), [(100, [(20, 1.0), (60, 1.0), (60, 0.3)]), (50, [(20, 1.0), (60, 0.3)])]
)
def test_many_rows_begin_on_a_subset(monkeypatch, random_rows, choices_with, most, expected):
    monkeypatch.setattr(search_module, "MANY_ROWS", most)
    seen = []

    class Recorded(EvidenceObjective):
        def __call__(self, vector):
            if seen[-1:] != [(len(self.rows), self.beta)]:
                seen.append((len(self.rows), self.beta))
            return super().__call__(vector)

    monkeypatch.setattr(search_module, "EvidenceObjective", Recorded)
    rows, choices = TrainingSet(*random_rows(0)), choices_with()
    start = SearchSpace(choices, 3).first_start()
    result = search(rows, choices, start, StoppingRule(5, 0.1), rows.subset(20))
    assert seen == expected
    assert result.posterior.support.max() >= 20
