"""An answer with citations, or the cited passages where no model can write one."""

from __future__ import annotations

from recollect.knowledge.shared import Shared


class Asking(Shared):
    """An answer with citations, or the cited passages where no model can write one."""
