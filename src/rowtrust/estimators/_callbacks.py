"""What scikit-learn has in some versions only, and what it has not."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

from rowtrust.fitting import Reporter
from rowtrust.inference import Info, Observer, State

Method = TypeVar("Method", bound=Callable[..., Any])

__all__ = ["CallbackSupportMixin", "all_or_nothing", "reporting", "with_callbacks"]

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn < 1.9 has no callbacks: a fit then reports to nobody

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stand-in for scikit-learn's mixin."""

    def with_callbacks(method: Method) -> Method:
        """Return the method as it is."""
        return method


def all_or_nothing(fit: Method) -> Method:
    """Decorate a ``fit`` so that one that fails leaves the estimator as it was before."""

    @functools.wraps(fit)
    def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = dict(self.__dict__)
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            # The callback context belongs to scikit-learn, which tears it down afterwards.
            callbacks = {key: value for key, value in self.__dict__.items() if "callback" in key}
            self.__dict__.clear()
            self.__dict__.update(before | callbacks)
            raise

    return guarded  # type: ignore[return-value]


@contextmanager
def reporting(estimator: Any, max_iter: int) -> Iterator[Reporter | None]:
    """Open a fit's callback context; yield what opens a task in it, None if nobody listens."""
    if not getattr(estimator, "_skl_callbacks", None):
        yield None
        return
    context = estimator._init_callback_context(max_subtasks=None)
    context.call_on_fit_task_begin(estimator=estimator)

    @contextmanager
    def task(name: str) -> Iterator[Observer]:
        inner = context.subcontext(task_name=name, max_subtasks=max_iter)
        inner.call_on_fit_task_begin(estimator=estimator)

        def observe(state: State, info: Info) -> bool:
            step = inner.subcontext(task_name="step")
            step.call_on_fit_task_begin(estimator=estimator)
            return bool(step.call_on_fit_task_end(estimator=estimator, metadata={"info": info}))

        yield observe
        inner.call_on_fit_task_end(estimator=estimator)

    def reporter(name: str) -> AbstractContextManager[Observer | None]:
        return task(name)

    yield reporter
    context.call_on_fit_task_end(estimator=estimator)
