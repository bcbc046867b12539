"""Chu, Keerthi & Ong (2001): a unified loss function for support vector regression."""
