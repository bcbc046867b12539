"""One default fit, timed in a process of its own: any installed version of the package can run this file.

``python benchmarks/timed_fit.py MODEL FILE...`` prints a line of JSON per file: CPU seconds of the fit, and
its error and log loss on the file's test rows.
"""

import json
import os
import sys
import warnings
from time import process_time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402
from sklearn.metrics import log_loss  # noqa: E402

try:
    import rowtrust as package
except ImportError:
    import skarn as package  # type: ignore[import-not-found, no-redef]  # the name before

REPEATS, PATIENCE = 3, 2.0
"""A fit is timed so often, the fastest counts; one that takes more seconds than the second only once."""


def timed_fit(name, data):
    """Return what a fit takes, and what it is worth."""
    seconds = []
    while len(seconds) < REPEATS and (not seconds or seconds[-1] < PATIENCE):
        model = getattr(package, name)()
        start = process_time()
        model.fit(data["X"], data["y"])
        seconds.append(process_time() - start)
    judge = judge_classes if hasattr(model, "predict_proba") else judge_numbers
    error, loss = judge(model, data)
    return {"seconds": min(seconds), "error": error, "loss": loss, "vectors": len(model.relevance_)}


def judge_classes(model, data):
    """Return the error in percent, and the log loss."""
    wrong = model.predict(data["X_test"]) != data["y_test"]
    probability = model.predict_proba(data["X_test"])
    return 100.0 * float(np.mean(wrong)), float(log_loss(data["y_test"], probability, labels=model.classes_))


def judge_numbers(model, data):
    """Return the error in percent of the targets' deviation, and the negative log density in that unit."""
    unit = float(np.std(data["y"]))
    mean, deviation = model.predict(data["X_test"], return_std=True)
    distance, deviation = (data["y_test"] - mean) / unit, deviation / unit
    density = 0.5 * np.log(2 * np.pi * deviation**2) + 0.5 * (distance / deviation) ** 2
    return 100.0 * float(np.sqrt(np.mean(distance**2))), float(np.mean(density))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for file in sys.argv[2:]:
        with np.load(file) as data:
            print(json.dumps(timed_fit(sys.argv[1], data)), flush=True)
