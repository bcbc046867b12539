"""Every claim of Chu's paper is there, and mathematics that is broken on purpose is found out."""

import re
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from papers import judging
from papers.chu import earlier_work, formulas, inference_facts, lookups, lookups_data, lookups_real
from papers.chu.claims import CLAIMS, CONCLUSION
from papers.chu.claims_inference import INFERENCE_CLAIMS
from papers.chu.claims_noise import NOISE_CLAIMS
from papers.chu.figures import FIGURES
from papers.chu.starts import PROBLEMS, starts_once
from papers.chu.tables import TABLES
from papers.context import RunContext
from papers.store import Store
from papers.tables import Cell, Number, ResultTable
from rowtrust.likelihoods.soft_insensitive import EpsilonInsensitive, SoftInsensitive
from rowtrust.svr.covariance import GaussianCovariance

TIMED_OR_RECORDED = (
    "Whether Laplace",
    "Inverting",
    "The sparse matrix helps",
    "The advantages of SVR",
    "Support vector classifiers have",
    "Gaussian processes have given",
    "Maximising the evidence",
    "Gradient-based methods",
)
COMPUTED = [
    claim for claim in (*NOISE_CLAIMS, *INFERENCE_CLAIMS) if not claim.says.startswith(TIMED_OR_RECORDED)
]
WHERE = " ".join(claim.where for claim in CLAIMS)


@pytest.fixture
def context(tmp_path):
    return RunContext(Store(tmp_path), quick=True)


def claim_of(where, says=""):
    (found,) = [claim for claim in CLAIMS if claim.where == where and says in claim.says]
    return found


def named_equations():
    found = set()
    for first, last in re.findall(r"\((\d+)\)(?:-\((\d+)\))?", WHERE):
        found |= set(range(int(first), int(last or first) + 1))
    return found


def test_every_equation_table_figure_section_and_footnote_is_named():
    assert named_equations() == set(range(1, 48))
    for kind, last in (("Table", 7), ("Figure", 3)):
        for number in range(1, last + 1):
            assert re.search(rf"{kind} {number}\b", WHERE), f"{kind} {number}"
    sections = ("1", "2.1", "2.2", "2.2.1", "2.2.2", "2.3", "2.3.1", "2.3.2", "2.4", "3.1", "3.1.1", "3.1.3")
    for section in (*sections, "3.2", "3.3", "4.1", "4.2", "4.3", "5"):
        assert re.search(rf"Sect\. {re.escape(section)}(?![.\d]*\d)", WHERE), section
    assert "Abstract" in WHERE
    for footnote in range(1, 8):
        assert f"footnote {footnote}" in WHERE


def test_no_claim_is_told_twice():
    assert max(Counter((claim.where, claim.says) for claim in CLAIMS).values()) == 1


@pytest.mark.parametrize("claim", COMPUTED, ids=lambda claim: claim.where + claim.says[:30])
def test_mathematics_holds(claim, context):
    found = claim.find(context)
    assert found.verdict == "reproduced", found
    assert found.figure


def broken(monkeypatch, target, name, function):
    """Put another function in place of one."""
    original = getattr(target, name)
    if isinstance(original, property):
        monkeypatch.setattr(target, name, property(lambda self: function(original.fget(self))))
    else:
        monkeypatch.setattr(target, name, lambda *given, **named: function(original(*given, **named)))


