"""Memories that are handed over without a search: whole, or in sections where that is too much.

A journal of a long day may be larger than the whole budget. Then its sections stand for it, so
that an answer is never empty because something large was found.

Entries of one file that are handed over together are one hit, the file: somebody who asks for their
decisions or for a day wants to read it. Its id is `file:PATH`, its source is the path, and
`Hit.shown` says which memories it is made of. Its text is Markdown: a heading for each section, an
item for each entry.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from bethink.recall.draft import Kit
from bethink.recall.timeline import CHANNEL as TIMELINE
from bethink.vocabulary import FILE, Candidate, Extent, Hit, Memory, Passage, Place, Query


def fit(memories: Collection[Memory], query: Query, kit: Kit) -> bool:
    """Return True if the budget holds all of these whole. The limit counts what is searched for."""
    return sum(kit.count_tokens(memory.text) for memory in memories) <= query.budget


def sections(memory: Memory, query: Query, kit: Kit) -> tuple[Passage, ...]:
    """The memory as one piece if the budget can hold it, else its passages."""
    if kit.count_tokens(memory.text) <= query.budget:
        return (Passage(0, 0, len(memory.text)),)
    from bethink.text.split import split  # compiles patterns, and is rarely needed

    return split(memory.text)


def in_order(
    pieces: Iterable[tuple[Memory, Passage]], *, channel: str, falling: bool
) -> tuple[Candidate, ...]:
    """Candidates in this order. `falling` scores keep the order in whatever sorts later; without
    it all are equally what was asked for."""
    listed = list(pieces)
    step = 0.5 / len(listed) if falling and listed else 0.0
    return tuple(
        Candidate(
            memory.id,
            passage.ordinal,
            1.0 - step * rank,
            {channel: Place(rank, 1.0 - step * rank)},
            memory,
            passage,
        )
        for rank, (memory, passage) in enumerate(listed)
    )


def whole_files(hits: Sequence[Hit], count: Callable[[str], int]) -> list[Hit]:
    """Return the hits with those of one file put together, each file where its first entry was."""
    of_file: dict[tuple[str, str, str, bool], list[Hit]] = {}
    for hit in hits:
        of_file.setdefault(_file_of(hit), []).append(hit)
    return [one[0] if len(one) == 1 else _whole(one, count) for one in of_file.values()]


def is_file(hit: Hit) -> bool:
    """Whether the hit is made of the entries of a file."""
    return len(hit.shown) > 1 and hit.id.startswith(FILE)


def as_entry(memory: Memory, text: str) -> str:
    """Return the text as an item of a list; a task says whether it is done."""
    first, *more = text.strip().splitlines() or [""]
    return "\n".join((f"- {box(memory)}{first}", *(f"  {line}".rstrip() for line in more)))


def box(memory: Memory) -> str:
    """Return `[x] ` or `[ ] ` for a task of which it is known whether it is done."""
    done = memory.metadata.get("done")
    if memory.kind != "task" or not isinstance(done, bool):
        return ""
    return "[x] " if done else "[ ] "


def _file_of(hit: Hit) -> tuple[str, str, str, bool]:
    memory = hit.memory
    book, file = memory.provenance.get("book"), memory.provenance.get("file")
    if not isinstance(book, str) or not isinstance(file, str):
        return memory.space, "", f"{memory.id}#{hit.passage.ordinal}", memory.verified
    return memory.space, book, file, memory.verified


def _whole(entries: list[Hit], count: Callable[[str], int]) -> Hit:
    if TIMELINE in entries[0].channels:  # a day is read from its beginning
        entries = sorted(entries, key=_place)
    first = entries[0]
    lines: list[str] = []
    section = ""
    for hit in entries:
        if hit.memory.section != section:
            section = hit.memory.section
            lines += ["", f"## {section}"] if lines else [f"## {section}"]
        lines.append(as_entry(hit.memory, hit.text))
    text = "\n".join(lines)
    memory = first.memory
    file = str(memory.provenance["file"])
    whole = replace(
        memory,
        id=FILE + file.replace(" ", "%20"),
        text=text,
        section="",
        tags=(),
        entities=(),
        source=memory.source or file,
        provenance={name: memory.provenance[name] for name in ("book", "file")},
        reinforcement=max(hit.memory.reinforcement for hit in entries),
        access_count=max(hit.memory.access_count for hit in entries),
        metadata={"entries": len(entries)},
    )
    return first._replace(
        memory=whole,
        passage=Passage(0, 0, len(text)),
        text=text,
        tokens=count(text),
        displaced=tuple(dict.fromkeys(one for hit in entries for one in hit.displaced)),
        shown=tuple(Extent(hit.id, hit.passage.start, hit.passage.end) for hit in entries),
    )


def _place(hit: Hit) -> tuple[int, int]:
    line = hit.memory.provenance.get("line")
    return line if isinstance(line, int) else 0, hit.passage.ordinal
