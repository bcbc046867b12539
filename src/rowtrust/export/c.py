"""C: a fitted sparse model as one function that needs nothing but the mathematics of the standard library."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import rowtrust
from rowtrust.export.portable import Part, Portable, portable
from rowtrust.export.preparation import CategoryInput, NumberInput, described
from rowtrust.kernels import Kernel
from rowtrust.kernels.kernels import LARGEST
from rowtrust.numerics.magnitudes import FURTHEST
from rowtrust.predictive.far_from_data import FAR, NEAR
from rowtrust.workflow.tables import Schema
from rowtrust.workflow.tables.errors import shortened

Inputs = list[NumberInput | CategoryInput]

KERNELS = {
    "rbf": "double a = z[i] - centre[j][i]; sum += a * a;",
    "laplacian": "sum += fabs(z[i] - centre[j][i]);",
    "polynomial": "sum += z[i] * centre[j][i];",
    "linear": "sum += z[i] * centre[j][i];",
}
"""What each kernel adds to ``sum`` for one input, in C."""


def pipeline_to_c(pipeline: Any, schema: Schema, name: str = "rowtrust_predict") -> str:
    """Return a pipeline of ``rowtrust fit`` as C source."""
    return source(portable(pipeline[-1]), described(pipeline, schema), name)


def estimator_to_c(estimator: Any, name: str = "rowtrust_predict") -> str:
    """Return a fitted estimator as C source; its inputs are the features themselves.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator of this library.
    name : str, default="rowtrust_predict"
        Of the C function.

    Returns
    -------
    str
        A file of C that needs nothing but ``math.h``.

    Raises
    ------
    ExportError
        If the model cannot be written so.

    Examples
    --------
    >>> from rowtrust import RVR
    >>> from rowtrust.datasets import make_sinc
    >>> from rowtrust.export.c import estimator_to_c
    >>> model = RVR(gamma=3.0).fit(*make_sinc(50, random_state=0))
    >>> source = estimator_to_c(model, name="dose")
    >>> "void dose(const double x[1], double out[2])" in source
    True
    """
    plain: Inputs = [NumberInput(f"feature {i}", np.nan, 0.0, 1.0) for i in range(estimator.n_features_in_)]
    return source(portable(estimator), plain, name)


def source(made: Portable, inputs: Inputs, name: str) -> str:
    """Return the whole file."""
    n_features, n_centres = made.n_features, made.n_centres
    outputs = 2 if made.classes is None else len(made.classes)
    lines = [
        comment(made, inputs, name),
        "#include <math.h>",
        "",
        f"void {name}(const double x[{len(inputs)}], double out[{outputs}])",
        "{",
        *constants(made),
        f"    double feature[{n_features}] = {{0}}, z[{n_features}], phi[{n_centres + 1}];",
        "    double mean, variance, total = 0.0, value, gone = 0.0, unknown = 0.0;",
        "    int i, j, k;",
        *preparation(inputs),
        "    phi[0] = 1.0;",
        *basis_lines(made),
        *far_lines(made),
        *latent_lines(made),
        "    (void)i; (void)feature; (void)z; (void)total; (void)value; (void)k; (void)gone; (void)unknown;",
        "}",
        "",
    ]
    return "\n".join(lines)


def comment(made: Portable, inputs: Inputs, name: str) -> str:
    """Explain the function: what goes in, what comes out."""
    lines = [
        f"{name}: a model of rowtrust {rowtrust.__version__}.",
        "",
        "x, one number a column" + (", NaN where it is missing:" if fills(inputs) else ":"),
    ]
    for number, each in enumerate(inputs):
        lines.append(f"  x[{number}]  {safe(each.name)}")
        if isinstance(each, CategoryInput):
            words = ", ".join(f"{place} {safe(word)}" for place, word in enumerate(each.place))
            lines.append(f"        the number of its category, -1 for any other: {words}")
    lines += ["", "out:"]
    if made.classes is None:
        lines += ["  out[0]  prediction", "  out[1]  its standard deviation, noise included"]
    else:
        lines += [f"  out[{place}]  probability of {safe(label)}" for place, label in enumerate(made.classes)]
    return "/* " + "\n * ".join(lines) + "\n */"


def fills(inputs: Inputs) -> bool:
    """Whether missing numbers are filled: a bare estimator leaves that to whoever calls it."""
    return not all(isinstance(each, NumberInput) and np.isnan(each.fill) for each in inputs)


def safe(value: object) -> str:
    """Return text of a file that cannot end a comment."""
    return (
        shortened(value, 80).replace("*/", "* /").replace("/*", "/ *").replace("\\", "/").replace("??", "? ?")
    )


def constants(made: Portable) -> list[str]:
    """Return the arrays of the model."""
    model = made.model
    found = []
    for number, part in enumerate(made.parts):
        found += part_constants(part, str(number))
    found += [array("weight", model.coefficients), array("form", model.covariance)]
    if model.narrowing is not None and narrows(made):
        found.append(array("narrowing", model.narrowing))
    if model.far is not None and made.anchors is not None:
        found += part_constants(made.anchors, "_of_anchors")
        whitener = model.far.anchors.whitener
        if whitener is not None:
            found.append(array("whitener", whitener[np.tril_indices(len(whitener))]))
    return found


def part_constants(part: Part, name: str) -> list[str]:
    """Return the arrays of one family of kernels."""
    if not len(part.centres):
        return []
    found = [
        array(f"origin{name}", part.origin),
        array(f"scale{name}", part.scale),
        array(f"centre{name}", part.centres),
    ]
    return found if part.kernel.function == "linear" else [*found, array(f"gamma{name}", part.gamma)]


def basis_lines(made: Portable) -> list[str]:
    """Return the lines that write every basis function."""
    lines, first = [], 1
    for number, part in enumerate(made.parts):
        lines += kernel_lines(part, str(number), f"phi + {first}")
        first += len(part.centres)
    return lines


def array(name: str, values: NDArray[Any]) -> str:
    """Return the definition of an array of doubles."""
    shape = "".join(f"[{size}]" for size in values.shape)
    return f"    static const double {name}{shape} = {braces(values)};"


def braces(values: NDArray[Any]) -> str:
    """Return the values of an array as an initialiser, every digit kept."""
    if values.ndim == 1:
        return "{" + ", ".join(literal(value) for value in values) + "}"
    return "{" + ",\n        ".join(braces(part) for part in values) + "}"


def literal(value: float) -> str:
    """Return a number as C reads it."""
    return "NAN" if np.isnan(value) else repr(float(value))


def preparation(inputs: Inputs) -> list[str]:
    """Return the lines that turn columns into features."""
    lines, place = [], 0
    for number, each in enumerate(inputs):
        if isinstance(each, NumberInput):
            value = f"(isnan(x[{number}]) ? {literal(each.fill)} : x[{number}])"
            lines.append(f"    feature[{place}] = ({value} - {literal(each.mean)}) / {literal(each.scale)};")
            place += 1
        else:
            known = ", ".join(str(where) for where in each.place.values())
            size = len(each.place)
            lines += [
                f"    {{ static const int place[{size}] = {{{known}}};",
                f"      j = x[{number}] >= 0 && x[{number}] < {size}",
                f"          ? place[(int)x[{number}]] : {each.unknown};",
                f"      if (j >= 0) feature[{place} + j] = 1.0; }}",
            ]
            place += each.width
    return lines


def kernel_lines(part: Part, name: str, values: str) -> list[str]:
    """Return the loops that scale the inputs and write the kernel around each centre."""
    gamma = f"gamma{name}"
    ends = {
        "rbf": [f"sum = exp(-{gamma}[j] * sum);"],
        "laplacian": [f"sum = exp(-{gamma}[j] * sum);"],
        "polynomial": polynomial_lines(part.kernel, gamma),
        "linear": bounded("sum", LARGEST),
    }
    if not len(part.centres):
        return []
    family, size = str(part.kernel.function), len(part.scale)
    return [
        f"    for (i = 0; i < {size}; i++) {{",
        f"        z[i] = (feature[i] - origin{name}[i]) * scale{name}[i];",
        *(f"        {line}" for line in bounded("z[i]", FURTHEST)),
        "    }",
        f"    for (j = 0; j < {len(part.centres)}; j++) {{",
        "        double sum = 0.0;",
        f"        for (i = 0; i < {size}; i++) {{ {KERNELS[family].replace('centre', f'centre{name}')} }}",
        *(f"        {line}" for line in ends[family]),
        f"        ({values})[j] = sum;",
        "    }",
    ]


def polynomial_lines(kernel: Kernel, gamma: str) -> list[str]:
    """Return the lines of a polynomial: of a number below zero a broken power is zero, not NaN."""
    base = f"sum = {gamma}[j] * sum + {literal(kernel.coef0)};"
    positive = [] if float(kernel.degree).is_integer() else ["if (sum < 0.0) sum = 0.0;"]
    return [base, *positive, f"sum = pow(sum, {literal(kernel.degree)});", *bounded("sum", LARGEST)]


def bounded(name: str, bound: float) -> list[str]:
    """Return the lines that keep a number between bounds; rowtrust itself refuses rows beyond them."""
    limit = literal(bound)
    return [f"if ({name} > {limit}) {name} = {limit};", f"if ({name} < -{limit}) {name} = -{limit};"]


def far_lines(made: Portable) -> list[str]:
    """Return the lines that find how far the data are, as ``FarFromData.moments`` does."""
    if made.model.far is None or made.anchors is None:
        return []
    anchors = made.model.far.anchors
    size, tiny = len(made.anchors.centres), literal(np.finfo(float).tiny)
    lines = [
        f"    {{ double value_at[{size}], largest = {tiny};",
        *kernel_lines(made.anchors, "_of_anchors", "value_at"),
        f"    for (j = 0; j < {size}; j++) if (value_at[j] > largest) largest = value_at[j];",
        "    if (largest > 1.0) largest = 1.0;",
        f"    value = (sqrt(-2.0 * log(largest)) - {literal(anchors.reach + NEAR)}) / {literal(FAR - NEAR)};",
        "    value = value < 0.0 ? 0.0 : value > 1.0 ? 1.0 : value;",
        "    gone = value * value * (3.0 - 2.0 * value); unknown = gone;",
    ]
    if anchors.whitener is not None:
        lines += [
            "    value = 0.0;",
            f"    for (i = 0, j = 0; j < {size}; j++) {{",
            "        double sum = 0.0;",
            "        for (k = 0; k <= j; k++) sum += whitener[i++] * value_at[k];",
            "        value += sum * sum;",
            "    }",
            f"    value = 1.0 - value / {literal(1.0 - anchors.slack)};",
            "    if (value > unknown) unknown = value;",
        ]
    return [*lines, "    }"]


def latent_lines(made: Portable) -> list[str]:
    """Return the lines that turn kernel values into predictions."""
    size, outputs = 1 + made.n_centres, len(made.model.coefficients)
    lines = []
    for output in range(outputs):
        lines += [
            "    mean = 0.0; variance = 0.0;",
            f"    for (j = 0; j < {size}; j++) {{",
            f"        mean += weight[{output}][j] * phi[j];",
            f"        for (k = 0; k < {size}; k++) variance += phi[j] * form[{output}][j][k] * phi[k];",
            "    }",
            *narrowing_lines(made, output),
            "    if (!(variance > 0.0)) variance = 0.0;",
            *returning_lines(made, output),
            *answer(made, output),
        ]
    if made.classes is not None and outputs > 1:
        share = f"total > 0.0 ? out[j] / total : {literal(1 / outputs)}"
        lines.append(f"    for (j = 0; j < {outputs}; j++) out[j] = {share};")
    return lines


def narrows(made: Portable) -> bool:
    """Whether data narrow a prior."""
    return made.model.narrowing is not None and made.model.narrowing.shape[1] > 0


def narrowing_lines(made: Portable, output: int) -> list[str]:
    """Return the lines that take what data explain off the prior's variance."""
    if made.model.narrowing is None or not narrows(made):
        return []
    _, rows, columns = made.model.narrowing.shape
    return [
        f"    for (j = 0; j < {rows}; j++) {{",
        "        double sum = 0.0;",
        f"        for (k = 0; k < {columns}; k++) sum += narrowing[{output}][j][k] * phi[k];",
        "        variance -= sum * sum;",
        "    }",
    ]


def returning_lines(made: Portable, output: int) -> list[str]:
    """Return the lines that take one output's moments to the prior's, far from the data."""
    far = made.model.far
    if far is None:
        return []
    mean, variance = (literal(prior[output]) for prior in (far.mean, far.variance))
    return [
        f"    mean += gone * ({mean} - mean);",
        f"    variance = (1.0 - gone) * (1.0 - gone) * variance + unknown * {variance};",
        f"    value = {variance} + (mean - {mean}) * (mean - {mean});",
        "    if (variance > value) variance -= unknown * (variance - value);",
    ]


def answer(made: Portable, output: int) -> list[str]:
    """Return the lines that write one output."""
    if made.classes is None:
        return [
            f"    out[{2 * output}] = mean;",
            f"    out[{2 * output + 1}] = sqrt(variance + {literal(made.noise_variance)});",
        ]
    odds = f"    value = mean / sqrt(1.0 + {literal(np.pi / 8.0)} * variance);"
    if len(made.model.coefficients) == 1:
        return [odds, "    out[0] = 1.0 / (1.0 + exp(value));", "    out[1] = 1.0 / (1.0 + exp(-value));"]
    return [odds, f"    out[{output}] = 1.0 / (1.0 + exp(-value)); total += out[{output}];"]
