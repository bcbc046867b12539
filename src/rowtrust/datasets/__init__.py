"""Data to try rowtrust on: generators, the papers' real data, and ways to make data dirty."""

from rowtrust.datasets.contamination import add_heavy_tails, add_outliers, flip_labels, make_imbalanced
from rowtrust.datasets.fetchers import (
    fetch_banana,
    fetch_boston,
    fetch_cancer,
    fetch_concrete,
    fetch_glass,
    fetch_ionosphere,
    fetch_liver,
    fetch_pima,
    fetch_pima_ripley,
    fetch_ripley,
    fetch_robot_arm,
    fetch_yacht,
)
from rowtrust.datasets.folder import DataNotFoundError
from rowtrust.datasets.generators import (
    make_friedman,
    make_imbalanced_blobs,
    make_lone_outlier,
    make_ripley,
    make_robot_arm,
    make_sinc,
    ripley_probability,
    robot_arm_position,
)
from rowtrust.datasets.large import ManyRows, make_many_rows
from rowtrust.datasets.real import (
    fetch_air_quality,
    fetch_cifar10n,
    fetch_corrected_boston,
    fetch_jira,
    fetch_roman,
)
from rowtrust.datasets.sensitivity import sensitivity_curve
from rowtrust.datasets.streams import RotatingStream, make_rotating_stream

__all__ = [
    "DataNotFoundError",
    "ManyRows",
    "RotatingStream",
    "add_heavy_tails",
    "add_outliers",
    "fetch_air_quality",
    "fetch_banana",
    "fetch_boston",
    "fetch_cancer",
    "fetch_cifar10n",
    "fetch_concrete",
    "fetch_corrected_boston",
    "fetch_glass",
    "fetch_ionosphere",
    "fetch_jira",
    "fetch_liver",
    "fetch_pima",
    "fetch_pima_ripley",
    "fetch_ripley",
    "fetch_robot_arm",
    "fetch_roman",
    "fetch_yacht",
    "flip_labels",
    "make_friedman",
    "make_imbalanced",
    "make_imbalanced_blobs",
    "make_lone_outlier",
    "make_many_rows",
    "make_ripley",
    "make_robot_arm",
    "make_rotating_stream",
    "make_sinc",
    "ripley_probability",
    "robot_arm_position",
    "sensitivity_curve",
]
