"""Losses: what is drawn is what the likelihoods compute."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.integrate import trapezoid

from rowtrust.displays import LossDisplay
from rowtrust.likelihoods import (
    EpsilonInsensitive,
    Gaussian,
    HeavyTailed,
    Huber,
    LabelChannel,
    Laplace,
    Logistic,
    SoftInsensitive,
)


class Cauchy(HeavyTailed):
    def log_density(self, target, latent):
        return -np.log(np.pi * (1.0 + (target - latent) ** 2))


def drawn(display):
    return {line.get_label(): line.get_xydata().T for line in display.lines_}


@pytest.mark.parametrize(
    "noise", [Laplace(2.0), Huber(2.0, 0.5), EpsilonInsensitive(2.0, 0.5), SoftInsensitive(2.0, 0.5, 0.5)]
)
def test_soft_insensitive_losses_are_their_own_functions_where_asked(noise):
    residual, loss = drawn(LossDisplay.from_likelihoods({"loss": noise}, span=2.0, scaled=False))["loss"]
    assert (residual.min(), residual.max(), abs(residual).min()) == (-2.0, 2.0, 0.0)
    np.testing.assert_allclose(loss, noise.loss(residual))


def test_all_losses_are_on_one_scale():
    noises = {"weak": Laplace(1.0), "strong": Laplace(5.0), "soft": SoftInsensitive(2.0, 0.5, 0.5)}
    display = LossDisplay.from_likelihoods(noises, span=2.0)
    for name, noise in noises.items():
        residual, loss = drawn(display)[name]
        logs = noise.log_density(residual, np.zeros_like(residual))
        np.testing.assert_allclose(loss, logs.max() - logs, atol=1e-12)
    assert display.losses["strong"][-1] == 5.0 * display.losses["weak"][-1]
    with pytest.raises(ValueError, match="scaled=False is for the soft insensitive family alone"):
        LossDisplay.from_likelihoods({"squares": Gaussian(), "absolute": Laplace(2.0)}, scaled=False)


def test_many_curves_are_told_apart():
    display = LossDisplay.from_likelihoods({f"C {C}": Laplace(float(C)) for C in range(1, 15)})
    looks = {(line.get_color(), str(line._dash_pattern)) for line in display.lines_}
    assert len(looks) == 14


def test_there_must_be_a_loss():
    with pytest.raises(ValueError, match=r"at least one entry, got none\. Give names"):
        LossDisplay.from_predictions([0.0, 1.0], {})
    with pytest.raises(ValueError, match="residual must hold one number per point; got shape"):
        LossDisplay.from_predictions([], {"a": []})


@pytest.mark.parametrize(
    ("noise", "loss"),
    [(Gaussian(4.0), lambda residual: 2.0 * residual**2), (Cauchy(), lambda residual: np.log1p(residual**2))],
)
def test_losses_of_others_are_minus_the_log_density_from_its_peak_on(noise, loss):
    residual, found = drawn(LossDisplay.from_likelihoods({"noise": noise}))["noise"]
    np.testing.assert_allclose(found, loss(residual), atol=1e-12)


def test_classes_are_drawn_over_margins():
    display = LossDisplay.from_likelihoods({"plain": Logistic(), "channel": LabelChannel(0.1, 0.1)}, span=6)
    margin, loss = drawn(display)["plain"]
    np.testing.assert_allclose(loss, np.logaddexp(0.0, -margin))
    assert drawn(display)["channel"][1].max() < -np.log(0.1)
    assert "margin" in display.ax_.get_xlabel()


def test_densities_integrate_to_one():
    noises = {"soft": SoftInsensitive(2.0, 0.5, 0.5), "squares": Gaussian()}
    display = LossDisplay.from_likelihoods(noises, span=12.0, density=True)
    for residual, density in drawn(display).values():
        assert trapezoid(density, residual) == pytest.approx(1.0, abs=1e-3)
    assert display.ax_.get_ylabel() == "density"


def test_zones_are_where_the_soft_loss_changes_its_form():
    noise = SoftInsensitive(2.0, 0.5, 0.5)
    display = LossDisplay.from_likelihoods({"soft": noise, "squares": Gaussian()}, zones=True)
    assert display.zones == [0.25, 0.75]
    assert sorted(line.get_xdata()[0] for line in display.zone_lines_) == [-0.75, -0.25, 0.25, 0.75]
    assert LossDisplay.from_likelihoods({"absolute": Laplace(1.0)}, zones=True).zones == []
    assert LossDisplay.from_likelihoods({"soft": noise}).zone_lines_ == []


def test_numbers_and_axes_that_are_given_are_used():
    axes = Figure().subplots()
    residual = np.array([-1.0, 0.0, 2.0])
    losses = {"a": [1.0, 0.0, 4.0], "b": [0.5, 0.0, 1.0]}
    display = LossDisplay.from_predictions(residual, losses, xlabel="error", ax=axes)
    assert display.ax_ is axes
    assert axes.get_xlabel() == "error"
    np.testing.assert_array_equal(drawn(display)["b"], [residual, losses["b"]])
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b"]
    styles = {(line.get_color(), line.get_linestyle()) for line in display.lines_}
    assert len(styles) == len(display.lines_)


def test_numbers_and_classes_do_not_go_together():
    with pytest.raises(ValueError, match=r"all be of numbers.*got squares, classes\. Draw them in two"):
        LossDisplay.from_likelihoods({"squares": Gaussian(), "classes": Logistic()})
    with pytest.raises(ValueError, match="at least one entry\\. Give names and likelihoods"):
        LossDisplay.from_likelihoods({})
    with pytest.raises(ValueError, match="span must be positive"):
        LossDisplay.from_likelihoods({"squares": Gaussian()}, span=0.0)
    with pytest.raises(ValueError, match="'a' has shape"):
        LossDisplay.from_predictions([0.0, 1.0], {"a": [0.0]})
