"""ONNX: converters of all estimators for skl2onnx, and whole pipelines of ``rowtrust fit``.

Everything is computed in double precision: kernels of wide data lose too many digits in single.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline

from rowtrust.export.graph import ML_OPSET, OPSET, Graph
from rowtrust.export.portable import NumberInput, Part, Portable, Preparation, described, portable
from rowtrust.kernels import Kernel
from rowtrust.numerics.magnitudes import FURTHEST, LARGE
from rowtrust.predictive import TargetNoise
from rowtrust.predictive.far_from_data import FAR, HALF, NEAR, FarFromData
from rowtrust.workflow.tables import Schema

try:
    import onnx
    from skl2onnx import convert_sklearn, update_registered_converter
    from skl2onnx.common.data_types import DoubleTensorType, Int64TensorType, StringTensorType
except ImportError as error:
    raise ImportError("ONNX export needs its extra: pip install 'rowtrust[onnx]'") from error

SMALLEST = float(np.finfo(float).tiny)
"""Stands for zero where a logarithm is taken: the smallest normal double, as in ``Anchors``."""


LARGEST_FEATURE = 1e300
"""Bound of a prepared number. A guard: what is larger is infinite to every kernel."""


def register() -> None:
    """Teach skl2onnx all of rowtrust's estimators. Done on import."""
    from rowtrust import estimators

    for kind in [getattr(estimators, name) for name in estimators.__all__]:
        classifies = hasattr(kind, "predict_proba")
        update_registered_converter(
            kind,
            f"Rowtrust{kind.__name__}",
            classifier_shapes if classifies else regressor_shapes,
            convert_classifier if classifies else convert_regressor,
            options={"zipmap": [False, True, "columns"], "nocl": [False, True]} if classifies else None,
            parser=parse,
            overwrite=True,
        )
    update_registered_converter(
        Preparation, "RowtrustPreparation", preparation_shapes, convert_preparation, overwrite=True
    )


def parse(scope: Any, model: Any, inputs: list[Any], custom_parsers: Any = None) -> Any:
    """Declare the outputs: label and probabilities, or prediction and deviation."""
    operator = scope.declare_local_operator(f"Rowtrust{type(model).__name__}", model)
    operator.inputs = list(inputs)
    names = ("label", "probabilities") if is_classifier(model) else ("prediction", "deviation")
    for name in names:
        kind = DoubleTensorType()
        if name == "label":
            kind = StringTensorType() if model.classes_.dtype.kind in "UO" else Int64TensorType()
        operator.outputs.append(scope.declare_local_variable(name, kind))
    return operator.outputs


def classifier_shapes(operator: Any) -> None:
    """Set the shapes of label and probabilities."""
    rows = operator.inputs[0].get_first_dimension()
    operator.outputs[0].type.shape = [rows]
    operator.outputs[1].type.shape = [rows, len(operator.raw_operator.classes_)]


def regressor_shapes(operator: Any) -> None:
    """Set the shapes of prediction and deviation."""
    for output in operator.outputs:
        output.type.shape = [operator.inputs[0].get_first_dimension(), 1]


def preparation_shapes(operator: Any) -> None:
    """Set the shape of the prepared features."""
    rows = operator.inputs[0].get_first_dimension()
    operator.outputs[0].type = DoubleTensorType([rows, operator.raw_operator.n_outputs])


def part_values(graph: Graph, part: Part, X: str) -> str:
    """Return the kernel between the inputs and a part's centres."""
    moved = graph.node("Sub", X, part.origin)
    # A product, as runtimes fuse a factor that is one number into the next product in single precision.
    if part.metric.ndim == 2 or len(part.metric) == 1:
        scaled = graph.node("MatMul", moved, part.metric.reshape(len(part.metric), -1))
    else:
        scaled = graph.node("Mul", moved, part.metric)
    scaled = bounded(graph, scaled, FURTHEST)
    return kernel_values(graph, part.kernel, part.centres, part.gamma, scaled)


