"""Side-by-side races of skarn against its peers: ``python -m benchmarks``."""
