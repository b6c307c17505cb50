"""What a filter asks for, divided by how a search looks it up.

Most filters name what may be used. Some name what may not: a tag that nobody wants, what does not
hold at the moment asked about, documents that are withheld. That is looked up as it is named, and
left out; all the rest of the space is never listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import apsw

from bethink.filters import All, Filter, Not, PartOf, ValidAt
from bethink.stores.sqlite.where import to_sql


class Divided(NamedTuple):
    wanted: Filter | None  # None: everything
    unwanted: tuple[Filter, ...]  # whatever passes one of these is left out
    moments: tuple[ValidAt, ...]  # at which it must hold


def divided(where: Filter | None) -> Divided:
    wanted: list[Filter] = []
    unwanted: list[Filter] = []
    moments: list[ValidAt] = []
    for part in _parts(where):
        if isinstance(part, ValidAt):
            moments.append(part)
        elif isinstance(part, Not):
            unwanted.append(part.part)
        else:
            wanted.append(part)
    return Divided(_together(wanted), tuple(unwanted), tuple(moments))


def _parts(where: Filter | None) -> Iterator[Filter]:
    """What must hold all together."""
    if isinstance(where, All):
        for part in where.parts:
            yield from _parts(part)
    elif isinstance(where, Not) and isinstance(where.part, Not):
        yield from _parts(where.part.part)
    elif where is not None:
        yield where


def _together(parts: list[Filter]) -> Filter | None:
    return parts[0] if len(parts) == 1 else All(tuple(parts)) if parts else None


def asked_of_each(parts: Divided) -> Filter | None:
    """What is tested on every passage that a question's words find: all but what `left_out`
    knows."""
    unwanted = [Not(part) for part in parts.unwanted if not isinstance(part, PartOf)]
    return _together([*(() if parts.wanted is None else (parts.wanted,)), *unwanted])


def left_out(reader: apsw.Connection, space: int, parts: Divided) -> Callable[[str], bool] | None:
    """Whether a memory is withheld, or does not hold, by its id; None: none is. Cheaper for the
    best few than to test all that the words find."""
    whole = frozenset(
        one for part in parts.unwanted if isinstance(part, PartOf) for one in part.ids
    )
    over = frozenset(one for moment in parts.moments for one in _not_holding(reader, space, moment))
    if not whole and not over:
        return None
    return lambda one: one in over or one in whole or one.rpartition(".")[0] in whole


def _not_holding(reader: apsw.Connection, space: int, moment: ValidAt) -> Iterator[str]:
    """Few have a beginning or an end, and there is an index of those."""
    condition, bindings = to_sql(moment)
    rows = reader.execute(
        "SELECT m.id FROM memories m "
        "WHERE m.space = ? AND (m.valid_from IS NOT NULL OR m.valid_to IS NOT NULL) "
        f"AND NOT {condition}",
        (space, *bindings),
    )
    return (memory_id for (memory_id,) in rows)
