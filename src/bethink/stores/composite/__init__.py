"""One truth, and beside it engines that find: words on one, meaning on another."""

from bethink.stores.composite.searching import Bounds
from bethink.stores.composite.store import CompositeStore

__all__ = ["Bounds", "CompositeStore"]
