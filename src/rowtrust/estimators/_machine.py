"""What all sparse Bayesian machines share: validate, make a plan, fit it, publish what was found."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.gaussian_process.kernels import Kernel as KernelObject
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from rowtrust.contracts import Matrix
from rowtrust.engines import RowSource, draw_sample, on_device, rows_there
from rowtrust.estimators._callbacks import CallbackSupportMixin, all_or_nothing, reporting, with_callbacks
from rowtrust.estimators._rows import located, validated
from rowtrust.fitting import (
    AllRows,
    Budget,
    Fitted,
    KernelChoice,
    Plan,
    TrainingRows,
    fit,
    fit_rows,
    refuse_missing,
)
from rowtrust.inference import Coding, Variational, WorkingSet
from rowtrust.kernels import NAMES, WITH_A_WIDTH, with_holes
from rowtrust.likelihoods import Likelihood
from rowtrust.numerics.array_api import is_elsewhere
from rowtrust.numerics.magnitudes import within_doubles
from rowtrust.predictive import PredictiveModel
from rowtrust.priors import ARD
from rowtrust.weights import Weights


def keep(estimator: Any, arguments: dict[str, Any]) -> None:
    """Set the parameters of an estimator: all local names of its ``__init__`` but itself."""
    for name, value in arguments.items():
        if name not in ("self", "__class__"):
            setattr(estimator, name, value)


class SparseBayesMachine(CallbackSupportMixin, BaseEstimator):  # type: ignore[misc]
    """Base of all estimators with the sparse prior. Subclasses say what is special about their plan."""

    _budget: ClassVar[Budget] = Budget()
    """Limits of every fit."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions({"auto", "poly", *NAMES}), callable],
        "gamma": [StrOptions({"evidence", "scale"}), Interval(Real, 0.0, None, closed="neither")],
        "scaling": [None, StrOptions({"robust"})],
        "degree": [Interval(Real, 0.0, None, closed="neither")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "basis": [
            None,
            StrOptions({"auto"}),
            Interval(Integral, 1, None, closed="left"),
            "array-like",
            "sparse matrix",
        ],
        "sparsity": [Interval(Real, 0.0, None, closed="left")],
        "missing": [None, StrOptions({"expected"})],
        "solver": [StrOptions({"working_set", "variational"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    kernel: Any
    gamma: Any
    scaling: Any
    degree: float
    coef0: float
    basis: Any
    sparsity: float
    missing: str | None
    solver: str
    max_iter: int
    tol: float
    n_jobs: Any
    random_state: Any
    fitted_: Fitted

    @with_callbacks  # type: ignore[untyped-decorator]
    @all_or_nothing
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or where rows are read from
            Training rows, or a square kernel matrix if ``kernel="precomputed"``. Rows that are not in memory:
            the path of a Parquet or CSV file or of a folder of them, a pyarrow dataset, an iterable of blocks
            ``(X, y)`` or ``(X, y, weight)`` that starts anew each time (a list, or an object whose
            ``__iter__`` makes a generator), dask arrays and dataframes. Up to 256 MiB of them are read into
            memory and are an array from then on; more are read piece by piece, some ten times, dask's where
            their partitions are, by the scheduler that ``dask.compute`` would take. Under scikit-learn's
            ``array_api_dispatch`` all may be arrays of PyTorch or CuPy: many rows stay on their device, where
            all work on them is done.
        y : array-like of shape (n_samples,)
            Class labels, or targets. A regressor takes several targets, shape (n_samples, n_targets): each
            gets a machine with its own kernel and noise, as if it were fitted alone. The name of its column
            where X is a file or a dataset; all other columns are inputs. None where X has blocks. A dask
            array, a series, or the name of a column where X is one of dask's: of a dataframe all other
            columns of numbers are inputs.
        sample_weight : array-like of shape (n_samples,), default=None
            How many copies of it each row counts as. It multiplies the likelihood. The name of its
            column where X is a file or a dataset.

        Returns
        -------
        object
            The estimator itself, fitted.
        """
        self._validate_params()
        X, y, sample_weight, source = located(X, y, sample_weight, self._budget)
        forget_fit(self)
        with reporting(self, self.max_iter) as report:
            if source is None:
                self._fit_rows(self._validate_rows(X, y, sample_weight), report)
            else:
                self._fit_source(source, report)
        return self

    def _fit_rows(self, rows: TrainingRows, report: Any) -> None:
        """Fit to checked rows in memory."""
        self._publish(fit_rows(self._plan(report), rows))

    def _fit_source(self, source: RowSource, report: Any) -> None:
        """Fit to rows that are too many for memory, or on a device. Nothing is kept of their size."""
        sample = draw_sample(source, self._seed(), is_classifier(self), self._budget.sample_sizes)
        drawn = sample.rows
        rows = self._validate_rows(drawn.X, drawn.y, drawn.weight * sample.stands_for)
        rows = replace(rows, index=drawn.index[rows.index], n_given=sample.n_rows)
        plan = self._plan(report)
        if needs := plan.needs_all_rows:
            raise ValueError(
                f"{type(self).__name__} with {needs} needs all rows at once: give arrays in memory, or leave "
                "that parameter at its default. Where rows are read piece by piece, RobustRVC and RobustRVR "
                "learn how far to trust each row; known memberships may be given as sample weights."
            )
        classes, factors = None, None
        if plan.is_of_classes:
            classes = self.classes_  # type: ignore[attr-defined]
            factor = rows.weight / rows.copies
            factors = np.array([np.average(factor[rows.y == k]) for k in range(len(classes))])
        fitted = fit(plan, rows, AllRows(source, sample.total, classes, factors))
        if hasattr(source, "X"):  # an array on a device: each row has its trust
            fitted = fitted.with_all_rows(source, classes, slice(None), sample.n_rows)
        if source.names is not None:
            self.feature_names_in_ = np.asarray(source.names, dtype=object)
        self._publish(fitted)

    # validate -----------------------------------------------------------------------------------

    @abstractmethod
    def _validate_rows(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        """Return the rows to fit: class numbers, or targets as given."""

    def _validate_training(self, X: Any, y: Any, **options: Any) -> tuple[Matrix, Any]:
        """Check X and y as scikit-learn does, and the shape of a precomputed kernel."""
        X, y = validated(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=np.float64,
            ensure_min_samples=2,
            ensure_all_finite="allow-nan",
            **options,
        )
        precomputed = isinstance(self.kernel, str) and self.kernel == "precomputed"
        if precomputed and X.shape[0] != X.shape[1]:
            raise ValueError(
                "A precomputed kernel must be a square matrix of one row and one column per training "
                f"row; got shape {X.shape}. Pass kernel(X, X) to fit and kernel(X_new, X) to predict."
            )
        if self.missing is None or precomputed or not isinstance(X, np.ndarray):
            refuse_missing(X, type(self).__name__)
        return X, y

    # plan ---------------------------------------------------------------------------------------

    @abstractmethod
    def _likelihood(self) -> Likelihood:
        """Return the likelihood of this estimator."""

    @abstractmethod
    def _weights(self) -> Weights:
        """Return the weighting of this estimator."""

    @abstractmethod
    def _codings(self) -> tuple[Coding, ...]:
        """Return what makes each output's targets of the rows' ``y``."""

    def _plan(self, report: Any = None) -> Plan:
        """Return everything about the fit but the rows."""
        seed = self._seed()
        kernel = "polynomial" if isinstance(self.kernel, str) and self.kernel == "poly" else self.kernel
        solver: Any = Variational(tol=self.tol)
        if self.solver == "working_set":
            solver = WorkingSet(self.tol, WorkingSet.entry / WorkingSet.tol * self.tol, seed=seed)
        return Plan(
            likelihood=self._likelihood(),
            weights=self._weights(),
            prior=ARD(),
            codings=self._codings(),
            kernel=KernelChoice(kernel, self.gamma, self.degree, self.coef0),
            solver=solver,
            max_iter=self.max_iter,
            basis=self.basis,
            scales=self.scaling is not None,
            fills=self.missing is not None,
            sparsity=self.sparsity,
            seed=seed,
            n_jobs=self.n_jobs,
            report=report,
            budget=self._budget,
        )

    def _seed(self) -> int:
        """Return the seed of all draws: the same one where no random state is given."""
        if self.random_state is None or isinstance(self.random_state, Integral):
            return int(self.random_state or 0)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    # publish ------------------------------------------------------------------------------------

    def _publish(self, fitted: Fitted) -> None:
        """Set the fitted attributes: all of them are read off the record."""
        model = fitted.model
        self.fitted_ = fitted
        self.intercept_, self.dual_coef_ = model.coefficients[:, 0], model.coefficients[:, 1:]
        self.covariance_ = model.covariance if model.spread is None else model.total_covariance
        self.weight_precision_, self.intercept_precision_ = fitted.precision, fitted.bias_precision
        self.relevance_ = fitted.positions
        self.relevance_vectors_ = with_holes(model.basis.centres)
        self.relevance_gamma_ = model.basis.gamma.copy()
        self.lower_bounds_ = fitted.traces[0] if len(fitted.traces) == 1 else list(fitted.traces)
        self.lower_bound_ = fitted.bound
        self.n_iter_ = max(len(trace) for trace in fitted.traces)
        if fitted.sample_trust is not None:
            self.sample_trust_ = fitted.sample_trust
        if fitted.expected_weight is not None:
            self.expected_weight_ = fitted.expected_weight
        if fitted.n_passes is not None:
            self.n_reads_ = fitted.n_passes
        self._publish_kernels(fitted)
        far = model.far
        self.prior_mean_ = None if far is None else far.mean
        self.prior_variance_ = model.prior_variance

    def _publish_kernels(self, fitted: Fitted) -> None:
        """Set what was found out about kernels and inputs."""
        best = fitted.best
        self.gamma_, self.kernel_ = float(np.max(best.gamma)), best.function
        widths, names = Counter[float](), Counter[str]()
        for kernel, share in fitted.kernels:
            name = kernel.function if isinstance(kernel.function, str) else repr(kernel.function)
            widths[float(np.max(kernel.gamma))] += share  # type: ignore[assignment]
            names[name] += share  # type: ignore[assignment]
        self.gamma_share_, self.kernel_share_ = dict(widths), dict(names)
        self.scale_ = fitted.input_scale
        self.feature_relevance_ = None
        if best.metric is not None and best.function in WITH_A_WIDTH:
            unit = 1.0 if self.scale_ is None else self.scale_
            lengths = np.linalg.norm(best.metric.reshape(len(best.metric), -1), axis=1)
            with np.errstate(over="ignore", under="ignore"):
                self.feature_relevance_ = within_doubles(2.0 * best.gamma * (lengths / unit) ** 2)

    # predict ------------------------------------------------------------------------------------

    @property
    def predictive_model_(self) -> PredictiveModel | None:
        """The fitted model; None where there is one for each of several targets."""
        return None if hasattr(self, "estimators_") else self.fitted_.model

    def _validated(self, X: Any) -> Matrix:
        """Return rows that the fitted model can predict."""
        check_is_fitted(self)
        parts = self.fitted_.model.basis.parts
        storage = False if any(isinstance(part.kernel.function, KernelObject) for part in parts) else "csr"
        if on_device(X):
            X = rows_there(X, self.n_features_in_)
            if is_elsewhere(X):
                return X
        X = validated(
            self, X, accept_sparse=storage, dtype=np.float64, ensure_all_finite="allow-nan", reset=False
        )
        if self.fitted_.columns is None or not isinstance(X, np.ndarray):
            refuse_missing(X, type(self).__name__)
        return self.fitted_.filled(X)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "fitted_") or hasattr(self, "estimators_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.array_api_support = True
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        tags.input_tags.allow_nan = self.missing is not None and not tags.input_tags.pairwise
        return tags


def budget() -> Budget:
    """Return the limits of every fit."""
    return SparseBayesMachine._budget


def forget_fit(estimator: Any) -> None:
    """Take away what an earlier fit has left."""
    for name in [name for name in vars(estimator) if name.endswith("_") and not name.startswith("_")]:
        delattr(estimator, name)
