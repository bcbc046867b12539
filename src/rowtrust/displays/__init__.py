"""Pictures of fitted models, in scikit-learn's style. They need the extra ``plot``: matplotlib."""

try:
    import matplotlib  # noqa: F401
except ImportError as error:
    raise ImportError("rowtrust.displays needs its extra: pip install 'rowtrust[plot]'") from error

from rowtrust.displays.bound import BoundDisplay
from rowtrust.displays.boundary import BoundaryDisplay
from rowtrust.displays.critical_difference import CriticalDifferenceDisplay
from rowtrust.displays.kernel_share import KernelShareDisplay
from rowtrust.displays.label_noise import LabelNoiseDisplay
from rowtrust.displays.length_scales import LengthScalesDisplay
from rowtrust.displays.loss import LossDisplay
from rowtrust.displays.prediction import PredictionDisplay
from rowtrust.displays.sensitivity import SensitivityDisplay
from rowtrust.displays.trust import TrustDisplay

__all__ = [
    "BoundDisplay",
    "BoundaryDisplay",
    "CriticalDifferenceDisplay",
    "KernelShareDisplay",
    "LabelNoiseDisplay",
    "LengthScalesDisplay",
    "LossDisplay",
    "PredictionDisplay",
    "SensitivityDisplay",
    "TrustDisplay",
]
