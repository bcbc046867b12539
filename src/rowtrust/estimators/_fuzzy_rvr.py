"""Fuzzy regression: a membership per row, known before the fit, weights its error term."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from rowtrust.contracts import Array
from rowtrust.estimators._memberships import (
    MEMBERSHIP_CONSTRAINTS,
    known_membership,
    missing_noise,
    widened,
    with_memberships,
)
from rowtrust.estimators._regressor import BaseRegressor
from rowtrust.likelihoods import Gaussian
from rowtrust.predictive import PredictiveModel
from rowtrust.search import Average, FitPlan, TrainingRows
from rowtrust.search.fits import Reporter


class FuzzyRVR(BaseRegressor):
    """Fuzzy relevance vector regressor (Li et al. 2008).

    Each row's error term is weighted by a membership between 0 and 1 that is computed before the fit:
    from its residual under a plain fit, its age, or by the user.

    Parameters
    ----------
    kernel : str, kernel object or callable, default="auto"
        "auto" averages Gaussian, Laplacian and linear kernels of several widths, on inputs stretched by how
        much the function changes with them: no kernel to choose. With a number or "scale" as ``gamma``, or
        with sparse X, it is "rbf". By name: "rbf", "laplacian", "polynomial", "linear" or "precomputed".
        A kernel object is one of ``sklearn.gaussian_process.kernels``, or a sum or product of them; with
        :class:`rowtrust.kernels.OnColumns` also a sum over groups of inputs. Its free hyperparameters are
        learnt within their bounds, starting from where they stand and from length scales up to four times
        longer and shorter; those with the bounds "fixed" stay. A factor on the whole kernel says nothing
        here, as the coefficients take it up, and white noise is ignored.
        A callable is called as ``kernel(X, Y)`` and returns one row per row of X and one column per row
        of Y. It need not be positive definite.
    gamma : "evidence", "scale" or float, default="evidence"
        Inverse squared width of the rbf kernel, inverse width of the laplacian one, in units of the scaled
        inputs (see ``scaling``). "evidence" lets the data choose: of one kernel's eight widths the average
        weighted by their evidence, of all families with "auto". "scale" is one over the sum of the features'
        variances (rbf) or deviations (laplacian), and one fit. A kernel object has its own
        length scales: "evidence" learns its hyperparameters, anything else uses it as it is.
    scaling : "robust" or None, default="robust"
        "robust" moves every column by its mean and divides it by its standard deviation, after values far
        outside of the middle nine tenths were clipped for that (constant columns are not divided, sparse
        ones not moved). Kernel objects and callables see scaled inputs, and ``gamma`` is in
        their units; everything told is in the user's. None takes the inputs as they are.
    length_scales : None or "learnt", default=None
        "learnt" gives every input its own scale (rbf kernel, dense inputs): evidence gradients and the
        solver alternate. ``feature_relevance_`` is the result; inputs of no use are switched off.
    degree, coef0 : float, default=3 and 1.0
        Of the polynomial kernel ``(gamma <x, c> + coef0) ** degree``.
    basis : "auto", None, int or array-like of shape (n_centres, n_features), default="auto"
        Where basis functions may stand. None: on every distinct training row. An int: on that many
        landmarks, all rows if there are fewer. "auto": on every row up to 3000, beyond on 1000 landmarks,
        which a ``LandmarksWarning`` tells. An array: on these centres (column numbers of the kernel
        matrix if it is precomputed).
    landmarks : {"stratified", "kmeans++"}, default="stratified"
        How an int ``basis`` is drawn: at random, in proportion over classes or targets, or spread over
        the inputs.
    sparsity : float, default=0.01
        After averaging, the model is projected onto as few vectors as say the same: their function may differ
        by this, in the mean square over the rows and in units of the likelihood's curvature. 0 keeps all.
    membership : str, Membership, callable or array-like of shape (n_samples,), default="residual"
        A name from ``rowtrust.memberships.MEMBERSHIPS`` that needs no classes, an instance from
        that module with its own settings, a callable ``membership(X, y)``, or the memberships
        themselves, all in (0, 1].
    normalise_membership : bool, default=True
        Whether to scale the memberships to mean one.
    missing : "expected" or None, default="expected"
        What to do with NaN in X. "expected" takes the values that a row has as evidence of those that it
        lacks, by a Gaussian of the training columns: kernels "rbf" and "laplacian" are averaged over what
        they may be; other kernels, and learnt length scales, take their means. Rows without NaN are not
        touched, and a column without any value counts for nothing. None refuses NaN, as does
        kernel="precomputed" and sparse X.
    solver : {"working_set", "variational"}, default="working_set"
        "working_set" is fast and sparse. "variational" is the loop of Hwang & Jeong (2015), which keeps
        every column, so that all are relevant, and costs O(n^3) a step: a reference for small data.
    max_iter : int, default=1000
        Steps after which the solver stops with a ``ConvergenceWarning``.
    tol : float, default=2e-3
        The fit ends when it expects to gain fewer nats of the lower bound than this with the vectors it has,
        judged by the last two steps. A vector that would gain less than a hundred times as much is not
        taken in. With ``solver="variational"``: the gain of a step below which it is the last.
    kernel_dtype : {"float64", "float32"}, default="float64"
        Precision of the kernels where rows are many, beyond 20000: "float32" saves about a fifth of the time
        that a reading of them takes. What is added up over rows is in double precision.
    n_jobs : int, default=None
        Widths and outputs that are fitted at the same time, in processes of their own, as in scikit-learn.
        ``None`` means one. The answer is the same.
    random_state : int, RandomState instance or None, default=None
        Of the landmarks, and of the columns that are looked at first where there are many.

    Attributes
    ----------
    estimators_ : list
        One fitted machine a target, if ``y`` had two axes. Then ``predictive_model_`` is None, numbers such
        as ``noise_variance_`` and ``gamma_`` are arrays over targets, ``relevance_`` are the rows that any of
        the machines keeps, ``sample_trust_`` is the smallest over targets, and all else is in the machines.
    noise_precision_ : float
        Inverse variance of Gaussian noise (of a row with weight one); None for other noise.
    noise_variance_ : float
        Variance of the noise in error bars. Where the noise has heavy tails it is that of the Gaussian with
        the same 95 % interval.
    relevance_ : ndarray of shape (n_relevance,)
        Positions of the relevance vectors among the training rows (or among the centres given).
    relevance_vectors_ : ndarray or sparse matrix of shape (n_relevance, n_features)
        Their inputs; for a precomputed kernel their positions.
    dual_coef_ : ndarray of shape (n_outputs, n_relevance)
        Posterior means of the coefficients; one output, or one per class if there are three or more.
    intercept_ : ndarray of shape (n_outputs,)
        Posterior means of the intercepts.
    covariance_ : ndarray of shape (n_outputs, 1 + n_relevance, 1 + n_relevance)
        Covariance of intercept and coefficients: the linear response of the fit, wider than the variational
        posterior's (``solver="variational"`` has that).
    weight_precision_ : ndarray of shape (n_outputs, n_relevance)
        Prior precisions of the coefficients (the papers' alpha); infinite where an output has none.
    intercept_precision_ : ndarray of shape (n_outputs,)
        Prior precisions of the intercepts; where widths are averaged, the average of theirs.
    gamma_ : float
        The width, as the kernel says it, of the member that has the most evidence.
    kernel_ : str, kernel object or callable
        The kernel with the most evidence; a kernel object has its learnt hyperparameters.
    feature_relevance_ : ndarray of shape (n_features,) or None
        Learnt relevance of each input, the ``w`` of ``exp(-sum_l w_l (x_l - c_l)**2 / 2)``, in the user's
        units; None where the best kernel treats all inputs alike.
    gamma_share_ : dict
        How much each width counts in the average; one width counts 1.
    kernel_share_ : dict
        How much the kernels of each name count.
    scale_ : ndarray of shape (n_features,) or None
        What each input was divided by.
    relevance_gamma_ : ndarray of shape (n_relevance,)
        The inverse squared width of each relevance vector's basis function. A row may stand there several
        times, in several widths.
    sample_trust_ : ndarray of shape (n_samples,)
        Expected weight of each training row, the smallest over outputs; 0 for rows of sample weight 0. It
        lies between 0 and 1: a row that RobustRVR finds nearer than expected is told as 1.
    lower_bound_ : float
        Lower bound on the log evidence, summed over outputs. Bounds compare fits by one solver only: that
        of "variational" carries the prior of every column's precision, that of "working_set" none.
    lower_bounds_ : ndarray, or list of ndarrays if there are several outputs
        Its trace over the steps.
    n_iter_ : int
        Steps of the solver, the most over outputs.
    prior_mean_, prior_variance_ : ndarrays of shape (n_outputs,), or None
        Moments of the latent functions far from all data: their average and variance over the training rows,
        or for classes the mean whose probabilities are the class rates. None for kernels that do not depend
        on distance alone, or do not settle far away ("linear", "polynomial", "precomputed", callables,
        kernel objects that are not stationary or periodic): there the model says whatever its kernel says.
    anchors_ : ndarray or sparse matrix of shape (n_anchors, n_features), or None
        Training rows, at most 256 of 10000, that say where the data are. Up to two widths from the data
        the mean is that of the fit; over the next two it lets go of it for the prior. The variance of a
        regression grows from the first step.
    anchor_gamma_ : float or None
        The inverse squared width in which distances from the data count: the geometric mean of the widths in
        the average, or a wider one where so few anchors could not stand for all rows.
    anchor_reach_, anchor_slack_, anchor_whitener_ : float, float, ndarray, or None
        How far, in widths, a training row may be from its nearest anchor; how little the anchors may explain
        of it; and what turns kernel values into explained shares (regressors).
    predictive_model_ : PredictiveModel
        The fitted model as one object, from which predictions, audits and exports are made.

    See Also
    --------
    RVR : Where all rows are to be believed alike.
    RobustRVR : Where targets may be wrong and nobody knows which.
    FuzzyRVC : The same for classes.
    rowtrust.memberships : What a membership may be, and how to write one.

    References
    ----------
    D.-F. Li, W.-C. Hu, W. Xiong and J.-B. Yang (2008). Fuzzy relevance vector machine for learning from
    unbalanced data and noise. Pattern Recognition Letters 29.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust import FuzzyRVR
    >>> from rowtrust.datasets import make_sinc
    >>> X, y = make_sinc(100, random_state=0)
    >>> y[:50] += 1.0  # the older half is of an instrument that was out of order
    >>> doubt = np.where(np.arange(100) < 50, 0.01, 1.0)
    >>> model = FuzzyRVR(gamma=3.0, membership=doubt).fit(X, y)
    >>> bool(abs(model.predict([[0.0]])[0] - 1.0) < 0.2)
    True
    """

    _travels = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseRegressor._parameter_constraints,
        **MEMBERSHIP_CONSTRAINTS,
    }

    def __init__(
        self,
        *,
        kernel: Any = "auto",
        gamma: Any = "evidence",
        scaling: Any = "robust",
        length_scales: Any = None,
        degree: float = 3,
        coef0: float = 1.0,
        basis: Any = "auto",
        landmarks: str = "stratified",
        sparsity: float = 1e-2,
        membership: Any = "residual",
        normalise_membership: bool = True,
        missing: str | None = "expected",
        solver: str = "working_set",
        max_iter: int = 1000,
        tol: float = 2e-3,
        kernel_dtype: str = "float64",
        n_jobs: Any = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            kernel=kernel,
            gamma=gamma,
            scaling=scaling,
            length_scales=length_scales,
            degree=degree,
            coef0=coef0,
            basis=basis,
            landmarks=landmarks,
            sparsity=sparsity,
            missing=missing,
            solver=solver,
            max_iter=max_iter,
            tol=tol,
            kernel_dtype=kernel_dtype,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.membership = membership
        self.normalise_membership = normalise_membership

    def _compose(self, rows: TrainingRows, report: Reporter | None = None) -> FitPlan:
        plan = super()._compose(rows, report)
        return with_memberships(
            plan,
            rows,
            self.membership,
            self.normalise_membership,
            lambda latent: self._agreement(plan, latent),
            self._search,
            self.kernel == "precomputed",
        )

    @staticmethod
    def _agreement(plan: FitPlan, latent: Array) -> Array:
        """Return the residuals of the standardised targets."""
        return np.asarray(plan.rows.y - latent[:, 0])

    def _finished(self, plan: FitPlan, found: Average) -> PredictiveModel:
        """Return the model with the noise of new rows, which nobody has weighted by their errors."""
        return widened(super()._finished(plan, found), self._missing_noise(plan, found))

    def _missing_noise(self, plan: FitPlan, found: Average) -> float:
        """Return how many times larger the variance of the noise is than the weighted rows say."""
        membership, noise = known_membership(self.membership), found.model.likelihood
        if membership is None or not isinstance(noise, Gaussian):
            return 1.0
        residual = np.sqrt(noise.precision) * np.abs(plan.rows.y - found.latent[:, 0])
        return missing_noise(membership, residual, plan.rows.weight, found.trust)
