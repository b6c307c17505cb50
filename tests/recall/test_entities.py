"""Who asks for an entity by name finds its memories, although their text does not hold the name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest import approx

from bethink import Engine
from bethink.recall.presets import PRESETS
from bethink.recall.relevance import probability
from bethink.recall.search_exact import asked_name
from bethink.settings import Settings
from bethink.stores.in_memory import InMemoryStore
from bethink.testing import FakeClock
from bethink.vocabulary import Recollection, Status
from tests.embedders_of_tests import Letters

ENGLISH = "The team offsite was moved there; bring a badge."
CHINESE = "周五的会改到那里开，记得带门禁卡。"
OTHERS = ("The printer is broken.", "Lunch is at noon.", "咖啡机坏了。", "预算是三万。")
ANSWERING = sorted(PRESETS.keys() - {"ranks"})
WHOLE = pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Hansa House", ENGLISH),
        ("hansa house?", ENGLISH),
        ("What about Hansa House?", ENGLISH),
        ("汉莎大厦", CHINESE),
        ("关于汉莎大厦", CHINESE),
        ("汉莎大厦是什么？", CHINESE),
    ],
)


@pytest.fixture(params=["sqlite", "in memory", "words alone"])
def engine(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> Iterator[Engine]:
    store = InMemoryStore() if request.param == "in memory" else tmp_path / "m.db"
    embedder = None if request.param == "words alone" else Letters()
    with Engine(store, embedder=embedder, clock=clock, settings=Settings(embedder="none")) as made:
        fill(made)
        yield made


def fill(engine: Engine) -> None:
    engine.remember(ENGLISH, entities=["Hansa House"], tags=["moves"])
    engine.remember(CHINESE, entities=["汉莎大厦"], tags=["moves"])
    for text in OTHERS:
        engine.remember(text)


def texts(answer: Recollection) -> list[str]:
    return [hit.text for hit in answer.hits]


@WHOLE
@pytest.mark.parametrize("preset", ANSWERING)
def test_every_preset_finds_it(engine: Engine, preset: str, question: str, text: str) -> None:
    answer = engine.recall(question, preset=preset)
    assert answer.status is Status.ANSWERED
    first = answer.hits[0]
    assert first.text == text
    assert "entity" in first.channels
    assert first.relevance is not None and first.evidence["entity"] > 0
    assert probability(sum(first.evidence.values())) == approx(first.relevance, abs=1e-3)
    assert sum(first.parts.values()) == approx(first.score, abs=1e-5)


@pytest.mark.parametrize(
    ("question", "text"),
    [("when is the offsite at Hansa House", ENGLISH), ("周五的会在汉莎大厦几点开", CHINESE)],
)
def test_named_among_other_words_it_is_judged_like_any_hit(
    engine: Engine, question: str, text: str
) -> None:
    found = {hit.text: hit for hit in engine.recall(question, floor=0).hits}
    assert "entity" in found[text].channels
    assert "exact" not in found[text].channels
    assert "entity" not in found[text].evidence


@pytest.mark.parametrize("question", ["Hansa Haus", "House of Hansa", "汉莎", "大厦", "汉莎航空"])
def test_another_name_is_not_the_entity(engine: Engine, question: str) -> None:
    for hit in engine.recall(question, floor=0).hits:
        assert "entity" not in hit.channels


@pytest.mark.parametrize("question", ["Hansa House", "汉莎大厦"])
def test_filters_and_walls_hold(engine: Engine, question: str) -> None:
    engine.remember("nothing to see here", entities=[question], space="project:other")
    for answer in (
        engine.recall(question, where={"tags": "none such"}, floor=0),
        engine.recall(question, where={"not": {"tags": "moves"}}, floor=0),
        engine.recall(question, spaces=["project:none"], floor=0),
    ):
        assert not any("entity" in hit.channels for hit in answer.hits)
    own = engine.recall(question, where={"tags": "moves"})
    assert "entity" in own.hits[0].channels
    assert "nothing to see here" not in texts(engine.recall(question, spaces=["global"], floor=0))
    assert texts(engine.recall(question, spaces=["project:other"])) == ["nothing to see here"]


def test_others_that_are_named_do_not_crowd_it_out(engine: Engine) -> None:
    for number in range(120):
        engine.remember(f"entry {number} of the ledger", entities=["House"])
    answer = engine.recall("Hansa House", limit=3)
    assert answer.hits[0].text == ENGLISH
    assert answer.status is Status.ANSWERED


def test_what_is_forgotten_is_not_found(engine: Engine) -> None:
    hit = engine.recall("汉莎大厦").hits[0]
    engine.forget(hit.id)
    assert CHINESE not in texts(engine.recall("汉莎大厦", floor=0))


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Hansa House", "Hansa House"),
        ("“Hansa House”?", "Hansa House"),
        ("Who is Anna?", "Anna"),
        ("who's Anna", "Anna"),
        ("Tell me about Anna.", "Anna"),
        ("Whoever", "Whoever"),
        ("小美是谁？", "小美"),
        ("关于《汉莎大厦》", "汉莎大厦"),
        ("where is Anna", "where is Anna"),
        ("呢", ""),
        ("?", ""),
    ],
)
def test_the_name_that_a_question_asks_for(question: str, name: str) -> None:
    assert asked_name(question) == name
