"""From columns to a model's inputs."""

import numpy as np
import pandas as pd

from rowtrust.workflow.tables import Column, Schema, pipeline

N = 60


def test_prepared_inputs_are_finite_and_scaled():
    generator = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "size": generator.normal(1e6, 1e3, N),
            "gaps": np.where(np.arange(N) % 3 == 0, np.nan, np.arange(N) ** 2.0),
            "kind": [None, "a", "b"] * 20,
            "y": [0, 1] * 30,
        }
    )
    schema, target = Schema.find(table, "y")
    prepare = pipeline(schema, None)[:-1].fit(schema.conform(table), target.values)
    X = prepare.transform(schema.conform(table))
    assert np.isfinite(X).all()
    assert X.shape == (N, 5)
    np.testing.assert_allclose(X[:, :2].std(axis=0), 1.0)
    assert Schema.from_json(schema.as_json()) == schema


def test_rare_categories_share_an_input():
    schema = Schema((Column("word", "category", "w0"),), "y", "regression")
    words = pd.DataFrame({"word": [f"w{n % 50}" for n in range(500)]}, dtype=object)
    assert pipeline(schema, None)[:-1].fit_transform(words).shape == (500, 30)
