"""Why not: a hit, elsewhere, excluded or answered by others; and what asking it may not do."""

from __future__ import annotations

from typing import Any

import pytest

from bethink import Engine, Status
from bethink.errors import InvalidInput, NotFound, UnknownSpace
from bethink.recall.deduplicate import OnePerMemory
from bethink.recall.fuse import ReciprocalRanks
from bethink.recall.hydrate import Hydrate
from bethink.recall.presets import PRESETS, Preset
from bethink.recall.search_words import SearchWords
from bethink.recall.side_by_side import SideBySide
from bethink.testing import FakeClock
from tests.recall.why_not.asking import BOTH, told
from tests.recall.working import add, add_steps, heard


@BOTH
@pytest.mark.parametrize("preset", list(PRESETS))
def test_it_is_a_hit(engine: Engine, preset: str, text: str, question: str) -> None:
    engine.remember(text, id="it")
    why = engine.why_not("it", question, preset=preset)
    assert (why.outcome, why.rank, why.stage) == ("hit", 1, "")
    assert why.preset == preset
    assert why.status == Status.ANSWERED
    assert why.score == engine.recall(question, preset=preset, touch=False).hits[0].score
    assert "it is hit 1 of 1" in told(why)
    assert why.way[-1].among == "hits"


@BOTH
def test_in_another_space(engine: Engine, text: str, question: str) -> None:
    engine.remember(text, id="it", space="work")
    engine.remember("something", space="home")
    why = engine.why_not("it", question, spaces="home", preset="ranks")
    assert why.outcome == "other_space"
    assert why.reason == "it is in the space work; the question looks in home"
    assert engine.why_not("it", question, spaces=["home", "work"], preset="ranks").rank == 1


@BOTH
def test_not_valid_at_that_moment(engine: Engine, text: str, question: str) -> None:
    engine.remember(text, id="it", valid_from="2026-03-01", valid_to="2026-04-01")
    why = engine.why_not("it", question, as_of="2026-02-01", preset="ranks")
    assert why.outcome == "not_valid"
    assert "valid from 2026-03-01T00:00:00+00:00 until 2026-04-01" in why.reason
    assert "2026-02-01T23:59:59.999999+00:00 is not" in why.reason
    assert engine.why_not("it", question, as_of="2026-03-02", preset="ranks").outcome == "hit"


@BOTH
@pytest.mark.parametrize(
    ("where", "says"),
    [
        ({"kind": "task"}, "kind = task"),
        ({"kind": "note", "tags": {"has": "预算"}}, "tags has 预算"),
        ({"confidence": {"<": 0.5}}, "confidence < 0.5"),
        ({"created_at": {"<": "2020-01-01"}}, "created_at < 2020-01-01T00:00:00+00:00"),
        ({"kind": {"in": ["a", "b"]}}, "kind in (a, b)"),
        ({"metadata.author": {"exists": True}}, "metadata.author to be there"),
        ({"not": {"kind": "note"}}, "not kind = note"),
        ({"or": [{"kind": "a"}, {"source": "b"}]}, "(kind = a or source = b)"),
    ],
)
def test_filtered(
    engine: Engine, text: str, question: str, where: dict[str, Any], says: str
) -> None:
    engine.remember(text, id="it")
    why = engine.why_not("it", question, where=where, preset="ranks")
    assert (why.outcome, why.reason) == ("filtered", f"the filter asks for {says}")


@BOTH
def test_what_only_working_memory_has(
    engine: Engine, clock: FakeClock, text: str, question: str
) -> None:
    engine.remember("lunch is at noon 中午吃饭")
    add(engine, heard("it", text), now=clock.now)
    why = engine.why_not("it", question, preset="workflow")
    assert (why.outcome, why.rank, why.score) == ("hit", 1, 1.0)
    assert [(one.channel, one.rank) for one in why.searches] == [("hot", 1)]
    why = engine.why_not("it", question)
    assert (why.outcome, why.rank) == ("hit", 1)
    assert "words" in [one.channel for one in why.searches]
    why = engine.why_not("it", question, unverified_share=0)
    assert (why.outcome, why.searches) == ("not_found", ())
    assert "excludes what is unverified" in why.reason
    why = engine.why_not("it", question, preset="skill")
    assert why.outcome == "not_found"
    assert why.reason.startswith("it is in working memory, which this preset does not read")
    why = engine.why_not("it", question, preset="workflow", unverified_share=0)
    assert (why.outcome, why.stage) == ("dropped", "budget")
    assert why.reason.startswith("unverified, and at most 0% of an answer may be")
    add_steps(engine, 10, now=clock.now)
    why = engine.why_not("it", question, preset="workflow")
    assert why.reason == "it is in working memory, but not among the 10 newest there"
    clock.advance(hours=25)
    with pytest.raises(NotFound):
        engine.why_not("it", question, preset="workflow")


