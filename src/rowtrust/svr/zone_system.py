"""The linear system of a quadratic zone, solved with the factor of a zone that differs in few rows.

Between two Newton steps a handful of rows change zone. Bordering the factor that is there costs a product for
each of them; factoring anew costs as much as a sixth of all rows would.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas, lapack

from rowtrust.contracts import Array, Indices

LEAF = 96
"""Size up to which a triangle is inverted in one go. Of 32 to 256, 96 and 128 are the fastest at 481 and 1000
rows: the inverse of the triangle takes as long as its Cholesky factorisation."""


@dataclass(frozen=True)
class ZoneSystem:
    """``K + 2 beta epsilon / C`` on the rows M of a zone, by way of the rows B of another.

    With R the rows of B that are not in M, A those of M that are not in B, and P the matrix on B, the
    bordered matrix ``[[P, W], [W', T]]`` with ``W = [e_R, K_BA]`` forces the unknowns of R to zero.

    Attributes
    ----------
    rows : (m,)
        M, in order.
    base : (b,)
        B, in order.
    factor : (b, b)
        Lower Cholesky factor of P.
    removed : (r,)
        Positions of R in B.
    added : (a,)
        A, in order.
    solved : (b, r + a)
        ``P^-1 W``.
    schur : (r + a, r + a)
        ``T - W' P^-1 W``: symmetric, indefinite.
    """

    rows: Indices
    base: Indices
    factor: Array
    removed: Indices
    added: Indices
    solved: Array
    schur: Array

    @classmethod
    def of_base(cls, rows: Indices, factor: Array) -> ZoneSystem:
        """Return the system of a zone whose own factor is known."""
        none, width = np.zeros(0, dtype=np.intp), np.zeros((len(rows), 0))
        return cls(rows, rows, factor, none, none, width, np.zeros((0, 0)))

    @property
    def is_exact(self) -> bool:
        """Whether the factor is that of the zone itself."""
        return not len(self.schur)

    def solve(self, wanted: Array) -> Array:
        """Return the solution for a right-hand side on M."""
        if self.is_exact:
            return np.asarray(lapack.dpotrs(self.factor, wanted, lower=1)[0])
        in_base, on_base = self._in_base, np.zeros(len(self.base))
        kept = np.isin(self.base, self.rows, assume_unique=True)
        on_base[kept] = wanted[in_base]
        first = lapack.dpotrs(self.factor, on_base, lower=1)[0]
        border = np.concatenate([-first[self.removed], wanted[~in_base] - self.solved_added.T @ on_base])
        multiplier = np.linalg.solve(self.schur, border)
        found = np.empty(len(self.rows))
        found[in_base] = (first - self.solved @ multiplier)[kept]
        found[~in_base] = multiplier[len(self.removed) :]
        return found

    @property
    def _in_base(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        return np.isin(self.rows, self.base, assume_unique=True)

    @property
    def solved_added(self) -> Array:
        """``P^-1 K_BA``."""
        return self.solved[:, len(self.removed) :]

    def half_log_determinant(self) -> float:
        """Return half the logarithm of the determinant on M."""
        half = float(np.log(np.diagonal(self.factor)).sum())
        return half if self.is_exact else half + 0.5 * float(np.linalg.slogdet(self.schur)[1])

    def inverse(self) -> tuple[Array, Indices]:
        """Return the lower triangle of the inverse on B and A, zero in the rows of R, and these rows."""
        inverse = lower_inverse(self.factor)
        if self.is_exact:
            return inverse, self.rows
        size, more = len(self.base), len(self.added)
        weighted = np.linalg.solve(self.schur, self.solved.T)
        # Twice a product of halves keeps the update symmetric; only the lower triangle is touched.
        left, right = np.asfortranarray(self.solved), np.asfortranarray(weighted.T)
        inverse = blas.dsyr2k(0.5, left, right, 1.0, inverse, lower=1, overwrite_c=1)
        inverse[self.removed, :] = 0.0
        inverse[:, self.removed] = 0.0
        if not more:
            return np.asarray(inverse), self.base
        grown = np.zeros((size + more, size + more), order="F")
        grown[:size, :size] = inverse
        grown[size:, :size] = -weighted[len(self.removed) :]
        grown[size:, self.removed] = 0.0
        own = np.linalg.inv(self.schur)[len(self.removed) :, len(self.removed) :]
        grown[size:, size:] = np.tril(own)
        return grown, np.concatenate([self.base, self.added])


def lower_inverse(factor: Array) -> Array:
    """Return the lower triangle of ``(factor factor')^-1``, the rest zero."""
    if not len(factor):
        return factor
    inverse = np.array(factor, order="F")
    _invert_triangle(inverse, 0, len(factor))
    return np.asarray(lapack.dlauum(inverse, lower=1, overwrite_c=1)[0])


def _invert_triangle(triangle: Array, start: int, stop: int) -> None:
    """Invert a lower triangle in its own memory, by halves: nearly all work is products of triangles.

    LAPACK's own dtrtri takes twice as long at 481 rows.
    """
    if stop - start <= LEAF:
        block = triangle[start:stop, start:stop]
        block[:] = lapack.dtrtri(block, lower=1)[0]
        return
    half = (start + stop) // 2
    _invert_triangle(triangle, start, half)
    _invert_triangle(triangle, half, stop)
    below = triangle[half:stop, start:half]
    across = blas.dtrmm(-1.0, triangle[start:half, start:half], below, side=1, lower=1)
    below[:] = blas.dtrmm(1.0, triangle[half:stop, half:stop], across, lower=1, overwrite_b=1)
