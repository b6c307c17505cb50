"""Documents as they stand on the shelf of a knowledge base."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bethink.knowledge import KnowledgeBase
from bethink.recall.document_parts import DOCUMENT, SECTION, section_id


def put_document(
    base: KnowledgeBase,
    address: str,
    title: str,
    sections: Sequence[tuple[str, str]],  # heading path and text
    *,
    pages: Sequence[tuple[int, int]] = (),
    **more: Any,  # of every part
) -> str:
    """The id of its card."""
    card = base._shelf.id(DOCUMENT, address)
    about: dict[str, Any] = {"document": card, "title": title, "sections": len(sections)}
    headings = "\n".join(heading for heading, _ in sections)
    told: list[dict[str, Any]] = [
        {"id": card, "kind": DOCUMENT, "text": f"{title}\n{headings}", "metadata": about}
    ]
    for ordinal, (heading, text) in enumerate(sections):
        place: dict[str, Any] = {"ordinal": ordinal}
        if pages:
            place |= {"page": pages[ordinal][0], "page_end": pages[ordinal][1]}
        told.append(
            {
                "id": section_id(card, ordinal),
                "kind": SECTION,
                "section": heading,
                "text": text,
                "metadata": about | place,
            }
        )
    base._shelf.put([{**one, "source": address, **more} for one in told])
    return card


HANDBOOK = (
    ("Leave", "Everybody has thirty days of leave a year, and half of it can be moved."),
    ("Leave › Notice period", "The notice period is three months to the end of a quarter."),
    ("Expenses › Travel", "Train tickets are refunded within two weeks. Keep the receipts."),
)
SHOUCE = (
    ("休假", "每位员工每年有三十天假期，其中一半可以顺延到下一年。"),
    ("休假 › 通知期", "离职通知期为三个月，自季度末起算。"),
    ("报销 › 差旅", "火车票在两周之内报销，请保留车票。"),
)


def handbooks(base: KnowledgeBase) -> tuple[str, str]:
    """One in each language; the ids of their cards."""
    pages = [(1, 1), (2, 3), (4, 4)]
    return (
        put_document(base, "hr/handbook.pdf", "Employee handbook", HANDBOOK, pages=pages),
        put_document(base, "人事/手册.docx", "员工手册", SHOUCE),
    )
