"""It was found, and lost at a stage: at which, and by how much."""

from __future__ import annotations

import pytest
from pytest import approx

from bethink import Engine, Status
from bethink.testing import FakeClock
from tests.recall.why_not.asking import BOTH, search, told
from tests.recall.working import add_steps


@pytest.mark.parametrize("asked", ["budget plan", "预算方案"])
def test_by_a_threshold(engine: Engine, asked: str) -> None:
    engine.remember(asked)
    engine.remember(f"{asked} and a lake, 还有一个湖", id="it")
    why = engine.why_not("it", asked, preset="knowledge", meaning_threshold=0.95, floor=0)
    assert why.outcome == "hit"  # words still bring it
    why = engine.why_not(
        "it", asked, preset="knowledge", meaning_threshold=0.95, words=False, floor=0
    )
    assert (why.outcome, why.stage) == ("dropped", "thresholds")
    assert "below the least of 0.95" in why.reason
    assert search(why, "words").note == "words: switched off by the caller"


@pytest.mark.parametrize("asked", ["budget plan", "预算方案"])
def test_by_the_floor(engine: Engine, asked: str) -> None:
    engine.remember(asked)
    engine.remember("the lake and the hills 湖光山色", id="it")
    why = engine.why_not("it", asked, preset="skill")
    assert (why.outcome, why.stage) == ("dropped", "cut")
    assert "is below the floor" in why.reason
    assert why.rank == 2


@BOTH
def test_by_a_lack_of_confidence(engine: Engine, text: str, question: str) -> None:
    engine.remember(f"{text} and a lake 湖", id="it")
    why = engine.why_not("it", f"{question} zebra giraffe 斑马", floor=0.99)
    assert (why.outcome, why.stage) == ("dropped", "cut")
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
    why = engine.why_not("it", "budget 预算", preset="workflow", floor=0)
    assert (why.outcome, why.stage) == ("dropped", "nearest")
    assert "beyond the 5 nearest" in why.reason and "the last has" in why.reason
    assert {one.channel for one in why.searches} == {"meaning", "hot", "words"}
    assert not search(why, "hot").got_in
    assert "hot: not in its list" in told(why)


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
