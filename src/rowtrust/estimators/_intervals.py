"""What regressors say of new targets beside mean and deviation: intervals, and log densities."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.utils import check_array

from rowtrust.contracts import Array
from rowtrust.estimators._dask import lazily
from rowtrust.numerics.shown import shown
from rowtrust.predictive.distribution import TargetDistribution


class TargetDistributionMixin:
    """Intervals and log scores from the distribution of new targets."""

    @abstractmethod
    def _distributions(self, X: Any) -> list[TargetDistribution]:
        """Return the distribution of new targets at some rows, one per target."""

    @abstractmethod
    def _shaped(self, columns: list[Array]) -> Array:
        """Return one array a target as the targets of the fit were shaped."""

    @lazily
    def predict_interval(self, X: Any, coverage: float = 0.9) -> tuple[Array, Array]:
        """Return the interval in which a new target lies with a given probability.

        The interval leaves as much below it as above it, by the distribution of function and noise
        together: tails that are heavier than a Gaussian's make it wider at high coverage.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict.
        coverage : float, default=0.9
            Probability of the interval, between 0 and 1.

        Returns
        -------
        lower : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Where the intervals begin.
        upper : ndarray of the same shape
            Where they end.

        Examples
        --------
        >>> from rowtrust import RobustRVR
        >>> from rowtrust.datasets import make_sinc
        >>> X, y = make_sinc(100, random_state=0)
        >>> lower, upper = RobustRVR(gamma=3.0).fit(X, y).predict_interval(X, coverage=0.9)
        >>> bool(0.8 < ((lower < y) & (y < upper)).mean() <= 1.0)
        True
        """
        if not 0.0 < coverage < 1.0:
            raise ValueError(f"coverage must lie between 0 and 1, got {shown(coverage)}.")
        found = self._distributions(X)
        tails = 0.5 * (1.0 - coverage), 0.5 * (1.0 + coverage)
        lower, upper = (self._shaped([each.quantile(level) for each in found]) for level in tails)
        return lower, upper

    def log_score_samples(self, X: Any, y: Any) -> Array:
        """Return the log density of each row's target under the prediction, summed over several targets.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Their targets.

        Returns
        -------
        ndarray of shape (n_samples,)
            In nats: low for a target that the model did not expect.
        """
        found = self._distributions(X)
        targets = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        targets = targets.reshape(len(targets), -1)
        shape = (len(found[0].parts[0].mean), len(found))
        if targets.shape != shape:
            raise ValueError(
                f"y has shape {targets.shape} where {shape} was expected: one row a row of X, and one column "
                "a target of the fit."
            )
        pairs = zip(found, targets.T, strict=True)
        return np.asarray(np.sum([each.log_density(column) for each, column in pairs], axis=0))

    def log_score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the mean log density of the targets under the prediction, in nats a row: higher is better.

        Unlike :meth:`score` it asks for honest error bars too.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Their targets.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts; None: once.

        Returns
        -------
        float
            The mean over rows. It depends on the units of the targets.
        """
        return float(np.average(self.log_score_samples(X, y), weights=sample_weight))
