"""Show hits with what stands around them, as far as the budget goes. No text is shown twice.

A *short* hit is widened first, up to a length: by what follows and what precedes it in its own
memory, in whole sentences, and where that is all there is, by the sections beside it in the same
document. Then, with `fill`, what is left goes to the passages next to the other hits in their own
memories, best hit first: no other memory wants the room.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from bethink.filters import matches
from bethink.recall.budget import NEIGHBOUR, Widen
from bethink.recall.document_parts import DOCUMENT, document_of, sections_beside
from bethink.recall.draft import Kit
from bethink.vocabulary import Extent, Hit, Memory, Passage, Query

_NO_RUNNING_TEXT = frozenset({DOCUMENT, "faq"})  # what stands beside a line there is another matter
_BETWEEN = "\n\n"  # sections
Span = tuple[int, int]


def with_surroundings(
    hits: Sequence[Hit],
    left: int,
    query: Query,
    kit: Kit,
    count: Callable[[str], int],
    *,
    fill: bool,
    widen: Widen | None,
) -> tuple[list[Hit], list[str]]:
    """The hits, wider where that fits in the tokens left, and what was done."""
    growing = [_Growing(hit) for hit in hits]
    room = _Room(growing, left, count)
    small: list[_Growing] = []
    if widen is not None:
        small = [one for one in growing if one.may_grow and len(one.hit.text) < widen.below]
        beside = _sections(small, query, kit)
        for one in small:
            _up_to(widen.up_to, one, beside, room)
    if fill:
        others = [one for one in growing if one.may_grow and one not in small]
        passages = _passages_beside([one.hit for one in others], kit)
        for one in others:
            for passage in passages.get((one.hit.id, one.hit.passage.ordinal), ()):
                room.take_own(one, passage.start, passage.end)
    notes = [
        f"{one.hit.id}: widened by its {NEIGHBOUR}s{one.whence}, "
        f"{one.tokens - one.hit.tokens} tokens more"
        for one in growing
        if one.grown
    ]
    return [one.widened() if one.grown else one.hit for one in growing], notes


@dataclass(slots=True, eq=False)
class _Growing:
    """A hit on its way to be shown with more."""

    hit: Hit
    start: int = field(init=False)
    end: int = field(init=False)
    tokens: int = field(init=False)
    before: tuple[Memory, Span] | None = None  # of the section before
    after: tuple[Memory, Span] | None = None

    def __post_init__(self) -> None:
        _, self.start, self.end = self.hit.passage
        self.tokens = self.hit.tokens

    @property
    def may_grow(self) -> bool:
        return self.hit.memory.kind not in _NO_RUNNING_TEXT

    @property
    def grown(self) -> bool:
        return bool(self.before or self.after) or (self.start, self.end) != self.hit.passage[1:]

    @property
    def whence(self) -> str:
        others = [piece[0].id for piece in (self.before, self.after) if piece]
        return f" and by {' and '.join(others)}" if others else ""

    def text(self) -> str:
        own = (self.hit.memory, (self.start, self.end))
        pieces = [one for one in (self.before, own, self.after) if one is not None]
        return _BETWEEN.join(memory.text[slice(*span)] for memory, span in pieces)

    def widened(self) -> Hit:
        own = Extent(self.hit.id, self.start, self.end)
        pieces = [piece and Extent(piece[0].id, *piece[1]) for piece in (self.before, self.after)]
        return self.hit._replace(
            text=self.text(),
            tokens=self.tokens,
            parts={**self.hit.parts, NEIGHBOUR: 0.0},  # shown with it, no reason for its place
            shown=tuple(one for one in (pieces[0], own, pieces[1]) if one),
        )


class _Room:
    """What is left of the budget, and what of every memory is shown already."""

    def __init__(self, growing: Sequence[_Growing], left: int, count: Callable[[str], int]) -> None:
        self._left = left
        self._count = count
        self._shown: dict[str, list[Span]] = {}
        for one in growing:
            self._shown.setdefault(one.hit.id, []).append((one.start, one.end))

    def free_after(self, memory: Memory, at: int, start: int) -> int:
        """Up to where nothing that begins behind `start` is shown, from `at` on."""
        spans = self._shown.get(memory.id, ())
        return max(at, min((s[0] for s in spans if s[0] > start), default=len(memory.text)))

    def free_before(self, memory: Memory, at: int, end: int) -> int:
        spans = self._shown.get(memory.id, ())
        return min(at, max((s[1] for s in spans if s[1] < end), default=0))

    def take_own(self, one: _Growing, start: int, end: int) -> bool:
        """Widen within its memory to this span, or as far as others of it are not shown there."""
        memory, was = one.hit.memory, (one.start, one.end)
        one.start = min(one.start, max(start, self.free_before(memory, one.start, one.end)))
        one.end = max(one.end, min(end, self.free_after(memory, one.end, was[0])))
        if (one.start, one.end) == was:
            return False
        if not self._paid(one):
            one.start, one.end = was
            return False
        spans = self._shown[memory.id]
        spans[spans.index(was)] = (one.start, one.end)
        return True

    def take_section(self, one: _Growing, memory: Memory, span: Span, *, after: bool) -> bool:
        side = "after" if after else "before"
        setattr(one, side, (memory, span))
        if not self._paid(one):
            setattr(one, side, None)
            return False
        self._shown.setdefault(memory.id, []).append(span)
        return True

    def _paid(self, one: _Growing) -> bool:
        cost = self._count(one.text())
        if cost - one.tokens > self._left:
            return False
        self._left -= cost - one.tokens
        one.tokens = cost
        return True


def _up_to(wide: int, one: _Growing, beside: Mapping[str, Memory], room: _Room) -> None:
    """Its own memory first; a section beside it where its own has nothing more on that side."""
    own = one.hit.memory

    def lacking() -> int:
        return wide - len(one.text())

    free = room.free_after(own, one.end, one.start)
    room.take_own(one, one.start, one.end + _head(own.text[one.end : free], lacking()))
    free = room.free_before(own, one.start, one.end)
    room.take_own(one, one.start - _tail(own.text[free : one.start], lacking()), one.end)
    before, after = sections_beside(own)
    section = beside.get(after or "")
    if section is not None and not own.text[one.end :].strip():
        free = room.free_after(section, 0, -1)
        span = _stripped(section.text, 0, _head(section.text[:free], lacking() - len(_BETWEEN)))
        if span is not None:
            room.take_section(one, section, span, after=True)
    section = beside.get(before or "")
    if section is not None and not own.text[: one.start].strip():
        length = len(section.text)
        free = room.free_before(section, length, length + 1)
        taken = _tail(section.text[free:], lacking() - len(_BETWEEN))
        span = _stripped(section.text, length - taken, length)
        if span is not None:
            room.take_section(one, section, span, after=False)


def _sections(small: Sequence[_Growing], query: Query, kit: Kit) -> dict[str, Memory]:
    """The sections beside these hits that the question may see, by id."""
    if query.looking_back:  # they may have read otherwise then
        return {}
    wanted: dict[str, Memory] = {}
    for one in small:
        wanted |= {name: one.hit.memory for name in sections_beside(one.hit.memory) if name}
    if not wanted:
        return {}
    found = kit.store.get(list(wanted), spaces=query.spaces)
    return {
        memory.id: memory
        for memory in found
        if memory is not None
        and memory.space == wanted[memory.id].space
        and document_of(memory) == document_of(wanted[memory.id])
        and memory.verified >= wanted[memory.id].verified
        and matches(memory, query.where)  # withheld or filtered out, it is not shown this way
    }


def _head(text: str, most: int) -> int:
    """How much of a text's beginning fits, in whole sentences."""
    if len(text) <= most:
        return len(text)
    return max((m.end() for m in _ends().finditer(text[: max(most, 0)])), default=0)


