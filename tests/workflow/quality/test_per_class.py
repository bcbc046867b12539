"""Each class against the others: the clinician's table."""

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn import metrics

from rowtrust.workflow.quality import per_class

GENERATOR = np.random.default_rng(0)
CLASSES = np.array(["a", "b", "c"])
LABEL = GENERATOR.integers(3, size=120)
PROBABILITY = GENERATOR.dirichlet(np.ones(3), 120) + 0.5 * np.eye(3)[LABEL]
TABLES = per_class.class_tables(PROBABILITY, LABEL, CLASSES, np.array([7, 8, 9]))


def test_the_table_matches_scikit_learn():
    best = PROBABILITY.argmax(axis=1)
    counts = metrics.multilabel_confusion_matrix(LABEL, best)
    precision, recall, f1, support = metrics.precision_recall_fscore_support(LABEL, best)
    for number, each in enumerate(TABLES):
        assert each.name == "abc"[number]
        assert each.n_train == 7 + number
        assert each.n_judged == support[number]
        found = [[each.true_negative, each.false_positive], [each.false_negative, each.true_positive]]
        np.testing.assert_array_equal(found, counts[number])
        assert each.figures["sensitivity"].value == pytest.approx(recall[number])
        assert each.figures["positive predictive value"].value == pytest.approx(precision[number])
        assert each.figures["F1"].value == pytest.approx(f1[number])
        negative, false_positive = counts[number][0]
        assert each.figures["specificity"].value == pytest.approx(negative / (negative + false_positive))
        told_others = negative + counts[number][1][0]
        assert each.figures["negative predictive value"].value == pytest.approx(negative / told_others)


def test_intervals_are_exact():
    table = TABLES[0]
    exact = binomtest(table.true_positive, table.n_judged).proportion_ci(0.9, method="exact")
    assert (table.figures["sensitivity"].lower, table.figures["sensitivity"].upper) == pytest.approx(
        (exact.low, exact.high)
    )
    assert table.figures["F1"].lower < table.figures["F1"].value < table.figures["F1"].upper
    assert [each.name for each in table.figures.values()] == list(table.figures)


def test_f1_is_held_as_often_as_said():
    """Rows both told and true are a share of those that are either: F1 is a function of it."""
    generator = np.random.default_rng(0)
    held = 0
    for _ in range(200):
        truly, right = generator.random(150) < 0.3, generator.random(150) < 0.85
        table = per_class.class_table("a", np.where(right, truly, ~truly), truly, 0, True, None)
        truth = 2 * 0.3 * 0.85 / (2 * 0.3 * 0.85 + 0.15)
        held += table.figures["F1"].lower <= truth <= table.figures["F1"].upper
    assert held >= 168


def test_what_cannot_be_divided_is_not_given():
    never = per_class.class_table("a", np.zeros(9, dtype=bool), np.zeros(9, dtype=bool), 1, False, None)
    assert (
        never.figures["sensitivity"]
        is never.figures["positive predictive value"]
        is never.figures["F1"]
        is None
    )
    assert never.figures["specificity"].value == 1.0
    assert never.figures["specificity"].lower < 1.0


@pytest.mark.parametrize(
    ("classes", "counts", "positive"),
    [
        (["no", "yes"], [5, 90], 1),
        (["case", "control"], [90, 5], 0),
        (["0", "1"], [5, 90], 1),
        (["benign", "malignant"], [90, 5], 1),
        (["lost", "won"], [5, 90], 0),
        (["lost", "won"], [5, 5], 1),
        (["healthy", "ill"], [5, 90], 1),
        (["a", "b", "c"], [1, 2, 3], None),
    ],
)
def test_the_positive_class_is_named_so_or_rare(classes, counts, positive):
    assert per_class.positive_class(np.array(classes), np.array(counts)) == positive


def test_two_classes_have_one_curve_and_three_have_three():
    three = per_class.all_curves(PROBABILITY, LABEL, TABLES)
    assert [each.name for each in three] == ["a", "b", "c"]
    for number, each in enumerate(three):
        assert each.area.value == pytest.approx(
            metrics.roc_auc_score(number == LABEL, PROBABILITY[:, number])
        )
    label = (LABEL == 0).astype(int)
    probability = np.stack([1 - PROBABILITY[:, 0], PROBABILITY[:, 0]], axis=1)
    tables = per_class.class_tables(probability, label, np.array(["bad", "good"]), np.array([5, 9]))
    (only,) = per_class.all_curves(probability, label, tables)
    assert only.name == "bad"


def test_too_few_rows_of_a_class_are_said_by_name():
    assert per_class.too_few(TABLES) == []
    classes = np.array([0, 1])
    rare = per_class.class_tables(PROBABILITY[:, :2], (np.arange(120) == 3) + 0, classes, np.array([9, 9]))
    (remark,) = per_class.too_few(rare)
    assert "Too few judged rows of class '1' (1)" in remark
    assert "np." not in remark
