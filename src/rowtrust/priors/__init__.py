"""What is believed of the coefficients before the rows are seen."""

from rowtrust.priors.ard import ARD
from rowtrust.priors.base import Prior

__all__ = ["ARD", "Prior"]
