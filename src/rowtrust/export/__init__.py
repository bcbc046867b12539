"""Fitted models for other languages: ONNX and C."""
