"""What is recent comes first, each memory once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest import approx

from bethink import Engine, Status
from bethink.errors import StoreError
from bethink.filters import Condition, parse_filter
from bethink.recall.draft import Draft
from bethink.recall.fuse import ReciprocalRanks
from bethink.recall.hydrate import Hydrate
from bethink.recall.search_hot import HotFirst, NearestFew, SearchHot
from bethink.recall.search_meaning import SearchMeaning
from bethink.recall.search_words import SearchWords
from bethink.recall.side_by_side import SideBySide
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.tiers import Tiers
from bethink.testing import FakeClock
from bethink.text.split import PASSAGE_CHARS
from bethink.vocabulary import Found, Query, Tier
from tests.embedders_of_tests import Hung, Letters
from tests.engines_of_tests import STORES, engine_on
from tests.recall.asking_with_stages import ask, step
from tests.recall.kits import NOW, kit
from tests.recall.working import add, add_steps, heard

COLD = SearchMeaning(candidates=5, exactly=True)
STAGES = (SideBySide((SearchHot(), COLD)), HotFirst(), Hydrate(), NearestFew())
ALL: dict[str, Any] = {"unverified_share": 1.0}


@pytest.fixture
def letters() -> Letters:
    return Letters(dimension=4096)


@pytest.fixture(params=STORES)
def engine(request: pytest.FixtureRequest, tmp_path: Path, letters: Letters) -> Iterator[Engine]:
    with engine_on(request.param, tmp_path, embedder=letters, clock=FakeClock(NOW)) as made:
        made.store.open_space("global")
        yield made


def hot(engine: Engine, query: Query, stage: SearchHot | None = None) -> list[str]:
    found = (stage or SearchHot())(Draft(query), kit(engine.store)).channels["hot"]
    assert {f.score for f in found} <= {1.0}
    return [f.memory_id for f in found]


@pytest.mark.parametrize("question", ["dark mode", "深色主题", "dark 主题"])
def test_the_ten_newest_first_then_the_nearest(
    engine: Engine, letters: Letters, question: str
) -> None:
    engine.remember("Mei prefers dark mode 小美喜欢深色主题", id="cold")
    engine.remember_many([{"text": f"note {n} 笔记{n}"} for n in range(20)])
    newest = add_steps(engine, 30)
    answer = ask(engine, question, *STAGES, embedder=letters, limit=20, **ALL)
    assert [hit.id for hit in answer.hits[:10]] == newest[:10]
    assert {hit.score for hit in answer.hits[:10]} == {1.0}
    assert {hit.tier for hit in answer.hits[:10]} == {Tier.WORKING}
    assert answer.hits[0].parts == {"hot": 1.0}
    assert answer.hits[0].channels["hot"].rank == 0
    cold = answer.hits[10:]
    assert cold[0].id == "cold"
    assert len(cold) <= 5
    assert all(hit.parts == {"meaning": approx(hit.score)} for hit in cold)
    assert cold[0].score == approx(cold[0].channels["meaning"].score, abs=1e-5)
    assert {hit.tier for hit in cold} == {Tier.LONG_TERM}
    assert answer.status is Status.ANSWERED


def test_never_one_more(engine: Engine) -> None:
    newest = add_steps(engine, 12)
    assert hot(engine, Query(text="?")) == newest[:10]
    for count in (1, 10, 11, 12, 13):
        assert hot(engine, Query(text="?"), SearchHot(count=count)) == newest[:count]


def test_what_is_only_remembered_is_not_hot(engine: Engine) -> None:
    engine.remember("told just now 刚刚说的")
    assert hot(engine, Query(text="?")) == []


def test_the_walls_between_spaces(engine: Engine) -> None:
    engine.store.open_space("other")
    add(engine, heard("a"), heard("b", space="other"), heard("c"))
    assert hot(engine, Query(text="?")) == ["c", "a"]
    assert hot(engine, Query(text="?", spaces=("other",))) == ["b"]
    assert hot(engine, Query(text="?", spaces=("global", "other"))) == ["c", "b", "a"]


def test_what_has_expired_is_gone(engine: Engine, letters: Letters) -> None:
    clock = FakeClock(NOW)
    add(engine, heard("old"), now=NOW)
    add(engine, heard("new"), now=clock.advance(hours=10))
    for hours, left in ((0, ["new", "old"]), (13.9, ["new", "old"]), (0.2, ["new"]), (10, [])):
        clock.advance(hours=hours)
        tools = kit(engine.store)._replace(clock=clock)
        found = SearchHot()(Draft(Query(text="?")), tools).channels["hot"]
        assert [f.memory_id for f in found] == left


def test_the_filter_holds_and_those_behind_move_up(engine: Engine) -> None:
    wanted = [heard(f"w{n}", tags=("发布",)) for n in range(12)]
    others = [heard(f"o{n}", kind="noise") for n in range(30)]
    add(engine, *wanted, *others)
    tagged = Condition("tags", None, "has", "发布")
    newest = [f"w{n}" for n in range(11, -1, -1)]
    assert hot(engine, Query(text="?", where=tagged)) == newest[:10]
    assert hot(engine, Query(text="?", where=tagged), SearchHot(count=12)) == newest
    trusted = parse_filter({"provenance.trust": "verified"})
    assert hot(engine, Query(text="?", where=trusted)) == []
    add(engine, heard("sure", trust="verified"))
    assert hot(engine, Query(text="?", where=trusted)) == ["sure"]


def test_who_looks_back_gets_nothing_hot(engine: Engine, letters: Letters) -> None:
    engine.remember("dark mode 深色主题", id="known", valid_from="2020-01-01")
    add_steps(engine, 3)
    answer = ask(engine, "dark 深色", *STAGES, embedder=letters, as_of="2026-04-01")
    assert [hit.id for hit in answer.hits] == ["known"]
    notes = [note for one in answer.trace.steps for note in one.notes]
    assert "hot: working memory is of now, and the question looks back" in notes


@pytest.mark.parametrize("question", ["dark mode", "深色主题", "nothing alike 毫不相干"])
def test_promoted_it_is_there_once_as_it_is_known(
    engine: Engine, letters: Letters, question: str
) -> None:
    add(engine, heard("before"), heard("it", "dark mode 深色主题"), heard("after"))
    engine.remember("dark mode 深色主题", id="it", tags=["reviewed"])
    answer = ask(engine, question, *STAGES, embedder=letters, **ALL)
    assert [hit.id for hit in answer.hits] == ["after", "it", "before"]
    hit = answer.hits[1]
    assert hit.score == 1.0 and "hot" in hit.channels
    assert (hit.tier, hit.memory.verified, hit.memory.tags) == (
        Tier.LONG_TERM,
        True,
        ("reviewed",),
    )


def test_the_same_id_in_another_space_is_something_else(engine: Engine, letters: Letters) -> None:
    add(engine, heard("it", "what was heard here 这里听到的"))
    engine.remember("told elsewhere 别处说的", id="it", space="other")
    (hit,) = ask(engine, "heard 听到", *STAGES, embedder=letters, **ALL).hits
    assert (hit.text, hit.tier) == ("what was heard here 这里听到的", Tier.WORKING)


@pytest.mark.parametrize("trust", ["unverified", "verified"])
def test_the_same_words_under_another_id_come_once(
    engine: Engine, letters: Letters, trust: str
) -> None:
    add(engine, heard("heard", "Dark mode 深色主题", trust=trust), heard("newer"))
    engine.remember("dark mode 深色主题", id="known")
    answer = ask(engine, "dark mode", *STAGES, embedder=letters, **ALL)
    it = answer.hits[1]
    assert [hit.id for hit in answer.hits] == ["newer", it.id]
    assert it.score == 1.0 and it.memory.verified
    assert it.id == ("known" if trust == "unverified" else "heard")  # what is verified stays
    gone = step(answer, "deduplicate").dropped
    reason = "known says the same and is verified"
    assert [d.reason for d in gone] == [
        reason if trust == "unverified" else "says the same as heard"
    ]


@pytest.mark.parametrize("needle", ["The launch code is marigold.", "发射口令是金盏花。"])
def test_a_long_one_is_shown_where_it_answers(
    engine: Engine, letters: Letters, needle: str
) -> None:
    filler = "The weather was fine and nothing happened at all. 天气很好，什么也没有发生。" * 60
    text = f"{filler}\n\n{needle}\n\n{filler}"
    add(engine, heard("long", text))
    (hit,) = ask(engine, needle, *STAGES, embedder=letters, **ALL).hits
    assert needle in hit.text and len(hit.text) <= PASSAGE_CHARS
    assert hit.passage.ordinal > 0
    assert text[hit.passage.start : hit.passage.end] == hit.text
    (hit,) = ask(engine, "zebra 斑马", *STAGES, embedder=letters, **ALL).hits
    assert hit.passage.ordinal == 0
    # promoted, it is shown by the passage that the search found
    engine.remember(text, id="long")
    promoted = ask(engine, needle, *STAGES, embedder=letters, **ALL)
    (hit,) = promoted.hits
    assert needle in hit.text and hit.tier is Tier.LONG_TERM
    assert "another passage of a memory that is hot" in {
        d.reason for d in step(promoted, "fuse").dropped
    }


def test_a_long_one_leaves_room_for_the_others(engine: Engine, letters: Letters) -> None:
    add(engine, heard("short"), heard("long", "很长的一段话，没有尽头。" * 80_000))
    answer = ask(engine, "没有尽头", *STAGES, embedder=letters, budget=800, **ALL)
    assert [hit.id for hit in answer.hits] == ["long", "short"]


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
    fused = HotFirst()(Draft(Query(text="?"), channels=channels), kit())
    assert fused.notes == ("1 hot ones first, then 3 others",)
    assert [d.reason for d in fused.dropped] == ["another passage of A stands higher"]
    after = NearestFew(count=2)(fused, kit())
    assert [(c.key, c.score) for c in after.candidates] == [
        (("H", 0), 1.0),
        (("A", 0), 0.9),
        (("B", 0), 0.7),
    ]
    assert [d.reason for d in after.dropped] == ["beyond the 2 nearest: 0.000, the last has 0.700"]


def test_any_fusion_can_use_it(engine: Engine) -> None:
    engine.remember("dark mode 深色主题", id="known")
    add(engine, heard("recent", "the dark 深色"))
    stages = (SideBySide((SearchHot(), SearchWords())), ReciprocalRanks())
    answer = ask(engine, "dark 深色", *stages, **ALL)
    assert {hit.id: hit.tier for hit in answer.hits} == {
        "recent": Tier.WORKING,
        "known": Tier.LONG_TERM,
    }


@pytest.mark.parametrize("question", ["dark", "深色"])
def test_without_meaning_the_others_come_by_words(
    engine: Engine, letters: Letters, question: str
) -> None:
    engine.remember("dark mode 深色主题", id="old")
    newest = add_steps(engine, 3)
    letters.fails = True
    stages = (SideBySide((SearchHot(count=2), COLD, SearchWords())), HotFirst())
    answer = ask(engine, question, *stages, embedder=letters, **ALL)
    assert [hit.id for hit in answer.hits] == [*newest[:2], "old"]
    assert answer.hits[2].parts == {"words": 1.0}
    assert answer.status is Status.DEGRADED


def test_a_hung_embedder_does_not_hold_up_what_is_recent() -> None:
    hung = Hung()
    with Engine.in_memory(embedder=hung) as engine:
        engine.remember("dark mode 深色主题", id="old")
        newest = add_steps(engine, 2)
        stages = (SideBySide((COLD, SearchHot(count=2), SearchWords())), HotFirst())
        answer = ask(engine, "dark 深色", *stages, embedder=hung, deadline=0.2, **ALL)
        assert [hit.id for hit in answer.hits] == [*newest, "old"]
        assert answer.status is Status.DEGRADED
        assert answer.reasons == ("search_meaning was not done within 0.2 s and was left out",)
        hung.released.set()


class LosesWorkingMemory(InMemoryStore):
    """A store of somebody's own whose working memory is out of reach."""

    def tiers(self) -> Tiers:
        raise StoreError("the server of working memory does not answer; start it")


def test_without_working_memory_the_searches_answer() -> None:
    letters = Letters()
    with Engine(LosesWorkingMemory(), embedder="none") as engine:
        engine.remember("dark mode 深色主题", id="old")
        stages = (SideBySide((SearchHot(), COLD, SearchWords())), HotFirst())
        answer = ask(engine, "dark 深色", *stages, embedder=letters)
        assert [hit.id for hit in answer.hits] == ["old"]
        assert answer.status is Status.DEGRADED
        assert "search_hot failed: the store cannot do its work now" in answer.reasons[0]


def test_settled() -> None:
    settled = Draft(Query(text="?"), settled="a route has answered")
    assert SearchHot()(settled, kit()) is settled
    assert HotFirst()(settled, kit()) is settled
    assert NearestFew()(settled, kit()) is settled
