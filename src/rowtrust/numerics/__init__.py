"""Numerics that every package may use: row blocks, factorisations, robust statistics."""
