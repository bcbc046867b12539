"""Random models as C and ONNX: the same numbers as in Python, relative to their own size."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.fuzz_data import Generator, Rows, one_of
from benchmarks.fuzz_fits import draw_case
from benchmarks.fuzz_outcomes import Fault, Refused, asked, check_finite, only_known_warnings
from rowtrust.export.c import estimator_to_c
from rowtrust.export.portable import ExportError

Tell = Callable[[str], None]

CLOSE = 1e-5
"""Largest difference of an export from the estimator, of the largest number of its kind that is predicted:
what the exports promise of themselves, and room for a sum that is added up in another order."""

NOTHING = 1e-12
"""Share of the largest number below which a column of predictions is rounding alone."""

FLAGS = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O0", "-shared", "-fPIC")
"""The export is plain C without a remark of the compiler."""


def case(generator: Generator, tell: Tell) -> None:
    """Fit, export, and compare on rows of the fit and on others."""
    with np.errstate(all="ignore"):
        model, rows = draw_case(generator, odd=0.06)
    tell(f"{model}\n  {rows}")
    with only_known_warnings():
        estimator = asked(model.build().fit, rows.X, rows.y, sample_weight=rows.weight)
        X = some_rows(rows)
        expected = answer(estimator, X)
        check_finite("predictions", expected)
        kind = one_of(generator, [name for name, is_there in AVAILABLE.items() if is_there()])
        tell(f"  {kind}")
        try:
            found = EXPORTS[kind](estimator, X, expected.shape[1])
        except ExportError as error:
            raise Refused(str(error)) from error
    compare(kind, found, expected, tell)


def some_rows(rows: Rows) -> NDArray[Any]:
    """Return dense rows without gaps: of the fit, beside it, and further out."""
    X, new = (each.toarray() if hasattr(each, "toarray") else np.asarray(each) for each in (rows.X, rows.new))
    X = np.vstack([X[:10], new, 3.0 * new]).astype(float)
    X = X[np.isfinite(X).all(axis=1)]
    if not len(X):
        raise Refused("no row without gaps to compare")
    return X


def answer(estimator: Any, X: Any) -> NDArray[Any]:
    """Return probabilities, or mean and deviation side by side."""
    names = getattr(estimator, "feature_names_in_", None)
    X = X if names is None else pd.DataFrame(X, columns=names)
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(X))
    mean, deviation = estimator.predict(X, return_std=True)
    if mean.ndim > 1:
        raise Refused("several targets have no export")
    return np.column_stack([mean, deviation])


def compare(kind: str, found: NDArray[Any], expected: NDArray[Any], tell: Tell) -> None:
    """See that every column agrees, relative to its own largest number."""
    check_finite(f"predictions in {kind}", found)
    size = np.abs(expected).max(axis=0)  # a mean of nothing but rounding is compared with the deviation
    size = np.maximum(size, max(NOTHING * size.max(), np.finfo(float).tiny))
    difference = float((np.abs(found - expected).max(axis=0) / size).max())
    tell(f"  difference {difference:.3g}")
    if not difference <= CLOSE:
        raise Fault("relation", f"{kind} says otherwise, by {difference:.3g} of the largest prediction")


def in_c(estimator: Any, X: NDArray[Any], n_outputs: int) -> NDArray[Any]:
    """Compile the export, and call it row by row."""
    source = estimator_to_c(estimator)
    with tempfile.TemporaryDirectory(prefix="rowtrust-fuzz-") as folder:
        file, library = Path(folder) / "model.c", Path(folder) / "model.so"
        file.write_text(source)
        done = subprocess.run(
            [str(compiler()), *FLAGS, "-o", str(library), str(file), "-lm"],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            errors = [line.partition("error:")[2] for line in done.stderr.splitlines() if "error:" in line]
            raise Fault("output", f"the C source does not compile:{';'.join(errors)[:300]}")
        function = ctypes.CDLL(str(library)).rowtrust_predict
    pointer = ctypes.POINTER(ctypes.c_double)
    out = np.zeros((len(X), n_outputs))
    for row, result in zip(np.ascontiguousarray(X), out, strict=True):
        function(row.ctypes.data_as(pointer), result.ctypes.data_as(pointer))
    return out


def in_onnx(estimator: Any, X: NDArray[Any], n_outputs: int) -> NDArray[Any]:
    """Run the export."""
    import onnxruntime

    from rowtrust.export.onnx import estimator_to_onnx

    content = estimator_to_onnx(estimator).SerializeToString()
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    first, second = session.run(None, {"X": X})
    return np.asarray(second if hasattr(estimator, "predict_proba") else np.hstack([first, second]))


def compiler() -> str | None:
    """Return a C compiler, if there is one."""
    return shutil.which("gcc") or shutil.which("clang") or shutil.which("cc")


def has_onnx() -> bool:
    """Whether ONNX and its runtime are installed."""
    try:
        import onnxruntime  # noqa: F401

        import rowtrust.export.onnx  # noqa: F401
    except ImportError:
        return False
    return True


EXPORTS: dict[str, Callable[[Any, NDArray[Any], int], NDArray[Any]]] = {"C": in_c, "ONNX": in_onnx}
AVAILABLE: dict[str, Callable[[], Any]] = {"C": compiler, "ONNX": has_onnx}
"""Formats, and whether this machine can run them."""
