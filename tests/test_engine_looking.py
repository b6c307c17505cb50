"""Looking into an engine, and its life: get, list, status, doctor, threads, closing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bethink import Engine
from bethink.errors import InvalidInput, UnknownSpace
from bethink.testing import run_at_once
from tests.embedders_of_tests import Letters
from tests.engines_of_tests import existing

ENGLISH, CHINESE = "Mei prefers dark mode.", "小美喜欢深色主题。"


# Looking


def test_get_within_a_space(engine: Engine) -> None:
    kept = engine.remember(ENGLISH, space="work")
    assert engine.get(kept.id, space="work") == existing(engine, kept.id)
    assert engine.get(kept.id, space="global") is None
    assert engine.get(kept.id, space="elsewhere") is None


def test_list_pages(engine: Engine) -> None:
    made = [engine.remember(f"fact {n} 事实", kind="a" if n % 2 else "b").id for n in range(7)]

    def pages(**options: Any) -> list[list[str]]:
        found: list[list[str]] = []
        cursor = None
        while True:
            page = engine.list(cursor=cursor, **options)
            found.append([m.id for m in page.memories])
            cursor = page.cursor
            if cursor is None:
                return found

    assert pages(limit=3) == [made[:3:-1], made[3:0:-1], made[:1]]
    assert pages(limit=3, newest_first=False) == [made[:3], made[3:6], made[6:]]
    assert pages(limit=7, newest_first=False) == [made]
    assert pages(limit=2, newest_first=False, where={"kind": "a"}) == [
        [made[1], made[3]],
        [made[5]],
    ]
    assert engine.list(limit=100).cursor is None


def test_list_refuses(engine: Engine) -> None:
    with pytest.raises(InvalidInput, match="start again without one"):
        engine.list(cursor="nonsense")
    with pytest.raises(InvalidInput, match="limit: expected"):
        engine.list(limit=0)
    with pytest.raises(InvalidInput, match="unknown filter field"):
        engine.list(where={"colour": 1})


@pytest.mark.parametrize("unseen", ["nowhere", "没有"])
def test_readers_take_a_space_that_nothing_was_told_in_as_empty(
    engine: Engine, unseen: str
) -> None:
    engine.remember("预算会议改到周五。", space="work")
    assert engine.recall("预算会议", spaces=unseen).status == "empty"
    assert engine.count(spaces=unseen) == 0
    page = engine.list(spaces=unseen)
    assert (len(page), page.cursor) == (0, None)
    assert [memory.space for memory in engine.list(spaces=["work", unseen])] == ["work"]
    with pytest.raises(UnknownSpace):
        engine.forget_space(unseen)


def test_pages_are_about_what_they_hold(engine: Engine) -> None:
    for text in ("预算会议改到周五。", "Mei prefers dark mode.", "第三条"):
        engine.remember(text)
    page = engine.list(limit=2)
    assert [memory.text for memory in page] == ["第三条", "Mei prefers dark mode."]
    assert (len(page), page[0], page.memories[1]) == (2, page.memories[0], page[1])
    assert bool(engine.list(where={"kind": "none"})) is False


def test_an_answer_is_about_its_hits(engine: Engine) -> None:
    engine.remember("预算会议改到周五。")
    engine.remember("Mei takes the minutes of the 预算会议.")
    answer = engine.recall("预算会议", floor=0)
    assert tuple(answer) == answer.hits and len(answer) == len(answer.hits) == 2
    assert answer[0] is answer.hits[0] and answer[-1] is answer.hits[-1]
    nothing = engine.recall("Mei", spaces="nowhere")
    assert (list(nothing), len(nothing), bool(nothing)) == ([], 0, False)


def test_status(engine: Engine) -> None:
    status = engine.status()
    assert (status.memories, status.pending, status.indexed_by) == (0, 0, "none yet")
    assert status.embedder == "letters"
    engine.remember_many([{"text": ENGLISH}, {"text": CHINESE, "space": "工作"}])
    status = engine.status()
    assert status.memories == 2
    assert [(i.name, i.memories, i.passages, i.pending) for i in status.spaces] == [
        ("global", 1, 1, 0),
        ("工作", 1, 1, 0),
    ]
    assert status.indexed_by == "letters"
    assert status.notes == ()


def test_status_tells_what_is_behind(tmp_path: Path) -> None:
    letters = Letters()
    with Engine(tmp_path / "m.db", embedder=letters) as engine:
        engine.remember(ENGLISH)
        letters.fails = True
        engine.remember(CHINESE)
        assert engine.status().notes == ("1 passages wait for vectors: run 'bethink reindex'",)
    with Engine(tmp_path / "m.db", embedder="hashing") as engine:
        notes = engine.status().notes
        assert notes[0].startswith("the index is by letters, the settings name hashing")
    with Engine(tmp_path / "m.db", embedder="none") as engine:
        assert engine.status().notes == ()


def test_doctor(engine: Engine) -> None:
    engine.remember(ENGLISH)
    checks = engine.doctor()
    assert all(check.ok for check in checks)
    assert checks[-1].part == "embedder"
    assert checks[-1].finding == "letters answers (64 numbers)"


def test_doctor_finds_faults_and_names_the_fix() -> None:
    letters = Letters()
    with Engine.in_memory(embedder=letters) as engine:
        engine.remember(ENGLISH)
        letters.fails = True
        check = engine.doctor()[-1]
        assert not check.ok
        assert "on holiday" in check.finding
        assert check.fix
        with Engine(engine.store, embedder="hashing") as other:
            check = other.doctor()[-1]
            assert not check.ok
            assert "reindex" in check.finding + check.fix
        with Engine(engine.store, embedder="none") as wordy:
            assert wordy.doctor()[-1].ok


# Life of an engine


def test_closing_twice_and_the_default_place(home_of_its_own: Path) -> None:
    engine = Engine(embedder="none")
    engine.remember(ENGLISH)
    engine.recall("dark")
    engine.close()
    engine.close()
    place = home_of_its_own / "data" / "bethink" / "memory.db"
    assert place.is_file()
    with Engine(embedder="none") as again:
        assert again.status().store == str(place)
        assert again.list().memories[0].access_count == 1


def test_many_threads_share_an_engine(engine: Engine) -> None:
    def work(number: int) -> None:
        for n in range(15):
            engine.remember(f"worker {number} fact {n} 事实")
            engine.remember("told by everybody")
            assert engine.recall(f"worker {number}").hits

    run_at_once(work, range(6))
    assert engine.status().memories == 6 * 15 + 1
    shared = engine.list(where={"reinforcement": {">": 0}}).memories
    assert [m.reinforcement for m in shared] == [6 * 15 - 1]


def test_rebuilding_changes_no_answer(engine: Engine) -> None:
    engine.remember_many([{"text": f"fact {n} 事实{n}"} for n in range(20)])
    before = [(h.id, h.score) for h in engine.recall("fact 7 事实7", touch=False).hits]
    assert engine.rebuild_words() == 20
    engine.rebuild_files()
    assert engine.reindex(force=True) == 20
    assert [(h.id, h.score) for h in engine.recall("fact 7 事实7", touch=False).hits] == before
