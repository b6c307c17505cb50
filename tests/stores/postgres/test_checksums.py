"""An altered row is not handed out: it is left out, named, and can be put back."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

from bethink.errors import StoreCorrupt
from bethink.stores.postgres.database import tenant_number
from bethink.stores.postgres.store import PostgresStore
from bethink.testing import ToyEmbedder, make_entry, make_memory
from bethink.testing.entries import NOON

TOY = ToyEmbedder()
TEXTS = {"en": "The meeting is on Friday", "zh": "预算会议在星期五下午两点半"}


@pytest.fixture
def store(open_store: Callable[[str], PostgresStore], tenant: str) -> PostgresStore:
    store = open_store(tenant)
    store.declare(TOY.embedding)
    store.put(
        [
            make_entry(
                make_memory(
                    text, name, tags=("a",), occurred_at=NOON,
                    metadata={"n": 1e22, "f": -0.0, "author": "李", "b": {"y": 1, "x": 2.50}},
                ),
                TOY,
            )
            for name, text in TEXTS.items()
        ],
        fingerprint=TOY.fingerprint,
    )  # fmt: skip
    assert None not in store.get(list(TEXTS)), "what was just stored is sound"
    return store


def alter(address: str, store: PostgresStore, change: str, memory_id: str) -> None:
    with psycopg.connect(address) as connection:
        number = tenant_number(store.tenant)
        connection.execute("SELECT set_config('bethink.tenant', %s, false)", (str(number),))
        done = connection.execute(
            f"UPDATE bethink.memories SET {change} WHERE id = %s".encode(), (memory_id,)
        )
        assert done.rowcount == 1


@pytest.mark.parametrize(
    "change",
    [
        "content = replace(replace(content, 'Friday', 'Monday'), '星期五', '星期一')",
        "kind = 'task'",
        """tags = '["b"]'""",
        "confidence = confidence / 2",
        "occurred_at = NULL",
        'metadata = metadata || \'{"author": "王"}\'',
        """provenance = '{"by": "nobody"}'""",
    ],
)
@pytest.mark.parametrize("memory_id", TEXTS)
def test_an_altered_row_is_left_out_and_named(
    address: str, store: PostgresStore, change: str, memory_id: str
) -> None:
    alter(address, store, change, memory_id)
    other = next(name for name in TEXTS if name != memory_id)
    mark = store.damage.number
    assert [m and m.id for m in store.get([memory_id, other])] == [None, other]
    assert store.damage.since(mark) == [memory_id]
    assert store.fetch([(memory_id, 0)]) == [None]
    damaged: list[str] = []
    assert [m.id for m in store.scan(damaged=damaged).memories] == [other]
    assert damaged == [memory_id] == list(store.scan().damaged)
    (texts,) = [check for check in store.check() if check.part == "texts"]
    assert not texts.ok and memory_id in texts.finding and "bethink import" in texts.fix
    with pytest.raises(StoreCorrupt, match="is damaged"):
        store.revise(make_entry(make_memory("new 新", memory_id), TOY))
    again = make_entry(make_memory(TEXTS[memory_id], memory_id), TOY)
    store.put([again], fingerprint=TOY.fingerprint)  # as an import does
    assert store.get([memory_id]) == [again.memory]
    assert all(check.ok for check in store.check() if check.part == "texts")


def test_counters_and_revisions_keep_the_checksum_right(store: PostgresStore) -> None:
    store.touch(accessed={"en": 2}, reinforced={"zh": 3})
    moved = make_entry(make_memory("moved to Monday 改到周一", "en"), TOY)
    store.revise(moved, fingerprint=TOY.fingerprint)
    held = store.get(["en", "zh"])
    assert [m and m.text for m in held] == ["moved to Monday 改到周一", TEXTS["zh"]]
    assert [former.memory.text for former in store.history("en")] == [TEXTS["en"]]


def test_rows_without_a_checksum_get_one_when_the_store_is_opened(
    address: str, store: PostgresStore
) -> None:
    alter(address, store, "checksum = NULL", "zh")
    assert store.get(["zh"]) != [None]
    again = PostgresStore(address, tenant=store.tenant)
    alter(address, again, "content = 'other 别的'", "zh")
    assert again.get(["zh"]) == [None]
    again.close()
