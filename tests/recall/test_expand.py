"""Asking again in other words when little was found."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from bethink import Engine, Status
from bethink.errors import StoreError
from bethink.recall.draft import Draft
from bethink.recall.expand import Expand
from bethink.recall.fuse import ReciprocalRanks
from bethink.recall.search_meaning import SearchMeaning
from bethink.recall.search_words import SearchWords
from bethink.recall.side_by_side import SideBySide
from bethink.recall.thresholds import Thresholds
from bethink.settings import Settings
from bethink.stores.in_memory import InMemoryStore
from bethink.text.tokenise import MAX_QUERY_TERMS
from bethink.vocabulary import Found, Query
from tests.embedders_of_tests import Letters
from tests.engines_of_tests import STORES, engine_on
from tests.recall.asking_with_stages import ask, step
from tests.recall.kits import kit

STAGES = (SearchWords(), Expand(), ReciprocalRanks())


@pytest.fixture(params=STORES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    with engine_on(request.param, tmp_path, embedder="none") as made:
        yield made


def long_question(in_the_middle: str) -> str:
    """More words than a search asks for, and what is wanted far from both ends."""
    before = " ".join(f"filler{n}" for n in range(MAX_QUERY_TERMS))
    after = " ".join(f"more{n}" for n in range(MAX_QUERY_TERMS))
    return f"{before} {in_the_middle} {after}"


@pytest.mark.parametrize(
    ("text", "question", "kind"),
    [
        ("我家有一只猫", "猫呢？", "no question words"),
        ("她养了一只小黑猫", "谁养猫？", "something between"),
        ("他們見過一面", "什么时候见面的？", "something between"),
        ("他 upgrade 之后吃了药", "谁吃药呢", "something between"),
        ("The plan is called Bluebird", long_question('what is "Bluebird"?'), "quoted"),
        ("计划叫做青鸟", long_question("“青鸟”是什么"), "quoted"),
        ("deploy 失败了要回滚", long_question("「deploy 失败」 了 怎么办"), "quoted"),
    ],
)
def test_what_the_first_pass_missed(engine: Engine, text: str, question: str, kind: str) -> None:
    engine.remember("lunch at noon 中午开会")
    engine.remember(text, id="wanted")
    first = ask(engine, question, SearchWords(), ReciprocalRanks())
    assert first.status is Status.EMPTY
    answer = ask(engine, question, *STAGES)
    assert [hit.id for hit in answer.hits] == ["wanted"]
    assert set(answer.hits[0].channels) == {"words"}
    notes = step(answer, "expand").notes
    assert notes[0].startswith("only 0 found: ")
    assert any(note.startswith(kind) and note.endswith(": 1 more") for note in notes)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("预备的计算机", "预算是多少"),  # the characters of 预算, far apart or about something else
        ("决定明天去", "谁定的？"),
        ("it is what it is", "zebra, please?"),
    ],
)
def test_characters_by_chance_are_no_find(engine: Engine, text: str, question: str) -> None:
    engine.remember(text)
    answer = ask(engine, question, SearchWords(), Expand(), ReciprocalRanks())
    expected = Status.ANSWERED if question == "谁定的？" else Status.EMPTY
    assert answer.status is expected  # a question of one character asks for that character


def test_what_was_asked_already_is_not_asked_again(engine: Engine) -> None:
    engine.remember("Mei prefers dark mode")
    answer = ask(engine, "which mode does Mei prefer?", *STAGES)
    first, second = step(answer, "expand").notes
    assert first == "only 1 found: 0 other ways to ask"
    assert second.startswith("nothing new in “mode does Mei prefer”, “mode Mei prefer”, ")
    assert second.endswith(": these words were asked for already")


def test_enough_is_enough(engine: Engine) -> None:
    for n in range(3):
        engine.remember(f"猫呢 {n}")
    engine.remember("一只猫", id="other")
    answer = ask(engine, "猫呢", *STAGES)
    assert (len(answer.hits), step(answer, "expand").notes) == (3, ())
    answer = ask(engine, "猫呢", SearchWords(), Expand(enough=4), ReciprocalRanks())
    assert [hit.id for hit in answer.hits][3:] == ["other"]


def test_what_is_added_stands_below_and_is_merged(engine: Engine) -> None:
    engine.remember("猫呢", id="first")
    engine.remember("一只猫", id="second")
    engine.remember("猫和猫", id="third")
    asked = SearchWords()(Draft(Query(text="猫呢")), kit(engine.store))
    after = Expand(weight=0.5)(asked, kit(engine.store))
    words = after.channels["words"]
    assert words[0].memory_id == "first"
    assert {f.memory_id for f in words[1:]} == {"second", "third"}
    assert len(words) == 3
    assert all(0 < f.score <= 0.5 * words[0].score for f in words[1:])
    scores = [f.score for f in words]
    assert scores == sorted(scores, reverse=True)


def test_meaning_counts_from_its_threshold_on() -> None:
    letters = Letters(dimension=4096)
    with Engine.in_memory(embedder=letters, settings=Settings()) as engine:
        for n in range(4):
            engine.remember(f"一只猫 {n}")
        both = (SideBySide((SearchMeaning(), SearchWords())), Expand(), ReciprocalRanks())
        options: Any = {"embedder": letters}
        # there is always something nearest
        assert step(ask(engine, "猫呢", *both, **options), "expand").notes
        assert step(ask(engine, "猫呢", *both, **options, meaning_threshold=0.9), "expand").notes
        assert not step(ask(engine, "一只猫", *both, **options), "expand").notes
        near = ask(engine, "一只 猫", *both, **options, meaning_threshold=-1.0)
        assert not step(near, "expand").notes


def test_the_thresholds_hold_for_what_is_added(engine: Engine) -> None:
    engine.remember("她养了一只猫", id="cat")
    stages = (SearchWords(), Expand(), Thresholds(), ReciprocalRanks())
    assert ask(engine, "谁养猫", *stages).status is Status.ANSWERED
    answer = ask(engine, "谁养猫", *stages, words_threshold=0.5)
    assert answer.status is Status.BELOW_FLOOR
    assert answer.nearest is not None


def test_spaces_and_filters_hold(engine: Engine) -> None:
    engine.remember("一只猫", id="here", kind="task")
    engine.remember("一只猫", id="there", space="other")
    engine.remember("两只猫", id="note")
    assert {hit.id for hit in ask(engine, "猫呢", *STAGES).hits} == {"here", "note"}
    answer = ask(engine, "猫呢", *STAGES, where={"kind": "task"})
    assert [hit.id for hit in answer.hits] == ["here"]


def test_nothing_to_do(engine: Engine) -> None:
    settled = Draft(Query(text="猫呢"), settled="a route has answered", channels={"words": ()})
    assert Expand()(settled, kit(engine.store)) is settled
    without_words = Draft(Query(text="猫呢", words=False), channels={"meaning": ()})
    assert Expand()(without_words, kit(engine.store)) is without_words


# At the same time, in time


class Counting(InMemoryStore):
    """Counts how many ask at once. Each waits until three are there, or a moment."""

    def __init__(self) -> None:
        super().__init__()
        self.asking = 0
        self.most = 0
        self.guard = threading.Lock()
        self.three = threading.Event()

    def search_words(self, terms: Sequence[str], **options: Any) -> list[Found]:
        with self.guard:
            self.asking += 1
            self.most = max(self.most, self.asking)
            if self.asking >= 3:
                self.three.set()
        self.three.wait(0.2)
        try:
            return super().search_words(terms, **options)
        finally:
            with self.guard:
                self.asking -= 1


MANY = long_question('"eins zwei" "drei vier", 五六七八? 一二三四; one two three')


def test_three_at_a_time() -> None:
    store = Counting()
    asked = Draft(Query(text=MANY), channels={"words": ()})
    after = Expand()(asked, kit(store))
    assert store.most == 3
    assert sum(note.endswith(": 0 more") for note in after.notes) > 3
    assert store.asking == 0


def test_no_time_left() -> None:
    asked = Draft(Query(text=MANY), channels={"words": ()})
    after = Expand()(asked, kit(InMemoryStore(), deadline=0.0))
    (fault,) = after.faults
    assert fault.status is Status.DEGRADED
    assert fault.reason.startswith("expand: no time was left for ")


class Slow(InMemoryStore):
    """Answers in the thread that asks, and elsewhere not before it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.home = threading.get_ident()
        self.released = threading.Event()
        self.entered = threading.Semaphore(0)

    def search_words(self, terms: Sequence[str], **options: Any) -> list[Found]:
        if threading.get_ident() != self.home:
            self.entered.release()
            self.released.wait(30)
        else:  # the others have begun
            assert self.entered.acquire(timeout=5)
        return super().search_words(terms, **options)


