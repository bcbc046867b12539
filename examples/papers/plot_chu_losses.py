"""
Chu, Keerthi and Ong (2001): one loss for all
=============================================

Figures 1 and 2 of the paper: the losses of regression, and the soft insensitive loss that has most of them
as limits. Each loss stands for a kind of noise, whose density is drawn beside it.
"""

import matplotlib.pyplot as plt
import numpy as np

from rowtrust.displays import LossDisplay
from rowtrust.likelihoods import EpsilonInsensitive, Gaussian, Huber, Laplace, SoftInsensitive

# %%
# Quadratic, absolute, Huber's, and Vapnik's insensitive loss; dotted lines mark where a loss changes its
# form.

losses = {
    "quadratic": Gaussian(1.0),
    "absolute (Laplace)": Laplace(1.0),
    "Huber's, epsilon 0.5": Huber(1.0, 0.5),
    "insensitive, epsilon 0.5": EpsilonInsensitive(1.0, 0.5),
}
figure, panels = plt.subplots(2, 2, figsize=(9, 6), sharex=True, sharey=True, layout="constrained")
for ax, (name, likelihood) in zip(panels.flat, losses.items(), strict=True):
    LossDisplay.from_likelihoods({name: likelihood}, zones=True, ax=ax)
    ax.set_title(name)
panels[0, 0].set_ylim(0, 2.5)
for ax in panels[0]:
    ax.set_xlabel("")

# %%
# The soft insensitive loss is flat, then bends, then is straight. ``beta`` says how much of ``epsilon`` is
# for bending: 1 is Huber's loss, towards 0 it becomes Vapnik's.

soft = {f"beta {beta:g}": SoftInsensitive(2.0, 0.5, beta) for beta in (1.0, 0.5, 0.1)}
figure, panels = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
LossDisplay.from_likelihoods(soft, span=1.5, scaled=False, ax=panels[0])
LossDisplay.from_likelihoods(soft, span=1.5, density=True, ax=panels[1])
panels[0].set_title("loss")
panels[1].set_title("density of the noise, C = 2")

# %%
# The limits hold in numbers, and every density has mass one.

residual = np.linspace(-2, 2, 801)
huber = np.abs(SoftInsensitive(2.0, 0.5, 1.0).loss(residual) - Huber(2.0, 0.5).loss(residual)).max()
vapnik = np.abs(
    SoftInsensitive(2.0, 0.5, 1e-6).loss(residual) - EpsilonInsensitive(2.0, 0.5).loss(residual)
).max()
wide = np.linspace(-20, 20, 400_001)
mass = SoftInsensitive(2.0, 0.5, 0.5).density(wide).mean() * 40.0
print(
    f"beta 1 from Huber's {huber:.1e}; beta 1e-6 from Vapnik's {vapnik:.1e}; mass of the density {mass:.6f}"
)

# %%
# **To take away.** One formula with two numbers, ``epsilon`` and ``beta``, covers Huber's, Vapnik's and the
# absolute loss, and is smooth enough for the evidence to learn everything else.
