"""
A model as C and as ONNX
========================

A fitted machine is a few kernel functions, and can be written down as one C function without any library,
or as an ONNX graph. Both predict what Python predicts, probabilities and error bars included.
"""

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from rowtrust import RVC
from rowtrust.datasets import make_ripley
from rowtrust.displays import BoundaryDisplay
from rowtrust.export.c import estimator_to_c

# %%
# A classifier, and its C source. ``rowtrust export`` writes the same from a saved study.

X, y = make_ripley(250, random_state=0)
model = RVC().fit(X, y)
source = estimator_to_c(model, name="predict_class")
print(f"{len(model.relevance_vectors_)} vectors, {len(source) / 1024:.1f} KiB of C; it begins")
print("\n".join(source.splitlines()[:12]))

# %%
# Where there is a C compiler, the function is compiled and called on fresh rows.

X_new, y_new = make_ripley(500, random_state=1)
python = model.predict_proba(X_new)[:, 1]
answers = {}

compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
if compiler is not None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.c"
        path.write_text(source)
        library = path.with_suffix(".so")
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", path, "-o", library, "-lm"], check=True)
        function = ctypes.CDLL(str(library)).predict_class
    row, out = (ctypes.c_double * 2)(), (ctypes.c_double * 2)()
    answers["C"] = np.empty(len(X_new))
    for number, inputs in enumerate(X_new):
        row[:] = inputs.tolist()
        function(row, out)
        answers["C"][number] = out[1]

# %%
# Where ``rowtrust[onnx]`` and onnxruntime are installed, the same with an ONNX graph. Its inputs are
# doubles.

try:
    import onnxruntime

    from rowtrust.export.onnx import estimator_to_onnx
except ImportError:
    print("ONNX is not installed here: pip install 'rowtrust[onnx]' onnxruntime")
else:
    graph = estimator_to_onnx(model)
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    answers["ONNX"] = session.run(["probabilities"], {session.get_inputs()[0].name: X_new})[0][:, 1]

# %%
# How far are they from Python?

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
BoundaryDisplay.from_estimator(model, X, y, ax=left)
for (name, answer), marker in zip(answers.items(), "ox", strict=False):
    difference = np.abs(answer - python)
    right.scatter(python, difference + 1e-18, s=14, marker=marker, label=name)
    print(f"{name}: largest difference of a probability {difference.max():.1e}")
right.set(xlabel="probability by Python", ylabel="difference from it", yscale="log", ylim=(1e-18, 1e-12))
right.legend(frameon=False, loc="upper right")

# %%
# **To take away.** A model goes to a controller as one C file that needs nothing but ``math.h``, or into
# any ONNX runtime, and says there what it says in Python, but for rounding.
