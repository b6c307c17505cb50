"""Searches at the same time: late, failing, switched off."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future

import pytest

from bethink import Engine, Status
from bethink.embedders.protocol import Kind
from bethink.errors import EmbedderError, StoreError
from bethink.recall.budget import Budget
from bethink.recall.draft import Draft, Kit
from bethink.recall.fuse import ReciprocalRanks
from bethink.recall.hydrate import Hydrate
from bethink.recall.presets import Preset
from bethink.recall.search_hot import SearchHot
from bethink.recall.search_words import SearchWords
from bethink.recall.side_by_side import SideBySide
from bethink.recall.workers import Workers
from bethink.settings import Settings
from bethink.stores.in_memory import InMemoryStore
from bethink.testing import run_at_once
from bethink.vocabulary import Found, Passage, Vectors
from tests.embedders_of_tests import Hung, Letters
from tests.recall.kits import memory


@pytest.mark.parametrize(
    ("text", "question"), [("Mei prefers dark mode", "dark"), ("小美喜欢深色主题", "深色")]
)
def test_a_hung_embedder_does_not_hold_up_the_words(text: str, question: str) -> None:
    hung = Hung()
    with Engine.in_memory(embedder=hung) as engine:
        engine.remember(text)
        start = time.monotonic()
        answer = engine.recall(question, deadline=0.2)
        assert 0.15 < time.monotonic() - start < 1.5
        assert [hit.text for hit in answer.hits] == [text]
        assert answer.status is Status.DEGRADED
        assert answer.reasons == ("search_meaning was not done within 0.2 s and was left out",)
        assert set(answer.hits[0].channels) == {"words"}
        hung.released.set()
        assert engine.recall(question).status is Status.ANSWERED


def test_many_hung_questions_are_all_answered_in_time() -> None:
    hung = Hung()
    with Engine.in_memory(embedder=hung) as engine:
        engine.remember("Mei prefers dark mode")
        for _ in range(8):
            start = time.monotonic()
            answer = engine.recall("dark", deadline=0.05)
            assert time.monotonic() - start < 1
            assert answer.status is Status.DEGRADED
            assert len(answer.hits) == 1
        hung.released.set()


class Together(Letters):
    """An embedder elsewhere, which answers nobody before so many have asked."""

    def __init__(self, many: int) -> None:
        super().__init__("together")
        self._all = threading.Barrier(many)

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        if kind == "query":
            self._all.wait(60)
        return super().embed(texts, kind=kind)


def test_many_wait_for_an_embedder_at_the_same_time() -> None:
    with Engine.in_memory(embedder=Together(16), settings=Settings(deadline=60)) as engine:
        engine.remember("Mei prefers dark mode. 小美喜欢深色主题。")
        asked = [f"小美 theme {number}" for number in range(16)]
        answers = run_at_once(engine.recall, asked)
    assert {answer.status for answer in answers} <= {Status.ANSWERED, Status.UNCERTAIN}
    assert all("meaning" in answer.hits[0].channels for answer in answers)


def test_closing_while_a_search_hangs() -> None:
    hung = Hung()
    engine = Engine.in_memory(embedder=hung)
    engine.remember("Mei prefers dark mode")
    engine.recall("dark", deadline=0.05)
    engine.close()
    hung.released.set()
    time.sleep(0.05)  # the late search comes back to a closed engine and harms nobody


HANGS_FOREVER = """
import threading
from bethink import Engine
from tests.embedders_of_tests import Hung
hung = Hung()
engine = Engine.in_memory(embedder=hung)
engine.remember("dark mode")
print(engine.recall("dark", deadline=0.1).status, flush=True)
engine.close()
"""


def test_a_hung_embedder_does_not_hold_up_the_process() -> None:
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", HANGS_FOREVER],
        capture_output=True, text=True, timeout=20, check=True, cwd=_root(),
    )  # fmt: skip
    assert done.stdout.strip() == "degraded"
    assert time.monotonic() - start < 10  # the embedder would hang for 30 s


def _root() -> str:
    from pathlib import Path

    return str(Path(__file__).parents[2])


def test_an_embedder_that_raises() -> None:
    letters = Letters()
    with Engine.in_memory(embedder=letters) as engine:
        engine.remember("Mei prefers dark mode")
        letters.fails = True
        answer = engine.recall("dark")
        assert answer.status is Status.DEGRADED
        assert "letters failed: ConnectionError: the model is on holiday" in answer.reasons[0]
        assert len(answer.hits) == 1


@pytest.mark.parametrize("embedder", ["none", "hashing"])
def test_both_off(embedder: str) -> None:
    with Engine.in_memory(embedder=embedder) as engine:
        engine.remember("Mei prefers dark mode")
        answer = engine.recall("dark", words=False, meaning=False)
        assert answer.status is Status.DISABLED
        assert answer.reasons == ("both words and meaning are switched off",)
        assert answer.hits == ()


def test_words_off_and_no_embedder() -> None:
    with Engine.in_memory(embedder="none") as engine:
        engine.remember("Mei prefers dark mode")
        answer = engine.recall("dark", words=False)
        assert answer.status is Status.DISABLED
        assert "no embedder is set; switch one on" in answer.reasons[0]


def test_one_off() -> None:
    with Engine.in_memory(embedder=Letters()) as engine:
        engine.remember("小美喜欢深色主题")
        by_words = engine.recall("深色", meaning=False)
        by_meaning = engine.recall("深色", words=False)
        assert set(by_words.hits[0].channels) == {"words"}
        assert set(by_meaning.hits[0].channels) == {"meaning"}
        assert by_words.status is by_meaning.status is Status.ANSWERED


class LosesWords(InMemoryStore):
    """A store of somebody's own whose words index is broken."""

    def search_words(self, *args: object, **options: object) -> list[Found]:
        raise StoreError("the words are gone; run 'bethink reindex'")


