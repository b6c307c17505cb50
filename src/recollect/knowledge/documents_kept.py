"""Documents in, replaced, withheld and out."""

from __future__ import annotations

from recollect.knowledge.shared import Shared


class Documents(Shared):
    """Documents in, replaced, withheld and out."""
