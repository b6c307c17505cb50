"""Entries of one file that a route or a period hands out together are one hit: the file.

Somebody who asks for their decisions or for a day wants to read the file, not a list of hits. The
hit's id is `file:PATH`, its source is the path, and `Hit.shown` says which memories it is made of.
Its text is Markdown: a heading for each section, an item for each entry.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from urllib.parse import quote

from bethink.recall.timeline import CHANNEL as TIMELINE
from bethink.vocabulary import Extent, Hit, Memory, Passage

PREFIX = "file:"  # of the id


def whole_files(hits: Sequence[Hit], count: Callable[[str], int]) -> list[Hit]:
    """Return the hits with those of one file put together, each file where its first entry was."""
    of_file: dict[tuple[str, str, str, bool], list[Hit]] = {}
    for hit in hits:
        of_file.setdefault(_file_of(hit), []).append(hit)
    return [one[0] if len(one) == 1 else _whole(one, count) for one in of_file.values()]


def is_file(hit: Hit) -> bool:
    """Whether the hit is made of the entries of a file."""
    return len(hit.shown) > 1 and hit.id.startswith(PREFIX)


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
        id=PREFIX + quote(file, safe="/"),
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
