"""Questions that name nothing or are too long, and what the trace says was looked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bethink import Engine, Status
from bethink.clock import system_clock
from bethink.errors import UnknownSpace
from bethink.recall.draft import Draft
from bethink.recall.presets import PURPOSES
from bethink.recall.search_meaning import SearchMeaning
from bethink.recall.search_words import SearchWords
from bethink.recall.side_by_side import SideBySide
from bethink.recall.what_is_asked import NAMES_NOTHING, names_nothing, shown_words
from bethink.settings import Settings
from bethink.text.both_ends import MAX_MEANING_CHARS, MAX_QUERY_CHARS, both_ends
from bethink.text.tokenise import MAX_QUERY_TERMS, query_terms
from bethink.vocabulary import Query, Recollection
from tests.embedders_of_tests import Letters
from tests.recall.kits import kit
from tests.recall.working import add_steps

NOTHING = ["what is the", "is it?", "why?", "的 是 吗", "是什么", "什么时候", "the 的", "???", "…"]
SOMEBODY = ["who am I?", "我是谁", "where are you from", "what is it about 他"]
TEXTS = [
    "What is the plan? It is the plan.",
    "这是什么时候的事？是的。",
    "My name is Mei, I am from Hangzhou.",
    "我是李雷 the engineer。",
]


@pytest.fixture
def letters() -> Letters:
    return Letters()


@pytest.fixture
def engine(tmp_path: Path, letters: Letters) -> Iterator[Engine]:
    with Engine(tmp_path / "m.db", embedder=letters, settings=Settings()) as made:
        made.remember_many([{"text": text} for text in TEXTS])
        yield made


def notes(answer: Recollection) -> list[str]:
    return [note for step in answer.trace.steps for note in step.notes]


# Nothing is named


@pytest.mark.parametrize("question", NOTHING)
@pytest.mark.parametrize("preset", [name for name in PURPOSES if name != "workflow"])
def test_a_question_that_names_nothing_says_so(engine: Engine, preset: str, question: str) -> None:
    answer = engine.recall(question, preset=preset)
    assert (answer.status, answer.hits) == (Status.EMPTY, ())
    assert answer.reasons == (NAMES_NOTHING,)
    assert notes(answer).count(NAMES_NOTHING) == 1


@pytest.mark.parametrize("question", NOTHING)
def test_a_workflow_has_what_is_recent_all_the_same(engine: Engine, question: str) -> None:
    newest = add_steps(engine, 4, now=system_clock())
    answer = engine.recall(question, preset="workflow")
    assert answer.status is Status.ANSWERED
    assert [hit.id for hit in answer.hits] == newest
    assert all(set(hit.channels) == {"hot"} for hit in answer.hits)
    assert answer.reasons == (NAMES_NOTHING,)


@pytest.mark.parametrize("question", SOMEBODY)
def test_of_somebody_meaning_is_asked(engine: Engine, question: str) -> None:
    answer = engine.recall(question, floor=0.0)
    assert answer.hits and answer.status in (Status.ANSWERED, Status.UNCERTAIN)
    assert all(set(hit.channels) == {"meaning"} for hit in answer.hits)
    assert answer.reasons[:2] == (
        NAMES_NOTHING,
        "it was asked by meaning alone, which may be far off",
    )
    without = engine.recall(question, meaning=False)
    assert (without.status, without.reasons) == (Status.EMPTY, (NAMES_NOTHING,))


def test_without_an_embedder_there_is_no_meaning_to_ask(tmp_path: Path) -> None:
    with Engine(tmp_path / "m.db", embedder="none", settings=Settings()) as engine:
        engine.remember_many([{"text": text} for text in TEXTS])
        for question in (*NOTHING, *SOMEBODY):
            answer = engine.recall(question)
            assert (answer.status, answer.hits) == (Status.EMPTY, ())
            assert answer.reasons == (NAMES_NOTHING,)


@pytest.mark.parametrize("question", ["what is the", "的 是 吗"])
def test_who_wants_meaning_alone_or_brings_a_vector_has_it(engine: Engine, question: str) -> None:
    answer = engine.recall(question, words=False, floor=0.0)
    assert answer.hits and NAMES_NOTHING not in answer.reasons
    given = engine.recall(question, vector=np.ones(64, np.float32), floor=0.0)
    assert given.hits and given.reasons[0] == NAMES_NOTHING


@pytest.mark.parametrize(("question", "found"), [('"What is the"', 0), ("「什么时候」", 1)])
def test_quoted_the_very_words_are_looked_for(engine: Engine, question: str, found: int) -> None:
    answer = engine.recall(question, meaning=False)
    assert answer.hits[0].text == TEXTS[found]
    assert answer.reasons == ()


def test_a_space_that_is_not_there_is_an_error_all_the_same(engine: Engine) -> None:
    for stage in (SearchWords(), SearchMeaning()):
        with pytest.raises(UnknownSpace):
            stage(Draft(Query(text="what is the", spaces=("nope",))), kit(engine.store))


def test_a_search_by_meaning_alone_in_a_preset_says_it_too() -> None:
    answer = SearchMeaning()(Draft(Query(text="是什么")), kit())
    assert answer.channels == {"meaning": ()}
    assert [fault.reason for fault in answer.faults] == [NAMES_NOTHING]


@pytest.mark.parametrize(
    "text", ["预算", "budget", "定", "C++", "--no-cache", "1042", "x", "谁养猫"]
)
def test_what_names_something(text: str) -> None:
    assert not names_nothing(text)


def test_nothing_searched_is_disabled_as_before() -> None:
    off = Draft(Query(text="what is the", words=False, meaning=False))
    done = SideBySide((SearchMeaning(), SearchWords()))(off, kit())
    assert [fault.status for fault in done.faults] == [Status.DISABLED]


# Long questions


LOG = "\n".join(f"2026-05-01 worker{n} wrote part{n} of table{n}, 第{n}批" for n in range(400))


@pytest.mark.parametrize("at", ["beginning", "end"])
@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("The zebra enclosure opens at nine.", "When does the zebra enclosure open?"),
        ("斑马馆九点开门。", "斑马馆几点开门？"),
        ("斑马馆 wifi 密码在前台。", "斑马馆的 wifi 密码呢？"),
    ],
)
def test_both_ends_of_a_long_question_count(
    engine: Engine, letters: Letters, at: str, text: str, question: str
) -> None:
    engine.remember(text)
    asked = f"{question}\n{LOG}" if at == "beginning" else f"{LOG}\n{question}"
    assert len(asked) > 2 * MAX_QUERY_CHARS
    letters.texts.clear()
    answer = engine.recall(asked, floor=0.0)
    assert answer.hits[0].text == text
    (embedded,) = letters.texts
    assert question in embedded and len(embedded) <= MAX_MEANING_CHARS
    reason = answer.reasons[0]
    assert reason.startswith(f"the question has {len(asked):,} characters, and its middle was not")
    assert answer.status in (Status.ANSWERED, Status.UNCERTAIN)
    told = notes(answer)
    assert "words: of so many terms the first 32 and the last 32" in told
    assert "meaning: the first and the last 1,000 characters are read" in told
    assert told.count(reason) == 1


@pytest.mark.parametrize("question", ["budget 预算 " * 5, "x" * MAX_QUERY_CHARS])
def test_a_question_that_is_read_whole_has_no_warning(engine: Engine, question: str) -> None:
    answer = engine.recall(question, floor=0)
    assert not any("was not read" in reason for reason in answer.reasons)


def test_both_ends() -> None:
    assert both_ends("  short 短 ") == "short 短"
    words = " ".join(f"word{n}" for n in range(2_000))
    cut = both_ends(words)
    assert len(cut) <= MAX_QUERY_CHARS
    head, tail = cut.split("\n")
    assert words.startswith(head + " ") and words.endswith(" " + tail)  # no word is cut in two
    chinese = both_ends("预算" * 9_000 + "会议", 100)
    assert len(chinese) <= 100 and chinese.startswith("预算预算") and chinese.endswith("会议")
    assert both_ends("x" * 50_000, 10) == "xxxx\nxxxx"


def test_terms_of_both_ends() -> None:
    many = [str(n) for n in range(1000, 1200)]
    found = query_terms(" ".join([*many, "1000", "斑马馆"]))
    assert len(found) == MAX_QUERY_TERMS
    assert found[:32] == tuple(many[:32])
    assert found[-2:] == ("斑马", "马馆")
    assert query_terms(" ".join(many[:64])) == tuple(many[:64])


# What was looked for


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("预算会议什么时候开？", "预算会议 开"),
        ("小美喜欢什么主题", "小美喜欢 主题"),
        ("Which databases did the committees decide on?", "databases committees decide"),
        ("小美的 vim 用什么 theme", "小美 vim 用 theme"),
        ("budget budget 预算 预算", "budget 预算"),
        (" ".join(f"w{n}" for n in range(20)), " ".join(f"w{n}" for n in range(12)) + " …"),
    ],
)
def test_the_trace_shows_words_that_people_recognise(
    engine: Engine, question: str, shown: str
) -> None:
    assert shown_words(question) == shown
    assert any(
        note.startswith("words: ") and note.endswith(f" for: {shown}")
        for note in notes(engine.recall(question))
    )