def test_one_that_is_late_is_left_out() -> None:
    store = Slow()
    asked = Draft(Query(text=MANY, deadline=0.3), channels={"words": ()})
    after = Expand(at_once=2)(asked, kit(store, deadline=0.3))
    assert after.faults[0].status is Status.DEGRADED
    assert "was not done within 0.3 s and was left out" in after.faults[0].reason
    store.released.set()


def test_busy_threads_do_not_hold_it_up() -> None:
    tools = kit(InMemoryStore())
    gate = threading.Event()
    started = threading.Semaphore(0)

    def wait() -> bool:
        started.release()
        return gate.wait(30)

    busy = [tools.pool().submit(wait) for _ in range(2)]  # all there are
    assert started.acquire(timeout=5) and started.acquire(timeout=5)
    after = Expand()(Draft(Query(text=MANY), channels={"words": ()}), tools)
    assert after.faults == ()
    assert sum(note.endswith(": 0 more") for note in after.notes) > 3
    gate.set()
    assert all(future.result(5) for future in busy)


class Broken(InMemoryStore):
    def search_words(self, terms: Sequence[str], **options: Any) -> list[Found]:
        raise StoreError("the words are gone; run 'bethink reindex'")


def test_a_failing_second_pass_keeps_the_first() -> None:
    asked = Draft(Query(text="猫呢"), channels={"words": (Found("A", 0, 1.0),)})
    after = Expand()(asked, kit(Broken()))
    assert after.channels["words"] == asked.channels["words"]
    assert after.faults[0].status is Status.DEGRADED
    assert "expand: “猫” failed: the store cannot do its work now" in after.faults[0].reason


@pytest.mark.parametrize(
    ("question", "shown"), [("谁养猫？", "养…猫"), ("什么时候见面的？", "见…面")]
)
def test_what_is_asked_is_shown_in_words(engine: Engine, question: str, shown: str) -> None:
    engine.remember("他養了一只貓，见过一面")
    notes = step(ask(engine, question, *STAGES), "expand").notes
    assert f"something between “{shown}”: 1 more" in notes
