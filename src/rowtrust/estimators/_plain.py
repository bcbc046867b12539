"""The relevance vector machine of Tipping (2001): every row counts once."""

from rowtrust.estimators._classifier import RelevanceVectorClassifier
from rowtrust.estimators._docs import documented
from rowtrust.estimators._regressor import RelevanceVectorRegressor
from rowtrust.weights import Unit


@documented
class RVC(RelevanceVectorClassifier):
    """Relevance vector classifier (Tipping 2001; Bishop & Tipping 2000).

    Sparse, probabilistic, with no regularisation parameter to tune. It trusts every label: where
    labels may be wrong use :class:`RobustRVC`.

    Parameters
    ----------
    {parameters}
    {class_weight}
    {solver_parameters}

    Attributes
    ----------
    {classes}
    {attributes}

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

    def _compose_weights(self, rows, design):
        return Unit()


@documented
class RVR(RelevanceVectorRegressor):
    """Relevance vector regressor (Tipping 2001; Tipping & Faul 2003).

    Sparse, with error bars, with no regularisation parameter to tune. It trusts every target: where
    some may be wrong use :class:`RobustRVR`.

    Parameters
    ----------
    {parameters}
    {solver_parameters}

    Attributes
    ----------
    {noise}
    {attributes}

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust import RVR
    >>> X = np.linspace(-10, 10, 100)[:, None]
    >>> y = np.sinc(X[:, 0] / np.pi)
    >>> model = RVR(gamma=0.1).fit(X, y)
    >>> mean, std = model.predict([[0.0]], return_std=True)
    >>> bool(abs(mean[0] - 1.0) < 0.01)
    True
    """

    def _compose_weights(self, rows, design):
        return Unit()
