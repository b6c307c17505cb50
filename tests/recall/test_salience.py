"""Salience: the formulas, the bound, and that looking changes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import log
from typing import Any

import pytest
from benchmarks.prompts import rows as prompts
from benchmarks.quality.parallel import read_pairs
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from bethink import Engine
from bethink.errors import InvalidInput
from bethink.recall.budget import Budget
from bethink.recall.draft import Draft, Stage
from bethink.recall.fuse import ReciprocalRanks
from bethink.recall.fuse_adaptively import FuseAdaptively
from bethink.recall.hydrate import Hydrate
from bethink.recall.presets import Preset
from bethink.recall.relevance import Judge
from bethink.recall.salience import Salience, fresh, often
from bethink.recall.search_meaning import SearchMeaning
from bethink.recall.search_words import SearchWords
from bethink.recall.side_by_side import SideBySide
from bethink.recall.signals import ReadSignals
from bethink.recall.timeline import FindPeriod, SearchPeriod
from bethink.settings import Settings
from bethink.testing import FakeClock
from bethink.text.time_hints import may_name_a_time
from bethink.vocabulary import Candidate, Query, Recollection, Status
from tests.recall.kits import NOW, candidate, draft, kit

BOTH = SideBySide((SearchMeaning(), SearchWords()))


def known(
    name: str,
    *,
    score: float = 1.0,
    days: float = 0.0,
    told: int = 0,
    asked: int = 0,
    happened: float | None = None,
) -> Candidate:
    one = candidate(name, "text 文字", score=score)
    assert one.memory is not None
    memory = replace(
        one.memory,
        created_at=NOW - timedelta(days=days),
        updated_at=NOW,  # must not matter
        occurred_at=None if happened is None else NOW - timedelta(days=happened),
        reinforcement=told,
        access_count=asked,
    )
    return one._replace(memory=memory)


def scores(stage: Salience, *candidates: Candidate) -> dict[str, float]:
    after = stage(draft(candidates), kit())
    values = [c.score for c in after.candidates]
    assert values == sorted(values, reverse=True)
    for one in after.candidates:
        assert sum(one.parts.values()) == approx(one.score)
        assert list(one.parts) == ["relevance", "reinforcement", "recency", "access"]
    return {c.memory_id: c.score for c in after.candidates}


@pytest.mark.parametrize(
    ("days", "value"),
    [(0, 1.000), (7, 0.851), (15, 0.707), (30, 0.500), (60, 0.250), (90, 0.125)],
)
def test_the_table_of_decay(days: float, value: float) -> None:
    assert fresh(days, 30) == approx(value, abs=0.0005)
    assert scores(Salience(), known("A", score=0, days=days))["A"] == approx(
        0.2 * value, abs=0.0001
    )


def test_counters() -> None:
    assert often(0, 0) == 0
    assert often(5, 5) == approx(log(6) / log(7))
    assert often(1, 9) == approx(log(2) / log(11))
    assert often(9, 9) < 1


def test_the_formula_as_it_is_written() -> None:
    got = scores(
        Salience(),
        known("A", score=0.8, days=30, told=3, asked=1),
        known("B", score=0.4, days=60, told=0, asked=7),
    )
    assert got["A"] == approx(0.5 * 0.8 + 0.2 * log(4) / log(5) + 0.2 * 0.5 + 0.1 * log(2) / log(9))
    assert got["B"] == approx(0.5 * 0.4 + 0 + 0.2 * 0.25 + 0.1 * log(8) / log(9))


def test_the_parts_say_what_the_score_is_made_of() -> None:
    (one,) = Salience()(draft([known("A", score=0.5, days=30)]), kit()).candidates
    assert one.parts == {
        "relevance": approx(0.25),
        "reinforcement": 0,
        "recency": approx(0.1),
        "access": 0,
    }


def test_age_is_from_when_it_happened_then_from_when_it_was_told() -> None:
    got = scores(
        Salience(),
        known("told today about long ago", score=0, happened=60),
        known("told long ago", score=0, days=60),
        known("told long ago about today", score=0, days=60, happened=0),
        known("yet to come", score=0, happened=-30),
    )
    assert got == {
        "told long ago about today": approx(0.2),
        "yet to come": approx(0.2),
        "told today about long ago": approx(0.05),
        "told long ago": approx(0.05),
    }


def test_as_of_a_moment_age_is_counted_from_there() -> None:
    query = Query(text="?", as_of=NOW - timedelta(days=30))
    after = Salience()(Draft(query, candidates=(known("A", score=0, days=60),)), kit())
    assert after.candidates[0].score == approx(0.1)


def test_weights_are_fields_and_the_best_possible_is_one() -> None:
    got = scores(Salience(relevance=3, reinforcement=0, recency=1, access=0), known("A"))
    assert got["A"] == approx(1)
    got = scores(Salience(relevance=3, reinforcement=0, recency=1, access=0), known("A", days=30))
    assert got["A"] == approx(3 / 4 + 1 / 8)
    assert scores(Salience(relevance=1, reinforcement=0, recency=0, access=0, cap=0.1),
                  known("A", score=0.3))["A"] == approx(0.3)  # fmt: skip


@pytest.mark.parametrize(
    "options",
    [{"relevance": 0.0}, {"recency": -0.1}, {"half_life": 0.0}, {"cap": -1.0},
     {"half_life": float("nan")}],
)  # fmt: skip
def test_weights_that_make_no_sense_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(InvalidInput, match="salience: "):
        Salience(**options)


def test_plain_lets_the_fresh_overtake_and_capped_does_not() -> None:
    relevant = known("relevant", score=0.9, days=400)
    fresh_one = known("fresh", score=0.4, told=9, asked=9)
    assert next(iter(scores(Salience(), relevant, fresh_one))) == "fresh"
    assert next(iter(scores(Salience(cap=0.1), relevant, fresh_one))) == "relevant"


def test_among_equals_the_fresh_one_leads_also_when_capped() -> None:
    got = scores(Salience(cap=0.1), known("old", score=0.8, days=90), known("new", score=0.8))
    assert list(got) == ["new", "old"]


candidates_of = st.builds(
    known,
    st.uuids().map(str),
    score=st.floats(0, 1),
    days=st.floats(0, 4_000),
    told=st.integers(0, 1_000_000),
    asked=st.integers(0, 1_000_000),
)


@given(st.lists(candidates_of, min_size=1, max_size=8), st.floats(0, 2))
def test_what_the_others_add_is_bounded(candidates: list[Candidate], cap: float) -> None:
    relevance = {c.memory_id: c.score for c in candidates}
    got = scores(Salience(cap=cap), *candidates)
    assert all(0 <= score <= 1 + 1e-9 for score in got.values())
    names = list(got)
    for above, below in pairwise(names):
        assert relevance[above] * (1 + cap) >= relevance[below] - 1e-9
    for name, score in got.items():
        assert relevance[name] / (1 + cap) - 1e-9 <= score <= relevance[name] + 1e-9


@given(st.lists(candidates_of, min_size=1, max_size=8))
def test_plain_stays_between_0_and_1(candidates: list[Candidate]) -> None:
    assert all(0 <= score <= 1 for score in scores(Salience(), *candidates).values())


def test_nothing_found() -> None:
    assert Salience()(draft([]), kit()).candidates == ()


# Through the engine


PLAIN = Preset("own", (BOTH, ReciprocalRanks(), Hydrate(), Salience(), Budget()))


def test_explaining_changes_no_counter() -> None:
    with Engine.in_memory(embedder="hashing", clock=FakeClock(NOW)) as engine:
        ids = [engine.remember("预算评审在周五").id, engine.remember("The budget review").id]
        before = [engine.get(one) for one in ids]
        first = engine.recall("预算 budget", preset=PLAIN, touch=False)
        second = engine.recall("预算 budget", preset=PLAIN, touch=False)
        assert [(h.id, h.score, h.parts) for h in first.hits] == [
            (h.id, h.score, h.parts) for h in second.hits
        ]
        assert [engine.get(one) for one in ids] == before
        engine.recall("预算 budget", preset=PLAIN)
        after = [engine.get(one) for one in ids]
        for old, new in zip(before, after, strict=True):
            assert old is not None and new is not None
            assert new.access_count == old.access_count + 1
            assert new.updated_at == old.updated_at


def test_being_read_makes_nothing_newer() -> None:
    clock = FakeClock(NOW)
    with Engine.in_memory(embedder="hashing", clock=clock) as engine:
        engine.remember("旧的预算 old budget")
        clock.advance(days=30)
        for _ in range(3):
            (hit,) = engine.recall("预算 budget", preset=PLAIN).hits
            assert hit.parts["recency"] == approx(0.1, abs=1e-6)


WORDS = ["预算", "评审", "周五", "budget", "review", "Friday", "昨天", "yesterday", "ERR_7", "主题"]


@given(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), min_size=1, max_size=6),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=4),
)
def test_relevance_is_from_0_to_1_before_it_is_mixed(
    told: list[list[str]], asked: list[str]
) -> None:
    fusions: list[tuple[Stage, ...]] = [
        (BOTH, ReciprocalRanks()),
        (BOTH, FuseAdaptively()),
        (FindPeriod(), SearchPeriod(), BOTH, FuseAdaptively()),
    ]
    with Engine.in_memory(embedder="hashing", clock=FakeClock(NOW)) as engine:
        for words in told:
            engine.remember(" ".join(words))
        for stages in fusions:
            preset = Preset("own", (*stages, Hydrate(), ReadSignals(), Judge(), Budget()))
            answer: Recollection = engine.recall(" ".join(asked), preset=preset, touch=False)
            assert all(0 <= hit.score <= 1 for hit in answer.hits)


# On real questions: 100 memories and the questions to them, in both languages

LANGUAGES = ("en", "zh")
AT = datetime(2026, 5, 14, 10, 30, tzinfo=UTC)


@contextmanager
def told(language: str, *, aged: frozenset[str] = frozenset(), days: int = 0) -> Iterator[Engine]:
    """All memories of the parallel set are of today, but those `aged` are so many days old."""
    settings = Settings(timezone="UTC")
    with Engine.in_memory(embedder="use-m", clock=FakeClock(AT), settings=settings) as engine:
        engine.remember_many(
            {
                "id": row["memory"],
                "text": row[language],
                "occurred_at": (
                    AT - timedelta(days=days if row["memory"] in aged else 0)
                ).isoformat(),
            }
            for row in read_pairs().memories
        )
        yield engine


@pytest.mark.parametrize("language", LANGUAGES)
def test_old_facts_are_found_among_those_of_today(language: str) -> None:
    questions = [row for row in read_pairs().questions if row["answers"]][::2]
    aged = frozenset(answer for row in questions for answer in row["answers"])
    assert len(aged) >= 40

    def hits_at_3(days: int) -> int:
        with told(language, aged=aged, days=days) as engine:
            answers = (
                (row, engine.recall(row[language], preset="notebook", touch=False).hits[:3])
                for row in questions
            )
            return sum(any(hit.id in row["answers"] for hit in hits) for row, hits in answers)

    now = hits_at_3(0)
    assert now >= len(questions) * 0.6
    for days in (2, 7, 30):
        assert hits_at_3(days) >= 0.9 * now


@pytest.mark.parametrize("language", LANGUAGES)
def test_unrelated_questions_change_no_answer(language: str) -> None:
    related = [row for row in read_pairs().questions if row["answers"]][:20]
    unrelated = [row["prompt"] for row in prompts(language) if "way" not in row]
    # a question that names a time ("undo what I did just now", 刚才) hands out all of that time
    unrelated = [text for text in unrelated if not may_name_a_time(text)]
    unrelated += ["how fast is light 光速是多少", "who painted this 这是谁画的", "黑洞 black holes"]
    unrelated += ["the tallest mountain 最高的山", "boil an egg 煮鸡蛋", "Latin verbs 拉丁语动词"]
    assert len(unrelated) >= 40
    with told(language) as engine:

        def answers() -> list[list[str]]:
            asked = (
                engine.recall(row[language], preset="notebook", touch=False) for row in related
            )
            return [[hit.id for hit in answer.hits] for answer in asked]

        before = answers()
        for question in unrelated:
            engine.recall(question, preset="notebook")
        assert answers() == before


def test_only_what_was_answered_counts_as_accessed() -> None:
    with told("en") as engine:
        asked = [engine.recall(row["en"], preset="notebook") for row in read_pairs().questions]
        given = Counter(
            hit.id for one in asked if one.status is Status.ANSWERED for hit in one.hits
        )
        counted = engine.list(limit=200).memories
        assert {m.id: m.access_count for m in counted if m.access_count} == given
        assert any(one.status is Status.UNCERTAIN and one.hits for one in asked)


# The weights are settings


@pytest.mark.parametrize("question", ["the port of staging", "预发端口"])
def test_weights_and_half_life_are_settings(question: str) -> None:
    def ask(settings: Settings, **override: float) -> list[str]:
        with Engine.in_memory(embedder="none", clock=FakeClock(AT), settings=settings) as engine:
            for name, value in override.items():
                engine.set_override(name, value, space="global")
            often = "预发端口 the wiki has a page about the port of staging"
            engine.remember(often, id="often", occurred_at="2026-03-01")
            engine.reinforce("often", 50)
            new = "小王要用预发端口 a tester asks for the port of staging"
            engine.remember(new, id="new", occurred_at="2026-05-14")
            answer = engine.recall(question, preset="notebook", touch=False)
            return [hit.id for hit in answer.hits]

    told_often: dict[str, Any] = {"salience_reinforcement": 0.9, "salience_recency": 0.1}
    assert ask(Settings(**told_often)) == ["often", "new"]
    assert ask(Settings(salience_reinforcement=0.1, salience_recency=0.9)) == ["new", "often"]
    assert ask(Settings(), **told_often) == ["often", "new"]
    slow: dict[str, Any] = {"salience_reinforcement": 0.2, "salience_recency": 0.5}
    assert ask(Settings(**slow, half_life_days=7)) == ["new", "often"]
    assert ask(Settings(**slow, half_life_days=3_650)) == ["often", "new"]
