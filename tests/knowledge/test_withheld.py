"""A document that is disabled is found by no question, through no preset; and why-not says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bethink import Engine
from bethink.errors import InvalidInput
from bethink.filters import Not, PartOf, in_words, matches
from bethink.knowledge import KnowledgeBase
from bethink.recall.presets import PRESETS
from bethink.settings import Settings
from bethink.testing import FakeClock
from tests.embedders_of_tests import Letters
from tests.engines_of_tests import STORES, engine_on, existing

OLD = "# 年假 Leave\n\nERR_LEAVE_7 The old rule: twenty days of leave. 旧规定：年假二十天。"
NEW = "# 年假 Leave\n\nERR_LEAVE_7 The new rule: thirty days of leave. 新规定：年假三十天。"
QUESTIONS = ("how many days of leave?", "年假几天", "ERR_LEAVE_7", "rule today 今天的规定")


@pytest.fixture(params=STORES)
def base(
    request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock
) -> Iterator[KnowledgeBase]:
    with engine_on(
        request.param, tmp_path, embedder=Letters(), clock=clock, settings=Settings(floor=0.0)
    ) as engine:
        base = KnowledgeBase(engine, "handbook")
        base.add(OLD.encode(), name="old.md")
        base.add(NEW.encode(), name="new.md")
        yield base


def sources(engine: Engine, question: str, preset: str) -> set[str]:
    answer = engine.recall(question, spaces="handbook", preset=preset, limit=20)
    return {hit.memory.source for hit in answer.hits}


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_no_preset_finds_it(base: KnowledgeBase, preset: str) -> None:
    before = {question: sources(base.engine, question, preset) for question in QUESTIONS}
    assert any("old.md" in found for found in before.values()), "the preset finds it when enabled"
    (shown,) = base.disable_documents("old.md")
    assert not shown.enabled
    for question in QUESTIONS:
        assert "old.md" not in sources(base.engine, question, preset), question
    assert any("new.md" in sources(base.engine, question, preset) for question in QUESTIONS)
    base.enable_documents("old.md")
    assert {question: sources(base.engine, question, preset) for question in QUESTIONS} == before


def test_search_of_the_base_does_not_find_it(base: KnowledgeBase) -> None:
    base.disable_documents("old.md")
    for question in QUESTIONS:
        assert {hit.memory.source for hit in base.search(question).hits} <= {"new.md"}


def test_why_not_says_so(base: KnowledgeBase) -> None:
    base.disable_documents("old.md")
    section = base.document_parts("old.md")[0].id
    why = base.engine.why_not(section, "年假几天", spaces="handbook")
    assert why.outcome == "withheld"
    assert "its document is disabled" in why.reason
    assert "bethink documents enable" in why.reason
    base.enable_documents("old.md")
    assert base.engine.why_not(section, "年假几天", spaces="handbook").outcome != "withheld"


def test_a_filter_and_several_spaces_together_with_it(base: KnowledgeBase) -> None:
    other = KnowledgeBase(base.engine, "other")
    other.add(OLD.encode(), name="old.md")  # the same address, enabled there
    base.disable_documents("old.md")
    answer = base.engine.recall(
        "年假 leave", spaces=["handbook", "other"], where={"kind": "section"}, limit=20
    )
    assert {(hit.memory.space, hit.memory.source) for hit in answer.hits} == {
        ("handbook", "new.md"), ("other", "old.md"),
    }  # fmt: skip
    only_old = base.engine.recall("leave", spaces="handbook", where={"source": "old.md"})
    assert not only_old.hits


def test_another_process_sees_it_at_once(tmp_path: Path) -> None:
    with Engine(tmp_path / "m.db", embedder=Letters()) as one:
        base = KnowledgeBase(one, "handbook")
        base.add(OLD.encode(), name="old.md")
        with Engine(tmp_path / "m.db", embedder=Letters()) as other:
            assert other.recall("ERR_LEAVE_7", spaces="handbook").hits
            base.disable_documents("old.md")
            assert not other.recall("ERR_LEAVE_7", spaces="handbook").hits


def test_listing_still_shows_it(base: KnowledgeBase) -> None:
    base.disable_documents("old.md", "new.md")
    assert [(one.address, one.enabled) for one in base.documents()] == [
        ("new.md", False), ("old.md", False),
    ]  # fmt: skip
    assert len(base.engine.list(spaces="handbook").memories) == 4


def test_part_of_is_what_begins_with_its_id_and_a_dot(base: KnowledgeBase) -> None:
    engine = base.engine
    for ident in ("d", "d.00001", "d.1.2", "d-1", "d/x", "dd", "c"):
        engine.remember(f"apple 苹果 {ident}", id=ident, space="fruit")
    condition = PartOf(("d", "nobody"))
    expected = {"d", "d.00001"}
    assert {m.id for m in engine.store.scan(spaces=["fruit"], where=condition).memories} == expected
    left = engine.store.scan(spaces=["fruit"], where=Not(condition)).memories
    assert {m.id for m in left} == {"d.1.2", "d-1", "d/x", "dd", "c"}
    assert matches(existing(engine, "d.00001"), condition)
    assert in_words(condition) == "part of (d, nobody)"
    engine.withheld.add(["d"], space="fruit")
    hits = engine.recall("apple", spaces="fruit", limit=20).hits
    assert {hit.id for hit in hits} == {"d.1.2", "d-1", "d/x", "dd", "c"}


@pytest.mark.parametrize("way", ["records", "lines", "markdown"])
@pytest.mark.parametrize("to", STORES)
def test_exported_and_imported_it_stays_withheld(
    base: KnowledgeBase, tmp_path: Path, way: str, to: str
) -> None:
    entry = base.add_faq("年假怎么休 How to take leave?", answers=["问主管 Ask the lead."]).id
    base.disable_faq(entry)
    base.disable_documents("old.md")
    records = list(base.engine.export(spaces="handbook"))
    assert [one["id"] for one in records if one.get("withheld")] == [
        base.document("old.md").id, entry,
    ]  # fmt: skip
    lines = tmp_path / "out.jsonl"
    lines.write_text("\n".join(map(json.dumps, records)), "utf-8")
    base.engine.export_markdown(tmp_path / "out")
    (tmp_path / "there").mkdir()
    with engine_on(to, tmp_path / "there", embedder=Letters()) as engine:
        if way == "records":
            assert engine.import_many(records)["created"] == 5
        else:
            source = lines if way == "lines" else tmp_path / "out"
            report = engine.import_from(source, own_spaces=True)
            assert not report.failed
        there = KnowledgeBase(engine, "handbook")
        assert {one.address: one.enabled for one in there.documents()} == {
            "new.md": True, "old.md": False,
        }  # fmt: skip
        assert [one.enabled for one in there.faqs()] == [False]
        for question in (*QUESTIONS, "年假怎么休", "how to take leave"):
            hits = engine.recall(question, spaces="handbook", limit=20).hits
            assert {hit.memory.source for hit in hits} <= {"new.md"}
        there.enable_documents("old.md")
        engine.import_many(records)
        assert there.document("old.md").enabled, "what is here stays as it is"


def test_a_record_that_is_here_otherwise_withholds_nothing(base: KnowledgeBase) -> None:
    card = base.document("new.md").id
    record = {"id": card, "space": "handbook", "text": "另一个 another", "withheld": True}
    assert base.engine.import_many([record])["conflict"] == 1
    assert base.document("new.md").enabled
    with pytest.raises(InvalidInput, match="'withheld' must be true or false"):
        base.engine.import_many([{"text": "x", "withheld": "是"}])