def kernel_values(graph: Graph, kernel: Kernel, centres: Any, gamma: Any, scaled: str) -> str:
    """Return the kernel between the scaled inputs and centres; ``gamma`` is one number a centre."""
    name = kernel.function
    # Squares by dot products lose digits far from the origin, so the origin moves to the centres; to their
    # median, as a mean would follow a single one that is far out.
    origin = np.median(centres, axis=0) if len(centres) and name == "rbf" else np.zeros(centres.shape[1])
    centres = centres - origin
    inputs = graph.node("Sub", scaled, origin)
    if name == "laplacian":
        return laplacian_values(graph, inputs, centres, graph.constant(-gamma))
    factor = gamma if name == "polynomial" else np.ones(len(centres))
    products = graph.node("MatMul", inputs, np.ascontiguousarray(factor * centres.T))
    if name == "linear":
        return bounded(graph, products, LARGE)
    if name == "polynomial":
        return bounded(graph, power(graph, kernel, products), LARGE)
    length = graph.total(graph.node("Mul", inputs, inputs))
    twice = graph.node("Mul", products, 2.0)
    distance = graph.node("Sub", graph.node("Add", length, (centres**2).sum(axis=1)), twice)
    positive = graph.node("Max", distance, 0.0)
    return graph.node("Exp", graph.node("Mul", positive, -gamma))


def power(graph: Graph, kernel: Kernel, products: str) -> str:
    """Return the power of a polynomial: of a number below zero a broken one is zero, not NaN."""
    base = graph.node("Add", products, np.array(float(kernel.coef0)))
    if not float(kernel.degree).is_integer():
        base = graph.node("Max", base, 0.0)
    return graph.node("Pow", base, np.array(float(kernel.degree)))


def bounded(graph: Graph, values: str, bound: float) -> str:
    """Return values between bounds; rowtrust itself refuses rows beyond them, or they are zero anyway."""
    return graph.node("Clip", values, -bound, bound)


def laplacian_values(graph: Graph, inputs: str, centres: Any, narrow: str) -> str:
    """Return ``exp(-gamma |z - c|)`` with the sum of absolute differences."""
    wide = graph.node("Unsqueeze", inputs, np.array([1], dtype=np.int64))
    apart = graph.node("Abs", graph.node("Sub", wide, centres[None, :, :]))
    distance = graph.total(apart, axis=2, keep=0)
    return graph.node("Exp", graph.node("Mul", distance, narrow))


def latent_moments(graph: Graph, made: Portable, X: str) -> tuple[str, str]:
    """Return mean and variance of every output."""
    model, values = made.model, [part_values(graph, part, X) for part in made.parts]
    phi = values[0] if len(values) == 1 else graph.node("Concat", *values, axis=1)
    weights = graph.constant(np.ascontiguousarray(model.coefficients[:, 1:].T))
    intercept = graph.constant(np.ascontiguousarray(model.coefficients[:, 0]))
    mean = graph.node("Add", graph.node("MatMul", phi, weights), intercept)
    variances = []
    for form in model.covariance:
        smeared = graph.node("MatMul", phi, np.ascontiguousarray(form[1:, 1:]))
        # phi' F phi with the bias taken apart: F_00 + phi (2 F_0 + F phi).
        inner = graph.node("Add", smeared, 2.0 * form[0, 1:])
        square = graph.total(graph.node("Mul", inner, phi))
        variances.append(graph.node("Add", square, form[0, :1]))
    if model.narrowing is not None:
        variances = [
            graph.node("Sub", variance, explained_variance(graph, root, phi))
            for variance, root in zip(variances, model.narrowing, strict=True)
        ]
    joined = graph.node("Concat", *variances, axis=1)
    variance = graph.node("Max", joined, 0.0)
    if model.far is None or made.anchors is None:
        return mean, variance
    return returning_moments(graph, model.far, part_values(graph, made.anchors, X), mean, variance)


def explained_variance(graph: Graph, root: Any, phi: str) -> str:
    """Return ``|R phi|**2``, the bias taken apart."""
    smeared = graph.node("MatMul", phi, np.ascontiguousarray(root[:, 1:].T))
    whole = graph.node("Add", smeared, root[None, :, 0])
    return graph.total(graph.node("Mul", whole, whole))


