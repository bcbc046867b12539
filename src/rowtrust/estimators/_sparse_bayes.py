"""Sparse Bayesian machines: from parts of your own, and their presets with one weight for every row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from rowtrust.estimators._classifier import BaseClassifier
from rowtrust.estimators._machine import keep
from rowtrust.estimators._regressor import BaseRegressor
from rowtrust.fitting import Plan
from rowtrust.likelihoods import Likelihood
from rowtrust.weights import Weights


class SparseBayesClassifier(BaseClassifier):
    """Sparse Bayesian classifier from parts: likelihood x weights x prior.

    The named classifiers are presets of it: :class:`RVC` is ``Logistic()`` with ``Unit()`` weights,
    ``RobustRVC(label_noise="power")`` the same with ``Gamma()``, :class:`FuzzyRVC` with
    ``Fixed(membership)``. A likelihood of your own is a class with two methods, see
    :class:`rowtrust.likelihoods.Likelihood`.

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
    likelihood : Likelihood or None, default=None
        Of targets 0 and 1 given the latent function; None: ``Logistic()``. Of three
        and more classes that is ``Softmax()``, and any other goes one against the rest.
    weights : Weights or None, default=None
        How rows are weighted during the fit; None: ``Unit()``.
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
        Where rows are weighted: expected weight of each training row in the fit, at most 1, the smallest over
        outputs; 0 for rows of sample weight 0.
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
    RVC : Where labels are right.
    RobustRVC : Where labels may be wrong.
    FuzzyRVC : Where a class is rare, or some rows are known to be doubtful.
    SparseBayesRegressor : The same for numbers.

    References
    ----------
    M. E. Tipping (2001). Sparse Bayesian learning and the relevance vector machine. Journal of Machine
    Learning Research 1.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from rowtrust import SparseBayesClassifier
    >>> from rowtrust.weights import Gamma
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> model = SparseBayesClassifier(weights=Gamma(), gamma=2.0).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseClassifier._parameter_constraints,
        "likelihood": [None, Likelihood],
        "weights": [None, Weights],
    }
    likelihood: Likelihood | None
    weights: Weights | None

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
        likelihood: Likelihood | None = None,
        weights: Weights | None = None,
        missing: str | None = "expected",
        solver: str = "working_set",
        max_iter: int = 1000,
        tol: float = 2e-3,
        n_jobs: Any = None,
        random_state: Any = None,
    ) -> None:
        keep(self, locals())

    def _likelihood(self) -> Likelihood:
        return super()._likelihood() if self.likelihood is None else self.likelihood

    def _weights(self) -> Weights:
        return super()._weights() if self.weights is None else self.weights


