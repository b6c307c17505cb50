"""Servers that tests and benchmarks start for themselves: HTTP, PostgreSQL, Qdrant, Redis."""
