"""The conclusions follow the records: other records, other words."""

from dataclasses import dataclass

import numpy as np
import pytest

from papers.context import RunContext
from papers.li import drift, regression
from papers.li.conclusions import conclusions
from papers.li.methods import METHODS
from papers.li.plan import all_experiments
from papers.li.protocol import CLASS_MEMBERSHIPS, MEASURES
from papers.li.tables import TABLES
from papers.store import Store

LOWER = ("log loss", "RMSE", "MAE", "width", "error %")


@dataclass(frozen=True)
class Pretended(RunContext):
    """A context whose records are made up: memberships are better than all else, or worse."""

    advantage: float = 0.1

    def collect(self, experiments):
        return {item.name: [self.record(item, repeat) for repeat in range(3)] for item in experiments}

    def record(self, experiment, repeat):
        if "outliers" in experiment.name:
            return self.measured(regression.METHODS, regression.MEASURES, repeat)
        if "drift" in experiment.name:
            return self.measured(drift.METHODS, (*drift.CLASS_MEASURES, *drift.REGRESSION_MEASURES), repeat)
        fuzzy = [f"fuzzy {machine}, {name}" for machine in ("RVM", "SVM") for name in CLASS_MEMBERSHIPS]
        return self.measured(dict.fromkeys([*METHODS, *fuzzy]), MEASURES, repeat)

    def measured(self, methods, measures, repeat):
        return {
            method: {measure: self.value(method, measure, repeat) for measure in measures}
            for method in methods
        }

    def value(self, method, measure, repeat):
        gain = self.advantage * (1 + 0.1 * repeat) if "fuzzy" in method or "time" in method else 0.0
        return 0.5 - gain if measure in LOWER else 0.5 + gain


def context(folder, advantage, quick=False):
    return Pretended(Store(folder), quick=quick, advantage=advantage)


@pytest.mark.parametrize(("advantage", "word"), [(0.1, "better"), (-0.1, "worse")])
def test_words_follow_the_records(tmp_path, advantage, word):
    helps, harms, undecided, *rest = conclusions(context(tmp_path, advantage))
    won, lost = (helps, harms) if advantage > 0 else (harms, helps)
    assert lost.endswith("- nowhere")
    for subject in ("imbalance", "class_centre", "residual", "time linear"):
        assert f"the {subject} membership beside" in won
    assert undecided.startswith("In the other 0 of ")
    other = {"better": "worse", "worse": "better"}[word]
    clauses = [clause for text in rest for clause in text.split(". ") if " membership is in " in clause]
    assert len(clauses) > 10
    assert all(f"{word} than" in clause and f"{other} than" not in clause for clause in clauses)


def test_chance_is_told_for_fresh_draws_only(tmp_path):
    (rule,) = [text for text in conclusions(context(tmp_path, 0.0)) if "by chance" in text]
    assert "by chance on fresh draws; more on real data, whose splits share rows" in rule


def test_without_an_advantage_nothing_is_claimed(tmp_path):
    helps, harms, *rest = conclusions(context(tmp_path, 0.0))
    assert helps.endswith("- nowhere")
    assert harms.endswith("- nowhere")
    assert not any("better than the" in text or "worse than the" in text for text in rest)


@pytest.mark.parametrize("quick", [False, True])
def test_every_table_is_made_of_the_listed_experiments(tmp_path, quick):
    listed = {item.name for item in all_experiments(context(tmp_path, 0.1, quick))}
    asked = set()

    @dataclass(frozen=True)
    class Listening(Pretended):
        def collect(self, experiments):
            experiments = list(experiments)
            asked.update(item.name for item in experiments)
            return super().collect(experiments)

    listening = Listening(Store(tmp_path), quick=quick)
    for number, table in TABLES.items():
        made = table(listening)
        assert made.number == number
        assert made.cells
        assert np.isfinite(made.cells[0].ours.mean)
        assert len({(cell.row, cell.measure) for cell in made.cells}) == len(made.cells), number
    conclusions(listening)
    assert asked == listed


def test_a_tally_of_the_table_is_that_of_the_records(tmp_path):
    made = TABLES["6"](context(tmp_path, 0.1))
    row = ("RVM balanced", "real", "noisy", "fuzzy RVM, imbalance")
    counts = {cell.measure: cell.ours.mean for cell in made.cells if cell.row == row}
    assert counts["G-mean: better"] == 6
    assert counts["log loss: better"] == 6
    assert counts["G-mean: worse"] == counts["log loss: same"] == 0
