"""Questions that the documents do not answer, and what hardly answers: the stage `cut`.

With the embedder that is shipped: what a text is about is its matter.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bethink import Engine, Status
from bethink.knowledge import KnowledgeBase
from bethink.recall.presets_by_use import knowledge_preset
from tests.knowledge.documents_of_tests import handbooks

UNANSWERED = ["recipe for sourdough bread", "珠穆朗玛峰海拔多少米"]
ANSWERED = ["how long is the notice period?", "离职通知期有多长？"]
UNCUT = knowledge_preset(abstain=False)


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.in_memory(embedder="use-m") as made:
        yield made


@pytest.fixture
def base(engine: Engine) -> KnowledgeBase:
    made = KnowledgeBase(engine, "handbook")
    handbooks(made)
    return made


@pytest.mark.parametrize("question", UNANSWERED)
def test_nothing_is_handed_out_where_all_is_about_something_else(
    base: KnowledgeBase, question: str
) -> None:
    found = base.search(question)
    assert (found.status, found.hits) == (Status.BELOW_FLOOR, ())
    assert "relevance" in found.reasons[0] and "the floor is" in found.reasons[0]
    nearest = found.recollection.nearest
    assert nearest is not None and nearest.relevance is not None
    assert nearest.relevance == pytest.approx(found.recollection.confidence, abs=1e-4)
    assert base.search(question, preset=UNCUT).hits  # so it is the cut that does it


@pytest.mark.parametrize("question", UNANSWERED)
def test_without_meaning_no_word_is_found(question: str) -> None:
    with Engine.in_memory(embedder="none") as engine:
        base = KnowledgeBase(engine, "handbook")
        handbooks(base)
        found = base.search(question)
    assert (found.status, found.hits) == (Status.EMPTY, ())


@pytest.mark.parametrize("question", UNANSWERED)
def test_ask_says_that_it_does_not_know(base: KnowledgeBase, question: str) -> None:
    answer = base.ask(question)
    assert not answer.known and answer.citations == ()
    assert answer.text.startswith(("I do not know", "不知道"))


@pytest.mark.parametrize("question", ANSWERED)
def test_what_answers_stays_and_the_tail_goes(base: KnowledgeBase, question: str) -> None:
    found = base.search(question)
    everything = base.search(question, preset=UNCUT)
    assert found.hits[0].id == everything.hits[0].id
    assert len(found) < len(everything)
    assert (found.status, found.reasons) == (Status.ANSWERED, ())
    assert (found.recollection.confidence or 0) > 0.5
    lost = next(hit.id for hit in everything.hits if hit.id not in {h.id for h in found.hits})
    told = base.why_not(lost, question)
    assert (told.outcome, told.stage) == ("dropped", "cut")
    assert told.reason.startswith("its relevance 0.0")


@pytest.mark.parametrize(
    "question", ["what about the employee handbook and travel?", "员工手册写了什么"]
)
def test_what_may_not_answer_is_uncertain(base: KnowledgeBase, question: str) -> None:
    found = base.search(question)
    assert found.status is Status.UNCERTAIN
    assert 1 <= len(found) <= 3 < len(base.search(question, preset=UNCUT))
    assert "an answer is sure from" in found.reasons[0]
    answer = base.ask(question)
    assert (answer.by, answer.status) == ("passages", Status.UNCERTAIN)
    assert answer.reasons == found.reasons


@pytest.mark.parametrize("question", UNANSWERED)
def test_a_floor_of_nothing_shows_whatever_there_is(engine: Engine, question: str) -> None:
    handbooks(KnowledgeBase(engine, "handbook"))
    assert not engine.recall(question, spaces="handbook", preset="knowledge").hits
    assert engine.recall(question, spaces="handbook", preset="knowledge", floor=0).hits


@pytest.mark.parametrize(
    ("heading", "text", "question"),
    [("Sabbatical", "Two months after five years.", "how long is a sabbatical?"),
     ("学术休假", "工作满五年可休两个月。", "学术休假规定")],
)  # fmt: skip
def test_the_heading_above_a_section_counts(
    engine: Engine, heading: str, text: str, question: str
) -> None:
    engine.remember_many(
        [
            {"text": text, "space": "kb", "kind": "section", "section": heading},
            {"text": "Rules for parking. 停车规定。", "space": "kb", "kind": "section"},
        ]
    )
    found = KnowledgeBase(engine, "kb").search(question)
    assert (found.status, found.hits[0].memory.section) == (Status.ANSWERED, heading)


@pytest.mark.parametrize("question", UNANSWERED)
def test_among_many_sections_as_well(engine: Engine, question: str) -> None:
    subjects = ["salary", "travel", "parking", "training", "insurance", "差旅", "工资", "培训"]
    engine.remember_many(
        [
            {"text": f"{one} {n}: written request 书面申请, {n} days.", "space": "kb",
             "kind": "section", "section": one}
            for one in subjects for n in range(2, 12)
        ]
    )  # fmt: skip
    found = KnowledgeBase(engine, "kb").search(question)
    assert (found.status, found.hits) == (Status.BELOW_FLOOR, ())
    assert "relevance" in found.reasons[0]
