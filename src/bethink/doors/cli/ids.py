"""Find the full id for the beginning of one, so that nobody has to type 29 characters.

An exact id always wins, also if it is the beginning of others: ids may be chosen by users. A prefix
must have at least `MIN_PREFIX` characters and must fit one id only. If it fits several, the error
lists them. If it fits none, it is returned unchanged, and the command reports its usual error.

Ids of memories are found by an id range in one scan of the store (65 ms with 100,000 memories in
SQLite). Offers have no such filter: all of them are paged through (2 s with 100,000), and only if
the prefix is no exact id.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from bethink.checks import is_id, shown
from bethink.errors import InvalidInput, StoreCorrupt, UnknownSpace
from bethink.filters import All, Condition, Filter

if TYPE_CHECKING:
    from bethink.engine import Engine

# 4: a shorter prefix is more often a typing error than an id. git demands 4 as well.
MIN_PREFIX = 4
_LISTED = 10  # ids in an error message
_PAGE = 1_000
_LAST = "\U0010ffff"  # no character sorts behind it
# Ids that Bethink makes: a time and random digits, or a space, a kind and a hash.
_TIMED = r"[0-9a-f]{12}-[0-9a-f]{16}"
_HASHED = r"[^~]+~[^/]+/[0-9a-f]{20}"


def memory_id(engine: Engine, told: str, *, space: str | None = None, offers: bool = False) -> str:
    """Return the full id of a memory; with `offers`, of a memory or an offer."""

    def exists(whole: str) -> bool:
        try:
            if engine.get(whole, space=space) is not None:
                return True
        except StoreCorrupt:  # it is damaged: 'forget' erases it, the others say so
            return True
        return offers and engine.tiers.get(whole) is not None

    def beginning() -> Iterator[str]:
        yield from _memories_beginning(engine, told, space=space)
        if offers:
            yield from (one for one in _offers(engine) if one.startswith(told))

    return full_id(told, exists=exists, beginning=beginning)


def offer_ids(engine: Engine, told: Sequence[str]) -> list[str]:
    """Return the full ids of offers. They are paged through once, however many are asked for."""
    every: list[str] = []

    def beginning(prefix: str) -> Iterator[str]:
        if not every:
            every.extend(_offers(engine))
        return (one for one in every if one.startswith(prefix))

    def full(one: str) -> str:
        return full_id(
            one,
            exists=lambda whole: engine.tiers.get(whole) is not None,
            beginning=lambda: beginning(one),
        )

    return [full(one) for one in told]


def hashed_id(
    engine: Engine, told: str, *, space: str, kind: str, exists: Callable[[str], bool]
) -> str:
    """Return the full id of a document, an entry or a thread. Its id is `space~kind/hash`; the
    beginning of the hash is enough."""
    if "~" not in told and exists(told):
        return told
    prefix = told if "~" in told else f"{space}~{kind}/{told}"
    of_kind = Condition("kind", None, "=", kind)
    full = full_id(
        prefix,
        exists=exists,
        beginning=lambda: _memories_beginning(engine, prefix, space=space, where=of_kind),
    )
    return told if full == prefix else full


def one_of(told: str, ids: Iterable[str]) -> str:
    """Return the full id out of a short list."""
    known = list(ids)
    return full_id(
        told,
        exists=lambda whole: whole in known,
        beginning=lambda: (one for one in known if one.startswith(told)),
    )


def full_id(
    told: str, *, exists: Callable[[str], bool], beginning: Callable[[], Iterable[str]]
) -> str:
    """Return `told` if it is an id or the beginning of none, else the only id that begins so.
    Raise InvalidInput if there are several."""
    if len(told) < MIN_PREFIX or not is_id(told) or exists(told):
        return told
    found = _distinct(told, beginning())
    if len(found) > 1:
        more = " and more" if len(found) > _LISTED else ""
        raise InvalidInput(
            f"{shown(told)} is the beginning of several ids: {', '.join(found[:_LISTED])}{more}; "
            "type more of the id"
        )
    return found[0] if found else told


def is_chosen(whole: str) -> bool:
    """Return True if a user chose this id. Only such an id can go on where another one ends: of
    `note-1` and `note-10`, one may be meant and the other found."""
    return re.fullmatch(rf"(?:{_TIMED}|{_HASHED})(?:\..*)?", whole) is None


def _distinct(told: str, found: Iterable[str]) -> list[str]:
    """Return the different ids, at most one more than an error lists. A section of a document
    (`ID.3`) is left out if the document itself begins so."""
    by_root: dict[str, list[str]] = {}
    for one in found:
        if not _long_enough(told, one):
            continue
        parent = one.rpartition(".")[0]
        same = by_root.setdefault(parent if parent.startswith(told) else one, [])
        if one not in same:
            same.append(one)
        if len(by_root) > _LISTED:
            break
    roots = ([root] if root in same else same for root, same in by_root.items())
    return [one for ids in roots for one in ids][: _LISTED + 1]


def _long_enough(told: str, whole: str) -> bool:
    """In `handbook~document/3f9a…`, the name of the space alone says nothing: the characters are
    counted in the hash."""
    if re.match(_HASHED, whole) is None:
        return True
    return len(told) >= whole.index("/", whole.index("~")) + 1 + MIN_PREFIX


def _memories_beginning(
    engine: Engine, prefix: str, *, space: str | None, where: Filter | None = None
) -> Iterator[str]:
    within = (Condition("id", None, ">=", prefix), Condition("id", None, "<", prefix + _LAST))
    cursor: str | None = None
    while True:
        try:
            page = engine.store.scan(
                spaces=None if space is None else [space],
                where=All(within if where is None else (*within, where)),
                cursor=cursor,
                limit=_PAGE,
            )
        except UnknownSpace:  # no id is there; the command has its own error for that
            return
        yield from (memory.id for memory in page.memories)
        yield from page.damaged
        cursor = page.cursor
        if cursor is None:
            return


def _offers(engine: Engine) -> Iterator[str]:
    cursor: str | None = None
    while True:
        page = engine.tiers.quarantine(cursor=cursor, limit=_PAGE)
        yield from (offer.id for offer in page.offers)
        cursor = page.cursor
        if cursor is None:
            return
