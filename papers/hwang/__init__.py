"""Hwang & Jeong (2015): robust relevance vector machine for classification."""
