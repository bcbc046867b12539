"""A machine of this road as the same kind of model that the sparse road makes: for export and audit."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular

from rowtrust.kernels import Basis, Kernel
from rowtrust.likelihoods import SoftInsensitive
from rowtrust.predictive import PredictiveModel
from rowtrust.svr.output import OutputMachine
from rowtrust.weights import Unit


def predictive_model(machine: OutputMachine) -> PredictiveModel:
    """Return the best result of a machine as one model in the user's units.

    The mean is linear in kernel values. The variance is the prior's less what the rows in a quadratic zone
    explain: a quadratic form in the same values, of which the bias column carries the prior's part.
    """
    posterior, units = machine.best.posterior, machine.units
    prior, scale = posterior.covariance, units.target_scale
    mean = np.append(prior.bias_variance * posterior.dual.sum(), prior.kernel_variance * posterior.dual)
    mean *= scale
    mean[0] += units.target_offset
    cross = np.zeros((len(posterior.quadratic), 1 + len(posterior.vectors)))
    cross[:, 0] = prior.bias_variance
    cross[np.arange(len(cross)), 1 + posterior.quadratic] = prior.kernel_variance
    root = solve_triangular(posterior.factor, cross, lower=True) if len(cross) else cross
    form = -(root.T @ root)
    form[0, 0] += prior.variance
    found = machine.hyperparameters
    return PredictiveModel(
        basis=Basis(
            Kernel("rbf", 0.5, scales=np.sqrt(prior.relevance) / units.input_scale),
            posterior.vectors * units.input_scale + units.input_offset,
        ),
        coefficients=mean[None, :],
        covariance=scale**2 * form[None, :, :],
        likelihood=SoftInsensitive(found.C, found.epsilon, found.beta),
        weights=Unit(),
    )
