"""What is believed of the coefficients before the rows are seen."""

from skarn.priors.ard import ARD

__all__ = ["ARD"]
