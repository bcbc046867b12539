"""Nodes of an ONNX graph, so that formulas stay formulas."""

from __future__ import annotations

from typing import Any

import numpy as np

try:
    from onnx import TensorProto, numpy_helper
except ImportError as error:
    raise ImportError("ONNX export needs its extra: pip install 'rowtrust[onnx]'") from error

ML_OPSET = 2
"""Version of the operators for tables: the first whose ``LabelEncoder`` has keys and values."""

OPSET = 17
"""Version of ONNX's operators, of 2022. Taken over without a study of older ones."""


class Graph:
    """Adds nodes to a skl2onnx container and hands out names, so that formulas stay formulas."""

    def __init__(self, scope: Any, container: Any) -> None:
        self._scope = scope
        self._container = container

    def constant(self, values: Any) -> str:
        """Return the name of a stored array."""
        array = np.asarray(values)
        name = str(self._scope.get_unique_variable_name("constant"))
        if array.dtype == object:
            words = [str(word).encode() for word in array]
            self._container.add_initializer(name, TensorProto.STRING, list(array.shape), words)
        else:
            self._container.add_initializer(name, None, None, numpy_helper.from_array(array, name))
        return name

    def node(
        self, kind: str, *inputs: Any, domain: str = "", result: str | None = None, **attributes: Any
    ) -> str:
        """Add an operation; return the name of its result."""
        name = result or str(self._scope.get_unique_variable_name(kind.lower()))
        version = ML_OPSET if domain else None
        self._container.add_node(
            kind,
            [each if isinstance(each, str) else self.constant(each) for each in inputs],
            [name],
            op_domain=domain,
            op_version=version or OPSET,
            name=self._scope.get_unique_operator_name(kind),
            **attributes,
        )
        return name

    def double(self, name: str) -> str:
        """Return a value in double precision."""
        result = str(self._scope.get_unique_variable_name("double"))
        title = self._scope.get_unique_operator_name("Cast")
        self._container.add_node(
            "Cast", [name], [result], op_version=OPSET, to=TensorProto.DOUBLE, name=title
        )
        return result

    def total(self, values: str, axis: int = 1, keep: int = 1) -> str:
        """Return the sum along an axis."""
        return self.node("ReduceSum", values, np.array([axis], dtype=np.int64), keepdims=keep)
