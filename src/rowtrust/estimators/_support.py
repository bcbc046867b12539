"""What scikit-learn offers in some versions only, and what it does not offer."""

import functools

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn < 1.9 has no callbacks: a fit then reports to nobody

    class CallbackSupportMixin:
        """Stand-in for scikit-learn's mixin."""

        def _init_callback_context(self, **kwargs):
            return _SilentContext()

    def with_callbacks(method):
        """Return the method as it is."""
        return method


class _SilentContext:
    """A callback context to which nobody listens."""

    def subcontext(self, **kwargs):
        return self

    def call_on_fit_task_begin(self, **kwargs):
        return self

    def call_on_fit_task_end(self, **kwargs):
        return False


def all_or_nothing(fit):
    """Decorate a ``fit`` so that one that fails leaves the estimator as it was before."""

    @functools.wraps(fit)
    def guarded(self, *args, **kwargs):
        before = dict(self.__dict__)
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            # The callback context belongs to scikit-learn, which tears it down afterwards.
            callbacks = {key: value for key, value in self.__dict__.items() if "callback" in key}
            self.__dict__.clear()
            self.__dict__.update(before | callbacks)
            raise

    return guarded
