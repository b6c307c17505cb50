"""From what somebody named to documents that are kept, with a report of every file."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from bethink.checks import check_reachable
from bethink.errors import Conflict, InvalidInput, MissingExtra, NotFound
from bethink.knowledge.documents.beside import Readers
from bethink.knowledge.documents.blocks import Limits, Unreadable
from bethink.knowledge.documents.given import (
    Given,
    endings_of,
    files_under,
    given_bytes,
    kinds_passed_over,
    longer,
    one_file,
)
from bethink.knowledge.documents.keeping import AT_ONCE, CHARS_AT_ONCE, Keeper
from bethink.knowledge.documents.kinds import format_of
from bethink.knowledge.documents.made import READY, Made, Origin, made
from bethink.knowledge.documents.reading import READER
from bethink.knowledge.documents.report import Outcome, Report
from bethink.recall.document_parts import DOCUMENT, sections_of
from bethink.shelf import Shelf
from bethink.vocabulary import Memory, Progress

if TYPE_CHECKING:
    from bethink.engine import Engine

_INSTEAD = "another file was put in its place, which stays until this one changes"


class Adding:
    def __init__(
        self, engine: Engine, shelf: Shelf, limits: Limits, progress: Progress | None
    ) -> None:
        self._shelf = shelf
        self._limits = limits
        self._progress = progress
        self._keeper = Keeper(engine, shelf.space)
        self._outcomes: list[Outcome] = []
        self._waiting: list[tuple[int, Made, Memory | None]] = []  # with the place of its outcome
        self._cards: dict[str, Memory] = {}
        self._by_path: dict[str, Memory] = {}
        self._taken: dict[str, str] = {}  # addresses of this run, with whose they are

    # What there is to do

    def paths(
        self, paths: Sequence[Path], formats: Iterable[str] | None, *, removed: bool
    ) -> Report:
        began = time.perf_counter()
        endings = endings_of(formats)
        files: list[Given] = []
        folders: list[Path] = []
        for path in paths:
            check_reachable(path)
            if path.is_dir():
                folders.append(path.resolve())
                files += files_under(path, endings, self._limits)
            elif path.exists():
                files.append(one_file(path, self._limits))
            else:
                raise InvalidInput(f"there is no file or folder {path}")
        files = list({one.origin: one for one in files}.values())
        self._look_at_what_is_kept()
        self._take_all(files)
        notes = self._prune(folders, files) if removed else ()
        if formats is None:  # else the caller chose what is left out
            notes = (*notes, *filter(None, map(kinds_passed_over, folders)))
        return Report(self._outcomes, time.perf_counter() - began, notes)

    def named(self, data: bytes, name: str) -> Report:
        began = time.perf_counter()
        given = given_bytes(data, name, self._limits)
        held = self._shelf.get(self._shelf.id(DOCUMENT, given.address))
        self._cards = {} if held is None else {held.id: held}
        self._take_all([given])
        return Report(self._outcomes, time.perf_counter() - began)

    def alone(self, data: bytes, name: str) -> Outcome:
        """Raises what keeps it from being read or kept: there is only this one."""
        given = given_bytes(data, name, self._limits)
        held = self._shelf.get(self._shelf.id(DOCUMENT, given.address))
        self._cards = {} if held is None else {held.id: held}
        with Readers(self._limits) as readers:
            self._take(given, readers)
        self._write()
        (outcome,) = self._outcomes
        if outcome.fate == "failed":
            raise Conflict(f"{outcome.address} was not added: {outcome.why}")
        return outcome

    def instead_by_file(self, card: Memory, path: Path) -> Outcome:
        check_reachable(path)
        if not path.is_file():
            raise InvalidInput(f"there is no file {path}")
        given = one_file(path, self._limits)
        return self.instead(card, given.load(), given.name)

    def instead(self, card: Memory, data: bytes, name: str) -> Outcome:
        """Raises what keeps it from being read: there is only this one."""
        kind, note = format_of(data, name, self._limits)
        with Readers(self._limits) as readers:
            reading = readers.read(kind, data, name)
        path = card.metadata.get("origin")
        digest = sha256(data).hexdigest()
        # so that the file which it replaces is known when it is added again, and does not come back
        before = card.metadata.get("instead_of") or card.metadata.get("sha256") if path else ""
        origin = Origin(
            card.id, card.source, str(path or ""), kind, digest, len(data), str(before or "")
        )
        one = made(reading, origin, space=self._shelf.space)
        put = self._keeper.put([(one, card)])
        if put.failed:
            raise Conflict(f"{card.source} was not replaced: {put.failed[card.id]}")
        said = tuple(filter(None, (note, *one.notes, *put.notes[one.id])))
        return Outcome(card.source, "replaced", card.id, len(one.sections), notes=said)

    # One file after the other

    def _look_at_what_is_kept(self) -> None:
        self._cards = {card.id: card for card in self._shelf.of_kind(DOCUMENT)}
        self._by_path = {
            str(path): card
            for card in self._cards.values()
            if (path := card.metadata.get("origin"))
        }

    def _take_all(self, files: Sequence[Given]) -> None:
        waiting = 0
        with Readers(self._limits) as readers:
            for number, given in enumerate(files, start=1):
                try:
                    one = self._take(given, readers)
                except (Unreadable, MissingExtra) as e:
                    why = getattr(e, "why", str(e))
                    held = self._by_path.get(given.origin)
                    stays = ("what was read of it before stays",) if held else ()
                    ident = "" if held is None else held.id
                    self._outcomes.append(
                        Outcome(given.address, "failed", ident, why=why, notes=stays)
                    )
                    one = None
                waiting += 0 if one is None else one.chars
                if waiting > CHARS_AT_ONCE or self._sections_waiting() > AT_ONCE:
                    self._write()
                    waiting = 0
                self._so_far(number, len(files))
            self._write()
            self._so_far(len(files), len(files))

    def _so_far(self, read: int, total: int) -> None:
        """Done is what is kept: reading takes a moment, what follows most of the time."""
        if self._progress is not None:
            self._progress(read - len(self._waiting), total)

    def _sections_waiting(self) -> int:
        return sum(len(one.sections) for _, one, _ in self._waiting)

    def _take(self, given: Given, readers: Readers) -> Made | None:
        """Read one, unless it is kept as it is."""
        if given.refused:
            raise Unreadable(given.refused)
        data = given.load()
        digest = sha256(data).hexdigest()
        address, held = self._place(given, digest)
        if held is not None and self._stays(held, given, digest):
            notes = (_INSTEAD,) if held.metadata.get("sha256") != digest else ()
            self._outcomes.append(
                Outcome(address, "unchanged", held.id, sections_of(held), notes=notes)
            )
            return None
        kind, note = format_of(data, given.name, self._limits)
        reading = readers.read(kind, data, given.name)
        ident = self._shelf.id(DOCUMENT, address) if held is None else held.id
        origin = Origin(ident, address, given.origin, kind, digest, len(data))
        one = made(reading, origin, space=self._shelf.space)
        said = tuple(filter(None, (note, *one.notes)))
        fate = Outcome(
            address, "added" if held is None else "replaced", ident, len(one.sections), notes=said
        )
        self._waiting.append((len(self._outcomes), one, held))
        self._outcomes.append(fate)
        return one

    def _stays(self, held: Memory, given: Given, digest: str) -> bool:
        """Whether there is nothing to read: this file was read, or another took its place."""
        told = held.metadata
        replaced = bool(given.origin) and told.get("instead_of") == digest
        if not (_is_kept(held, digest) or (replaced and told.get("state") == READY)):
            return False
        if given.origin and told.get("origin") != given.origin:
            try:
                self._keeper.amend(held, origin=given.origin)
            except NotFound:  # another process removed it just now
                return False
        return True

    def _place(self, given: Given, digest: str) -> tuple[str, Memory | None]:
        """Under which address it is kept, and the card that is there already.

        Known by its path; else by its address, if what has it came without a file, or its file is
        gone and read the same (a folder that was moved). A file that is gone and read otherwise may
        be on a disk that is missing now: it keeps its address, as does any other file's, and the
        next longer one is tried.
        """
        held = self._by_path.get(given.origin) if given.origin else None
        if held is not None:
            self._taken[held.source] = given.origin
            return held.source, held
        for address in longer(given) if given.origin else (given.address,):
            held = self._cards.get(self._shelf.id(DOCUMENT, address))
            theirs = "" if held is None else str(held.metadata.get("origin") or "")
            free = self._taken.get(address, given.origin) == given.origin
            if free and (held is None or not theirs or not given.origin):
                break
            if free and held and _read_from(held, digest) and not os.path.lexists(theirs):
                break
        else:
            raise Unreadable("another document has its address")
        self._taken[address] = given.origin
        return address, held

    def _write(self) -> None:
        if not self._waiting:
            return
        put = self._keeper.put([(one, held) for _, one, held in self._waiting])
        for at, one, _ in self._waiting:
            fate = self._outcomes[at]
            if one.id in put.failed:
                self._outcomes[at] = Outcome(fate.address, "failed", one.id, why=put.failed[one.id])
            else:
                self._outcomes[at] = fate._replace(notes=(*fate.notes, *put.notes[one.id]))
        self._waiting.clear()

    # What is gone

    def _prune(self, folders: Sequence[Path], files: Sequence[Given]) -> tuple[str, ...]:
        """Remove the documents of these folders whose files are gone. A folder in which nothing is
        left was more likely not there (a disk, a share) than emptied."""
        notes: list[str] = []
        gone: list[Memory] = []
        for folder in folders:
            below = str(folder) + os.sep
            if not any(one.origin.startswith(below) for one in files):
                notes.append(
                    f"{folder} holds nothing that is read, so nothing was removed; "
                    "'bethink documents remove' removes documents"
                )
                continue
            gone += [
                card
                for path, card in self._by_path.items()
                if path.startswith(below) and not os.path.lexists(path)
            ]
        _, left = self._keeper.remove(gone)
        self._outcomes += [Outcome(card.source, "removed", card.id) for card in gone]
        return (*notes, *left)


def _read_from(card: Memory, digest: str) -> bool:
    return digest in (card.metadata.get("sha256"), card.metadata.get("instead_of"))


def _is_kept(card: Memory, digest: str) -> bool:
    told = card.metadata
    return (
        told.get("sha256") == digest and told.get("reader") == READER and told.get("state") == READY
    )
