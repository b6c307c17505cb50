"""Forget or revise a memory that stands in a file: the file first, because it is the truth.

What left only the store would come back with the next look at the file, so a line that is forgotten
leaves its file, and so do the lines of `history.md` whose place it took: they quote it. A folder
that is only read is not ours to change; then nothing is changed and the place is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from bethink.errors import InvalidInput, NotebookFileRefused
from bethink.notebook import markdown
from bethink.notebook.books import Book, Books, Form, book_lock
from bethink.notebook.edits import Item, replaced
from bethink.notebook.files import change, remove
from bethink.notebook.layout import HISTORY, INDEX, Reading, reading_of
from bethink.notebook.ledger import Ledger
from bethink.notebook.lines import split_lines, split_lines_with_ends
from bethink.notebook.looking import quoted
from bethink.notebook.meta_list import field_of, item_field
from bethink.notebook.parse import About, Piece, parse
from bethink.notebook.report import SyncKit
from bethink.notebook.sync import sync
from bethink.remember.ingress import accept
from bethink.remember.succession import succession
from bethink.vocabulary import Memory, Receipt

# What an item can say of itself, by the name that is written below it.
_SAID = {
    "tags": "tags", "entities": "entities", "occurred_at": "date", "valid_from": "since",
    "valid_to": "until",
}  # fmt: skip
_IN_INDEX = ("confidence", "metadata", "reinforcement", "access_count")
_BY_PLACE = ("kind", "section", "source", "provenance")
_OURS = ("tags", "entities", "occurred_at", "valid_from", "valid_to", "was_in", "replaced_by")


class Forgotten(NamedTuple):
    ids: list[str]
    notes: tuple[str, ...]


def book_of(memory: Memory, books: Books) -> Book | None:
    """The book that a memory stands in, if it is one of this store's still."""
    root = memory.provenance.get("book")
    return next((book for book in books.all() if str(book.root) == root), None)


def refuse_following(books: Books, space: str) -> None:
    """Why a whole space cannot be erased: what a folder says would be read again."""
    followed = books.of_spaces([space])
    if followed:
        first = followed[0].root
        raise InvalidInput(
            f"the space {space!r} is read from {', '.join(str(b.root) for b in followed)}: it "
            f"would come back from the files. Let go of the folder first: bethink source remove "
            f"{quoted(first)} (its files stay), or delete what you want gone from the files"
        )


def forget_in_file(kit: SyncKit, book: Book, memory: Memory) -> Forgotten:
    """Take a memory and its history out of the files of its book, and out of the store."""
    _refuse_reading_only(book, memory, "forgotten")
    with book_lock(kit.books.directory, book):
        pages = _Pages(kit, book)
        pages.look([memory])
        latest = kit.store.get([memory.id])[0]
        if latest is None:  # the line was deleted by hand a moment ago
            return Forgotten([memory.id], ("the file did not say it any more",))
        chain = succession(kit.store, latest)
        former = chain[: [one.id for one in chain].index(latest.id)]
        gone = [one for one in former if _in_history(one, book)] + [latest]
        pages.look(gone)
        notes = tuple(pages.take_out(gone))
        kit.store.delete([one.id for one in gone])
        pages.settle()
    return Forgotten([one.id for one in gone], notes)


def revise_in_file(
    kit: SyncKit,
    book: Book,
    memory: Memory,
    fields: Mapping[str, Any],
    revise: Callable[[Memory, Mapping[str, Any]], Receipt],
) -> Receipt:
    """Write the new wording in the place of the old, then into the store under the same id.
    `revise` does the latter."""
    _refuse_reading_only(book, memory, "revised")
    for name in fields:
        if name in _BY_PLACE:
            raise InvalidInput(
                f"{name}: it follows from where the line stands, {_where(book, memory)}; "
                "move the line instead"
            )
        if name not in ("text", *_SAID, *_IN_INDEX):
            return revise(memory, fields)  # which says why it cannot be
    checked = accept({"text": memory.text, **fields}, now=kit.clock(), redact=kit.redact)
    with book_lock(kit.books.directory, book):
        pages = _Pages(kit, book)
        pages.look([memory])
        latest = kit.store.get([memory.id])[0]
        if latest is None:
            raise InvalidInput(f"{memory.id} does not stand in its file any more; ask again")
        told = {name: getattr(checked, name) for name in fields}
        notes: tuple[str, ...] = ()
        if any(name in fields for name in ("text", *_SAID)):
            piece = pages.reword(latest, told)
            told["text"] = piece.text
            notes = (f"in {book.root / latest.source}:{piece.start + 1}",)
        receipt = revise(latest, told)
        pages.settle()
    kept = [name for name in _IN_INDEX if name in fields]
    if kept:
        notes += (f"{' and '.join(kept)}: kept in the index only, not in the file",)
    return receipt._replace(notes=(*receipt.notes, *notes))


