"""Knowledge bases: documents, frequent questions, the conversation so far, and the web."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "MATCH_TYPES",
    "Answer",
    "Base",
    "Citation",
    "Document",
    "FailedRow",
    "Faq",
    "FaqReport",
    "KnowledgeBase",
    "Outcome",
    "Part",
    "Passages",
    "Reference",
    "Report",
    "SearchParams",
    "SearchWeb",
    "Turn",
    "WebResult",
    "WebSearch",
    "knowledge_bases",
]

if TYPE_CHECKING:
    from bethink.knowledge.answers import Answer
    from bethink.knowledge.citations import MATCH_TYPES, Citation
    from bethink.knowledge.documents.report import Outcome, Report
    from bethink.knowledge.documents_kept import Document, Part
    from bethink.knowledge.faq_entry import Faq
    from bethink.knowledge.faqs import FailedRow, FaqReport
    from bethink.knowledge.knowledge_base import KnowledgeBase
    from bethink.knowledge.params import SearchParams
    from bethink.knowledge.passages import Passages
    from bethink.knowledge.spaces_with_knowledge import Base, knowledge_bases
    from bethink.knowledge.turns import Reference, Turn
    from bethink.knowledge.web.results import WebResult, WebSearch
    from bethink.knowledge.web.stage import SearchWeb
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.knowledge.answers": "Answer",
            "bethink.knowledge.citations": "MATCH_TYPES Citation",
            "bethink.knowledge.documents.report": "Outcome Report",
            "bethink.knowledge.documents_kept": "Document Part",
            "bethink.knowledge.faq_entry": "Faq",
            "bethink.knowledge.faqs": "FailedRow FaqReport",
            "bethink.knowledge.knowledge_base": "KnowledgeBase",
            "bethink.knowledge.params": "SearchParams",
            "bethink.knowledge.passages": "Passages",
            "bethink.knowledge.spaces_with_knowledge": "Base knowledge_bases",
            "bethink.knowledge.turns": "Reference Turn",
            "bethink.knowledge.web.results": "WebResult WebSearch",
            "bethink.knowledge.web.stage": "SearchWeb",
        },
    )
