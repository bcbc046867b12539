"""Sentences of Li et al. (2008), sections 1 and 2, that no record of the study answers: tried or computed."""

from __future__ import annotations

import numpy as np
from scipy import optimize, stats
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import recall_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from papers.li.lookups import SEVERELY
from papers.li.theory import AS_PRINTED, GAMMA, ROWS, basis, fitted, marginal_log_likelihood
from rowtrust.contracts import Array
from rowtrust.datasets import make_imbalanced_blobs, make_sinc
from rowtrust.estimators import RVR, FuzzyRVR

RATIOS, DRAWS = (1, 100), 5
"""Common rows per rare row, balanced and as the clouds of our study have at most; draws of each."""

TRAINED, TESTED = 606, 6060
"""Rows of a draw to learn from and to judge by, as in our study."""

LEARNERS = {
    "logistic regression": LogisticRegression(),
    "5 neighbours": KNeighborsClassifier(),
    "SVM": SVC(),
    "tree": DecisionTreeClassifier(random_state=0),
}
"""Common learning algorithms of scikit-learn, as they come."""


def many_learners_suffer() -> tuple[bool, str]:
    """Tell how many common learners lose severely in G-mean where one class is rare, labels being right."""
    means = {name: [g_mean(name, ratio) for ratio in RATIOS] for name in LEARNERS}
    severe = [name for name, (balanced, rare) in means.items() if rare < SEVERELY * balanced]
    shown = ", ".join(f"{name} {balanced:.2f} to {rare:.2f}" for name, (balanced, rare) in means.items())
    return 2 * len(severe) > len(LEARNERS), (
        f"G-mean on clouds from 1:{RATIOS[0]} to 1:{RATIOS[1]}, mean of {DRAWS} draws: {shown}; below "
        f"{SEVERELY:.0%} of the balanced one: {len(severe)} of {len(LEARNERS)}"
    )


def g_mean(name: str, ratio: float) -> float:
    """Return the mean G-mean of a learner over draws of clouds."""
    found = []
    for draw in range(DRAWS):
        X, y = make_imbalanced_blobs(TRAINED, ratio=ratio, random_state=draw)
        X_test, y_test = make_imbalanced_blobs(TESTED, ratio=ratio, random_state=1000 + draw)
        predicted = LEARNERS[name].fit(X, y).predict(X_test)
        found.append(float(np.sqrt(np.prod(recall_score(y_test, predicted, average=None)))))
    return float(np.mean(found))


def weights_of_one_violation() -> float:
    """Return how far the fuzzy machine with all memberships at one is from the plain one."""
    X, y = make_sinc(ROWS, noise=0.1, random_state=0)
    new = np.linspace(-9.0, 9.0, 50)[:, None]
    plain = RVR(kernel="rbf", gamma=GAMMA, **AS_PRINTED).fit(X, y)
    fuzzy = FuzzyRVR(kernel="rbf", gamma=GAMMA, membership=np.ones(ROWS), **AS_PRINTED).fit(X, y)
    return float(np.max(np.abs(plain.predict(new) - fuzzy.predict(new))))


def map_violation() -> float:
    """Return the slope of prior times likelihood at the posterior's mean, relative to its parts."""
    found = fitted()
    pull = found.phi.T @ (found.t - found.phi @ found.mean) / found.noise
    back = found.alpha * found.mean
    return float(np.max(np.abs(pull - back)) / np.max(np.abs(back)))


def hyperparameters_at_maximum() -> tuple[bool, str]:
    """Tell whether hyperparameters and noise maximise the marginal likelihood (7).

    A general optimiser climbs on from the end of the fit, in the logarithms of all of them.
    """
    found = fitted()

    def negative(log: Array) -> float:
        alpha, noise = np.exp(log[:-1]), float(np.exp(log[-1]))
        covariance = noise * np.eye(ROWS) + (found.phi / alpha) @ found.phi.T
        return -float(stats.multivariate_normal(np.zeros(ROWS), covariance).logpdf(found.t))

    start = np.log(np.append(found.alpha, found.noise))
    further = optimize.minimize(
        negative, start, method="L-BFGS-B", bounds=[(s - 3.0, s + 3.0) for s in start]
    )
    gain = negative(start) - float(further.fun)
    lost = [negative(start + step * np.eye(len(start))[-1]) - negative(start) for step in (-0.5, 0.5)]
    return gain < 0.1 and min(lost) > 0.0, (
        f"ln p of {ROWS} rows of sinc is {marginal_log_likelihood():.2f} nats; climbing on in all "
        f"{len(start)} hyperparameters gains {gain:.3f}, and another noise (a factor of 1.6 either way) "
        f"loses {lost[0]:.1f} and {lost[1]:.1f}"
    )


def one_precision_is_dense() -> tuple[bool, str]:
    """Tell whether the sparse solution needs a precision for each weight: one for all keeps every row.

    The shared precision and the noise are those of the highest marginal likelihood, by a general optimiser.
    """
    found = fitted()
    phi = basis(found.X, found.X)
    gram = phi @ phi.T

    def negative(log: Array) -> float:
        alpha, noise = np.exp(log)
        covariance = noise * np.eye(ROWS) + gram / alpha
        return -float(stats.multivariate_normal(np.zeros(ROWS), covariance).logpdf(found.t))

    alpha, noise = np.exp(optimize.minimize(negative, np.zeros(2), method="Nelder-Mead").x)
    weights = np.linalg.solve(phi.T @ phi / noise + alpha * np.eye(phi.shape[1]), phi.T @ found.t / noise)
    kept = int(np.sum(np.abs(weights[1:]) > 0.01 * np.abs(weights[1:]).max()))
    own = len(found.machine.relevance_)
    return kept > 0.9 * ROWS and own < ROWS / 4, (
        f"rows of {ROWS} with a weight above 1 % of the largest: {kept} with one precision for all weights, "
        f"{own} with one for each"
    )
