"""What was told last comes first, each memory once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest import approx

from recollect import Engine, Status
from recollect.errors import StoreError
from recollect.filters import Condition
from recollect.recall.draft import Draft
from recollect.recall.search_hot import HotFirst, SearchHot
from recollect.recall.search_meaning import SearchMeaning
from recollect.recall.search_words import SearchWords
from recollect.recall.side_by_side import SideBySide
from recollect.stores.in_memory import InMemoryStore
from recollect.stores.protocol import Page
from recollect.testing import FakeClock
from recollect.vocabulary import Found, Query
from tests.embedders_of_tests import Hung, Letters
from tests.engines_of_tests import STORES, engine_on
from tests.recall.asking_with_stages import ask, step
from tests.recall.kits import kit

COLD = SearchMeaning(candidates=5, exactly=True)
STAGES = (SideBySide((SearchHot(), COLD)), HotFirst())


@pytest.fixture
def letters() -> Letters:
    return Letters(dimension=4096)


@pytest.fixture(params=STORES)
def engine(request: pytest.FixtureRequest, tmp_path: Path, letters: Letters) -> Iterator[Engine]:
    with engine_on(request.param, tmp_path, embedder=letters, clock=FakeClock()) as made:
        yield made


def fill(engine: Engine, count: int) -> None:
    engine.remember_many([{"text": f"step {n} 第{n}步", "id": f"step-{n}"} for n in range(count)])


@pytest.mark.parametrize("question", ["dark mode", "深色主题", "dark 主题"])
def test_the_ten_newest_first_then_the_nearest(
    engine: Engine, letters: Letters, question: str
) -> None:
    engine.remember("Mei prefers dark mode 小美喜欢深色主题", id="cold")
    fill(engine, 30)
    answer = ask(engine, question, *STAGES, embedder=letters, limit=20)
    assert [hit.id for hit in answer.hits[:10]] == [f"step-{n}" for n in range(29, 19, -1)]
    assert {hit.score for hit in answer.hits[:10]} == {1.0}
    assert answer.hits[0].parts == {"hot": 1.0}
    assert answer.hits[0].channels["hot"].rank == 0
    cold = answer.hits[10:]
    assert cold[0].id == "cold"
    assert len(cold) <= 5
    assert all(hit.parts == {"meaning": approx(hit.score)} for hit in cold)
    assert cold[0].score == approx(cold[0].channels["meaning"].score, abs=1e-5)
    assert answer.status is Status.ANSWERED


def test_never_one_more(engine: Engine) -> None:
    fill(engine, 12)
    for count in (1, 10, 12):
        found = SearchHot(count=count)(Draft(Query(text="?")), kit(engine.store)).channels["hot"]
        assert [f.memory_id for f in found] == [f"step-{n}" for n in range(11, 11 - count, -1)]
        assert {f.score for f in found} == {1.0}


def test_only_the_spaces_and_what_the_filters_let_through(engine: Engine) -> None:
    engine.remember("打草稿", id="a", kind="working", tags=["x"])
    engine.remember("draft", id="b", kind="working")
    engine.remember("fact", id="c")
    engine.remember("elsewhere", id="d", kind="working", space="other")
    working = Condition("kind", None, "=", "working")
    tagged = Condition("tags", None, "has", "x")

    def hot(query: Query, stage: SearchHot) -> list[str]:
        return [f.memory_id for f in stage(Draft(query), kit(engine.store)).channels["hot"]]

    assert hot(Query(text="?"), SearchHot()) == ["c", "b", "a"]
    assert hot(Query(text="?"), SearchHot(where=working)) == ["b", "a"]
    assert hot(Query(text="?", where=tagged), SearchHot(where=working)) == ["a"]
    assert hot(Query(text="?", where=tagged), SearchHot()) == ["a"]
    assert hot(Query(text="?", spaces=("global", "other")), SearchHot(where=working)) == [
        "d",
        "b",
        "a",
    ]


def test_each_memory_once(engine: Engine, letters: Letters) -> None:
    engine.remember("dark mode 深色主题", id="hot-and-near")
    answer = ask(engine, "dark mode", *STAGES, embedder=letters)
    (hit,) = answer.hits
    assert set(hit.channels) == {"hot", "meaning"}
    assert hit.score == 1.0


@pytest.mark.parametrize("needle", ["The launch code is marigold.", "发射口令是金盏花。"])
def test_a_long_hot_memory_is_shown_where_it_answers(
    engine: Engine, letters: Letters, needle: str
) -> None:
    filler = "The weather was fine and nothing happened at all. 天气很好，什么也没有发生。" * 60
    engine.remember(f"{filler}\n\n{needle}\n\n{filler}", id="long")
    answer = ask(engine, needle, *STAGES, embedder=letters)
    (hit,) = answer.hits
    assert needle in hit.text
    assert hit.passage.ordinal > 0
    assert "another passage of a memory that is among the newest" in {
        d.reason for d in step(answer, "fuse").dropped
    }


def test_beyond_the_nearest_and_other_passages() -> None:
    channels = {
        "hot": (Found("H", 0, 1.0),),
        "meaning": (
            Found("A", 0, 0.9),
            Found("A", 1, 0.8),
            Found("B", 0, 0.7),
            Found("H", 0, 0.6),
            Found("C", 0, -0.5),
        ),
    }
    after = HotFirst(cold=2)(Draft(Query(text="?"), channels=channels), kit())
    assert [(c.key, c.score) for c in after.candidates] == [
        (("H", 0), 1.0),
        (("A", 0), 0.9),
        (("B", 0), 0.7),
    ]
    assert [d.reason for d in after.dropped] == [
        "another passage of A stands higher",
        "beyond the 2 nearest: 0.000, the last has 0.700",
    ]
    assert after.notes == ("1 newest first, then 2 others",)


@pytest.mark.parametrize("question", ["dark", "深色"])
def test_without_meaning_the_others_come_by_words(
    engine: Engine, letters: Letters, question: str
) -> None:
    engine.remember("dark mode 深色主题", id="old")
    fill(engine, 3)
    letters.fails = True
    stages = (SideBySide((SearchHot(count=2), COLD, SearchWords())), HotFirst())
    answer = ask(engine, question, *stages, embedder=letters)
    assert [hit.id for hit in answer.hits] == ["step-2", "step-1", "old"]
    assert answer.hits[2].parts == {"words": 1.0}
    assert answer.status is Status.DEGRADED


def test_a_hung_embedder_does_not_hold_up_the_newest() -> None:
    hung = Hung()
    with Engine.in_memory(embedder=hung) as engine:
        engine.remember("dark mode 深色主题", id="old")
        fill(engine, 2)
        stages = (SideBySide((COLD, SearchHot(count=2), SearchWords())), HotFirst())
        answer = ask(engine, "dark 深色", *stages, embedder=hung, deadline=0.2)
        assert [hit.id for hit in answer.hits] == ["step-1", "step-0", "old"]
        assert answer.status is Status.DEGRADED
        assert answer.reasons == ("search_meaning was not done within 0.2 s and was left out",)
        hung.released.set()


class LosesTheNewest(InMemoryStore):
    """A store of somebody's own whose list is broken."""

    def scan(self, **options: Any) -> Page:
        raise StoreError("the list is gone; run 'recollect doctor'")


def test_a_broken_list_leaves_the_searches() -> None:
    letters = Letters()
    with Engine(LosesTheNewest(), embedder=letters) as engine:
        engine.remember("dark mode 深色主题", id="old")
        stages = (SideBySide((SearchHot(), COLD, SearchWords())), HotFirst())
        answer = ask(engine, "dark 深色", *stages, embedder=letters)
        assert [hit.id for hit in answer.hits] == ["old"]
        assert answer.status is Status.DEGRADED
        assert "search_hot failed: the list is gone" in answer.reasons[0]


def test_settled() -> None:
    settled = Draft(Query(text="?"), settled="a route has answered")
    assert SearchHot()(settled, kit()) is settled
    assert HotFirst()(settled, kit()) is settled
