"""Figures of Hwang & Jeong: what is measured, what titles say of it, and how pictures are written."""

import numpy as np
import pytest
from sklearn.svm import SVC

pytest.importorskip("matplotlib")
from PIL import Image

from papers.context import RunContext
from papers.hwang import measures
from papers.hwang.boundaries import boundary_agreement
from papers.hwang.figures import FIGURES, rank_title
from papers.hwang.machines import COMPARED, PAPER_MACHINES, fitted, rows_of, setting_of
from papers.hwang.sensitivity import MEASURES, sensitivity_agreement
from papers.pictures import canvas, plane, save
from papers.statistics import Comparison
from papers.store import Store
from rowtrust.estimators import RobustRVC


@pytest.fixture(scope="module")
def context(tmp_path_factory):
    return RunContext(Store(tmp_path_factory.mktemp("repeats")), quick=True)


@pytest.fixture
def with_data(tmp_path, data_folder):
    return RunContext(Store(tmp_path, data=str(data_folder)), quick=True)


def test_a_boundary_that_moves_by_half_is_said_to():
    grid = plane(np.array([[-2.0, -2.0], [2.0, 2.0]]), margin=0.0, size=400)
    before, after = grid[0] > 0.0, grid[0] > 0.5
    # Crofton's formula is exact over all directions; a straight line along the grid is its worst case.
    assert measures.boundary_shift(before, after, grid) * np.pi / 4 == pytest.approx(0.5, rel=0.02)
    ring = np.hypot(grid[0], grid[1])
    assert measures.boundary_shift(ring < 1.0, ring < 1.2, grid) == pytest.approx(0.22, rel=0.03)
    assert np.isnan(measures.boundary_shift(ring < 9.0, ring < 1.0, grid))


def test_one_outlier_moves_the_loop_less_than_the_others(context):
    found = measures.figure_1(context)
    gaussian = {machine: found["rbf", machine] for machine in PAPER_MACHINES}
    assert gaussian["RRVM"]["moved"] < 0.5 * min(gaussian["SVM"]["moved"], gaussian["RVM"]["moved"])
    assert gaussian["RRVM"]["shift"] < 0.5 * gaussian["RVM"]["shift"]
    assert gaussian["RRVM"]["pull"] < 0.5 * gaussian["RVM"]["pull"]
    assert [gaussian[machine]["swallowed"] for machine in PAPER_MACHINES] == [1.0, 1.0, 0.0]
    assert gaussian["RRVM"]["trust"] < 0.6 < 0.9 < gaussian["RRVM"]["trust_of_others"]
    assert np.isnan(gaussian["RVM"]["trust"])


def test_other_draws_are_other_rows(context):
    found, again = measures.figure_1(context), measures.figure_1_again(context)
    for key, entry in again.items():
        assert entry["draws"] == measures.QUICK_DRAWS
        assert 0 <= entry["below_both"] <= entry["below_rvm"] <= entry["draws"]
        assert entry["moved"] != found[key]["moved"]
    assert again["rbf", "RVM"]["below_rvm"] == 0
    assert again["linear", "RRVM"]["trust"] < 0.3


def test_the_outlier_loses_weight_while_the_loop_runs(context):
    found = measures.figure_3(context)
    assert found[0]["iteration"] == 1
    assert found[-1]["iteration"] < measures.STEPS[-1]
    assert found[-1]["weight"] < 0.8 * found[0]["weight"]
    assert found[-1]["moved"] < 0.5 * found[0]["moved"]


def test_sensitivities_are_on_the_papers_scale(context, monkeypatch):
    monkeypatch.setattr(measures, "SENSITIVE", {"a": "rbf"})
    found = measures.figure_7(context)
    assert max(found["a", machine]["scaled_largest"] for machine in PAPER_MACHINES) == 1.0
    for entry in found.values():
        assert 0.0 <= entry["mean_on_rows"] <= entry["largest"] <= 1.0
        assert entry["own_scaled_on_rows"] == pytest.approx(entry["scaled_on_rows"] / entry["scaled_largest"])


def test_machines_of_the_comparison_share_the_loops_kernel(context):
    setting = setting_of(context)
    for machine in COMPARED[:-1]:
        model = fitted(setting, "rbf", machine).dirty
        assert (model.kernel, model.gamma) == ("rbf", 0.5)
    assert fitted(setting, "rbf", "RRVM").dirty.solver == "variational"
    assert fitted(setting, "rbf", "default").dirty.solver == "working_set"
    assert fitted(setting, "rbf", "channel").dirty.label_noise == RobustRVC().label_noise == "channel"
    assert fitted(setting, "rbf", COMPARED[-1]).dirty.gamma == "evidence"


