"""Spoilt model files: flipped bytes, cut ends, other numbers, other schemas. None may do harm."""

from __future__ import annotations

import io
import json
import resource
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
from sklearn.gaussian_process.kernels import RBF
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rowtrust
from benchmarks.fuzz_data import Generator, log_uniform, one_of
from benchmarks.fuzz_outcomes import Fault, Refused, check_finite, check_words
from rowtrust.io import ModelFileError, load, save

Tell = Callable[[str], None]
Entries = dict[str, bytes]

COLUMNS = 3
"""Inputs of the models."""

MOST_SECONDS, MOST_MEMORY = 5.0, 500 * 2**20
"""What loading a file may take: the promise for any below 1 MB. These have some 50 KB."""

MODELS: dict[str, dict[str, Any]] = {
    "RVC": {},
    "RobustRVC": {"label_noise": 0.1},
    "FuzzyRVR": {"gamma": 0.5},
    "RobustRVR": {"kernel": "rbf"},
    "BayesianSVR": {},
    "RVR": {"kernel": RBF(np.ones(COLUMNS))},
}
"""Estimators whose files are spoilt."""

VALUES = (
    None,
    True,
    -1,
    0,
    1,
    2**31,
    2**63,
    1e308,
    float("nan"),
    "",
    "nonsense",
    "../../etc/passwd",
    [],
    {},
    [[[]]],
)
"""What is written in the place of values of a schema."""


def case(generator: Generator, tell: Tell) -> None:
    """Spoil a file and load it: refused in words, or a model of finite predictions."""
    name, spoil = one_of(generator, list(MODELS)), one_of(generator, list(SPOILING))
    tell(f"{name}: {spoil}")
    content = SPOILING[spoil](generator, model_file(name))
    with tempfile.TemporaryDirectory(prefix="rowtrust-fuzz-") as folder:
        path = Path(folder) / "model.skops"
        path.write_bytes(content)
        model = loaded(path)
    check_predictions(model)


def loaded(path: Path) -> Any:
    """Load a file within the limits that are promised."""
    began, before = monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return load(path)
        except ModelFileError as error:
            check_words(error)
            raise Refused(str(error).splitlines()[0]) from error
        finally:
            taken = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
            if taken > MOST_MEMORY:
                raise Fault("memory", f"loading took {taken / 2**20:.0f} MiB")
            if monotonic() - began > MOST_SECONDS:
                raise Fault("hang", f"loading took {monotonic() - began:.0f} s")


def check_predictions(model: Any) -> None:
    """See that what was loaded predicts, or says why it does not."""
    X = np.linspace(-2.0, 2.0, 5 * COLUMNS).reshape(5, COLUMNS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            said = model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)
        except ValueError as error:
            raise Refused(str(error)) from error
    check_finite("predictions of a spoilt model", said)


