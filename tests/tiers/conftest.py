from tests.tiers.offered import clock, engine, make

__all__ = ["clock", "engine", "make"]
