"""The evidence by Monte Carlo, the printed settings, and the paper's own start."""

import numpy as np
import pytest
from scipy.integrate import quad

from papers.chu import printed
from papers.chu.evidence_words import conclusion
from papers.chu.inside import OneStart, evaluated, theta
from papers.chu.monte_carlo import evidence_once, integrated, small_problem
from papers.chu.protocol import Normalised, machine_of, sinc_once
from papers.chu.published import ARM_ERRORS, ARM_SETTINGS
from rowtrust.datasets import make_sinc

AT = theta(5.0, 0.2, np.array([2.0]), 0.3)


def density(problem, latent):
    return float(np.exp(problem.likelihood.log_density(problem.target, np.array(latent)).sum()))


def test_the_integral_of_one_row_is_that_of_quadrature():
    model = evaluated(np.zeros((1, 1)), np.array([0.7]), AT)
    exact, _ = quad(
        lambda f: density(model.problem, [f]) * np.exp(-0.5 * f**2) / np.sqrt(2 * np.pi),
        -8,
        8,
        points=[0.36, 0.44, 0.56, 0.84, 0.96],
        epsabs=1e-12,
    )
    found = integrated(model, 0)
    assert found.value == pytest.approx(-np.log(exact), abs=0.005)
    assert found.error < 0.005


def test_the_integral_of_two_rows_is_that_of_quadrature():
    X, y = np.array([[0.0], [0.5]]), np.array([0.7, -0.3])
    model = evaluated(X, y, AT)
    inverse = np.linalg.inv(model.problem.matrix.block(np.arange(2)))
    scale = np.sqrt(np.linalg.det(inverse)) / (2 * np.pi)

    line = np.linspace(-4.0, 4.0, 1601)
    latent = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1).reshape(-1, 2)
    likelihood = np.exp(model.problem.likelihood.log_density(y, latent).sum(axis=1))
    prior = scale * np.exp(-0.5 * np.einsum("ni,ij,nj->n", latent, inverse, latent))
    exact = float(np.sum(likelihood * prior)) * (line[1] - line[0]) ** 2
    assert integrated(model, 0).value == pytest.approx(-np.log(exact), abs=0.01)


def test_laplace_is_exact_where_the_noise_is_nearly_gaussian():
    X, y = small_problem(6, 0)
    # Huber's loss with a wide zone is a quadratic loss.
    model = evaluated(X, y, theta(60.0, 3.0, np.array([1.0]), 1.0))
    found = integrated(model, 0)
    assert abs(model.value - found.value) < 0.02
    sharp = evaluated(X, y, theta(5.0, 0.05, np.array([1.0]), 0.01))
    assert sharp.value - integrated(sharp, 0).value > 3.0


def test_a_record_of_the_evidence_and_its_words():
    record = evidence_once(1, None, rows=3, beta=0.3, grid="quick")
    assert len(record["points"]) == 4
    assert record["lost nats"] >= 0.0
    assert all(point["effective"] > 1000 and point["error"] < 0.05 for point in record["points"])
    words = conclusion(
        {(3, 0.3): [record], (3, 1.0): [evidence_once(1, None, rows=3, beta=1.0, grid="quick")]}
    )
    assert "smallest at beta = 1 and largest at beta = 0.3" in words[0]


def test_the_printed_settings_give_the_printed_evidence_and_errors(data_folder, monkeypatch):
    monkeypatch.setattr(printed, "ROUNDINGS", 3)
    record = printed.printed_once(0, str(data_folder))
    for output, settings in ARM_SETTINGS.items():
        assert record[output]["-ln P"] == pytest.approx(settings["-ln P"], abs=3.0)
        assert record[output]["ours"] < settings["-ln P"] - 10.0
        for part in ("set 1", "set 2"):
            _, squared, _, absolute = ARM_ERRORS[f"{part}, {output}"]
            assert record[output][part]["ASE x 1000"] == pytest.approx(squared, rel=0.005)
            assert record[output][part]["AAE"] == pytest.approx(absolute, rel=0.005)


def test_one_random_start_can_collapse_where_the_designed_one_does_not():
    seed = 1494085929
    lost = sinc_once(seed, None, noise=0.0, beta=0.3, start="random")
    found = sinc_once(seed, None, noise=0.0, beta=0.3)
    assert lost["ASE"] > 0.05 > 1e-6 > found["ASE"]
    assert lost["-ln P"] > found["-ln P"] + 100.0
    assert found["C at bound"]
    assert not lost["C at bound"]


def test_a_sinc_record_has_coverage_times_and_ends():
    record = sinc_once(3, None, noise=0.2, beta=0.3, restarts=2)
    assert set(record["coverage"]) == {"0.5", "0.8", "0.9", "0.95"}
    shares = list(record["coverage"].values())
    assert shares == sorted(shares)
    assert len(record["ends"]) == 3
    assert record["ends"][0] == pytest.approx(record["-ln P"])
    assert record["ends"] == sorted(record["ends"])
    assert 0.0 < record["unit time s"] < record["total time s"]
    assert record["nats lost by print"] > 0.0


def test_one_start_agrees_with_the_formula_at_its_end():
    X, y = make_sinc(60, noise=0.1, random_state=2)
    model = Normalised(machine_of("random", 0.3, 5, 0)).fit(X, y)
    assert isinstance(model.machine, OneStart)
    at_end = evaluated(model.X, model.y, model.theta)
    assert model.machine.evidence_ == pytest.approx(-at_end.value, abs=1e-6)
    np.testing.assert_allclose(model.machine.predict(model.X), at_end.predict(model.X), atol=1e-6)
