"""Real data: shapes and classes as published, checksums, and messages that name the cure."""

import hashlib
import inspect
from urllib.error import URLError

import numpy as np
import pytest

from rowtrust import datasets
from rowtrust.datasets import DataNotFoundError, fetchers

SHAPES = {
    "ripley": (1250, 2),
    "banana": (5300, 2),
    "liver": (345, 6),
    "ionosphere": (351, 34),
    "cancer": (683, 9),
    "boston": (506, 13),
    "robot_arm": (600, 2),
    "concrete": (1030, 8),
    "yacht": (308, 6),
    "pima": (768, 8),
    "pima_ripley": (532, 7),
    "glass": (214, 9),
}
REAL = ("jira", "cifar10n", "roman", "corrected_boston", "air_quality")
"""Those of `test_real.py`."""

POSITIVES = {
    "ripley": 625,
    "banana": 2376,
    "liver": 200,
    "ionosphere": 225,
    "cancer": 239,
    "pima": 268,
    "pima_ripley": 177,
}


def fetcher(name):
    return getattr(datasets, f"fetch_{name}")


def test_every_fetcher_is_tested():
    assert {name for name in datasets.__all__ if name.startswith("fetch_")} == {
        f"fetch_{name}" for name in (*SHAPES, *REAL)
    }


@pytest.mark.parametrize("name", SHAPES)
def test_published_shapes(name, data_folder):
    found = fetcher(name)(data_folder)
    assert found.data.shape == SHAPES[name]
    assert len(found.target) == len(found.data)
    assert np.isfinite(found.data).all()


@pytest.mark.parametrize("name", POSITIVES)
def test_published_classes(name, data_folder):
    _, y = fetcher(name)(data_folder, return_X_y=True)
    assert set(np.unique(y)) == {0, 1}
    assert int(y.sum()) == POSITIVES[name]


def test_ripley_training_rows_come_first(data_folder):
    _, y = datasets.fetch_ripley(data_folder, return_X_y=True)
    assert int(y[:250].sum()) == 125


def test_realisations_of_banana_share_their_rows(data_folder):
    first, _ = datasets.fetch_banana(data_folder, realisation=1, return_X_y=True)
    tenth, _ = datasets.fetch_banana(data_folder, realisation=10, return_X_y=True)
    assert not np.array_equal(first, tenth)
    assert first.sum() == pytest.approx(tenth.sum(), abs=1e-6)
    with pytest.raises(ValueError, match="between 1 and 10"):
        datasets.fetch_banana(data_folder, realisation=11)


def test_robot_arm_follows_its_law(data_folder):
    X, y = datasets.fetch_robot_arm(data_folder, return_X_y=True)
    noise = y - datasets.robot_arm_position(X)
    assert noise.std() == pytest.approx(0.05, abs=0.003)


def test_the_environment_names_the_folder(data_folder, monkeypatch):
    monkeypatch.setenv("ROWTRUST_DATA", str(data_folder))
    assert datasets.fetch_yacht().source == str(data_folder)


def test_a_changed_file_is_refused(tmp_path):
    (tmp_path / "bupa").mkdir()
    (tmp_path / "bupa" / "bupa.data").write_text("1,2,3,4,5,6,1\n")
    with pytest.raises(ValueError, match="not the published file"):
        datasets.fetch_liver(tmp_path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DataNotFoundError, match=r"bupa\.data does not exist.*ROWTRUST_DATA"):
        datasets.fetch_liver(tmp_path)


def test_what_openml_lacks_says_what_to_do(monkeypatch):
    monkeypatch.delenv("ROWTRUST_DATA", raising=False)
    with pytest.raises(DataNotFoundError, match=r"not on OpenML.*ROWTRUST_DATA.*synth\.tr"):
        datasets.fetch_ripley()


def test_offline_says_what_to_do(monkeypatch):
    def unreachable(**options):
        raise URLError("no network")

    monkeypatch.delenv("ROWTRUST_DATA", raising=False)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", unreachable)
    with pytest.raises(DataNotFoundError, match=r"could not be reached.*ROWTRUST_DATA.*ionosphere\.data"):
        datasets.fetch_ionosphere()


def test_openml_is_coded_as_the_files_are(monkeypatch):
    def found(**options):
        assert options["data_id"] == fetchers.ENTRIES["cancer"].number
        rows = np.array([[1.0, 2.0], [np.nan, 1.0], [3.0, 4.0]])
        return type("Found", (), {"data": rows, "target": np.array(["benign", "benign", "malignant"])})

    monkeypatch.delenv("ROWTRUST_DATA", raising=False)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", found)
    X, y = datasets.fetch_cancer(return_X_y=True)
    assert X.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert y.tolist() == [0, 1]


def test_kinds_of_glass_get_the_numbers_of_the_file(monkeypatch):
    def found(**options):
        return type(
            "Found", (), {"data": np.ones((2, 9)), "target": np.array(["headlamps", "'build wind float'"])}
        )

    monkeypatch.delenv("ROWTRUST_DATA", raising=False)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", found)
    assert datasets.fetch_glass().target.tolist() == [7, 1]


def test_published_sums_are_sums():
    assert all(
        len(digest) == hashlib.sha256().digest_size * 2 for digest in fetchers.published_sums().values()
    )


def test_fetchers_show_their_own_signature_and_documentation():
    for name in SHAPES:
        function = fetcher(name)
        assert function.__name__ == f"fetch_{name}"
        assert next(iter(inspect.signature(function).parameters)) == "data_home"
        assert "return_X_y" in inspect.signature(function).parameters
        assert f">>> fetch_{name}(" in function.__doc__
        assert str(SHAPES[name]) in function.__doc__


def test_incomplete_rows_are_left_out(monkeypatch):
    rows = np.array([[1.0, np.nan], [2.0, 3.0]])
    monkeypatch.delenv("ROWTRUST_DATA", raising=False)
    monkeypatch.setattr(
        "rowtrust.datasets.fetchers.from_openml", lambda name, files: (rows, np.array([0, 1]))
    )
    X, y = datasets.fetch_glass(return_X_y=True)
    assert X.tolist() == [[2.0, 3.0]]
    assert y.tolist() == [1]
