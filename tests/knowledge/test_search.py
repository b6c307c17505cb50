"""Searching a knowledge base: what is found, shown, dropped, and explained."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bethink import Engine, Status
from bethink.errors import InvalidInput
from bethink.knowledge import KnowledgeBase
from bethink.knowledge.params import SearchParams
from bethink.recall.presets_by_use import knowledge_preset
from tests.knowledge.documents_of_tests import HANDBOOK, SHOUCE, handbooks, put_document

UNCUT = knowledge_preset(abstain=False)  # also what hardly answers
QUESTIONS = [("how long is the notice period?", HANDBOOK), ("离职通知期有多长？", SHOUCE)]


@pytest.fixture
def base(engine: Engine) -> KnowledgeBase:
    return KnowledgeBase(engine, "handbook")


@pytest.mark.parametrize(("question", "sections"), QUESTIONS)
def test_passages_with_citations(
    base: KnowledgeBase, question: str, sections: tuple[tuple[str, str], ...]
) -> None:
    handbooks(base)
    found = base.search(question)
    hit, citation = next(iter(found))
    assert sections[1][1] in hit.text
    assert citation.heading == sections[1][0]
    assert [one.number for one in found.citations] == list(range(1, len(found) + 1))
    assert [hit.id for hit, _ in found] == [one.memory_id for one in found.citations]
    assert found.status is Status.ANSWERED and found.reasons == ()
    assert found.tokens == sum(hit.tokens for hit in found.hits) > 0
    assert found.asked_as == question and found.recollection.query.spaces == ("handbook",)
    assert found.as_text("zh").startswith(found.citations[0].line("zh") + "\n")
    data = found.as_data(explain=True)
    assert json.loads(json.dumps(data)) == data
    assert data["hits"][0]["citation"] == citation.as_data()
    assert data["trace"]["preset"] == "knowledge"


def test_a_base_that_holds_nothing_yet(base: KnowledgeBase) -> None:
    found = base.search("报销 expenses")
    assert (list(found), found.status) == ([], Status.EMPTY)
    assert found.reasons == ("nothing was remembered in the space 'handbook' yet",)
    named = base.search("报销", knowledge_bases=["handbook"])
    assert (named.status, named.reasons) == (Status.EMPTY, found.reasons)


@pytest.mark.parametrize(("question", "sections"), QUESTIONS)
def test_short_sections_come_with_their_neighbours_and_can_come_without(
    base: KnowledgeBase, question: str, sections: tuple[tuple[str, str], ...]
) -> None:
    handbooks(base)
    ((hit, citation),) = base.search(question, match_count=1)
    assert hit.text == "\n\n".join(text for _, text in sections)
    assert "neighbour" in citation.match_types and len(citation.beside) == 2
    plain = knowledge_preset(widen=None)
    ((hit, citation),) = base.search(question, match_count=1, preset=plain)
    assert hit.text == sections[1][1]
    assert "neighbour" not in citation.match_types and citation.beside == ()


@pytest.mark.parametrize(
    ("question", "document"),
    [("what does the employee handbook say about travel?", 0), ("员工手册里差旅怎么报销？", 1)],
)
def test_a_card_gives_way_to_its_sections(
    base: KnowledgeBase, question: str, document: int
) -> None:
    card = handbooks(base)[document]
    found = base.search(question)
    assert card not in [one.memory_id for one in found.citations]
    assert card in [one.document for one in found.citations]
    kept = base.search(question, preset=knowledge_preset(cards_give_way=False))
    assert card in [one.memory_id for one in kept.citations]
    told = base.why_not(card, question)
    assert (told.outcome, told.stage) == ("dropped", "cards_give_way")


@pytest.mark.parametrize(
    ("question", "document"),
    [("which document is the employee handbook?", 0), ("哪份文档是员工手册？", 1)],
)
def test_a_card_answers_which_document(base: KnowledgeBase, question: str, document: int) -> None:
    card = handbooks(base)[document]
    found = base.search(question)
    assert card in [one.memory_id for one in found.citations]


def test_one_passage_for_each_section_and_nothing_twice(base: KnowledgeBase) -> None:
    long = "退款 refund 需要两周 takes two weeks。" * 60
    put_document(base, "a.md", "A", [("退款", long), ("别的", "Something else 别的事情。")])
    put_document(base, "copy.md", "Copy", [("退款", "退款 refund 需要两周 takes two weeks。" * 8)])
    found = base.search("退款 refund 需要多久")
    ids = [hit.id for hit in found.hits]
    assert len(ids) == len(set(ids))
    reasons = [d.reason for step in found.trace.steps for d in step.dropped]
    assert any(reason.startswith("another passage of ") for reason in reasons)
    assert any(r.startswith(("says the same as", "is contained in")) for r in reasons)


def test_at_most_match_count(base: KnowledgeBase) -> None:
    sections = [(f"第{n}节", f"invoice 发票 number {n} 号 {'x' * n}") for n in range(30)]
    put_document(base, "invoices.csv", "发票 invoices", sections)
    assert len(base.search("invoice 发票", match_count=4, preset=UNCUT)) == 4
    found = base.search("invoice 发票", match_count=25, budget=50_000, preset=UNCUT)
    assert len(found) == 25


def test_only_some_documents(base: KnowledgeBase) -> None:
    english, chinese = handbooks(base)
    both = "notice period 通知期"
    for name in (english, "hr/handbook.pdf"):
        assert {c.document for c in base.search(both, documents=[name]).citations} == {english}
    found = base.search(both, documents=["人事/手册.docx"])
    assert {c.document for c in found.citations} == {chinese}
    found = base.search(both, documents=[english, "人事/手册.docx"])
    assert {c.document for c in found.citations} == {english, chinese}
    with pytest.raises(InvalidInput, match=r"there is no document '没有\.md' in handbook"):
        base.search(both, documents=["hr/handbook.pdf", "没有.md"])
    with pytest.raises(InvalidInput, match="there is no document"):
        base.search(both, documents=[f"{english}.00001"])  # a section is none


def test_only_some_tags_or_what_fits_a_filter(base: KnowledgeBase) -> None:
    put_document(base, "a.md", "A", [("Budget", "The budget 预算 is in March.")], tags=["finance"])
    put_document(base, "b.md", "B", [("预算", "The budget 预算 is in May.")], tags=["旧的", "old"])
    assert [c.title for c in base.search("budget 预算", tags=["旧的"]).citations] == ["B"]
    assert {c.title for c in base.search("budget 预算", tags=["finance", "old"]).citations} == {
        "A",
        "B",
    }
    where = {"metadata.title": "A"}
    assert [c.title for c in base.search("budget 预算", where=where).citations] == ["A"]
    assert len(base.search("budget 预算", tags=["old"], where=where)) == 0


def test_several_knowledge_bases(engine: Engine, base: KnowledgeBase) -> None:
    handbooks(base)
    other = KnowledgeBase(engine, "规章")
    put_document(
        other, "law.md", "Law", [("Notice", "The notice period 通知期 by law is a month.")]
    )
    asked = SearchParams("notice period 通知期", knowledge_bases=("handbook", "规章"))
    found = base.search(asked, preset=UNCUT)
    assert {c.space for c in found.citations} == {"handbook", "规章"}
    found = base.search("notice period 通知期", preset=UNCUT)
    assert {c.space for c in found.citations} == {"handbook"}
    only = base.search("notice period 通知期", knowledge_bases="规章", preset=UNCUT)
    assert {c.space for c in only.citations} == {"规章"}
    found = base.search(asked, documents=["law.md"])
    assert {c.title for c in found.citations} == {"Law"}


@pytest.mark.parametrize(("question", "sections"), QUESTIONS)
def test_each_way_of_searching_can_be_switched_off(
    base: KnowledgeBase, question: str, sections: tuple[tuple[str, str], ...]
) -> None:
    handbooks(base)
    for switch, way, other in (
        ("disable_keywords_match", "meaning", "words"),
        ("disable_vector_match", "words", "meaning"),
    ):
        asked = SearchParams.from_data({"query_text": question, switch: True})
        types = base.search(asked).citations[0].match_types
        assert way in types and other not in types
    off = base.search(question, disable_keywords_match=True, disable_vector_match=True)
    assert (len(off), off.status) == (0, Status.DISABLED)


def test_an_identifier_is_found_exactly(base: KnowledgeBase) -> None:
    put_document(
        base,
        "errors.md",
        "错误码 Errors",
        [(code, f"{code}: 连接失败，the connection failed.") for code in ("ERR_1042", "ERR_1043")],
    )
    found = base.search("what is ERR_1043? ERR_1043 是什么")
    assert found.citations[0].heading == "ERR_1043"
    assert found.citations[0].match_types[0] == "exact"


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("怎样申请“差旅报销”", "差旅费用的报销流程如下。"),
        ("how do I apply for “travel refunds”", "Travel: refunds."),
    ],
)
def test_a_second_pass_when_little_was_found(base: KnowledgeBase, question: str, told: str) -> None:
    put_document(base, "a.md", "A", [("x", told)])
    stages = [step.stage for step in base.search(question).trace.steps]
    assert "expand" in stages
    notes = [note for step in base.search(question).trace.steps for note in step.notes]
    assert any(note.startswith("only 1 found") or note.startswith("only 2 found") for note in notes)
    without = base.search(question, preset=knowledge_preset(expand=False))
    assert "expand" not in [step.stage for step in without.trace.steps]


@pytest.mark.parametrize(("question", "sections"), QUESTIONS)
def test_why_a_section_is_not_there(
    base: KnowledgeBase, question: str, sections: tuple[tuple[str, str], ...]
) -> None:
    cards = handbooks(base)
    card = cards[0] if sections is HANDBOOK else cards[1]
    hit = base.why_not(f"{card}.00001", question)
    assert (hit.outcome, hit.rank) == ("hit", 1)
    lost = base.why_not(f"{card}.00002", question)
    assert (lost.outcome, lost.stage) == ("dropped", "cut")
    assert lost.reason.startswith("its relevance 0.0")
    lost = base.why_not(f"{card}.00002", question, match_count=1, preset=UNCUT)
    assert (lost.outcome, lost.stage) == ("dropped", "budget")
    other = "人事/手册.docx" if sections is HANDBOOK else "hr/handbook.pdf"
    assert base.why_not(f"{card}.00001", question, documents=[other]).outcome == "filtered"


def test_every_step_is_explained(base: KnowledgeBase) -> None:
    handbooks(base)
    lines = base.search("notice period 通知期", match_count=2).explain()
    assert lines[0].startswith("preset knowledge")
    for stage in ("plan", "thresholds", "fuse", "cards_give_way", "deduplicate", "budget"):
        assert any(line.startswith(f"  {stage}: ") for line in lines), stage
    assert any("widened by its neighbours" in line for line in lines)


def test_access_is_counted_unless_not_wanted(engine: Engine, base: KnowledgeBase) -> None:
    card, _ = handbooks(base)

    def count() -> int:
        memory = engine.get(f"{card}.00001")
        assert memory is not None
        return memory.access_count

    base.search("how long is the notice period?", touch=False)
    assert count() == 0
    base.search("how long is the notice period?")
    assert count() == 1
    unsure = base.search("notice period 通知期")  # half of the words are in either document
    assert unsure.status is Status.UNCERTAIN and f"{card}.00001" in [h.id for h in unsure.hits]
    assert count() == 1  # which of the hits was of use is not known


@pytest.mark.parametrize("narrowed", [{"documents": []}, {"tags": ()}, {"documents": iter(())}])
@pytest.mark.parametrize("question", ["notice period", "报销"])
def test_whoever_may_see_no_document_does_not_get_all(
    base: KnowledgeBase, question: str, narrowed: dict[str, Any]
) -> None:
    handbooks(base)
    with pytest.raises(InvalidInput, match="the list is empty"):
        base.search(question, **narrowed)


@pytest.mark.parametrize("deadline", [-1, 0, float("nan"), "x", True])
@pytest.mark.parametrize("history", [(), [{"question": "年假有几天？"}]])
def test_a_deadline_that_is_none(base: KnowledgeBase, deadline: Any, history: Any) -> None:
    handbooks(base)
    for ask in (base.search, base.ask):
        with pytest.raises(InvalidInput, match="deadline: expected seconds"):
            ask("那病假呢？", deadline=deadline, history=history)
    with pytest.raises(InvalidInput, match="deadline: expected seconds"):
        base.why_not("x", "那病假呢？", deadline=deadline, history=history)