def _refuse_reading_only(book: Book, memory: Memory, what: str) -> None:
    where = _where(book, memory)
    if not book.writable:
        raise InvalidInput(
            f"{memory.id} stands in {where}, which is only read, so it cannot be {what} here. "
            f"Edit that file, or let go of the folder: bethink source remove {quoted(book.root)}"
        )
    if not book.root.is_dir():
        raise InvalidInput(
            f"{memory.id} stands in {where}, and the folder is not there now; it would come back "
            f"with it. Bring it back, or let go of it: bethink source remove {quoted(book.root)}"
        )


def _where(book: Book, memory: Memory) -> str:
    return f"{book.root / memory.source}, line {memory.provenance.get('line', 1)}"


def _in_history(memory: Memory, book: Book) -> bool:
    return memory.source == str(HISTORY) and memory.provenance.get("book") == str(book.root)


class _Pages:
    """The files of one book, whose lock is held."""

    def __init__(self, kit: SyncKit, book: Book) -> None:
        self._kit = kit
        self._book = book
        self._touched: dict[PurePosixPath, None] = {}
        self._abouts: dict[str, About] = {}
        if book.form is Form.NOTES:
            from bethink.notebook.index_file import index_of

            self._abouts = index_of(book)

    def look(self, memories: Iterable[Memory]) -> None:
        """What was edited a moment ago is known too: lines may have moved."""
        files = dict.fromkeys(memory.source for memory in memories)
        sync(self._kit, books=[self._book], paths=[self._book.root / file for file in files])

    def settle(self) -> None:
        """Index what the files say now. A book that is empty now was emptied by us."""
        paths = [self._book.root / path for path in self._touched]
        if paths:
            sync(self._kit, books=[self._book], paths=paths, accept_empty=True)

    def take_out(self, memories: list[Memory]) -> Iterator[str]:
        by_file: dict[PurePosixPath, list[str]] = {}
        for memory in memories:
            path = PurePosixPath(str(memory.provenance.get("file", memory.source)))
            by_file.setdefault(path, []).append(memory.id)
        for path, ids in by_file.items():
            ordinals = self._ordinals(path, ids)
            left: list[int] = []

            def edit(
                text: str,
                path: PurePosixPath = path,
                ordinals: set[int] = ordinals,
                left: list[int] = left,
            ) -> str:
                pieces = self._parsed(text, path)
                _refuse_other(pieces, ordinals, path)
                after = _without(text, [pieces[n] for n in ordinals])
                rest = self._parsed(after, path)
                others = [p for n, p in enumerate(pieces) if n not in ordinals]
                if not self._same(others, rest, path):
                    raise InvalidInput(
                        f"without it, other lines of {self._book.root / path} would read "
                        "differently (an open ``` or <!--?); delete it there by hand"
                    )
                left.append(len(rest))
                return after

            self._touched[path] = None
            change(self._book.root, path, edit)
            if left[-1] == 0 and reading_of(path, self._book.form) is Reading.NOTES:
                yield from self._remove(path)
            else:
                yield f"removed from {self._book.root / path}"

    def _remove(self, path: PurePosixPath) -> Iterator[str]:
        """A note of which nothing is left: the file goes, and its entry in the index."""
        remove(self._book.root, path)
        yield f"{self._book.root / path} is removed: nothing else stood in it"
        if str(path) in self._abouts:
            from bethink.notebook.index_file import without_entry

            change(self._book.root, INDEX, lambda text: without_entry(text, path))
            self._touched[INDEX] = None

    def reword(self, memory: Memory, fields: dict[str, Any]) -> Piece:
        """The piece as it reads after the edit."""
        path = PurePosixPath(memory.source)
        (ordinal,) = self._ordinals(path, [memory.id])
        read: list[Piece] = []

        def edit(text: str) -> str:
            pieces = self._parsed(text, path)
            _refuse_other(pieces, {ordinal}, path)
            if reading_of(path, self._book.form) is Reading.LISTS:
                after = self._item(text, pieces[ordinal], path, fields)
            else:
                after = self._section(text, pieces[ordinal], path, fields)
            rest = self._parsed(after, path)
            others = [p for n, p in enumerate(pieces) if n != ordinal]
            if len(rest) != len(pieces) or not self._same(
                others, [p for n, p in enumerate(rest) if n != ordinal], path
            ):
                raise InvalidInput(
                    f"written into {path}, this text would read as more than one thing, or change "
                    "how other lines read; edit the file by hand"
                )
            read.append(rest[ordinal])
            return after

        self._touched[path] = None
        change(self._book.root, path, edit)
        return read[-1]

    def _item(self, text: str, piece: Piece, path: PurePosixPath, fields: dict[str, Any]) -> str:
        lines = split_lines(text)
        marker = markdown.marker_of(lines[piece.start])
        first = lines[piece.start][marker.content if marker else 0 :]
        box = first[:3] if first[:1] == "[" and first[1:3] in (" ]", "x]", "X]") else ""
        before = first.partition(piece.text.split("\n", 1)[0])[0]  # e.g. the time of a journal
        before = before[len(box) :].lstrip() if box else before
        below = [told for line in lines[piece.start + 1 : piece.end] if (told := item_field(line))]
        kept = [(n, v) for n, v in below if field_of(n) in _OURS and field_of(n) not in fields]
        said = [(_SAID[name], shown) for name in _SAID
                if name in fields and (shown := self._shown(fields[name]))]  # fmt: skip
        item = Item(before + fields.get("text", piece.text), (*kept, *said))
        after = replaced(text, piece, item, path=path, form=self._book.form).text
        if box not in ("", "[ ]"):  # what was done stays done
            raw = split_lines_with_ends(after)
            raw[piece.start] = raw[piece.start].replace("[ ]", box, 1)
            after = "".join(raw)
        return after

    def _shown(self, value: Any) -> str:
        if isinstance(value, datetime):
            return value.astimezone(self._kit.zone()).isoformat(timespec="seconds")
        return ", ".join(value or ())

    def _section(self, text: str, piece: Piece, path: PurePosixPath, fields: dict[str, Any]) -> str:
        """The headings stay, what stands below them is exchanged."""
        beside = next((name for name in _SAID if name in fields), None)
        if beside is not None:
            raise InvalidInput(
                f"{beside}: a note says it in the lines between --- at its top; edit {path}"
            )
        lines = split_lines(text)
        own = [h for h in markdown.headings(lines) if piece.start <= h.line < piece.end]
        body = own[-1].after if own else piece.start
        while body < piece.end and not lines[body].strip():
            body += 1
        former = "\n".join(lines[body : piece.end])
        lead = piece.text[: len(piece.text) - len(former)] if former else piece.text + "\n"
        new = str(fields["text"]).strip().removeprefix(lead.strip()).strip("\r\n")
        raw = split_lines_with_ends(text)
        end = "\r\n" if "\r\n" in text else "\n"
        written = [line + end for line in split_lines(new)]
        if body == piece.end and written:  # there were only headings
            written = [end, *written]
            if raw[body - 1 : body] and not raw[body - 1].endswith(("\n", "\r")):
                raw[body - 1] += end
        return "".join([*raw[:body], *written, *raw[piece.end :]])

    def _ordinals(self, path: PurePosixPath, ids: list[str]) -> set[int]:
        where = self._kit.books.directory / f"{self._book.key}.ledger"
        with Ledger(where) as ledger:
            found = {row.id: row.ordinal for row in ledger.pieces(str(path))}
        lost = [one for one in ids if one not in found]
        if lost:
            raise InvalidInput(
                f"{lost[0]} does not stand in {self._book.root / path} as it was read; run "
                "'bethink sync' and try again"
            )
        return {found[one] for one in ids}

    def _parsed(self, text: str, path: PurePosixPath) -> list[Piece]:
        return parse(
            text, path, book_form=self._book.form, zone=self._kit.zone(),
            about=self._abouts.get(str(path)),
        )  # fmt: skip

    def _same(self, before: list[Piece], after: list[Piece], path: PurePosixPath) -> bool:
        """Do the others read as they did? Of a note the headings above may have gone."""
        if reading_of(path, self._book.form) is Reading.NOTES:
            return len(before) == len(after) and all(
                old.text.endswith(new.text) or new.text.endswith(old.text)
                for old, new in zip(before, after, strict=True)
            )
        return [(p.text, p.section, p.kind) for p in before] == [
            (p.text, p.section, p.kind) for p in after
        ]


def _refuse_other(pieces: list[Piece], ordinals: set[int], path: PurePosixPath) -> None:
    if max(ordinals) >= len(pieces):
        raise NotebookFileRefused(path, "it was changed at this moment; try again")


def _without(text: str, pieces: list[Piece]) -> str:
    """The text without these pieces, and without the blank lines that parted them from the rest."""
    raw = split_lines_with_ends(text)
    for piece in sorted(pieces, key=lambda p: p.start, reverse=True):
        start, end = piece.start, min(piece.end, len(raw))
        above = start == 0 or not raw[start - 1].strip()
        while above and end < len(raw) and not raw[end].strip():
            end += 1
        if end == len(raw):
            while start > 0 and not raw[start - 1].strip():
                start -= 1
        del raw[start:end]
    return "".join(raw)
