"""All copies of a retriever held against the truth: what is wrong there, and what is missing.

Both are read page by page while others write, so what seems wrong is looked at again: what was just
being written is right by then, and a fault stays one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from bethink.stores.protocol import Store
from bethink.stores.retrievers import Feed, Retriever, version_of
from bethink.text.searched import searched_text

_PAGE = 1000
_LOOKS = 3  # at most; the next only where something seems wrong


class Audit(NamedTuple):
    copies: int
    passages: int  # of the truth
    wrong: list[str]  # memories that are gone, or of which a copy is of another text or space
    missing: list[str]  # memories of which a passage has no copy

    @property
    def sound(self) -> bool:
        return not self.wrong and not self.missing


def audit(
    retriever: Retriever, truth: Store, feed: Feed, *, catch_up: Callable[[], object]
) -> Audit:
    """`catch_up` brings the retriever up to date, between two looks."""
    found = _look(retriever, truth, feed)
    for _ in range(_LOOKS - 1):
        if found.sound:
            break
        suspected = {*found.wrong, *found.missing}
        catch_up()
        again = _look(retriever, truth, feed)
        found = again._replace(
            wrong=[one for one in again.wrong if one in suspected],
            missing=[one for one in again.missing if one in suspected],
        )
    return found


def _look(retriever: Retriever, truth: Store, feed: Feed) -> Audit:
    wrong: dict[str, None] = {}
    sound: set[int] = set()  # hashes: a million keys as they are would take ten times the memory
    copies = 0
    cursor: str | None = None
    while True:
        page = retriever.copies(cursor=cursor, limit=_PAGE)
        copies += len(page.copies)
        there = truth.fetch([(copy.memory_id, copy.ordinal) for copy in page.copies])
        for copy, one in zip(page.copies, there, strict=True):
            if (
                one is not None
                and one[0].space == copy.space
                and version_of(searched_text(*one)) == copy.version
            ):
                sound.add(hash((copy.memory_id, copy.ordinal)))
            else:
                wrong[copy.memory_id] = None
        cursor = page.cursor
        if cursor is None:
            break
    passages = sum(info.passages for info in truth.spaces())
    missing: dict[str, None] = {}
    if len(sound) != passages or wrong:
        for memory_id, ordinal in _keys(truth, feed):
            if hash((memory_id, ordinal)) not in sound and memory_id not in wrong:
                missing[memory_id] = None
    return Audit(copies, passages, list(wrong), list(missing))


def _keys(truth: Store, feed: Feed) -> Iterator[tuple[str, int]]:
    cursor: str | None = None
    while True:
        page = truth.scan(cursor=cursor, limit=_PAGE, damaged=[])
        for held in feed.held([memory.id for memory in page.memories]):
            for one in held.passages if held is not None else ():
                assert held is not None
                yield held.memory.id, one.passage.ordinal
        cursor = page.cursor
        if cursor is None:
            return
