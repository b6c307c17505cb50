"""A recall looks at the files first; when that is not enough, it says so."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bethink import Engine
from bethink.notebook import freshen
from bethink.notebook.books import Book, Form, book_lock
from bethink.recall.draft import Draft
from bethink.recall.timeline import FindPeriod
from bethink.recall.timeline_path import TimelinePath
from bethink.settings import Settings
from bethink.testing import run_at_once, working
from bethink.vocabulary import Query, Status
from tests.notebook.shelf import TOY, Shelf, shelf
from tests.recall.kits import kit


@pytest.fixture(autouse=True)
def every_question_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freshen, "_AGAIN_AFTER", 0.0)


def test_a_recall_finds_what_was_just_written_and_not_what_was_deleted(tmp_path: Path) -> None:
    with shelf(tmp_path, sync_seconds=30.0) as at:
        at.write("a.md", "# Stone\n\namethyst 紫水晶\n")
        answer = at.engine.recall("amethyst", spaces="work")
        assert answer.status is Status.ANSWERED
        assert answer.hits[0].memory.source == "a.md"
        first = answer.trace.steps[0]
        assert first.stage == "freshen"
        assert "1 files looked at, 1 of them changed" in first.notes[0]
        at.write("a.md", "# Stone\n\nopal 蛋白石\n")
        assert at.engine.recall("蛋白石", spaces="work").hits
        assert not at.engine.recall("amethyst 紫水晶", spaces="work", meaning=False).hits
        at.write("b.md", "")
        at.engine.recall("opal", spaces="work")
        (at.root / "a.md").unlink()
        assert at.engine.recall("opal", spaces="work").status is Status.EMPTY


def test_only_the_books_of_the_asked_spaces_are_read(tmp_path: Path) -> None:
    with shelf(tmp_path, sync_seconds=30.0) as at:
        at.write("a.md", "# Stone\n\namethyst 紫水晶\n")
        at.engine.recall("amethyst")  # in global
        assert all(info.name != "work" for info in at.engine.spaces())


def test_a_bound_that_is_too_small_makes_the_answer_stale(tmp_path: Path) -> None:
    with shelf(tmp_path, sync_seconds=0.001) as at:
        for n in range(150):
            at.write(f"n{n:03}.md", f"# Note {n}\n\nunique{n}x 第 {n} 条\n")
        answer = at.engine.recall("unique149x", spaces="work")
        assert answer.status is Status.STALE
        assert "files wait" in answer.reasons[0]
        assert "bethink sync" in answer.reasons[0]
        assert at.engine.status().notes
        assert at.sync().complete
        answer = at.engine.recall("unique149x", spaces="work")
        assert answer.status is Status.ANSWERED
        assert answer.hits[0].memory.source == "n149.md"


def test_every_recall_gets_a_little_further(tmp_path: Path) -> None:
    with shelf(tmp_path, sync_seconds=0.001) as at:
        for n in range(60):
            at.write(f"n{n:03}.md", f"# Note {n}\n\nunique{n}x 第 {n} 条\n")
        asked = 1
        while at.engine.recall("unique59x", spaces="work").status is not Status.ANSWERED:
            asked += 1
            assert asked <= 60
        assert asked > 1
        assert len(at.memories()) == 60


def test_the_bound_holds_inside_one_file(tmp_path: Path) -> None:
    with shelf(tmp_path, sync_seconds=0.001) as at:
        lines = "".join(f"- decision {n} 决定 unique{n}x {'word 字 ' * 20}\n" for n in range(800))
        at.write("agent/decisions.md", lines)
        answer = at.engine.recall("unique799x", spaces="work")
        assert answer.status is Status.STALE
        assert "1 files wait" in answer.reasons[0]
        first = at.memories()
        assert 0 < len(first) < 800
        asked = 1
        while at.engine.recall("unique799x", spaces="work").status is Status.STALE:
            asked += 1
            assert asked < 800
        assert asked > 1
        assert len(at.memories()) == 800
        assert {m.text: m.id for m in first.values()}.items() <= at.ids().items()
        assert at.engine.recall("unique799x", spaces="work", meaning=False).hits


def test_one_endless_piece_is_found_by_words_and_gets_its_vectors_later(tmp_path: Path) -> None:
    with shelf(tmp_path, sync_seconds=5.0) as at:
        at.write("long.md", "# Long\n\n" + "amethyst 紫水晶 word\n" * 8_000)
        assert at.engine.recall("amethyst", spaces="work", meaning=False).hits
        assert any(info.pending for info in at.engine.spaces())
        assert at.sync().complete
        assert not any(info.pending for info in at.engine.spaces())


def test_what_a_file_said_before_it_became_unreadable_is_stale(tmp_path: Path) -> None:
    with shelf(tmp_path, sync_seconds=30.0) as at:
        at.write("a.md", "# A\n\namethyst 紫水晶\n")
        at.write("b.md", "# B\n\nopal 蛋白石\n")
        at.sync()
        (at.root / "a.md").write_bytes("# A\n\n红宝石\n".encode("gbk"))
        (at.root / "new.md").write_bytes("从未读过".encode("gbk"))
        answer = at.engine.recall("amethyst", spaces="work")
        assert answer.hits
        assert answer.status is Status.STALE
        assert "a.md: it is not UTF-8" in answer.reasons[0]
        assert "new.md" not in answer.reasons[0]
        assert [r.path for r in at.sync().behind] == ["a.md"]
        at.write("a.md", "# A\n\nruby 红宝石\n")
        answer = at.engine.recall("红宝石", spaces="work", meaning=False)
        assert answer.status is Status.ANSWERED


def test_stale_gives_way_to_what_is_worse(tmp_path: Path) -> None:
    with shelf(tmp_path, sync_seconds=0.001) as at:
        at.write("a.md", "# A\n\namethyst 紫水晶\n")
        at.sync()
        at.root.rename(tmp_path / "away")
        answer = at.engine.recall("amethyst", spaces="work", words=False, meaning=False)
        assert answer.status is Status.DISABLED
        assert any("not there" in reason for reason in answer.reasons)


def test_while_another_holds_the_book_the_answer_comes_and_says_so(tmp_path: Path) -> None:
    with shelf(tmp_path, sync_seconds=0.02) as at:
        at.write("a.md", "# A\n\namethyst 紫水晶\n")
        at.sync()
        held, done = threading.Event(), threading.Event()

        def hold(book: Book) -> None:
            with book_lock(at.books.directory, book):
                held.set()
                assert done.wait(30)

        with working(hold, [at.book], end=done):
            assert held.wait(30)
            answer = at.engine.recall("紫水晶", spaces="work")
        assert answer.status is Status.STALE
        assert "another process" in answer.reasons[0]
        assert answer.hits


def test_a_damaged_registry_does_not_keep_anybody_from_asking(tmp_path: Path) -> None:
    with shelf(tmp_path, sync_seconds=1.0) as at:
        at.write("a.md", "# A\n\namethyst 紫水晶\n")
        at.sync()
        (at.books.directory / "books.json").write_text("{", "utf-8")
        answer = at.engine.recall("amethyst", spaces="work")
        assert answer.status is Status.STALE
        assert "damaged" in answer.reasons[0]
        assert answer.hits


def test_zero_seconds_switches_it_off(tmp_path: Path) -> None:
    with shelf(tmp_path, sync_seconds=0.0) as at:
        at.write("a.md", "# A\n\namethyst\n")
        at.sync()
        at.write("a.md", "# A\n\nopal 蛋白石\n")
        answer = at.engine.recall("amethyst", spaces="work")
        assert answer.hits
        assert all(step.stage != "freshen" for step in answer.trace.steps)


def test_a_look_says_why_the_store_is_behind(tmp_path: Path) -> None:
    with shelf(tmp_path, sync_seconds=30.0) as at:
        at.write("a.md", "# A\n\namethyst 紫水晶\n")
        assert at.engine.freshen() == ""
        assert set(at.memories()) == {"A\namethyst 紫水晶"}
        at.root.rename(tmp_path / "away")
        assert "not there" in at.engine.freshen(spaces="work")
        assert at.engine.freshen(spaces="global") == ""
        (at.books.directory / "books.json").write_text("{", "utf-8")
        assert "damaged" in at.engine.freshen()


def test_not_again_within_a_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freshen, "_AGAIN_AFTER", 3_600.0)
    monkeypatch.setattr(freshen, "_AFTER_A_CHANGE", 3_600.0)
    with shelf(tmp_path, sync_seconds=30.0) as at:
        at.write("a.md", "# A\n\namethyst\n")
        at.engine.recall("amethyst", spaces="work")
        at.write("a.md", "# A\n\nopal 蛋白石\n")
        again = at.engine.recall("amethyst", spaces="work")
        assert again.hits
        assert "a moment ago" in again.trace.steps[0].notes[0]
        at.engine.recall("opal", spaces=["work", "global"])  # other spaces, another look
        assert "A\nopal 蛋白石" in at.memories()


def test_a_store_that_may_not_be_written_answers_and_says_stale(tmp_path: Path) -> None:
    with shelf(tmp_path, sync_seconds=5.0) as at:
        at.write("a.md", "# A\n\namethyst 紫水晶\n")
        at.sync()
        at.write("a.md", "# A\n\nopal 蛋白石\n")
    from bethink.stores.sqlite.store import SQLiteStore

    store = SQLiteStore(at.store, read_only=True)
    with Engine(store, embedder=TOY, settings=Settings(sync_seconds=5.0)) as engine:
        answer = engine.recall("amethyst", spaces="work")
        assert answer.hits
        assert answer.status is Status.STALE
        assert "reading only" in answer.reasons[0]


def test_many_threads_may_ask_at_once(tmp_path: Path) -> None:
    with shelf(tmp_path, form=Form.FOLDER, sync_seconds=30.0) as at:
        for n in range(40):
            at.write(f"n{n}.md", f"# Note {n}\n\nunique{n}x 第 {n} 条\n")

        def ask(n: int) -> Status:
            return at.engine.recall(f"unique{n}x", spaces="work").status

        assert run_at_once(ask, range(6)) == [Status.ANSWERED] * 6
        assert len(at.memories()) == 40


COLD = """\
import sys
from bethink.doors.cli.main import main
code = main(["recall", "amethyst", "--words", "--json", *sys.argv[1:]])
print(code, *sys.modules)
"""


def cold(*options: str, **environment: str) -> tuple[str, set[str]]:
    """What a process of its own answers, and the modules that it loaded."""
    done = subprocess.run(
        [sys.executable, "-c", COLD, *options],
        capture_output=True, text=True, check=True, env={**os.environ, **environment},
    )  # fmt: skip
    answer, modules = done.stdout.splitlines()
    code, *names = modules.split()
    assert code == "0"
    return answer, set(names)


def test_a_cold_question_loads_nothing_of_notebooks_without_books(tmp_path: Path) -> None:
    with Engine(tmp_path / "m.db", embedder="hashing") as engine:
        engine.remember("amethyst 紫水晶")
    answer, loaded = cold("--store", str(tmp_path / "m.db"))
    assert '"answered"' in answer
    assert not [name for name in loaded if name.startswith(("bethink.notebook", "yaml"))]


def test_a_cold_question_with_books_loads_no_parser_when_nothing_changed(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("a.md", "# A\n\namethyst 紫水晶\n")
        at.sync()
    answer, loaded = cold(
        "--store", str(at.store), "--space", "work", BETHINK_TIMEZONE="Asia/Shanghai"
    )
    assert '"answered"' in answer
    assert "bethink.notebook.sync" in loaded
    parts = {"bethink.notebook.parse", "bethink.remember.pipeline", "yaml", "numpy"}
    assert not loaded & parts


def test_a_zone_that_is_chosen_moves_the_journal(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("journal/2026-05-02.md", "- 14:30 amethyst 紫水晶\n")
        at.sync()
        (before,) = at.memories().values()
    settings = Settings(timezone="Europe/Paris", sync_seconds=30.0)
    with Engine(at.store, embedder=TOY, settings=settings) as engine:
        (hit,) = engine.recall("amethyst", spaces="work").hits
        assert hit.id == before.id
        assert before.occurred_at is not None
        assert hit.memory.occurred_at is not None
        assert hit.memory.occurred_at - before.occurred_at == timedelta(hours=6)


# What the question needs is read first


def many_files(at: Shelf) -> date:
    """A journal of 300 days, notes, and decisions, all new; the day in the middle."""
    today = datetime.now(ZoneInfo("Asia/Shanghai")).date()
    for ago in range(300):
        day = today - timedelta(days=ago)
        at.write(f"journal/{day}.md", f"- 第 {ago} 天前散步 a walk {ago} days ago\n")
        at.write(f"notes-{ago:03}.md", f"# Note {ago}\n\nsomething 杂记 {ago}\n")
    at.write("agent/decisions.md", "- Use Kafka 采用 Kafka\n- Use SQL 采用 SQL\n")
    return today - timedelta(days=150)


@pytest.mark.parametrize("question", ["what happened on {day}?", "{day}做了什么"])
def test_the_day_that_is_asked_for_is_read_first(tmp_path: Path, question: str) -> None:
    with shelf(tmp_path, sync_seconds=0.001) as at:
        day = many_files(at)
        answer = at.engine.recall(question.format(day=day), spaces="work", preset="notebook")
        assert [hit.memory.source for hit in answer.hits] == [f"journal/{day}.md"]
        assert answer.status is Status.STALE  # others wait, and that is said
        assert not any("there is nothing" in reason for reason in answer.reasons)
        again = day - timedelta(days=100)  # another question needs another file, at once
        answer = at.engine.recall(question.format(day=again), spaces="work", preset="notebook")
        assert [hit.memory.source for hit in answer.hits] == [f"journal/{again}.md"]


@pytest.mark.parametrize("question", ["which decisions have we made", "我们做过哪些决策"])
def test_the_file_of_a_route_is_read_first(tmp_path: Path, question: str) -> None:
    with shelf(tmp_path, sync_seconds=0.001) as at:
        many_files(at)
        answer = at.engine.recall(question, spaces="work", preset="notebook")
        (hit,) = answer.hits
        assert hit.text.splitlines() == ["- Use Kafka 采用 Kafka", "- Use SQL 采用 SQL"]


def test_else_the_newest_is_read_first(tmp_path: Path) -> None:
    with shelf(tmp_path, sync_seconds=0.001) as at:
        days = [date(2026, 1, 1) + timedelta(days=n) for n in range(200)]
        for day in days:
            at.write(f"journal/{day}.md", f"- 散步 a walk on {day}\n")
        at.engine.recall("elephants 大象", spaces="work")
        listed = at.engine.list(spaces="work", limit=1_000).memories
        known = sorted(date.fromisoformat(memory.source[8:18]) for memory in listed)
        assert known
        assert known == days[-len(known) :]


@pytest.mark.parametrize("question", ["what happened on 2026-03-02?", "2026年3月2日做了什么"])
def test_nothing_of_a_day_is_not_said_while_its_file_is_unread(question: str) -> None:
    with Engine.in_memory(embedder="none", settings=Settings(timezone="UTC")) as engine:
        own = kit(engine.store)
        draft = FindPeriod()(Draft(Query(text=question), unread=frozenset({date(2026, 3, 2)})), own)
        (fault,) = TimelinePath()(draft, own).faults
    assert fault.status is Status.STALE
    assert fault.reason.startswith("the journal of 2026-03-02 is not read yet; 'bethink sync'")
