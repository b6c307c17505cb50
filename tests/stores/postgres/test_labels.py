"""What filters ask for by name is looked up first, and answers are what they would be without."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import psycopg
import pytest

from bethink import Engine
from bethink.filters import parse_filter
from bethink.settings import Settings
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.postgres import labels, near
from bethink.stores.postgres.database import tenant_number
from bethink.stores.postgres.store import PostgresStore
from bethink.stores.protocol import Store
from bethink.testing import ToyEmbedder, make_entry, make_memory
from bethink.testing.programs import EVERYTHING, same_ranking
from bethink.vocabulary import Memory

TOY = ToyEmbedder()
FILTERS = (
    {"tags": "预算"},
    {"tags": {"has": "rare"}},
    {"tags": "nobody's"},
    {"entities": {"has": "小美"}},
    {"source": "docs/部署.md"},
    {"source": {"in": ["docs/部署.md", "a" * 5000]}},
    {"source": ""},
    {"kind": "task"},
    {"kind": {"in": ["task", "note"]}},
    {"kind": {"!=": "task"}},
    {"or": [{"tags": "rare"}, {"kind": "task"}]},
    {"or": [{"tags": "rare"}, {"section": "s"}]},
    {"tags": "rare", "entities": "小美", "confidence": {">=": 0.5}},
    {"not": {"tags": "rare"}},
)


def memory(number: int) -> Memory:
    return make_memory(
        f"alpha 部署 number {number} beta {number % 7}",
        f"m{number}",
        tags=("rare", "rare") if number % 40 == 0 else ("预算",) if number % 3 == 0 else (),
        entities=("小美",) if number % 20 == 0 else (),
        source="docs/部署.md" if number % 11 == 0 else "a" * 5000 if number % 13 == 0 else "",
        kind="task" if number % 17 == 0 else "note",
        section="s" if number % 5 == 0 else "",
    )


@pytest.fixture
def both(make_store: Callable[[], Store], monkeypatch: pytest.MonkeyPatch) -> list[Store]:
    monkeypatch.setattr(labels, "FEW", 12)  # some filters find fewer, some more
    monkeypatch.setattr(near, "_AT_LEAST", 10)  # one look finds no more than that
    stores = [make_store(), InMemoryStore()]
    for store in stores:
        store.declare(TOY.embedding)
        entries = [make_entry(memory(n), TOY) for n in range(200)]
        store.put(entries, fingerprint=TOY.fingerprint)
    return stores


def compare(both: list[Store], where: dict[str, object]) -> None:
    store, reference = both
    condition = parse_filter(where)
    for limit in (3, 30):
        words = [
            one.search_words(["alpha", "部署", "3"], spaces=["global"], where=condition, limit=most)
            for one, most in ((store, limit), (reference, EVERYTHING))
        ]
        same_ranking(*words, limit=limit)
        meaning = [
            one.search_meaning(
                TOY.embed(["number 部署"])[0],
                fingerprint=TOY.fingerprint,
                spaces=["global"],
                where=condition,
                limit=most,
            )
            for one, most in ((store, limit), (reference, EVERYTHING))
        ]
        same_ranking(*meaning, limit=limit)


@pytest.mark.parametrize("where", FILTERS, ids=str)
def test_answers_are_the_reference_s(both: list[Store], where: dict[str, object]) -> None:
    compare(both, where)
    for store in both:
        store.delete([f"m{n}" for n in range(0, 200, 40)])
        for n in range(1, 200, 29):
            told = replace(memory(n), tags=("rare", "新"), kind="task", source="docs/部署.md")
            store.revise(make_entry(told, TOY), fingerprint=TOY.fingerprint)
        for n in range(17, 200, 34):
            told = replace(memory(n), text=f"alpha anew 部署 {n}", kind="note", entities=("小美",))
            store.revise(make_entry(told, TOY), fingerprint=TOY.fingerprint)
    compare(both, where)
    compare(both, {"tags": "新"})


def test_nothing_is_left_of_what_went(make_store: Callable[[], Store], address: str) -> None:
    store = make_store()
    assert isinstance(store, PostgresStore)

    def held() -> int:
        assert isinstance(store, PostgresStore)
        with psycopg.connect(address) as connection:
            connection.execute(f"SET bethink.tenant = '{tenant_number(store.tenant)}'")
            row = connection.execute("SELECT count(*) FROM bethink.labels").fetchone()
        assert row is not None
        return int(row[0])

    store.put([make_entry(memory(n)) for n in range(40)])
    assert held() == len({(n, one) for n in range(40) for one in labels.labels_of(memory(n))})
    store.delete([f"m{n}" for n in range(20)])
    store.revise(make_entry(replace(memory(33), tags=(), source="", kind="note")))
    rest = [n for n in range(20, 40) if n != 33]
    assert held() == len({(n, one) for n in rest for one in labels.labels_of(memory(n))})
    store.delete_space("global")
    assert held() == 0


@pytest.mark.parametrize("where", FILTERS, ids=str)
def test_a_scan_is_the_reference_s(both: list[Store], where: dict[str, object]) -> None:
    condition = parse_filter(where)
    for store in both:
        store.put([make_entry(replace(memory(n), id=f"p{n}", space="p")) for n in range(40)])
    for spaces in (None, ["global"], ["p"], ["p", "global"]):
        for newest in (True, False):
            pages = [
                one.scan(spaces=spaces, where=condition, newest_first=newest, limit=30).memories
                for one in both
            ]
            assert [m.id for m in pages[0]] == [m.id for m in pages[1]]


@pytest.mark.parametrize(("question", "name"), [("hansa house", "Hansa House"), ("小美", "小美")])
def test_an_entity_that_is_asked_for_by_name(
    make_store: Callable[[], Store], question: str, name: str
) -> None:
    with Engine(make_store(), embedder=TOY, settings=Settings()) as engine:
        engine.remember("It was moved there. 改到那里了。", id="it", entities=[name])
        engine.remember("The printer is broken. 打印机坏了。")
        answer = engine.recall(question)
        assert answer.hits[0].id == "it"
        assert "entity" in answer.hits[0].channels
        held = [h.id for h in engine.recall(question, where={"tags": "none"}, floor=0).hits]
        assert held == []