def _tail(text: str, most: int) -> int:
    """How much of its end."""
    if len(text) <= most:
        return len(text)
    starts = (m.end() for m in _ends().finditer(text) if m.end() >= len(text) - most)
    return len(text) - min(starts, default=len(text)) if most > 0 else 0


@cache
def _ends() -> re.Pattern[str]:
    """Where a line or a sentence ends, in either language."""
    return re.compile(r"\n+|[。！？!?…]+[”’」』）)\"']*|\.[”’)\"']*(?=\s)")


def _stripped(text: str, start: int, end: int) -> Span | None:
    """Without the white space around it; None where nothing is left."""
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    end -= len(piece) - len(piece.rstrip())
    return (start, end) if start < end else None


def _passages_beside(hits: Sequence[Hit], kit: Kit) -> dict[tuple[str, int], list[Passage]]:
    """For each hit that is a part of its memory: the passage after it, then the one before."""
    wanted: list[tuple[Hit, tuple[str, int]]] = []
    for hit in hits:
        at = hit.passage
        if at.end < len(hit.memory.text):
            wanted.append((hit, (hit.id, at.ordinal + 1)))
        if at.start > 0 and at.ordinal > 0:
            wanted.append((hit, (hit.id, at.ordinal - 1)))
    if not wanted:
        return {}
    beside: dict[tuple[str, int], list[Passage]] = {}
    for (hit, _), found in zip(wanted, kit.store.fetch([key for _, key in wanted]), strict=True):
        # revised since it was fetched: its passages are of another text
        if found is not None and found[0].text == hit.memory.text:
            beside.setdefault((hit.id, hit.passage.ordinal), []).append(found[1])
    return beside
