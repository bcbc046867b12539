"""The fitted model: latent moments near the data, the prior far from them."""

from rowtrust.predictive.anchors import Anchors, choose_anchors
from rowtrust.predictive.far_from_data import FarFromData, remember_data
from rowtrust.predictive.left_out import LeftOut, leave_each_out
from rowtrust.predictive.model import PredictiveModel

__all__ = [
    "Anchors",
    "FarFromData",
    "LeftOut",
    "PredictiveModel",
    "choose_anchors",
    "leave_each_out",
    "remember_data",
]
