"""Remember an item into a book: a line of a file that the kind names, under the section's heading.

A correction takes the old line's place, which moves to `history.md`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from bethink.errors import InvalidInput
from bethink.filters import AnyOf, Condition, Filter, Not
from bethink.notebook.books import Book
from bethink.notebook.edits import (
    Edit,
    Item,
    appended,
    kept_fields,
    piece_at,
    placed,
    removed,
    replaced,
    ticked,
)
from bethink.notebook.files import change, current
from bethink.notebook.history_file import (
    Held,
    held_since,
    held_until,
    labels,
    move_into_history,
    one_line,
)
from bethink.notebook.journal import entry, later_entry
from bethink.notebook.layout import HISTORY, HOMES
from bethink.notebook.parse import Piece, parse
from bethink.notebook.reading import read_text
from bethink.notebook.receipts import near_note, not_indexed, reinforced
from bethink.notebook.report import SyncKit, SyncReport
from bethink.notebook.stored import as_stored
from bethink.notebook.sync import sync
from bethink.remember.judging import Finding, find, is_done
from bethink.remember.sameness import Verdict
from bethink.remember.succession import SUPERSEDES, link
from bethink.text.visible import clip
from bethink.vocabulary import Action, Memory, Receipt

_BETWEEN = " > "  # the titles of a section's path
# Fields that an item can say of itself in the file; the rest is kept in the index beside it.
_IN_INDEX = ("confidence", "metadata")


def remember_item(
    kit: SyncKit, book: Book, memory: Memory, told: Mapping[str, Any], old: Memory | None
) -> Receipt:
    """Write it and index it, in the place of the old one if there is one. The book's lock is
    held."""
    return _Writing(kit, book, memory, told).remember(old)


class _Writing:
    """One memory on its way into one book, whose lock is held."""

    def __init__(self, kit: SyncKit, book: Book, memory: Memory, told: Mapping[str, Any]) -> None:
        self._kit = kit
        self._book = book
        self._memory = _as_task(memory) if memory.kind == "task" else memory
        self._told = told
        self._zone = kit.zone()
        self._notes: list[str] = []

    def remember(self, old: Memory | None) -> Receipt:
        if self._memory.kind == "journal" and old is None:
            return self._journal()
        path = HOMES[self._memory.kind].file if self._memory.kind in HOMES else None
        there = [
            one for one in (path, HISTORY) if one and current(self._book.root, one) is not None
        ]
        if there:
            self._sync(there)  # what a person wrote a moment ago is known too, and what was killed
        olds: tuple[Memory, ...] = () if old is None else (old,)
        known: Memory | None = None
        if old is None:
            finding = find(
                self._memory,
                store=self._kit.store,
                embedder=self._kit.embedder,
                zone=self._zone,
                where=self._here_or_in_no_file(),
            )
            if finding.verdict is Verdict.SAME and finding.memory is not None:
                if self._stands(finding.memory):
                    return self._told_again(finding)
                known = finding.memory
                self._notes.append(f"known already in the store alone ({finding.why}): {known.id}")
            self._notes += near_note(finding)
            if finding.verdict is Verdict.CORRECTION and finding.memory is not None:
                olds = (finding.memory, *finding.others)
        standing = [one for one in olds if self._stands(one)]
        if standing:
            return self._supersede(standing, [one for one in olds if one not in standing])
        assert path is not None
        home = HOMES[self._memory.kind]
        title = home.title_zh if re.search("[\u3400-\u9fff]", self._memory.text) else home.title
        item = Item(self._memory.text, tuple(self._fields()), box=self._box())
        if known is not None or olds:
            return self._take_over(path, item, title, known, olds)
        return self._append(path, item, title, Action.CREATED)

    def _here_or_in_no_file(self) -> Filter:
        """What stands in another book is that book's own."""
        here = Condition("provenance", "book", "=", str(self._book.root))
        return AnyOf((here, Not(Condition("provenance", "book", "exists", True))))

    def _stands(self, memory: Memory) -> bool:
        """In a file of this book; else in the store alone."""
        return memory.provenance.get("book") == str(self._book.root)

    def _box(self) -> str:
        if self._memory.kind != "task":
            return ""
        return "x" if is_done(self._memory) else " "

    def _told_again(self, finding: Finding) -> Receipt:
        known = finding.memory
        assert known is not None
        if not is_done(self._memory) or is_done(known):
            return reinforced(self._kit.store, finding)
        made: list[Edit] = []

        def edit(text: str) -> str:
            made.append(ticked(text, self._standing(text, path, known)))
            return made[-1].text

        path = PurePosixPath(known.source)
        change(self._book.root, path, edit)
        self._notes.append("it was open, and is done now")
        return self._indexed(path, made[-1], {}, Action.REVISED, [path])

    def _take_over(
        self,
        path: PurePosixPath,
        item: Item,
        title: str,
        known: Memory | None,
        olds: tuple[Memory, ...],
    ) -> Receipt:
        """What was in the store alone stands in the file from now on, or what corrects it does."""
        former = (known,) if known is not None else olds
        now = self._memory.valid_from or self._memory.created_at
        beside: dict[str, Any] = {"metadata": {SUPERSEDES: former[0].id}, "valid_from": now}
        if known is not None:
            beside["reinforcement"] = known.reinforcement + 1
            beside["access_count"] = known.access_count
        action = Action.CREATED if known is not None else Action.REVISED
        receipt = self._append(path, item, title, action, beside)
        for one in former:
            link(self._kit.store, one, receipt.id, until=now)
        said = ["it stands in the file now"] if known is not None else [
            f"supersedes {one.id}, which was in the store alone: {clip(one_line(one.text), 80)}"
            for one in former
        ]  # fmt: skip
        return receipt._replace(notes=(*receipt.notes, *said))

    def _journal(self) -> Receipt:
        moment = self._memory.occurred_at or self._memory.created_at
        told = entry(self._memory.text, moment, self._zone)
        before = current(self._book.root, told.path)
        if before is not None:
            known = self._told_this_minute(told.path, told.text)
            if known is not None:
                return reinforced(self._kit.store, Finding(Verdict.SAME, "told this minute", known))
        fields = tuple((n, v) for n, v in self._fields() if n in ("tags", "entities"))
        item = Item(told.text, fields)
        later: Callable[[str], Piece | None] | None = None
        if self._memory.occurred_at is not None:  # of a time that has gone by: among the others
            later = partial(later_entry, told.path, moment, self._book.form, self._zone)
        return self._append(told.path, item, told.title, Action.CREATED, above=later)

    def _told_this_minute(self, path: PurePosixPath, text: str) -> Memory | None:
        """A hook that is run twice must not write twice."""
        alone = appended("", Item(text), (), path=path, form=self._book.form, title=path.stem)
        own = piece_at(alone, path, self._book.form)
        lines = read_text(self._book.root, path)
        if own is None or own.text.split("\n", 1)[0] not in lines:
            return None
        self._sync([path])
        pieces = self._pieces(lines, path)
        same = [p for p in pieces if p.text == own.text and _at_minute(p, text, self._zone)]
        return self._memory_of(path, same[0]) if same else None

    def _memory_of(self, path: PurePosixPath, piece: Piece) -> Memory | None:
        where = Condition("source", None, "=", str(path))
        page = self._kit.store.scan(
            spaces=[self._book.space], where=where, newest_first=True, limit=1_000
        )
        alike = [m for m in page.memories if m.text == piece.text]
        exact = [m for m in alike if m.provenance.get("line") == piece.start + 1]
        return next(iter(exact or alike), None)

    def _fields(self) -> Iterator[tuple[str, str]]:
        """What the file can say of the item."""
        memory = self._memory
        yield from labels(memory)
        if memory.occurred_at is not None:
            yield "date", self._shown(memory.occurred_at)
        if memory.valid_from is not None:
            yield "since", self._shown(memory.valid_from)
        if memory.valid_to is not None:
            yield "until", self._shown(memory.valid_to)

    def _shown(self, moment: datetime) -> str:
        return moment.astimezone(self._zone).isoformat(timespec="seconds")

    def _beside(self) -> dict[str, Any]:
        """What the file cannot say: kept in the index, and said in the receipt."""
        beside = {name: self._told[name] for name in _IN_INDEX if self._told.get(name)}
        if self._memory.source:
            beside["metadata"] = {**self._memory.metadata, "source": self._memory.source}
        if beside:
            self._notes.append(
                f"{' and '.join(sorted(beside))}: kept in the index only, not in the file"
            )
        return beside

    def _section(self) -> tuple[str, ...]:
        return tuple(filter(None, (one_line(t) for t in self._memory.section.split(_BETWEEN))))

    def _append(
        self,
        path: PurePosixPath,
        item: Item,
        title: str,
        action: Action,
        extra: Mapping[str, Any] | None = None,
        above: Callable[[str], Piece | None] | None = None,
    ) -> Receipt:
        made: list[Edit] = []
        form = self._book.form

        def edit(text: str) -> str:
            piece = above(text) if above is not None and not self._section() else None
            there = None if piece is None else placed(text, item, piece, path=path, form=form)
            made.append(
                there or appended(text, item, self._section(), path=path, form=form, title=title)
            )
            return made[-1].text

        change(self._book.root, path, edit)
        beside = self._beside()
        extra = dict(extra or {})
        if "metadata" in extra:
            extra["metadata"] = {**beside.get("metadata", {}), **extra["metadata"]}
        return self._indexed(path, made[-1], {**beside, **extra}, action, [path])

    def _supersede(self, olds: Sequence[Memory], in_store: Sequence[Memory]) -> Receipt:
        """The first one's place is taken; the others, which say the same, go."""
        paths = [PurePosixPath(old.source) for old in olds]
        for path, old in zip(paths, olds, strict=True):
            if self._found(read_text(self._book.root, path), path, old) is None:
                raise InvalidInput(
                    f"{old.id} does not stand in {path} any more as it was read; "
                    "run 'bethink sync' and tell it again"
                )
        new = self._memory
        since = [
            held_since(old, new, self._book.root / path)
            for old, path in zip(olds, paths, strict=True)
        ]
        now = held_until(new, since)
        made: list[Edit] = []
        form = self._book.form

        def edit(text: str) -> str:
            standing = self._standing(text, paths[0], olds[0])
            own = [f for f in self._fields() if f[0] not in ("since", "date")]
            named = {name for name, _ in own}
            kept = [field for field in kept_fields(text, standing) if field[0] not in named]
            item = Item(self._memory.text, (*kept, *own), box=self._box())
            made.append(replaced(text, standing, item, path=paths[0], form=form))
            return made[-1].text

        def without(text: str, path: PurePosixPath, old: Memory) -> str:
            return removed(text, self._standing(text, path, old), path=path, form=form)

        edits: list[Callable[[str], str]] = [
            edit,
            *(partial(without, path=p, old=o) for p, o in zip(paths[1:], olds[1:], strict=True)),
        ]
        for at in reversed(range(len(olds))):  # the first at the end: its line is the receipt's
            held = Held(since[at], now, new.text)
            move_into_history(self._book, self._zone, olds[at], held, edits[at])
        beside = self._beside()
        metadata = {**beside.get("metadata", {}), SUPERSEDES: olds[0].id}
        beside |= {"metadata": metadata, "valid_from": now}
        touched = [*dict.fromkeys(paths), HISTORY]
        receipt = self._indexed(paths[0], made[-1], beside, Action.REVISED, touched)
        for latest in self._kit.store.get([one.id for one in (*olds, *in_store)]):
            if latest is not None:
                link(self._kit.store, latest, receipt.id, until=now)
        said = [
            f"supersedes {old.id}, kept in {HISTORY}: {clip(one_line(old.text), 80)}"
            for old in olds
        ]
        said += [f"supersedes {one.id}, which was in the store alone" for one in in_store]
        return receipt._replace(notes=(*receipt.notes, *said))

    def _found(self, text: str, path: PurePosixPath, old: Memory) -> Piece | None:
        return _standing(self._pieces(text, path), old)

    def _pieces(self, text: str, path: PurePosixPath) -> list[Piece]:
        """As the store has them: lines are looked for by what it says."""
        pieces = parse(text, path, book_form=self._book.form, zone=self._zone)
        return as_stored(pieces, redact=self._kit.redact)

    def _standing(self, text: str, path: PurePosixPath, old: Memory) -> Piece:
        found = self._found(text, path, old)
        if found is None:
            raise InvalidInput(f"{path} was changed just now; tell it again")
        return found

    def _indexed(
        self,
        path: PurePosixPath,
        edit: Edit,
        beside: Mapping[str, Any],
        action: Action,
        paths: list[PurePosixPath],
    ) -> Receipt:
        piece = piece_at(edit, path, self._book.form)
        if piece is not None:
            (piece,) = as_stored([piece], redact=self._kit.redact)
        text = self._memory.text if piece is None else piece.text
        report = self._sync(paths, {(str(path), text): beside})
        where = f"{self._book.root / path}:{edit.line + 1}"
        found = [p for p in report.pieces if p.path == str(path) and p.text == text]
        found.sort(key=lambda p: p.line != edit.line + 1)
        memory = None
        if found:
            memory = self._kit.store.get([found[0].id])[0]
        elif piece is not None:
            memory = self._memory_of(path, piece)
        if memory is None:
            raise not_indexed(where, report)
        return Receipt(
            memory.id,
            memory.space,
            action,
            passages=1,
            embedded=not report.notes,
            notes=(f"in {where}", *report.notes, *self._notes),
        )

    def _sync(
        self,
        paths: list[PurePosixPath],
        told: Mapping[tuple[str, str], Mapping[str, Any]] | None = None,
    ) -> SyncReport:
        return sync(
            self._kit,
            books=[self._book],
            paths=[self._book.root / path for path in paths],
            told=told,
        )


def _as_task(memory: Memory) -> Memory:
    """ "[x] send the report" is a task that is done."""
    found = re.match(r"\s*(?:[-*+]\s+)?\[([ xX])\]\s+(?=\S)", memory.text)
    if found is None:
        return memory
    done = {"done": True} if found[1] != " " else {}
    return replace(memory, text=memory.text[found.end() :], metadata={**memory.metadata, **done})


def _standing(pieces: list[Piece], old: Memory) -> Piece | None:
    """The piece that a memory stands for: in its section, on its line if there are several."""
    alike = [p for p in pieces if p.text == old.text]
    in_section = [p for p in alike if p.section == old.section] or alike
    line = old.provenance.get("line")
    near = line if isinstance(line, int) else 0
    return min(in_section, key=lambda p: abs(p.start + 1 - near), default=None)


def _at_minute(piece: Piece, text: str, zone: tzinfo) -> bool:
    if piece.occurred_at is None:
        return False
    return f"{piece.occurred_at.astimezone(zone):%H:%M}" == text[:5]
