"""C: numbers, kernels, and what a basis says of a row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowtrust.export.portable import Part, Portable
from rowtrust.kernels import Kernel
from rowtrust.numerics.magnitudes import FURTHEST, LARGE
from rowtrust.predictive.far_from_data import FAR, HALF, NEAR, FarFromData

KERNELS = {
    "rbf": "double a = z[i] - centre[j][i]; sum += a * a;",
    "laplacian": "sum += fabs(z[i] - centre[j][i]);",
    "polynomial": "sum += z[i] * centre[j][i];",
    "linear": "sum += z[i] * centre[j][i];",
}
"""What each kernel adds to ``sum`` for one input, in C."""


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
    if made.model.far.bridge is not None:
        lines.append(f"    for (j = 0; j < {size}; j++) bridged += bridge[j] * value_at[j];")
    return [*lines, "    }"]


def latent_lines(made: Portable) -> list[str]:
    """Return the lines that turn kernel values into predictions."""
    size, outputs = 1 + made.n_centres, len(made.model.coefficients)
    if made.is_joint:
        return joint_lines(made, size, outputs)
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


def joint_lines(made: Portable, size: int, outputs: int) -> list[str]:
    """Return the lines of a softmax: means of all classes with one variance."""
    far = made.model.far
    means, prior = (np.zeros(outputs), 0.0) if far is None else (far.mean, far.variance[0])
    return [
        f"    static const double afar[{outputs}] = {braces(means)};",
        "    double apart = 0.0;",
        "    variance = 0.0;",
        f"    for (j = 0; j < {size}; j++)",
        f"        for (k = 0; k < {size}; k++) variance += phi[j] * form[0][j][k] * phi[k];",
        "    if (!(variance > 0.0)) variance = 0.0;",
        f"    for (i = 0; i < {outputs}; i++) {{",
        f"        for (out[i] = 0.0, j = 0; j < {size}; j++) out[i] += weight[i][j] * phi[j];",
        "        out[i] = (1.0 - gone) * out[i] + gone * afar[i];",
        f"        apart += (out[i] - afar[i]) * (out[i] - afar[i]) / {literal(float(outputs))};",
        "    }",
        f"    variance = (1.0 - gone) * (1.0 - gone) * variance + unknown * {literal(prior)};",
        f"    value = {literal(prior)} + apart;",
        "    if (variance > value) variance = (1.0 - unknown) * variance + unknown * value;",
        f"    value = sqrt(1.0 + {literal(np.pi / 4.0)} * variance);",
        f"    for (mean = out[0], i = 1; i < {outputs}; i++) if (out[i] > mean) mean = out[i];",
        f"    for (i = 0; i < {outputs}; i++) total += out[i] = exp((out[i] - mean) / value);",
        f"    for (i = 0; i < {outputs}; i++) out[i] /= total;",
    ]


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


def bridge_lines(far: FarFromData, mean: str) -> list[str]:
    """Return the lines that make a function less sure where it leaves its bridge."""
    if far.bridge is None:
        return []
    return [
        f"    value = fabs(mean - {mean} - bridged) - {literal(far.astray)};",
        f"    if (value > 0.0) variance += {literal(HALF**2)} * value * value;",
    ]


def returning_lines(made: Portable, output: int) -> list[str]:
    """Return the lines that take one output's moments to the prior's, far from the data."""
    far = made.model.far
    if far is None:
        return []
    mean, variance = (literal(prior[output]) for prior in (far.mean, far.variance))
    return [
        *bridge_lines(far, mean),
        f"    mean = (1.0 - gone) * mean + gone * {mean};",
        f"    variance = (1.0 - gone) * (1.0 - gone) * variance + unknown * {variance};",
        f"    value = {variance} + (mean - {mean}) * (mean - {mean});",
        "    if (variance > value) variance = (1.0 - unknown) * variance + unknown * value;",
    ]


def stretching_lines(made: Portable) -> list[str]:
    """Return the lines that multiply a variance as ``TargetNoise.stretch`` does."""
    noise = made.model.noise
    if noise is None:
        return []
    return [
        f"    value = (mean - {literal(noise.centre)}) / {literal(noise.spread)};",
        "    value = value < -3.0 ? -3.0 : value > 3.0 ? 3.0 : value;",
        f"    variance *= {literal(noise.factor**2)} * exp({literal(2.0 * noise.growth)} * value);",
    ]


def answer(made: Portable, output: int) -> list[str]:
    """Return the lines that write one output."""
    if made.classes is None:
        return [
            f"    out[{2 * output}] = mean;",
            f"    variance += {literal(made.noise_variance)};",
            *stretching_lines(made),
            f"    out[{2 * output + 1}] = sqrt(variance);",
        ]
    odds = f"    value = mean / sqrt(1.0 + {literal(np.pi / 8.0)} * variance);"
    if len(made.model.coefficients) == 1:
        return [odds, "    out[0] = 1.0 / (1.0 + exp(value));", "    out[1] = 1.0 / (1.0 + exp(-value));"]
    return [odds, f"    out[{output}] = 1.0 / (1.0 + exp(-value)); total += out[{output}];"]


def kernel_lines(part: Part, name: str, values: str) -> list[str]:
    """Return the loops that scale the inputs and write the kernel around each centre."""
    gamma = f"gamma{name}"
    ends = {
        "rbf": [f"sum = exp(-{gamma}[j] * sum);"],
        "laplacian": [f"sum = exp(-{gamma}[j] * sum);"],
        "polynomial": polynomial_lines(part.kernel, gamma),
        "linear": bounded("sum", LARGE),
    }
    if not len(part.centres):
        return []
    family, size = str(part.kernel.function), part.centres.shape[1]
    term = f"(feature[{{0}}] - origin{name}[{{0}}]) * metric{name}[i]"
    if part.metric.ndim == 1:
        products = [f"z[i] = {term.format('i')};"]
    else:
        products = ["z[i] = 0.0;", f"for (k = 0; k < {len(part.metric)}; k++) z[i] += {term.format('k')}[k];"]
    return [
        f"    for (i = 0; i < {size}; i++) {{",
        *(f"        {line}" for line in products),
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
    return [base, *positive, f"sum = pow(sum, {literal(kernel.degree)});", *bounded("sum", LARGE)]


def bounded(name: str, bound: float) -> list[str]:
    """Return the lines that keep a number between bounds; rowtrust itself refuses rows beyond them."""
    limit = literal(bound)
    return [f"if ({name} > {limit}) {name} = {limit};", f"if ({name} < -{limit}) {name} = -{limit};"]
