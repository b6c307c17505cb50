"""What superseded what. The old memory keeps its id and says until when it held; the new one says
from when, and each names the other."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from bethink.errors import InvalidInput
from bethink.filters import All, Condition, Filter
from bethink.remember.ingress import identity
from bethink.stores.protocol import Store
from bethink.vocabulary import SUPERSEDES as SUPERSEDES
from bethink.vocabulary import Entry, Memory

SUPERSEDED_BY = "superseded_by"
DETECTED = "superseded_by_rule"
REPLACED_BY = "replaced_by"  # its words, as a notebook's history.md has them
_MOST = 1_000  # links of a chain: nobody corrects a thing so often


def refuse_superseded(old: Memory, now: datetime) -> None:
    if old.valid_to is not None and old.valid_to <= now:
        by = old.metadata.get(SUPERSEDED_BY)
        raise InvalidInput(
            f"{old.id} holds no more since {old.valid_to:%Y-%m-%d %H:%M}"
            + (f"; {by} took its place: supersede that one" if by else "")
        )


def link(
    store: Store,
    old: Memory,
    new_id: str,
    *,
    until: datetime | None = None,
    detected: bool = False,
) -> None:
    """Say of the old memory what took its place, and (if given) until when it held. `detected`:
    nobody said so, a rule found it; forgetting the new one takes it back."""
    how = {DETECTED: True} if detected else {}
    memory = replace(old, metadata={**old.metadata, SUPERSEDED_BY: new_id, **how})
    if until is not None:
        start: datetime | None = old.valid_from or old.created_at  # not before anybody knew it
        if start == until:
            start = until - timedelta(microseconds=1)
        elif start is not None and start > until:
            start = None  # it is said now that it had ended before it was told
        memory = replace(memory, valid_from=start, valid_to=until)
    store.revise_many([Entry(memory, (), (), identity(memory), merge=False)], history=False)


def unlink(store: Store, old: Memory) -> None:
    """Let it hold again: what had taken its place is taken back."""
    ours = (SUPERSEDED_BY, DETECTED)
    metadata = {key: value for key, value in old.metadata.items() if key not in ours}
    memory = replace(old, metadata=metadata, valid_to=None)
    store.revise_many([Entry(memory, (), (), identity(memory), merge=False)], history=False)


def taken_back(store: Store, gone: Memory) -> list[Memory]:
    """Let hold again what a rule took to be corrected by a memory that is forgotten now."""
    if SUPERSEDES not in gone.metadata:
        return []
    where = All(
        (
            Condition("metadata", SUPERSEDED_BY, "=", gone.id),
            Condition("metadata", DETECTED, "=", True),
        )
    )
    olds = store.scan(spaces=[gone.space], where=where, limit=100).memories
    for old in olds:
        unlink(store, old)
    return olds


def succession(store: Store, memory: Memory) -> list[Memory]:
    """The memory with all that it superseded and all that superseded it, oldest first."""
    chain = [memory]
    seen = {memory.id}
    while len(chain) < _MOST and (one := _former(store, chain[0])) and one.id not in seen:
        chain.insert(0, one)
        seen.add(one.id)
    while len(chain) < _MOST and (one := _latter(store, chain[-1])) and one.id not in seen:
        chain.append(one)
        seen.add(one.id)
    return chain


def _former(store: Store, memory: Memory) -> Memory | None:
    return _named(store, memory, SUPERSEDES) or _only(
        store, memory, Condition("metadata", SUPERSEDED_BY, "=", memory.id)
    ) or _only(
        store, memory, Condition("metadata", REPLACED_BY, "=", " ".join(memory.text.split()))
    )  # fmt: skip


def _latter(store: Store, memory: Memory) -> Memory | None:
    known = _named(store, memory, SUPERSEDED_BY) or _only(
        store, memory, Condition("metadata", SUPERSEDES, "=", memory.id)
    )
    words = memory.metadata.get(REPLACED_BY)
    if known is not None or not isinstance(words, str):
        return known
    # an index that was made anew has other ids: the words lead on, among those that hold from then
    page = store.scan(
        spaces=[memory.space], where=Condition("kind", None, "=", memory.kind), limit=10_000
    )
    alike = [one for one in page.memories if " ".join(one.text.split()) == words]
    return next((one for one in alike if one.id != memory.id), None)


def _named(store: Store, memory: Memory, key: str) -> Memory | None:
    name = memory.metadata.get(key)
    return store.get([name], spaces=[memory.space])[0] if isinstance(name, str) else None


def _only(store: Store, memory: Memory, where: Filter) -> Memory | None:
    same_kind = All((where, Condition("kind", None, "=", memory.kind)))
    page = store.scan(spaces=[memory.space], where=same_kind, newest_first=True, limit=1)
    return page.memories[0] if page.memories else None
