"""``rowtrust predict``: a model and a table in, a prediction for every row out, in order."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from rowtrust.cli import options
from rowtrust.cli.failing import in_one_line


@in_one_line
def predict(
    model: options.Model,
    data: options.Data,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="CSV file to write; standard output unless given.", show_default=False
        ),
    ] = None,
    interval: Annotated[
        float, typer.Option(min=0.01, max=0.999, help="Probability that an interval of a number holds.")
    ] = 0.9,
    quiet: options.Quiet = False,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = "utf-8",
    decimal: options.Decimal = ".",
    no_header: options.NoHeader = False,
) -> None:
    """Predict every row of a table, in order.

    Classes come with the probability of each; numbers with an interval. Reads and writes piece by piece,
    so files may be larger than memory. Model files from strangers are safe to open: they cannot run code.

    Example: rowtrust predict rowtrust-results new.csv > predictions.csv
    """
    from rowtrust.cli.common import layout_of, note
    from rowtrust.workflow.tables import read_chunks

    pipeline, schema = load_model(model)
    layout = layout_of(delimiter, encoding, decimal, no_header)
    told: set[str] = set()
    with written(output) as stream:
        chunks = read_chunks(data, layout, schema.of_kind("category"))
        for place, chunk in enumerate(chunks):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", UserWarning)
                table = predictions(pipeline, schema, chunk, interval)
            table.to_csv(stream, index=False, header=place == 0, float_format="%.7g", lineterminator="\n")
            for message in {str(each.message).splitlines()[0] for each in caught} - told:
                told.add(message)
                if not quiet:
                    note(message)


def load_model(path: Path) -> tuple[Any, Any]:
    """Load a model that ``rowtrust fit`` has written, with what it knows of its columns."""
    from rowtrust.cli.common import note
    from rowtrust.io import ModelFileError, VersionWarning, load, read_facts
    from rowtrust.workflow.tables import Schema

    if path.is_dir():
        path = path / "model.skops"
    facts = read_facts(path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", VersionWarning)
        model = load(path)
    for each in caught:
        note(str(each.message))
    try:
        return model, Schema.from_json(facts["schema"])
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFileError(
            f"{path} says nothing of its columns. Give a model that 'rowtrust fit' has written."
        ) from error


@contextmanager
def written(output: Path | None) -> Iterator[TextIO]:
    """Yield standard output, or a file that appears only when it is complete."""
    from rowtrust.io import written_aside

    if output is None:
        yield sys.stdout
        sys.stdout.flush()
        return
    with written_aside(output) as aside, aside.open("w", encoding="utf-8", newline="") as stream:
        yield stream


def predictions(pipeline: Any, schema: Any, chunk: Any, interval: float) -> Any:
    """Return the predictions of some rows as a table."""
    import numpy as np
    import pandas as pd

    from rowtrust.workflow.quality import interval_factor

    X = schema.conform(chunk)
    if schema.task == "classification":
        probability = pipeline.predict_proba(X)
        best = pipeline.classes_[np.argmax(probability, axis=1)]
        columns = {f"P({name})": probability[:, place] for place, name in enumerate(pipeline.classes_)}
        return pd.DataFrame({"prediction": best, **columns})
    mean, deviation = pipeline.predict(X, return_std=True)
    half = interval_factor(pipeline[-1], interval) * deviation
    return pd.DataFrame({"prediction": mean, "lower": mean - half, "upper": mean + half})