def test_broken_words_leave_the_meaning(caplog: pytest.LogCaptureFixture) -> None:
    letters = Letters()
    with Engine(LosesWords(), embedder=letters) as engine:
        engine.remember("Mei prefers dark mode")
        answer = engine.recall("dark")
        assert answer.status is Status.DEGRADED
        assert answer.reasons == (
            "search_words failed: the store cannot do its work now; the log says why",
        )
        assert "the words are gone; run 'bethink reindex'" in caplog.text
        assert set(answer.hits[0].channels) == {"meaning"}
        letters.fails = True
        assert engine.recall("dark").status is Status.DEGRADED  # its vector is known
        answer = engine.recall("dark mode")
        assert answer.status is Status.UNAVAILABLE
        assert len(answer.reasons) == 3
        assert answer.reasons[-1] == "no channel could answer"


# The threads themselves


def test_workers_do_the_work_and_hand_on_errors() -> None:
    workers = Workers(2)
    assert [workers.submit(pow, 2, n).result(5) for n in range(20)] == [2**n for n in range(20)]

    def fail() -> None:
        raise EmbedderError("no")

    with pytest.raises(EmbedderError):
        workers.submit(fail).result(5)
    workers.shutdown()
    with pytest.raises(RuntimeError):
        workers.submit(fail)


def test_workers_are_few_and_cancelled_work_is_not_done() -> None:
    workers = Workers(2)
    gate = threading.Event()
    started = threading.Semaphore(0)

    def wait() -> bool:
        started.release()
        return gate.wait(10)

    futures = [workers.submit(wait) for _ in range(6)]
    assert started.acquire(timeout=5) and started.acquire(timeout=5)
    assert not started.acquire(timeout=0.1)
    assert futures[-1].cancel()
    gate.set()
    assert all(future.result(5) for future in futures[:-1])
    workers.shutdown(wait=True)


class _Apart:
    """A search that waits for strangers; it says on which thread it ran."""

    name = "search_apart"

    def __init__(self) -> None:
        self.threads: list[str] = []
        self._workers = Workers(1)

    def start(self, draft: Draft, kit: Kit) -> Future[Draft]:
        return self._workers.submit(self, draft, kit)

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        self.threads.append(threading.current_thread().name)
        found = memory("far", "远方的消息 news from afar")
        passages = {("far", 0): (found, Passage(0, 0, len(found.text)))}
        draft = draft.with_channel("apart", (Found("far", 0, 1.0),))
        return draft._replace(working={**passages})


@pytest.mark.parametrize("meaning", [True, False])
@pytest.mark.parametrize("first", [True, False])
def test_who_waits_for_strangers_never_runs_here(meaning: bool, first: bool) -> None:
    """Wherever it stands, and where nothing else needs a thread."""
    apart = _Apart()
    beside = (SearchWords(),)
    stages = (apart, *beside) if first else (*beside, apart)
    preset = Preset("two", (SideBySide(stages), ReciprocalRanks(), Hydrate(), Budget()))
    with Engine.in_memory(embedder=Letters()) as engine:
        engine.remember("近处的消息 news from here")
        answer = engine.recall("消息 news", preset=preset, meaning=meaning, unverified_share=1)
    assert {hit.text[:2] for hit in answer.hits} == {"近处", "远方"}
    assert apart.threads == ["bethink-worker"]


def test_alone_it_runs_apart_too() -> None:
    apart = _Apart()
    preset = Preset("one", (SideBySide((apart,)), ReciprocalRanks(), Hydrate(), Budget()))
    with Engine.in_memory(embedder="none") as engine:
        engine.remember("x")
        assert [hit.id for hit in engine.recall("消息", preset=preset).hits] == ["far"]
    assert apart.threads == ["bethink-worker"]


def test_what_no_store_finds_is_joined_from_every_search() -> None:
    """Working memory and strangers: neither takes the other's place."""
    preset = Preset(
        "three",
        (
            SideBySide((_Apart(), SearchHot(), SearchWords())),
            ReciprocalRanks(),
            Hydrate(),
            Budget(),
        ),
    )
    with Engine.in_memory(embedder="none") as engine:
        engine.remember("x")
        engine.offer("刚刚听到的消息：会议改到周五下午三点，地点不变。 " * 3)
        answer = engine.recall("消息", preset=preset, unverified_share=1)
    assert {"hot", "apart"} <= {name for hit in answer.hits for name in hit.channels}
