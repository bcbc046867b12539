"""Hyperparameters by evidence, without cross-validation."""
