"""A store with something of everything in it, in both languages."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bethink.stores.protocol import Store
from bethink.testing import ToyEmbedder, make_entry, make_memory, make_offer
from bethink.testing.entries import NOON
from bethink.text.tokenise import query_terms
from bethink.vocabulary import Decision, Event, Found, Principal, Ruling

TOY = ToyEmbedder()
OTHER = ToyEmbedder("other", 6)
LATER = NOON + timedelta(hours=1)
SPACES = ("global", "项目", "team/alpha")
QUESTIONS = ("预算会议 budget", "dark theme 深色", "number 7", "谁 prefers 什么")


def fill(store: Store, many: int = 20) -> None:
    store.declare(TOY.embedding)
    for space in SPACES:
        store.put(
            [
                make_entry(
                    make_memory(
                        f"number {n}: 预算会议改到周五\nMei prefers dark theme {n}",
                        f"{space}-{n}",
                        space=space,
                        tags=("ui", "深色"),
                        entities=("小美",),
                        metadata={
                            "页": n,
                            "ratio": 1.0,
                            "很大": 1e22,
                            "x": [None, True, {"a": 0.1}],
                        },
                        provenance={"trust": "unverified"} if n % 5 == 0 else {},
                        confidence=0.5,
                        occurred_at=datetime(2025, 1, 1 + n % 28, tzinfo=UTC),
                        valid_to=LATER if n % 7 == 0 else None,
                        reinforcement=n,
                        access_count=2 * n,
                    ),
                    TOY,
                )
                for n in range(many)
            ],
            fingerprint=TOY.fingerprint,
        )
    _revised(store)
    _waiting(store)
    store.open_space("空的")
    store.write_note("settings/项目/limit", "3")
    store.write_note("withheld/one", "项目")
    _tiers(store)


def _revised(store: Store) -> None:
    (former,) = store.get(["项目-1"])
    assert former is not None
    for text, minutes in (("改过一次 revised once", 1), ("改过两次 revised twice", 2)):
        at = NOON + timedelta(minutes=minutes)
        entry = make_entry(replace(former, text=text, updated_at=at), TOY)
        store.revise(entry, fingerprint=TOY.fingerprint)


def _waiting(store: Store) -> None:
    """One memory without vectors, one of whose passages only the first has one; and an index by
    another embedder that is being built."""
    store.put([make_entry(make_memory("还没有向量 no vector yet\nsecond 第二行", "half"))])
    first = store.unembedded(TOY.fingerprint, limit=1)
    store.fill(TOY.fingerprint, [first[0].handle], TOY.embed([first[0].text]))
    store.put([make_entry(make_memory("什么都没有 nothing at all", "none", space="项目"))])
    store.build(OTHER.embedding)
    some = store.unembedded(OTHER.fingerprint, limit=5)
    store.fill(OTHER.fingerprint, [u.handle for u in some], OTHER.embed([u.text for u in some]))


def _tiers(store: Store) -> None:
    quarantine, working, events = store.tiers()
    offers = [
        make_offer(
            f"有人说 offered {n}",
            f"o{n}",
            space="only offered 只提过" if n == 3 else "项目",
            by=Principal("小明", "mcp"),
            parents=("o0",) if n else (),
            origins=("s0",),
            findings=("像命令",),
            risk=0.25,
        )
        for n in range(4)
    ]
    quarantine.log(offers)
    quarantine.decide(
        [
            Ruling("o1", Decision.REJECTED, "不对", "reviewer", NOON),
            Ruling("o1", Decision.ADMITTED, "taken back", "reviewer", LATER, undo=True),
            Ruling("o2", Decision.PROMOTED, "good", "评审", LATER, "项目-2", supersedes="项目-3"),
        ]
    )
    for number, offer in enumerate(offers):
        working.add([offer.memory], now=NOON, keep=50, seconds=3600.25 + number)
    working.add([offers[0].memory], now=NOON, keep=50, seconds=1800)  # the newest again
    events.append(
        [Event(0, NOON, "tier_change", ("项目",), {"id": f"o{n}", "次": n}) for n in range(7)],
        keep=100,
    )


def answers(store: Store) -> list[list[Found]]:
    """What it says to some questions, in every way."""
    said: list[list[Found]] = []
    for question in QUESTIONS:
        for spaces in (["global"], list(SPACES)):
            said.append(
                store.search_words(query_terms(question), spaces=spaces, where=None, limit=15)
            )
            said.append(
                store.search_meaning(
                    TOY.embed([question])[0],
                    fingerprint=TOY.fingerprint,
                    spaces=spaces,
                    where=None,
                    limit=15,
                )
            )
    return said
