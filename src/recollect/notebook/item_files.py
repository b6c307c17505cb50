"""Remember an item into a book: a line of a file that the kind names, under the section's heading.

A correction takes the old line's place, which moves to `history.md`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, tzinfo
from pathlib import PurePosixPath
from typing import Any

from recollect.errors import InvalidInput
from recollect.filters import Condition
from recollect.notebook.books import Book
from recollect.notebook.edits import Edit, Item, appended, kept_fields, piece_at, replaced
from recollect.notebook.files import change, current, put_back
from recollect.notebook.history_file import one_line, with_superseded
from recollect.notebook.journal import entry
from recollect.notebook.judging import Finding, find
from recollect.notebook.layout import HISTORY, HOMES
from recollect.notebook.parse import Piece, parse
from recollect.notebook.reading import read_text
from recollect.notebook.receipts import near_note, not_indexed, reinforced
from recollect.notebook.report import SyncKit, SyncReport
from recollect.notebook.sameness import Verdict
from recollect.notebook.sync import sync
from recollect.remember.succession import SUPERSEDES, link
from recollect.text.clip import clip
from recollect.vocabulary import Action, Memory, Receipt

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
        self._memory = memory
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
        if old is None:
            finding = find(
                self._memory,
                store=self._kit.store,
                embedder=self._kit.embedder,
                zone=self._zone,
                where=Condition("provenance", "book", "=", str(self._book.root)),
            )
            if finding.verdict is Verdict.SAME:
                return reinforced(self._kit.store, finding)
            self._notes += near_note(finding)
            old = finding.memory if finding.verdict is Verdict.CORRECTION else None
        if old is not None:
            return self._supersede(old)
        assert path is not None
        home = HOMES[self._memory.kind]
        title = home.title_zh if re.search("[\u3400-\u9fff]", self._memory.text) else home.title
        item = Item(self._memory.text, tuple(self._fields()), box=self._memory.kind == "task")
        return self._append(path, item, title, Action.CREATED)

    def _journal(self) -> Receipt:
        moment = self._memory.occurred_at or self._memory.created_at
        told = entry(self._memory.text, moment, self._zone)
        before = current(self._book.root, told.path)
        if before is not None:
            known = self._told_this_minute(told.path, told.text)
            if known is not None:
                return reinforced(self._kit.store, Finding(Verdict.SAME, "told this minute", known))
        fields = tuple((n, v) for n, v in self._fields() if n in ("tags", "entities"))
        return self._append(told.path, Item(told.text, fields), told.title, Action.CREATED)

    def _told_this_minute(self, path: PurePosixPath, text: str) -> Memory | None:
        """A hook that is run twice must not write twice."""
        alone = appended("", Item(text), (), path=path, form=self._book.form, title=path.stem)
        own = piece_at(alone, path, self._book.form)
        lines = read_text(self._book.root, path)
        if own is None or own.text.split("\n", 1)[0] not in lines:
            return None
        self._sync([path])
        pieces = parse(lines, path, book_form=self._book.form, zone=self._zone)
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
        yield from _labels(memory)
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

    def _append(self, path: PurePosixPath, item: Item, title: str, action: Action) -> Receipt:
        made: list[Edit] = []

        def edit(text: str) -> str:
            made.append(
                appended(text, item, self._section(), path=path, form=self._book.form, title=title)
            )
            return made[-1].text

        change(self._book.root, path, edit)
        return self._indexed(path, made[-1], self._beside(), action, [path])

    def _supersede(self, old: Memory) -> Receipt:
        path = PurePosixPath(old.source)
        piece = self._piece_of(path, old)
        if piece is None:
            raise InvalidInput(
                f"{old.id} does not stand in {path} any more as it was read; run 'recollect sync' "
                "and tell it again"
            )
        now = (self._memory.valid_from or self._memory.created_at).replace(microsecond=0)
        held_back: list[str] = []

        def note(text: str) -> str:
            held_back.append(
                with_superseded(
                    text,
                    old.text,
                    labels=tuple(_labels(old)),
                    since=old.valid_from or old.created_at,
                    until=now,
                    was_in=path,
                    section=old.section,
                    replaced_by=self._memory.text,
                    zone=self._zone,
                    form=self._book.form,
                ).text
            )
            return held_back[-1]

        made: list[Edit] = []

        def edit(text: str) -> str:
            standing = _standing(parse(text, path, book_form=self._book.form, zone=self._zone), old)
            if standing is None:
                raise InvalidInput(f"{path} was changed just now; tell it again")
            own = [f for f in self._fields() if f[0] not in ("since", "date")]
            named = {name for name, _ in own}
            kept = [field for field in kept_fields(text, standing) if field[0] not in named]
            item = Item(self._memory.text, (*kept, *own))
            made.append(replaced(text, standing, item, path=path, form=self._book.form))
            return made[-1].text

        # The old line is in history.md before it leaves its place: at no moment is it in neither.
        before = change(self._book.root, HISTORY, note)
        try:
            change(self._book.root, path, edit)
        except BaseException:
            after = current(self._book.root, HISTORY)
            if after is not None and after.endswith(held_back[-1].encode()[-64:]):
                put_back(self._book.root, HISTORY, before, after)
            raise
        beside = self._beside()
        metadata = {**beside.get("metadata", {}), SUPERSEDES: old.id}
        beside |= {"metadata": metadata, "valid_from": now}
        receipt = self._indexed(path, made[-1], beside, Action.REVISED, [path, HISTORY])
        latest = self._kit.store.get([old.id])[0]
        if latest is not None:
            link(self._kit.store, latest, receipt.id, until=now)
        said = f"supersedes {old.id}, kept in {HISTORY}: {clip(one_line(old.text), 80)}"
        return receipt._replace(notes=(*receipt.notes, said))

    def _piece_of(self, path: PurePosixPath, old: Memory) -> Piece | None:
        text = read_text(self._book.root, path)
        return _standing(parse(text, path, book_form=self._book.form, zone=self._zone), old)

    def _indexed(
        self,
        path: PurePosixPath,
        edit: Edit,
        beside: Mapping[str, Any],
        action: Action,
        paths: list[PurePosixPath],
    ) -> Receipt:
        piece = piece_at(edit, path, self._book.form)
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


def _labels(memory: Memory) -> Iterator[tuple[str, str]]:
    if memory.tags:
        yield "tags", ", ".join(memory.tags)
    if memory.entities:
        yield "entities", ", ".join(memory.entities)


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