def test_vectors_are_coefficients_that_are_not_zero(context):
    setting = setting_of(context)
    rows = rows_of(setting, "rbf")
    loop = fitted(setting, "rbf", "RRVM").dirty
    assert len(measures.vector_rows(loop, rows.dirty.X)) < 0.2 * len(loop.relevance_)
    plain = fitted(setting, "rbf", "RVM").dirty
    assert len(measures.vector_rows(plain, rows.dirty.X)) == plain.dual_coef_.shape[1]
    support = SVC().fit(*rows.dirty)
    assert len(measures.vector_rows(support, rows.dirty.X)) == support.n_support_.sum()


def test_outliers_in_ripleys_data_are_counted(with_data):
    found = measures.figure_4(with_data)
    rows = rows_of(setting_of(with_data), "ripley")
    assert len(rows.test.y) == 1000
    for (machine, state), entry in found.items():
        assert entry["outliers"] == (rows.added.sum() if state == "outliers" else 0)
        assert entry["outliers_among_vectors"] <= entry["outliers"]
        assert entry["vectors"] <= entry["columns"]
        assert 5 < entry["error"] < 25, machine
        assert (entry["moved"] == 0) if state == "clean" else (entry["moved"] < 0.5)
    assert found["RRVM", "outliers"]["trust"] < found["RRVM", "outliers"]["trust_of_others"]
    model = fitted(setting_of(with_data), "ripley", "SVM").dirty
    assert found["SVM", "outliers"]["error"] == pytest.approx(100 - 100 * model.score(*rows.test))


@pytest.mark.parametrize("number", ["1A", "3"])
def test_pictures_without_data_are_drawn(context, number):
    assert len(FIGURES[number].draw(context).axes) >= 8


@pytest.mark.parametrize("number", ["4", "4A", "7", "7A"])
def test_pictures_of_ripleys_data_are_drawn(with_data, number):
    figure = FIGURES[number].draw(with_data)
    figure.draw_without_rendering()
    titles = [axes.get_title() for axes in figure.axes]
    wanted = {"4": "error", "4A": "P(wrong)", "7": "certainty", "7A": "channel, own kernels"}[number]
    assert any(wanted in title for title in titles)


def test_every_picture_says_how_to_read_it():
    assert {"1", "1A", "2", "3", "4", "4A", "5", "5A", "6", "6A", "7", "7A"} <= set(FIGURES)
    for picture in FIGURES.values():
        assert picture.notes
        assert all(note.endswith(".") for note in picture.notes)


@pytest.mark.parametrize(
    ("rank", "words"), [(1.2, "ERR: as in"), (1.6, "ERR: not as in"), (2.9, "ERR: not as")]
)
def test_ranks_agree_where_the_robust_machine_leads_by_the_critical_difference(rank, words):
    found = Comparison(np.array([4.5, 3.9, 2.8, 2.1, rank]), 1.0, 1e-5, np.ones((5, 5)), 0.7, 50)
    assert rank_title("ERR", found, ("1-NN", "k-NN", "SVM", "RVC", "RobustRVC")).startswith(words)


def test_agreement_of_boundaries_and_sensitivities_is_computed():
    def moved(robust):
        entry = {"trust": 0.3, "trust_of_others": 0.9}
        shares = dict(zip(PAPER_MACHINES, (0.1, 0.2, robust), strict=True))
        return {(name, "outliers"): {**entry, "moved": share} for name, share in shares.items()}

    assert "plane: as in the paper" in boundary_agreement(moved(0.05))
    assert "plane: not as in the paper" in boundary_agreement(moved(0.15))
    found = {("a", machine): dict.fromkeys(MEASURES, 0.5) for machine in PAPER_MACHINES}
    assert "0 of 4 measures, not as" in sensitivity_agreement(found, "a")
    found["a", "RRVM"] = dict.fromkeys(MEASURES, 0.4)
    assert "4 of 4 measures, as in" in sensitivity_agreement(found, "a")


def test_a_written_picture_is_small_and_carries_its_words(tmp_path):
    figure = canvas(4, 3)
    figure.subplots().plot([0, 1], [0, 1])
    figure.savefig(tmp_path / "large.png", dpi=100)
    save(figure, tmp_path / "small", 100, {"Description": "where it came from"})
    with Image.open(tmp_path / "small") as picture:
        assert picture.size == (400, 300)
        assert picture.mode == "P"
        assert picture.info["Description"] == "where it came from"
    assert (tmp_path / "small").stat().st_size < 0.7 * (tmp_path / "large.png").stat().st_size
