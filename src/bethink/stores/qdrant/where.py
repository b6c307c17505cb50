"""Filters in Qdrant's terms, over what `bethink.stores.facts` keeps of a memory."""

from __future__ import annotations

from collections.abc import Sequence

from qdrant_client import models as q

from bethink.filters import All, AnyOf, Condition, Filter, Not, ValidAt
from bethink.stores.facts import HOLDS_FROM, HOLDS_UNTIL, facts_asked, ranges_asked


def among(spaces: Sequence[str], where: Filter | None) -> q.Filter:
    must: list[q.Condition] = [any_of("space", list(dict.fromkeys(spaces)))]
    if where is not None:
        must.append(translated(where))
    return q.Filter(must=must)


def any_of(field: str, values: Sequence[str]) -> q.FieldCondition:
    return q.FieldCondition(key=field, match=q.MatchAny(any=list(values)))


def translated(where: Filter) -> q.Condition:
    if isinstance(where, All):
        return q.Filter(must=[translated(part) for part in where.parts])
    if isinstance(where, AnyOf):
        return q.Filter(should=[translated(part) for part in where.parts])
    if isinstance(where, Not):
        return q.Filter(must_not=[translated(where.part)])
    if isinstance(where, ValidAt):
        return q.Filter(
            must=[
                q.FieldCondition(key=HOLDS_FROM, range=q.Range(lte=where.micros)),
                q.FieldCondition(key=HOLDS_UNTIL, range=q.Range(gt=where.micros)),
            ]
        )
    if (facts := facts_asked(where)) is not None:
        return any_of("facts", facts)
    assert isinstance(where, Condition)  # of a number or a time
    return q.Filter(
        should=[
            q.FieldCondition(key=where.field, range=q.Range(**bounds))
            for bounds in ranges_asked(where)
        ]
    )
