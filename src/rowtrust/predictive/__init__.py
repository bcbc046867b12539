"""The fitted model: latent moments near the data, the prior far from them."""

from rowtrust.predictive.anchors import Anchors, choose_anchors
from rowtrust.predictive.distribution import Part, ShapedPart, TargetDistribution
from rowtrust.predictive.far_from_data import FarFromData, remember_data
from rowtrust.predictive.left_out import LEAST_REST, LeftOut, leave_each_out
from rowtrust.predictive.model import PredictiveModel
from rowtrust.predictive.noise import TargetNoise

__all__ = [
    "LEAST_REST",
    "Anchors",
    "FarFromData",
    "LeftOut",
    "Part",
    "PredictiveModel",
    "ShapedPart",
    "TargetDistribution",
    "TargetNoise",
    "choose_anchors",
    "leave_each_out",
    "remember_data",
]
