"""A kernel that looks at some columns only, in scikit-learn's kernel interface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.gaussian_process.kernels import Hyperparameter, Kernel

from rowtrust.contracts import Array
from rowtrust.numerics.magnitudes import shown


class OnColumns(Kernel):  # type: ignore[misc]
    """A scikit-learn kernel on some columns of the inputs.

    Sums of such kernels are models that add up over groups of inputs. It has the hyperparameters of the
    kernel it wraps, and works wherever scikit-learn's own kernels do.

    Parameters
    ----------
    kernel : sklearn.gaussian_process.kernels.Kernel
        What is computed on those columns. Several length scales go with the columns in their order.
    columns : array-like of int
        Their numbers, counted from 0.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> from rowtrust import RVR
    >>> from rowtrust.kernels import OnColumns
    >>> X = np.random.default_rng(0).uniform(-2, 2, (150, 4))
    >>> y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
    >>> kernel = OnColumns(RBF(1.0), [0]) + OnColumns(RBF(1.0), [1, 2])
    >>> model = RVR(kernel=kernel).fit(X, y)
    >>> bool(model.score(X, y) > 0.99)
    True
    """

    def __init__(self, kernel: Any, columns: Sequence[int]) -> None:
        self.kernel = kernel
        self.columns = columns

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, those of the wrapped kernel as ``kernel__name``."""
        inner = self.kernel.get_params().items() if deep else ()
        return {
            "kernel": self.kernel,
            "columns": self.columns,
            **{f"kernel__{name}": value for name, value in inner},
        }

    @property
    def hyperparameters(self) -> list[Hyperparameter]:
        """The hyperparameters of the wrapped kernel."""
        return [each._replace(name=f"kernel__{each.name}") for each in self.kernel.hyperparameters]

    @property
    def theta(self) -> Array:
        """Logarithms of the free hyperparameters of the wrapped kernel."""
        return np.asarray(self.kernel.theta)

    @theta.setter
    def theta(self, theta: Array) -> None:
        self.kernel.theta = theta

    @property
    def bounds(self) -> Array:
        """Bounds of ``theta``."""
        return np.asarray(self.kernel.bounds)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OnColumns)
            and bool(self.kernel == other.kernel)
            and np.array_equal(self.columns, other.columns)
        )

    __hash__ = None  # type: ignore[assignment]

    def __call__(self, X: Any, Y: Any = None, eval_gradient: bool = False) -> Any:
        """Return the wrapped kernel on the columns, and its gradient if asked for.

        Parameters
        ----------
        X, Y : array-like of shape (n_samples, n_features)
            Rows; no Y: X again.
        eval_gradient : bool, default=False
            Whether to return the derivative by ``theta`` too; only without Y.
        """
        right = None if Y is None else self._taken(Y)
        return self.kernel(self._taken(X), right, eval_gradient=eval_gradient)

    def diag(self, X: Any) -> Array:
        """Return the diagonal of ``kernel(X)``."""
        return np.asarray(self.kernel.diag(self._taken(X)))

    def is_stationary(self) -> bool:
        """Return whether the wrapped kernel is stationary."""
        return bool(self.kernel.is_stationary())

    @property
    def requires_vector_input(self) -> bool:
        """Whether rows must be vectors: columns are of vectors."""
        return True

    def __repr__(self) -> str:
        return f"OnColumns({self.kernel!r}, {np.asarray(self.columns).tolist()})"

    def _taken(self, X: Any) -> Array:
        """Return the columns of the rows, if there are such columns."""
        X, columns = np.atleast_2d(X), np.asarray(self.columns)
        if columns.ndim != 1 or not len(columns) or not np.issubdtype(columns.dtype, np.integer):
            raise ValueError(
                "columns must be a list of one or more column numbers, such as [0, 1]; got "
                f"{shown(self.columns)}."
            )
        if columns.min() < 0 or columns.max() >= X.shape[1]:
            raise ValueError(
                f"{self!r} names a column that X does not have: X has {X.shape[1]} features. Give "
                f"columns between 0 and {X.shape[1] - 1}."
            )
        return np.asarray(X[:, columns])
