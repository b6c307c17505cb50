"""What holds where a question says nothing: by the settings, the store, the knowledge base."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bethink import Engine, Status
from bethink.knowledge import KnowledgeBase
from bethink.recall.presets_by_use import knowledge_preset
from bethink.settings import Settings
from tests.embedders_of_tests import Letters
from tests.engines_of_tests import STORES, engine_on
from tests.knowledge.documents_of_tests import put_document

ALL_WORDS = "invoices are paid in March 发票在三月付款"
SOME_WORDS = "invoices have a yellow cover 发票有黄色封面"
QUESTION = "are invoices paid in March? 发票三月付款吗"
UNCUT = knowledge_preset(abstain=False)  # also what hardly answers


def asked_of(engine: Engine) -> KnowledgeBase:
    base = KnowledgeBase(engine, "财务")
    fillers = [("x", f"发票 invoices {n} {chr(0x4E00 + n * 37) * 3}") for n in range(10)]
    put_document(base, "a.md", "A", [("全部", ALL_WORDS), ("部分", SOME_WORDS), *fillers])
    return base


def counted(base: KnowledgeBase, **params: Any) -> int:
    return len(base.search(QUESTION, preset=UNCUT, **params))


@pytest.mark.parametrize("store", STORES)
def test_each_level_gives_way_to_the_next(store: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"embedder": Letters(), "settings": Settings(limit=5)}
    with engine_on(store, tmp_path, **options) as engine:
        base = asked_of(engine)
        assert counted(base) == 5  # for everybody
        engine.set_override("limit", 4)
        assert counted(base) == 4  # for this store: a tenant
        engine.set_override("limit", 3, space="财务")
        assert counted(base) == 3  # for this knowledge base
        assert counted(base, match_count=2) == 2
        engine.set_override("limit", 1, space="another")
        assert counted(base) == 3
        engine.set_override("limit", None, space="财务")
        assert counted(base) == 4


VALUES: list[tuple[str, Any, str, Any]] = [
    # the setting, a value that changes the answer, the parameter, one that changes it back
    ("meaning_threshold", 0.9, "vector_threshold", -1),
    ("words_threshold", 0.9, "keyword_threshold", 0),
    ("match_words", False, "disable_keywords_match", False),
    ("match_meaning", False, "disable_vector_match", False),
    ("budget", 30, "budget", 5_000),
]


@pytest.mark.parametrize("level", ["settings", "store", "space"])
@pytest.mark.parametrize(("name", "value", "param", "back"), VALUES)
def test_every_default_can_be_set_at_every_level(
    level: str, name: str, value: Any, param: str, back: Any, tmp_path: Path
) -> None:
    def seen(base: KnowledgeBase, **params: Any) -> list[tuple[str, tuple[str, ...]]]:
        found = base.search(QUESTION, match_count=20, preset=UNCUT, **params)
        return [(one.memory_id, one.match_types) for one in found.citations]

    with engine_on("memory", tmp_path, embedder=Letters()) as engine:
        plain = seen(asked_of(engine), budget=5_000)
    settings = Settings(**{name: value}) if level == "settings" else Settings()
    with engine_on("memory", tmp_path, embedder=Letters(), settings=settings) as engine:
        base = asked_of(engine)
        if level != "settings":
            engine.set_override(name, value, space="财务" if level == "space" else None)
        rest = {} if name == "budget" else {"budget": 5_000}
        assert seen(base, **rest) != plain
        assert seen(base, **rest, **{param: back}) == plain


@pytest.mark.parametrize(
    "question", ["are invoices paid in March?", "发票在三月付款吗", "发票 paid in March 付款"]
)
def test_the_keyword_threshold_acts(engine: Engine, question: str) -> None:
    base = asked_of(engine)

    def texts(threshold: float | None) -> list[str]:
        found = base.search(
            question,
            disable_vector_match=True,
            keyword_threshold=threshold,
            match_count=20,
            preset=UNCUT,
        )
        return [hit.memory.text for hit in found.hits]

    assert set(texts(None)) >= {ALL_WORDS, SOME_WORDS}
    assert texts(0.75) == [ALL_WORDS]
    nothing = base.search(
        f"{question} spaceship 宇宙飞船 galaxy 银河系",
        disable_vector_match=True,
        keyword_threshold=0.9,
    )
    assert (len(nothing), nothing.status) == (0, Status.BELOW_FLOOR)
    assert nothing.recollection.nearest is not None


@pytest.mark.parametrize("question", [ALL_WORDS, "invoices are paid in March", "发票在三月付款"])
def test_the_vector_threshold_acts(engine: Engine, question: str) -> None:
    base = asked_of(engine)
    every = base.search(
        question, disable_keywords_match=True, match_count=20, budget=9_000, preset=UNCUT
    )
    cosines = {hit.memory.text: hit.channels["meaning"].score for hit in every.hits}
    assert cosines[ALL_WORDS] > cosines[SOME_WORDS]
    between = (cosines[ALL_WORDS] + cosines[SOME_WORDS]) / 2
    found = base.search(
        question,
        disable_keywords_match=True,
        vector_threshold=between,
        match_count=20,
        preset=UNCUT,
    )
    assert {hit.memory.text for hit in found.hits} >= {ALL_WORDS}
    assert SOME_WORDS not in {hit.memory.text for hit in found.hits}
    assert all(hit.channels["meaning"].score >= between for hit in found.hits)
    none = base.search("zebra 斑马", disable_keywords_match=True, vector_threshold=0.99)
    assert (len(none), none.status) == (0, Status.BELOW_FLOOR)


def test_more_are_looked_at_before_a_threshold_cuts(engine: Engine) -> None:
    base = KnowledgeBase(engine, "big")
    sections = [(f"{n}", f"invoice 发票 {n} {chr(0x4E00 + n)}") for n in range(130)]
    put_document(base, "a.csv", "发票", sections)
    for threshold, count, looked in ((None, None, 100), (0.0, 24, 120)):
        found = base.search(
            "invoice 发票",
            disable_keywords_match=True,
            vector_threshold=threshold,
            match_count=count,
        )
        notes = [note for step in found.trace.steps for note in step.notes]
        assert f"meaning: {looked} nearest" in notes


def test_over_several_bases_the_strictest_holds(engine: Engine) -> None:
    base = asked_of(engine)
    other = KnowledgeBase(engine, "archive")
    put_document(other, "b.md", "B", [("x", "invoices 发票 of old")])
    engine.set_override("limit", 2, space="archive")
    assert counted(base, knowledge_bases=["财务", "archive"]) == 2
    assert counted(base) == 10


def test_ten_whole_passages_fit_in_either_language(engine: Engine) -> None:
    for name, sentence in (
        ("zh", "每一条都是很长的中文发票记录，写满五百个字。"),
        ("en", "Every record of an invoice is long and fills its passage. "),
    ):
        base = KnowledgeBase(engine, name)
        texts = [f"{n} {chr(0x4E00 + n)} {sentence * (500 // len(sentence))}" for n in range(12)]
        put_document(base, "a.md", "发票 invoices", [(str(n), t) for n, t in enumerate(texts)])
        found = base.search("中文发票记录 record of an invoice", preset=UNCUT)
        assert len(found) == 10
        assert all(len(hit.text) > 400 for hit in found.hits)
