"""What is forgotten is in no file any more: not its text, not its words, not its vector."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from hashlib import blake2b
from pathlib import Path

import apsw
import numpy as np
import pytest

from bethink import Engine
from bethink.settings import Settings
from bethink.stores.sqlite import large
from bethink.stores.sqlite.posting_files import hash_term
from bethink.stores.sqlite.spaces import spaces_of
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import ToyEmbedder, make_entry, make_memory
from bethink.text.tokenise import terms

TOY = ToyEmbedder("toy", 16)
CANARY = "zyxwvqcanary 貔貅饕餮 ERR_QXZ_770315482 is the secret"
SECRETS = ("zyxwvqcanary", "貔貅", "饕餮", "貅饕", "err_qxz_770315482", "770315482")
HIDDEN = ("tagcanaryqq", "metacanaryqq", "sourcecanaryqq")


@pytest.fixture(params=["small", "large"])
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With all rows in the database, and with files of vectors, words and a quantiser."""
    if request.param == "large":
        monkeypatch.setattr(large, "SIDECAR_FROM", 10)
        monkeypatch.setattr(large, "POSTINGS_FROM", 10)
        monkeypatch.setattr(large, "PQ_FROM", 40)
        monkeypatch.setattr(large, "SCANS_BEFORE_PQ", 0)
        monkeypatch.setattr(large, "BEHIND_AT_LEAST", 5)
    return str(request.param)


@pytest.fixture
def engine(quick_path: Path, size: str) -> Iterator[Engine]:
    """Without events: these tests ask for the canary again, and a question asked is kept."""
    settings = Settings(keep_events=0)
    with Engine(quick_path / "s.db", embedder=TOY, settings=settings) as engine:
        yield engine


