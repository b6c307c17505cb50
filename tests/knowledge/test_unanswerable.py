"""Questions that the documents do not answer, and what only fills the list."""

from __future__ import annotations

import pytest

from bethink import Engine, Status
from bethink.knowledge import KnowledgeBase
from bethink.recall.abstain import ANY_EMBEDDER, MEASURED, WORDS_ALONE, Calibration
from bethink.recall.noise import DropNoise
from bethink.recall.presets import Preset
from bethink.recall.presets_by_use import knowledge_preset
from tests.embedders_of_tests import every_measured
from tests.knowledge.documents_of_tests import handbooks

UNANSWERED = ["recipe for sourdough bread", "珠穆朗玛峰海拔多少米"]
ANSWERED = ["how long is the notice period?", "离职通知期有多长？"]


@pytest.fixture
def base(engine: Engine) -> KnowledgeBase:
    made = KnowledgeBase(engine, "handbook")
    handbooks(made)
    return made


def without_noise_dropped() -> Preset:
    whole = knowledge_preset()
    return whole._replace(stages=tuple(s for s in whole.stages if not isinstance(s, DropNoise)))


@pytest.mark.parametrize("question", UNANSWERED)
def test_nothing_is_handed_out_where_all_is_about_something_else(
    base: KnowledgeBase, question: str
) -> None:
    found = base.search(question)
    assert (found.status, found.hits) == (Status.BELOW_FLOOR, ())
    assert found.recollection.nearest is not None
    assert found.recollection.confidence is not None
    assert base.search(question, preset=without_noise_dropped()).hits  # so it is this that does it


@pytest.mark.parametrize("question", UNANSWERED)
def test_ask_says_that_it_does_not_know(base: KnowledgeBase, question: str) -> None:
    answer = base.ask(question)
    assert not answer.known and answer.citations == ()
    assert answer.text.startswith(("I do not know", "不知道"))


@pytest.mark.parametrize("question", ANSWERED)
def test_what_answers_stays_and_the_tail_goes(base: KnowledgeBase, question: str) -> None:
    found = base.search(question)
    everything = base.search(question, preset=knowledge_preset(abstain=False))
    assert found.hits[0].id == everything.hits[0].id
    assert len(found) < len(everything)
    assert found.status is Status.ANSWERED
    assert (found.recollection.confidence or 0) > 0.2
    lost = next(hit.id for hit in everything.hits if hit.id not in {h.id for h in found.hits})
    told = base.why_not(lost, question)
    assert (told.outcome, told.stage) == ("dropped", "noise")
    assert "about something else" in told.reason


@pytest.mark.parametrize("question", UNANSWERED)
def test_a_floor_of_nothing_shows_whatever_there_is(engine: Engine, question: str) -> None:
    handbooks(KnowledgeBase(engine, "handbook"))
    assert not engine.recall(question, spaces="handbook", preset="knowledge").hits
    assert engine.recall(question, spaces="handbook", preset="knowledge", floor=0).hits


@pytest.mark.parametrize(
    ("heading", "text", "question"),
    [("Sabbatical", "Two months after five years.", "sabbatical rules"),
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
    assert heading in [hit.memory.section for hit in found.hits]


@pytest.mark.parametrize("question", UNANSWERED)
def test_below_the_floor_of_documents(engine: Engine, question: str) -> None:
    """In a base that is large enough to know what is usual, the confidence decides."""
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
    assert "confidence" in found.reasons[0]


@pytest.mark.parametrize("line", [WORDS_ALONE, ANY_EMBEDDER, *every_measured(MEASURED)])
def test_floors_of_large_bases_are_higher(line: Calibration) -> None:
    small, usual, large, huge = (
        line.raised(line.documents, n) for n in (30, 2_000, 30_000, 10_000_000)
    )
    assert small == usual == pytest.approx(line.documents)
    assert usual < large < huge < 0.4
    assert line.raised(line.documents, 100_000) == huge
    assert Calibration(0, 1).raised(0.0, 30_000) == 0
