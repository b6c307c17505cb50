"""Questions that are asked often, with their answers."""

from __future__ import annotations

from recollect.knowledge.shared import Shared


class Faqs(Shared):
    """Questions that are asked often, with their answers."""