@pytest.mark.parametrize("asked", ["what are my preferences?", "我的偏好是什么"])
def test_a_route_has_answered(engine: Engine, asked: str) -> None:
    engine.remember("dark mode 深色", kind="preference")
    engine.remember("my preferences are mentioned here, 我的偏好", id="it")
    why = engine.why_not("it", asked, preset="notebook")
    assert why.outcome == "not_searched"
    assert "the route 'preferences' has the whole list" in why.reason
    assert why.searches == ()


@pytest.mark.parametrize("asked", ["what about budget today?", "今天的budget"])
def test_others_of_that_time_took_the_room(engine: Engine, asked: str) -> None:
    for n in range(4):
        engine.remember(f"budget talk {n}", kind="journal")
    engine.remember("lunch 午饭", id="it", kind="journal")
    why = engine.why_not("it", asked, preset="notebook", budget=14)
    assert (why.outcome, why.stage) == ("dropped", "timeline_path")
    assert why.reason == "others of that time left no room for it"


@pytest.mark.parametrize("preset", list(PRESETS))
@BOTH
def test_it_agrees_with_the_answer(engine: Engine, preset: str, text: str, question: str) -> None:
    """Whatever the preset: who is in the answer is a hit at that rank, who is not has a reason."""
    engine.remember_many(
        [{"text": f"{text} {'x y z ' * n}", "id": f"m{n}"} for n in range(8)]
        + [{"text": f"{n} lake 湖", "id": f"l{n}"} for n in range(8)]
    )
    answer = engine.recall(question, preset=preset, limit=3, touch=False)
    ranks = {hit.id: rank for rank, hit in enumerate(answer.hits, start=1)}
    for memory in engine.list(limit=20).memories:
        why = engine.why_not(memory.id, question, preset=preset, limit=3)
        assert (why.outcome == "hit") is (memory.id in ranks)
        assert why.outcome != "hit" or why.rank == ranks[memory.id]
        assert why.reason
        assert why.outcome != "dropped" or why.stage
        assert memory.id in told(why)


def test_no_counter_changes(engine: Engine) -> None:
    engine.remember("budget 预算", id="it")
    before = engine.get("it")
    engine.why_not("it", "budget 预算", preset="notebook")
    assert engine.get("it") == before


def test_a_preset_of_ones_own(engine: Engine) -> None:
    engine.remember_many([{"text": f"budget 预算 {n}", "id": f"m{n}"} for n in range(4)])
    unfinished = Preset(
        "own", (SideBySide((SearchWords(),)), ReciprocalRanks(), OnePerMemory(), Hydrate())
    )
    why = engine.why_not("m1", "budget 预算", preset=unfinished)
    assert (why.outcome, why.stage) == ("dropped", "hydrate")
    assert "no stage that makes hits" in why.reason
    nothing = engine.why_not("m1", "budget 预算", preset=Preset("nothing", ()))
    assert nothing.reason == "no search brought it: this preset searches nothing"


def test_wrong_input(engine: Engine) -> None:
    engine.remember("x", id="it")
    with pytest.raises(NotFound, match="no memory has the id 'nobody'"):
        engine.why_not("nobody", "x")
    with pytest.raises(InvalidInput, match="the question is empty"):
        engine.why_not("it", " ")
    with pytest.raises(InvalidInput, match="no preset 'magic'"):
        engine.why_not("it", "x", preset="magic")
    with pytest.raises(UnknownSpace):
        engine.why_not("it", "x", spaces="nowhere")
    with pytest.raises(TypeError, match="touch"):
        engine.why_not("it", "x", touch=False)
