"""Numerics that every package may use: row blocks, robust statistics."""
