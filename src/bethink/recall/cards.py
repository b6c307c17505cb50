"""A document's card (its title and headings) gives way to a section of it that answers.

The section says more, and its citation names the document as well. A card stays where nothing else
of its document would be shown, and where a document is what is asked for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from bethink.recall.document_parts import DOCUMENT, SECTION, document_of
from bethink.recall.draft import Draft, Kit
from bethink.vocabulary import Candidate, Dropped


@dataclass(frozen=True, slots=True)
class CardsGiveWay:
    name: ClassVar[str] = "cards_give_way"

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        cards = [c for c in draft.candidates if _kind(c) == DOCUMENT]
        if not cards or draft.settled:
            return draft
        if asks_for_a_document(draft.query.text):
            return draft.note("a document is asked for, so that cards stay")
        answering: dict[str, str] = {}  # by document, the section that will be shown
        others = (c for c in draft.candidates if _kind(c) != DOCUMENT)
        for _, candidate in zip(range(draft.query.limit), others, strict=False):
            document = _document(candidate)
            if document is not None and _kind(candidate) == SECTION:
                answering.setdefault(document, candidate.memory_id)
        gone = {c.key: answering[d] for c in cards if (d := _document(c)) in answering}
        if not gone:
            return draft
        return draft._replace(
            candidates=tuple(c for c in draft.candidates if c.key not in gone),
            dropped=tuple(
                Dropped(*key, f"the section {section} of this document answers")
                for key, section in gone.items()
            ),
        )


def _kind(candidate: Candidate) -> str:
    return "" if candidate.memory is None else candidate.memory.kind


def _document(candidate: Candidate) -> str | None:
    return None if candidate.memory is None else document_of(candidate.memory)


def asks_for_a_document(question: str) -> bool:
    """Is it a document that is wanted, rather than what it says?"""
    return _asking().search(question.lower()) is not None


@cache
def _asking() -> re.Pattern[str]:
    things = "documents?|docs?|files?|manuals?|handbooks?|guides?|reports?|papers?|books?|pages?"
    return re.compile(
        rf"\b(?:which|what) (?:\w+ )?(?:{things})\b"
        rf"|\b(?:find|list|show)(?: me)?(?: all)?(?: the| a| our)? (?:{things})\b"
        r"|(?:哪|什么|甚么|哪一|哪些|几)(?:个|份|篇|本|些|一份|一篇|一本|种)?"
        r"(?:文档|文件|文章|资料|手册|指南|报告|文檔|資料|手冊|報告)"
        r"|(?:文档|文件|手册|资料|文檔|手冊|資料)(?:在哪|是哪|有哪些)"
    )
