"""Checks of the data, made before any model is fitted."""