BREAKS = {
    "loss": (SoftInsensitive, "loss", lambda x: 1.001 * x, "Sect. 2.2, eq. (8)"),
    "corner": (SoftInsensitive, "loss", lambda x: 1.001 * x, "Sect. 2.1, eqs. (5)-(7), Figure 1"),
    "slope": (SoftInsensitive, "derivative", lambda x: 1.001 * x, "Sect. 2.2.1, eq. (9)"),
    "curvature": (SoftInsensitive, "curvature", lambda x: 1.001 * x, "Sect. 2.2.1, eq. (10)"),
    "masses": (SoftInsensitive, "zone_masses", lambda x: (x[0], x[1], 1.001 * x[2]), "Sect. 2.2.2, eq. (12)"),
    "density": (SoftInsensitive, "normaliser", lambda x: 1.001 * x, "Sect. 2.2.2, eq. (11)"),
    "printed Z_D": (formulas, "normaliser", lambda x: 1.001 * x, "Sect. 2.1, eqs. (1)-(4)"),
    "Rayleigh": (formulas, "rayleigh", lambda x: 1.001 * x, "Sect. 2.3.1, eqs. (21)-(22), (24)"),
    "deviation": (SoftInsensitive, "standard_deviation_density", lambda x: x * 1.01, "Sect. 2.3.1, eq. (25)"),
    "weight": (formulas, "mean_weight", lambda x: 1.001 * x, "Sect. 2.3.2, eqs. (26)-(27)"),
    "second": (formulas, "curvature", lambda x: 1.001 * x, "Sect. 2.3.2, eqs. (28)-(30)"),
    "mean": (SoftInsensitive, "mean_density", lambda x: 1.001 * x, "Sect. 2.3.2, eq. (30)"),
    "mixture": (SoftInsensitive, "mixture_density", lambda x: 1.001 * x, "Sect. 2.3.2, eqs. (29), (31)"),
    "both": (SoftInsensitive, "mean_density", lambda x: 1.001 * x, "Sect. 2.3, eqs. (13)-(20)"),
    "Huber": (formulas, "huber_mean_shape", lambda x: x + 1e-3, "Sect. 2.4, eq. (32)"),
    "kernel": (GaussianCovariance, "correlation", lambda x: x**1.001, "Sect. 3.1, eq. (33)"),
    "Pontil": (EpsilonInsensitive, "mean_density", lambda x: 1.001 * x, "Sect. 2.3; Sect. 2.4"),
    "Girosi": (formulas, "laplacian", lambda x: x**4, "Sect. 2.3.1, footnote 1"),
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_formula_is_found_out(name, context, monkeypatch):
    target, function, change, where = BREAKS[name]
    broken(monkeypatch, target, function, change)
    assert claim_of(where).find(context).verdict == "not reproduced"


@pytest.mark.parametrize(
    ("module", "name", "where"),
    [
        ("solve_map", "dual", "Sect. 3.2, eq. (41)"),
        ("solve_map", "latent", "Sect. 3.1.3, eqs. (38)-(39)"),
        ("solve_map", "latent", "Sect. 3.3, eq. (45)"),
        ("solve_map", "objective", "Sect. 3.2, eq. (40)"),
        ("solve_map", "objective", "Sect. 3.3, eq. (46), footnote 2"),
    ],
)
def test_a_wrong_optimum_is_found_out(module, name, where, context, monkeypatch):
    from dataclasses import replace

    from papers.chu import inference_theory as theory

    solve = theory.solve_map
    moved = {"dual": 0.99, "latent": 0.99, "objective": 1.01}[name]

    def wrong(problem):
        solution = solve(problem)
        if name == "objective" and "(46)" in where:
            # A row too many in Sigma_M.
            return replace(solution, quadratic=solution.quadratic[:-1])
        return replace(solution, **{name: moved * getattr(solution, name)})

    monkeypatch.setattr(theory, "solve_map", wrong)
    assert claim_of(where).find(context).verdict == "not reproduced"


def test_wrong_slopes_are_found_out(context, monkeypatch):
    from papers.chu import inference_theory as theory

    value = theory.negative_log_evidence
    monkeypatch.setattr(theory, "negative_log_evidence", lambda *given: 1.001 * value(*given))
    assert claim_of("Sect. 3.3", "Gradients").find(context).verdict == "not reproduced"


def table(*pairs):
    """Return a table of printed zeros beside ours: distances in standard errors of a single run."""
    cells = [
        Cell((f"{place}",), "ASE", Number(distance * np.sqrt(2.0), 1.0, 1), Number(0.0, 1.0, 1), better)
        for place, (distance, better) in enumerate(pairs)
    ]
    return ResultTable("chu", "1", "", ("row",), tuple(cells))


def test_tables_are_judged_by_how_many_numbers_differ():
    same, worse, better = (0.5, "lower"), (5.0, "lower"), (-5.0, "lower")
    assert judging.counted(table(*[same] * 20), "why").verdict == "reproduced"
    found = judging.counted(table(*[same] * 15, *[worse] * 5), "the cause")
    assert (found.verdict, "the cause" in found.reason) == ("in part", True)
    assert "15 within 2 s.e., 0 better, 5 differ" in found.figure
    assert judging.counted(table(*[worse] * 4), "why").verdict == "not reproduced"
    assert judging.counted(table(*[same] * 10, *[better] * 10), "why").verdict == "better"


def test_parts_of_a_claim():
    assert judging.parts_judged({"a": True, "b": False}, "", "why").verdict == "in part"
    assert judging.parts_judged({"a": False}, "", "why").verdict == "not reproduced"


def test_a_descent_ends_at_jumps(monkeypatch):
    found = inference_facts.descends(None)
    assert found.verdict == "in part"
    assert "Fails: beta 0.3." in found.reason
    monkeypatch.setattr(inference_facts, "FLAT", 1e9)
    assert inference_facts.descends(None).verdict == "reproduced"


@pytest.mark.parametrize("name", ["outlier_influence", "smoothness"])
def test_every_virtue_is_asked_for(name, monkeypatch):
    monkeypatch.setattr(inference_facts, name, lambda: (False, "broken"))
    found = inference_facts.virtues(None)
    assert found.verdict == "in part"
    assert "broken" in found.figure


def test_a_tube_too_narrow_to_be_sparse_is_told(monkeypatch):
    monkeypatch.setattr(inference_facts, "LEAST_SPARED", 0.99)
    found = inference_facts.virtues(None)
    assert found.verdict == "in part"
    assert "Fails: sparse." in found.reason
    assert "4% at table 1's of 0.053" in found.figure
    assert not inference_facts.bayes_for_support_vectors()[0]


@pytest.mark.parametrize(("many", "verdict"), [(0.9, "in part"), (0.1, "not reproduced")])
def test_an_order_of_problems_shows_no_more_than_a_part(many, verdict, monkeypatch):
    shares = dict(zip(PROBLEMS, (0.2, 0.2, many, many), strict=True))
    given = {(p, way): [{"apart": shares[p]}] for p in PROBLEMS for way in ("paper", "library")}
    monkeypatch.setattr(lookups_real, "start_records", lambda context: given)
    found = lookups_real.more_minima(None)
    assert found.verdict == verdict
    assert "one shared relevance" in found.reason


def test_several_starts_are_compared(monkeypatch):
    record = {"errors": [1.0, 3.0], "best": 1.0, "mixture": 0.9, "average": 1.0, "apart": 0.0}
    many = [{**record, "mixture": 0.9 + 0.001 * each} for each in range(5)]
    monkeypatch.setattr(lookups_real, "start_records", lambda context: {(p, "paper"): many for p in PROBLEMS})
    assert lookups_real.mixture(SimpleNamespace()).verdict == "reproduced"
    worse = [{**record, "mixture": 1.1 + 0.001 * each} for each in range(5)]
    monkeypatch.setattr(
        lookups_real, "start_records", lambda context: {(p, "paper"): worse for p in PROBLEMS}
    )
    assert lookups_real.mixture(SimpleNamespace()).verdict == "not reproduced"


@pytest.mark.parametrize(
    ("better", "worse", "verdict"),
    [
        (2, 0, "reproduced"),
        (1, 0, "in part"),
        (3, 1, "in part"),
        (1, 1, "not reproduced"),
        (0, 0, "not reproduced"),
    ],
)
def test_half_of_the_problems_must_be_clear(better, worse, verdict):
    found = lookups_real.by_problems(better, worse, 4, "")
    assert found.verdict == verdict
    assert bool(found.reason) == (verdict != "reproduced")
    assert ("Likeliest" in found.reason) == (better == worse == 0)


def test_the_approach_can_fail_to_be_feasible():
    def verdict(*distances):
        return lookups_real.feasible_by(list(table(*((d, "lower") for d in distances)).cells)).verdict

    assert verdict() == "not run"
    assert verdict(*[0.5] * 9, 5.0) == "reproduced"
    assert verdict(0.5, 0.5, 5.0, 5.0) == "in part"
    assert verdict(0.5, 5.0, 5.0) == "not reproduced"


@pytest.mark.parametrize(("spread", "explained"), [(4.0, True), (0.4, False)])
def test_our_splits_tell_what_chance_explains(spread, explained, monkeypatch):
    def record(place):
        kinds = {"linear splines": 7.0 + 0.1 * (place % 3), "Gaussian": 9.0}
        rivals = {f"relevance vectors, {kind}": {"ASE": value} for kind, value in kinds.items()}
        return {lookups_real.OURS: {"ASE": 8.0 + spread * (-1) ** place}, **rivals}

    monkeypatch.setattr(lookups_real, "boston_records", lambda context: [record(p) for p in range(20)])
    found = lookups_real.splits_and_kernel(None)
    assert found.verdict == ("reproduced" if explained else "in part")
    assert ("Our splits vary too little" in found.reason) == (not explained)
    assert "kernels" not in found.reason


@pytest.mark.parametrize(
    ("medians", "spread", "verdict"),
    [
        ((-400, -50, 20, 40), 5.0, "reproduced"),
        ((-400, -50, -51, 40), 5.0, "reproduced"),
        ((-400, -20, -50, 40), 5.0, "not reproduced"),
        ((1, 2, 3, 4), 20.0, "not reproduced"),
    ],
)
def test_confidence_is_judged_by_errors(medians, spread, verdict, monkeypatch):
    centre = dict(zip((0.0, 0.1, 0.2, 0.3), medians, strict=True))
    around = spread * np.linspace(-1.0, 1.0, 21)
    monkeypatch.setattr(lookups, "sinc_values", lambda context, measure, noise: centre[noise] + around)
    assert lookups.confidence(None).verdict == verdict


@pytest.mark.parametrize(("worst", "words"), [(0.02, "No fit failed."), (1.0, "3 fits failed")])
def test_failed_fits_are_named_only_where_there_are_some(worst, words, monkeypatch):
    draws = np.append(0.02 + 0.001 * np.arange(20), worst)
    monkeypatch.setattr(lookups, "sinc_values", lambda context, measure, noise: draws * noise)
    assert words in lookups.squared_error(None).reason


def evidence(gaps, error):
    """Return a context of two problems of three points for every beta; the last has a wild last point."""
    experiments = {(4, beta): SimpleNamespace(name=f"{beta}") for beta in gaps}

    def record(gap, place):
        points = [{"laplace": gap + 0.01 * place, "integral": 0.0, "error": 0.01} for _ in range(2)]
        return {"same point": True, "points": [*points, {"laplace": 90.0, "integral": 0.0, "error": error}]}

    records = {f"{beta}": [record(gap, place) for place in range(2)] for beta, gap in gaps.items()}
    return experiments, SimpleNamespace(collect=lambda asked: records)


@pytest.mark.parametrize(
    ("gaps", "verdict"), [({0.1: 4.0, 1.0: 1.0}, "reproduced"), ({0.1: 1.5, 1.0: 1.0}, "not reproduced")]
)
def test_integrals_that_are_not_known_do_not_count(gaps, verdict, monkeypatch):
    experiments, context = evidence(gaps, error=0.5)
    monkeypatch.setattr(lookups, "evidence_experiments", lambda context: experiments)
    found = lookups.evidence_by_monte_carlo(context)
    assert found.verdict == verdict
    assert "4 of 12 points left out" in found.figure
    assert "0.25 at beta 1" in found.figure


def test_without_any_integral_nothing_is_judged(monkeypatch):
    experiments, context = evidence({0.1: 4.0}, error=np.nan)
    monkeypatch.setattr(lookups, "evidence_experiments", lambda context: experiments)
    monkeypatch.setattr(lookups, "SURE", 0.001)
    assert lookups.evidence_by_monte_carlo(context).verdict == "not run"


def test_starts_end_somewhere():
    record = starts_once(0, None, problem="sinc", restarts=1, way="paper")
    assert record["ends"][0] == 0.0 <= record["ends"][1]
    assert record["best"] == record["errors"][0]
    assert 0 < record["mixture"] < 1


def test_the_conclusion_is_among_the_claims():
    assert set(CONCLUSION) <= set(CLAIMS)


def test_what_shows_a_claim_is_there():
    for claim in CLAIMS:
        for kinds, there in (("tables?", TABLES), ("figures?", FIGURES)):
            for numbers in re.findall(rf"{kinds} ((?:\w+(?:, | and | to )?)+)", claim.shown):
                for number in re.findall(r"\b(?:\d+|[A-E])\b", numbers):
                    assert number in there, claim.shown


def test_a_smooth_curvature_would_be_told(monkeypatch):
    broken(monkeypatch, SoftInsensitive, "curvature", lambda x: 0.0 * x)
    assert not earlier_work.curvature_jumps()[0]


def test_a_quadratic_loss_has_a_closed_form(monkeypatch):
    assert earlier_work.quadratic_violation() < 1e-6
    right = earlier_work.covariance
    monkeypatch.setattr(earlier_work, "covariance", lambda problem: right(problem) + 0.01 * np.eye(12))
    assert earlier_work.quadratic_violation() < 1e-6
    monkeypatch.setattr(earlier_work.np.linalg, "solve", lambda K, y: y / np.diag(K))
    assert earlier_work.quadratic_violation() > 1e-3


def test_support_vector_regression_has_its_advantages(monkeypatch):
    monkeypatch.setattr(earlier_work, "fit_seconds", lambda rows: 1e-6 * rows**2)
    holds, figure = earlier_work.svr_advantages()
    assert holds
    assert "a power of 2.0 of the rows" in figure
    monkeypatch.setattr(earlier_work, "fit_seconds", lambda rows: 1e-9 * rows**3.5)
    assert not earlier_work.svr_advantages()[0]


def test_a_narrow_network_is_not_gaussian(monkeypatch):
    monkeypatch.setattr(earlier_work, "UNITS", (1, 2))
    assert not earlier_work.wide_networks()[0]


def test_an_input_that_matters_is_not_called_irrelevant(monkeypatch):
    monkeypatch.setattr(inference_facts, "IRRELEVANT", 1e-9)
    assert not inference_facts.relevance_found()[0]


@pytest.mark.parametrize(("slow", "holds"), [(0.5, True), (2.0, False)])
def test_many_rows_are_judged_by_their_seconds(slow, holds, monkeypatch):
    monkeypatch.setattr(inference_facts, "LARGE", 200)
    seconds = {0.05: slow, 1.0: 1.0}
    monkeypatch.setattr(inference_facts, "unit_seconds", lambda X, y, theta: seconds[theta.beta])
    found, figure = inference_facts.many_rows()
    assert found == holds
    assert "200 rows of sinc" in figure


@pytest.mark.parametrize(
    ("shape", "splits", "verdict", "words"),
    [
        ((506, 13), 100, "reproduced", ""),
        ((506, 13), 3, "in part", "This run has 3 splits."),
        ((505, 12), 100, "in part", "another one"),
    ],
)
def test_the_housing_data_are_described(shape, splits, verdict, words, monkeypatch):
    prices = np.linspace(5.0, 50.0, shape[0])
    monkeypatch.setattr(lookups_data, "load", lambda name, data: (np.zeros(shape), prices))
    found = lookups_data.boston_data(RunContext(Store("nowhere"), repeats=splits))
    assert found.verdict == verdict
    assert words in found.reason
    assert bool(found.reason) == bool(words)


@pytest.mark.parametrize(
    ("error", "verdict"), [(0.0053, "reproduced"), (0.0056, "in part"), (0.006, "not reproduced")]
)
def test_processes_are_compared_with_networks(error, verdict, monkeypatch):
    records = [{"rivals": {"Gaussian processes of Williams": error}}] * 3
    monkeypatch.setattr(lookups_data, "arm_start_records", lambda context: records)
    assert lookups_data.processes_are_good(None).verdict == verdict


def test_the_beta_at_which_a_measure_is_worst_is_named(monkeypatch):
    def values(context, measure, noise, beta=0.3):
        at = {"ASE x 100": 1.0 + 0.2 * (beta == 0.01), "-ln P": -40.0 - beta, "in M": 100 * beta}
        return np.full(3, at.get(measure, 2.0))

    monkeypatch.setattr(lookups, "sinc_values", values)
    found = lookups.beta_influence(None)
    assert found.verdict == "in part"
    assert "highest at beta 0.01 (1.2; medians C 2, 100 epsilon 2, w 2, rows in Sigma_M 1)" in found.reason
    assert "The smallest beta loses 1.0 nats against the best one" in found.reason
    assert "-ln P is lowest at the smallest beta" in lookups.evidence_behind([-3.0, -2.0])


@pytest.mark.parametrize(
    ("same", "other", "verdict"),
    [(1.0, 3.0, "reproduced"), (1.0, 1.0, "not reproduced"), (3.0, 1.0, "not reproduced")],
)
def test_the_evidence_is_useful_where_it_is_near(same, other, verdict, monkeypatch):
    experiments = {(1, beta): SimpleNamespace(name=f"{beta}") for beta in (0.1, 1.0)}

    def record(gap, agrees, place):
        wild = {"laplace": 90.0, "integral": 0.0, "error": 9.0}
        point = {"laplace": gap + 0.01 * place, "integral": 0.0, "error": 0.01}
        return {"same point": agrees, "points": [point, wild]}

    records = {
        "0.1": [record(same, True, place) for place in range(3)],
        "1.0": [record(other, False, place) for place in range(3)],
    }
    monkeypatch.setattr(lookups_data, "evidence_experiments", lambda context: experiments)
    found = lookups_data.useful_where_laplace_is_good(SimpleNamespace(collect=lambda asked: records))
    assert found.verdict == verdict
    assert f"{same + 0.01:.2f} (s.e. 0.01) in 3 problems" in found.figure
    records["1.0"] = []
    found = lookups_data.useful_where_laplace_is_good(SimpleNamespace(collect=lambda asked: records))
    assert found.verdict == "not run"
