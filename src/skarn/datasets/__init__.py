"""Data to try skarn on: generators, and ways to make data dirty."""

from skarn.datasets.contamination import flip_labels
from skarn.datasets.generators import make_ripley, ripley_probability

__all__ = ["flip_labels", "make_ripley", "ripley_probability"]
