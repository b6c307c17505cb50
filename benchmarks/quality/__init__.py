"""Retrieval quality on labelled sets: `python -m benchmarks.quality --data DIR`."""
