"""Random programs for the tiers: the same steps on a store's and on the reference's, compared after
every step. Everything must be the same, errors too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from bethink.stores.in_memory import InMemoryStore
from bethink.stores.protocol import Store
from bethink.stores.tiers import Quarantine, Tiers
from bethink.testing.entries import NOON, make_offer
from bethink.testing.programs import EVERYTHING, attempt, randomly
from bethink.testing.strategies import IDS, SPACES, labels, memories, objects, some_spaces
from bethink.vocabulary import Decision, Event, Memory, Offer, Ruling


class TierStep(NamedTuple):
    """One thing to do with one of the tiers; of no tier: open the store again."""

    tier: str
    method: str
    positional: tuple[Any, ...] = ()
    named: Mapping[str, Any] = MappingProxyType({})

    def run(self, tiers: Tiers) -> Any:
        if self.method == "scan":
            return pages(tiers.quarantine, **self.named)
        return getattr(getattr(tiers, self.tier), self.method)(*self.positional, **self.named)


REOPEN = TierStep("", "reopen")


def pages(quarantine: Quarantine, **asked: Any) -> list[list[str]]:
    """Every page to the end, by the ids on it. Cursors are the store's own: only where the pages
    turn must be the same."""
    found: list[list[str]] = []
    cursor: str | None = None
    while True:
        page = quarantine.scan(cursor=cursor, **asked)
        found.append([offer.id for offer in page.offers])
        cursor = page.cursor
        if cursor is None:
            return found


def same_tiers(tiers: Tiers, reference: Tiers) -> None:
    """Everything that can be listed is the same."""
    assert _everything(tiers) == _everything(reference)


def _everything(tiers: Tiers) -> list[Any]:
    quarantine, working, events = tiers
    offers = quarantine.scan(limit=EVERYTHING).offers
    return [
        offers,
        [quarantine.rulings(offer.id) for offer in offers],
        [quarantine.children([name]) for name in IDS],
        [quarantine.made_from(name) for name in IDS],
        [working.recent([space], now=_START, limit=EVERYTHING) for space in SPACES],
        working.recent(SPACES, now=NOON, limit=EVERYTHING),
        events.since(0, limit=EVERYTHING),
        (events.first(), events.last()),
    ]


# Few moments, spans and bounds, so that they meet often and stand exactly at each other's edge.
_START = NOON - timedelta(seconds=30)
moments = st.integers(-3, 3).map(lambda n: NOON + timedelta(seconds=10 * n))
spans = st.sampled_from([0.0, 10.0, 20.0, 1000.0])
keeps = st.sampled_from([1, 2, 3, 50])
limits = st.sampled_from([1, 2, 3, 50])
names = st.lists(st.sampled_from([*IDS, "nobody"]), max_size=3)
sources = st.sampled_from(["book", "网页"])
identities = st.sampled_from(["same", "别的", ""])
decisions = st.sampled_from(list(Decision))
kinds = st.sampled_from(["recalled", "晋升"])


@st.composite
def offers(draw: st.DrawFn) -> Offer:
    memory: Memory = draw(memories())
    return replace(
        make_offer(memory.text, memory.id),
        memory=memory,
        parents=tuple(draw(names)),
        origins=tuple(draw(names)),
        source_hash=draw(sources),
        identity=draw(identities),
        decision=draw(decisions),
        findings=draw(labels),
        redacted=draw(labels),
        risk=draw(st.sampled_from([0.0, 0.5, 1.0])),
        trusted=draw(st.booleans()),
        decided_at=draw(moments),
    )


rulings = st.builds(
    Ruling,
    offer_id=st.sampled_from([*IDS, *IDS, "nobody"]),
    decision=decisions,
    reason=st.sampled_from(["seen", "看过"]),
    by=st.sampled_from(["", "小美"]),
    at=moments,
    memory_id=st.sampled_from(["", "m1"]),
    undo=st.booleans(),
)
events = st.builds(
    Event,
    id=st.just(0),
    at=moments,
    kind=kinds,
    spaces=st.lists(st.sampled_from(SPACES), unique=True, max_size=2).map(tuple),
    data=objects,
)


def _step(tier: str, method: str, *given: Any, **named: Any) -> st.SearchStrategy[TierStep]:
    return st.builds(
        TierStep, st.just(tier), st.just(method), st.tuples(*given), st.fixed_dictionaries(named)
    )


def _some(of: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | st.lists(of, max_size=2)


steps: st.SearchStrategy[TierStep] = st.one_of(
    _step("quarantine", "log", st.lists(offers(), max_size=3)),
    _step("quarantine", "log", st.lists(offers(), max_size=3)),
    _step("quarantine", "decide", st.lists(rulings, max_size=3)),
    _step("quarantine", "get", names),
    _step("quarantine", "children", names),
    _step("quarantine", "erase", names),
    _step("quarantine", "erase_space", st.sampled_from(SPACES)),
    _step(
        "quarantine",
        "scan",
        spaces=_some(st.sampled_from(SPACES)),
        decisions=_some(decisions),
        source_hash=st.none() | sources,
        identities=_some(identities),
        newest_first=st.booleans(),
        limit=limits,
    ),
    _step(
        "working",
        "add",
        st.lists(memories(), max_size=3),
        now=moments,
        keep=keeps,
        seconds=spans,
    ),
    _step("working", "recent", some_spaces, now=moments, limit=limits),
    _step("working", "get", names, now=moments),
    _step("working", "remove", names),
    _step("working", "erase_space", st.sampled_from(SPACES)),
    _step("events", "append", st.lists(events, max_size=3), keep=keeps),
    _step(
        "events",
        "since",
        st.integers(0, 6),
        spaces=_some(st.sampled_from(SPACES)),
        kinds=_some(kinds),
        limit=limits,
    ),
    _step("events", "erase_space", st.sampled_from(SPACES)),
    _step("events", "erase", st.lists(st.integers(1, 6), max_size=3)),
    st.just(REOPEN),
)


def run_tier_program(
    program: Sequence[TierStep],
    make_store: Callable[[], Store],
    *,
    reopen: Callable[[Store], Store] | None = None,
) -> None:
    """One program on a new store and on the reference."""
    store, reference = make_store(), InMemoryStore()
    try:
        for step in program:
            if step == REOPEN:
                store = store if reopen is None else reopen(store)
            else:
                expected = attempt(partial(step.run, reference.tiers()))
                assert attempt(partial(step.run, store.tiers())) == expected, step
            same_tiers(store.tiers(), reference.tiers())
        assert all(check.ok for check in store.check() if check.part != "disk")
    finally:
        store.close()


def run_tier_programs(
    make_store: Callable[[], Store],
    *,
    reopen: Callable[[Store], Store] | None = None,
    examples: int = 60,
    length: int = 30,
) -> None:
    """Many random programs. `make_store` gives a new, empty store each time."""

    @randomly(examples)
    @given(st.lists(steps, min_size=length // 3, max_size=length))
    def compare(program: list[TierStep]) -> None:
        run_tier_program(program, make_store, reopen=reopen)

    compare()
