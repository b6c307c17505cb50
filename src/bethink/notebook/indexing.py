"""Make the store hold what some files say: who stands for each piece, then one batch of writes.

The store is compared with what should be there, piece by piece, so that doing it again after a
crash finishes the work and doubles nothing.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any, NamedTuple

from bethink.errors import InvalidInput, NotFound
from bethink.notebook.books import Book
from bethink.notebook.ledger import FileRow, Ledger, PieceRow
from bethink.notebook.matching import NewPiece, match
from bethink.notebook.parse import Piece
from bethink.notebook.report import Indexed, Refusal, SyncKit, SyncReport, Told
from bethink.remember import pipeline
from bethink.remember.ingress import accept, identity, new_id
from bethink.vocabulary import Action, Entry, Memory

# What a write puts there and no file says.
_NOT_FROM_FILES = ("supersedes", "superseded_by")
# Shares of a file that are written while a question waits, in characters to embed; what is only
# moved costs a little too. Some hundredths of a second each.
_SHARE_CHARS = 16_000
_COST_CHARS = 50
_LONG_CHARS = 64_000
_TRIES = 3  # against others who forget what we are about to revise


class ReadFile(NamedTuple):
    row: FileRow
    pieces: list[Piece]
    known: list[PieceRow]  # what stood in it


class Placed(NamedTuple):
    """A piece with the memory that stands for it."""

    piece: Piece
    row: PieceRow
    former: PieceRow | None


def place(
    files: Sequence[ReadFile], elsewhere: Iterable[PieceRow], kit: SyncKit
) -> list[list[Placed]]:
    """For every piece of every file its memory: the one that stood for it, or a new one."""
    now = kit.clock()
    pieces = [(file.row.path, piece) for file in files for piece in file.pieces]
    new = [NewPiece(path, digest(piece.text), digest(piece.section)) for path, piece in pieces]
    old = [*(row for file in files for row in file.known), *elsewhere]

    def texts(ids: Sequence[str]) -> Mapping[str, str]:
        return {memory.id: memory.text for memory in kit.store.get(ids) if memory is not None}

    found = match(new, old, texts, lambda position: pieces[position][1].text)
    matched = iter(zip(new, found, strict=True))
    placed: list[list[Placed]] = []
    for file in files:
        own: list[Placed] = []
        for ordinal, piece in enumerate(file.pieces):
            fresh, former = next(matched)
            said = _said(piece)
            row = PieceRow(
                fresh.path, ordinal, new_id(now) if former is None else former.id,
                fresh.text, fresh.section, said, piece.start + 1,
            )  # fmt: skip
            settled = (
                former is not None
                and bool(former.settled)
                and row[3:7] == former[3:7]
                and row.path == former.path
            )
            own.append(Placed(piece, row._replace(settled=settled), former))
        placed.append(own)
    return placed


def index(
    files: Sequence[tuple[ReadFile, Sequence[Placed]]],
    book: Book,
    kit: SyncKit,
    ledger: Ledger,
    told: Told,
    *,
    deadline: float | None = None,
) -> tuple[SyncReport, bool]:
    """Bring the store in line with these files; durable when it returns. Whether it got to the
    end: where a deadline comes first, the files count as not read, and the next run goes on with
    what is not settled."""
    every = [p for _, own in files for p in own]
    new = any(p.former is None for p in every)
    ledger.place([f.row.path for f, _ in files], [p.row for p in every], new=new)
    todo = [p for p in every if not p.row.settled]
    report = SyncReport()
    created: set[str] = set()
    refused_ids: set[str] = set()
    shares = [(todo, False)] if deadline is None else _shares(todo)
    for number, (some, by_words) in enumerate(shares):
        if number and deadline is not None and time.monotonic() >= deadline:
            return report, False
        wrote, done, refused = _written(
            some, book, kit._replace(embedder=_none) if by_words else kit, told
        )
        report += wrote
        refused_ids |= refused
        created |= {p.row.id for p in done if p.former is None}
        witness = next((p.row.id for p in reversed(done)), "")
        ledger.settle([], [p.row.id for p in done], witness)
    ledger.settle([f.row for f, _ in files])
    indexed = tuple(
        Indexed(p.row.path, p.row.line, p.piece.text, p.row.id, p.row.id in created)
        for p in every
        if p.row.id not in refused_ids
    )
    return report._replace(changed=len(files), pieces=indexed), True


def _shares(todo: Sequence[Placed]) -> Iterator[tuple[list[Placed], bool]]:
    """What is written between two looks at the clock, and whether by words alone: one piece that
    is as long as a book would take all the time there is; its vectors are filled in later."""
    share: list[Placed] = []
    chars = 0
    for p in todo:
        size = len(p.piece.text) if p.former is None or p.former.text != p.row.text else 0
        if size > _LONG_CHARS:
            yield [p], True
            continue
        share.append(p)
        chars += size + _COST_CHARS
        if chars >= _SHARE_CHARS:
            yield share, False
            share, chars = [], 0
    if share:
        yield share, False


def _none() -> None:
    return None


def _written(
    todo: Sequence[Placed], book: Book, kit: SyncKit, told: Told
) -> tuple[SyncReport, list[Placed], set[str]]:
    for _ in range(_TRIES - 1):
        try:
            return _write(todo, book, kit, told)
        except NotFound:  # somebody forgot one of them just now: look again
            continue
    return _write(todo, book, kit, told)


def _write(
    todo: Sequence[Placed], book: Book, kit: SyncKit, told: Told
) -> tuple[SyncReport, list[Placed], set[str]]:
    held = {m.id: m for m in kit.store.get([p.row.id for p in todo]) if m is not None}
    now = kit.clock()
    fresh: list[Entry] = []
    reworded: list[Entry] = []
    amended: list[Entry] = []
    refused: list[Refusal] = []
    done: list[Placed] = []
    moved = 0
    for p in todo:
        former = held.get(p.row.id)
        try:
            if former is None:
                extra = told.get((p.row.path, p.piece.text), {})
                memory = accept(_fields(p, book, extra), now=now, redact=kit.redact)
                fresh.append(pipeline.prepare(memory, given_id=True))
            else:
                memory = _renewed(former, p, book, redact=kit.redact)
                if memory.text != former.text:
                    memory = replace(memory, updated_at=now)
                    reworded.append(pipeline.prepare(memory, given_id=True))
                elif memory != former:
                    amended.append(Entry(memory, (), (), identity(memory), merge=False))
                    moved += _place_of(memory) != _place_of(former)
        except InvalidInput as e:
            where = f"line {p.row.line}: {e}"
            refused.append(Refusal(book.root, p.row.path, where))
            continue
        done.append(p)
    notes: list[str] = []
    added = 0
    if fresh:
        receipts = pipeline.write(fresh, kit.writing)
        added = sum(r.action is Action.CREATED for r in receipts)
        said = [note for r in receipts if not r.embedded for note in r.notes]
        notes += [note for note in said if not note.startswith("redacted: ")]
    if reworded and (note := pipeline.revise_many(reworded, kit.writing)):
        notes.append(note)
    kit.store.revise_many(amended, history=False)
    report = SyncReport(
        added=added,
        revised=len(reworded) + len(amended) - moved,
        moved=moved,
        redacted=sum("redacted" in e.memory.provenance for e in (*fresh, *reworded)),
        refused=tuple(refused),
        notes=tuple(dict.fromkeys(notes)),
    )
    return report, done, {p.row.id for p in todo} - {p.row.id for p in done}


def _fields(p: Placed, book: Book, extra: Mapping[str, Any]) -> dict[str, Any]:
    """A new memory, as it is told. What the file says stands before what was said beside it."""
    piece = p.piece
    fields = {
        **extra,
        **{name: value for name, value in _labels(piece).items() if value},
        **_place(p, book),
        "id": p.row.id,
        "space": book.space,
        "text": piece.text,
        "metadata": {**extra.get("metadata", {}), **piece.metadata},
    }
    if not _sound(fields.get("valid_from"), fields.get("valid_to")):
        del fields["valid_from"]
    return fields


def _renewed(former: Memory, p: Placed, book: Book, *, redact: bool) -> Memory:
    """The memory as the file has it now; counters and what no file says stay.

    Where the file says of it what it said before, tags and the like stay as the store has them:
    they may have been told beside the file. Where that is not known, the file adds to them.
    """
    piece = p.piece
    fields: dict[str, Any] = {**_place(p, book), "text": piece.text}
    # what a run that was killed had only planned is not in the store
    before = p.former.said if p.former is not None and p.former.settled else b""
    labels = _labels(piece)
    if before != p.row.said:
        kept = dict(former.metadata) if not before else {
            key: former.metadata[key] for key in _NOT_FROM_FILES if key in former.metadata
        }  # fmt: skip
        fields["metadata"] = {**kept, **piece.metadata}
        fields |= labels if before else {name: value for name, value in labels.items() if value}
        fields["valid_to"] = piece.valid_to
        fields["valid_from"] = piece.valid_from or former.valid_from
        if not _sound(fields["valid_from"], piece.valid_to):
            fields["valid_from"] = None
    # all that may hold the mark of a secret, so that the provenance names it
    told = {"tags": piece.tags, "entities": piece.entities, "metadata": former.metadata}
    checked = accept(
        {**{name: value for name, value in {**told, **fields}.items() if name != "valid_from"},
         "id": former.id, "space": former.space},
        now=former.created_at,
        redact=redact,
    )  # fmt: skip
    return replace(
        former, **{name: getattr(checked, name) if name != "valid_from" else value
                   for name, value in fields.items()},
    )  # fmt: skip


def _labels(piece: Piece) -> dict[str, Any]:
    return {
        "kind": piece.kind,
        "tags": piece.tags,
        "entities": piece.entities,
        "occurred_at": piece.occurred_at,
        "valid_from": piece.valid_from,
        "valid_to": piece.valid_to,
    }


def _place(p: Placed, book: Book) -> dict[str, Any]:
    provenance = {"book": str(book.root), "file": p.row.path, "line": p.row.line}
    return {"section": p.piece.section, "source": p.row.path, "provenance": provenance}


def _place_of(memory: Memory) -> tuple[str, str]:
    return memory.source, memory.section


def _sound(start: Any, end: Any) -> bool:
    return start is None or end is None or start < end


def digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _said(piece: Piece) -> bytes:
    labels = {name: str(value) for name, value in _labels(piece).items()}
    whole = json.dumps([labels, dict(piece.metadata)], sort_keys=True, default=str)
    return digest(whole)


def taken_over(memories: Iterable[Memory]) -> list[PieceRow]:
    """What a store holds of a book, as rows for a ledger that was lost."""
    ordinals: dict[str, int] = {}
    rows: list[PieceRow] = []

    def order(memory: Memory) -> tuple[str, int]:
        line = memory.provenance.get("line")
        return str(memory.provenance.get("file")), line if isinstance(line, int) else 0

    for memory in sorted(memories, key=order):
        path, line = order(memory)
        ordinal = ordinals[path] = ordinals.get(path, -1) + 1
        rows.append(
            PieceRow(
                path, ordinal, memory.id, digest(memory.text), digest(memory.section), b"", line
            )
        )
    return rows
