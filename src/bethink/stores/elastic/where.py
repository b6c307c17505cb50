"""Filters in the query language of Elasticsearch, over what `bethink.stores.facts` keeps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bethink.filters import All, AnyOf, Condition, Filter, Not, ValidAt
from bethink.stores.facts import HOLDS_FROM, HOLDS_UNTIL, facts_asked, ranges_asked

Query = dict[str, Any]


def among(spaces: Sequence[str], where: Filter | None) -> list[Query]:
    """Filters that must all hold."""
    here: Query = {"terms": {"space": list(dict.fromkeys(spaces))}}
    return [here] if where is None else [here, translated(where)]


def translated(where: Filter) -> Query:
    if isinstance(where, All):
        return {"bool": {"filter": [translated(part) for part in where.parts]}}
    if isinstance(where, AnyOf):
        return any_of([translated(part) for part in where.parts])
    if isinstance(where, Not):
        return {"bool": {"must_not": [translated(where.part)]}}
    if isinstance(where, ValidAt):
        begun = {"range": {HOLDS_FROM: {"lte": where.micros}}}
        not_over = {"range": {HOLDS_UNTIL: {"gt": where.micros}}}
        return {"bool": {"filter": [begun, not_over]}}
    if (facts := facts_asked(where)) is not None:
        return {"terms": {"facts": facts}}
    assert isinstance(where, Condition)  # of a number or a time
    return any_of([{"range": {where.field: dict(bounds)}} for bounds in ranges_asked(where)])


def any_of(parts: list[Query]) -> Query:
    return {"bool": {"should": parts, "minimum_should_match": 1}}