def returning_moments(
    graph: Graph, around: FarFromData, values: str, mean: str, variance: str
) -> tuple[str, str]:
    """Return the moments on their way to the prior's, as ``FarFromData.moments`` does.

    ``values`` are the kernel between the inputs and the anchors.
    """
    anchors = around.anchors
    nearest = graph.node("Max", graph.node("ReduceMax", values, axes=[1], keepdims=1), SMALLEST)
    squared = graph.node("Mul", graph.node("Log", graph.node("Min", nearest, 1.0)), -2.0)
    beyond = graph.node("Sub", graph.node("Sqrt", squared), anchors.reach + NEAR)
    step = graph.node("Clip", graph.node("Div", beyond, FAR - NEAR), 0.0, 1.0)
    falling = graph.node("Sub", 3.0, graph.node("Add", step, step))
    gone = graph.node("Mul", graph.node("Mul", step, step), falling)
    staying = graph.node("Sub", 1.0, gone)
    if around.bridge is not None:
        between = graph.node("MatMul", values, around.bridge)
        between = graph.node("Add", between, around.mean)
        off = graph.node("Sub", graph.node("Abs", graph.node("Sub", mean, between)), around.astray)
        beyond = graph.node("Mul", graph.node("Max", off, 0.0), HALF)
        variance = graph.node("Add", variance, graph.node("Mul", beyond, beyond))
    returned = graph.node("Mul", gone, around.mean)
    mean = graph.node("Add", graph.node("Mul", staying, mean), returned)
    unknown = gone
    if around.gradual and anchors.whitener is not None:
        white = graph.node("MatMul", values, np.ascontiguousarray(anchors.whitener.T))
        explained = graph.total(graph.node("Mul", white, white))
        left = graph.node("Sub", 1.0, graph.node("Div", explained, 1.0 - anchors.slack))
        unknown = graph.node("Max", left, gone)
    kept = graph.node("Mul", graph.node("Mul", staying, staying), variance)
    grown = graph.node("Add", kept, graph.node("Mul", unknown, around.variance))
    apart = graph.node("Sub", mean, around.mean)
    square = graph.node("Mul", apart, apart)
    if len(around.variance) < len(around.mean):  # shared by all outputs: so is what is enough
        square = graph.node("Mul", graph.total(square), 1.0 / len(around.mean))
    enough = graph.node("Add", square, around.variance)
    known = graph.node("Mul", graph.node("Sub", 1.0, unknown), grown)
    covering = graph.node("Add", known, graph.node("Mul", unknown, enough))
    return mean, graph.node("Min", grown, covering)


def input_of(graph: Graph, operator: Any) -> str:
    """Return the features in double precision."""
    cast = [graph.double(each.full_name) for each in operator.inputs]
    return cast[0] if len(cast) == 1 else graph.node("Concat", *cast, axis=1)


def convert_classifier(scope: Any, operator: Any, container: Any) -> None:
    """Add a classifier: its most probable label and all probabilities."""
    graph, made = Graph(scope, container), portable(operator.raw_operator)
    mean, variance = latent_moments(graph, made, input_of(graph, operator))
    # of a difference of two classes, where they share a variance, it is twice that
    factor = np.pi / (4.0 if made.is_joint else 8.0)
    spread = graph.node("Mul", variance, factor)
    odds = graph.node("Div", mean, graph.node("Sqrt", graph.node("Add", spread, 1.0)))
    if made.is_joint:
        largest = graph.node("ReduceMax", odds, axes=[1], keepdims=1)
        positive = graph.node("Exp", graph.node("Sub", odds, largest))
    else:
        positive = graph.node("Sigmoid", odds)
    label, probabilities = (output.full_name for output in operator.outputs)
    if len(made.model.coefficients) == 1:
        negative = graph.node("Sigmoid", graph.node("Neg", odds))
        graph.node("Concat", negative, positive, axis=1, result=probabilities)
    else:
        graph.node("Div", positive, graph.total(positive), result=probabilities)
    best = graph.node("ArgMax", probabilities, axis=1, keepdims=0)
    names = operator.raw_operator.classes_
    words = names.astype(object) if names.dtype.kind in "UO" else names.astype(np.int64)
    graph.node("Gather", words, best, axis=0, result=label)


def convert_regressor(scope: Any, operator: Any, container: Any) -> None:
    """Add a regressor: its prediction and the deviation of a new target."""
    graph, made = Graph(scope, container), portable(operator.raw_operator)
    mean, variance = latent_moments(graph, made, input_of(graph, operator))
    prediction, deviation = (output.full_name for output in operator.outputs)
    graph.node("Identity", mean, result=prediction)
    total = graph.node("Add", variance, np.array([made.noise_variance]))
    graph.node("Sqrt", stretched(graph, made.model.noise, mean, total), result=deviation)


