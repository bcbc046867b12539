"""What all sparse Bayesian machines share: validate, compose, search, publish."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import AbstractContextManager
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.gaussian_process.kernels import Kernel as KernelObject
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from rowtrust.contracts import Array, Matrix
from rowtrust.estimators._audit import FitRows, row_keys
from rowtrust.estimators._callbacks import CallbackSupportMixin, all_or_nothing, reporting, with_callbacks
from rowtrust.estimators._validation import place_centres
from rowtrust.inference import Coding, Variational, WorkingSet
from rowtrust.kernels.centres import LANDMARKS
from rowtrust.kernels.kernels import NAMES
from rowtrust.likelihoods import Likelihood
from rowtrust.predictive import FarFromData, LeftOut, PredictiveModel, remember_data
from rowtrust.priors import ARD
from rowtrust.search import Average, FitPlan, KernelChoice, TrainingRows, search_kernel
from rowtrust.search.fits import Reporter
from rowtrust.weights import Weights

ENTRY_FACTOR = 100.0
"""How many times ``tol`` a vector must gain to enter: a fifth of a nat by default, see ``ENTRY`` of the
solver."""


class SparseBayesMachine(CallbackSupportMixin, BaseEstimator):  # type: ignore[misc]
    """Base of all estimators with the sparse prior. Subclasses name their likelihood and their weights."""

    _disagreement: ClassVar[bool] = True
    """Whether widths that disagree add to the variance of their average."""

    _gradual: ClassVar[bool] = True
    """Whether the variance grows with what the data leave unexplained, however near they are."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions(set(NAMES)), callable],
        "gamma": [StrOptions({"evidence", "scale"}), Interval(Real, 0.0, None, closed="neither")],
        "length_scales": [None, StrOptions({"learnt"})],
        "degree": [Interval(Real, 0.0, None, closed="neither")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "basis": [None, Interval(Integral, 1, None, closed="left"), "array-like", "sparse matrix"],
        "landmarks": [StrOptions(set(LANDMARKS))],
        "solver": [StrOptions({"working_set", "variational"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        gamma: Any = "evidence",
        length_scales: Any = None,
        degree: float = 3,
        coef0: float = 1.0,
        basis: Any = None,
        landmarks: str = "stratified",
        solver: str = "working_set",
        max_iter: int = 1000,
        tol: float = 2e-3,
        n_jobs: Any = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.length_scales = length_scales
        self.degree = degree
        self.coef0 = coef0
        self.basis = basis
        self.landmarks = landmarks
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state

    @with_callbacks  # type: ignore[untyped-decorator]
    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows, or a square kernel matrix if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Class labels, or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            How many copies of itself each row stands for. It multiplies the likelihood.

        Returns
        -------
        self
        """
        self._validate_params()
        rows = self._validate_rows(X, y, sample_weight)
        keys = row_keys(rows.X, rows.y)
        with self._reporting() as report:
            plan = self._compose(rows, report)
            found = self._search(plan)
        self._publish(plan, found, self._finished(plan, found))
        self._fit_rows = FitRows(keys, rows.part * found.best.known, found.trust, found.likelihoods)
        return self

    # validate -----------------------------------------------------------------------------------

    @abstractmethod
    def _validate_rows(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        """Return the rows to fit: class numbers, or targets as given."""

    def _validate_training(self, X: Any, y: Any, **options: Any) -> tuple[Matrix, Any]:
        """Check X and y as scikit-learn does, and the shape of a precomputed kernel."""
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2, **options
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
        return FitPlan(
            rows=rows,
            centres=place_centres(rows, self.basis, self.landmarks, precomputed, generator),
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
        return search_kernel(plan, self._kernel_choice())

    def _reporting(self) -> AbstractContextManager[Reporter | None]:
        return reporting(self, self.max_iter)

    # publish ------------------------------------------------------------------------------------

    def _finished(self, plan: FitPlan, found: Average) -> PredictiveModel:
        """Return the model with what is known far from the data, in the user's units."""
        anchors = remember_data(plan.rows.X, found.model.basis.kernel, found.shares, self._gradual)
        if anchors is None:
            return found.model
        weight = plan.rows.weight * found.trust
        centred = found.latent - np.average(found.latent, axis=0, weights=weight)
        variance = np.average(centred**2, axis=0, weights=weight)
        mean = self._prior_mean(plan, weight, found.latent, variance)
        return replace(found.model, far=FarFromData(anchors, mean, variance, self._gradual))

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
        self.relevance_vectors_ = model.basis.centres
        self.relevance_gamma_ = np.broadcast_to(model.basis.kernel.gamma, len(found.positions)).copy()
        self.gamma_, self.gamma_share_ = found.best.gamma, found.shares
        self.kernel_ = model.basis.kernel.function
        scales = model.basis.kernel.scales
        self.feature_relevance_ = None if scales is None else 2.0 * scales**2
        self.sample_trust_ = np.zeros(plan.rows.n_given)
        self.sample_trust_[plan.rows.index] = found.trust
        traces = found.traces
        self.lower_bounds_ = traces[0] if len(traces) == 1 else traces
        self.lower_bound_ = float(found.bound)
        self.n_iter_ = max(len(trace) for trace in traces)
        self._publish_far(model.far)

    def _publish_far(self, far: FarFromData | None) -> None:
        """Set what is remembered of where the data are."""
        self.prior_mean_ = None if far is None else far.mean
        self.prior_variance_ = None if far is None else far.variance
        anchors = None if far is None else far.anchors
        self.anchors_ = None if anchors is None else anchors.rows
        self.anchor_whitener_ = None if anchors is None else anchors.whitener
        self.anchor_gamma_ = None if anchors is None else float(anchors.kernel.gamma)
        self.anchor_slack_ = None if anchors is None else anchors.slack
        self.anchor_reach_ = None if anchors is None else anchors.reach

    # predict ------------------------------------------------------------------------------------

    def _validated_model(self, X: Any) -> tuple[PredictiveModel, Matrix]:
        """Return the fitted model, and rows that it can predict."""
        check_is_fitted(self)
        model: PredictiveModel = self.predictive_model_
        storage = False if isinstance(model.basis.kernel.function, KernelObject) else "csr"
        return model, validate_data(self, X, accept_sparse=storage, dtype=np.float64, reset=False)

    def _judged(self, X: Matrix, y: Any, targets: Array) -> LeftOut:
        """Return what the model says of rows: rows of the fit are judged without themselves."""
        return self._fit_rows.judged(self.predictive_model_, X, y, targets)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_iter_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
