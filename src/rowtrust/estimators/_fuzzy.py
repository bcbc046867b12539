"""Fuzzy machines: fixed weights from a membership function, which may ask for a kernel and a plain fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from rowtrust.contracts import Array
from rowtrust.estimators._classifier import BaseClassifier
from rowtrust.estimators._machine import keep
from rowtrust.estimators._regressor import BaseRegressor
from rowtrust.fitting import KernelFit, Plan, Training, TrainingRows, inverse_width, search
from rowtrust.memberships import MEMBERSHIPS, Membership, SideInformation, normalised, resolve
from rowtrust.weights import Fixed

MEMBERSHIP_CONSTRAINTS: dict[str, list[Any]] = {
    "membership": [StrOptions(set(MEMBERSHIPS)), Membership, callable, "array-like"],
    "normalise_membership": ["boolean"],
}
"""What scikit-learn checks of the parameters that fuzzy machines have beside the others."""


class FuzzyRVC(BaseClassifier):
    """Fuzzy relevance vector classifier, for rare classes and noise (Li et al. 2008).

    Each row's likelihood is raised to a membership between 0 and 1 that is computed before the fit:
    from its distance to its class, its neighbours, its age, or how rare its class is.

    Parameters
    ----------
    kernel : str, kernel object or callable, default="auto"
        "auto" averages Gaussian, Laplacian and linear kernels of several widths, on inputs stretched by how
        much the function changes with them: no kernel to choose. With a number or "scale" as ``gamma``, or
        with sparse X, it is "rbf". By name: "rbf", "laplacian", "polynomial" ("poly"), "linear" or
        "precomputed".
        A kernel object is one of ``sklearn.gaussian_process.kernels``, or a sum or product of them; with
        :class:`rowtrust.kernels.OnColumns` also a sum over groups of inputs. Its free hyperparameters are
        learned within their bounds, from their current values and from length scales up to four times
        longer and shorter; those with the bounds "fixed" stay. A constant factor on the whole kernel and
        white noise have no effect.
        A callable is called as ``kernel(X, Y)`` and returns one row per row of X and one column per row
        of Y. It need not be positive definite.
    gamma : "evidence", "scale" or float, default="evidence"
        Inverse squared width of the rbf kernel, inverse width of the laplacian one, in units of the scaled
        inputs (see ``scaling``). "evidence" averages eight widths of one kernel, weighted by their evidence;
        with "auto", widths of all families. "scale" is one over the sum of the features' variances (rbf) or
        deviations (laplacian): one fit. A kernel object has its own length scales: "evidence" learns its
        hyperparameters, anything else uses it as it is.
    scaling : "robust" or None, default="robust"
        "robust" centres every column and divides it by its standard deviation, both computed after clipping
        values far outside the middle 90 % (constant columns are not divided, sparse ones not centred).
        Kernel objects and callables see scaled inputs, and ``gamma`` is in their units; results are in
        yours. None takes the inputs as they are.
    degree, coef0 : float, default=3 and 1.0
        Of the polynomial kernel ``(gamma <x, c> + coef0) ** degree``.
    basis : "auto", None, int or array-like of shape (n_centres, n_features), default="auto"
        Centres of the basis functions. None: every distinct training row. An int: so many landmarks, drawn
        at random in proportion over classes or targets. "auto": every row up to 3000, beyond that 1000
        landmarks, with a ``LandmarksWarning``. An array: these centres (column numbers of the kernel matrix
        if it is precomputed).
    sparsity : float, default=0.01
        After averaging, the model is projected onto few vectors. This is how far the function may change, as
        a mean square over the rows in units of the likelihood's curvature. 0 keeps all vectors.
    class_weight : dict, "balanced" or None, default=None
        Factors on the sample weights, one per class.
    membership : str, Membership, callable or array-like of shape (n_samples,), default="imbalance"
        A name from ``rowtrust.memberships.MEMBERSHIPS``, an instance from that module with its
        own settings, a callable ``membership(X, y)``, or the memberships themselves, all in (0, 1].
    normalise_membership : bool, default=True
        Whether to scale the memberships to mean one. The size of a power likelihood matters: small
        memberships everywhere say that there are few rows, and make the model sparser.
    missing : "expected" or None, default="expected"
        What to do with NaN in X. "expected" predicts missing values from the other values of the row, by a
        Gaussian of the training columns: kernels "rbf" and "laplacian" are averaged over the prediction,
        other kernels use its mean. Complete rows do not change, and an empty column has no effect. None
        refuses NaN, as do kernel="precomputed" and sparse X.
    solver : {"working_set", "variational"}, default="working_set"
        "working_set" is fast and sparse. "variational" is the loop of Hwang & Jeong (2015), which keeps
        every column, so that all are relevant, and costs O(n^3) per step: a reference for small data.
    max_iter : int, default=1000
        Steps after which the solver stops with a ``ConvergenceWarning``.
    tol : float, default=2e-3
        The fit ends when it expects to gain fewer nats of the lower bound than this with the vectors it has,
        judged by the last two steps. A vector that would gain less than a hundred times as much is not
        taken in. With ``solver="variational"``: the gain of a step below which it is the last.
    n_jobs : int, default=None
        How many widths and outputs are fitted at the same time, in separate processes, as in scikit-learn.
        ``None`` means one. The result is the same.
    random_state : int, RandomState instance or None, default=None
        Seed for the landmarks, and for the columns that are looked at first if there are many.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
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
        Three and more classes share one, and a variance, shapes (1, ...).
    weight_precision_ : ndarray of shape (n_outputs, n_relevance)
        Prior precisions of the coefficients (the papers' alpha); infinite where an output has none.
    intercept_precision_ : ndarray of shape (n_outputs,)
        Prior precisions of the intercepts; where widths are averaged, the average of theirs.
    gamma_ : float
        The width (the kernel's ``gamma``) of the member with the highest evidence.
    kernel_ : str, kernel object or callable
        The kernel with the highest evidence; a kernel object has its learned hyperparameters.
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
    noise_, noise_interval_, calibration_slope_ : ndarrays and float
        As for RVC: no label noise, and log-odds are not rescaled.
    sample_trust_ : ndarray of shape (n_samples,)
        Trust in each training row: one minus the probability that it is wrong, judged by the other rows.
        0 for rows of sample weight 0.
    expected_weight_ : ndarray of shape (n_samples,)
        Membership of each training row, relative to the largest; 0 for rows of sample weight 0.
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
        kernel objects that are not stationary or periodic): there predictions follow the kernel.
    fitted_ : Fitted
        The fit as one record: model, decisions, and what is known of its rows; audits and files read it.
    predictive_model_ : PredictiveModel
        The model in it, from which predictions and exports are made.

    See Also
    --------
    RVC : For rows that are equally reliable.
    RobustRVC : For wrong labels in unknown rows.
    FuzzyRVR : The same for numbers.
    rowtrust.memberships : What a membership may be, and how to write one.

    References
    ----------
    D.-F. Li, W.-C. Hu, W. Xiong and J.-B. Yang (2008). Fuzzy relevance vector machine for learning from
    unbalanced data and noise. Pattern Recognition Letters 29.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_blobs
    >>> from sklearn.metrics import balanced_accuracy_score
    >>> from rowtrust import RVC, FuzzyRVC
    >>> X, y = make_blobs([190, 10], centers=[[0, 0], [2, 0]], random_state=0)
    >>> plain, fuzzy = (cls(gamma=0.3).fit(X, y).predict(X) for cls in (RVC, FuzzyRVC))
    >>> bool(balanced_accuracy_score(y, fuzzy) > balanced_accuracy_score(y, plain) + 0.1)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseClassifier._parameter_constraints,
        **MEMBERSHIP_CONSTRAINTS,
    }
    membership: Any
    normalise_membership: bool

    def __init__(
        self,
        *,
        kernel: Any = "auto",
        gamma: Any = "evidence",
        scaling: Any = "robust",
        degree: float = 3,
        coef0: float = 1.0,
        basis: Any = "auto",
        sparsity: float = 1e-2,
        class_weight: Any = None,
        membership: Any = "imbalance",
        normalise_membership: bool = True,
        missing: str | None = "expected",
        solver: str = "working_set",
        max_iter: int = 1000,
        tol: float = 2e-3,
        n_jobs: Any = None,
        random_state: Any = None,
    ) -> None:
        keep(self, locals())

    def _plan(self, report: Any = None) -> Plan:
        make = partial(
            memberships, membership=self.membership, normalise=self.normalise_membership, agreement=margin
        )
        return replace(super()._plan(report), memberships=make)


