"""A machine of this road as the same kind of model that the sparse road makes: for export and audit."""

from __future__ import annotations

import numpy as np

from rowtrust.contracts import Array
from rowtrust.kernels import Basis, Kernel
from rowtrust.likelihoods import SoftInsensitive
from rowtrust.predictive import LEAST_REST, PredictiveModel
from rowtrust.svr.output import OutputMachine
from rowtrust.weights import Unit


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
    found, noise = machine.hyperparameters, machine.best.noise
    return PredictiveModel(
        basis=Basis(
            Kernel(
                "rbf",
                0.5,
                metric=units.spread_out(np.sqrt(prior.relevance) / units.input_scale),
                origin=units.spread_out(units.input_offset),
            ),
            units.spread_out(posterior.vectors * units.input_scale + units.input_offset),
        ),
        coefficients=mean[None, :],
        covariance=scale**2 * form[None, :, :],
        likelihood=SoftInsensitive(found.C, found.epsilon, found.beta),
        weights=Unit(),
        narrowing=scale * root[None, :, :],
        noise=None if noise is None else noise.rescaled(units.target_offset, scale),
    )


def left_out(model: PredictiveModel, X: Array, y: Array) -> tuple[Array, Array]:
    """Return what the other rows say of each: mean and variance of the function, of the first output.

    The posterior is Laplace's: a row has the curvature of its loss at the most probable function, none
    outside the quadratic zones, and pulls with the slope of its loss. Every row counts once.
    """
    likelihood = model.likelihood
    if not isinstance(likelihood, SoftInsensitive):
        raise TypeError(f"expected the likelihood of BayesianSVR, got {type(likelihood).__name__}.")
    mean, variance = (each[:, 0] for each in model.fitted_moments(X, model.covariance))
    residual = y - mean
    pull = likelihood.C * likelihood.derivative(residual)
    rest = np.maximum(1.0 - likelihood.C * likelihood.curvature(residual) * variance, LEAST_REST)
    return mean - variance * pull / rest, variance / rest
