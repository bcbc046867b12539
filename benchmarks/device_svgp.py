"""GPyTorch's sparse variational Gaussian process for classes, as its manual has it: batches and Adam."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import Any

import gpytorch
import numpy as np
import torch
from gpytorch.distributions import MultivariateNormal
from gpytorch.kernels import RBFKernel, ScaleKernel
from gpytorch.likelihoods import BernoulliLikelihood
from gpytorch.means import ConstantMean
from gpytorch.mlls import VariationalELBO
from gpytorch.models import ApproximateGP
from gpytorch.variational import CholeskyVariationalDistribution, VariationalStrategy

LEARNING_RATE = 0.01


class Process(ApproximateGP):
    """A Gaussian process with a length scale for every input, and inducing points that move."""

    def __init__(self, inducing: torch.Tensor) -> None:
        distribution = CholeskyVariationalDistribution(inducing.size(0))
        super().__init__(VariationalStrategy(self, inducing, distribution, learn_inducing_locations=True))
        self.mean_module = ConstantMean()
        self.covar_module = ScaleKernel(RBFKernel(ard_num_dims=inducing.size(1)))

    def forward(self, x: torch.Tensor) -> MultivariateNormal:
        """Return the prior at some inputs."""
        return MultivariateNormal(self.mean_module(x), self.covar_module(x))


def epochs(rows: Any, test: Any, size: int, batch: int) -> Iterator[tuple[float, Any]]:
    """Yield after every epoch the seconds of training so far, and the probabilities of ones at test rows.

    In single precision, as GPyTorch does unless told otherwise.
    """
    torch.manual_seed(0)
    X, y, new = rows.X.float(), rows.given.float(), test.X.float()
    model, likelihood = Process(X[:size].clone()).to(X.device), BernoulliLikelihood().to(X.device)
    bound = VariationalELBO(likelihood, model, num_data=len(y))
    optimiser = torch.optim.Adam([*model.parameters(), *likelihood.parameters()], lr=LEARNING_RATE)
    taken = 0.0
    while True:
        model.train(), likelihood.train()
        finish(X)
        start = perf_counter()
        for chosen in torch.randperm(len(y), device=X.device).split(batch):
            optimiser.zero_grad()
            loss = -bound(model(X[chosen]), y[chosen])
            loss.backward()
            optimiser.step()
        finish(X)
        taken += perf_counter() - start
        yield taken, predicted(model, likelihood, new)


def predicted(model: Process, likelihood: BernoulliLikelihood, X: torch.Tensor) -> Any:
    """Return the probabilities of ones."""
    model.eval(), likelihood.eval()
    with torch.no_grad(), gpytorch.settings.fast_pred_var():
        parts = [likelihood(model(block)).mean for block in X.split(4096)]
    return np.clip(torch.cat(parts).double().cpu().numpy(), 1e-6, 1.0 - 1e-6)


def finish(X: torch.Tensor) -> None:
    """Wait for the card."""
    if X.is_cuda:
        torch.cuda.synchronize()
