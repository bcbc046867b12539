"""Model files that nobody should trust: damaged at random, or crafted to take much memory or time.

The fuzz target and the tests take them from here. ``python -m benchmarks.hostile_models N`` loads the crafted
files and N damaged ones, each crafted one in a process of its own, and prints the worst time and memory.
"""

from __future__ import annotations

import io
import json
import lzma
import struct
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED, ZipFile

import numpy as np

SCHEMA, ABOUT = "schema.json", "rowtrust.json"
MEGABYTE = 10**6

Generator = np.random.Generator


def entries_of(content: bytes) -> dict[str, bytes]:
    with ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(entries: dict[str, bytes], compression: int = ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with ZipFile(stream, "w", compression) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return stream.getvalue()


def schema_of(content: bytes) -> dict[str, Any]:
    return json.loads(entries_of(content)[SCHEMA])


def with_schema(content: bytes, schema: Any, **more: bytes) -> bytes:
    """Return a file with another schema, and more entries: ``name`` for ``name.npy``."""
    added = {f"{name}.npy": data for name, data in more.items()}
    return packed({**entries_of(content), SCHEMA: json.dumps(schema).encode(), **added})


def stored(array: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def part(kind: str, name: str, **more: Any) -> dict[str, Any]:
    """A part of a schema, by its kind and the full name of its class."""
    module, _, class_name = name.rpartition(".")
    return {"__loader__": kind, "__module__": module, "__class__": class_name, **more}


def value(number: Any) -> dict[str, Any]:
    return part("JsonNode", "builtins.str", content=json.dumps(number), is_json=True)


def listed(parts: list[Any], **more: Any) -> dict[str, Any]:
    return part("ListNode", "builtins.list", content=parts, **more)


def array(name: str, **more: Any) -> dict[str, Any]:
    return part("NdArrayNode", "numpy.ndarray", type="numpy", file=f"{name}.npy", **more)


def attributes(schema: dict[str, Any], *path: str) -> dict[str, Any]:
    """The attributes of the object at a path of attributes."""
    for name in path:
        schema = schema["content"]["content"][name]
    found: dict[str, Any] = schema["content"]["content"]
    return found


def with_attribute(content: bytes, what: Any, **more: bytes) -> bytes:
    """Return a file whose model has one more attribute."""
    schema = schema_of(content)
    schema["content"]["key_types"]["content"].append(part("TypeNode", "builtins.str"))
    attributes(schema)["extra"] = what
    return with_schema(content, schema, **more)


def changed(content: bytes, *path: str, to: Any, **more: bytes) -> bytes:
    """Return a file with another part at a path of attributes."""
    schema = schema_of(content)
    attributes(schema, *path[:-1])[path[-1]] = to
    return with_schema(content, schema, **more)


# Damage at random.


def flipped_bytes(content: bytes, generator: Generator) -> bytes:
    """Return a file with one to four bytes changed."""
    damaged = bytearray(content)
    for place in generator.integers(len(damaged), size=generator.integers(1, 5)):
        damaged[place] ^= int(generator.integers(1, 256))
    return bytes(damaged)


def cut(content: bytes, generator: Generator) -> bytes:
    """Return the start of a file."""
    return content[: int(generator.integers(len(content)))]


def flipped_schema(content: bytes, generator: Generator) -> bytes:
    """Return a file whose schema differs in one place: a type, a name, a number, a reference, a shape."""
    schema = schema_of(content)
    places: list[tuple[Any, Any]] = []
    waiting: list[Any] = [schema]
    while waiting:
        node = waiting.pop()
        keys = list(node) if isinstance(node, dict) else range(len(node))
        places += [(node, key) for key in keys]
        waiting += [node[key] for key in keys if isinstance(node[key], dict | list)]
    node, key = places[generator.integers(len(places))]
    other, other_key = places[generator.integers(len(places))]
    words = ["", "-1", "0", "1e999", "NaN", '"x"', "null", "true", "[]", "10000000000000000000", "\x00", "é"]
    choices: list[Callable[[], Any]] = [
        lambda: node.__setitem__(key, words[generator.integers(len(words))]),
        lambda: node.__setitem__(key, [None, 0, -1, 1e300, 10**30, [], {}, True][generator.integers(8)]),
        lambda: node.__setitem__(key, json.loads(json.dumps(other[other_key]))),
        lambda: node.pop(key),
        lambda: node.__setitem__(key, _flipped_word(node[key], generator)),
        lambda: node.__setitem__(
            generator.choice(["zzz", "file"]) if isinstance(node, dict) else key, node[key]
        ),
    ]
    choices[generator.integers(len(choices))]()
    if isinstance(key, str) and generator.random() < 0.2 and key in node:
        node[key[:-1] + "^"] = node.pop(key)
    return with_schema(content, schema)


def _flipped_word(word: Any, generator: Generator) -> Any:
    if not isinstance(word, str) or not word:
        return None
    place = int(generator.integers(len(word)))
    return word[:place] + chr(int(generator.integers(32, 127))) + word[place + 1 :]


def flipped_array(content: bytes, generator: Generator) -> bytes:
    """Return a file with another array in the place of one: of another shape, type, or with other numbers."""
    entries = entries_of(content)
    names = sorted(name for name in entries if name.endswith(".npy"))
    name = names[generator.integers(len(names))]
    found = np.load(io.BytesIO(entries[name]))
    others: list[Callable[[], Any]] = [
        lambda: np.full_like(found, np.nan) if found.dtype.kind == "f" else np.zeros_like(found),
        lambda: found * 1e300 if found.dtype.kind == "f" else found[..., None],
        lambda: found.astype(str),
        lambda: found.ravel(),
        lambda: found[None],
        lambda: found[..., :0] if found.ndim else found[None],
        lambda: np.concatenate([found, found]) if found.ndim else found.astype(complex),
        lambda: found.astype(complex) * 1j,
        lambda: np.load(io.BytesIO(entries[names[generator.integers(len(names))]])),
        lambda: -found if found.dtype.kind in "fi" else found,
    ]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        entries[name] = stored(others[generator.integers(len(others))]())
    return packed(entries)


DAMAGES = (flipped_bytes, cut, flipped_schema, flipped_array)


# Crafted files.


def crafted(content: bytes) -> dict[str, bytes]:
    """Return files that were made to do harm, by what they are, from the file of a fitted ``RVR``."""
    return {**_bombs(content), **_schemas(content), **_arrays(content), **_models(content)}


def _bombs(content: bytes) -> dict[str, bytes]:
    zeros = stored(np.zeros(200 * MEGABYTE // 8))
    small = stored(np.zeros(7 * MEGABYTE))
    inner = packed(
        {"data.npy": zeros, **{f"{name}.npy": b"" for name in ("format", "shape", "indices", "indptr")}}
    )
    sparse = part("SparseMatrixNode", "scipy.sparse._csr.csr_matrix", type="scipy", file="inner.npz")
    schema = schema_of(with_attribute(content, sparse))
    nested = {**entries_of(content), SCHEMA: json.dumps(schema).encode(), "inner.npz": inner}
    pieces = {f"{i}": stored(np.zeros(MEGABYTE)) for i in range(40)}
    return {
        "one array named a hundred times": with_attribute(content, listed([array("big")] * 100), big=small),
        "a large array": with_attribute(content, array("big"), big=zeros),
        "many arrays": with_attribute(content, listed([array(name) for name in pieces]), **pieces),
        "an archive in the archive": packed(nested),
        "a size that is too small": _lying(with_attribute(content, array("big"), big=zeros), 1000),
        "a size that is too large": _lying(
            with_attribute(content, array("big"), big=stored(np.zeros(9))), 2**31
        ),
        "two parts of one name": _twice(content),
        "LZMA with a large dictionary": _lzma(content),
        "thousands of parts": packed(
            {**entries_of(content), **{f"x{i}": b"" for i in range(9000)}}, ZIP_STORED
        ),
        "facts without end": packed({**entries_of(content), ABOUT: b"[" + b"[]," * (60 * MEGABYTE)}),
    }


def _lying(content: bytes, size: int) -> bytes:
    """Return a file whose part ``big.npy`` says to unpack to another size, in both headers."""
    damaged, name = bytearray(content), b"big.npy"
    for signature, size_at, name_at in ((b"PK\x03\x04", 22, 30), (b"PK\x01\x02", 24, 46)):
        start = -1
        while (start := content.find(signature, start + 1)) >= 0:
            if content[start + name_at : start + name_at + len(name)] == name:
                damaged[start + size_at : start + size_at + 4] = struct.pack("<I", size)
    return bytes(damaged)


def _twice(content: bytes) -> bytes:
    stream = io.BytesIO(content)
    with warnings.catch_warnings(), ZipFile(stream, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr(SCHEMA, b"{}")
    return stream.getvalue()


def _lzma(content: bytes) -> bytes:
    """Return a file whose schema is packed with LZMA, and asks for a dictionary of 4 GB."""
    plain = packed({SCHEMA: entries_of(content)[SCHEMA]}, ZIP_LZMA)
    properties = lzma._encode_filter_properties({"id": lzma.FILTER_LZMA1})  # type: ignore[attr-defined]
    at = plain.index(properties)
    damaged = plain[: at + 1] + struct.pack("<I", 2**32 - 1) + plain[at + 5 :]
    stream = io.BytesIO(damaged)
    with ZipFile(stream, "a", ZIP_DEFLATED) as archive:
        for name, data in entries_of(content).items():
            if name != SCHEMA:
                archive.writestr(name, data)
    return stream.getvalue()


def _schemas(content: bytes) -> dict[str, bytes]:
    deep: Any = value(0)
    for _ in range(400):
        deep = listed([deep])
    laughs = listed([], __id__=10**6 + 41)
    for level in range(10**6 + 40, 10**6, -1):
        laughs = listed([laughs, {"__id__": level + 1, **part("ListNode", "builtins.list")}], __id__=level)
    circle = listed([part("ListNode", "builtins.list", content=[], __id__=10**9)], __id__=10**9)
    scaler = part("ObjectNode", "sklearn.preprocessing._data.StandardScaler")
    entries = entries_of(content)
    random = part(
        "RandomStateNode",
        "numpy.random.mtrand.RandomState",
        content=_dict(
            bit_generator=value("MT19937"),
            state=_dict(key=array("key"), pos=value(10**9)),
            has_gauss=value(0),
            gauss=value(0.0),
        ),
    )
    return {
        "deep JSON": packed({**entries, SCHEMA: b"[" * MEGABYTE}),
        "deep lists": with_attribute(content, deep),
        "empty lists": packed({**entries, SCHEMA: b"[" + b"[]," * (20 * MEGABYTE) + b"[]]"}),
        "a tree of 2**40 branches": with_attribute(content, laughs),
        "a circle": with_attribute(content, circle),
        "49,000 objects": with_attribute(content, listed([scaler] * 49_000)),
        "49,000 references": with_attribute(content, listed([array("x")] * 49_000), x=stored(np.zeros(3))),
        "a million parts": with_attribute(content, listed([value(0)] * 10**6)),
        "a long word": with_attribute(content, value("x" * (19 * MEGABYTE) + "\U0001f600")),
        "long words": with_attribute(content, listed([value("x" * 10**6 + "\U0001f600")] * 19)),
        "a huge number": with_attribute(content, part("JsonNode", "builtins.str", content="9" * 10**6)),
        "random numbers beyond the end": with_attribute(
            content, random, key=stored(np.zeros(624, dtype=np.uint32))
        ),
        "no model": with_schema(content, {**value("hello"), "protocol": 2}),
        "a list": with_schema(content, {**listed([]), "protocol": 2}),
        "an unfitted model": with_schema(
            content, {**part("ObjectNode", "rowtrust.estimators._sparse_bayes.RVR"), "protocol": 2}
        ),
        "an old protocol": with_schema(content, {**schema_of(content), "protocol": 0}),
    }


def _dict(**parts: Any) -> dict[str, Any]:
    kinds = listed([part("TypeNode", "builtins.str") for _ in parts])
    return part("DictNode", "builtins.dict", content=parts, key_types=kinds)


def _arrays(content: bytes) -> dict[str, bytes]:
    def header(text: str, data: bytes = b"") -> bytes:
        return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data

    def attribute(data: bytes, **more: Any) -> bytes:
        return with_attribute(content, {**array("odd"), **more}, odd=data)

    def f8(shape: str) -> bytes:
        return header(f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n")

    return {
        "an empty array that is wide": attribute(f8("(0, 1000000000000000)")),
        "an array without its numbers": attribute(f8("(1000000000000,)")),
        "an array with a negative side": attribute(f8("(-1,)")),
        "a header of brackets": attribute(header("(" * 60_000)),
        "a header that computes": attribute(header("9**9**9\n")),
        "objects": attribute(header("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n", b"cos\n")),
        "records": attribute(stored(np.zeros(1, dtype=[("a", "f8")]))),
        "a void of a gigabyte": attribute(stored(np.array(10**9)), __class__="void"),
        "a number that is an array": attribute(stored(np.zeros(10**6)), __class__="float64"),
        **{f"a sparse matrix {name}": _sparse(content, **what) for name, what in SPARSE.items()},
    }


SPARSE: dict[str, dict[str, Any]] = {
    "that reads beyond its columns": {"indices": [10**9]},
    "with negative columns": {"indices": [-5]},
    "whose rows go back": {"indptr": [0, 5, 1]},
    "whose rows never end": {"indptr": [0, 0, 10**12]},
    "without rows": {"indptr": []},
    "of another form": {"format": b"dia"},
    "of negative shape": {"shape": [-2, -3]},
    "of words": {"data": ["x"]},
    "with fractional indices": {"indices": [0.5]},
}


def _sparse(content: bytes, **changes: Any) -> bytes:
    parts = {"format": b"csr", "shape": [2, 3], "data": [1.0], "indices": [0], "indptr": [0, 0, 1], **changes}
    stream = io.BytesIO()
    np.savez(stream, **{name: np.asarray(what) for name, what in parts.items()})
    node = part("SparseMatrixNode", "scipy.sparse._csr.csr_matrix", type="scipy", file="s.npz")
    schema = json.dumps(schema_of(with_attribute(content, node))).encode()
    return packed({**entries_of(content), SCHEMA: schema, "s.npz": stream.getvalue()})


def _models(content: bytes) -> dict[str, bytes]:
    """Models whose parts do not fit together, some of which would compute for long or take gigabytes."""
    model, wide = ("fitted_", "model"), stored(np.zeros((1, 1, 40_000)))
    kernel = (*model, "basis", "kernel")
    constant = _dict(constant_value=value(1.0), constant_value_bounds=value("fixed"))
    sums: Any = part("ObjectNode", "sklearn.gaussian_process.kernels.ConstantKernel", content=constant)
    for _ in range(25):
        sums = part("ObjectNode", "sklearn.gaussian_process.kernels.Sum", content=_dict(k1=sums, k2=sums))
        if len(json.dumps(sums)) > MEGABYTE:
            break
    columns = part(
        "ObjectNode",
        "rowtrust.kernels.on_columns.OnColumns",
        content=_dict(kernel=sums, columns=listed([value(0)] * 20_000)),
    )
    return {
        "coefficients of NaN": changed(
            content, *model, "coefficients", to=array("n"), n=stored(np.full((1, 3), np.nan))
        ),
        "deviations that broadcast": changed(content, *model, "spread", to=array("w"), w=wide),
        "coefficients that broadcast": changed(content, *model, "coefficients", to=array("w"), w=wide),
        "widths that broadcast": changed(
            content, *kernel, "gamma", to=array("w"), w=stored(np.ones((40_000, 1)))
        ),
        "a wide model": wide_model(content),
        "no basis": changed(content, *model, "basis", to=value(None)),
        "a kernel that is none": changed(content, *kernel, "function", to=value("no_such_kernel")),
        "a kernel of many kernels": changed(content, *kernel, "function", to=sums),
        "a kernel of many columns": changed(content, *kernel, "function", to=columns),
        "many inputs": changed(content, "n_features_in_", to=value(10**15)),
        "no inputs": changed(content, "n_features_in_", to=value(-1)),
        "a predict that is a number": with_attribute_named(content, "predict", value(1)),
        "noise that is a word": changed(content, *model, "likelihood", to=value("Gaussian")),
    }


def wide_model(content: bytes, n_columns: int = 7 * MEGABYTE) -> bytes:
    """Return a sound model of very many inputs, all of them zero: it must be accepted."""
    schema, model = schema_of(content), ("fitted_", "model")
    attributes(schema, *model).update(
        coefficients=array("c"),
        covariance=array("v"),
        far=value(None),
        spread=value(None),
        hidden=value(None),
        noise=value(None),
    )
    attributes(schema, *model, "basis")["centres"] = array("x")
    attributes(schema, *model, "basis", "kernel").update(
        gamma=value(1.0), metric=value(None), origin=value(None)
    )
    attributes(schema).update(n_features_in_=value(n_columns))
    attributes(schema, "fitted_").update(columns=value(None), input_scale=value(None))
    arrays = {"c": np.zeros((1, 2)), "v": np.zeros((1, 2, 2)), "x": np.zeros((1, n_columns))}
    return with_schema(content, schema, **{name: stored(numbers) for name, numbers in arrays.items()})


def with_attribute_named(content: bytes, name: str, what: Any) -> bytes:
    schema = schema_of(with_attribute(content, what))
    found = attributes(schema)
    found[name] = found.pop("extra")
    return with_schema(content, schema)


def large_model(n_numbers: int = 7 * MEGABYTE) -> bytes:
    """Return the largest model of equal rows that a small file may hold: it must be accepted."""
    from rowtrust import RVR
    from rowtrust.io import save

    X = np.random.default_rng(0).normal(size=(30, 2))
    model = RVR(gamma=1.0).fit(X, X[:, 0])
    model.extra_ = np.zeros(n_numbers)
    with tempfile.TemporaryDirectory() as folder:
        save(model, Path(folder, "m"))
        entries = entries_of(Path(folder, "m").read_bytes())
    return packed(entries)


def small_model(classes: bool = False) -> bytes:
    """Return the file of a small model."""
    from rowtrust import RVC, RVR
    from rowtrust.io import save

    X = np.random.default_rng(0).normal(size=(30, 2))
    model = RVC(gamma=1.0).fit(X, X[:, 0] > 0) if classes else RVR(gamma=1.0).fit(X, np.sin(X[:, 0]))
    with tempfile.TemporaryDirectory() as folder:
        save(model, Path(folder, "m"))
        return Path(folder, "m").read_bytes()


# Measuring.

MEASURED = """
import json, os, pathlib, signal, sys, time
from benchmarks.memory import resident_peak
from rowtrust.io import ModelFileError, load
folder = pathlib.Path(sys.argv[1])
load(folder / "plain")
for path in sorted(folder.glob("*.skops")):
    child = os.fork()
    if not child:
        signal.alarm(int(sys.argv[2]))
        before, start = resident_peak(), time.process_time()
        try:
            load(path)
            said = "accepted"
        except ModelFileError as error:
            said = str(error)
        except BaseException as error:
            said = "ESCAPED " + repr(error)
        seconds = time.process_time() - start
        print(json.dumps([path.stem, seconds, resident_peak() - before, said]), flush=True)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        print(json.dumps([path.stem, float("nan"), float("nan"), "ESCAPED: killed"]), flush=True)
"""


def measured(files: dict[str, bytes], plain: bytes, seconds: int = 60) -> dict[str, tuple[float, float, str]]:
    """Return seconds and MiB that loading each file takes, and what was said.

    Every file is loaded in a child of a process that has loaded a plain model before; a child that takes
    longer than so many seconds is killed.
    """
    names = list(files)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "plain").write_bytes(plain)
        for index, name in enumerate(names):
            Path(folder, f"{index:04}.skops").write_bytes(files[name])
        command = [sys.executable, "-c", MEASURED, folder, str(seconds)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    rows = map(json.loads, done.stdout.splitlines())
    return {names[int(index)]: (taken, memory, said) for index, taken, memory, said in rows}


def main(n_files: int = 1000) -> None:
    plain, path = small_model(), Path(tempfile.mkdtemp(), "m.skops")
    files = {**crafted(plain), "a large model": large_model()}
    found = measured(files, plain)
    for name, (seconds, memory, said) in sorted(found.items(), key=lambda item: -item[1][1]):
        print(f"{len(files[name]) / 1e6:6.2f} MB  {seconds:6.2f} s  {memory:6.0f} MiB  {name}: {said[:110]}")
    print(damaged_files(n_files, path))


def damaged_files(n_files: int, path: Path, seed: int = 0) -> str:
    """Load damaged files one by one; return how many were refused, and the worst time."""
    from rowtrust.io import ModelFileError, load

    generator, worst, refused = np.random.default_rng(seed), 0.0, 0
    bases = [small_model(), small_model(classes=True)]
    for index in range(n_files):
        path.write_bytes(DAMAGES[index % len(DAMAGES)](bases[index // len(DAMAGES) % 2], generator))
        start = time.process_time()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                load(path)
        except ModelFileError:
            refused += 1
        worst = max(worst, time.process_time() - start)
    return f"{n_files} damaged files: {refused} refused, {n_files - refused} accepted, {worst:.2f} s at most"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
