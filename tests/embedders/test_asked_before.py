"""The same question is embedded once, by whatever embedder, and forgotten with what it found."""

from __future__ import annotations

from bethink import Engine
from bethink.embedders.asked_before import AskedBefore
from bethink.settings import Settings
from tests.embedders_of_tests import Letters


def asked(letters: Letters, question: str) -> int:
    return letters.texts.count(question)


def test_asked_again_it_is_not_embedded_again() -> None:
    letters = Letters()
    with Engine.in_memory(embedder=letters, settings=Settings()) as engine:
        engine.remember("小美喜欢深色主题 Mei likes dark mode")
        first = engine.recall("什么主题 which theme")
        engine.remember("The budget meeting moved to Friday 预算会议改到周五")
        again = engine.recall("什么主题 which theme")
        assert asked(letters, "什么主题 which theme") == 1
        assert len(again.hits) >= len(first.hits)  # what was told since is found
        engine.recall("什么主题 Which theme")
        assert asked(letters, "什么主题 Which theme") == 1


def test_another_embedder_is_asked_itself() -> None:
    kept = AskedBefore()
    one, other = Letters("one"), Letters("other", salt=7)
    assert kept.vector(one, "预算 budget") is kept.vector(one, "预算 budget")
    assert (kept.vector(one, "预算 budget") != kept.vector(other, "预算 budget")).any()
    assert (asked(one, "预算 budget"), asked(other, "预算 budget")) == (1, 1)


def test_so_many_are_kept_and_no_books() -> None:
    kept, letters = AskedBefore(), Letters()
    kept.vector(letters, "the first 第一个")
    for number in range(256):
        kept.vector(letters, f"question {number}")
    kept.vector(letters, "the first 第一个")
    assert asked(letters, "the first 第一个") == 2
    book = "很长 " * 2_000
    kept.vector(letters, book)
    kept.vector(letters, book)
    assert asked(letters, book) == 2


def test_forgotten_with_what_it_found() -> None:
    letters = Letters()
    with Engine.in_memory(embedder=letters, settings=Settings()) as engine:
        memory_id = engine.remember("zyxwv 是秘密 is the secret").id
        engine.recall("zyxwv 是秘密?")
        engine.forget(memory_id)
        engine.recall("zyxwv 是秘密?")
        assert asked(letters, "zyxwv 是秘密?") == 2
