"""What all sparse Bayesian machines share: validate, compose, search, publish."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.gaussian_process.kernels import Kernel as KernelObject
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from rowtrust.contracts import Array, Matrix
from rowtrust.engines.finding import as_source
from rowtrust.estimators._audit import FitRows, row_keys
from rowtrust.estimators._callbacks import CallbackSupportMixin, all_or_nothing, reporting, with_callbacks
from rowtrust.estimators._card import CardMixin
from rowtrust.estimators._devices import from_device, on_device, rows_there
from rowtrust.estimators._many_rows import fit_device, fit_many, fit_source, is_many, most_in_memory
from rowtrust.estimators._missing import fill_holes, is_precomputed, learn_columns
from rowtrust.estimators._publishing import publish_far, publish_kernels
from rowtrust.estimators._row_outputs import RowOutputsMixin
from rowtrust.estimators._validation import arranged, place_centres
from rowtrust.inference import Coding, Variational, WorkingSet
from rowtrust.kernels import expected_rows, robust_scaling, with_holes
from rowtrust.kernels.centres import LANDMARKS
from rowtrust.kernels.kernels import NAMES
from rowtrust.likelihoods import Likelihood
from rowtrust.numerics.array_api import is_elsewhere
from rowtrust.predictive import FarFromData, LeftOut, PredictiveModel, remember_data
from rowtrust.priors import ARD
from rowtrust.search import Average, FitPlan, KernelChoice, TrainingRows, projected, search_kernel
from rowtrust.search.fits import Reporter
from rowtrust.weights import Weights

ENTRY_FACTOR = 100.0
"""Times ``tol`` that a vector must gain to enter: a fifth of a nat by default, see the solver's ``ENTRY``."""


