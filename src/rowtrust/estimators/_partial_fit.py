"""Learning from rows as they come: block after block, each seen once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import _check_partial_fit_first_call, check_classification_targets
from sklearn.utils.validation import validate_data

from rowtrust.contracts import Array
from rowtrust.estimators._callbacks import all_or_nothing
from rowtrust.estimators._classifier import BaseClassifier
from rowtrust.estimators._learning import forget_stream, learn_block
from rowtrust.estimators._missing import is_precomputed
from rowtrust.estimators._regressor import BaseRegressor, target_distribution
from rowtrust.estimators._targets import forget_fit
from rowtrust.estimators._validation import check_target_size, label_numbers, weighted_rows
from rowtrust.label_noise import probability_of_given
from rowtrust.label_noise.matrix import SMALLEST, is_noise
from rowtrust.predictive import PredictiveModel
from rowtrust.search import Average, FitPlan, TrainingRows, projected
from rowtrust.search.stream import Stream

LEAN = 0.1
"""Share of ``sparsity`` with which a stream is projected onto few vectors: the first rows must stand for all
of them. With the whole of it RVC's log score on 1000 rows of Ripley's mixture is 2 % lower (one seed)."""


def start_or_go_on(estimator: Any) -> bool:
    """Check the parameters; whether a stream begins, and if so forget any earlier fit."""
    estimator._validate_params()
    if is_precomputed(estimator):
        raise ValueError(
            "partial_fit needs rows, not a precomputed kernel: it must know the kernel between rows that "
            "come later. Give the kernel as a function, kernel=lambda X, Y: ..."
        )
    if estimator.solver != "working_set":
        raise ValueError(
            f"partial_fit needs solver='working_set'; {estimator.solver!r} sees all rows at once."
        )
    if getattr(estimator._weights(), "membership", None) is not None:
        raise ValueError(
            "partial_fit takes no weights that know their rows. Give them as sample_weight, block by block."
        )
    begins = not hasattr(estimator, "_learning")
    if begins:
        forget_fit(estimator)
    return begins


class StreamingClassifier(BaseClassifier):
    """A classifier that can also learn from blocks of rows."""

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        """Learn from a block of rows, and forget them.

        The first 2000 rows are kept, and fitted as :meth:`fit` does whenever there are half as many again
        as for the last such fit. After that the scales of the inputs, the kernels and the landmarks stay,
        label noise and calibration too, and only sums over rows are kept. Old rows fade at several speeds,
        one model each: those that have said most of the last blocks before they learnt from them are
        averaged. So rows in random order are all remembered, and what changes is forgotten. Inputs that come
        to lie far from the first 2000 are out of reach of the landmarks: begin a new stream with a clone
        when that happens.

        Weights and sites of earlier rows are not made again, so that noise that is learnt follows slowly.
        A call after :meth:`fit` begins a new stream, and :meth:`fit` ends one. There is no ``sample_trust_``,
        ``lower_bound_`` and ``lower_bounds_``; ``relevance_`` counts rows from the beginning of the stream,
        ``n_iter_`` is the number of passes over the last block, and an audit judges every row as a new one.
        ``n_seen_`` is what all rows so far weigh, and ``memory_share_`` says how much each memory counts: its
        keys are the rows after which what was seen counts e times less, ``inf`` for one that forgets nothing.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows. Until there are rows of two classes nothing can be predicted.
        y : array-like of shape (n_samples,)
            Their labels.
        classes : array-like of shape (n_classes,), default=None
            All labels that may come, in the first call; after a :meth:`fit` its own if they are not given.
        sample_weight : array-like of shape (n_samples,), default=None
            How many copies of itself each row stands for.

        Returns
        -------
        object
            The estimator itself.

        Examples
        --------
        >>> from rowtrust import RVC
        >>> from rowtrust.datasets import make_rotating_stream
        >>> model = RVC(gamma=1.0)
        >>> for X, y in make_rotating_stream(3, 100, random_state=0):
        ...     model = model.partial_fit(X, y, classes=[0, 1])
        >>> float(model.n_seen_)
        300.0
        """
        known = getattr(self, "classes_", None)
        begins = start_or_go_on(self)
        self._check_likelihood()
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=np.float64, ensure_all_finite="allow-nan", reset=begins
        )
        check_classification_targets(y)
        _check_partial_fit_first_call(self, known if begins and classes is None else classes)
        numbers, _ = label_numbers(y, self.classes_, X.shape[0])
        learn_block(self, weighted_rows(X, numbers, sample_weight))
        return self

    def _can_begin(self, y: NDArray[Any]) -> bool:
        return len(np.unique(y)) > 1

    def _with_class_weights(self, rows: TrainingRows) -> TrainingRows:
        """Return the first rows with their class weights; those of classes that come later are one."""
        present = np.unique(rows.y)
        factor = np.ones(len(self.classes_))
        factor[present] = compute_class_weight(
            self.class_weight,
            classes=self.classes_[present],
            y=self.classes_[rows.y],
            sample_weight=rows.weight,
        )
        return replace(rows, weight=rows.copies * factor[rows.y])

    def _coded(self, plan: FitPlan, rows: TrainingRows) -> TrainingRows:
        """Return rows with the class weights of the first rows."""
        factor = np.ones(len(self.classes_))
        factor[plan.rows.y] = plan.rows.weight / plan.rows.copies
        return replace(rows, weight=rows.copies * factor[rows.y])

    def _block_scores(self, model: PredictiveModel, rows: TrainingRows) -> Array:
        """Return the log probabilities of labels as they are given."""
        model = replace(model, likelihood=self._likelihood()).sharpened(self._noise.slope)
        probability = probability_of_given(model.probabilities(rows.X), self._noise.matrix)
        own = probability[np.arange(len(rows.y)), rows.y]
        return np.asarray(np.log(np.maximum(own, SMALLEST)))

    def _told(self, fit: Stream) -> Average:
        """Return the average, of true labels, on few columns, with honest log-odds."""
        found, slope = fit.average(), self._noise.slope
        if is_noise(self._noise.matrix):
            channels = tuple(state.likelihood for state in found.best.states)
            model = replace(found.model, likelihood=fit.plan.likelihood)
            found = replace(found, model=model, likelihoods=channels)
        found = projected(fit.plan, found, LEAN * self.sparsity)
        return replace(found, model=found.model.sharpened(slope), latent=slope * found.latent)

    def _publish(self, plan: FitPlan, found: Average, model: PredictiveModel) -> None:
        super()._publish(plan, found, model)
        forget_stream(self)


class StreamingRegressor(BaseRegressor):
    """A regressor that can also learn from blocks of rows."""

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Learn from a block of rows, and forget them.

        The first 2000 rows are kept, and fitted as :meth:`fit` does whenever there are half as many again
        as for the last such fit. After that the scales of the inputs, the kernels, how much each of them
        counts, and the landmarks stay, and only sums over rows are kept. Old rows fade at several speeds, one
        model each: those that have said most of the last blocks before they learnt from them are averaged.
        So rows in random order are all remembered, and what changes is forgotten. Inputs that come to lie far
        from the first 2000 are out of reach of the landmarks: begin a new stream with :meth:`fit`, or a
        clone, when that happens.

        Weights and sites of earlier rows are not made again, so that noise that is learnt follows slowly.
        A call after :meth:`fit` begins a new stream, and :meth:`fit` ends one. There is no ``sample_trust_``,
        ``lower_bound_`` and ``lower_bounds_``; ``relevance_`` counts rows from the beginning of the stream,
        ``n_iter_`` is the number of passes over the last block, and an audit judges every row as a new one.
        ``n_seen_`` is what all rows so far weigh, and ``memory_share_`` says how much each memory counts: its
        keys are the rows after which what was seen counts e times less, ``inf`` for one that forgets nothing.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows. Until there are two nothing can be predicted.
        y : array-like of shape (n_samples,)
            Their targets. Several targets need an estimator each, as ``MultiOutputRegressor`` makes them.
        sample_weight : array-like of shape (n_samples,), default=None
            How many copies of itself each row stands for.

        Returns
        -------
        object
            The estimator itself.

        Examples
        --------
        >>> from rowtrust import RVR
        >>> from rowtrust.datasets import make_sinc
        >>> X, y = make_sinc(200, random_state=0)
        >>> model = RVR(gamma=3.0).partial_fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
        >>> bool(model.score(X, y) > 0.8)
        True
        """
        begins = start_or_go_on(self)
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=np.float64,
            ensure_all_finite="allow-nan",
            y_numeric=True,
            multi_output=True,
            reset=begins,
        )
        if y.ndim > 1:
            raise ValueError(
                f"partial_fit takes one target a row; y has shape {y.shape}. Use "
                f"sklearn.multioutput.MultiOutputRegressor({type(self).__name__}())."
            )
        rows = weighted_rows(X, np.asarray(y, dtype=np.float64), sample_weight)
        check_target_size(rows.y)
        learn_block(self, rows)
        return self

    def _can_begin(self, y: NDArray[Any]) -> bool:
        return len(y) > 1

    def _with_class_weights(self, rows: TrainingRows) -> TrainingRows:
        return rows

    def _coded(self, plan: FitPlan, rows: TrainingRows) -> TrainingRows:
        return replace(rows, y=(rows.y - plan.offset) / plan.scale)

    def _block_scores(self, model: PredictiveModel, rows: TrainingRows) -> Array:
        """Return the log densities of targets."""
        return target_distribution(model, rows.X).log_density(rows.y)

    def _told(self, fit: Stream) -> Average:
        """Return the average on few columns."""
        return projected(fit.plan, fit.average(), LEAN * self.sparsity)

    def _publish(self, plan: FitPlan, found: Average, model: PredictiveModel) -> None:
        super()._publish(plan, found, model)
        forget_stream(self)
