"""``rowtrust export``: a fitted model for other languages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rowtrust.atomic import written_aside
from rowtrust.cli import options
from rowtrust.cli.failing import in_one_line
from rowtrust.cli.options import asked, say
from rowtrust.cli.predict import load_model
from rowtrust.workflow.output_paths import check_outputs
from rowtrust.workflow.tables import InputError


@in_one_line
def export(
    model: options.Model,
    output: Annotated[
        Path, typer.Argument(metavar="OUT", help="File to write: .onnx or .c.", show_default=False)
    ],
    kind: Annotated[
        str | None, asked("onnx or c; from the name of the file unless given.", "--format")
    ] = None,
    force: options.Force = False,
    limits: options.Limits = None,
) -> None:
    """Write a fitted model as ONNX, or as one C function without dependencies.

    ONNX needs its extra: pip install 'rowtrust[onnx]'.

    Example: rowtrust export rowtrust-results model.onnx
    """
    kind = kind or output.suffix.lstrip(".").lower()
    if kind not in ("onnx", "c"):
        raise InputError(f"unknown format '{kind}'. Use --format onnx or --format c.")
    if kind == "onnx":
        from rowtrust.export.onnx import pipeline_to_onnx  # needs an extra of its own, or says so
    check_outputs({"OUT": output}, {"the model": model}, force=force)
    stored = load_model(model, limits)
    pipeline, schema = stored.pipeline, stored.schema
    if kind == "onnx":
        content = pipeline_to_onnx(pipeline, schema).SerializeToString()
    else:
        from rowtrust.export.c import pipeline_to_c

        content = pipeline_to_c(pipeline, schema).encode()
    with written_aside(output) as aside:
        aside.write_bytes(content)
    say(f"written: {output} ({kind.upper()}, {len(content):,} bytes)")
