"""The robust regressor: the noise precision of every row is learnt, so that outliers lose their pull."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from rowtrust.engines.kinds import is_dask
from rowtrust.estimators._audit import audit_table
from rowtrust.estimators._dask import lazy_audit
from rowtrust.estimators._partial_fit import StreamingRegressor
from rowtrust.estimators._targets import single_target_only
from rowtrust.estimators._validation import checked_targets
from rowtrust.numerics.accusations import accused
from rowtrust.numerics.mixtures import AS_BOLD, number_mixture
from rowtrust.predictive import PredictiveModel
from rowtrust.search import Average, FitPlan, average, better_families, projected
from rowtrust.search.fits import Reporter
from rowtrust.search.rivals import better_of
from rowtrust.weights import Gamma, Unit, Weights

FIRST_TRUST = 3.0
"""Where a learnt prior starts: tails between those of dirty and of clean targets. Set while watching sinc
with outliers, seeds 0 to 19. Half or twice of it moves the mean error on sinc with 0, 10 and 30 % outliers by
2 % at most (10 seeds), that on clean Friedman #1 by 4 % with half. On Friedman #1 with 10 % outliers twice of
it ends 52 nats higher, with an error 2 % larger (5 seeds): another maximum."""

WHOLE_TRUST = 1e6
"""The prior of a fit in which no row is doubted: Student's t with two million degrees of freedom, whose
95 % interval is a Gaussian's to six digits. Stands for infinity; its value does not matter."""


def renamed(report: Reporter | None) -> Reporter | None:
    """Return a reporter of fits without doubt, beside those with it."""
    return None if report is None else lambda name: report(f"without doubt, {name}")


class RobustRVR(StreamingRegressor):
    """Robust relevance vector regressor: Student's t noise (Tipping & Lawrence 2005).

    Each row's noise precision is multiplied by a weight with a Gamma prior, learnt with the model. A
    target far from what the rest of the data say gets a small weight, and :meth:`audit` names it.

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
    trust_prior : "learnt" or float, default="learnt"
        Shape and rate of the weights' Gamma prior; twice this many degrees of freedom has the noise.
        "learnt" finds it between 1 (many gross outliers) and 10 (practically Gaussian), and takes a fit
        without any doubt, at 1e6, where that errs less on rows left out.
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
    trust_prior_ : float
        The prior in use.
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
    n_reads_ : int
        How often all rows were read; only after a fit to many rows.
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
    RVR : Where targets are known to be right.
    FuzzyRVR : Where old or doubtful rows should count less.
    BayesianSVR : Losses with bounded pull, up to some thousand rows.
    RobustRVC : Where labels may be wrong.
    find_wrong_rows : Which rows are wrong, by any model.

    References
    ----------
    M. E. Tipping and N. D. Lawrence (2005). Variational inference for Student-t models. Neurocomputing 69.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust import RobustRVR
    >>> X = np.linspace(-10, 10, 100)[:, None]
    >>> y = np.sinc(X[:, 0] / np.pi)
    >>> y[::20] += 3.0
    >>> model = RobustRVR(gamma=3.0).fit(X, y)
    >>> bool(abs(model.predict([[0.0]])[0] - 1.0) < 0.05)
    True
    >>> bool((model.sample_trust_[::20] < 0.1).all())
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StreamingRegressor._parameter_constraints,
        "trust_prior": [StrOptions({"learnt"}), Interval(Real, 0.0, None, closed="neither")],
    }
    _robust_scale = True

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
        trust_prior: Any = "learnt",
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
        self.trust_prior = trust_prior

    def _weights(self) -> Weights:
        if self.trust_prior == "learnt":
            return Gamma(FIRST_TRUST, learns=True)
        return Gamma(float(self.trust_prior))

    def _searched(self, plan: FitPlan) -> Average:
        """Find the kernel with doubt and without, and keep what errs less on rows left out."""
        if self.trust_prior != "learnt" or plan.solver.is_reference:
            return super()._searched(plan)
        plain, choice = replace(plan, weights=Unit(), report=renamed(plan.report)), self._kernel_choice()
        better = better_families(plan, plain) if choice.averages_families(plan.rows) else None
        if better is None:
            found, is_plain = better_of(plan, plain, super()._searched)
        else:
            fits, is_plain = better
            found = projected(plan, average(plan, fits, choice.disagreement), self.sparsity)
        if not is_plain:
            return found
        return replace(found, model=replace(found.model, weights=Gamma(WHOLE_TRUST)))

    def _publish(self, plan: FitPlan, found: Average, model: PredictiveModel) -> None:
        super()._publish(plan, found, model)
        if isinstance(model.weights, Gamma):
            self.trust_prior_ = model.weights.trust

    def audit(self, X: Any, y: Any) -> Any:
        """Say which rows are likely to be wrong, the most suspicious first.

        A row of the fit is judged by the model without it: its own say is divided out of the posterior.

        Of dask collections (y may name a column of a dataframe) it is a dask dataframe, computed when it is
        asked for: partition by partition, suspects chosen within each, in the order of the rows, and all of
        them judged by the model as it is. Rows of an array are numbered; in each partition anew if dask does
        not know how many are in it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows of the fit, or others.
        y : array-like of shape (n_samples,)
            Their targets as given.

        Returns
        -------
        DataFrame, or structured array where pandas is not installed
            Of the ``target`` as given, the ``suggested`` one by the other rows, the standardised
            ``residual``, the probability that the row is ``wrong``, whether it is a ``suspect`` (of the
            suspects one in five is expected to be right) and the ``trust`` in the row (its expected weight,
            as ``sample_trust_``). The index (the field ``row``) is that of X.
        """
        single_target_only(self, "an audit")
        if is_dask(X):
            return lazy_audit(self, X, y)
        model, rows = self._validated_model(X)
        target = checked_targets(y, rows.shape[0])
        judged = self._judged(rows, target, target[:, None])
        prediction = model.likelihood.predict(judged.mean[:, 0], judged.variance[:, 0])
        deviation = np.sqrt(prediction.variance)
        residual = (target - prediction.mean) / deviation
        found = number_mixture(target, prediction.mean, deviation, AS_BOLD)
        return audit_table(
            X,
            ranking=np.argsort(-np.abs(residual), kind="stable"),
            target=target,
            suggested=prediction.mean,
            residual=residual,
            wrong=found.wrong,
            suspect=accused(found.wrong),
            trust=judged.trust,
        )
