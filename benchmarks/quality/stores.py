"""A store for each set and embedder, kept for the next run as long as nothing about it changes.

A store is kept under the hash of the set's documents, the embedder's fingerprint and the source of
what writes, so a change to the tokeniser, say, makes it anew. Whoever tunes a ranking then waits
for the questions alone.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.quality.progress import Counter, say
from benchmarks.quality.sets import LabelledSet
from benchmarks.quality.vectors import KeptVectors, plain_embedder

import bethink
from bethink import Engine
from bethink.settings import Settings

NO_TIME = datetime(2026, 1, 1, tzinfo=UTC)  # for sets that know no time at all
_FILE = "memory.db"
_WRITERS = ("remember", "stores", "text", "vocabulary.py")  # what decides what a store holds
SERVER = "BETHINK_QUALITY_STORE"  # the address of a server to keep the stores on instead
_UNUSED = 3600.0  # seconds after which an outdated store of the same set is thrown away


class SetClock:
    """The clock of the simulation."""

    def __init__(self) -> None:
        self.now = NO_TIME

    def __call__(self) -> datetime:
        return self.now


def space_names(data: LabelledSet) -> dict[str, str]:
    """A space for each group, numbered: a group may have any name."""
    groups = [document.group for document in data.documents]
    groups += [question.group for question in data.questions]
    return {group: f"group-{number}" for number, group in enumerate(dict.fromkeys(groups))}


def told(data: LabelledSet) -> Iterator[dict[str, Any]]:
    """The documents as `remember_many` takes them, in the order of the corpus."""
    spaces = space_names(data)
    for document in data.documents:
        metadata: dict[str, Any] = {"seq": document.seq, "speaker": document.speaker}
        if document.speaker:
            metadata["conversation"] = f"{document.group} {document.time or ''}".strip()
        yield {
            "id": document.id,
            "text": document.text,
            "space": spaces[document.group],
            "occurred_at": document.time,
            "created_at": document.time or NO_TIME,
            "metadata": metadata,
        }


@contextmanager
def opened(
    data: LabelledSet, *, embedder: str, cache: Path, clock: SetClock
) -> Iterator[tuple[Engine, KeptVectors | None]]:
    """An engine over a store that holds the whole set, and the embedder if there is one."""
    maker = plain_embedder(embedder, cache)
    made = Counter(f"{data.name}: texts embedded")
    kept = None if maker is None else KeptVectors(maker, cache, progress=made.add)
    try:
        if address := os.environ.get(SERVER):
            with _on_server(address, data, kept, clock) as engine:
                yield engine, kept
            return
        folder = _kept_store(data, kept, cache / "stores")
        with _engine(folder, kept, clock) as engine:
            yield engine, kept
    finally:
        if kept is not None:
            kept.close()


@contextmanager
def _on_server(
    address: str, data: LabelledSet, kept: KeptVectors | None, clock: SetClock
) -> Iterator[Engine]:
    """The same in a tenant of a server, filled unless a run before has done so."""
    from bethink.stores.postgres.store import PostgresStore

    store = PostgresStore(address, tenant=f"{data.name}-{_mark(data, kept)}")
    try:
        if store.count() < len(data.documents):
            with Engine(store, embedder=kept or "none", settings=Settings()) as filling:
                _tell(data, kept, filling)
            store = PostgresStore(address, tenant=store.tenant)
            store.maintain()
        with Engine(store, embedder=kept or "none", settings=Settings(), clock=clock) as engine:
            yield engine
    finally:
        store.close()


def _engine(folder: Path, kept: KeptVectors | None, clock: SetClock) -> Engine:
    embedder = "none" if kept is None else kept
    return Engine(folder / _FILE, embedder=embedder, settings=Settings(), clock=clock)


def _kept_store(data: LabelledSet, kept: KeptVectors | None, directory: Path) -> Path:
    """The folder of the store, filled now unless it is there."""
    family = f"{data.name}-{'none' if kept is None else kept.name.replace('/', '_')}-"
    place = directory / (family + _mark(data, kept))
    if not place.is_dir():
        directory.mkdir(parents=True, exist_ok=True)
        _throw_away(directory, family)
        with TemporaryDirectory(dir=directory, prefix="filling-") as work:
            began = time.monotonic()
            folder = Path(work) / "store"
            folder.mkdir()
            _fill(data, kept, folder)
            say(f"{data.name}: stored in {time.monotonic() - began:.0f} s")
            if not place.is_dir():  # another process may have been faster
                os.rename(folder, place)
    os.utime(place)
    return place


def _fill(data: LabelledSet, kept: KeptVectors | None, folder: Path) -> None:
    with _engine(folder, kept, SetClock()) as engine:
        _tell(data, kept, engine)


def _tell(data: LabelledSet, kept: KeptVectors | None, engine: Engine) -> None:
    stored = Counter(f"{data.name}: memories stored", len(data.documents))
    for receipt in engine.remember_stream(told(data)):
        if not receipt.embedded and kept is not None:
            raise RuntimeError(f"{data.name}: {receipt.id} has no vector: {receipt.notes}")
        stored.add(1)


def _throw_away(directory: Path, family: str) -> None:
    """Outdated stores of this set; one used within the hour may be open elsewhere."""
    for old in directory.glob(f"{family}*"):
        if time.time() - old.stat().st_mtime > _UNUSED:
            shutil.rmtree(old, ignore_errors=True)


def _mark(data: LabelledSet, kept: KeptVectors | None) -> str:
    mark = sha256((kept.fingerprint if kept else "none").encode())
    for item in told(data):
        mark.update(repr(item).encode("utf-8", "replace"))
    package = Path(bethink.__file__).parent
    for path in sorted(package.rglob("*.py")):
        if path.relative_to(package).parts[0] in _WRITERS:
            mark.update(path.read_bytes())
    return mark.hexdigest()[:16]
