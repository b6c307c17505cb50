"""What a sync that has time does last: vectors that hurried ones left out, and files with which the
next process is fast at once."""

from __future__ import annotations

from bethink.embedders.protocol import embed_question
from bethink.errors import EmbedderError, FingerprintMismatch
from bethink.notebook.report import SyncKit, SyncReport
from bethink.remember import pipeline

_MANY = 2_000


def finished(kit: SyncKit, *, added: int, whole: bool) -> SyncReport:
    notes: tuple[str, ...] = ()
    owed = sum(info.pending for info in kit.store.spaces()) if whole else 0
    if owed:
        try:
            _pay(kit, owed)
        except (EmbedderError, FingerprintMismatch) as e:
            notes = (f"{owed:,} passages are found by words only, for now: {e}",)
    if added >= _MANY:
        pipeline.keep_fast(kit.store)
    return SyncReport(notes=notes)


def _pay(kit: SyncKit, owed: int) -> None:
    embedder = kit.embedder()
    if embedder is None:
        return
    if kit.store.embedding() is None:
        embed_question(embedder, "Does it work?")  # only then it may claim the index
    pipeline.claim(kit.store, embedder)
    pipeline.backfill(kit.writing, embedder, at_most=owed)
