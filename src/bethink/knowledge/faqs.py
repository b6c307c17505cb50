"""Questions that are asked often, with their answers.

base.add_faq("How do I get a refund?", "Within 30 days, …", similar=["money back"],
             negative=["how do I return a rented bike"])
base.import_faq("questions.csv")
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from bethink.checks import is_id
from bethink.errors import BethinkError, InvalidInput, NotFound
from bethink.knowledge.faq_entry import Faq, as_told, faq_id, faq_of, told_faq
from bethink.knowledge.faq_files import SEPARATOR, Row, read_bytes, read_file, written
from bethink.knowledge.shared import FAQ, Shared
from bethink.text.bare import bare
from bethink.text.faq_layout import layout_of
from bethink.vocabulary import Memory, Progress

_BATCH = 1_000
_KEPT = ("text", "tags", "metadata")


class FailedRow(NamedTuple):
    place: int  # its line or number, from 1
    why: str


class FaqReport(NamedTuple):
    """What became of every row: nothing is passed over in silence."""

    added: int
    updated: int
    unchanged: int
    failed: tuple[FailedRow, ...]
    notes: tuple[str, ...]
    ids: tuple[str, ...]  # of those that are there now, in the order told
    dry_run: bool = False

    def as_data(self) -> dict[str, Any]:
        return {
            "added": self.added,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "failed": [one._asdict() for one in self.failed],
            "notes": list(self.notes),
            "dry_run": self.dry_run,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the same as `as_data`."""
        return self.as_data()


