"""An embedder that does not answer keeps the first questions waiting, and no others."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import pytest

from bethink import Engine, Status
from bethink.embedders import waiting as module
from bethink.embedders.protocol import Kind
from bethink.embedders.waiting import HUNG_SECONDS, Waiting
from bethink.errors import EmbedderError
from bethink.settings import Settings
from bethink.testing import working
from bethink.vocabulary import Vectors
from tests.doors.http.served import until
from tests.embedders_of_tests import Hung, Letters
from tests.servers.http_server import Reply, Request, serving

QUESTIONS: list[Kind] = ["query"]


class Elsewhere(Letters):
    """Answers, fails or hangs, as it is told, by a clock of its own."""

    def __init__(self) -> None:
        super().__init__("elsewhere")
        self.now = 100.0
        self.asked = 0
        self.hangs = False
        self.rubbish: object = None
        self.let_go = threading.Event()
        self.waiting = Waiting(self, timer=lambda: self.now)

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        self.asked += 1
        if self.hangs:
            self.let_go.wait(60)
        if self.rubbish is not None:
            return cast(Vectors, self.rubbish)
        return super().embed(texts, kind=kind)

    def ask(self, kind: Kind = "query") -> bool:
        """Was it answered? Or was it left alone, or failed?"""
        try:
            return len(self.waiting.embed(["深色 dark"], kind=kind)) == 1
        except (EmbedderError, ConnectionError) as e:
            assert "left alone" in str(e) or "holiday" in str(e)
            return False


@pytest.fixture
def far() -> Iterator[Elsewhere]:
    far = Elsewhere()
    yield far
    far.let_go.set()


def test_it_is_asked_while_it_answers(far: Elsewhere) -> None:
    assert all(far.ask() for _ in range(5))
    assert far.asked == 5


def test_what_fails_at_once_is_left_alone_after_three_times(far: Elsewhere) -> None:
    far.fails = True
    assert not any(far.ask() for _ in range(9))
    assert far.asked == 3
    assert "holiday" in far.waiting.why
    far.now += 10
    assert not far.ask()  # and one is sent to see
    until(lambda: far.asked == 4)
    far.fails = False
    far.now += 60
    until(far.ask)
    assert far.waiting.why == ""


def test_failures_that_are_not_in_a_row_do_not_count(far: Elsewhere) -> None:
    for _ in range(5):
        far.fails = True
        assert not far.ask() and not far.ask("document")
        far.fails = False
        assert far.ask()


def test_tried_again_it_has_one_chance(far: Elsewhere) -> None:
    far.fails = True
    assert not any(far.ask() for _ in range(3))
    far.fails = False
    far.now += 10
    far.ask()
    until(lambda: far.waiting.why == "")
    far.fails, far.asked = True, 0
    assert not any(far.ask() for _ in range(5))
    assert far.asked == 1


@pytest.mark.parametrize("rubbish", [[[0.0, 0.0]], [[float("nan")]], "text", [[1.0]] * 3])
def test_rubbish_is_a_failure(far: Elsewhere, rubbish: object) -> None:
    far.rubbish = rubbish
    for _ in range(3):
        with pytest.raises(EmbedderError, match="gave"):
            far.waiting.embed(["深色"], kind="query")
    with pytest.raises(EmbedderError, match=r"left alone until it answers again: .*gave"):
        far.waiting.embed(["dark"], kind="query")
    assert far.asked == 3


def test_nobody_waits_beside_one_who_waits_in_vain(far: Elsewhere) -> None:
    far.hangs = True
    with working(far.ask, QUESTIONS * 3) as first:
        until(lambda: far.asked == 3)
        far.now += HUNG_SECONDS + 1
        with pytest.raises(EmbedderError, match="elsewhere has not answered for 6 seconds"):
            far.waiting.embed(["深色"], kind="query")
        assert not far.ask("document")
        assert far.asked == 3
        far.let_go.set()  # it was slow, and answers after all
    assert first.answers() == [True] * 3
    assert far.ask()


def test_it_is_not_hung_while_others_are_answered(far: Elsewhere) -> None:
    """A queue is long, and moves."""
    far.hangs = True
    with working(far.ask, QUESTIONS):
        until(lambda: far.asked == 1)
        far.hangs = False
        for _ in range(5):
            far.now += HUNG_SECONDS - 1
            assert far.ask()
        far.let_go.set()


def test_many_texts_may_take_long(far: Elsewhere) -> None:
    far.hangs = True
    texts: list[Kind] = ["document"]
    with working(far.ask, texts):
        until(lambda: far.asked == 1)
        far.now += 10 * HUNG_SECONDS
        far.hangs = False
        assert far.ask()
        far.let_go.set()


def test_texts_that_failed_slowly_are_not_sent_again(far: Elsewhere) -> None:
    far.hangs = far.fails = True
    texts: list[Kind] = ["document"]
    with working(far.ask, texts):
        until(lambda: far.asked == 1)
        far.now += HUNG_SECONDS + 1
        far.let_go.set()
    assert not far.ask("document")
    assert not far.ask("query")
    assert far.asked == 1


def fail_slowly(far: Elsewhere, kind: Kind) -> None:
    far.hangs = far.fails = True
    with working(far.ask, [kind]):
        until(lambda: far.asked == 1)
        far.now += HUNG_SECONDS + 1
        far.let_go.set()
    far.hangs = far.fails = False
    far.asked = 0


def test_a_text_that_fails_slowly_while_others_are_answered_says_nothing(far: Elsewhere) -> None:
    """There is something about this text; the embedder is there."""
    far.hangs = far.fails = True
    texts: list[Kind] = ["document"]
    with working(far.ask, texts):
        until(lambda: far.asked == 1)
        far.hangs = far.fails = False
        far.now += HUNG_SECONDS
        assert far.ask()
        far.now += 1
        far.fails = True
        far.let_go.set()
    far.fails = False
    assert far.ask()


def test_much_is_sent_whatever_happened_before(far: Elsewhere) -> None:
    """Else one that failed would leave the rest of an import without vectors, as fast as it can
    be read."""
    fail_slowly(far, "document")
    assert not far.ask("document")
    much = ["深色 dark"] * far.batch
    assert len(far.waiting.embed(much, kind="document")) == far.batch
    assert far.ask("document")  # and it is known to be back


def test_much_that_fails_slowly_says_nothing_of_the_rest(far: Elsewhere) -> None:
    far.hangs = far.fails = True

    def told(_: int) -> None:
        with pytest.raises(ConnectionError, match="holiday"):
            far.waiting.embed(["深色 dark"] * far.batch, kind="document")

    with working(told, [1]):
        until(lambda: far.asked == 1)
        far.now += HUNG_SECONDS + 1
        far.let_go.set()
    far.hangs = far.fails = False
    assert far.ask()


def test_who_wants_to_know_asks_it_and_then_all_know(far: Elsewhere) -> None:
    fail_slowly(far, "query")
    assert not far.ask()
    far.fails = True
    with pytest.raises(EmbedderError, match="holiday"):
        far.waiting.prove()
    assert not far.ask()
    far.fails = False
    far.waiting.prove()
    assert far.ask()


@pytest.mark.parametrize("force", [True, False])
def test_an_index_is_not_given_up_for_an_embedder_that_is_away(force: bool) -> None:
    """And one that was, and is back, makes it."""
    far = Elsewhere()
    with Engine.in_memory(embedder=far.waiting) as engine:
        engine.remember_many([{"text": f"事实 fact {n}"} for n in range(5)])
        far.asked = 0
        fail_slowly(far, "query")
        far.fails = True
        with pytest.raises(EmbedderError, match="holiday"):
            engine.reindex(force=force)
        assert engine.status().pending == 0
        far.fails = False
        assert not far.ask()  # as far as is known it is away
        assert engine.reindex(force=force) == (5 if force else 0)
        assert engine.recall("事实 3").status is Status.ANSWERED


def test_it_is_what_it_was(far: Elsewhere) -> None:
    around = Waiting.around(far)
    assert Waiting.around(around) is around
    kept = (around.name, around.fingerprint, around.dimension, around.batch, around.salt)
    assert kept == (far.name, far.fingerprint, far.dimension, far.batch, far.salt)
    assert not hasattr(around, "word_vectors")


def test_once_it_failed_slowly_one_at_a_time_is_sent_to_see(far: Elsewhere) -> None:
    far.hangs = far.fails = True
    with working(far.ask, QUESTIONS):
        until(lambda: far.asked == 1)
        far.now += HUNG_SECONDS + 1
        far.let_go.set()
    far.let_go.clear()
    assert not far.ask()  # at once
    assert far.asked == 1
    far.now += 10
    assert not any(far.ask() for _ in range(5))  # at once, while one is sent to see
    until(lambda: far.asked == 2)
    far.hangs = far.fails = False
    far.let_go.set()
    until(far.ask)


def test_sent_to_see_it_fails_at_once(far: Elsewhere) -> None:
    far.hangs = far.fails = True
    with working(far.ask, QUESTIONS):
        until(lambda: far.asked == 1)
        far.now += HUNG_SECONDS + 1
        far.let_go.set()
    far.now += 10
    assert not far.ask()
    until(lambda: far.asked == 2)
    far.now += 1
    assert not any(far.ask() for _ in range(5))  # it still fails: nobody else need find that out
    assert far.asked == 2


def test_words_answer_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HUNG_SECONDS", 0.2)
    hung = Hung()
    with Engine.in_memory(embedder=hung) as engine:
        engine.remember("Mei prefers dark mode. 小美喜欢深色主题。")
        assert engine.recall("dark mode", deadline=0.3).status is Status.DEGRADED
        for question in ("深色主题", "dark theme"):  # with all the time that there is
            answer = engine.recall(question, deadline=60)
            assert answer.status is Status.DEGRADED
            assert "has not answered for" in answer.reasons[0]
            assert answer.hits
        hung.released.set()
        until(lambda: engine.recall("小美喜欢深色主题吗").status is Status.ANSWERED)


def test_a_server_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HUNG_SECONDS", 0.2)
    let_go, hangs = threading.Event(), threading.Event()

    def answer(request: Request) -> Reply:
        if hangs.is_set():
            let_go.wait(60)
        rows = [{"index": at, "embedding": [1, 0.5]} for at in range(len(request.json["input"]))]
        return Reply(body=json.dumps({"data": rows}).encode())

    with serving(answer) as address:
        settings = Settings(
            store=str(tmp_path / "m.db"), embedder="openai:some", endpoint=f"{address}/v1",
            endpoint_dimension=2,
        )  # fmt: skip
        with Engine(settings=settings) as engine:
            engine.remember("Mei prefers dark mode. 小美喜欢深色主题。")
            assert engine.recall("深色").status is Status.ANSWERED
            hangs.set()
            engine.recall("主题", deadline=0.3)
            for number in range(5):
                answered = engine.recall(f"dark mode {number}", deadline=60)
                assert answered.status is Status.DEGRADED
                assert "has not answered for" in answered.reasons[0]  # and was not waited for
                assert answered.hits
            told = engine.remember("小美 drinks tea 喝茶")  # on disk at once, and not waited for
            assert (told.embedded, told.action) == (False, "created")
            assert "has not answered for" in told.notes[0]
            assert [hit.id for hit in engine.recall("喝茶").hits] == [told.id]
            hangs.clear()
            let_go.set()
            until(lambda: engine.recall("深色 mode").status is not Status.DEGRADED)
            engine.remember("and coffee 咖啡")
            # to this server all texts mean the same: it may be unsure, but nothing is missing
            whole = (Status.ANSWERED, Status.UNCERTAIN)
            until(lambda: engine.recall("tea and coffee").status in whole)