class SparseBayesRegressor(BaseRegressor):
    """Sparse Bayesian regressor from parts: likelihood x weights x prior.

    The named regressors are presets of it: :class:`RVR` is ``Gaussian()`` with ``Unit()`` weights,
    :class:`RobustRVR` the same with ``Gamma(learns=True)``, :class:`FuzzyRVR` with ``Fixed(membership)``. A
    likelihood of your own is a class with two methods, see :class:`rowtrust.likelihoods.Likelihood`.

    Targets are standardised before the fit where the likelihood has a location and a scale; a likelihood
    with a link, such as one for counts, sees them as they are.

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
    likelihood : Likelihood or None, default=None
        Of targets given the latent function; None: ``Gaussian()``.
    weights : Weights or None, default=None
        How rows are weighted during the fit; None: ``Unit()``.
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
        Where rows are weighted: expected weight of each training row in the fit, at most 1, the smallest over
        outputs; 0 for rows of sample weight 0.
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
    RVR : Where targets are right.
    RobustRVR : Where some targets may be grossly wrong.
    FuzzyRVR : Where old or doubtful rows should count less.
    SparseBayesClassifier : The same for classes.

    References
    ----------
    M. E. Tipping (2001). Sparse Bayesian learning and the relevance vector machine. Journal of Machine
    Learning Research 1.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust import SparseBayesRegressor
    >>> from rowtrust.likelihoods import Huber
    >>> X = np.linspace(-10, 10, 100)[:, None]
    >>> y = np.sinc(X[:, 0] / np.pi)
    >>> y[::20] += 3.0
    >>> model = SparseBayesRegressor(likelihood=Huber(C=10.0, epsilon=0.1), gamma=3.0).fit(X, y)
    >>> bool(abs(model.predict([[0.0]])[0] - 1.0) < 0.1)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseRegressor._parameter_constraints,
        "likelihood": [None, Likelihood],
        "weights": [None, Weights],
    }
    likelihood: Likelihood | None
    weights: Weights | None

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
        likelihood: Likelihood | None = None,
        weights: Weights | None = None,
        missing: str | None = "expected",
        solver: str = "working_set",
        max_iter: int = 1000,
        tol: float = 2e-3,
        n_jobs: Any = None,
        random_state: Any = None,
    ) -> None:
        keep(self, locals())

    def _likelihood(self) -> Likelihood:
        return super()._likelihood() if self.likelihood is None else self.likelihood

    def _weights(self) -> Weights:
        return super()._weights() if self.weights is None else self.weights


class RVC(BaseClassifier):
    """Relevance vector classifier (Tipping 2001; Bishop & Tipping 2000).

    Sparse, probabilistic, with no regularisation parameter to tune. It trusts every label: where
    labels may be wrong use :class:`RobustRVC`. :meth:`audit` still finds labels that are likely wrong.

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
    calibration : None or "folds", default=None
        "folds" fits the model again to the rows outside each of three folds, at the best width, and shrinks
        all log-odds by the factor that calibrates those of held-out rows. It takes a third longer; on clean
        tables the log loss is 0.001 lower in the mean, with wrong labels it is up to 0.01 higher.
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
    noise_ : ndarray of shape (n_classes, n_classes)
        The identity: no label noise.
    noise_interval_ : ndarray of shape (2, n_classes, n_classes)
        The same, twice.
    calibration_slope_ : float
        What all log-odds were multiplied by: one without ``calibration``.
    sample_trust_ : ndarray of shape (n_samples,)
        Trust in each training row: one minus the probability that it is wrong, judged by the other rows.
        0 for rows of sample weight 0.
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
    RobustRVC : Where labels may be wrong: it learns how often.
    FuzzyRVC : Where a class is rare, or some rows are known to be doubtful.
    SparseBayesClassifier : Any likelihood with any weights, also your own.
    RVR : The same for numbers.
    find_wrong_rows : Which rows are wrong, by any model.

    References
    ----------
    M. E. Tipping (2001). Sparse Bayesian learning and the relevance vector machine. Journal of Machine
    Learning Research 1.

    M. E. Tipping and A. C. Faul (2003). Fast marginal likelihood maximisation for sparse Bayesian models.
    AISTATS.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from rowtrust import RVC
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> model = RVC(gamma=2.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True
    >>> len(model.relevance_) < 20
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseClassifier._parameter_constraints,
        "calibration": [None, StrOptions({"folds"})],
    }
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
        calibration: str | None = None,
        missing: str | None = "expected",
        solver: str = "working_set",
        max_iter: int = 1000,
        tol: float = 2e-3,
        n_jobs: Any = None,
        random_state: Any = None,
    ) -> None:
        keep(self, locals())

    def _plan(self, report: Any = None) -> Plan:
        return replace(super()._plan(report), calibrates=self.calibration is not None)


class RVR(BaseRegressor):
    """Relevance vector regressor (Tipping 2001; Tipping & Faul 2003).

    Sparse, with error bars, with no regularisation parameter to tune. It trusts every target: where
    some may be wrong use :class:`RobustRVR`.

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
    RobustRVR : Where some targets may be grossly wrong.
    FuzzyRVR : Where old or doubtful rows should count less.
    BayesianSVR : Error bars and the relevance of inputs, up to some thousand rows.
    SparseBayesRegressor : Any likelihood with any weights, also your own.
    RVC : The same for classes.

    References
    ----------
    M. E. Tipping (2001). Sparse Bayesian learning and the relevance vector machine. Journal of Machine
    Learning Research 1.

    M. E. Tipping and A. C. Faul (2003). Fast marginal likelihood maximisation for sparse Bayesian models.
    AISTATS.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust import RVR
    >>> X = np.linspace(-10, 10, 100)[:, None]
    >>> y = np.sinc(X[:, 0] / np.pi)
    >>> model = RVR(gamma=3.0).fit(X, y)
    >>> mean, std = model.predict([[0.0]], return_std=True)
    >>> bool(abs(mean[0] - 1.0) < 0.01)
    True
    """

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
        missing: str | None = "expected",
        solver: str = "working_set",
        max_iter: int = 1000,
        tol: float = 2e-3,
        n_jobs: Any = None,
        random_state: Any = None,
    ) -> None:
        keep(self, locals())
