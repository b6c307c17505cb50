"""What is said to who remembers: known already, near to another, written but not indexed."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.errors import StoreError
from bethink.notebook.books import Books
from bethink.notebook.forms import Form
from bethink.notebook.history_file import one_line
from bethink.notebook.layout import HOMES
from bethink.notebook.report import SyncReport
from bethink.remember.judging import Finding
from bethink.remember.pipeline import IN_STORE_ALONE
from bethink.remember.sameness import Verdict
from bethink.stores.protocol import Store
from bethink.text.visible import clip
from bethink.vocabulary import Action, Memory, Receipt


def reinforced(store: Store, finding: Finding) -> Receipt:
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


def near_note(finding: Finding) -> tuple[str, ...]:
    if finding.verdict is not Verdict.NEW or finding.memory is None:
        return ()
    near = finding.memory
    return (f"{finding.why}: {near.id} {clip(one_line(near.text), 80)}",)


def in_store_alone(books: Books, memories: Sequence[Memory]) -> list[str]:
    """Why each is in the store and in no file, where its space has files; else nothing."""
    every = [book for book in books.all() if book.writable]
    said: dict[tuple[str, str], str] = {}
    for memory in memories:
        forms = {book.form for book in every if book.space == memory.space}
        said.setdefault((memory.space, memory.kind), _in_store_alone(memory.kind, forms))
    return [said[memory.space, memory.kind] for memory in memories]


def _in_store_alone(kind: str, forms: set[Form]) -> str:
    if not forms or (kind == "note" and Form.NOTES not in forms):
        return ""
    with_files = (*HOMES, "journal")
    if kind not in (*with_files, "note"):
        known = ", ".join(with_files)
        return f"{IN_STORE_ALONE}: no file is for the kind {kind!r}; those that have one: {known}"
    if kind != "note" and Form.NOTEBOOK not in forms:
        return f"{IN_STORE_ALONE}: a folder of notes has no file for the kind {kind!r}"
    return (
        f"{IN_STORE_ALONE} and in no file: it came with an id of its own, or with many others; "
        "told by itself without an id, it is written there"
    )


def not_indexed(where: str, report: SyncReport) -> StoreError:
    why = "; ".join((*report.faults, *(r.why for r in report.refused))) or "no reason given"
    return StoreError(
        f"it is written in {where}, but could not be indexed ({why}); 'bethink sync' does it again",
        abroad="it is written in its notebook, but could not be indexed; the server's log says why",
    )
