"""No search brought it: which words it lacks, how far down it stands, what was not searched."""

from __future__ import annotations

from pathlib import Path

import pytest

from bethink import Engine, Status
from bethink.settings import Settings
from tests.embedders_of_tests import Hung, Letters
from tests.recall.why_not.asking import BOTH, search, told


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