class SparseBayesMachine(CardMixin, RowOutputsMixin, CallbackSupportMixin, BaseEstimator):  # type: ignore[misc]
    """Base of all estimators with the sparse prior. Subclasses name their likelihood and their weights."""

    _disagreement: ClassVar[bool] = True
    """Whether widths that disagree add to the variance of their average."""

    _gradual: ClassVar[bool] = True
    """Whether the variance grows with what the data leave unexplained, however near they are."""

    _travels: ClassVar[bool] = True
    """Whether many rows may begin with a sample, and equal ones be one: all asked of a row is in the row."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions({"auto", *NAMES}), callable],
        "gamma": [StrOptions({"evidence", "scale"}), Interval(Real, 0.0, None, closed="neither")],
        "scaling": [None, StrOptions({"robust"})],
        "length_scales": [None, StrOptions({"learnt"})],
        "degree": [Interval(Real, 0.0, None, closed="neither")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "basis": [
            None,
            StrOptions({"auto"}),
            Interval(Integral, 1, None, closed="left"),
            "array-like",
            "sparse matrix",
        ],
        "landmarks": [StrOptions(set(LANDMARKS))],
        "sparsity": [Interval(Real, 0.0, None, closed="left")],
        "missing": [None, StrOptions({"expected"})],
        "solver": [StrOptions({"working_set", "variational"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "kernel_dtype": [StrOptions({"float64", "float32"})],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
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
        missing: str | None = "expected",
        solver: str = "working_set",
        max_iter: int = 1000,
        tol: float = 2e-3,
        kernel_dtype: str = "float64",
        n_jobs: Any = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.scaling = scaling
        self.length_scales = length_scales
        self.degree = degree
        self.coef0 = coef0
        self.basis = basis
        self.landmarks = landmarks
        self.sparsity = sparsity
        self.missing = missing
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.kernel_dtype = kernel_dtype
        self.n_jobs = n_jobs
        self.random_state = random_state

    @with_callbacks  # type: ignore[untyped-decorator]
    @all_or_nothing
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or where rows are read from
            Training rows, or a square kernel matrix if ``kernel="precomputed"``. Rows that are not in memory
            are read piece by piece, some ten times: give the path of a Parquet or CSV file or of a folder
            of them, a pyarrow dataset, or an iterable of blocks ``(X, y)`` or ``(X, y, weight)`` that starts
            anew each time (a list, or an object whose ``__iter__`` makes a generator). Dask arrays and
            dataframes are read where their partitions are, by the scheduler that ``dask.compute`` would take.
            Under scikit-learn's ``array_api_dispatch`` all may be arrays of PyTorch or CuPy: many rows stay
            on their device, where all work on them is done.
        y : array-like of shape (n_samples,)
            Class labels, or targets. A regressor takes several targets, shape (n_samples, n_targets): each
            gets a machine with its own kernel and noise, as if it were fitted alone. The name of its column
            where X is a file or a dataset; all other columns are inputs. None where X has blocks. A dask
            array, a series, or the name of a column where X is one of dask's: of a dataframe all other
            columns of numbers are inputs.
        sample_weight : array-like of shape (n_samples,), default=None
            How many copies of itself each row stands for. It multiplies the likelihood. The name of its
            column where X is a file or a dataset.

        Returns
        -------
        object
            The estimator itself, fitted.
        """
        self._validate_params()
        X, y, sample_weight, there = from_device(X, y, sample_weight, most_in_memory(self))
        source = as_source(X, y, sample_weight) if there is None else there
        if source is None:
            fit = partial(self._fit_to, self._validate_rows(X, y, sample_weight))
        else:
            fit = partial(fit_source if there is None else fit_device, self, source)
        with self._reporting() as report:
            fit(report)
        return self

    def _fit_to(self, rows: TrainingRows, report: Reporter | None) -> None:
        """Fit to checked rows, and set the fitted attributes."""
        self.__dict__.pop("n_reads_", None)
        if is_many(self, rows):
            fit_many(self, rows, report)
            return
        is_all_told = self._travels and self._weights().membership is None
        given, rows, which = arranged(rows, is_precomputed(self), merges=is_all_told)
        self._columns = learn_columns(self, rows.X, rows.copies)
        rows = replace(rows, X=fill_holes(self, rows.X))
        keys = row_keys(rows.X, rows.y)
        plan = self._compose(rows, report)
        found = self._search(plan)
        self._publish(plan, found, self._finished(plan, found))
        told = np.minimum(found.trust, 1.0)
        self.sample_trust_[given] = told[which]
        self._fit_rows = FitRows(keys, rows.part * found.best.known, told, found.likelihoods)

    # validate -----------------------------------------------------------------------------------

    @abstractmethod
    def _validate_rows(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        """Return the rows to fit: class numbers, or targets as given."""

    def _validate_training(self, X: Any, y: Any, **options: Any) -> tuple[Matrix, Any]:
        """Check X and y as scikit-learn does, and the shape of a precomputed kernel."""
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=np.float64,
            ensure_min_samples=2,
            ensure_all_finite="allow-nan",
            **options,
        )
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(
                "A precomputed kernel must be a square matrix of one row and one column per training "
                f"row; got shape {X.shape}. Pass kernel(X, X) to fit and kernel(X_new, X) to predict."
            )
        return X, y

    # compose ------------------------------------------------------------------------------------

    @abstractmethod
    def _likelihood(self) -> Likelihood:
        """Return the likelihood of this estimator."""

    @abstractmethod
    def _weights(self) -> Weights:
        """Return the weighting of this estimator."""

    @abstractmethod
    def _codings(self) -> tuple[Coding, ...]:
        """Return what makes each output's targets of the rows' ``y``."""

    def _compose(self, rows: TrainingRows, report: Reporter | None = None) -> FitPlan:
        """Return everything about the fit but the kernel."""
        generator = check_random_state(self.random_state)
        precomputed = self.kernel == "precomputed"
        centres = place_centres(rows, self.basis, self.landmarks, precomputed, generator)
        scaling = None if self.scaling is None or precomputed else robust_scaling(rows.X, rows.copies)
        if scaling is not None:
            rows = replace(rows, X=scaling(rows.X), variance=scaling.variance)
            centres = replace(centres, rows=scaling(centres.rows))
        return FitPlan(
            rows=rows,
            centres=centres,
            scaling=scaling,
            codings=self._codings(),
            likelihood=self._likelihood(),
            weights=self._weights(),
            prior=ARD(),
            solver=self._solver(),
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
            report=report,
        )

    def _solver(self) -> Variational | WorkingSet:
        if self.solver == "variational":
            return Variational(tol=self.tol)
        solver = WorkingSet(tol=self.tol, entry=ENTRY_FACTOR * self.tol)
        if self.random_state is None:  # what is looked at first is no reason for two answers
            return solver
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        return replace(solver, seed=seed)

    def _kernel_choice(self) -> KernelChoice:
        """Return what the user said of the kernel."""
        return KernelChoice(
            function=self.kernel,
            gamma=self.gamma,
            length_scales=self.length_scales,
            degree=self.degree,
            coef0=self.coef0,
            disagreement=self._disagreement,
        )

    def _search(self, plan: FitPlan) -> Average:
        """Find the kernel, and return the model."""
        return self._completed(plan, self._searched(plan))

    def _searched(self, plan: FitPlan) -> Average:
        """Find the kernel, and return the model as it was fitted."""
        return projected(plan, search_kernel(plan, self._kernel_choice()), self.sparsity)

    def _searched_plainly(self, plan: FitPlan) -> Average:
        """Find the kernel, targets taken as they are given."""
        return self._searched(plan)

    def _completed(self, plan: FitPlan, found: Average) -> Average:
        """Return a fitted model with whatever rows that were left out say of it."""
        return found

    def _look_again(self, plan: FitPlan, found: Average) -> Average:
        """Learn from a model of many rows what a search on few has learnt with the kernel."""
        return found

    def _reporting(self) -> AbstractContextManager[Reporter | None]:
        return reporting(self, self.max_iter)

    # publish ------------------------------------------------------------------------------------

    def _finished(self, plan: FitPlan, found: Average) -> PredictiveModel:
        """Return the model with what is known far from the data, in the user's units."""
        model = found.model
        anchors = remember_data(expected_rows(plan.rows.X), found.shares, self._gradual)
        if anchors is not None:
            weight = plan.rows.weight * found.trust
            centred = found.latent - np.average(found.latent, axis=0, weights=weight)
            variance = np.average(centred**2, axis=0, weights=weight)
            mean = self._prior_mean(plan, weight, found.latent, variance)
            model = replace(model, far=FarFromData(anchors, mean, variance, self._gradual))
        return model if plan.scaling is None else model.unscaled(plan.scaling)

    @abstractmethod
    def _prior_mean(self, plan: FitPlan, weight: Array, latent: Array, variance: Array) -> Array:
        """Return the mean of each latent function where nothing is known of the inputs."""

    def _publish(self, plan: FitPlan, found: Average, model: PredictiveModel) -> None:
        """Set the fitted attributes."""
        self.predictive_model_ = model
        self.intercept_, self.dual_coef_ = model.coefficients[:, 0], model.coefficients[:, 1:]
        self.covariance_ = model.covariance if model.spread is None else model.total_covariance
        self.weight_precision_, self.intercept_precision_ = found.precision, found.bias_precision
        self.relevance_ = found.positions
        self.relevance_vectors_ = with_holes(model.basis.centres)
        self.relevance_gamma_ = model.basis.gamma.copy()
        publish_kernels(self, plan, found)
        self.sample_trust_ = np.zeros(plan.rows.n_given)
        self.sample_trust_[plan.rows.index] = np.minimum(found.trust, 1.0)
        traces = found.traces
        self.lower_bounds_ = traces[0] if len(traces) == 1 else traces
        self.lower_bound_ = float(found.bound)
        self.n_iter_ = max(len(trace) for trace in traces)
        publish_far(self, model.far)

    # predict ------------------------------------------------------------------------------------

    def _validated_model(self, X: Any) -> tuple[PredictiveModel, Matrix]:
        """Return the fitted model, and rows that it can predict."""
        check_is_fitted(self)
        model: PredictiveModel = self.predictive_model_
        is_object = any(isinstance(part.kernel.function, KernelObject) for part in model.basis.parts)
        storage = False if is_object else "csr"
        if on_device(X):
            X = rows_there(self, X)
            if is_elsewhere(X):
                return model, X
        X = validate_data(
            self, X, accept_sparse=storage, dtype=np.float64, ensure_all_finite="allow-nan", reset=False
        )
        return model, fill_holes(self, X)

    def _judged(self, X: Matrix, y: Any, targets: Array) -> LeftOut:
        """Return what the model says of rows: rows of the fit are judged without themselves."""
        return self._fit_rows.judged(self.predictive_model_, X, y, targets)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_iter_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.array_api_support = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.allow_nan = self.missing is not None and self.kernel != "precomputed"
        return tags
