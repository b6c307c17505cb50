"""Why a memory is not in an answer: one test for each way to lose, in both languages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest import approx

from recollect import Engine, Status
from recollect.errors import InvalidInput, NotFound, UnknownSpace
from recollect.recall.deduplicate import OnePerMemory
from recollect.recall.fuse import ReciprocalRanks
from recollect.recall.hydrate import Hydrate
from recollect.recall.presets import PRESETS, Preset
from recollect.recall.search_words import SearchWords
from recollect.recall.searches_for_one import Looked
from recollect.recall.side_by_side import SideBySide
from recollect.recall.why_not import WhyNot, as_lines, as_record
from recollect.settings import Settings
from recollect.testing import FakeClock
from tests.embedders_of_tests import Hung, Letters
from tests.recall.working import add, add_steps, heard

BOTH = pytest.mark.parametrize(
    ("text", "question"),
    [("Mei prefers dark mode", "Mei dark mode"), ("小美喜欢深色主题", "小美的深色主题")],
    ids=["English", "Chinese"],
)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def letters() -> Letters:
    return Letters()


@pytest.fixture
def engine(tmp_path: Path, clock: FakeClock, letters: Letters) -> Iterator[Engine]:
    with Engine(tmp_path / "m.db", embedder=letters, clock=clock, settings=Settings()) as made:
        yield made


def search(why: WhyNot, channel: str) -> Looked:
    return next(one for one in why.searches if one.channel == channel)


def told(why: WhyNot) -> str:
    """For people and for programs; both must be made of it without fault."""
    assert json.loads(json.dumps(as_record(why))) is not None
    return "\n".join(as_lines(why))


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
    assert "2026-02-01T00:00:00+00:00 is not" in why.reason
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
def test_no_word_in_common(tmp_path: Path, text: str, question: str) -> None:
    with Engine(tmp_path / "m.db", embedder="none", settings=Settings()) as engine:
        engine.remember(text)
        engine.remember("quite another thing 完全另一件事", id="it")
        why = engine.why_not("it", question, preset="ranks")
        assert why.outcome == "not_found"
        words = search(why, "words")
        assert not words.got_in and words.rank is None and words.holds == ()
        assert words.lacks
        assert f"words: holds none of: {words.lacks[0]}" in why.reason
        assert "meaning: no embedder is set" in why.reason


@BOTH
def test_words_held_and_lacking(tmp_path: Path, text: str, question: str) -> None:
    with Engine(tmp_path / "m.db", embedder="none", settings=Settings()) as engine:
        engine.remember(text, id="it")
        why = engine.why_not("it", f"{question} zebra", preset="ranks")
        words = search(why, "words")
        assert words.lacks[-1] == "zebra"
        assert words.holds
        assert "lacks: zebra" in told(why) or "zebra)" in told(why)


@pytest.mark.parametrize(("word", "asked"), [("budget", "budget plan"), ("预算", "预算方案")])
def test_too_far_down_by_words(tmp_path: Path, word: str, asked: str) -> None:
    with Engine(tmp_path / "m.db", embedder="none", settings=Settings()) as engine:
        engine.remember_many([{"text": f"{asked} {n}"} for n in range(60)])
        engine.remember(f"{word} " + "a long text about something else " * 5, id="it")
        why = engine.why_not("it", asked, preset="ranks")
        assert why.outcome == "not_found"
        words = search(why, "words")
        assert not words.got_in
        assert (words.rank, words.candidates) == (61, 50)
        assert words.score is not None and words.last is not None
        assert words.score < words.last
        assert f"rank 61, BM25 {words.score:.3f}; only 50 got in" in why.reason
        assert f"the last with {words.last:.3f}" in why.reason


@pytest.mark.parametrize("asked", ["budget plan", "预算方案"])
def test_too_far_away_by_meaning(engine: Engine, asked: str) -> None:
    engine.remember_many([{"text": f"{asked} {n}"} for n in range(60)])
    engine.remember("the lake and the hills 湖光山色", id="it")
    why = engine.why_not("it", asked, preset="ranks")
    assert why.outcome == "not_found"
    meaning = search(why, "meaning")
    assert (meaning.got_in, meaning.rank, meaning.candidates) == (False, 61, 50)
    assert meaning.score is not None and meaning.last is not None
    assert meaning.score < meaning.last
    assert f"meaning: rank 61, cosine {meaning.score:.3f}; only 50 got in" in told(why)


def test_without_a_vector(engine: Engine) -> None:
    engine.remember("budget plan 预算方案")
    with Engine(engine.store, embedder="none") as words_only:
        words_only.remember("the lake 湖", id="it")
        why = engine.why_not("it", "budget plan 预算方案", preset="ranks")
    assert why.outcome == "not_found"
    assert "it waits for its vector" in search(why, "meaning").note
    assert why.status == Status.STALE


@pytest.mark.parametrize("asked", ["budget plan", "预算方案"])
def test_by_a_threshold(engine: Engine, asked: str) -> None:
    engine.remember(asked)
    engine.remember(f"{asked} and a lake, 还有一个湖", id="it")
    why = engine.why_not("it", asked, preset="knowledge", meaning_threshold=0.95)
    assert why.outcome == "hit"  # words still bring it
    why = engine.why_not("it", asked, preset="knowledge", meaning_threshold=0.95, words=False)
    assert (why.outcome, why.stage) == ("dropped", "thresholds")
    assert "below the least of 0.95" in why.reason
    assert search(why, "words").note == "words: switched off by the caller"


@pytest.mark.parametrize("asked", ["budget plan", "预算方案"])
def test_by_the_floor(engine: Engine, asked: str) -> None:
    engine.remember(asked)
    engine.remember("the lake and the hills 湖光山色", id="it")
    why = engine.why_not("it", asked, preset="skill")
    assert (why.outcome, why.stage) == ("dropped", "floor")
    assert "below the least of 0.35" in why.reason
    assert why.score is not None and why.score < 0.35
    assert why.rank == 2


@BOTH
def test_by_a_lack_of_confidence(engine: Engine, text: str, question: str) -> None:
    engine.remember(f"{text} and a lake 湖", id="it")
    why = engine.why_not("it", f"{question} zebra giraffe 斑马", floor=0.99)
    assert (why.outcome, why.stage) == ("dropped", "abstain")
    assert "is below the floor 0.99" in why.reason
    assert why.status == Status.BELOW_FLOOR


@pytest.mark.parametrize("asked", ["budget plan", "预算方案"])
def test_by_the_limit(engine: Engine, asked: str) -> None:
    engine.remember_many([{"text": f"{asked} {n}", "id": f"m{n}"} for n in range(5)])
    engine.remember(f"{asked} and many other words, 还有许多别的话", id="it")
    why = engine.why_not("it", asked, preset="ranks", limit=2)
    answer = engine.recall(asked, preset="ranks", limit=2, touch=False)
    assert (why.outcome, why.stage) == ("dropped", "hydrate")  # no more than this could be shown
    assert why.rank == 6
    assert why.score is not None and why.needed is not None and why.by is not None
    assert why.by == approx(why.needed - why.score)
    assert "the last that went on has" in why.reason

    why = engine.why_not("it", asked, preset="ranks", limit=5)
    answer = engine.recall(asked, preset="ranks", limit=5, touch=False)
    assert (why.outcome, why.stage) == ("dropped", "budget")
    assert why.reason.startswith("beyond the limit of 5 hits (rank 6 of 6")
    assert why.needed == approx(answer.hits[-1].score, abs=1e-6)
    assert f"it lacked {why.by:.3f}" in told(why)


@pytest.mark.parametrize("asked", ["budget plan", "预算方案"])
def test_by_the_budget(engine: Engine, asked: str) -> None:
    engine.remember(asked, id="small")
    engine.remember(f"{asked} " + "and much more 还有许多 " * 20, id="it")
    why = engine.why_not("it", asked, preset="ranks", budget=20)
    assert (why.outcome, why.stage) == ("dropped", "budget")
    assert "tokens do not fit in the" in why.reason


@BOTH
def test_by_saying_the_same(engine: Engine, text: str, question: str) -> None:
    engine.remember(text, id="first")
    engine.remember(f"{text} ", id="it", kind="other")
    why = engine.why_not("it", question, preset="ranks")
    assert (why.outcome, why.stage) == ("dropped", "deduplicate")
    assert why.reason.startswith("says the same as first")
    assert why.needed is None  # its score was no reason


def test_beyond_the_five_nearest(engine: Engine, clock: FakeClock) -> None:
    engine.remember("far away, 很远", id="it")
    for n in range(6):
        engine.remember(f"budget 预算 {'xyzuvw'[n]}")
    add_steps(engine, 10, now=clock.now)
    why = engine.why_not("it", "budget 预算", preset="workflow")
    assert (why.outcome, why.stage) == ("dropped", "nearest")
    assert "beyond the 5 nearest" in why.reason and "the last has" in why.reason
    assert {one.channel for one in why.searches} == {"meaning", "hot", "words"}
    assert not search(why, "hot").got_in
    assert "hot: not in its list" in told(why)


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
    why = engine.why_not("it", asked, preset="notebook", limit=3)
    assert (why.outcome, why.stage) == ("dropped", "timeline_path")
    assert why.reason == "others of that time left no room for it"


@BOTH
def test_an_embedder_that_fails_or_hangs(
    tmp_path: Path, engine: Engine, letters: Letters, text: str, question: str
) -> None:
    engine.remember(text)
    engine.remember("the lake 湖", id="it")
    letters.fails = True
    why = engine.why_not("it", question, preset="skill")
    assert why.outcome == "not_found" and why.status == Status.DEGRADED
    assert "on holiday" in search(why, "meaning").note

    hung = Hung()
    with Engine(tmp_path / "hung.db", embedder=hung, settings=Settings()) as other:
        other.remember(text)
        other.remember("the lake 湖", id="it")
        why = other.why_not("it", question, preset="skill", deadline=0.2)
        hung.released.set()
    assert "search_meaning was not done within 0.2 s" in search(why, "meaning").note


@pytest.mark.parametrize(
    ("filler", "asked"),
    [("nothing much happens here. ", "escrow notary"), ("没什么事。", "托管账户")],
)
def test_a_long_memory_with_many_passages(engine: Engine, filler: str, asked: str) -> None:
    long = "\n\n".join(filler * (900 // len(filler)) for _ in range(70)) + f"\n\n{asked}."
    receipt = engine.remember(long, id="it")
    assert receipt.passages > 64
    why = engine.why_not("it", asked, preset="ranks")
    assert (why.outcome, why.rank) == ("hit", 1)
    assert "another passage" not in told(why)
    engine.remember(long.removesuffix(f"{asked}."), id="other", kind="filler")
    engine.remember_many([{"text": f"{asked} {n}"} for n in range(60)])
    why = engine.why_not("other", asked, preset="ranks")
    assert why.outcome == "not_found"
    rank = search(why, "meaning").rank
    assert rank is not None and rank > 60  # its best passage, behind all that name it
    assert search(why, "words").lacks


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


@pytest.mark.parametrize(
    ("text", "question", "holds", "lacks"),
    [
        ("预算会议改到周五", "预算会议什么时候开", ("预算会议",), ("开",)),
        ("北京的冬天", "小美什么时候去北京？", ("北京",), ("小美", "去")),
        ("The committees met", "Which databases did the committee choose?",
         ("committee",), ("databases", "choose")),
        ("err conn 预算", "ERR_CONN_1042 的预算", ("err", "conn", "预算"), ("ERR_CONN_1042",)),
    ],
)  # fmt: skip
def test_words_are_shown_as_people_write_them(
    tmp_path: Path, text: str, question: str, holds: tuple[str, ...], lacks: tuple[str, ...]
) -> None:
    with Engine(tmp_path / "m.db", embedder="none", settings=Settings()) as engine:
        engine.remember(text, id="it")
        words = search(engine.why_not("it", question, preset="ranks"), "words")
        assert (words.holds, words.lacks) == (holds, lacks)


@pytest.mark.parametrize("question", ["what is the", "的 是 吗"])
def test_a_question_that_names_nothing(engine: Engine, question: str) -> None:
    engine.remember("what is the plan 是的", id="it")
    why = engine.why_not("it", question, preset="ranks")
    assert why.outcome == "not_found"
    assert "words: the question holds no word to search for" in why.reason
