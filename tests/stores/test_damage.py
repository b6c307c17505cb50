"""Altered records are noticed when they are read: left out, named in the answer and by doctor."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from bethink import Engine
from bethink.errors import StoreCorrupt
from bethink.settings import Settings
from bethink.stores.damage import Damage, sealed, unsealed
from bethink.stores.sqlite import large
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import ToyEmbedder, make_memory, make_offer
from bethink.testing.entries import NOON
from bethink.testing.programs import same_state
from bethink.vocabulary import Decision, Event, Ruling, Status
from tests.contract.filled import fill
from tests.stores.sqlite.golden import unpack

TOY = ToyEmbedder("toy", 16)
TEXTS = {
    "en": "The budget meeting of the Heron project is on Friday at 14:30 in room 402",
    "zh": "苍鹭项目的预算会议在星期五下午两点半，地点是四零二会议室",
}


def opened(path: Path) -> Engine:
    return Engine(path, embedder=TOY, settings=Settings())


@pytest.fixture
def path(quick_path: Path) -> Path:
    with opened(quick_path / "m.db") as engine:
        for name, text in TEXTS.items():
            engine.remember(text, id=name, tags=["calendar"], metadata={"author": "Li"})
        engine.remember_many([{"text": f"ordinary thing {n} 普通的事情"} for n in range(38)])
    return quick_path / "m.db"


def flip(path: Path, wanted: bytes, at: int, to: bytes) -> None:
    """Change one byte of the main file, inside the only place where these bytes stand."""
    data = bytearray(path.read_bytes())
    places = [n for n in range(len(data)) if data.startswith(wanted, n)]
    assert places, "the text is not in the main file"
    for place in places:
        data[place + at : place + at + len(to)] = to
    path.write_bytes(data)


DAMAGES: dict[str, tuple[str, bytes, int, bytes]] = {
    "a digit": ("en", b"at 14:30 in", 4, b"5"),
    "a letter of a Chinese word": ("zh", "星期五".encode(), 8, bytes(["五".encode()[2] ^ 1])),
    "no UTF-8 any more": ("zh", "星期五".encode(), 0, b"\xff"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_an_altered_text_is_not_answered_and_named(path: Path, damage: str) -> None:
    memory_id, wanted, at, to = DAMAGES[damage]
    flip(path, wanted, at, to)
    with opened(path) as engine:
        for _ in range(2):  # also when the answer could be remembered
            answer = engine.recall(TEXTS[memory_id], floor=0.0, limit=50)
            assert memory_id not in [hit.memory.id for hit in answer.hits]
            assert answer.hits, "the others are still answered"
            assert answer.status is Status.DEGRADED
            assert any(memory_id in reason and "doctor" in reason for reason in answer.reasons)
        other = next(name for name in TEXTS if name != memory_id)
        assert engine.get(other) is not None
        with pytest.raises(StoreCorrupt, match=rf"'{memory_id}' is damaged.*bethink import"):
            engine.get(memory_id)
        page = engine.list(limit=100)
        assert memory_id not in [m.id for m in page.memories]
        assert page.damaged == (memory_id,)
        assert engine.count() == engine.count(where={"confidence": {"gte": 0}}) == 40
        exported = engine.export()
        with pytest.raises(StoreCorrupt, match=rf"not complete.*{memory_id}.*doctor"):
            assert [next(exported) for _ in range(39)] and list(exported)
        (texts,) = [check for check in engine.doctor() if check.part == "texts"]
        assert not texts.ok and memory_id in texts.finding and "bethink import" in texts.fix
        assert "38" not in texts.finding


COLUMNS: dict[str, str] = {
    "text": "text = replace(text, 'Friday', 'Monday')",
    "kind": "kind = 'task'",
    "section": "section = 'x'",
    "tags": "tags = '[\"other\"]'",
    "entities": "entities = '[\"Bob\"]'",
    "source": "source = 'x'",
    "provenance": 'provenance = \'{"by":"someone"}\'',
    "confidence": "confidence = confidence / 2",
    "occurred_at": "occurred_at = 1",
    "created_at": "created_at = created_at + 1",
    "updated_at": "updated_at = updated_at + 1",
    "valid_from": "valid_from = 1",
    "valid_to": "valid_to = 9223372036854",
    "metadata": 'metadata = \'{"author":"Lo"}\'',
    "checksum": "checksum = checksum + 1",
    "another type": "text = x'00ff'",
}


@pytest.mark.parametrize("column", COLUMNS)
def test_every_column_is_covered(path: Path, column: str) -> None:
    db = apsw.Connection(str(path))
    db.execute(f"UPDATE memories SET {COLUMNS[column]} WHERE id = 'en'")
    db.close()
    with opened(path) as engine:
        assert engine.store.get(["en", "zh"])[0] is None
        assert engine.store.get(["zh"])[0] is not None
        assert engine.store.scan(limit=100).memories == [
            m for m in engine.store.scan(limit=100).memories if m.id != "en"
        ]


def test_a_memory_that_slips_into_another_space_is_not_handed_out_there(path: Path) -> None:
    with opened(path) as engine:
        engine.remember("secret of the other team 别组的秘密", space="other", id="theirs")
    db = apsw.Connection(str(path))
    db.execute("UPDATE memories SET space = 1 WHERE id = 'theirs'")
    db.close()
    with opened(path) as engine:
        assert engine.store.get(["theirs"]) == [None]


def test_counters_do_not_break_the_checksum(path: Path) -> None:
    with opened(path) as engine:
        engine.recall(TEXTS["en"])
        engine.reinforce("zh", 3)
        assert engine.remember(TEXTS["en"], metadata={"author": "Li"}).id == "en"
    with opened(path) as engine:
        held = engine.store.get(["en", "zh"])
        assert [m and m.reinforcement for m in held] == [1, 3]


def test_a_damaged_memory_comes_back_with_an_export(path: Path, quick_path: Path) -> None:
    with opened(path) as engine:
        before = engine.get("zh")
        records = list(engine.export())
    flip(path, "星期五".encode(), 8, bytes(["五".encode()[2] ^ 1]))
    file = quick_path / "backup.jsonl"
    file.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records), "utf-8")
    with opened(path) as engine:
        with pytest.raises(StoreCorrupt):
            engine.get("zh")
        engine.import_from(file)
        after = engine.get("zh")
        assert before is not None and after is not None and after.text == before.text
        assert engine.recall(TEXTS["zh"], floor=0.0).status is not Status.DEGRADED
        assert all(check.ok for check in engine.doctor() if check.part in ("texts", "file"))


def test_what_is_told_again_is_not_counted_with_a_damaged_memory(path: Path) -> None:
    flip(path, b"at 14:30 in", 4, b"5")
    with opened(path) as engine:
        again = engine.remember(TEXTS["en"], metadata={"author": "Li"})
        assert again.id != "en"
        assert engine.recall(TEXTS["en"], floor=0.0).hits[0].memory.text == TEXTS["en"]
        receipt = engine.forget("en")
        assert "damaged" in " ".join(receipt.notes)
        assert all(check.ok for check in engine.doctor() if check.part == "texts")
    assert b"at 54:30 in" not in path.read_bytes()


def test_a_damaged_memory_of_a_large_space_is_replaced_in_its_index_files(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large, "SIDECAR_FROM", 10)
    monkeypatch.setattr(large, "POSTINGS_FROM", 10)
    monkeypatch.setattr(large, "BEHIND_AT_LEAST", 5)
    with opened(path) as engine:
        engine.store.maintain()
    flip(path, b"at 14:30 in", 4, b"5")
    with opened(path) as engine:
        engine.remember(TEXTS["en"], id="en")
        (first, *_) = engine.recall(TEXTS["en"], floor=0.0).hits
        assert first.memory.id == "en"
        assert all(check.ok for check in engine.doctor() if check.part == "index files")


# History, tiers and events


def tiers_used(store: SQLiteStore) -> None:
    tiers = store.tiers()
    tiers.quarantine.log([make_offer("预算 offered Friday", "o1"), make_offer("two Friday", "o2")])
    tiers.quarantine.decide([Ruling("o1", Decision.HELD, "because Friday", "me", NOON)])
    tiers.working.add(
        [make_memory("最近 recent Friday", "w1"), make_memory("最近 other", "w2")],
        now=NOON, keep=9, seconds=9,
    )  # fmt: skip
    tiers.events.append(
        [
            Event(0, NOON, "recalled", ("global",), {"question": "预算 Friday?"}),
            Event(0, NOON, "recalled", ("global",), {"question": "other?"}),
        ],
        keep=9,
    )


def seen(store: SQLiteStore) -> dict[str, list[str]]:
    tiers = store.tiers()
    return {
        "offers": [offer.id for offer in tiers.quarantine.scan(newest_first=False).offers],
        "rulings": [ruling.reason for ruling in tiers.quarantine.rulings("o1")],
        "working": [memory.id for memory in tiers.working.recent(["global"], now=NOON, limit=9)],
        "events": [str(event.data["question"]) for event in tiers.events.since(0)],
        "history": [former.memory.text for former in store.history("en")],
    }


RECORDS: dict[str, tuple[str, str, dict[str, list[str]]]] = {
    "the memory of an offer": (
        "UPDATE offers SET memory = replace(memory, 'Friday', 'Monday') WHERE id = 'o2'",
        "quarantine",
        {"offers": ["o1"]},
    ),
    "the details of an offer": (
        "UPDATE offers SET details = replace(details, 'true', 'false'), source_hash = 'x' "
        "WHERE id = 'o2'",
        "quarantine",
        {"offers": ["o1"]},
    ),
    "a decision": (
        "UPDATE rulings SET reason = 'because Monday' WHERE reason = 'because Friday'",
        "quarantine",
        {"offers": ["o2"]},
    ),
    "working memory": (
        "UPDATE working SET memory = replace(memory, 'Friday', 'Monday')",
        "working memory",
        {"working": ["w2"]},
    ),
    "a former text": (
        "UPDATE revisions SET snapshot = replace(snapshot, 'Friday', 'Monday')",
        "history",
        {"history": []},
    ),
    "an event": (
        "UPDATE events SET data = replace(data, 'Friday', 'Monday')",
        "events",
        {"events": ["other?"]},
    ),
}


@pytest.mark.parametrize("record", RECORDS)
def test_altered_records_are_left_out_and_named(path: Path, record: str) -> None:
    with opened(path) as engine:
        engine.revise("en", text="The meeting is on Monday")
        assert isinstance(engine.store, SQLiteStore)
        tiers_used(engine.store)
    store = SQLiteStore(path)
    before = seen(store)
    assert len(before["rulings"]) == 2 and len(before["history"]) == 1
    store.close()
    statement, part, left = RECORDS[record]
    db = apsw.Connection(f"{path}.events" if part == "events" else str(path))
    db.execute(statement)
    assert db.changes()
    db.close()
    store = SQLiteStore(path)
    mark = store.damage.number
    after = seen(store)
    if record == "a decision":
        before["rulings"] = [reason for reason in before["rulings"] if "Friday" not in reason]
    assert after == {**before, **left}
    assert store.damage.since(mark)
    (check,) = [check for check in store.check() if check.part == part]
    assert not check.ok and "1 of" in check.finding
    store.close()


# Older stores


@pytest.mark.parametrize("name", ["schema-1.db", "schema-3.db"])
def test_an_older_store_gets_its_checksums(quick_path: Path, name: str) -> None:
    old = unpack(name, quick_path)
    reference = SQLiteStore(quick_path / "new.db")
    fill(reference)
    store = SQLiteStore(old)
    if name == "schema-1.db":
        same_state(store, reference)
    else:
        assert [former.memory.id for former in store.history("m7")] == ["m7"]
        assert len(store.tiers().quarantine.scan().offers) == 2
        assert len(store.tiers().events.since(0)) == 1
    reference.close()
    assert all(check.ok for check in store.check() if check.part != "disk")
    store.close()
    db = apsw.Connection(str(old))
    assert db.execute("SELECT count(*) FROM memories WHERE checksum IS NULL").get == 0
    db.execute("UPDATE memories SET text = 'altered 改过' WHERE id = 'm3'")
    db.close()
    store = SQLiteStore(old)
    assert store.get(["m3"]) == [None]
    store.close()


def test_an_older_store_that_is_only_read_has_no_checksums_and_answers(quick_path: Path) -> None:
    old = unpack("schema-3.db", quick_path)
    store = SQLiteStore(old, read_only=True)
    assert len(store.scan(limit=500).memories) == 120
    assert len(store.tiers().quarantine.rulings("o1")) == 2
    assert store.damage.number == 0
    store.close()


def test_what_an_older_process_inserts_is_sealed_at_the_next_start(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("UPDATE memories SET checksum = NULL WHERE id = 'zh'")
    db.close()
    store = SQLiteStore(path)
    assert store.get(["zh"])[0] is not None
    store.close()
    db = apsw.Connection(str(path))
    assert db.execute("SELECT count(*) FROM memories WHERE checksum IS NULL").get == 0
    db.close()


# The seal of a JSON text


def changes_of(text: str) -> Iterator[str]:
    chance = random.Random(7)
    for at in range(len(text)):
        yield text[:at] + chr((ord(text[at]) ^ (1 << chance.randrange(6))) or 33) + text[at + 1 :]


@pytest.mark.parametrize(
    "value", [["a", "预算", 1.5, None], {"q": "预算?", "n": [1, 2]}, {"sum": "deadbeef"}, {}]
)
def test_a_seal_finds_every_changed_character(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    closed = sealed(text, "beside 旁")
    assert json.loads(closed)
    assert unsealed(closed, "beside 旁") == text

    def believed(changed: str) -> object:
        try:
            return json.loads(unsealed(changed, "beside 旁"))
        except ValueError:
            return None

    body = len(text) - 1  # behind it stands the checksum itself
    assert [c for c in list(changes_of(closed))[:body] if believed(c) is not None] == []
    wrong: list[Callable[[], str]] = [lambda: unsealed(closed, "beside"), lambda: unsealed(closed)]
    for attempt in wrong:
        with pytest.raises(ValueError, match="checksum"):
            attempt()
    if value != {"sum": "deadbeef"}:
        assert unsealed(text) == text


def test_damage_is_told_by_space_and_once() -> None:
    damage = Damage()
    damage.note("a", "x")
    mark = damage.number
    for space, record in (("a", "x"), ("b", "y"), ("a", "x")):
        damage.note(space, record)
    assert damage.since(0) == ["x", "y"]
    assert damage.since(mark, ["a"]) == ["x"]
    assert damage.since(damage.number) == []
