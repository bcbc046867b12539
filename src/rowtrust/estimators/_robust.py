"""Robust machines: wrong labels and gross outliers are expected, and lose their pull."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from rowtrust.engines import is_dask, lazy_audit
from rowtrust.estimators._classifier import BaseClassifier
from rowtrust.estimators._machine import keep
from rowtrust.estimators._regressor import BaseRegressor
from rowtrust.fitting import Fitted, Plan
from rowtrust.trust import stated_noise
from rowtrust.weights import HWANG_TRUST_PRIOR, Gamma, Unit, Weights

FIRST_TRUST = 3.0
"""Where a learnt prior starts: tails between those of dirty and of clean targets. Set while watching sinc
with outliers, seeds 0 to 19. Half or twice of it moves the mean error on sinc with 0, 10 and 30 % outliers by
2 % at most (10 seeds), that on clean Friedman #1 by 4 % with half. On Friedman #1 with 10 % outliers twice of
it ends 52 nats higher, with an error 2 % larger (5 seeds): another maximum."""


class RobustRVC(BaseClassifier):
    """Robust relevance vector classifier, which learns how often labels are wrong.

    Each label may have been changed, at a rate that depends on its class. Held-out predictions estimate the
    rates. A row whose label the other rows contradict has little influence, and :meth:`audit` lists it. If
    labels are right, the rates vanish and the model is that of :class:`RVC`.

    ``label_noise="power"`` is the model of Hwang & Jeong (2015): each row's likelihood is raised to a power
    with a Gamma prior, learnt with the model.

    ``predict_proba`` is of the true label; ``predict_given_proba`` of the label as it would be given.

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
    label_noise : {"channel", "one-sided", "power"}, float, dict or array-like, default="channel"
        "channel" learns how often rows of each class were given the label of another, "one-sided" the same
        where only rows of one class were, whichever it is. A float is the share of labels that became any
        other, a dict has that share by class, None where it is to be learnt, and an array of shape
        (n_classes, n_classes) has in row k the probabilities of the labels that rows of class k were given;
        the largest entry of every column is on its diagonal.
        "power" learns a weight for every row instead (Hwang & Jeong 2015); it is never calibrated.
    trust_prior : float, default=2 - ln 2
        With "power": shape and rate of the weights' Gamma prior (the paper's r), the bound on a row's loss.
        Smaller distrusts sooner. At the default the weighted loss has its steepest slope at the boundary.
    calibration : None or "folds", default="folds"
        Whether all log-odds are multiplied by the factor that calibrates those of held-out rows, given the
        noise. It adds no cost if the noise is learned, which needs the same fits to folds.
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
    noise_ : ndarray of shape (n_classes, n_classes)
        Entry [k, j] is the probability that a row of class k was given the label j.
    noise_interval_ : ndarray of shape (2, n_classes, n_classes)
        Lower and upper ends of a 90 % credible interval of each entry.
    calibration_slope_ : float
        What all log-odds were multiplied by.
    trust_prior_ : float
        The prior in use; with "power" only.
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
    sample_trust_ : ndarray of shape (n_samples,)
        Trust in each training row: one minus the probability that it is wrong, judged by the other rows.
        0 for rows of sample weight 0.
    expected_weight_ : ndarray of shape (n_samples,)
        With ``label_noise="power"``: expected weight of each training row in the fit, the smallest over
        outputs, between 0 and 1.
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
        kernel objects that are not stationary or periodic): there predictions follow the kernel.
    fitted_ : Fitted
        The fit as one record: model, decisions, and what is known of its rows; audits and files read it.
    predictive_model_ : PredictiveModel
        The model in it, from which predictions and exports are made.

    See Also
    --------
    RVC : Where labels are known to be right.
    FuzzyRVC : Where a class is rare, or some rows are known to be doubtful.
    RobustRVR : Where numbers may be wrong.
    find_wrong_rows : Which rows are wrong, by any model.
    study_table : A table in; a model, its quality, its flagged rows and a report out.

    References
    ----------
    S. Hwang and M. K. Jeong (2015). Robust relevance vector machine for classification with variational
    inference. Annals of Operations Research.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from rowtrust import RobustRVC
    >>> from rowtrust.datasets import flip_labels
    >>> X, y = make_moons(200, noise=0.15, random_state=0)
    >>> given, wrong = flip_labels(y, 0.1, random_state=1)  # a tenth of the labels are wrong
    >>> model = RobustRVC(gamma=1.0).fit(X, given)
    >>> bool(model.score(X, y) > 0.95)  # by the true labels, which it has not seen
    True
    >>> bool(wrong[model.sample_trust_.argsort()[:20]].mean() > 0.7)  # it knows which to believe
    True
    >>> table = model.audit(X, given)  # the likeliest errors first, with the likely label
    >>> bool(table["p_wrong"].max() > 0.5)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseClassifier._parameter_constraints,
        "label_noise": [
            StrOptions({"channel", "one-sided", "power"}),
            Interval(Real, 0.0, 1.0, closed="left"),
            dict,
            "array-like",
        ],
        "trust_prior": [Interval(Real, 0.0, None, closed="neither")],
        "calibration": [None, StrOptions({"folds"})],
    }
    label_noise: Any
    trust_prior: float
    calibration: str | None

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
        label_noise: Any = "channel",
        trust_prior: float = HWANG_TRUST_PRIOR,
        calibration: str | None = "folds",
        missing: str | None = "expected",
        solver: str = "working_set",
        max_iter: int = 1000,
        tol: float = 2e-3,
        n_jobs: Any = None,
        random_state: Any = None,
    ) -> None:
        keep(self, locals())

    @property
    def _by_power(self) -> bool:
        return isinstance(self.label_noise, str) and self.label_noise == "power"

    def _weights(self) -> Weights:
        return Gamma(float(self.trust_prior)) if self._by_power else Unit()

    def _plan(self, report: Any = None) -> Plan:
        plan = super()._plan(report)
        if self._by_power:
            return plan
        noise = stated_noise(self.label_noise, self.classes_)
        return replace(plan, label_noise=noise, calibrates=self.calibration is not None)

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        if isinstance(fitted.model.weights, Gamma):
            self.trust_prior_ = fitted.model.weights.trust


