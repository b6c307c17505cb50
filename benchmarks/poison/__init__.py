"""How far do injected texts get? `python -m benchmarks.poison`."""
