"""What all relevance vector machines share: validate, compose, solve, keep."""

from abc import abstractmethod
from numbers import Integral, Real

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_array, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data

from rowtrust.engines.memory import Design
from rowtrust.estimators._committee import Fit, average, member, stack
from rowtrust.estimators._latent import WITH_A_WIDTH, LatentMixin
from rowtrust.estimators._learning import LearningMixin, is_object
from rowtrust.estimators._rows import TrainingRows, scale_gamma
from rowtrust.estimators._support import CallbackSupportMixin, all_or_nothing, with_callbacks
from rowtrust.inference import Problem, Variational, WorkingSet, solve
from rowtrust.kernels import Basis, Kernel, distinct_rows, landmarks
from rowtrust.kernels.centres import LANDMARKS
from rowtrust.kernels.kernels import NAMES
from rowtrust.search.widths import SQUARED_WIDTHS, is_narrow_enough, tempered_shares


class RelevanceVectorMachine(LearningMixin, LatentMixin, CallbackSupportMixin, BaseEstimator):
    """Base of all estimators with the sparse prior. Subclasses name their noise and their weights."""

    _haste = 1.0
    """How many times looser the widths of a path are fitted than a single one."""

    _disagreement = True
    """Whether widths that disagree add to the variance of their average."""

    _parameter_constraints = {
        "kernel": [StrOptions(set(NAMES)), callable],
        "gamma": [StrOptions({"evidence", "scale"}), Interval(Real, 0.0, None, closed="neither")],
        "relevance": [None, StrOptions({"learnt"})],
        "degree": [Interval(Real, 0.0, None, closed="neither")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "basis": [None, Interval(Integral, 1, None, closed="left"), "array-like", "sparse matrix"],
        "landmarks": [StrOptions(set(LANDMARKS))],
        "solver": [StrOptions({"working_set", "variational"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        kernel="rbf",
        gamma="evidence",
        relevance=None,
        degree=3,
        coef0=1.0,
        basis=None,
        landmarks="stratified",
        solver="working_set",
        max_iter=1000,
        tol=1e-3,
        random_state=None,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.relevance = relevance
        self.degree = degree
        self.coef0 = coef0
        self.basis = basis
        self.landmarks = landmarks
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @with_callbacks
    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
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
        self._check_kernel()
        rows = self._place_centres(self._validate_rows(X, y, sample_weight))
        self._keep(rows, self._fit_kernel(rows))
        return self

    @abstractmethod
    def _validate_rows(self, X, y, sample_weight) -> TrainingRows:
        """Return the rows to fit, their targets in the noise's coding."""

    @abstractmethod
    def _compose_weights(self, rows, design):
        """Return the weighting of this estimator."""

    @abstractmethod
    def _compose_problems(self, rows, design, weights) -> list[Problem]:
        """Return one problem per output."""

    def _check_kernel(self):
        if isinstance(self.kernel, type):
            name = self.kernel.__name__
            raise TypeError(f"kernel must be a kernel, not a class of kernels: write {name}(), not {name}.")

    def _validate_training(self, X, y, **options):
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

    def _compose_design(self, rows, gamma, scales=None):
        """Return the design matrix."""
        kernel = Kernel(self.kernel, gamma, self.degree, self.coef0, scales)
        return Design(rows.X, Basis(kernel, rows.centres), rows.distinct)

    def _place_centres(self, rows):
        """Choose the centres, the same ones for all that is fitted to the rows."""
        distinct = distinct_rows(rows.X)
        centres, positions = self._choose_centres(rows, distinct)
        return rows.replace(distinct=distinct, centres=centres, centre_rows=positions)

    def _candidate_gammas(self, rows):
        """Return the inverse squared widths to fit: one, or for "evidence" a path from wide to narrow."""
        if not isinstance(self.gamma, str):
            return [float(self.gamma)]
        if self.kernel not in WITH_A_WIDTH:
            return [scale_gamma(rows) if self.kernel == "polynomial" else 1.0]
        if self.gamma == "scale":
            return [scale_gamma(rows)]
        return list(scale_gamma(rows) / SQUARED_WIDTHS)

    def _choose_centres(self, rows, candidates):
        """Return the centres and, for each, its position in what the user gave."""
        if self.basis is not None and not isinstance(self.basis, Integral):
            return self._given_centres(rows)
        if self.basis is not None:
            generator = check_random_state(self.random_state)
            candidates = landmarks(rows.X, rows.y, candidates, int(self.basis), self.landmarks, generator)
        positions = rows.index[candidates]
        return (positions if self.kernel == "precomputed" else rows.X[candidates]), positions

    def _given_centres(self, rows):
        if self.kernel == "precomputed":
            centres = np.asarray(self.basis)
            if centres.ndim != 1 or not np.issubdtype(centres.dtype, np.integer):
                raise ValueError(
                    "With kernel='precomputed', basis must be an int, or a one-dimensional array of "
                    f"column numbers of the kernel matrix; got {centres.dtype} of shape {centres.shape}."
                )
            if len(centres) == 0 or centres.min() < 0 or centres.max() >= rows.X.shape[1]:
                raise ValueError(
                    f"basis must name columns 0 to {rows.X.shape[1] - 1} of the precomputed kernel."
                )
            return centres, centres
        centres = check_array(self.basis, accept_sparse="csr", dtype=np.float64, input_name="basis")
        if centres.shape[1] != rows.X.shape[1]:
            raise ValueError(
                f"The centres in basis have {centres.shape[1]} features, X has {rows.X.shape[1]}. "
                "Give centres with the columns of X."
            )
        if issparse(rows.X) != issparse(centres):
            centres = centres.toarray() if issparse(centres) else centres
        centres = centres[distinct_rows(centres)]
        return centres, np.arange(centres.shape[0])

    # solve --------------------------------------------------------------------------------------

    def _compose_solver(self, haste=1.0):
        if self.solver == "variational":
            return Variational(tol=self.tol)
        if self.random_state is None:  # what is looked at first is no reason for two answers
            return WorkingSet(tol=haste * self.tol)
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        return WorkingSet(tol=haste * self.tol, seed=seed)

    def _fit_kernel(self, rows):
        """Fit with whatever there is to find out about the kernel: a width, scales, or a kernel object."""
        if is_object(self.kernel):
            return self._fit_object(rows)
        return self._fit_widths(rows) if self.relevance is None else self._fit_scales(rows)

    def _fit_widths(self, rows):
        """Fit every candidate width, widest first, and weigh them by their evidence."""
        context = self._init_callback_context(max_subtasks=None)
        context.call_on_fit_task_begin(estimator=self)
        gammas, fits = self._candidate_gammas(rows), []
        haste = self._haste if len(gammas) > 1 else 1.0
        for gamma in gammas:
            fits.append(self._fit_one_width(rows, gamma, context, haste=haste))
            best = max(fit.score for fit in fits)
            if is_narrow_enough(fits[-1].score, best, fits[-1].kept_share):
                break
        context.call_on_fit_task_end(estimator=self)
        shares = tempered_shares([fit.score for fit in fits])
        return [fit.replace(share=share) for fit, share in zip(fits, shares, strict=True) if share > 0]

    def _fit_one_width(self, rows, gamma, context, scales=None, haste=1.0):
        """Run the solver on every output, reporting each step to scikit-learn's callbacks."""
        design = self._compose_design(rows, gamma, scales)
        weights = self._compose_weights(rows, design)
        problems = self._compose_problems(rows, design, weights)
        solver, solutions = self._compose_solver(haste), []
        for number, problem in enumerate(problems):
            name = f"gamma={gamma:.3g}, output {number}"
            task = context.subcontext(task_name=name, max_subtasks=self.max_iter)
            task.call_on_fit_task_begin(estimator=self)
            solutions.append(solve(problem, solver, self.max_iter, self._observer(task)))
            task.call_on_fit_task_end(estimator=self)
        return Fit(gamma, design, rows.centre_rows, problems, solutions)

    def _observer(self, task):
        """Return a function that reports a solver's steps; True from a callback ends the run."""

        def observe(state, info):
            step = task.subcontext(task_name="step")
            step.call_on_fit_task_begin(estimator=self)
            return step.call_on_fit_task_end(estimator=self, metadata={"info": info})

        return observe if getattr(self, "_skl_callbacks", None) else None

    # keep ---------------------------------------------------------------------------------------

    def _keep(self, rows, fits):
        """Set the fitted attributes: all widths' columns side by side, weighted by their shares."""
        best = max(fits, key=lambda fit: fit.score)
        members = [member(fit) for fit in fits]
        self.intercept_, self.dual_coef_, self.covariance_ = average(fits, members, self._disagreement)
        self.weight_precision_ = np.column_stack([part.precision for part in members])
        self.relevance_ = np.concatenate([part.relevance for part in members])
        self.relevance_vectors_ = stack([part.vectors for part in members])
        self.relevance_gamma_ = np.repeat([fit.gamma for fit in fits], [len(p.relevance) for p in members])
        self.gamma_ = best.gamma
        self.kernel_ = best.design.basis.kernel.function
        scales = best.design.basis.kernel.scales
        self.feature_relevance_ = None if scales is None else 2.0 * scales**2
        self.gamma_share_ = {float(fit.gamma): float(fit.share) for fit in fits}
        trust = np.zeros(rows.n_given)
        trust[rows.index] = sum(fit.share * fit.trust() for fit in fits)
        self.sample_trust_ = trust
        bounds = best.traces()
        self.lower_bounds_ = bounds[0] if len(bounds) == 1 else bounds
        self.lower_bound_ = float(sum(trace[-1] for trace in bounds))
        self.n_iter_ = max(len(trace) for trace in bounds)
        self._keep_surroundings(rows)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "n_iter_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
