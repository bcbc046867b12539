"""Fuzzy memberships: how far each row is believed before the fit."""
