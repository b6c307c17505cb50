"""A card gives way to a section of its document that answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bethink.recall.cards import CardsGiveWay, asks_for_a_document
from bethink.recall.draft import Draft
from bethink.vocabulary import Candidate, Dropped
from tests.recall.kits import candidate, draft, kit


def part(name: str, kind: str, document: str) -> Candidate:
    plain = candidate(name, "退款 refund")
    assert plain.memory is not None
    made = replace(plain.memory, kind=kind, metadata={"document": document})
    return plain._replace(memory=made)


def left(asked: Draft) -> list[str]:
    return [c.memory_id for c in CardsGiveWay()(asked, kit()).candidates]


CARD, OTHER_CARD = part("doc", "document", "doc"), part("other", "document", "other")
SECTION = part("doc.00003", "section", "doc")
NOTE = candidate("note", "注意 note")


def test_where_a_section_of_the_same_document_answers() -> None:
    after = CardsGiveWay()(draft([CARD, OTHER_CARD, NOTE, SECTION]), kit())
    assert [c.memory_id for c in after.candidates] == ["other", "note", "doc.00003"]
    assert after.dropped == (Dropped("doc", 0, "the section doc.00003 of this document answers"),)


def test_a_section_that_would_not_be_shown_does_not_answer() -> None:
    asked = draft([CARD, NOTE, SECTION], limit=1)
    assert left(asked) == ["doc", "note", "doc.00003"]
    assert left(draft([CARD, NOTE, SECTION], limit=2)) == ["note", "doc.00003"]


def test_a_note_that_names_a_document_is_no_section() -> None:
    assert left(draft([CARD, part("n", "note", "doc")])) == ["doc", "n"]


@pytest.mark.parametrize(
    "question",
    [
        "Which document is about refunds?",
        "what guides do we have on refunds",
        "find me the manual on refunds",
        "哪份文件讲退款？",
        "哪个文档是关于退款的",
        "有什么资料讲退货",
        "退款的手册在哪里",
    ],
)
def test_where_a_document_is_asked_for_cards_stay(question: str) -> None:
    asked = draft([CARD, SECTION])
    asked = asked._replace(query=replace(asked.query, text=question))
    after = CardsGiveWay()(asked, kit())
    assert len(after.candidates) == 2
    assert after.notes == ("a document is asked for, so that cards stay",)


@pytest.mark.parametrize(
    "question",
    [
        "how do I document a refund?",
        "who signs the document?",
        "what is a refund",
        "文件由谁签字？",
        "退款需要什么条件",
    ],
)
def test_a_document_in_the_question_is_not_always_asked_for(question: str) -> None:
    assert not asks_for_a_document(question)
