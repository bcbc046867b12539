"""The tables of Chu, Keerthi & Ong from made-up records: what is judged by what, and what the notes say."""

import numpy as np
import pytest

from papers.chu import lookups_real, our_tables, plan, published, reasons, tables
from papers.chu.plan import START_NAMES, all_experiments
from papers.context import RunContext
from papers.experiments import Experiment
from papers.store import Store
from papers.tables import Cell, Number


def sinc_record(ase=0.01, **changes):
    usual = {"C": 6.0, "epsilon": 20.0, "w": 6.0, "-ln P": -40.0, "in M": 30, "AAE": 0.08, "ASE": ase}
    usual |= {
        "ASE x 100": 100 * ase,
        "C at bound": False,
        "explained": 0.9,
        "nats lost by print": 5.0,
        "ends": [-40.0, -38.0],
    }
    return {**usual, "coverage": dict.fromkeys(("0.5", "0.8", "0.9", "0.95"), 0.8), "seconds": 1.0, **changes}


def arm_record(shift=0.0):
    settings = {
        output: {**row, "-ln P": row["-ln P"] - 20.0 + shift, "unit time s": 0.01, "total time s": 1.0}
        for output, row in published.ARM_SETTINGS.items()
    }
    errors = {
        place: dict(zip(published.ARM_COLUMNS, (row[0], row[1] * (1 + 0.01 * shift), *row[2:]), strict=True))
        for place, row in published.ARM_ERRORS.items()
    }
    rivals = {"Gaussian processes of Williams": 0.0053 + 1e-5 * shift}
    coverage = {output: {"0.5": 0.5, "0.8": 0.8, "0.9": 0.9, "0.95": 0.95} for output in settings}
    return {"settings": settings, "errors": errors, "rivals": rivals, "coverage": coverage, "seconds": 1.0}


class MadeUp(RunContext):
    """A context whose records are made up by the names of the experiments."""

    def collect(self, experiments):
        return {
            experiment.name: [
                made_up(experiment, place) for place in range(1 if "printed" in experiment.name else 20)
            ]
            for experiment in experiments
        }


def made_up(experiment: Experiment, place: int):
    noise = float(np.random.default_rng(place).normal())
    if experiment.name.startswith("chu-sinc"):
        collapsed = "random" in experiment.name and "noise-0-" in experiment.name and place == 7
        if collapsed:
            return sinc_record(0.13, w=1e-4, **{"-ln P": 90.0})
        return sinc_record(0.01 * np.exp(0.05 * noise), **{"-ln P": -40.0 + noise})
    if experiment.name == "chu-arm-printed":
        return printed_record()
    return arm_record(noise)


def printed_record(factor=1.0, nats=0.0, rounding=0.5):
    """Return what the printed settings give: the printed errors times a factor, some nats off for y2."""
    found = {}
    for output, row in published.ARM_SETTINGS.items():
        value = row["-ln P"] + (nats if output == "y2" else 0.0)
        found[output] = {
            "-ln P": value,
            "one row": 0.8,
            "rounded": [value - rounding, value + 0.1 * rounding],
            "wider": {"1": value, "2": value - 3.0},
            "ours": value - 20.0,
        }
        for part in ("set 1", "set 2"):
            errors = dict(zip(published.ARM_COLUMNS, published.ARM_ERRORS[f"{part}, {output}"], strict=True))
            found[output][part] = {name: factor * errors[name] for name in ("ASE x 1000", "AAE")}
    return found


@pytest.fixture
def context(tmp_path):
    return MadeUp(Store(tmp_path))


def cells_of(table, measure):
    return {cell.row: cell for cell in table.cells if cell.measure == measure}


def test_a_collapsed_draw_is_counted_told_and_judged(context):
    table = tables.table_1(context)
    failed = cells_of(table, "failed repeats")
    assert failed["0", START_NAMES["random"]].ours.mean == 1
    assert failed["0", START_NAMES[""]].ours.mean == 0
    errors = cells_of(table, "ASE")
    assert errors["0", START_NAMES["random"]].verdict == "worse"
    assert cells_of(table, "ASE, worst")["0", START_NAMES["random"]].ours.mean == 0.13
    told = " ".join(table.notes)
    assert "noise 0, one random start, draw 7: w = 0.0001" in told
    assert "In 1 of 1 the best of five starts has more evidence" in told
    flat = [sinc_record(0.04)] * 19 + [sinc_record(0.17, explained=-0.01)]
    assert (
        Number.of(record["ASE"] for record in [*flat[:10], *(sinc_record(0.05),) * 9, flat[-1]]).failed(
            "lower"
        )
        == 0
    )
    assert reasons.failed_places(flat) == [19]
    assert "draw 7" not in reasons.on_collapses({(0.0, ""): [sinc_record()] * 20}, START_NAMES)


def test_the_robot_arm_can_fail(context):
    table = tables.table_4(context)
    assert all(cell.verdict == "same" for cell in cells_of(table, "ASE x 1000").values() if cell.paper)
    assert all(cell.verdict == "same" for cell in cells_of(table, "ASN x 1000").values())
    wrong = Cell(("set 1",), "ASE", Number.of([2.6 + 1e-3 * place for place in range(20)]), Number(2.5092))
    assert wrong.verdict == "worse"
    evidence = cells_of(tables.table_3(context), "-ln P")
    assert evidence["y1", START_NAMES["random"]].verdict == "better"
    assert "Even our worst start" in reasons.on_arm_settings([arm_record(0.1)] * 3)
    assert "Some starts end" in reasons.on_arm_settings([arm_record(0.1), arm_record(50.0)])


