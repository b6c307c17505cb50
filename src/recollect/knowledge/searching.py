"""Finding passages, with citations."""

from __future__ import annotations

from recollect.knowledge.shared import Shared


class Searching(Shared):
    """Finding passages, with citations."""
