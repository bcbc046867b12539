"""How good a model is, on all judged rows, with intervals, and beside other models."""
