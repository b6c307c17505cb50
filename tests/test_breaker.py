"""Whatever a part elsewhere does wrong, three questions find it out, and no others wait for it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

import pytest

from bethink import Engine, Status
from bethink.breaker import FAILURES, Breaker
from bethink.recall import Budget, Hydrate, Plan, Preset, ReciprocalRanks, SearchWords, SideBySide
from bethink.settings import Settings
from tests.doors.http.served import until
from tests.servers.http_server import Reply, Request, serving

TEXTS = ("Mei prefers dark mode in the editor", "小美喜欢编辑器的深色主题")
PLANNED = Preset(
    "planned",
    (Plan(use_llm=True), SideBySide((SearchWords(),)), ReciprocalRanks(), Hydrate(), Budget()),
)
MORE = 0.05  # seconds that a recall may cost beside what it costs by words alone
_fresh = count()


def as_embedder(request: Request) -> bytes:
    rows = [
        {"index": at, "embedding": [1, len(text) % 7 / 7]}
        for at, text in enumerate(request.json["input"])
    ]
    return json.dumps({"data": rows}).encode()


def as_llm(request: Request) -> bytes:
    told = json.dumps({"rewritten": "dark mode 深色主题", "keywords": ["dark mode", "深色主题"]})
    return json.dumps({"choices": [{"message": {"content": told}}]}).encode()


def as_reranker(request: Request) -> bytes:
    asked = request.json["documents"]
    rows = [{"index": at, "relevance_score": 0.9 - at / 10} for at in range(len(asked))]
    return json.dumps({"results": rows}).encode()


PARTS: dict[str, Callable[[Request], bytes]] = {
    "embedder": as_embedder,
    "llm": as_llm,
    "reranker": as_reranker,
}


class Reset(Exception):
    """The server hangs up without an answer."""


def answers_500() -> Reply:
    return Reply(500, b"it broke")


def resets() -> Reply:
    raise Reset


def no_json() -> Reply:
    return Reply(200, b"<html>captive portal</html>")


def rubbish() -> Reply:
    return Reply(200, json.dumps({"data": [{"embedding": ["x"]}], "results": [{}]}).encode())


FAULTS: dict[str, Callable[[], Reply]] = {
    "500": answers_500,
    "a reset": resets,
    "no JSON": no_json,
    "rubbish": rubbish,
}


class Elsewhere:
    """A server that does its work until it has a fault."""

    def __init__(self, part: str) -> None:
        self._part = part
        self.fault: Callable[[], Reply] | None = None
        self.asked = 0

    def answer(self, request: Request) -> Reply:
        self.asked += 1
        return Reply(200, PARTS[self._part](request)) if self.fault is None else self.fault()

    @contextmanager
    def engine(self) -> Iterator[Engine]:
        with serving(self.answer) as address:
            settings = {
                "embedder": Settings(
                    embedder="openai:m", endpoint=f"{address}/v1", endpoint_dimension=2
                ),
                "llm": Settings(embedder="none", llm="openai:m", llm_endpoint=f"{address}/v1"),
                "reranker": Settings(embedder="none", reranker="http:m", reranker_endpoint=address),
            }[self._part]
            with Engine.in_memory(settings=settings) as engine:
                engine.remember_many([{"text": text} for text in TEXTS])
                yield engine

    def recall(self, engine: Engine, *, words_alone: bool = False) -> Status:
        """Ask something new each time: no answer or vector is remembered."""
        question = f"dark mode 深色主题 {next(_fresh)}"
        meaning = not (words_alone and self._part == "embedder")
        preset = PLANNED if self._part == "llm" and not words_alone else "balanced"
        answer = engine.recall(question, preset=preset, floor=0.0, deadline=20, meaning=meaning)
        assert answer.hits, "words still answer"
        return answer.status

    def seconds(self, engine: Engine, *, words_alone: bool = False) -> float:
        """The fastest of some: others may be at work on this machine."""
        taken = []
        for _ in range(7):
            began = time.perf_counter()
            self.recall(engine, words_alone=words_alone)
            taken.append(time.perf_counter() - began)
        return min(taken)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("part", PARTS)
def test_what_fails_is_left_alone_until_it_answers(part: str, fault: str) -> None:
    far = Elsewhere(part)
    with far.engine() as engine:
        far.recall(engine)
        assert far.asked, "it is used while it works"
        assert not any("left alone" in note for note in engine.status().notes)

        far.fault = FAULTS[fault]
        for _ in range(FAILURES):
            assert far.recall(engine) is Status.DEGRADED
        assert [note for note in engine.status().notes if ":m is left alone until" in note]
        sent = far.asked
        assert far.recall(engine) is Status.DEGRADED
        assert far.asked == sent, "a question was sent to it"
        assert far.seconds(engine) <= far.seconds(engine, words_alone=True) + MORE

        far.fault = None
        until(lambda: far.recall(engine) is not Status.DEGRADED, seconds=60)
        assert not any("left alone" in note for note in engine.status().notes)


def test_the_pause_doubles_and_is_short_again_after_an_answer() -> None:
    now = 0.0
    breaker = Breaker("远处 far", first_pause=1.0, longest_pause=5.0, timer=lambda: now)
    assert [breaker.failed("5xx") for _ in range(4)] == [False, False, True, False]
    assert (breaker.why, breaker.pause) == ("5xx", 2.0)
    breaker.still_fails("still 5xx")
    breaker.still_fails("still 5xx")
    assert (breaker.why, breaker.pause) == ("still 5xx", 5.0)
    breaker.try_again()
    assert breaker.why == ""
    assert breaker.failed("again"), "one failure is enough after a try"
    breaker.answered()
    assert (breaker.why, breaker.last_why, breaker.pause) == ("", "", 1.0)
    assert breaker.failed("hung", hung=True)
