"""One truth, and beside it engines that find: words on one, meaning on another."""

from recollect.stores.composite.searching import Bounds
from recollect.stores.composite.store import CompositeStore

__all__ = ["Bounds", "CompositeStore"]
