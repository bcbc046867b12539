"""What a prior on the coefficients must answer."""

from __future__ import annotations

from abc import ABC, abstractmethod

from rowtrust.contracts import Array


class Prior(ABC):
    """What is believed of the coefficients: Gaussians whose precisions the prior decides about.

    Subclasses are frozen dataclasses.

    See Also
    --------
    ARD : The prior of all machines.

    Examples
    --------
    >>> from rowtrust.priors import ARD, Prior
    >>> isinstance(ARD(), Prior)
    True
    """

    @abstractmethod
    def expected_precision(self, second_moment: Array) -> Array:
        """Return ``E alpha_j`` given ``E beta_j**2``: the variational update.

        Parameters
        ----------
        second_moment : ndarray of shape (m,)
            ``E beta_j**2`` of each coefficient.

        Returns
        -------
        ndarray of shape (m,)
            The expected precisions.
        """

    @abstractmethod
    def bound(self, second_moment: Array) -> float:
        """Return ``E ln p(beta|alpha) + E ln p(alpha) - E ln q(alpha)`` at that update.

        Parameters
        ----------
        second_moment : ndarray of shape (m,)
            ``E beta_j**2`` of each coefficient.

        Returns
        -------
        float
            In nats, summed over coefficients.
        """

    @abstractmethod
    def best_precision(
        self, precision: Array, sparsity: Array, quality: Array, lower: Array | float, upper: Array | float
    ) -> tuple[Array, Array]:
        """Return for each column the precision that is best for it alone, and what changing to it gains.

        Parameters
        ----------
        precision : ndarray of shape (m,)
            As it stands; infinite for a column that is out.
        sparsity, quality : ndarrays of shape (m,)
            ``s_j`` and ``q_j`` of Tipping & Faul (2003): what the rows say of a column beside the others.
        lower, upper : float or ndarray of shape (m,)
            Limits of the answer; infinity is allowed whatever the upper one is, unless it is finite.

        Returns
        -------
        best : ndarray of shape (m,)
            The precisions.
        gain : ndarray of shape (m,)
            What changing to them gains, in nats.
        """
