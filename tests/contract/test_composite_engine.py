"""An engine on several engines: what people see of it, and what is left of the forgotten."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from bethink import Engine
from bethink.settings import Settings
from bethink.stores.composite import Bounds, CompositeStore
from bethink.stores.retrievers import MEANING, WORDS
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import make_entry, make_memory
from bethink.vocabulary import Status
from tests.contract.unruly import Unruly, until
from tests.durability.children import Say, kill_after
from tests.embedders_of_tests import Letters

CANARY = "zyxwvqcanary 貔貅饕餮 is the secret"
TRACES = ("zyxwvqcanary", "zyxwvqcanari", "貔貅", "饕餮")


class Opened:
    """A truth in a file, with words and meaning in two others."""

    def __init__(self, folder: Path, embedder: Letters, **options: object) -> None:
        self.words = Unruly(SQLiteStore(folder / "words.db"), name="words-db", finds=[WORDS])
        self.meaning = Unruly(
            SQLiteStore(folder / "meaning.db"), name="meaning-db", finds=[MEANING]
        )
        self.store = CompositeStore(
            SQLiteStore(folder / "truth.db"),
            [self.words, self.meaning],
            bounds=Bounds(patience=1.0, catching_up=0.2, following=2.0),
        )
        settings = Settings(keep_events=0)
        self.engine = Engine(self.store, embedder=embedder, settings=settings)


@pytest.fixture
def opened(quick_path: Path) -> Iterator[Opened]:
    opened = Opened(quick_path, Letters())
    yield opened
    opened.engine.close()
    opened.store.close()


def found(engine: Engine, text: str) -> list[str]:
    return [hit.text for hit in engine.recall(text).hits]


def test_it_remembers_and_recalls_in_both_languages(opened: Opened) -> None:
    engine = opened.engine
    engine.remember("The database runs PostgreSQL 16")
    engine.remember("小美负责数据库的备份")
    for question, answer in (
        ("which database do we run?", "The database runs PostgreSQL 16"),
        ("谁负责数据库备份？", "小美负责数据库的备份"),
    ):
        recollection = engine.recall(question)
        assert recollection.status is Status.ANSWERED
        assert recollection.reasons == ()
        assert recollection.hits[0].text == answer
        assert {"words", "meaning"} <= set(recollection.hits[0].channels)
    assert opened.words.asked > 0
    assert opened.meaning.asked > 0
    assert engine.status().notes == ()
    assert all(check.ok for check in opened.store.check())


def test_a_missing_engine_is_named_in_the_answer_and_the_status(opened: Opened) -> None:
    engine = opened.engine
    engine.remember("小美负责数据库的备份")
    opened.meaning.down = True
    for _ in range(4):
        recollection = engine.recall("谁负责数据库备份？")
        assert recollection.status is Status.DEGRADED
        assert "meaning-db" in recollection.reasons[0]
        assert "the store itself answered" in recollection.reasons[0]
        assert [hit.text for hit in recollection.hits] == ["小美负责数据库的备份"]
    assert engine.status().notes == ("meaning-db is left out: ConnectionError: no route to host",)
    told = [check for check in engine.doctor() if not check.ok]
    assert "retriever meaning-db" in [check.part for check in told]


def test_an_engine_that_is_behind_makes_the_answer_stale(opened: Opened) -> None:
    engine = opened.engine
    engine.remember("The database runs PostgreSQL 16")
    opened.words.deaf = True
    receipt = engine.remember("The database is backed up by 小美")
    assert receipt.id
    recollection = engine.recall("database", floor=0)
    assert recollection.status is Status.STALE
    assert "words-db is 1 changes behind" in recollection.reasons[0]
    assert "disk full over there" in recollection.reasons[0]
    assert len(recollection.hits) == 2  # the other one has it
    assert any("words-db is 1 changes behind" in note for note in engine.status().notes)
    opened.words.deaf = False
    until(lambda: opened.store.catch_up(1))
    assert engine.recall("database").status is Status.ANSWERED


def test_a_change_of_the_embedder_leaves_no_question_unanswered(quick_path: Path) -> None:
    opened = Opened(quick_path, Letters("old"))
    for n in range(20):
        opened.engine.remember(f"数据库 number {n}")
    opened.engine.close()
    opened.store.close()
    new = Letters("new", salt=7, dimension=32)
    opened = Opened(quick_path, new)
    store = opened.store
    old = Letters("old")
    seen: list[int] = []

    def ask_by_the_old(*_: object) -> None:
        vector = old.embed(["数据库 number 7"], kind="query")[0]
        vector /= (vector**2).sum() ** 0.5
        held = store.embedding()
        if held is not None and held.fingerprint == old.fingerprint:
            nearest = store.search_meaning(
                vector, fingerprint=old.fingerprint, spaces=["global"], where=None, limit=20
            )
            seen.append(len(nearest))
            assert type(nearest) is list  # nothing was missing

    opened.engine.reindex(progress=ask_by_the_old)
    assert seen
    assert set(seen) == {20}
    held = store.embedding()
    assert held is not None
    assert held.fingerprint == new.fingerprint
    asked = opened.meaning.asked
    recollection = opened.engine.recall("数据库 number 7")
    assert recollection.status is Status.ANSWERED
    assert recollection.hits[0].text == "数据库 number 7"
    assert opened.meaning.asked > asked
    assert all(check.ok for check in store.check())
    opened.engine.close()
    store.close()


# Forgetting


def traces(folder: Path) -> list[str]:
    return [
        f"{trace} in {file.name}"
        for file in sorted(folder.iterdir())
        if file.is_file()
        for trace in TRACES
        if trace.encode() in file.read_bytes()
    ]


def test_what_is_forgotten_is_in_no_file_of_any_engine(opened: Opened, quick_path: Path) -> None:
    engine = opened.engine
    engine.remember("an ordinary line 平常")
    canary = engine.remember(CANARY)
    seen = " ".join(traces(quick_path))
    assert all(f"zyxwvqcanary in {name}.db" in seen for name in ("truth", "words", "meaning"))
    receipt = engine.forget(canary.id)
    assert receipt.notes == ()
    assert traces(quick_path) == []
    assert found(engine, "貔貅饕餮 zyxwvqcanary") == ["an ordinary line 平常"]


def test_a_space_that_is_forgotten_is_in_no_file_of_any_engine(
    opened: Opened, quick_path: Path
) -> None:
    opened.engine.remember(CANARY, space="秘密")
    opened.engine.remember("an ordinary line 平常")
    opened.engine.forget_space("秘密")
    opened.store.finish_erasing([CANARY])
    assert traces(quick_path) == []


def test_an_engine_out_of_reach_owes_the_erasure_and_the_receipt_says_so(
    opened: Opened, quick_path: Path
) -> None:
    engine = opened.engine
    canary = engine.remember(CANARY)
    opened.words.down = True
    receipt = engine.forget(canary.id)
    (note,) = receipt.notes
    assert note.startswith("words-db could not be reached and still holds a copy")
    assert found(engine, "貔貅饕餮") == []
    assert {trace.split(" in ")[1] for trace in traces(quick_path)} <= {
        "words.db",
        "words.db-wal",
    }
    assert opened.store.owed()
    opened.words.down = False
    until(lambda: not opened.store.owed())
    assert traces(quick_path) == []


def test_an_engine_that_cannot_clean_up_is_named(opened: Opened) -> None:
    canary = opened.engine.remember(CANARY)
    opened.meaning.untidy = True
    (note,) = opened.engine.forget(canary.id).notes
    assert note.startswith("meaning-db has let go of its copy, but some of its bytes may be left")


def test_the_erasure_is_owed_also_after_a_restart(quick_path: Path) -> None:
    opened = Opened(quick_path, Letters())
    canary = opened.engine.remember(CANARY)
    opened.words.down = True
    opened.engine.forget(canary.id)
    opened.engine.close()
    opened.store.close()
    assert traces(quick_path)
    opened = Opened(quick_path, Letters())
    until(lambda: not opened.store.owed())
    opened.engine.close()
    opened.store.close()
    assert traces(quick_path) == []


# Several at once


def test_two_composites_on_the_same_files_see_each_other(quick_path: Path) -> None:
    one, two = Opened(quick_path, Letters()), Opened(quick_path, Letters())
    for n in range(10):
        writer, reader = (one, two) if n % 2 else (two, one)
        receipt = writer.engine.remember(f"第{n}件 thing{n}")
        assert f"第{n}件 thing{n}" in found(reader.engine, f"thing{n}")
        if n % 3 == 0:
            reader.engine.forget(receipt.id)
            assert f"第{n}件 thing{n}" not in found(writer.engine, f"thing{n}")
    for opened in (one, two):
        assert all(check.ok for check in opened.store.check())
        opened.engine.close()
    for opened in (one, two):
        opened.store.close()


def test_what_another_program_tells_the_truth_is_found(opened: Opened, quick_path: Path) -> None:
    opened.engine.remember("数据库 one")
    with Engine(quick_path / "truth.db", embedder=Letters(), settings=Settings()) as plain:
        plain.remember("another thing 乙")
    recollection = opened.engine.recall("another thing 乙")
    assert recollection.status is Status.ANSWERED
    assert recollection.hits[0].text == "another thing 乙"


@pytest.mark.parametrize("milliseconds", range(20, 260, 30))
def test_killed_at_any_time_it_goes_on_where_it_was(quick_path: Path, milliseconds: int) -> None:
    Opened(quick_path, Letters()).store.close()

    def work(say: Say) -> None:
        store = Opened(quick_path, Letters()).store
        for n in range(10_000):
            store.put([make_entry(make_memory(f"数据库 {n}\nline {n}", f"m{n}"))])
            say(f"m{n}")
            if n % 3 == 2:
                store.delete([f"m{n - 1}"])

    acknowledged = kill_after(work, milliseconds / 1000)
    assert not [line for line in acknowledged if line.startswith("failed")]
    store = Opened(quick_path, Letters()).store
    try:
        assert store.catch_up(30)
        kept = {memory.id for memory in store.scan(limit=10_000).memories}
        gone = {f"m{n - 1}" for n in range(2, 10_000, 3)}
        assert set(acknowledged) - gone <= kept
        by_words = store.search_words(["line"], spaces=["global"], where=None, limit=10_000)
        assert {one.memory_id for one in by_words} == kept
        assert all(check.ok for check in store.check() if "wait for" not in check.finding)
    finally:
        store.close()


def test_answers_are_kept_beside_several_engines_but_none_that_lacks_something(
    opened: Opened, quick_path: Path
) -> None:
    opened.engine.remember("小美负责数据库的备份")
    hot = Engine(opened.store, embedder=Letters(), settings=Settings(keep_events=0), hot="memory")

    def stages(question: str) -> list[str]:
        return [step.stage for step in hot.recall(question).trace.steps]

    assert "cached" not in stages("谁负责备份？")
    assert stages("谁负责备份？")[0] == "cached"
    opened.engine.remember("阿明负责 the backup 的恢复")
    assert "cached" not in stages("谁负责备份？")  # another generation
    opened.meaning.down = True
    for _ in range(2):  # degraded, so it is asked anew
        assert "cached" not in stages("who restores the backup?")
    hot.close()


def test_one_that_was_late_can_be_waited_for(opened: Opened) -> None:
    """Writes and questions do not; who says so does."""
    opened.engine.remember("小美负责数据库的备份")
    opened.words.hang()
    receipt = opened.engine.remember("阿明负责 the restore")
    (note,) = opened.engine.forget(receipt.id).notes
    assert note.startswith("words-db is behind and may still hold a copy")  # nothing failed yet
    assert not opened.store.catch_up(0.01)
    threading.Timer(0.3, opened.words.release).start()
    assert opened.store.catch_up(60.0)
    assert opened.store.owed() == []
