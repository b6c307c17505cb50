"""Frequent questions in every preset, and the stage that searches on and keeps them out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bethink import Engine, Recollection
from bethink.embedders.protocol import Kind
from bethink.knowledge import KnowledgeBase
from bethink.recall.draft import Draft
from bethink.recall.faq_entries import FaqEntries
from bethink.recall.faq_nearness import BY_WORDS, Bound, Nearest, alike, bound_of, excludes
from bethink.recall.faq_once import FaqOnce
from bethink.recall.hydrate import Hydrate
from bethink.recall.presets import PURPOSES
from bethink.recall.presets_by_use import knowledge_preset
from bethink.recall.search_words import SearchWords
from bethink.testing import FakeClock
from bethink.vocabulary import Found, Query, Status, Vectors
from tests.embedders_of_tests import Letters
from tests.engines_of_tests import STORES, engine_on
from tests.recall.kits import kit


@pytest.fixture
def base(engine: Engine) -> KnowledgeBase:
    made = KnowledgeBase(engine, "shop")
    made.add_faq(
        "How do I get a refund?",
        ["Ask for it within 30 days.", "Or call us."],
        similar=["can I have my money back", "return my order"],
        negative=["how do I return a rented bike"],
        id="refund",
    )
    made.add_faq(
        "怎么退款？", "三十天内申请。", similar=["我的订单能退钱吗"], negative=["怎么退出登录"],
        id="退款",
    )  # fmt: skip
    made.add_faq("How do I pay?", "By card.", id="pay")
    made.add_faq("怎么开发票？", "在订单页申请。", id="发票")
    return made


def texts(answer: Recollection) -> list[str]:
    return [hit.text for hit in answer.hits]


def dropped(answer: Recollection, base: KnowledgeBase, own_id: str) -> list[str]:
    faq = base.faq(own_id)
    assert faq is not None
    every = (drop for step in answer.trace.steps for drop in step.dropped)
    return [drop.reason for drop in every if drop.memory_id == faq.id]


SHOWN = {
    "refund": "How do I get a refund?\nAsk for it within 30 days.\nOr call us.",
    "退款": "怎么退款？\n三十天内申请。",
}


@pytest.mark.parametrize("preset", list(PURPOSES))
@pytest.mark.parametrize(
    ("asked", "own_id"),
    [("can I have my money back?", "refund"), ("我的訂單能退錢嗎", "退款")],
)
def test_whichever_line_is_found_the_question_and_answers_are_shown(
    base: KnowledgeBase, preset: str, asked: str, own_id: str
) -> None:
    answer = base.engine.recall(asked, spaces="shop", preset=preset)
    assert texts(answer)[0] == SHOWN[own_id]
    assert "faq" in answer.hits[0].channels
    assert len({hit.id for hit in answer.hits}) == len(answer.hits)


@pytest.mark.parametrize("preset", list(PURPOSES))
@pytest.mark.parametrize(
    ("asked", "own_id"),
    [
        ("HOW DO I RETURN A RENTED BIKE ?!", "refund"),
        ("ｈｏｗ do i  return a rented, bike", "refund"),
        ("怎麼 退出登錄。。", "退款"),
    ],
)
def test_a_negative_question_keeps_its_entry_out_of_every_preset(
    base: KnowledgeBase, preset: str, asked: str, own_id: str
) -> None:
    answer = base.engine.recall(asked, spaces="shop", preset=preset)
    assert SHOWN[own_id] not in texts(answer)
    faq = base.faq(own_id)
    assert faq is not None
    assert all(faq.negative[0] not in text for text in texts(answer))
    if preset in ("balanced", "knowledge"):
        assert any(
            "the question is one that it excludes" in r for r in dropped(answer, base, own_id)
        )
        why = base.engine.why_not(faq.id, asked, spaces="shop", preset=preset)
        assert (why.outcome, faq.negative[0] in why.reason) == ("dropped", True)


@pytest.mark.parametrize(("asked", "own_id"), [("how do I return a rented bike", "refund"),
                                               ("怎么退出登录", "退款")])  # fmt: skip
def test_without_equality_the_entry_would_come(
    base: KnowledgeBase, asked: str, own_id: str
) -> None:
    preset = knowledge_preset(faq=FaqEntries(equal=False, near=False))
    stages = [Hydrate(exclude=False) if isinstance(s, Hydrate) else s for s in preset.stages]
    off = preset._replace(stages=tuple(stages))
    assert SHOWN[own_id] in texts(base.engine.recall(asked, spaces="shop", preset=off, floor=0))


class Near(Letters):
    """As an embedder that was measured, with the cosines that a test wants."""

    def __init__(self, fingerprint: str = "use-multilingual-v3/x") -> None:
        super().__init__("near", dimension=3)
        self.fingerprint = fingerprint
        self.told: dict[str, tuple[float, float]] = {}  # by how a text begins: cosines to 2 axes

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        rows = np.zeros((len(texts), 3), np.float32)
        for row, text in zip(rows, texts, strict=True):
            named = [cosines for start, cosines in self.told.items() if text.startswith(start)]
            x, y = named[0] if named else (0.1, 0.1)
            row[:] = (x, y, max(0.0, 1 - x * x - y * y) ** 0.5)
        return rows


PARAPHRASES = [
    ("giving back what I hired", "how do I return a rented bike", "How do I get a refund?"),
    ("我想下线不用这个号了", "怎么退出登录", "怎么退款？"),
]


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize(("asked", "negative", "question"), PARAPHRASES)
def test_a_negative_question_in_other_words(
    store: str, tmp_path: Path, clock: FakeClock, asked: str, negative: str, question: str
) -> None:
    near = Near()
    near.told = {asked: (1.0, 0.0), negative: (0.8, 0.0), question: (0.5, 0.5)}
    with engine_on(store, tmp_path, embedder=near, clock=clock) as engine:
        base = KnowledgeBase(engine, "shop")
        base.add_faq(question, "So. 这样。", negative=[negative], id="a")
        faq = base.faq("a")
        assert faq is not None
        answer = engine.recall(asked, spaces="shop", preset="knowledge")
        assert not answer.hits
        (reason,) = dropped(answer, base, "a")
        assert negative in reason and "0.800" in reason and "0.500" in reason
        why = engine.why_not(faq.id, asked, spaces="shop", preset="knowledge")
        assert (why.outcome, why.stage) == ("dropped", "faq")
        off = knowledge_preset(faq=FaqEntries(near=False))
        assert texts(engine.recall(asked, spaces="shop", preset=off))


@pytest.mark.parametrize(("asked", "negative", "question"), PARAPHRASES)
@pytest.mark.parametrize("own", [0.79, 0.9])
def test_an_entry_whose_own_questions_are_as_near_stays(
    engine: Engine, asked: str, negative: str, question: str, own: float
) -> None:
    near = Near()
    near.told = {asked: (1.0, 0.0), negative: (0.8, 0.0), "similar 相似": (own, 0.0)}
    with Engine.in_memory(embedder=near) as engine:
        base = KnowledgeBase(engine, "shop")
        base.add_faq(question, "So.", similar=["similar 相似"], negative=[negative])
        answer = engine.recall(asked, spaces="shop", preset="knowledge")
        assert texts(answer) == [f"{question}\nSo."]


BY_WORDS_ALONE = [
    ("please: return a rented bike", "how do I return a rented bike", "How do I get a refund?"),
    ("请问退出登录账号", "怎么退出登录账号", "账号怎么退款？"),
]


@pytest.mark.parametrize(("asked", "negative", "question"), BY_WORDS_ALONE)
@pytest.mark.parametrize("embedder", ["none", "unknown"])
def test_words_decide_where_no_embedder_was_measured(
    asked: str, negative: str, question: str, embedder: str
) -> None:
    with Engine.in_memory(embedder=Letters() if embedder == "unknown" else "none") as engine:
        base = KnowledgeBase(engine, "shop")
        base.add_faq(question, "So.", negative=[negative], id="a")
        answer = engine.recall(asked, spaces="shop", preset="knowledge")
        assert not answer.hits
        assert any(negative in reason for reason in dropped(answer, base, "a"))


def test_an_embedder_without_chinese_is_not_asked_about_it() -> None:
    assert bound_of("use-multilingual-v3/1", "怎么退款") is not None
    assert bound_of("arctic-s/1", "refund") is not None
    assert bound_of("arctic-s/1", "怎么退款") is None
    assert bound_of("somebody/1", "refund") is bound_of(None, "refund") is None
    bound = Bound(0.5, 0.1)
    assert excludes(Nearest(0.5, 0.3, 0), bound)
    assert not excludes(Nearest(0.49, 0.0, 0), bound)
    assert not excludes(Nearest(0.9, 0.85, 0), bound)
    assert alike("return a bike", ["return the bikes", "pay"]) == [1.0, 0.0]
    assert BY_WORDS.least >= 0.5


def many(base: KnowledgeBase, kind: str) -> None:
    """One entry that fills the first lists of both searches, and three behind it."""
    words = "refund money order" if kind == "en" else "退款订单"
    fill = [f"{words} {number}" for number in range(120)]
    base.add_faq(f"{words}", "first 第一", similar=fill, id="first")
    for number in range(3):
        base.add_faq(f"{words} {'delivery' if kind == 'en' else '配送'} x{number}", f"{number}",
                     id=f"behind{number}")  # fmt: skip


@pytest.mark.parametrize("kind", ["en", "zh"])
def test_searching_goes_on_until_enough_different_entries_are_found(
    engine: Engine, kind: str
) -> None:
    base = KnowledgeBase(engine, "shop")
    many(base, kind)
    asked = "refund money order" if kind == "en" else "退款订单"
    once = knowledge_preset(faq=FaqEntries(again=False))
    options: dict[str, Any] = {"spaces": "shop", "limit": 4, "meaning": False, "floor": 0}
    assert len(engine.recall(asked, preset=once, **options).hits) == 1
    answer = engine.recall(asked, preset="knowledge", **options)
    assert len(answer.hits) == 4
    notes = [note for step in answer.trace.steps if step.stage == "faq" for note in step.notes]
    assert any("so round 2: 100 by words" in note for note in notes)
    assert notes[-1] == "faq: entries 4, rounds 3"
    assert len(engine.recall(asked, preset="knowledge", spaces="shop", limit=4, floor=0).hits) == 4


def test_it_ends_with_the_lists(base: KnowledgeBase) -> None:
    options: dict[str, Any] = {"spaces": "shop", "preset": "knowledge", "limit": 50}
    every = base.engine.recall("怎么退款 refund", **options, floor=0)
    assert 2 <= len(every.hits) <= 4
    answer = base.engine.recall("怎么退款 refund", **options)
    assert (answer.status, texts(answer)[0]) == (Status.ANSWERED, SHOWN["退款"])


def test_it_ends_with_the_time(engine: Engine) -> None:
    base = KnowledgeBase(engine, "shop")
    many(base, "en")
    query = Query(text="refund money order", spaces=("shop",), limit=4)
    late = kit(engine.store, deadline=0.0)
    found = SearchWords()(Draft(query), late)
    draft = FaqEntries()(found, late)
    assert [fault.status for fault in draft.faults] == [Status.DEGRADED]
    assert "no time was left to search on" in draft.faults[0].reason
    assert draft.channels == found.channels


def test_a_line_that_excludes_lifts_nothing(base: KnowledgeBase) -> None:
    """`bike` stands in a negative question alone."""
    faq = base.faq("refund")
    assert faq is not None
    answer = base.engine.recall("bike", spaces="shop", preset="knowledge", meaning=False)
    assert not answer.hits
    assert dropped(answer, base, "refund") == [
        "found by a question that it excludes alone: “how do I return a rented bike”"
    ]


@pytest.mark.parametrize("preset", list(PURPOSES))
@pytest.mark.parametrize(("asked", "own_id"), [("rented bike", "refund"), ("登录", "退款")])
def test_nor_does_it_in_any_other_preset(
    base: KnowledgeBase, preset: str, asked: str, own_id: str
) -> None:
    answer = base.engine.recall(asked, spaces="shop", preset=preset, meaning=False)
    assert SHOWN[own_id] not in texts(answer)


def test_entries_told_in_a_form_of_their_own_are_found_as_they_are(engine: Engine) -> None:
    told = "Q: how do I get a refund?\nA: within 30 days 三十天内"
    engine.remember(told, kind="faq", space="shop")
    for preset in PURPOSES:
        assert texts(engine.recall("refund", spaces="shop", preset=preset)) == [told]


def test_an_entry_as_it_read_then(base: KnowledgeBase, clock: FakeClock) -> None:
    before = base.engine.now()
    clock.advance(days=1)
    base.add_faq("How do I get a refund?", "No longer.", negative=["refund a bike"], id="refund")
    now = base.engine.recall("refund", spaces="shop", preset="knowledge")
    assert "No longer." in texts(now)[0]
    then = base.engine.recall("refund", spaces="shop", preset="knowledge", as_of=before)
    assert SHOWN["refund"] in texts(then)


def test_a_whole_list_shows_entries_as_they_are_shown(base: KnowledgeBase) -> None:
    """A time that is asked for hands memories over whole."""
    day = base.engine.now()
    for asked in (f"what happened on {day:%Y-%m-%d}?", f"{day:%Y年%m月%d日}发生了什么？"):
        for preset in ("balanced", "notebook"):
            answer = base.engine.recall(asked, spaces="shop", preset=preset)
            assert "no search" in str(answer.trace)
            assert set(SHOWN.values()) < set(texts(answer))
            assert len(answer.hits) == 4


def test_an_entry_stands_once_in_every_list_before_they_are_mixed() -> None:
    lists = {
        "meaning": (Found("s~faq/a", 3, 0.9), Found("s~faq/a", 2, 0.8), Found("note", 0, 0.7)),
        "words": (Found("note", 1, 5.0), Found("note", 0, 4.0), Found("s~faq/a", 1, 3.0)),
    }
    query = Query(text="退款 refund")
    found = FaqOnce()(Draft(query, channels=lists), kit()).channels
    assert found == {
        "meaning": (Found("s~faq/a", 3, 0.9), Found("note", 0, 0.7)),
        "words": (*lists["words"][:2], Found("s~faq/a", 3, 3.0)),
    }
    plain = {"words": lists["words"][:2]}
    assert FaqOnce()(Draft(query, channels=plain), kit()).channels is plain


@pytest.mark.parametrize("asked", ["cash for a broken lamp", "灯坏了能退现金吗"])
def test_what_words_and_meaning_find_of_an_entry_adds_up(asked: str) -> None:
    """Words find its answer, meaning its question: no other is found by both."""
    near = Near()
    near.told = {asked: (1.0, 0.0), "refund 退款?": (0.7, 0.0), "noise 噪音": (0.8, 0.0)}
    with Engine.in_memory(embedder=near) as engine:
        base = KnowledgeBase(engine, "shop")
        base.add_faq("refund 退款?", f"It says: {asked}", id="right")
        base.add_faq("noise 噪音", "x", id="near")
        base.add_faq("words 词", asked[:4], id="words")
        best = base.engine.recall(asked, spaces="shop", preset="knowledge").hits[0]
        assert best.memory.metadata["title"] == "refund 退款?"
        assert {"meaning", "words", "faq"} <= best.channels.keys()
