"""Tables with real errors: shapes, how many rows are wrong, and what is said without a folder."""

import numpy as np
import pytest

from rowtrust import datasets
from rowtrust.datasets import DataNotFoundError
from rowtrust.datasets.real import JIRA

RELEASES = [f"{project}-{version}" for project, versions in JIRA.items() for version in versions]


@pytest.mark.parametrize("release", RELEASES)
def test_jira(release, data_folder):
    found = datasets.fetch_jira(data_folder, release=release)
    assert found.data.shape == (len(found.given), 65)
    assert np.isfinite(found.data).all()
    assert 0.08 < np.mean(found.given != found.true) < 0.3
    assert release.startswith(found.group)


def test_networks(data_folder):
    for fetch, rows, wrong in ((datasets.fetch_cifar10n, 50_000, 0.09), (datasets.fetch_roman, 2831, 0.13)):
        found = fetch(data_folder)
        assert found.probabilities.shape == (rows, 10)
        assert set(found.given) == set(range(10))
        np.testing.assert_allclose(found.probabilities.sum(axis=1), 1.0, atol=0.01)
        assert abs(found.wrong.mean() - wrong) < 0.006


def test_boston(data_folder):
    found = datasets.fetch_corrected_boston(data_folder)
    assert found.data.shape == (506, 13)
    assert np.count_nonzero(found.given != found.true) == 8


def test_air_quality(data_folder):
    found = datasets.fetch_air_quality(data_folder)
    assert found.data.shape == (len(found.target), 8)
    assert found.data.min() > -200
    assert found.target.min() > 0
    assert (np.diff(found.week) >= 0).all()


def test_an_unknown_release_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"camel-1\.4\.0, .*got 'camel-9'"):
        datasets.fetch_jira("anywhere", release="camel-9")


FETCHERS = ("jira", "cifar10n", "roman", "corrected_boston", "air_quality")


@pytest.mark.parametrize("name", FETCHERS)
def test_without_a_folder_the_message_names_the_fix(name, monkeypatch):
    monkeypatch.delenv("ROWTRUST_DATA", raising=False)
    with pytest.raises(DataNotFoundError, match="data_home="):
        getattr(datasets, f"fetch_{name}")()


@pytest.mark.parametrize("name", FETCHERS)
def test_a_missing_file_is_named(name, tmp_path):
    with pytest.raises(DataNotFoundError, match="does not exist"):
        getattr(datasets, f"fetch_{name}")(tmp_path)