class RobustRVR(BaseRegressor):
    """Robust relevance vector regressor: Student's t noise (Tipping & Lawrence 2005).

    Each row's noise precision is multiplied by a weight with a Gamma prior, learned with the model. A
    target far from the prediction of the other rows gets a small weight, and :meth:`audit` lists it.

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
    trust_prior : "learnt" or float, default="learnt"
        Shape and rate of the weights' Gamma prior; twice this many degrees of freedom has the noise.
        "learnt" finds it between 1 (many gross outliers) and 10 (practically Gaussian), and takes a fit
        without any doubt, at 1e6, where that has the lower error on held-out rows.
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
    trust_prior_ : float
        The prior in use.
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
        Expected weight of each training row in the fit, at most 1; 0 for rows of sample weight 0.
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
        kernel objects that are not stationary or periodic): there predictions follow the kernel.
    fitted_ : Fitted
        The fit as one record: model, decisions, and what is known of its rows; audits and files read it.
    predictive_model_ : PredictiveModel
        The model in it, from which predictions and exports are made.

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
        **BaseRegressor._parameter_constraints,
        "trust_prior": [StrOptions({"learnt"}), Interval(Real, 0.0, None, closed="neither")],
    }
    trust_prior: Any

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
        trust_prior: Any = "learnt",
        missing: str | None = "expected",
        solver: str = "working_set",
        max_iter: int = 1000,
        tol: float = 2e-3,
        n_jobs: Any = None,
        random_state: Any = None,
    ) -> None:
        keep(self, locals())

    @property
    def _learns_trust(self) -> bool:
        return isinstance(self.trust_prior, str)

    def _weights(self) -> Weights:
        return Gamma(FIRST_TRUST, learns=True) if self._learns_trust else Gamma(float(self.trust_prior))

    def _plan(self, report: Any = None) -> Plan:
        plan = super()._plan(report)
        may_be_plain = self._learns_trust and not plan.solver.is_reference
        return replace(plan, robust_units=True, may_be_plain=may_be_plain)

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        if isinstance(fitted.model.weights, Gamma):
            self.trust_prior_ = fitted.model.weights.trust

    def audit(self, X: Any, y: Any) -> Any:
        """Say which rows are likely to be wrong, the most suspicious first.

        A row of the fit is judged by the model without it: its own contribution is removed.

        Of dask collections (y may name a column of a dataframe) it is a dask dataframe, computed when it is
        asked for, in the order of the rows, all of them judged by the model as it is. Partitions are judged
        where they are; the lists are of all rows. Rows of an array are numbered; in each partition anew if
        dask does not know how many are in it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows of the fit, or others.
        y : array-like of shape (n_samples,)
            Their targets as given.

        Returns
        -------
        DataFrame, or structured array where pandas is not installed
            Of the target as ``given``, the ``likely`` one by the other rows, the standardised ``residual``,
            the probability ``p_wrong`` that the row is wrong, the ``list`` on which it is ("likely error", of
            which one in five is expected to be right, "worth a look" or ""), and the ``trust`` in the row,
            one minus ``p_wrong``. The index (the field ``row``) is that of X.
        """
        self._single_target_only("an audit")
        if is_dask(X):
            return lazy_audit(self, X, y)
        return self.judge_rows(X, y).to_frame(X)
