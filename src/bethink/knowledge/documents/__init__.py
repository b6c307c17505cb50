"""Documents: what stands in files of many formats, as sections with headings and places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "FORMATS",
    "Limits",
    "Outcome",
    "Report",
    "Section",
    "Unreadable",
]

if TYPE_CHECKING:
    from bethink.knowledge.documents.blocks import Limits, Unreadable
    from bethink.knowledge.documents.kinds import FORMATS
    from bethink.knowledge.documents.report import Outcome, Report
    from bethink.knowledge.documents.sections import Section
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.knowledge.documents.blocks": "Limits Unreadable",
            "bethink.knowledge.documents.kinds": "FORMATS",
            "bethink.knowledge.documents.report": "Outcome Report",
            "bethink.knowledge.documents.sections": "Section",
        },
    )