def stretched(graph: Graph, noise: TargetNoise | None, mean: str, variance: str) -> str:
    """Return a variance multiplied as ``TargetNoise.stretch`` does."""
    if noise is None:
        return variance
    centre, spread, rate, factor, low, high = (
        graph.constant(np.array(value))
        for value in (noise.centre, noise.spread, 2.0 * noise.growth, noise.factor**2, -3.0, 3.0)
    )
    level = graph.node("Clip", graph.node("Div", graph.node("Sub", mean, centre), spread), low, high)
    stretch = graph.node("Mul", graph.node("Exp", graph.node("Mul", level, rate)), factor)
    return graph.node("Mul", variance, stretch)


def convert_preparation(scope: Any, operator: Any, container: Any) -> None:
    """Add the preparation of a table: one input a column, gaps allowed in numbers."""
    graph = Graph(scope, container)
    features = []
    for variable, each in zip(operator.inputs, operator.raw_operator.inputs, strict=True):
        if isinstance(each, NumberInput):
            features.append(number_feature(graph, variable.full_name, each))
        else:
            features.append(category_features(graph, variable.full_name, each))
    graph.node("Concat", *features, axis=1, result=operator.outputs[0].full_name)


def number_feature(graph: Graph, name: str, column: NumberInput) -> str:
    """Fill gaps with the median and scale."""
    filled = graph.node("Where", graph.node("IsNaN", name), np.array([[column.fill]]), name)
    centred = graph.node("Sub", filled, np.array([[column.mean]]))
    # Between bounds, so that no runtime fuses the division into the next product: see part_values.
    return bounded(graph, graph.node("Div", centred, np.array([[column.scale]])), LARGEST_FEATURE)


def category_features(graph: Graph, name: str, column: Any) -> str:
    """Look a word up and set its input to one."""
    place = graph.node(
        "LabelEncoder",
        name,
        domain="ai.onnx.ml",
        keys_strings=list(column.place),
        values_int64s=list(column.place.values()),
        default_int64=column.unknown,
    )
    equal = graph.node("Equal", place, np.arange(column.width, dtype=np.int64)[None, :])
    return graph.double(equal)


def pipeline_to_onnx(pipeline: Pipeline, schema: Schema) -> onnx.ModelProto:
    """Return a pipeline of ``rowtrust fit`` as an ONNX model with one input a column."""
    inputs = described(pipeline, schema)
    types = [
        (
            each.name,
            DoubleTensorType([None, 1]) if isinstance(each, NumberInput) else StringTensorType([None, 1]),
        )
        for each in inputs
    ]
    whole = Pipeline([("prepare", Preparation(inputs)), ("model", pipeline[-1])])
    return converted(whole, types)


def estimator_to_onnx(estimator: Any) -> onnx.ModelProto:
    """Return a fitted estimator as an ONNX model with the input ``X``.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator of this library.

    Returns
    -------
    onnx.ModelProto
        To be written with ``SerializeToString()``, and run without Python.

    Raises
    ------
    ExportError
        If the model cannot be written so.

    Examples
    --------
    >>> from rowtrust import RVC
    >>> from rowtrust.datasets import make_ripley
    >>> from rowtrust.export.onnx import estimator_to_onnx
    >>> model = RVC(gamma=4.0).fit(*make_ripley(100, random_state=0))
    >>> [each.name for each in estimator_to_onnx(model).graph.output]
    ['label', 'probabilities']
    """
    return converted(estimator, [("X", DoubleTensorType([None, estimator.n_features_in_]))])


def converted(model: Any, types: list[tuple[str, Any]]) -> onnx.ModelProto:
    """Convert without the dictionaries that skl2onnx makes of probabilities."""
    last = model[-1] if isinstance(model, Pipeline) else model
    options = {id(last): {"zipmap": False}} if is_classifier(last) else None
    made: onnx.ModelProto = convert_sklearn(
        model, "rowtrust", types, target_opset={"": OPSET, "ai.onnx.ml": ML_OPSET}, options=options
    )
    return made


register()
