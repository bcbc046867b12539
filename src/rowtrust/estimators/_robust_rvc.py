"""The robust classifier: wrong labels are expected, and lose their pull."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from rowtrust.estimators._partial_fit import StreamingClassifier
from rowtrust.label_noise import Judge, LabelNoise, hypotheses, stated_noise
from rowtrust.label_noise.many_rows import first_hypotheses, noise_of_many, slope_of_many
from rowtrust.predictive import PredictiveModel
from rowtrust.search import Average, FitPlan, KernelFit
from rowtrust.search.labels import channels, first_noise, learn_noise
from rowtrust.weights import HWANG_TRUST_PRIOR, Gamma, Unit, Weights


class RobustRVC(StreamingClassifier):
    """Robust relevance vector classifier: labels may be wrong, and how often is learnt.

    The label of a row passed a channel that changed it at a rate of its class. The rates are learnt by what
    fits to other rows say of each label, and a row whose label the rest of the data contradicts counts for
    little: :meth:`audit` names it. Where labels are right the rates vanish, and the model is :class:`RVC`.

    ``label_noise="power"`` is the model of Hwang & Jeong (2015): each row's likelihood is raised to a power
    with a Gamma prior, learnt with the model.

    ``predict_proba`` is of the true label; ``predict_given_proba`` of the label as it would be given.

    Parameters
    ----------
    kernel : str, kernel object or callable, default="auto"
        "auto" averages Gaussian, Laplacian and linear kernels of several widths, on inputs stretched by how
        much the function changes with them: no kernel to choose. With a number or "scale" as ``gamma``, or
        with sparse X, it is "rbf". By name: "rbf", "laplacian", "polynomial", "linear" or "precomputed".
        A kernel object is one of ``sklearn.gaussian_process.kernels``, or a sum or product of them; with
        :class:`rowtrust.kernels.OnColumns` also a sum over groups of inputs. Its free hyperparameters are
        learnt within their bounds, starting from where they stand and from length scales up to four times
        longer and shorter; those with the bounds "fixed" stay. A factor on the whole kernel says nothing
        here, as the coefficients take it up, and white noise is ignored.
        A callable is called as ``kernel(X, Y)`` and returns one row per row of X and one column per row
        of Y. It need not be positive definite.
    gamma : "evidence", "scale" or float, default="evidence"
        Inverse squared width of the rbf kernel, inverse width of the laplacian one, in units of the scaled
        inputs (see ``scaling``). "evidence" lets the data choose: of one kernel's eight widths the average
        weighted by their evidence, of all families with "auto". "scale" is one over the sum of the features'
        variances (rbf) or deviations (laplacian), and one fit. A kernel object has its own
        length scales: "evidence" learns its hyperparameters, anything else uses it as it is.
    scaling : "robust" or None, default="robust"
        "robust" moves every column by its mean and divides it by its standard deviation, after values far
        outside of the middle nine tenths were clipped for that (constant columns are not divided, sparse
        ones not moved). Kernel objects and callables see scaled inputs, and ``gamma`` is in
        their units; everything told is in the user's. None takes the inputs as they are.
    length_scales : None or "learnt", default=None
        "learnt" gives every input its own scale (rbf kernel, dense inputs): evidence gradients and the
        solver alternate. ``feature_relevance_`` is the result; inputs of no use are switched off.
    degree, coef0 : float, default=3 and 1.0
        Of the polynomial kernel ``(gamma <x, c> + coef0) ** degree``.
    basis : "auto", None, int or array-like of shape (n_centres, n_features), default="auto"
        Where basis functions may stand. None: on every distinct training row. An int: on that many
        landmarks, all rows if there are fewer. "auto": on every row up to 3000, beyond on 1000 landmarks,
        which a ``LandmarksWarning`` tells. An array: on these centres (column numbers of the kernel
        matrix if it is precomputed).
    landmarks : {"stratified", "kmeans++"}, default="stratified"
        How an int ``basis`` is drawn: at random, in proportion over classes or targets, or spread over
        the inputs.
    sparsity : float, default=0.01
        After averaging, the model is projected onto as few vectors as say the same: their function may differ
        by this, in the mean square over the rows and in units of the likelihood's curvature. 0 keeps all.
    class_weight : dict, "balanced" or None, default=None
        Factors on the sample weights, one a class.
    label_noise : {"channel", "power"}, float, dict or array-like, default="channel"
        "channel" learns how often rows of each class were given the label of another. A float is the share
        of labels that became any other, a dict has that share by class, and an array of shape (n_classes,
        n_classes) has in row k the probabilities of the labels that rows of class k were given.
        "power" learns a weight for every row instead (Hwang & Jeong 2015); it is never calibrated.
    trust_prior : float, default=2 - ln 2
        With "power": shape and rate of the weights' Gamma prior (the paper's r), the bound on a row's loss.
        Smaller distrusts sooner. At the default the weighted loss has its steepest slope at the boundary.
    calibration : None or "folds", default="folds"
        Whether all log-odds are multiplied by the factor that makes those of rows left out honest, given the
        noise. It costs nothing where the noise is learnt, which needs the same fits to folds.
    missing : "expected" or None, default="expected"
        What to do with NaN in X. "expected" takes the values that a row has as evidence of those that it
        lacks, by a Gaussian of the training columns: kernels "rbf" and "laplacian" are averaged over what
        they may be; other kernels, and learnt length scales, take their means. Rows without NaN are not
        touched, and a column without any value counts for nothing. None refuses NaN, as does
        kernel="precomputed" and sparse X.
    solver : {"working_set", "variational"}, default="working_set"
        "working_set" is fast and sparse. "variational" is the loop of Hwang & Jeong (2015), which keeps
        every column, so that all are relevant, and costs O(n^3) a step: a reference for small data.
    max_iter : int, default=1000
        Steps after which the solver stops with a ``ConvergenceWarning``.
    tol : float, default=2e-3
        The fit ends when it expects to gain fewer nats of the lower bound than this with the vectors it has,
        judged by the last two steps. A vector that would gain less than a hundred times as much is not
        taken in. With ``solver="variational"``: the gain of a step below which it is the last.
    kernel_dtype : {"float64", "float32"}, default="float64"
        Precision of the kernels where rows are many, beyond 20000: "float32" saves about a fifth of the time
        that a reading of them takes. What is added up over rows is in double precision.
    n_jobs : int, default=None
        Widths and outputs that are fitted at the same time, in processes of their own, as in scikit-learn.
        ``None`` means one. The answer is the same.
    random_state : int, RandomState instance or None, default=None
        Of the landmarks, and of the columns that are looked at first where there are many.

    Attributes
    ----------
    label_noise_ : ndarray of shape (n_classes, n_classes)
        Entry [k, j] is the probability that a row of class k was given the label j.
    label_noise_interval_ : ndarray of shape (2, n_classes, n_classes)
        Between these lie nine tenths of what is believed of each entry.
    calibration_slope_ : float
        What all log-odds were multiplied by.
    trust_prior_ : float
        The prior in use; with "power" only.
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
    weight_precision_ : ndarray of shape (n_outputs, n_relevance)
        Prior precisions of the coefficients (the papers' alpha); infinite where an output has none.
    intercept_precision_ : ndarray of shape (n_outputs,)
        Prior precisions of the intercepts; where widths are averaged, the average of theirs.
    gamma_ : float
        The width, as the kernel says it, of the member that has the most evidence.
    kernel_ : str, kernel object or callable
        The kernel with the most evidence; a kernel object has its learnt hyperparameters.
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
        How far each training row is believed: the probability that its label is right, judged by the others,
        or with "power" its expected weight, the smallest over outputs. 0 for rows of sample weight 0.
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
        kernel objects that are not stationary or periodic): there the model says whatever its kernel says.
    anchors_ : ndarray or sparse matrix of shape (n_anchors, n_features), or None
        Training rows, at most 256 of 10000, that say where the data are. Up to two widths from the data
        the mean is that of the fit; over the next two it lets go of it for the prior. The variance of a
        regression grows from the first step.
    anchor_gamma_ : float or None
        The inverse squared width in which distances from the data count: the geometric mean of the widths in
        the average, or a wider one where so few anchors could not stand for all rows.
    anchor_reach_, anchor_slack_, anchor_whitener_ : float, float, ndarray, or None
        How far, in widths, a training row may be from its nearest anchor; how little the anchors may explain
        of it; and what turns kernel values into explained shares (regressors).
    predictive_model_ : PredictiveModel
        The fitted model as one object, from which predictions, audits and exports are made.

    See Also
    --------
    RVC : Where labels are known to be right.
    FuzzyRVC : Where a class is rare, or some rows are known to be doubtful.
    RobustRVR : Where numbers may be wrong.
    find_wrong_rows : Which rows are wrong, by any model.
    study_table : A table in; a model, its quality, its suspects and a report out.

    References
    ----------
    S. Hwang and M. K. Jeong (2015). Robust relevance vector machine for classification with variational
    inference. Annals of Operations Research.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from rowtrust import RobustRVC
    >>> from rowtrust.datasets import flip_labels
    >>> X, y = make_moons(200, noise=0.15, random_state=0)
    >>> given, wrong = flip_labels(y, 0.1, random_state=1)  # a tenth of the labels are wrong
    >>> model = RobustRVC(gamma=1.0).fit(X, given)
    >>> bool(model.score(X, y) > 0.95)  # by the true labels, which it has not seen
    True
    >>> bool(wrong[model.sample_trust_.argsort()[:20]].mean() > 0.7)  # it knows which to believe
    True
    >>> table = model.audit(X, given)  # the most suspicious rows first, with the suggested label
    >>> bool(table["wrong"].max() > 0.5)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StreamingClassifier._parameter_constraints,
        "label_noise": [
            StrOptions({"channel", "power"}),
            Interval(Real, 0.0, 1.0, closed="left"),
            dict,
            "array-like",
        ],
        "trust_prior": [Interval(Real, 0.0, None, closed="neither")],
        "calibration": [None, StrOptions({"folds"})],
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
        class_weight: Any = None,
        label_noise: Any = "channel",
        trust_prior: float = HWANG_TRUST_PRIOR,
        calibration: str | None = "folds",
        missing: str | None = "expected",
        solver: str = "working_set",
        max_iter: int = 1000,
        tol: float = 2e-3,
        kernel_dtype: str = "float64",
        n_jobs: Any = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            kernel=kernel,
            gamma=gamma,
            scaling=scaling,
            length_scales=length_scales,
            degree=degree,
            coef0=coef0,
            basis=basis,
            landmarks=landmarks,
            sparsity=sparsity,
            class_weight=class_weight,
            missing=missing,
            solver=solver,
            max_iter=max_iter,
            tol=tol,
            kernel_dtype=kernel_dtype,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.label_noise = label_noise
        self.trust_prior = trust_prior
        self.calibration = calibration

    def _weights(self) -> Weights:
        return Gamma(float(self.trust_prior)) if self._by_power else Unit()

    @property
    def _by_power(self) -> bool:
        return isinstance(self.label_noise, str) and self.label_noise == "power"

    def _known_judge(self) -> Judge | None:
        return None if isinstance(self.label_noise, str) else Judge.of(self._noise.matrix)

    def _label_noise(self, plan: FitPlan, fits: list[KernelFit]) -> LabelNoise:
        if self._by_power:
            return super()._label_noise(plan, fits)
        if isinstance(self.label_noise, str):
            noise = learn_noise(plan, fits, hypotheses(len(self.classes_)))
            return noise if self.calibration else replace(noise, slope=1.0)
        stated = stated_noise(self.label_noise, self.classes_)
        return learn_noise(plan, fits, [stated]) if self.calibration else LabelNoise.known(stated)

    def _look_again(self, plan: FitPlan, found: Average) -> Average:
        """Judge the labels by a model of the sample: first by hypotheses, each with fits of its own.

        Once a model knows of the noise, the labels of many rows tell its rates better than those few fits.
        """
        if self._by_power:
            return found
        if found.likelihoods is None and isinstance(self.label_noise, str):
            self._noise = first_noise(plan, found.best, first_hypotheses(len(self.classes_)))
        elif found.likelihoods is None:
            self._noise = LabelNoise.known(stated_noise(self.label_noise, self.classes_))
        else:
            self._noise = self._noise_of_many(plan, found)
        return replace(found, likelihoods=tuple(channels(plan, self._noise.matrix)))

    def _noise_of_many(self, plan: FitPlan, found: Average) -> LabelNoise:
        rows, log_odds = plan.rows, self._left_out_log_odds(plan, found) - self._class_shift
        noise = self._noise
        if isinstance(self.label_noise, str):
            noise = noise_of_many(log_odds, rows.y, rows.copies, noise.matrix)
        slope = slope_of_many(log_odds, rows.y, noise.matrix, rows.copies) if self.calibration else 1.0
        return replace(noise, slope=slope)

    def _publish(self, plan: FitPlan, found: Average, model: PredictiveModel) -> None:
        super()._publish(plan, found, model)
        if isinstance(model.weights, Gamma):
            self.trust_prior_ = model.weights.trust
        elif hasattr(self, "trust_prior_"):
            del self.trust_prior_
