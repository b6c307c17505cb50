"""The reference store: plain Python, nothing clever, gone when the process ends."""

from bethink.stores.in_memory.store import InMemoryStore

__all__ = ["InMemoryStore"]