@pytest.mark.parametrize(
    ("record", "errors", "evidence"),
    [
        (printed_record(), "rows are the paper's", "no more than rounding"),
        (
            printed_record(nats=2.9),
            "rows are the paper's",
            "+2.90 nats of y2 (rounding: 0.50): not explained",
        ),
        (printed_record(1.02), "something of formula, units or rows is another", "no more than rounding"),
    ],
)
def test_words_on_the_printed_settings_follow_the_record(record, errors, evidence, context, monkeypatch):
    monkeypatch.setattr(our_tables, "records_of", lambda *given: [record])
    monkeypatch.setattr(lookups_real, "records_of", lambda *given: [record])
    _, note = our_tables.table_a(context).notes
    assert errors in note
    assert evidence in note
    assert ("A guess:" in note) == ("not explained" in evidence)
    found = lookups_real.printed_settings(context)
    assert (found.verdict == "reproduced") == ("paper's" in errors and "no more" in evidence)
    assert found.verdict == "reproduced" or note in found.reason


def test_words_on_the_arm_s_errors_follow_the_printed_settings(context, monkeypatch):
    assert "the printed ones give the printed errors" in tables.table_4(context).notes[-1]
    monkeypatch.setattr(tables, "records_of", lambda *given: [printed_record(1.02)])
    assert "do not give the printed errors either" in tables.table_4(context).notes[-1]


@pytest.mark.parametrize(
    ("epsilon", "rows", "words"),
    [
        (20.0, 60, "likeliest reason"),
        (1.0, 60, "not the zone's width alone"),
        (20.0, 1, "more rows lie in the zone at 0."),
    ],
)
def test_rows_in_the_zone_are_explained_only_by_a_larger_epsilon(epsilon, rows, words):
    records = {beta: [sinc_record(epsilon=epsilon, **{"in M": rows})] * 3 for beta in published.SINC_BY_BETA}
    assert words in reasons.on_rows_in_the_zone(records)


def test_failed_repeats_of_all_measures_are_put_together():
    steady = [{"ASE": 1.0 + 0.01 * place, "AAE": 1.0 + 0.01 * place} for place in range(20)]
    steady[3]["ASE"] = 50.0
    steady[3]["AAE"] = 50.0
    steady[11]["AAE"] = 50.0
    steady[7]["ASE"] = 50.0
    assert tables.failed_by_any(steady, ("ASE", "AAE")) == {3, 7, 11}
    assert tables.failures(("row",), steady, ("ASE", "AAE")).ours.mean == 3


def test_every_method_of_table_5_says_whether_it_was_run(context):
    rows = {cell.row for cell in tables.table_5(context).cells}
    assert dict(rows)["Bayesian SVR"] == "run again"
    assert dict(rows)["hybrid Monte Carlo, three runs"] == "quoted, not run"
    assert {row[0] for row in rows} == set(published.ARM_METHODS)


def test_printed_numbers_among_fresh_draws(context):
    cells = our_tables.table_d(context).cells
    shares = [cell.ours.mean for cell in cells if cell.measure == "fresh below the print"]
    assert len(shares) == 10 + 24
    assert all(0.0 <= share <= 100.0 for share in shares)


def test_coverage_is_told_by_standard_errors():
    off = [(-5.0, 1.0, "narrow", 0.9), (0.5, 1.0, "right", 0.9), (9.0, 1.0, "wide", 0.5)]
    told = our_tables.on_coverage(off)
    assert "too few inside: narrow 90 %;" in told
    assert "too many: wide 50 %;" in told
    assert our_tables.standard_error([40.0, 60.0]) == pytest.approx(10.0)


@pytest.mark.parametrize(
    ("usual", "other", "words"),
    [(9.0, 6.0, "likeliest reason"), (9.0, 8.9, "in part at most"), (7.0, 6.0, "no higher than the print")],
)
def test_reasons_of_rivals_follow_the_records(usual, other, words):
    method = "relevance vectors, linear splines"
    records = [{f"{method}: as in table 7": usual, f"{method}: otherwise": other, "seconds": 1.0}]
    assert words in reasons.on_variants(method, records, published.BOSTON_METHODS)


def test_all_experiments_are_named_once_and_share_their_draws(context):
    names = [experiment.name for experiment in all_experiments(context)]
    assert len(names) == len(set(names))
    sinc = [plan.sinc_experiment(context, 0.0, 0.3, start) for start in START_NAMES]
    assert len({experiment.seed(0, 3) for experiment in sinc}) == 1
    boston, variants = plan.boston_experiment(context), plan.variants_experiment(context)
    assert boston.seed(0, 5) == variants.seed(0, 5)


def test_printed_settings_of_sinc():
    assert published.sinc_settings(0.2, 0.3) == (3.698, 6.8955, 6.57)
    assert published.sinc_settings(0.1, 0.7) == (5.63, 2.60, 5.46)
