"""When a space is large enough for files beside the database, and where they are."""

from __future__ import annotations

from pathlib import Path

# Loading rows from the database costs about 2 µs each: a file of vectors only pays above this.
SIDECAR_FROM = 8_192
# Below, FTS5 answers within a millisecond or two and no file of words needs to be kept.
POSTINGS_FROM = 20_000
# Exact scan of 30k × 384 takes about 3 ms; below, quantising is not worth its training.
PQ_FROM = 30_000
# One-shot processes never earn back the 100 ms that importing faiss costs; scan exactly at first.
SCANS_BEFORE_PQ = 3
# A file is brought up to date when this many passages, and a tenth of it, are not in it.
BEHIND_AT_LEAST = 1_024


# What `sidecars` calls the file of a space's words; those of vectors are called by their table.
WORDS = "words"


def directory(database: Path) -> Path:
    return database.with_name(database.name + ".index")


def behind(changed: int, rows: int) -> bool:
    """Is so much not in a file of so many rows that it is worth writing?"""
    return changed > max(BEHIND_AT_LEAST, rows // 10)
