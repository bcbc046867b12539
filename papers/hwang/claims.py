"""Hwang & Jeong (2015): every claim of the paper, in its order."""

from __future__ import annotations

from papers.claims import Claim
from papers.hwang.claims_of_real import CONCLUSION, ON_REAL_DATA
from papers.hwang.claims_of_synthetic import ON_BANANA, ON_RIPLEY, PICTURES, SELECTION
from papers.hwang.claims_of_theory import ALGORITHM, FRONT, MODEL

CLAIMS: tuple[Claim, ...] = (
    *FRONT,
    *MODEL,
    *ALGORITHM,
    *SELECTION,
    *PICTURES,
    *ON_RIPLEY,
    *ON_BANANA,
    *ON_REAL_DATA,
    *CONCLUSION,
)
"""All claims, from the abstract to the appendices."""
