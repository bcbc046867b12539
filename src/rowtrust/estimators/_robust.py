"""Robust machines: the weight of every row is learnt, so that outliers lose their pull."""

from numbers import Real

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student
from sklearn.utils import check_array
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import column_or_1d

from rowtrust.estimators._audit import audit_table
from rowtrust.estimators._classifier import RelevanceVectorClassifier
from rowtrust.estimators._docs import documented
from rowtrust.estimators._regressor import RelevanceVectorRegressor
from rowtrust.likelihoods import Gaussian, Logistic
from rowtrust.likelihoods.logistic import moderated
from rowtrust.weights import HWANG_TRUST_PRIOR, Gamma

FIRST_TRUST = 3.0
"""Where a learnt prior starts: tails between those of dirty and of clean targets."""


@documented
class RobustRVC(RelevanceVectorClassifier):
    """Robust relevance vector classifier (Hwang & Jeong 2015).

    Each row's likelihood is raised to a power with a Gamma prior, learnt with the model. A row whose
    label the rest of the data contradicts gets a small weight, its loss is bounded, and
    :meth:`audit` names it.

    Probabilities are those of the true label, in data of which some labels are wrong: they are about right
    where one in twenty is, and too sure where none is (there :class:`RVC` is better calibrated).

    Parameters
    ----------
    {parameters}
    {class_weight}
    trust_prior : float, default=2 - ln 2
        Shape and rate of the weights' Gamma prior (the paper's r): the bound on a row's loss. Smaller
        distrusts sooner. At the default the weighted loss has its steepest slope at the boundary.
    {solver_parameters}

    Attributes
    ----------
    trust_prior_ : float
        The prior in use.
    {classes}
    {attributes}

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_moons
    >>> from rowtrust import RobustRVC
    >>> X, y = make_moons(200, noise=0.1, random_state=0)
    >>> y[:10] = 1 - y[:10]
    >>> model = RobustRVC(gamma=2.0, random_state=0).fit(X, y)
    >>> suspects = model.audit(X, y)[:10]
    >>> rows = suspects.index if hasattr(suspects, "index") else suspects["row"]
    >>> len(set(rows) & set(range(10))) >= 8
    True
    """

    _parameter_constraints = {
        **RelevanceVectorClassifier._parameter_constraints,
        "trust_prior": [Interval(Real, 0.0, None, closed="neither")],
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
        class_weight=None,
        trust_prior=HWANG_TRUST_PRIOR,
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
        self.trust_prior = trust_prior

    def _compose_weights(self, rows, design):
        return Gamma(float(self.trust_prior))

    def _keep(self, rows, fits):
        super()._keep(rows, fits)
        self.trust_prior_ = sum(fit.share * fit.states[0].weights.trust for fit in fits)

    def audit(self, X, y):
        """Say which rows are likely to be wrong, the most suspicious first.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows of the fit, or others.
        y : array-like of shape (n_samples,)
            Their labels as given.

        Returns
        -------
        DataFrame, or structured array where pandas is not installed
            Of ``label`` as given, the ``suggested`` label, the model's ``probability`` of the given
            label and the ``trust`` in the row (its expected weight). The index (the field ``row``) is
            that of X.
        """
        mean, variance = self._latent_moments(X)
        label, given = self._label_numbers(y, len(mean))
        probability = self._probability(moderated(mean, variance))
        positive = [1] if len(self.classes_) == 2 else np.arange(len(self.classes_))
        target = (label[:, None] == positive).astype(float)
        loss = Logistic().sites(target, mean, variance).expected_loss(mean, variance)
        weights = Gamma(self.trust_prior_).learn(loss, Logistic.weight_exponent, slice(None))
        return audit_table(
            X,
            order=weights.expected.min(axis=1),
            label=given,
            suggested=self.classes_[np.argmax(probability, axis=1)],
            probability=probability[np.arange(len(label)), label],
            trust=weights.expected.min(axis=1),
        )

    def _label_numbers(self, y, n_rows):
        """Return labels as positions in ``classes_`` and as given."""
        given = column_or_1d(y)
        if len(given) != n_rows:
            raise ValueError(f"X has {n_rows} rows but y has {len(given)} labels; give one per row.")
        unknown = given[~np.isin(given, self.classes_)]
        if len(unknown):
            raise ValueError(
                f"y holds labels that were not in the fit: {unknown[:5].tolist()}. "
                f"The classes are {self.classes_.tolist()}."
            )
        return np.searchsorted(self.classes_, given), given


@documented
class RobustRVR(RelevanceVectorRegressor):
    """Robust relevance vector regressor: Student's t noise (Tipping & Lawrence 2005).

    Each row's noise precision is multiplied by a weight with a Gamma prior, learnt with the model. A
    target far from what the rest of the data say gets a small weight, and :meth:`audit` names it.

    Parameters
    ----------
    {parameters}
    trust_prior : "learnt" or float, default="learnt"
        Shape and rate of the weights' Gamma prior; twice this many degrees of freedom has the noise.
        "learnt" finds it between 1 (many gross outliers) and 10 (practically Gaussian).
    {solver_parameters}

    Attributes
    ----------
    trust_prior_ : float
        The prior in use.
    {noise}
    {attributes}

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust import RobustRVR
    >>> X = np.linspace(-10, 10, 100)[:, None]
    >>> y = np.sinc(X[:, 0] / np.pi)
    >>> y[::20] += 3.0
    >>> model = RobustRVR(gamma=0.1).fit(X, y)
    >>> bool(abs(model.predict([[0.0]])[0] - 1.0) < 0.05)
    True
    """

    _parameter_constraints = {
        **RelevanceVectorRegressor._parameter_constraints,
        "trust_prior": [StrOptions({"learnt"}), Interval(Real, 0.0, None, closed="neither")],
    }
    _robust_scale = True

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
        trust_prior="learnt",
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
        self.trust_prior = trust_prior

    def _compose_weights(self, rows, design):
        if self.trust_prior == "learnt":
            return Gamma(FIRST_TRUST, learnt=True)
        return Gamma(float(self.trust_prior))

    def _keep(self, rows, fits):
        self.trust_prior_ = sum(fit.share * fit.states[0].weights.trust for fit in fits)
        super()._keep(rows, fits)

    def _interval_factor(self):
        """Return the factor with which a Gaussian has the 95 % interval of the noise, Student's t."""
        return (student.ppf(0.975, 2.0 * self.trust_prior_) / norm.ppf(0.975)) ** 2

    def audit(self, X, y):
        """Say which rows are likely to be wrong, the most suspicious first.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows of the fit, or others.
        y : array-like of shape (n_samples,)
            Their targets as given.

        Returns
        -------
        DataFrame, or structured array where pandas is not installed
            Of the ``target`` as given, the ``suggested`` one, the standardised ``residual`` and the
            ``trust`` in the row (its expected weight). The index (the field ``row``) is that of X.
        """
        mean, variance = (moment[:, 0] for moment in self._latent_moments(X))
        target = column_or_1d(check_array(y, ensure_2d=False, dtype=np.float64, input_name="y"))
        if len(target) != len(mean):
            raise ValueError(f"X has {len(mean)} rows but y has {len(target)} targets; give one per row.")
        noise = Gaussian(self.noise_precision_)
        loss = noise.sites(target, mean, variance).expected_loss(mean, variance)
        weights = Gamma(self.trust_prior_).learn(loss, noise.weight_exponent, slice(None))
        return audit_table(
            X,
            order=weights.expected,
            target=target,
            suggested=mean,
            residual=(target - mean) / np.sqrt(variance + 1.0 / self.noise_precision_),
            trust=weights.expected,
        )
