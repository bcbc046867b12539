"""Fuzzy machines: a membership per row, known before the fit, weights its error term."""

import numpy as np
from sklearn.utils._param_validation import StrOptions

from rowtrust.estimators._classifier import RelevanceVectorClassifier
from rowtrust.estimators._docs import documented
from rowtrust.estimators._regressor import RelevanceVectorRegressor
from rowtrust.inference import solve
from rowtrust.inference.passes import latent_means
from rowtrust.memberships.functions import MEMBERSHIPS, Context, Membership, normalised, resolve
from rowtrust.weights import Fixed, Unit

CONSTRAINTS = {
    "membership": [StrOptions(set(MEMBERSHIPS)), Membership, callable, "array-like"],
    "normalise_membership": ["boolean"],
}


class FuzzyMixin:
    """Weights from a membership function, which may look at the kernel and at a plain fit."""

    def _compose_weights(self, rows, design):
        membership = self._given_membership(rows)
        context = Context(
            kernel_rows=lambda block: self._kernel_rows(rows, design, block),
            first_fit=lambda: self._first_fit(rows, design),
            sample_weight=rows.copies,
            precomputed=self.kernel == "precomputed",
        )
        values = resolve(membership, rows.X, rows.y, context)
        return Fixed(normalised(values, rows.copies) if self.normalise_membership else values)

    def _given_membership(self, rows):
        """Return the membership; of an array, the entries of the rows that take part."""
        if isinstance(self.membership, str | Membership) or callable(self.membership):
            return self.membership
        values = np.asarray(self.membership, dtype=float)
        if values.shape != (rows.n_given,):
            raise ValueError(
                f"membership has shape {values.shape} but X has {rows.n_given} rows; give one "
                "membership per row."
            )
        return values[rows.index]

    def _kernel_rows(self, rows, design, block):
        """Return the kernel between the rows of a block and all rows."""
        everyone = rows.index if self.kernel == "precomputed" else rows.X
        return design.basis.kernel(rows.X[block], everyone)

    def _first_fit(self, rows, design):
        """Return how each row agrees with a plain fit: its margin, or its residual."""
        solver = self._compose_solver()
        problems = self._compose_problems(rows, design, Unit())
        states = [solve(problem, solver, self.max_iter).state for problem in problems]
        pairs = zip(problems, states, strict=True)
        return self._agreement(rows, np.column_stack([latent_means(*pair) for pair in pairs]))


@documented
class FuzzyRVC(FuzzyMixin, RelevanceVectorClassifier):
    """Fuzzy relevance vector classifier, for rare classes and noise (Li et al. 2008).

    Each row's likelihood is raised to a membership between 0 and 1 that is computed before the fit:
    from its distance to its class, its neighbours, its age, or how rare its class is.

    Parameters
    ----------
    {parameters}
    {class_weight}
    membership : str, Membership, callable or array-like of shape (n_samples,), default="imbalance"
        A name from ``rowtrust.memberships.functions.MEMBERSHIPS``, an instance from that module with its
        own settings, a callable ``membership(X, y)``, or the memberships themselves, all in (0, 1].
    normalise_membership : bool, default=False
        Whether to scale the memberships to mean one. The size of a power likelihood matters: small
        memberships everywhere say that there are few rows, and make the model sparser.
    {solver_parameters}

    Attributes
    ----------
    {classes}
    {attributes}

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

    _parameter_constraints = {**RelevanceVectorClassifier._parameter_constraints, **CONSTRAINTS}

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
        class_weight=None,
        membership="imbalance",
        normalise_membership=False,
        solver="working_set",
        max_iter=1000,
        tol=1e-3,
        random_state=None,
    ):
        super().__init__(
            kernel=kernel,
            gamma=gamma,
            relevance=relevance,
            degree=degree,
            coef0=coef0,
            basis=basis,
            landmarks=landmarks,
            class_weight=class_weight,
            solver=solver,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
        )
        self.membership = membership
        self.normalise_membership = normalise_membership

    def _agreement(self, rows, latent):
        """Return the signed margin of the given label: positive on its own side of the boundary."""
        if latent.shape[1] == 1:
            return (2 * rows.y - 1) * latent[:, 0]
        return latent[np.arange(len(rows.y)), rows.y]


@documented
class FuzzyRVR(FuzzyMixin, RelevanceVectorRegressor):
    """Fuzzy relevance vector regressor (Li et al. 2008).

    Each row's error term is weighted by a membership between 0 and 1 that is computed before the fit:
    from its residual under a plain fit, its age, or by the user.

    Parameters
    ----------
    {parameters}
    membership : str, Membership, callable or array-like of shape (n_samples,), default="residual"
        A name from ``rowtrust.memberships.functions.MEMBERSHIPS`` that needs no classes, an instance from
        that module with its own settings, a callable ``membership(X, y)``, or the memberships
        themselves, all in (0, 1].
    normalise_membership : bool, default=False
        Whether to scale the memberships to mean one.
    {solver_parameters}

    Attributes
    ----------
    {noise}
    {attributes}

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust import FuzzyRVR
    >>> X = np.linspace(-10, 10, 100)[:, None]
    >>> y = np.sinc(X[:, 0] / np.pi)
    >>> model = FuzzyRVR(gamma=0.1).fit(X, y)
    >>> bool(model.score(X, y) > 0.99)
    True
    """

    _parameter_constraints = {**RelevanceVectorRegressor._parameter_constraints, **CONSTRAINTS}

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
        membership="residual",
        normalise_membership=False,
        solver="working_set",
        max_iter=1000,
        tol=1e-3,
        random_state=None,
    ):
        super().__init__(
            kernel=kernel,
            gamma=gamma,
            relevance=relevance,
            degree=degree,
            coef0=coef0,
            basis=basis,
            landmarks=landmarks,
            solver=solver,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
        )
        self.membership = membership
        self.normalise_membership = normalise_membership

    def _agreement(self, rows, latent):
        """Return the residuals of the standardised targets."""
        return self._standardise(rows)[0].y - latent[:, 0]
