"""A machine of this road as the same kind of model that the sparse road makes: for export and audit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rowtrust.kernels import Basis, Kernel
from rowtrust.likelihoods import SoftInsensitive
from rowtrust.predictive import PredictiveModel
from rowtrust.svr.output import OutputMachine
from rowtrust.weights import Unit


@dataclass(frozen=True)
class CleanNoise(Unit):
    """Every row counts once; new targets have so many times the likelihood's variance."""

    factor: float

    def widening(self, exponent: float) -> float:
        """Return the factor."""
        return self.factor


def predictive_model(machine: OutputMachine) -> PredictiveModel:
    """Return the best result of a machine as one model in the user's units.

    The mean is linear in kernel values. The variance is the prior's, which the bias column carries, less what
    the rows in a quadratic zone explain.
    """
    posterior, units = machine.best.posterior, machine.units
    prior, scale = posterior.covariance, units.target_scale
    mean = np.append(prior.bias_variance * posterior.dual.sum(), prior.kernel_variance * posterior.dual)
    mean *= scale
    mean[0] += units.target_offset
    narrowing, columns = posterior.variance_root()
    root = np.zeros((len(narrowing), 1 + len(posterior.vectors)))
    root[:, 0] = prior.bias_variance * narrowing.sum(axis=1)
    root[:, 1 + columns] = prior.kernel_variance * narrowing
    form = np.zeros((1 + len(posterior.vectors),) * 2)
    form[0, 0] = prior.variance
    found = machine.hyperparameters
    return PredictiveModel(
        basis=Basis(
            Kernel(
                "rbf",
                0.5,
                scales=units.spread_out(np.sqrt(prior.relevance) / units.input_scale),
                origin=units.spread_out(units.input_offset),
            ),
            units.spread_out(posterior.vectors * units.input_scale + units.input_offset),
        ),
        coefficients=mean[None, :],
        covariance=scale**2 * form[None, :, :],
        likelihood=SoftInsensitive(found.C, found.epsilon, found.beta),
        weights=CleanNoise(machine.best.widening),
        narrowing=scale * root[None, :, :],
    )