class Faqs(Shared):
    """Questions that are asked often, with their answers."""

    def add_faq(
        self,
        question: str,
        answers: str | Sequence[str],
        *,
        similar: Sequence[str] = (),
        negative: Sequence[str] = (),
        tags: Sequence[str] = (),
        id: str | None = None,  # noqa: A002  (as everybody calls it)
        enabled: bool | None = None,
        source: str = "",
    ) -> Faq:
        """Add an entry, or change the one that has this id (where none is given: this question).

        `similar` are other ways to ask it. `negative` are questions that look alike and must not
        get this answer: asked just so or in other words, the entry is left out."""
        told = {
            "question": question,
            "answers": answers,
            "similar": similar,
            "negative": negative,
            "tags": tags,
            "id": id,
            "enabled": enabled,
            "source": source,
        }
        report = self.add_faqs([told])
        if report.failed:
            raise InvalidInput(report.failed[0].why)
        found = self.faq(report.ids[0])
        if found is None:
            raise NotFound(f"{report.ids[0]}: somebody removed it just now")
        return found

    def add_faqs(
        self,
        told: Iterable[Mapping[str, Any]],
        *,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> FaqReport:
        """Add or change many, each a mapping of the arguments of `add_faq`. What cannot be taken is
        in the report with its number and the reason; the rest is there."""
        rows = (Row(place, one) for place, one in enumerate(told, start=1))
        return self._take(rows, dry_run=dry_run, progress=progress)

    def import_faq(
        self,
        file: str | os.PathLike[str] | bytes,
        *,
        name: str = "",
        format: str = "auto",  # noqa: A002  (as people call it)
        separator: str = SEPARATOR,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> FaqReport:
        """Add or change what a file holds: CSV, JSON or JSON lines (docs/how-to/faq.md). Imported
        again, nothing is doubled. Bytes are a file that was sent, under a `name`."""
        if isinstance(file, bytes):
            name = name or "the file"
            read = read_bytes(file, name, format_name=format, separator=separator)
        else:
            name = Path(file).name
            read = read_file(file, format_name=format, separator=separator)
        report = self._take(read.rows, dry_run=dry_run, progress=progress, source=name)
        return report._replace(notes=(*read.notes, *report.notes))

    def export_faq(
        self,
        path: str | os.PathLike[str],
        *,
        format: str = "auto",  # noqa: A002
        separator: str = SEPARATOR,
    ) -> int:
        """Write every entry to a file that `import_faq` takes; how many there are."""
        file = Path(path).expanduser()
        form = file.suffix.lower().lstrip(".") if format == "auto" else format
        entries = self.faqs()
        text = written((one.as_data() for one in entries), form, separator=separator)
        try:
            # with a mark, so that spreadsheets read it as UTF-8
            file.write_bytes(text.encode("utf-8-sig" if form == "csv" else "utf-8"))
        except OSError as e:
            raise InvalidInput(f"{file} cannot be written: {e.strerror}") from None
        return len(entries)

    def faqs(self, *, tag: str | None = None, enabled: bool | None = None) -> list[Faq]:
        """The entries in the order told; those with a tag, or only what is enabled or not."""
        withheld = self.engine.withheld.ids(self.space)
        where = {} if tag is None else {"tags": {"has": tag}}
        found = [
            faq_of(memory, enabled=memory.id not in withheld)
            for memory in self._shelf.of_kind(FAQ, where)
        ]
        return [one for one in found if one is not None and enabled in (None, one.enabled)]

    def faq_page(
        self, *, tag: str | None = None, cursor: str | None = None, limit: int = 100
    ) -> tuple[list[Faq], str | None]:
        """Some of them in the order told, and the cursor of the next page."""
        where = {"kind": FAQ} if tag is None else {"kind": FAQ, "tags": {"has": tag}}
        memories, following = self._shelf.page(where, cursor=cursor, limit=limit)
        withheld = self.engine.withheld.ids(self.space)
        found = [faq_of(memory, enabled=memory.id not in withheld) for memory in memories]
        return [one for one in found if one is not None], following

    def faq(self, name: str) -> Faq | None:
        """An entry by its id, the id that was given for it, or its question."""
        memory = self._held(name)
        if memory is None:
            return None
        return faq_of(memory, enabled=memory.id not in self.engine.withheld.ids(self.space))

    def remove_faq(self, *names: str, notes: list[str] | None = None) -> list[str]:
        """Erase entries, as `forget` does; their ids. With a list `notes`, it is said there what is
        left of them for now: nothing, as a rule."""
        ids = self._ids(names)
        held = self.engine.store.get(ids, spaces=[self.space])
        gone = self.engine.forget_many(ids, space=self.space, finish=False)
        left = self.engine._finish_erasing([one.text for one in held if one is not None])
        if notes is not None:
            notes += left
        self._changed(FAQ, "removed", gone)
        return ids

    def enable_faq(self, *names: str) -> list[str]:
        """Let entries be found again; their ids."""
        ids = self._ids(names)
        self.engine.withheld.remove(ids)
        self._changed(FAQ, "enabled", len(ids))
        return ids

    def disable_faq(self, *names: str) -> list[str]:
        """Keep entries, and let no question find them; their ids."""
        ids = self._ids(names)
        self.engine.withheld.add(ids, space=self.space)
        self._changed(FAQ, "disabled", len(ids))
        return ids

    def _ids(self, names: Sequence[str]) -> list[str]:
        """All of them, or an error before anything is done."""
        found: list[str] = []
        for name in names:
            memory = self._held(name)
            if memory is None:
                raise NotFound(
                    f"{self.space!r} has no entry {name!r}; 'bethink faq list' shows them"
                )
            found.append(memory.id)
        return list(dict.fromkeys(found))

    def _held(self, name: str) -> Memory | None:
        if not isinstance(name, str) or not name.strip():
            return None
        ids = [name, faq_id(self.space, own_id=name), faq_id(self.space, question=name)]
        known = self.engine.store.get(list(filter(is_id, ids)), spaces=[self.space])
        for memory in known:
            if memory is not None and memory.kind == FAQ:
                return memory
        asked = bare(name)  # one with an id of its own, by its question
        for memory in self._shelf.of_kind(FAQ):
            if (layout := layout_of(memory)) and bare(
                memory.text[slice(*layout.question)]
            ) == asked:
                return memory
        return None

    def _take(
        self,
        rows: Iterator[Row],
        *,
        dry_run: bool,
        progress: Progress | None,
        source: str = "",
    ) -> FaqReport:
        taking = _Taking(self, dry_run, source)
        done = 0
        while batch := list(islice(rows, _BATCH)):
            taking.take(batch)
            done += len(batch)
            if progress is not None:
                progress(done, None)
        report = taking.report()
        self._changed(FAQ, "told", len(taking.changed))
        return report


class _Taking:
    """Rows on their way into the base."""

    def __init__(self, base: Faqs, dry_run: bool, source: str) -> None:
        self._base = base
        self._dry_run = dry_run
        self._source = source
        self._counts = {"added": 0, "updated": 0, "unchanged": 0}
        self._failed: list[FailedRow] = []
        self._notes: dict[str, None] = {}
        self._places: dict[str, int] = {}  # where each id stood first
        self.changed: set[str] = set()  # added, or otherwise than before

    def take(self, batch: Sequence[Row]) -> None:
        base, engine = self._base, self._base.engine
        fresh: list[tuple[Row, Faq]] = []
        for row in batch:
            try:
                fresh.append((row, self._accepted(row)))
            except InvalidInput as e:
                self._failed.append(FailedRow(row.place, str(e)))
        ids = [faq.id for _, faq in fresh]
        held = dict(zip(ids, engine.store.get(ids, spaces=None), strict=True))
        new = [(row, faq) for row, faq in fresh if held[faq.id] is None]
        self._add(new)
        for row, faq in fresh:
            if (memory := held[faq.id]) is not None:
                self._change(row, faq, memory)
        self._switch(fresh, base)

    def report(self) -> FaqReport:
        failed = {one.place for one in self._failed}
        return FaqReport(
            **self._counts,
            failed=tuple(sorted(self._failed)),
            notes=tuple(self._notes),
            ids=tuple(name for name, place in self._places.items() if place not in failed),
            dry_run=self._dry_run,
        )

    def _accepted(self, row: Row) -> Faq:
        if row.told is None:
            raise InvalidInput(row.why)
        base = self._base
        faq = told_faq(row.told, space=base.space, clean=base.engine.settings.redact)
        first = self._places.setdefault(faq.id, row.place)
        if first != row.place:
            raise InvalidInput(
                f"the same {'id' if faq.own_id else 'question'} as in row {first}; join the two, "
                "or give each an id of its own"
            )
        return replace(faq, source=faq.source or self._source)

    def _add(self, new: Sequence[tuple[Row, Faq]]) -> None:
        if self._dry_run:
            self._counts["added"] += len(new)
            return

        def refused(number: int, error: BethinkError) -> None:
            self._failed.append(FailedRow(new[number - 1][0].place, str(error)))

        told = [{**as_told(faq), "space": self._base.space} for _, faq in new]
        for receipt in self._base.engine.remember_stream(told, refused=refused):
            self._counts["added"] += 1
            self.changed.add(receipt.id)
            self._notes |= dict.fromkeys(receipt.notes)

    def _change(self, row: Row, faq: Faq, memory: Memory) -> None:
        if memory.kind != FAQ or memory.space != self._base.space:
            why = f"{faq.id} is the id of something else; choose another"
            self._failed.append(FailedRow(row.place, why))
            return
        told = as_told(faq)
        now = {"text": memory.text, "tags": list(memory.tags), "metadata": dict(memory.metadata)}
        if all(told[name] == now[name] for name in _KEPT):
            self._counts["unchanged"] += 1
            return
        try:
            if not self._dry_run:
                changed = {name: told[name] for name in _KEPT}
                self._notes |= dict.fromkeys(self._base.engine.revise(faq.id, **changed).notes)
                self.changed.add(faq.id)
            self._counts["updated"] += 1
        except InvalidInput as e:
            self._failed.append(FailedRow(row.place, str(e)))

    def _switch(self, fresh: Sequence[tuple[Row, Faq]], base: Faqs) -> None:
        """Enable and disable as the rows say; what says nothing stays as it is."""
        if self._dry_run:
            return
        failed = {one.place for one in self._failed}
        said = [
            (faq.id, faq.enabled)
            for row, faq in fresh
            if row.told is not None
            and row.told.get("enabled") is not None
            and row.place not in failed
        ]
        withheld = base.engine.withheld
        before = withheld.ids(base.space) if said else frozenset()
        if off := {name for name, on in said if not on} - before:
            withheld.add(off, space=base.space)
        if on := {name for name, on in said if on} & before:
            withheld.remove(on)
        self.changed |= off | on
