"""Remember into a book: the file is written first, because it is the truth, then indexed from it.

The kind says which file, the section under which heading. Told again, it is counted and the file
stays as it is; a correction takes the old line's place, which moves to `history.md`. All of it
happens under the book's lock, so that of many who remember at once nobody's line is lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, tzinfo
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.clock import Clock
from recollect.errors import InvalidInput, NotFound, StoreError
from recollect.filters import Condition
from recollect.notebook.books import Book, Books, book_lock
from recollect.notebook.edits import Edit, Item, appended, kept_fields, piece_at, replaced
from recollect.notebook.files import change, current, put_back
from recollect.notebook.forms import Form
from recollect.notebook.history_file import one_line, with_superseded
from recollect.notebook.journal import entry
from recollect.notebook.judging import Finding, find
from recollect.notebook.layout import HISTORY, HOMES
from recollect.notebook.parse import Piece, parse
from recollect.notebook.reading import read_text
from recollect.notebook.report import SyncKit, SyncReport
from recollect.notebook.sameness import Verdict
from recollect.notebook.sync import sync
from recollect.remember.ingress import accept
from recollect.remember.succession import SUPERSEDES, link, refuse_superseded
from recollect.stores.protocol import Store
from recollect.text.clip import clip
from recollect.vocabulary import Action, Memory, Receipt

if TYPE_CHECKING:
    from recollect.embedders.protocol import Embedder

KINDS = frozenset({*HOMES, "journal"})
_NOTE = "note"  # a file of its own in a book of notes; nowhere in a notebook
_BETWEEN = " > "  # the titles of a section's path
# Fields that an item can say of itself in the file; the rest is kept in the index beside it.
_IN_INDEX = ("confidence", "metadata")


class Kit(NamedTuple):
    """What remembering into books needs. The embedder is asked for late: loading one is slow."""

    store: Store
    books: Books | None
    embedder: Callable[[], Embedder | None]
    clock: Clock
    zone: Callable[[], tzinfo]
    plainly: Callable[[Mapping[str, Any]], Receipt]  # into the store alone


def remembered(
    kit: Kit, told: Mapping[str, Any], *, supersedes: str | None = None, merge: str = "words"
) -> Receipt:
    """Into the space's book if it has one for this kind, else into the store."""
    if merge not in ("words", "meaning"):
        raise InvalidInput(f"merge: expected 'words' or 'meaning', got {merge!r}")
    memory = accept(told, now=kit.clock())
    old = _superseded(kit, memory, supersedes)
    if old is not None and one_line(old.text) == one_line(memory.text):
        return _reinforced(kit.store, Finding(Verdict.SAME, "the same words", old))
    book = _book(kit, memory, old, own_id=bool(told.get("id")))
    if book is not None and kit.books is not None:
        syncing = SyncKit(kit.store, kit.books, kit.embedder, kit.clock, kit.zone)
        with book_lock(kit.books.directory, book):
            if memory.kind == _NOTE and old is None:
                from recollect.notebook.note_files import remember_note

                done = remember_note(syncing, book, memory, told)
                return _reinforced(kit.store, done) if isinstance(done, Finding) else done
            return _Writing(syncing, book, memory, told).remember(old)
    if old is None and merge == "words":
        return kit.plainly(told)
    return _in_store(kit, told, memory, old)


def _superseded(kit: Kit, memory: Memory, supersedes: str | None) -> Memory | None:
    if supersedes is None:
        return None
    old = kit.store.get([supersedes], spaces=[memory.space])[0]
    if old is None:
        raise NotFound(
            f"no memory of space {memory.space!r} has the id {supersedes!r}; "
            "'recollect list' shows the ids"
        )
    refuse_superseded(old, memory.created_at)
    return old


def _book(kit: Kit, memory: Memory, old: Memory | None, *, own_id: bool) -> Book | None:
    """The book that this is written into. An id of the caller's own cannot stand in a file."""
    books = kit.books
    if own_id or books is None or not (memory.kind in (*KINDS, _NOTE) or old is not None):
        return None
    if old is not None:
        root = old.provenance.get("book")
        mine = next((book for book in books.all() if str(book.root) == root), None)
        if mine is not None and not mine.writable:
            raise InvalidInput(
                f"{old.id} stands in {mine.root / old.source}, which is only read; edit it there"
            )
        return mine
    return books.writable_for(memory.space, Form.NOTES if memory.kind == _NOTE else Form.NOTEBOOK)


def _in_store(kit: Kit, told: Mapping[str, Any], memory: Memory, old: Memory | None) -> Receipt:
    """Without a book: the same judgement, in the store alone."""
    store, now = kit.store, memory.created_at
    notes: tuple[str, ...] = ()
    if old is None:
        finding = find(memory, store=store, embedder=kit.embedder, zone=kit.zone())
        if finding.verdict is Verdict.SAME and finding.memory is not None:
            return _reinforced(kit.store, finding)
        notes = _near_note(finding)
        old = finding.memory if finding.verdict is Verdict.CORRECTION else None
        if old is None:
            receipt = kit.plainly(told)
            return receipt._replace(notes=(*receipt.notes, *notes))
    metadata = {**memory.metadata, SUPERSEDES: old.id}
    receipt = kit.plainly({**told, "valid_from": memory.valid_from or now, "metadata": metadata})
    if receipt.id == old.id:  # it was known by these very words
        return receipt
    link(store, old, receipt.id, until=memory.valid_from or now)
    said = f"supersedes {old.id}: {clip(one_line(old.text), 80)}"
    return receipt._replace(action=Action.REVISED, notes=(*receipt.notes, said))


def _reinforced(store: Store, finding: Finding) -> Receipt:
    known = finding.memory
    assert known is not None
    store.touch(accessed={}, reinforced={known.id: 1})
    where = known.source
    if isinstance(line := known.provenance.get("line"), int):
        where = f"{known.source}:{line}"
    said = f"known already ({finding.why}){f' in {where}' if where else ''}"
    return Receipt(
        known.id,
        known.space,
        Action.REINFORCED,
        notes=(f"{said}: {clip(one_line(known.text), 80)}",),
    )


def _near_note(finding: Finding) -> tuple[str, ...]:
    if finding.verdict is not Verdict.NEW or finding.memory is None:
        return ()
    near = finding.memory
    return (f"{finding.why}: {near.id} {clip(one_line(near.text), 80)}",)


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
                return _reinforced(self._kit.store, finding)
            self._notes += _near_note(finding)
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
                return _reinforced(
                    self._kit.store, Finding(Verdict.SAME, "told this minute", known)
                )
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
            why = "; ".join((*report.faults, *(r.why for r in report.refused))) or "no reason given"
            raise StoreError(
                f"it is written in {where}, but could not be indexed ({why}); "
                "'recollect sync' does it again"
            )
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
