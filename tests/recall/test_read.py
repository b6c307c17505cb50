"""The stage: what a reader adds to the relevance, and the answer as it was whenever it cannot."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import exp
from pathlib import Path

import pytest
from pytest import approx

from bethink import Engine
from bethink.errors import RerankerError
from bethink.recall.budget import Budget
from bethink.recall.draft import Deadline, Draft
from bethink.recall.fuse import ReciprocalRanks
from bethink.recall.hydrate import Hydrate
from bethink.recall.presets import Preset
from bethink.recall.read import PART, Read
from bethink.recall.relevance import Calibration, log_odds_of, probability, readers
from bethink.recall.search_words import SearchWords
from bethink.recall.side_by_side import SideBySide
from bethink.rerankers.protocol import Reranker
from bethink.settings import Settings
from bethink.vocabulary import Candidate, Status
from tests.embedders.serving import Reply, Request, serving
from tests.recall.kits import candidate, draft, kit
from tests.rerankers.tiny_model import make

PRESET = Preset(
    "own", (SideBySide((SearchWords(),)), ReciprocalRanks(), Hydrate(), Read(), Budget())
)


class Fixed:
    """A reranker that a user could have written."""

    name = "fixed"

    def __init__(self, *scores: float) -> None:
        self.scores = scores
        self.asked: list[tuple[str, list[str]]] = []

    def score(self, question: str, texts: Sequence[str], *, seconds: float) -> Sequence[float]:
        self.asked.append((question, list(texts)))
        return self.scores


class Broken(Fixed):
    def score(self, question: str, texts: Sequence[str], *, seconds: float) -> Sequence[float]:
        raise ConnectionError("the line went dead")


class Hung(Fixed):
    def __init__(self) -> None:
        super().__init__()
        self.released = threading.Event()

    def score(self, question: str, texts: Sequence[str], *, seconds: float) -> Sequence[float]:
        self.released.wait(30)
        return [0.0] * len(texts)


@pytest.fixture
def hung() -> Iterator[Hung]:
    one = Hung()
    yield one
    one.released.set()


FOUND = [
    candidate("A", "The invoice is due", score=1.0),
    candidate("B", "深色主题", score=0.8),
    candidate("C", "dark mode", score=0.6),
    candidate("D", "lunch 午饭", score=0.5),
]


def rerank(
    reranker: Reranker | Callable[[], Reranker] | None, *, first: int = 20, deadline: float = 5.0
) -> Draft:
    get = reranker if callable(reranker) else lambda: reranker
    return Read(first)(draft(FOUND), kit(deadline=deadline)._replace(reranker=get))


def order(after: Draft) -> list[str]:
    return [c.memory_id for c in after.candidates]


def test_the_reranker_decides() -> None:
    one = Fixed(0.1, 0.9, 0.7, 0.2)
    after = rerank(one)
    assert order(after) == ["B", "C", "D", "A"]
    assert [c.score for c in after.candidates] == approx([0.9, 0.7, 0.2, 0.1])
    assert after.candidates[0].parts == approx({"reader": 0.9})
    assert after.candidates[0].channels == FOUND[1].channels
    assert one.asked == [("?", [c.text for c in FOUND])]
    assert after.notes == ("fixed read 4 of 4",)
    assert after.faults == ()


def test_only_the_first_few_are_read_and_the_rest_stays_below() -> None:
    one = Fixed(0.1, 0.3)
    after = rerank(one, first=2)
    assert order(after) == ["B", "A", "C", "D"]
    assert [c.score for c in after.candidates] == approx([0.3, 0.1, 0.1, 0.1 * 0.5 / 0.6])
    assert len(one.asked[0][1]) == 2


def test_logits_become_0_to_1_and_keep_their_order() -> None:
    after = rerank(Fixed(-2.0, 0.5, 900.0, 800.0))
    assert order(after) == ["C", "D", "B", "A"]
    assert [c.score for c in after.candidates] == approx(
        [1, 1, 1 / (1 + exp(-0.5)), 1 / (1 + exp(2))]
    )


def test_equals_keep_the_order_as_found() -> None:
    assert order(rerank(Fixed(0.5, 0.5, 0.5, 0.5))) == ["A", "B", "C", "D"]


def test_none_is_set() -> None:
    after = rerank(None)
    assert after == draft(FOUND)


def fails_to_load() -> Reranker:
    raise RerankerError("the model is not here; fetch it")


@pytest.mark.parametrize(
    ("reranker", "says"),
    [
        (Broken(), "fixed failed: ConnectionError: the line went dead"),
        (Fixed(0.1), "fixed gave 1 scores for 4 texts"),
        (Fixed(0.1, 0.2, float("nan"), 0.3), "fixed gave a score that is NaN or infinite"),
        (fails_to_load, "the model is not here; fetch it"),
    ],
)
def test_a_failure_keeps_the_order_and_is_noted(
    reranker: Reranker | Callable[[], Reranker], says: str
) -> None:
    after = rerank(reranker)
    assert after.candidates == tuple(FOUND)
    (fault,) = after.faults
    assert fault.status is Status.DEGRADED
    assert fault.reason == f"not read again, the order is as found: {says}"


def test_one_that_hangs_is_left_when_the_time_is_up(hung: Hung) -> None:
    after = rerank(hung, deadline=0.1)
    assert after.candidates == tuple(FOUND)
    assert after.faults[0].status is Status.DEGRADED
    assert "fixed was not done within" in after.faults[0].reason
    assert "give a longer deadline or a faster reranker" in after.faults[0].reason


def test_no_time_is_left_at_all() -> None:
    one = Fixed(0.1, 0.2, 0.3, 0.4)
    late = kit()._replace(reranker=lambda: one, deadline=Deadline(0.0))
    after = Read()(draft(FOUND), late)
    assert after.candidates == tuple(FOUND)
    assert "no time was left for fixed; give a longer deadline" in after.faults[0].reason
    assert one.asked == []


def test_one_candidate_needs_no_reranker() -> None:
    before = draft(FOUND[:1])
    assert Read()(before, kit()._replace(reranker=fails_to_load)) is before


# On a relevance that was judged before

JUDGED = [
    one._replace(relevance=probability(odds), score=probability(odds), evidence={"base": odds})
    for one, odds in zip(FOUND, (1.0, 0.5, 0.0, -3.0), strict=True)
]


class InOrder(Fixed):
    """One that stops when its time is up, and reads English only if told so."""

    def __init__(self, *logits: float, name: str = "in order", english: bool = False) -> None:
        super().__init__(*logits)
        self.name = name
        self.english_only = english

    def read(self, question: str, texts: Sequence[str], *, seconds: float) -> Sequence[float]:
        self.asked.append((question, list(texts)))
        return self.scores[: len(texts)]


def read(reader: Reranker, found: Sequence[Candidate] = JUDGED, question: str = "?") -> Draft:
    before = draft(found)
    before = before._replace(query=replace(before.query, text=question))
    return Read()(before, kit()._replace(reranker=lambda: reader))


def test_an_unmeasured_reader_has_half_of_the_say() -> None:
    after = read(Fixed(0.5, probability(4.0), 0.5, 0.5))
    assert order(after) == ["B", "A", "C", "D"]
    first = after.candidates[0]
    assert first.relevance == first.score == approx(probability(0.5 * 0.5 + 0.5 * 4.0))
    assert first.evidence == approx({"base": 0.5, PART: 1.75})
    for one in after.candidates:
        assert one.relevance == approx(probability(sum(one.evidence.values())))
    assert after.read_by == ""


def test_a_measured_reader_has_its_own_weights_and_marks() -> None:
    known: Calibration = readers()["reader-en"]
    after = read(InOrder(-8.0, -8.0, 8.0, -8.0, name="reader-en"))
    assert order(after)[0] == "C"
    for one, logit in zip(JUDGED, (-8.0, -8.0, 8.0, -8.0), strict=True):
        now = next(c for c in after.candidates if c.key == one.key)
        odds = known.log_odds(sum(one.evidence.values()), logit, 8.0, -8.0)
        assert now.relevance == approx(probability(odds))
        assert log_odds_of(now.relevance or 0) == approx(sum(now.evidence.values()))
    assert after.read_by == "reader-en"


def test_what_was_not_read_in_time_keeps_its_relevance() -> None:
    after = read(InOrder(-3.0, -3.0))
    assert order(after) == ["C", "A", "B", "D"]
    kept = {c.memory_id: c for c in after.candidates}
    assert (kept["C"], kept["D"]) == (
        JUDGED[2]._replace(parts={"relevance": JUDGED[2].score}),
        JUDGED[3]._replace(parts={"relevance": JUDGED[3].score}),
    )
    assert after.notes == ("in order read 2 of 4; the time was up before 2 more",)
    assert after.faults == ()


def test_english_alone() -> None:
    one = InOrder(5.0, 5.0, 5.0, 5.0, english=True)
    after = read(one, question="which theme?")
    assert one.asked == [("which theme?", ["The invoice is due", "dark mode", "lunch 午饭"])]
    kept = next(c for c in after.candidates if c.memory_id == "B")
    assert kept.relevance == JUDGED[1].relevance
    one.asked.clear()
    after = read(one, question="喜欢什么主题？")
    assert one.asked == []
    assert after.candidates == tuple(JUDGED)
    assert after.notes == ("in order read nothing: it reads English only",)


def test_nothing_is_read_where_the_best_is_clear() -> None:
    clear = JUDGED[0]._replace(relevance=probability(4.0), evidence={"base": 4.0})
    one = InOrder(-9.0, 9.0, 9.0, 9.0)
    after = read(one, [clear, *JUDGED[1:]])
    assert one.asked == []
    assert after.candidates == (clear, *JUDGED[1:])
    read(one, [clear, clear._replace(memory_id="E")])
    assert len(one.asked) == 1


# Through the engine

TOLD = [
    "dark dark dark dark: the cellar is dark 地下室很暗",
    "Mei likes dark mode as a theme 小美喜欢深色主题",
]
QUESTION = "does Mei like a dark theme? 小美喜欢什么主题"


def recalled(
    engine: Engine, *, deadline: float = 5.0, preset: Preset = PRESET
) -> tuple[list[str], Status, str]:
    answer = engine.recall(QUESTION, preset=preset, deadline=deadline)
    return [hit.text for hit in answer.hits], answer.status, " ".join(answer.reasons)


def test_an_object_of_your_own() -> None:
    class Longest(Fixed):
        def score(self, question: str, texts: Sequence[str], *, seconds: float) -> list[float]:
            return [float(len(text)) for text in texts]

    with Engine.in_memory(embedder="none", reranker=Longest()) as engine:
        engine.remember_many([{"text": text} for text in TOLD])
        texts, status, _ = recalled(engine)
        assert (texts, status) == (sorted(TOLD, key=len, reverse=True), Status.ANSWERED)


def test_a_server_by_the_settings() -> None:
    def answer(request: Request) -> Reply:
        asked = request.json
        assert asked["model"] == "m"
        rows = [
            {"index": n, "relevance_score": 0.9 if "cellar" in text else 0.2}
            for n, text in enumerate(asked["documents"])
        ]
        return Reply(body=json.dumps({"results": rows}).encode())

    with serving(answer) as address:
        settings = Settings(embedder="none", reranker="http:m", reranker_endpoint=address)
        with Engine.in_memory(settings=settings) as engine:
            engine.remember_many([{"text": text} for text in TOLD])
            assert recalled(engine)[:2] == (TOLD, Status.ANSWERED)


def test_a_server_that_hangs_or_fails_never_fails_a_recall() -> None:
    released = threading.Event()

    def answer(request: Request) -> Reply:
        if request.path.startswith("/slow"):
            released.wait(30)
        return Reply(500, b"broken", {"retry-after": "0"})

    with serving(answer) as address:
        for path, says in (("", "it answered 500: broken"), ("/slow", "")):
            settings = Settings(
                embedder="none", reranker="http:m", reranker_endpoint=address + path
            )
            with Engine.in_memory(settings=settings) as engine:
                engine.remember_many([{"text": text} for text in TOLD])
                texts, status, reason = recalled(engine, deadline=1.0)
                assert texts == TOLD[::-1]
                assert status is Status.DEGRADED
                assert "not read again, the order is as found" in reason
                assert says in reason
        released.set()


def test_a_model_by_the_settings(tmp_path: Path) -> None:
    folder = make(tmp_path / "模型", " ".join([*TOLD, QUESTION]))
    settings = Settings(embedder="none", reranker=f"onnx:{folder}")
    with Engine.in_memory(settings=settings) as engine:
        engine.remember_many([{"text": text} for text in TOLD])
        assert recalled(engine, deadline=60)[:2] == (TOLD[::-1], Status.ANSWERED)
    missing = Settings(embedder="none", reranker=f"onnx:{tmp_path / 'nowhere'}")
    with Engine.in_memory(settings=missing) as engine:
        engine.remember_many([{"text": text} for text in TOLD])
        texts, status, reason = recalled(engine)
        assert (texts, status) == (TOLD[::-1], Status.DEGRADED)
        assert "put a cross-encoder's model.onnx and tokenizer.json there" in reason


def test_a_name_that_nobody_knows() -> None:
    with Engine.in_memory(embedder="none", reranker="magic") as engine:
        engine.remember_many([{"text": text} for text in TOLD])
        _, status, reason = recalled(engine)
        assert status is Status.DEGRADED
        assert "hf:OWNER/NAME, http:MODEL, tei, onnx:DIRECTORY, auto or none" in reason