def tell(engine: Engine, *, space: str = "global", neighbours: int = 60) -> str:
    """The canary among ordinary memories; its id."""
    some = [{"text": f"ordinary thing {n} {space}", "space": space} for n in range(neighbours)]
    engine.remember_many(some[: neighbours // 2])
    receipt = engine.remember(
        CANARY,
        space=space,
        tags=["tagcanaryqq"],
        metadata={"k": "metacanaryqq"},
        source="sourcecanaryqq",
    )
    engine.remember_many(some[neighbours // 2 :])
    return receipt.id


def ask(engine: Engine, space: str = "global") -> None:
    """So that this process has everything in memory that it can have."""
    for text in (CANARY, "ordinary thing 7"):
        engine.recall(text, spaces=space)
        engine.recall(text, spaces=space)


def traces(folder: Path, *, text: bool = True) -> list[str]:
    """Where anything of the canary is found in the bytes of any file."""
    vector = TOY.embed([CANARY])[0].tobytes()
    wanted = {f"vector[{at}:]": vector[at : at + 16] for at in range(0, len(vector) - 15, 16)}
    if text:
        wanted |= {secret: secret.encode() for secret in (*SECRETS, *HIDDEN)}
    else:
        wanted |= {
            f"hash of {term}": hash_term(term).to_bytes(8, "little")
            for term in terms(CANARY)
            if term not in ("is", "the", "secret")
        }
    found: list[str] = []
    for file in folder.rglob("*"):
        if file.is_file():
            data = file.read_bytes()
            found += [f"{name} in {file.name}" for name, piece in wanted.items() if piece in data]
    return found


def clean(folder: Path) -> None:
    assert traces(folder) == []
    assert traces(folder, text=False) == []


def test_the_canary_can_be_seen(engine: Engine, quick_path: Path, size: str) -> None:
    """Or the tests below would prove nothing."""
    tell(engine)
    engine.store.maintain()
    seen = " ".join(traces(quick_path) + traces(quick_path, text=False))
    assert "zyxwvqcanary in s.db" in seen
    assert "vector[0:] in s.db" in seen
    if size == "large":
        assert "hash of zyxwvqcanari in words-1-" in seen
        assert "vector[0:] in vectors_1-1-" in seen


@pytest.mark.parametrize("maintained", [False, True])
def test_forget(engine: Engine, quick_path: Path, maintained: bool) -> None:
    memory_id = tell(engine)
    if maintained:
        engine.store.maintain()
    ask(engine)
    engine.forget(memory_id)
    clean(quick_path)
    ask(engine)
    engine.store.maintain()
    clean(quick_path)
    engine.close()
    clean(quick_path)


@pytest.mark.parametrize("revised", [False, True])
def test_questions_that_found_it_go_too(quick_path: Path, revised: bool) -> None:
    with Engine(quick_path / "s.db", embedder=TOY, settings=Settings()) as engine:
        memory_id = tell(engine)
        ask(engine)
        engine.recall("ordinary", meaning=False)  # does not find it
        engine.events.flush()
        assert any(".events" in place for place in traces(quick_path))
        if revised:
            engine.revise(memory_id, text="a dull line")
            assert not any(".events" in place for place in traces(quick_path))
        else:
            ask(engine)  # not written yet
            engine.forget(memory_id)
            clean(quick_path)
        assert "ordinary" in {event.data["question"] for event in engine.events.since(0)}


def test_forget_what_came_after_the_file_was_written(engine: Engine, quick_path: Path) -> None:
    engine.remember_many([{"text": f"before {n}"} for n in range(80)])
    engine.store.maintain()
    memory_id = tell(engine, neighbours=4)
    ask(engine)  # in memory it stands in the tail now
    engine.forget(memory_id)
    engine.remember_many([{"text": f"after {n}"} for n in range(80)])
    engine.store.maintain()  # writes the tail to the file
    clean(quick_path)
    assert not engine.recall("zyxwvqcanary", meaning=False).hits


def test_forget_through_another_process(engine: Engine, quick_path: Path) -> None:
    memory_id = tell(engine)
    engine.store.maintain()
    ask(engine)
    other = SQLiteStore(quick_path / "s.db")
    other.delete([memory_id])
    clean(quick_path)
    ask(engine)
    engine.remember_many([{"text": f"after {n}"} for n in range(80)])
    engine.store.maintain()
    clean(quick_path)
    other.close()


def test_forget_a_space(engine: Engine, quick_path: Path) -> None:
    tell(engine, space="项目")
    engine.remember("stays here")
    engine.store.maintain()
    ask(engine, "项目")
    assert engine.forget_space("项目") == 61
    clean(quick_path)
    assert engine.recall("stays").hits


def test_revise_leaves_words_and_vector_nowhere(engine: Engine, quick_path: Path) -> None:
    """The former text is kept on purpose, as history; forgetting takes that too."""
    memory_id = tell(engine)
    engine.store.maintain()
    ask(engine)
    engine.revise(memory_id, text="something harmless", tags=[], metadata={}, source="")
    assert traces(quick_path, text=False) == []
    db = apsw.Connection(str(quick_path / "s.db"), flags=apsw.SQLITE_OPEN_READONLY)
    for secret in ("zyxwvq", "貔貅", "err_qxz"):
        for table, column in (("data", "block"), ("content", "c0")):
            counted = f"SELECT count(*) FROM words_1_{table} WHERE instr({column}, ?)"
            binding = secret.encode() if column == "block" else secret
            assert db.execute(counted, (binding,)).get == 0
    db.close()
    assert engine.history(memory_id)[0].memory.text == CANARY
    engine.forget(memory_id)
    clean(quick_path)


def test_what_a_killed_writer_left_goes_too(engine: Engine, quick_path: Path, size: str) -> None:
    memory_id = tell(engine)
    engine.store.maintain()
    folder = large.directory(quick_path / "s.db")
    if size == "large":  # a generation that was never listed, a draft, and rows beyond the list
        for file in list(folder.iterdir()):
            shutil.copy(file, folder / re.sub(r"-1-....", "-1-ffff", file.name))
            shutil.copy(file, folder / (file.name + ".new"))
        (vectors,) = [f for f in folder.glob("*.f32") if "ffff" not in f.name]
        with open(vectors, "ab") as grown:
            grown.write(TOY.embed([CANARY])[0].tobytes())
    engine.forget(memory_id)
    clean(quick_path)


def test_a_file_that_cannot_be_read_is_shredded(
    engine: Engine, quick_path: Path, size: str
) -> None:
    memory_id = tell(engine)
    engine.store.maintain()
    for file in large.directory(quick_path / "s.db").glob("*.ids"):
        file.write_bytes(np.arange(7).tobytes())
    engine.forget(memory_id)
    clean(quick_path)


def test_a_reader_that_lingers_delays_the_log_only_until_it_goes(
    engine: Engine, quick_path: Path
) -> None:
    memory_id = tell(engine)
    reader = apsw.Connection(str(quick_path / "s.db"), flags=apsw.SQLITE_OPEN_READONLY)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM memories").get == 61
    engine.forget(memory_id)
    assert reader.execute("SELECT count(*) FROM memories").get == 61
    reader.close()
    engine.close()
    clean(quick_path)


def test_many_that_go_at_once_leave_no_word(quick_path: Path) -> None:
    """The lists of words are written anew, which takes less than to cut each out of them."""
    # words that begin alike are kept without their beginnings
    canaries = [blake2b(str(n).encode(), digest_size=12).hexdigest() for n in range(40)]
    gone = [make_memory(f"common {word} 貔{n}貅 gone", f"g{n}") for n, word in enumerate(canaries)]
    with closing(SQLiteStore(quick_path / "s.db")) as store:
        for n, memory in enumerate(gone):
            store.put([make_entry(memory), make_entry(make_memory(f"common {n} stays", f"k{n}"))])
        assert all(store.delete([memory.id for memory in gone]))
        assert store.finish_erasing([memory.text for memory in gone])
        assert len(store.search_words(["common"], spaces=["global"], where=None, limit=99)) == 40
        assert store.search_words(["gone"], spaces=["global"], where=None, limit=99) == []
        store.delete(["k0"])  # and from then on one by one, as carefully as before
        assert all(check.ok for check in store.check() if check.part != "disk")
    data = b"".join(file.read_bytes() for file in quick_path.iterdir())
    for word in canaries:
        assert word[6:].encode() not in data
    assert "貔".encode() not in data
    with closing(apsw.Connection(str(quick_path / "s.db"))) as connection:
        (space,) = spaces_of(connection, ["global"])
        sql = f"SELECT v FROM words_{space.id}_config WHERE k = 'secure-delete'"
        assert connection.execute(sql).get == 1
