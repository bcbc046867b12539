"""What is believed of the coefficients before the rows are seen."""

from rowtrust.priors.ard import ARD

__all__ = ["ARD"]
