"""Side-by-side races of rowtrust against its peers: ``python -m benchmarks``."""
