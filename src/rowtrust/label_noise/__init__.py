"""Wrong labels as a channel between the true label and the one that was written down."""

from rowtrust.label_noise.learning import LabelNoise, hypotheses, learn_label_noise
from rowtrust.label_noise.matrix import (
    no_noise,
    output_rates,
    probability_of_given,
    probability_of_true,
    stated_noise,
)
from rowtrust.label_noise.verdict import Judge, Verdict, appoint_judge

__all__ = [
    "Judge",
    "LabelNoise",
    "Verdict",
    "appoint_judge",
    "hypotheses",
    "learn_label_noise",
    "no_noise",
    "output_rates",
    "probability_of_given",
    "probability_of_true",
    "stated_noise",
]
