"""What is erased from a tier is in no file any more, and in no log of one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import apsw
import pytest

from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import make_memory, make_offer
from bethink.testing.entries import NOON
from bethink.vocabulary import Decision, Event, Offer, Ruling

CANARY = "zyxwvqcanary 貔貅饕餮 is the secret " + "长 long " * 2000  # and beyond one page
SECRETS = (
    "zyxwvqcanary",
    "貔貅饕餮",
    "长 long",
    "reasoncanary",
    "裁决",
    "findingcanary",
    "parentcanary",
)


@pytest.fixture
def store(quick_path: Path) -> Iterator[SQLiteStore]:
    store = SQLiteStore(quick_path / "s.db")
    yield store
    store.close()


def seen(folder: Path) -> set[str]:
    """Which of the secrets stand in the bytes of any file."""
    data = b"\0".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
    return {secret for secret in SECRETS if secret.encode() in data}


def canary(space: str = "global") -> Offer:
    return make_offer(
        CANARY,
        "canary",
        space=space,
        parents=("parentcanary",),
        findings=("findingcanary",),
        reason="reasoncanary",
    )


def ordinary(first: int, last: int) -> list[Offer]:
    return [
        make_offer(f"ordinary 普通 {n}", f"o{n}", parents=(f"o{n - 1}",))
        for n in range(first, last)
    ]


def offer_it(store: SQLiteStore, space: str = "global") -> None:
    """The canary among ordinary things, in quarantine and in working memory, decided twice."""
    quarantine, working, _ = store.tiers()
    quarantine.log(ordinary(0, 40))
    quarantine.log([canary(space)])
    quarantine.log(ordinary(40, 80))
    quarantine.decide([Ruling("canary", Decision.HELD, "裁决 reasoncanary", "me", NOON)])
    quarantine.decide([Ruling(f"o{n}", Decision.REJECTED, "no", "me", NOON) for n in range(80)])
    memories = [offer.memory for offer in (*ordinary(0, 9), canary(space), *ordinary(9, 18))]
    working.add(memories, now=NOON, keep=50, seconds=9)


def test_the_canary_can_be_seen(store: SQLiteStore, quick_path: Path) -> None:
    """Or the tests below would prove nothing."""
    offer_it(store)
    assert seen(quick_path) == set(SECRETS)


def test_erased_by_its_id(store: SQLiteStore, quick_path: Path) -> None:
    offer_it(store)
    quarantine, working, _ = store.tiers()
    assert quarantine.erase(["canary"]) == 1
    assert seen(quick_path) == {"zyxwvqcanary", "貔貅饕餮", "长 long"}  # in working memory still
    assert working.remove(["canary"]) == [True]
    assert seen(quick_path) == set()
    assert store.finish_erasing()
    store.close()
    assert seen(quick_path) == set()


def test_erased_with_its_space(store: SQLiteStore, quick_path: Path) -> None:
    offer_it(store, "项目")
    quarantine, working, _ = store.tiers()
    assert (working.erase_space("项目"), quarantine.erase_space("项目")) == (1, 1)
    assert seen(quick_path) == set()
    assert len(quarantine.scan().offers) == 80


@pytest.mark.parametrize("how", ["expired", "fallen out", "told anew"])
def test_what_working_memory_lets_go_of(store: SQLiteStore, quick_path: Path, how: str) -> None:
    working = store.tiers().working
    working.add([canary().memory], now=NOON, keep=9, seconds=9)
    assert seen(quick_path)
    if how == "expired":  # by adding anything anywhere
        later = NOON + timedelta(seconds=9)
        working.add([make_memory("new", "new", space="项目")], now=later, keep=9, seconds=9)
        assert seen(quick_path) == set()
    if how == "fallen out":
        working.add([o.memory for o in ordinary(0, 9)], now=NOON, keep=9, seconds=9)
    if how == "told anew":
        working.add([make_memory("harmless", "canary")], now=NOON, keep=9, seconds=9)
    working.remove(["nobody"])  # whoever erases anything empties the log
    assert seen(quick_path) == set()


def test_events_of_a_space(store: SQLiteStore, quick_path: Path) -> None:
    events = store.tiers().events
    asked = Event(0, NOON, "recalled", ("项目", "global"), {"question": "貔貅饕餮 zyxwvqcanary?"})
    other = Event(0, NOON, "recalled", ("global",), {"question": "what else?"})
    events.append([other, asked, other] * 20, keep=99)
    assert seen(quick_path) == {"zyxwvqcanary", "貔貅饕餮"}
    assert events.erase_space("项目") == 20
    assert seen(quick_path) == set()
    assert len(events.since(0)) == 40


def test_events_that_gave_way(store: SQLiteStore, quick_path: Path) -> None:
    events = store.tiers().events
    asked = Event(0, NOON, "recalled", ("global",), {"question": "貔貅饕餮 zyxwvqcanary?"})
    other = Event(0, NOON, "recalled", ("global",), {"question": "what else?"})
    events.append([asked], keep=5)
    events.append([other] * 5, keep=5)
    store.close()
    assert seen(quick_path) == set()


def test_a_reader_that_lingers_delays_the_log_only_until_it_goes(
    store: SQLiteStore, quick_path: Path
) -> None:
    offer_it(store)
    quarantine, working, _ = store.tiers()
    reader = apsw.Connection(str(store.path), flags=apsw.SQLITE_OPEN_READONLY)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM offers").get == 81
    working.remove(["canary"])
    quarantine.erase(["canary"])
    assert not store.finish_erasing()
    reader.close()
    assert store.finish_erasing()
    assert seen(quick_path) == set()


def test_a_reader_of_the_events_is_waited_for_too(store: SQLiteStore, quick_path: Path) -> None:
    events = store.tiers().events
    events.append([Event(0, NOON, "k", ("项目",), {"question": "zyxwvqcanary"})], keep=9)
    reader = apsw.Connection(str(store.path) + ".events", flags=apsw.SQLITE_OPEN_READONLY)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM events").get == 1
    assert events.erase_space("项目") == 1
    assert not store.finish_erasing()
    reader.close()
    assert store.finish_erasing()
    assert seen(quick_path) == set()
