"""Embedders for measuring: one that keeps every vector on disk, and one that knows nothing.

A vector is kept under the embedder's fingerprint, the kind and the text's hash, so a second run
embeds nothing. Several processes may share the directory.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from bethink.embedders.loading import embedder_named
from bethink.embedders.protocol import Embedder, Kind
from bethink.embedders.two_models import is_pair, joined
from bethink.settings import Settings
from bethink.vocabulary import Vector, Vectors

_AT_ONCE = 500  # SQLite takes 999 parameters at least
Progress = Callable[[int], None]  # how many were embedded just now


def kept_by_default() -> Path:
    """The folder that all share who do not name one."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "bethink-quality"


class RandomEmbedder:
    """Unit vectors from the text's hash: the weakest encoder there can be, for ablations."""

    name = "random"
    fingerprint = "random/1/256"
    dimension = 256
    batch = 512

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        seeds = [int.from_bytes(sha256(text.encode()).digest()[:8]) for text in texts]
        rows = [np.random.default_rng(seed).standard_normal(self.dimension) for seed in seeds]
        return np.asarray(rows, np.float32).reshape(len(texts), self.dimension)


def plain_embedder(name: str, cache: Path) -> Embedder | None:
    """By the name that the settings use, or `random`; None for `none`. Of two models in one, what
    each gave before is on disk already."""
    if name == "random":
        return RandomEmbedder()
    if is_pair(name):
        return joined(name, lambda one: _kept_alone(one, cache))
    return embedder_named(name, Settings())


def _kept_alone(name: str, cache: Path) -> KeptVectors | None:
    maker = embedder_named(name, Settings())
    return None if maker is None else KeptVectors(maker, cache)


class KeptVectors:
    """An embedder with the vectors of another, which is asked only for what is not on disk."""

    batch = 512  # and so the most that an interruption can cost

    def __init__(
        self, maker: Embedder, directory: Path, *, progress: Progress | None = None
    ) -> None:
        self._maker = maker
        self._progress = progress
        self.name = maker.name
        self.fingerprint = maker.fingerprint
        self.dimension = maker.dimension
        directory.mkdir(parents=True, exist_ok=True)
        mark = sha256(self.fingerprint.encode()).hexdigest()[:16]
        self._file = sqlite3.connect(
            directory / f"vectors-{mark}.db", timeout=120, check_same_thread=False
        )
        self._file.executescript(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
            "CREATE TABLE IF NOT EXISTS vector (key BLOB PRIMARY KEY, numbers BLOB) WITHOUT ROWID;"
        )
        self._lock = threading.Lock()
        self._held: dict[bytes, Vector] = {}

    @property
    def word_vectors(self) -> Any:
        """The maker's own, if it has any: they are not kept."""
        return getattr(self._maker, "word_vectors", None)

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        keys = [_key(text, kind) for text in texts]
        with self._lock:
            found = {key: self._held[key] for key in keys if key in self._held}
            found |= self._kept([key for key in dict.fromkeys(keys) if key not in found])
            missing = {k: t for k, t in zip(keys, texts, strict=True) if k not in found}
            if missing:
                found |= self._made(list(missing.items()), kind)
            if kind == "query":  # in memory from now on: neither model nor disk is timed again
                self._held |= found
        rows = [found[key] for key in keys]
        return np.asarray(rows, np.float32).reshape(len(texts), self.dimension)

    def close(self) -> None:
        self._file.close()
        let_go = getattr(self._maker, "close", None)
        if let_go is not None:
            let_go()

    def _kept(self, keys: Sequence[bytes]) -> dict[bytes, Vector]:
        found: dict[bytes, Vector] = {}
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            marks = ",".join("?" * len(some))
            for key, numbers in self._file.execute(
                f"SELECT key, numbers FROM vector WHERE key IN ({marks})", some
            ):
                found[key] = np.frombuffer(numbers, np.float32)
        return found

    def _made(self, missing: Sequence[tuple[bytes, str]], kind: Kind) -> dict[bytes, Vector]:
        made: dict[bytes, Vector] = {}
        # texts of one length together: no encoder then pads a line to a page
        ordered = sorted(missing, key=lambda item: len(item[1]))
        for start in range(0, len(ordered), self._maker.batch):
            some = ordered[start : start + self._maker.batch]
            rows = np.asarray(self._maker.embed([text for _, text in some], kind=kind), np.float32)
            made |= {key: row for (key, _), row in zip(some, rows, strict=True)}
        with self._file:
            self._file.executemany(
                "INSERT OR IGNORE INTO vector VALUES (?, ?)",
                [(key, row.tobytes()) for key, row in made.items()],
            )
        if self._progress is not None:
            self._progress(len(made))
        return made


def _key(text: str, kind: Kind) -> bytes:
    return sha256(f"{kind}\x1f{text}".encode("utf-8", "replace")).digest()
