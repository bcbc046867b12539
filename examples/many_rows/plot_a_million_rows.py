"""
A million rows
==============

Pass a file to ``fit`` instead of arrays. Above 20 000 rows a sample is searched for kernels and centres,
and all rows are read some ten times, a block at a time. Here they come from a Parquet file. Up to 256 MiB
of inputs are read into memory; of a larger file a few blocks are in memory at a time.
"""

import tempfile
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from rowtrust import RobustRVC
from rowtrust.datasets import make_many_rows

N_ROWS = 100_000  # 1_000_000 is the same code: try it

# %%
# Ten inputs, five of them of use, and a tenth of the labels wrong. The rows are made block by block, and so
# they are written.

folder = tempfile.TemporaryDirectory()
names = [f"x{number}" for number in range(10)]


def write_rows(n_rows):
    """Write rows to a Parquet file, block by block, and return its path."""
    path = Path(folder.name) / f"{n_rows}.parquet"
    schema = pa.schema([(name, pa.float64()) for name in names] + [("label", pa.int64())])
    with pq.ParquetWriter(path, schema) as file:
        for X, y in make_many_rows(n_rows, flipped=0.1, random_state=0):
            file.write_table(pa.Table.from_arrays([*map(pa.array, X.T), pa.array(y)], schema=schema))
    return path


# %%
# One model for each of three sizes, judged by the same 10 000 rows with clean labels.

X_clean, y_clean = make_many_rows(10_000, flipped=0.0, random_state=1).arrays()
X_clean = pd.DataFrame(X_clean, columns=names)
sizes = [N_ROWS // 100, N_ROWS // 10, N_ROWS]
errors, seconds = [], []
for n_rows in sizes:
    start = time.perf_counter()
    model = RobustRVC(basis=200, random_state=0).fit(write_rows(n_rows), "label")
    seconds.append(time.perf_counter() - start)
    errors.append(np.mean(model.predict(X_clean) != y_clean))
    print(f"{n_rows:9,} rows: error {errors[-1]:.1%}, {len(model.relevance_vectors_)} vectors")
print(f"the rows were read {model.n_reads_} times")
folder.cleanup()

# %%
# More rows, fewer errors. The best possible classifier has an error of 7.4 %.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
left.semilogx(sizes, 100 * np.array(errors), "-o")
left.axhline(7.4, color="0.5", linestyle="--")
left.text(sizes[0], 7.5, "best possible")
left.set(xlabel="rows", ylabel="error on clean rows, %", ylim=(7, None))
right.semilogx(sizes, seconds, "-s", color="tab:orange")
right.set_ylim(0, None)
right.set_xlabel("rows")
right.set_ylabel("seconds, writing the file included")

# %%
# **To take away.** Rows that fit on a disk can be fitted, and whatever holds them, the model is the same. It
# stays small: it predicts as fast as one that was fitted to a thousand rows.
