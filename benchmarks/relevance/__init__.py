"""Fit and measure the relevance: see `python -m benchmarks.relevance --help`."""
