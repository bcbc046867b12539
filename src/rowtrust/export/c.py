"""C: a fitted sparse model as one function that needs nothing but the mathematics of the standard library."""

from __future__ import annotations

from typing import Any

import numpy as np

import rowtrust
from rowtrust.export.c_output import array, far_lines, kernel_lines, latent_lines, literal, narrows
from rowtrust.export.portable import CategoryInput, NumberInput, Part, Portable, described, portable
from rowtrust.workflow.tables import Schema
from rowtrust.workflow.tables.errors import shortened

Inputs = list[NumberInput | CategoryInput]


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
        "    double mean, variance, total = 0.0, value, gone = 0.0, unknown = 0.0, bridged = 0.0;",
        "    int i, j, k;",
        *preparation(inputs),
        "    phi[0] = 1.0;",
        *basis_lines(made),
        *far_lines(made),
        *latent_lines(made),
        "    (void)i; (void)feature; (void)z; (void)total; (void)value; (void)k; (void)gone; (void)unknown;",
        "    (void)bridged;",
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
        if model.far.bridge is not None:
            found.append(array("bridge", model.far.bridge[:, 0]))
        if whitener is not None:
            found.append(array("whitener", whitener[np.tril_indices(len(whitener))]))
    return found


def part_constants(part: Part, name: str) -> list[str]:
    """Return the arrays of one family of kernels."""
    if not len(part.centres):
        return []
    found = [
        array(f"origin{name}", part.origin),
        array(f"metric{name}", part.metric.T),
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