@cache
def model_file(name: str) -> bytes:
    """Return the file of a small model."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(30, COLUMNS))
    y: Any = X[:, 0] + 0.3 * generator.normal(size=30)
    estimator = getattr(rowtrust, name)(**MODELS[name])
    if hasattr(estimator, "predict_proba"):
        y = np.where(y > 0, "yes", "no")
    pipeline = make_pipeline(StandardScaler(), estimator) if name.startswith("Fuzzy") else estimator
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        save(pipeline.fit(X, y), Path(folder) / "model.skops")
        return (Path(folder) / "model.skops").read_bytes()


# spoiling -------------------------------------------------------------------------------------------


def flipped(generator: Generator, content: bytes) -> bytes:
    """Return a file with some bytes replaced."""
    changed = bytearray(content)
    for _ in range(log_uniform(generator, 1, 30) if content else 0):
        changed[int(generator.integers(len(changed)))] = int(generator.integers(256))
    return bytes(changed)


def cut(generator: Generator, content: bytes) -> bytes:
    """Return a part of a file, or a file with a part left out."""
    first, second = sorted(generator.integers(len(content) + 1, size=2).tolist())
    return one_of(generator, (content[:second], content[first:], content[:first] + content[second:]))


def unpacked(content: bytes) -> Entries:
    """Return the entries of an archive."""
    with ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def repacked(entries: Entries) -> bytes:
    """Return an archive whose checksums are right."""
    stream = io.BytesIO()
    with ZipFile(stream, "w", compression=ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return stream.getvalue()


def inside(
    spoil: Callable[[Generator, Entries, str], None], suffix: str
) -> Callable[[Generator, bytes], bytes]:
    """Return what spoils one of the entries of a kind."""

    def changed(generator: Generator, content: bytes) -> bytes:
        entries = unpacked(content)
        names = [name for name in entries if name.endswith(suffix)]
        if names:
            spoil(generator, entries, one_of(generator, names))
        return repacked(entries)

    return changed


def flip_entry(generator: Generator, entries: Entries, name: str) -> None:
    entries[name] = flipped(generator, entries[name])


def cut_entry(generator: Generator, entries: Entries, name: str) -> None:
    entries[name] = cut(generator, entries[name])


def lose_entry(generator: Generator, entries: Entries, name: str) -> None:
    del entries[name]


def swap_entry(generator: Generator, entries: Entries, name: str) -> None:
    entries[name] = entries[one_of(generator, list(entries))]


def other_numbers(generator: Generator, entries: Entries, name: str) -> None:
    values = np.load(io.BytesIO(entries[name]), allow_pickle=False)
    kind = one_of(generator, ("not finite", "huge", "shape", "type", "empty"))
    if kind in ("not finite", "huge") and values.size and values.dtype.kind == "f":
        values = values.copy()
        number = one_of(generator, (np.nan, np.inf, -np.inf)) if kind == "not finite" else 1e308
        values.flat[int(generator.integers(values.size))] = number
    elif kind == "shape":
        values = values.reshape(-1, 1)
    elif kind == "type":
        values = np.zeros(values.shape, dtype=one_of(generator, ("int8", "U3", "complex128", "bool")))
    else:
        values = values[:0] if values.ndim else values.reshape(1)
    stream = io.BytesIO()
    np.save(stream, values)
    entries[name] = stream.getvalue()


def other_header(generator: Generator, entries: Entries, name: str) -> None:
    text = entries[name]
    shape = one_of(
        generator, (b"(99999999999,)", b"(-1,)", b"(1,) * 9", b"(2**40,)", b"((((,", b"(0, 10**12)")
    )
    start, end = text.find(b"'shape': ") + 9, text.find(b")") + 1
    spare = len(shape) - (end - start)
    head = text[:start] + shape + text[end:]
    entries[name] = head.replace(b" " * max(0, spare), b"", 1) if spare > 0 else head


def other_schema(generator: Generator, entries: Entries, name: str) -> None:
    whole = json.loads(entries[name])
    for _ in range(log_uniform(generator, 1, 4)):
        change_node(generator, whole)
    entries[name] = json.dumps(whole).encode()


def change_node(generator: Generator, whole: Any) -> None:
    """Change one place of a tree of dictionaries and lists."""
    places = list(all_places(whole))
    parent, key = one_of(generator, places)
    kind = one_of(generator, ("value", "value", "lose", "copy", "rename"))
    if kind == "value":
        parent[key] = one_of(generator, VALUES)
    elif kind == "lose":
        del parent[key]
    elif kind == "copy":
        other, from_key = one_of(generator, places)
        if from_key in other if isinstance(other, dict) else from_key < len(other):
            parent[key] = json.loads(json.dumps(other[from_key]))
    elif isinstance(parent, dict):
        parent[one_of(generator, ("__class__", "__loader__", "__id__", "content", "key_types"))] = parent.pop(
            key
        )


def all_places(node: Any) -> Any:
    """Yield every place of a tree as what it stands in and where."""
    keys: Any = node.keys() if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
    for key in keys:
        yield node, key
        yield from all_places(node[key])


SPOILING: dict[str, Callable[[Generator, bytes], bytes]] = {
    "flipped bytes": flipped,
    "cut": cut,
    "flipped bytes of an array": inside(flip_entry, ".npy"),
    "flipped bytes of the schema": inside(flip_entry, ".json"),
    "a cut entry": inside(cut_entry, ""),
    "a lost entry": inside(lose_entry, ""),
    "a swapped entry": inside(swap_entry, ""),
    "other numbers": inside(other_numbers, ".npy"),
    "another header of an array": inside(other_header, ".npy"),
    "another schema": inside(other_schema, "schema.json"),
    "other facts": inside(other_schema, "rowtrust.json"),
}
"""Ways to spoil a file."""
