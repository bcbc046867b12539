"""Kernels whose parameters are learnt by evidence gradients that take turns with the solver."""

import warnings
from copy import copy

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process.kernels import Kernel as KernelObject

from rowtrust.search.alternate import Trial, hold_sites
from rowtrust.search.kernel_objects import learn_theta
from rowtrust.search.length_scales import learn_scales


class LearningMixin:
    """Input scales and kernel objects, for machines that can fit one width."""

    def _fit_scales(self, rows):
        """Let the scales of the inputs and the model take turns."""
        if self.kernel != "rbf" or issparse(rows.X):
            raise ValueError(
                "relevance='learnt' needs kernel='rbf' and dense inputs; got "
                f"kernel={self.kernel!r} and {type(rows.X).__name__}. Use relevance=None, or X.toarray()."
            )
        common = self._candidate_gammas(rows)
        return self._fit_in_turns(
            lambda eta, context: self._fit_one_width(rows, 1.0, context, np.sqrt(eta)),
            lambda turn: learn_scales(turn, common, rows.X, rows.copies),
        )

    def _fit_object(self, rows):
        """Fit with a scikit-learn kernel object: learn its free hyperparameters, or use it as it is."""
        self._check_object(rows)
        if self.gamma != "evidence" or not len(self.kernel.theta):
            return self._with_kernel(clone(self.kernel))._fit_widths(rows)
        return self._fit_in_turns(
            lambda theta, context: self._with_kernel(self.kernel.clone_with_theta(theta))._fit_one_width(
                rows, 1.0, context
            ),
            lambda turn: learn_theta(turn, self.kernel, rows.X),
        )

    def _check_object(self, rows):
        if self.relevance is not None:
            raise ValueError(
                "relevance='learnt' needs kernel='rbf'; a kernel object learns its own hyperparameters. Use "
                "relevance=None and one length scale per input, such as "
                f"RBF(length_scale=[1.0] * {rows.X.shape[1]})."
            )
        if issparse(rows.X):
            raise ValueError(
                f"scikit-learn's kernel objects need dense inputs; got kernel={self.kernel!r} and "
                f"{type(rows.X).__name__}. Use X.toarray(), or a kernel by name."
            )

    def _with_kernel(self, kernel):
        """Return this estimator with another kernel: the user's own stays as it was given."""
        other = copy(self)
        other.kernel = kernel
        return other

    def _fit_in_turns(self, fit, learn):
        """Return the fit at the parameters that were learnt, with one callback context for all turns."""
        context = self._init_callback_context(max_subtasks=None)
        context.call_on_fit_task_begin(estimator=self)
        with warnings.catch_warnings():
            # Fits on the way need not converge; the last one warns if it has not.
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = learn(lambda at: trial(fit(at, context)))
        fits = [fit(found, context)]
        context.call_on_fit_task_end(estimator=self)
        return fits


def is_object(kernel):
    """Whether a kernel is one of scikit-learn's, or made like them."""
    return isinstance(kernel, KernelObject)


def trial(fit):
    """Return what the learning needs to know of a fit."""
    pairs = zip(fit.problems, fit.states, strict=True)
    return Trial(fit.bound, fit.score, [hold_sites(*pair, fit.design.basis.centres) for pair in pairs])
