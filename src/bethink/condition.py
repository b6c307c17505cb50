"""How an engine is doing: a quick look, and a thorough one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bethink.assembly import Parts
from bethink.relocate.unfinished import FINISH, UNFINISHED, is_unfinished
from bethink.stores.protocol import CaresForItself, HasParts, Store
from bethink.stores.retrievers import KeepsChanges, not_opened_with
from bethink.vocabulary import Check, Decision, SpaceInfo

if TYPE_CHECKING:
    from bethink.notebook.condition import BookStatus


class Waiting(NamedTuple):
    """How many offers of a space nobody has decided about."""

    space: str
    held: int  # a person must look
    admitted: int  # in working memory, or expired there


class EngineStatus(NamedTuple):
    """`embedder` is what the settings name, `indexed_by` who made the index that answers."""

    store: str
    memories: int
    spaces: tuple[SpaceInfo, ...]
    embedder: str
    indexed_by: str
    pending: int
    notes: tuple[str, ...]
    books: tuple[BookStatus, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    hot: str = ""  # what is beside the store to be faster, and whether it answers


def status_record(status: EngineStatus) -> dict[str, Any]:
    """As JSON-ready values, without what is of this machine alone: paths and folders."""
    return {
        "memories": status.memories,
        "pending": status.pending,
        "spaces": [info._asdict() for info in status.spaces],
        "embedder": status.embedder,
        "indexed_by": status.indexed_by,
        "waiting": [waiting._asdict() for waiting in status.waiting],
        "notes": list(status.notes),
        "hot": status.hot,
    }


def status_of(store: Store, parts: Parts) -> EngineStatus:
    """Without loading any model."""
    infos = tuple(store.spaces())
    held = store.embedding()
    name = parts.embedder_name
    pending = sum(info.pending for info in infos)
    notes = [f"{UNFINISHED}: {FINISH}"] if is_unfinished(store) else []
    if held is not None and name != "none" and held.name != name:
        notes.append(
            f"the index is by {held.name}, the settings name {name}: run 'bethink reindex'"
        )
    if pending and name != "none":
        notes.append(f"{pending} passages wait for vectors: run 'bethink reindex'")
    if isinstance(store, HasParts):
        notes += store.shortcomings()
    books: tuple[BookStatus, ...] = ()
    if (in_use := parts.bookkeeping.in_use()) is not None:
        from bethink.notebook.condition import statuses

        books = tuple(statuses(in_use))
        behind = [book.root for book in books if not book.complete]
        if behind:
            notes.append(f"not all of {', '.join(behind)} is read yet: run 'bethink sync'")
    hot = parts.hot.line()  # it looks, and may find it away
    notes += troubles_of(store, parts)
    return EngineStatus(
        store=str(getattr(store, "path", getattr(store, "shown", "in memory"))),
        memories=sum(info.memories for info in infos),
        spaces=infos,
        embedder=name,
        indexed_by="none yet" if held is None else held.name,
        pending=pending,
        notes=tuple(notes),
        books=books,
        waiting=_waiting(store),
        hot=hot,
    )


def troubles_of(store: Store, parts: Parts) -> list[str]:
    """What fails in this process, which no other can know."""
    notes = store.neglected() if isinstance(store, CaresForItself) else []
    if parts.events.fault:
        notes.append(parts.events.fault)
    return [*notes, *parts.left_alone(), *parts.hot.shortcomings()]


def _waiting(store: Store) -> tuple[Waiting, ...]:
    """Those with most to look at first."""
    counts = store.tiers().quarantine.counts((Decision.HELD, Decision.ADMITTED))
    found = [
        Waiting(space, of.get(Decision.HELD, 0), of.get(Decision.ADMITTED, 0))
        for space, of in counts.items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.held, -one.admitted, one.space)))


def _followed_in_vain(store: Store) -> list[Check]:
    """A store that is opened without any engine beside it may still be followed by some."""
    if isinstance(store, HasParts) or not isinstance(store, KeepsChanges):
        return []
    return [not_opened_with(name) for name in sorted(store.feed().followers())]


def _moved_in_part(store: Store) -> list[Check]:
    return [Check("move", False, UNFINISHED, FINISH)] if is_unfinished(store) else []


def checks_of(store: Store, parts: Parts) -> list[Check]:
    """Every part, thoroughly."""
    stored = store.check()
    found = [*stored, *_moved_in_part(store), *_followed_in_vain(store), parts.embedders.check()]
    if (in_use := parts.bookkeeping.in_use()) is not None:
        from bethink.notebook.condition import checks

        found += checks(in_use)
    if all(check.ok for check in stored):  # what is damaged is mended first: this must read it
        found += parts.tiers.checks()
    found += parts.hot.checks()
    parts.events.flush()
    if parts.events.fault:
        fix = "do what is said there; memories are not affected"
        found.append(Check("keeping events", False, parts.events.fault, fix))
    return found
