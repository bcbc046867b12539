"""Bayesian support vector regression: a second road to a model, beside the sparse one."""
