"""Kernels beside those of ``sklearn.gaussian_process.kernels``, which all relevance vector machines take."""

from rowtrust.basis.columns import OnColumns

__all__ = ["OnColumns"]