class FuzzyRVR(BaseRegressor):
    """Fuzzy relevance vector regressor (Li et al. 2008).

    Each row's error term is weighted by a membership between 0 and 1 that is computed before the fit:
    from its residual under a plain fit, its age, or by the user.

    Parameters
    ----------
    kernel : str, kernel object or callable, default="auto"
        "auto" averages Gaussian, Laplacian and linear kernels of several widths, on inputs stretched by how
        much the function changes with them: no kernel to choose. With a number or "scale" as ``gamma``, or
        with sparse X, it is "rbf". By name: "rbf", "laplacian", "polynomial" ("poly"), "linear" or
        "precomputed".
        A kernel object is one of ``sklearn.gaussian_process.kernels``, or a sum or product of them; with
        :class:`rowtrust.kernels.OnColumns` also a sum over groups of inputs. Its free hyperparameters are
        learned within their bounds, from their current values and from length scales up to four times
        longer and shorter; those with the bounds "fixed" stay. A constant factor on the whole kernel and
        white noise have no effect.
        A callable is called as ``kernel(X, Y)`` and returns one row per row of X and one column per row
        of Y. It need not be positive definite.
    gamma : "evidence", "scale" or float, default="evidence"
        Inverse squared width of the rbf kernel, inverse width of the laplacian one, in units of the scaled
        inputs (see ``scaling``). "evidence" averages eight widths of one kernel, weighted by their evidence;
        with "auto", widths of all families. "scale" is one over the sum of the features' variances (rbf) or
        deviations (laplacian): one fit. A kernel object has its own length scales: "evidence" learns its
        hyperparameters, anything else uses it as it is.
    scaling : "robust" or None, default="robust"
        "robust" centres every column and divides it by its standard deviation, both computed after clipping
        values far outside the middle 90 % (constant columns are not divided, sparse ones not centred).
        Kernel objects and callables see scaled inputs, and ``gamma`` is in their units; results are in
        yours. None takes the inputs as they are.
    degree, coef0 : float, default=3 and 1.0
        Of the polynomial kernel ``(gamma <x, c> + coef0) ** degree``.
    basis : "auto", None, int or array-like of shape (n_centres, n_features), default="auto"
        Centres of the basis functions. None: every distinct training row. An int: so many landmarks, drawn
        at random in proportion over classes or targets. "auto": every row up to 3000, beyond that 1000
        landmarks, with a ``LandmarksWarning``. An array: these centres (column numbers of the kernel matrix
        if it is precomputed).
    sparsity : float, default=0.01
        After averaging, the model is projected onto few vectors. This is how far the function may change, as
        a mean square over the rows in units of the likelihood's curvature. 0 keeps all vectors.
    membership : str, Membership, callable or array-like of shape (n_samples,), default="residual"
        A name from ``rowtrust.memberships.MEMBERSHIPS`` that needs no classes, an instance from
        that module with its own settings, a callable ``membership(X, y)``, or the memberships
        themselves, all in (0, 1].
    normalise_membership : bool, default=True
        Whether to scale the memberships to mean one.
    missing : "expected" or None, default="expected"
        What to do with NaN in X. "expected" predicts missing values from the other values of the row, by a
        Gaussian of the training columns: kernels "rbf" and "laplacian" are averaged over the prediction,
        other kernels use its mean. Complete rows do not change, and an empty column has no effect. None
        refuses NaN, as do kernel="precomputed" and sparse X.
    solver : {"working_set", "variational"}, default="working_set"
        "working_set" is fast and sparse. "variational" is the loop of Hwang & Jeong (2015), which keeps
        every column, so that all are relevant, and costs O(n^3) per step: a reference for small data.
    max_iter : int, default=1000
        Steps after which the solver stops with a ``ConvergenceWarning``.
    tol : float, default=2e-3
        The fit ends when it expects to gain fewer nats of the lower bound than this with the vectors it has,
        judged by the last two steps. A vector that would gain less than a hundred times as much is not
        taken in. With ``solver="variational"``: the gain of a step below which it is the last.
    n_jobs : int, default=None
        How many widths and outputs are fitted at the same time, in separate processes, as in scikit-learn.
        ``None`` means one. The result is the same.
    random_state : int, RandomState instance or None, default=None
        Seed for the landmarks, and for the columns that are looked at first if there are many.

    Attributes
    ----------
    estimators_ : list
        One fitted machine per target, if ``y`` had two axes. Then ``predictive_model_`` is None, numbers such
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
        The width (the kernel's ``gamma``) of the member with the highest evidence.
    kernel_ : str, kernel object or callable
        The kernel with the highest evidence; a kernel object has its learned hyperparameters.
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
        Trust in each training row: one minus the probability that it is wrong, judged by the other rows.
        0 for rows of sample weight 0.
    expected_weight_ : ndarray of shape (n_samples,)
        Membership of each training row, relative to the largest; 0 for rows of sample weight 0.
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
        kernel objects that are not stationary or periodic): there predictions follow the kernel.
    fitted_ : Fitted
        The fit as one record: model, decisions, and what is known of its rows; audits and files read it.
    predictive_model_ : PredictiveModel
        The model in it, from which predictions and exports are made.

    See Also
    --------
    RVR : For rows that are equally reliable.
    RobustRVR : For wrong targets in unknown rows.
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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseRegressor._parameter_constraints,
        **MEMBERSHIP_CONSTRAINTS,
    }
    membership: Any
    normalise_membership: bool

    def __init__(
        self,
        *,
        kernel: Any = "auto",
        gamma: Any = "evidence",
        scaling: Any = "robust",
        degree: float = 3,
        coef0: float = 1.0,
        basis: Any = "auto",
        sparsity: float = 1e-2,
        membership: Any = "residual",
        normalise_membership: bool = True,
        missing: str | None = "expected",
        solver: str = "working_set",
        max_iter: int = 1000,
        tol: float = 2e-3,
        n_jobs: Any = None,
        random_state: Any = None,
    ) -> None:
        keep(self, locals())

    def _plan(self, report: Any = None) -> Plan:
        make = partial(
            memberships, membership=self.membership, normalise=self.normalise_membership, agreement=residual
        )
        return replace(super()._plan(report), memberships=make)


def margin(training: Training, latent: Array) -> Array:
    """Return the signed margin of the given label: positive on its own side of the boundary."""
    y = training.rows.y
    if latent.shape[1] == 1:
        return np.asarray((2 * y - 1) * latent[:, 0])
    return np.asarray(latent[np.arange(len(latent)), y])


def residual(training: Training, latent: Array) -> Array:
    """Return the residuals of the standardised targets."""
    return np.asarray(training.rows.y - latent[:, 0])


def memberships(
    training: Training, membership: Any, normalise: bool, agreement: Callable[[Training, Array], Array]
) -> Fixed:
    """Return memberships as fixed weights, the same at every kernel.

    The evidence compares kernels on the same data only: memberships that ask for a kernel or for a plain fit
    get those with the most evidence while every row counts once.

    Parameters
    ----------
    membership, normalise
        What the user said.
    agreement
        From the latent means of a plain fit to how each row agrees with it: a margin, or a residual.
    """
    precomputed = training.kernel.is_precomputed

    @cache
    def plain() -> KernelFit:
        return search(replace(training.plainly(), report=None))[0].best

    if not precomputed:
        inverse_width(training.rows, "rbf")  # inputs whose squares overflow are refused by name
    given_order = np.argsort(training.rows.index)  # some memberships go by time
    rows = training.rows.only(given_order)
    everyone = rows.index if precomputed else rows.X
    y = rows.y if training.is_of_classes else training.offset + training.scale * rows.y
    side = SideInformation(
        kernel_rows=lambda block: plain().kernel(rows.X[block], everyone),
        first_fit=lambda: agreement(training, plain().latent)[given_order],
        sample_weight=rows.copies,
        precomputed=precomputed,
    )
    values = resolve(given_membership(membership, rows), rows.expected, y, side)
    whole = 1.0 / float(np.average(values, weights=rows.copies)) if normalise else 1.0
    given = np.ones(rows.n_given)  # one a row that was given, so that fits to some of them know their own
    given[rows.index] = normalised(values, rows.copies) if normalise else values
    return Fixed(given, whole)


def given_membership(membership: Any, rows: TrainingRows) -> Any:
    """Return the membership; of an array, the entries of the rows that take part."""
    if isinstance(membership, str | Membership) or callable(membership):
        return membership
    values = np.asarray(membership, dtype=float)
    if values.shape != (rows.n_given,):
        raise ValueError(
            f"membership has shape {values.shape} but X has {rows.n_given} rows; give one membership per row."
        )
    return values[rows.index]
