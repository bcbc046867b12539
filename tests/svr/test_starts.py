"""Where a search begins."""

import numpy as np
import pytest

from rowtrust.svr import search as search_module
from rowtrust.svr import search as starts_module
from rowtrust.svr.evidence import EvidenceObjective, StoppingRule, TrainingSet
from rowtrust.svr.search import best_start, screen, search, search_from_starts
from rowtrust.svr.space import UPPER, SearchSpace

RULE = StoppingRule(20, 0.1)


def wave_rows(n=120):
    generator = np.random.default_rng(0)
    X = generator.uniform(-1.7, 1.7, (n, 2))
    return TrainingSet(X, np.sin(3 * X[:, 0]) + 0.1 * generator.normal(size=n), np.ones(n))


def test_starts_cover_lengths_from_long_to_as_short_as_the_rows_can_show(choices_with):
    lengths = {}
    for n_features, n_rows in ((1, 300), (2, 100), (6, 300)):
        space = SearchSpace(choices_with(), n_features)
        starts = space.designed_starts(n_rows)
        relevance = [space.hyperparameters(start, 1.0).relevance[0] for start in starts]
        assert relevance == sorted(relevance)
        assert relevance[0] * n_features <= 1.0
        assert relevance[-1] <= UPPER[2]
        lengths[n_features] = relevance[-1]
        assert all((start >= space.lower).all() and (start <= space.upper).all() for start in starts)
    assert lengths[1] > 100 > lengths[2] > lengths[6]


def test_the_screening_puts_the_best_evidence_first(choices_with):
    rows, space = wave_rows(), SearchSpace(choices_with(), 2)
    found = screen(rows, space, RULE)
    values = [each.value for each in found]
    assert values == sorted(values)
    for each in found:
        assert each.value == pytest.approx(EvidenceObjective(rows, space, 1.0)(each.vector)[0], abs=1e-4)
        assert each.value <= EvidenceObjective(rows, space, 1.0)(each.start)[0]


def test_few_rows_go_on_where_the_screening_ended_and_many_begin_at_its_start(monkeypatch, choices_with):
    rows, space = wave_rows(), SearchSpace(choices_with(), 2)
    designed = space.designed_starts(len(rows))
    few = best_start(rows, space, RULE)
    assert not any(np.array_equal(few, start) for start in designed)
    monkeypatch.setattr(starts_module, "SCREENED_ROWS", 60)
    many = best_start(rows, space, RULE)
    assert any(np.array_equal(many, start) for start in designed)


def test_with_nothing_to_learn_there_is_nothing_to_screen(choices_with):
    fixed = choices_with(C=2.0, epsilon=0.2, relevance=np.ones(2), kernel_variance=1.0, bias_variance=0.1)
    assert best_start(wave_rows(), SearchSpace(fixed, 2), RULE).size == 0


def test_a_constant_is_retried_from_every_start(monkeypatch, choices_with):
    """With the first choice forced to the smoothest start, which loses this wave, the others find it."""
    generator = np.random.default_rng(0)
    X = generator.uniform(-1.7, 1.7, (100, 2))
    y = 2.0 * np.sin(3.5 * X[:, 0]) * np.cos(3.5 * X[:, 1]) + 0.1 * generator.normal(size=100)
    rows, choices = TrainingSet(X, y, np.ones(100)), choices_with()
    start = SearchSpace(choices, 2).first_start()
    assert search(rows, choices, start, RULE, None).is_constant
    monkeypatch.setattr(search_module, "best_start", lambda rows, space, rule: start)
    (found,) = search_from_starts(rows, choices, RULE)
    assert not found.is_constant
