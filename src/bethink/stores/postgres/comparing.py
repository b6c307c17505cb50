"""How near some passages are to a question, and how near passages usually are.

What is usual is measured by a sample that is spread over each space. The server looks at it, until
a space is asked twice without having changed: then its vectors are kept here, since reading the
rows of a hundred passages with every question takes longer than all the rest of a comparison.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bethink.one_thread import dots
from bethink.stores.background import SAMPLE
from bethink.stores.postgres.arrays import Array, bigints, integers, texts
from bethink.stores.postgres.database import Cursor
from bethink.stores.postgres.learned import Key, Spot
from bethink.stores.postgres.near import SCORE, answered
from bethink.stores.postgres.spaces import SpaceRow
from bethink.stores.postgres.vector_tables import Frame, VectorTable
from bethink.stores.postgres.vectors import numbers_of, question
from bethink.vocabulary import Vector, Vectors

_KEPT = 8  # spaces of a tenant; a sample of 384 numbers is 200 kB


@dataclass(frozen=True, slots=True)
class _Sample:
    of: tuple[object, ...]  # what the space was when it was taken
    vectors: Vectors | None  # None: it was asked once


class Samples:
    """Those of the spaces that were asked last."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, int], _Sample] = {}
        self._guard = threading.Lock()

    def look(self, frame: Frame, space: SpaceRow) -> tuple[Vectors | None, bool]:
        """The sample of a space as it is; and whether it pays to take one."""
        key, state = _known_by(frame, space)
        with self._guard:
            kept = self._kept.pop(key, None)
            if kept is None or kept.of != state:
                self._keep(key, _Sample(state, None))
                return None, False
            self._kept[key] = kept
            return kept.vectors, kept.vectors is None

    def take(self, frame: Frame, space: SpaceRow, vectors: Vectors) -> None:
        key, state = _known_by(frame, space)
        with self._guard:
            self._keep(key, _Sample(state, vectors))

    def _keep(self, key: tuple[str, int], sample: _Sample) -> None:
        self._kept.pop(key, None)
        while len(self._kept) >= _KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = sample


def _known_by(frame: Frame, space: SpaceRow) -> tuple[tuple[str, int], tuple[object, ...]]:
    assert frame.table is not None
    waiting = frame.waiting[frame.spaces.index(space)]  # vectors come without another mark
    return (frame.table.table, space.id), (space.mark, waiting)


def compared(
    cursor: Cursor,
    frame: Frame,
    vector: Vector,
    keys: Sequence[Key],
    spots: Mapping[Key, Spot],
    samples: Samples,
) -> tuple[dict[Key, float], list[float]]:
    """How near these passages are, as far as they are of these spaces; and how near those of the
    samples are."""
    table = frame.table
    assert table is not None
    usual: list[float] = []
    parts: list[str] = []
    bound: dict[str, Any] = {"q": question(vector)}
    taken: dict[int, list[Vector]] = {}
    for at, space in enumerate(frame.spaces):
        kept, pays = samples.look(frame, space)
        if kept is not None:
            usual += dots(kept, vector).tolist()
            continue
        if pays:
            taken[at] = []
        parts.append(_usual(table, space, at, vectors=pays))
        bound[f"n{space.id:d}"] = _spread(space)
    asked = [key for key in keys if "\0" not in key[0]]
    if asked:
        part, places = _asked(table, frame.spaces, asked, spots)
        parts.append(part)
        bound |= places
    if not parts:
        parts.append("SELECT 1::bigint, NULL::float8, NULL::bytea WHERE false")
    rows, _ = answered(cursor, table, frame.spaces, " UNION ALL ".join(parts), bound)
    scores: dict[Key, float] = {}
    for at, score, data in rows:
        if at > 0:
            scores[asked[at - 1]] = score
            continue
        usual.append(score)
        if data is not None:
            taken[-at].append(numbers_of(data))
    for at, vectors in taken.items():
        if vectors:
            samples.take(frame, frame.spaces[at], np.stack(vectors))
    return scores, usual


def _asked(
    table: VectorTable,
    spaces: Sequence[SpaceRow],
    keys: Sequence[Key],
    spots: Mapping[Key, Spot],
) -> tuple[str, dict[str, Any]]:
    numbers = ", ".join(f"{space.id:d}" for space in spaces)
    columns = f"SELECT w.at, {SCORE}, NULL::bytea FROM"
    found = [spots[key] for key in keys if key in spots]
    if len(found) == len(keys):
        return (
            f"{columns} unnest(%(spaces)b, %(pids)b) WITH ORDINALITY AS w (space, pid, at) "
            f"JOIN {table.table} v ON v.space = w.space AND v.pid = w.pid "
            f"WHERE v.space IN ({numbers})",
            {
                "spaces": bigints([spot.space for spot in found]),
                "pids": bigints([spot.pid for spot in found]),
            },
        )
    return (
        f"{columns} unnest(%(ids)b, %(ordinals)b) WITH ORDINALITY AS w (id, ordinal, at) "
        "JOIN memories m ON m.id = w.id "
        "JOIN passages p ON p.memory = m.row AND p.ordinal = w.ordinal "
        f"JOIN {table.table} v ON v.space = p.space AND v.pid = p.pid "
        f"WHERE p.space IN ({numbers})",
        {
            "ids": texts(memory_id for memory_id, _ in keys),
            "ordinals": integers([ordinal for _, ordinal in keys]),
        },
    )


def _usual(table: VectorTable, space: SpaceRow, at: int, *, vectors: bool) -> str:
    chosen = "true"
    if space.passages > SAMPLE:
        last, step = f"(%(n{space.id:d})b)[1]", f"(%(n{space.id:d})b)[2]"
        chosen = f"p.number = ANY(ARRAY(SELECT generate_series(1, {last}, {step})))"
    data = "vector_send(v.embedding)" if vectors else "NULL::bytea"
    return (
        f"SELECT {-at:d}::bigint AS at, {SCORE} AS score, {data} AS data "
        f"FROM passages p JOIN {table.table} v "
        f"ON v.space = p.space AND v.pid = p.pid WHERE p.space = {space.id:d} AND {chosen}"
    )


def _spread(space: SpaceRow) -> Array:
    """Bound, not written out: with every write these are others, the statement is the same."""
    return bigints([space.numbers, max(space.numbers // SAMPLE, 1)])
