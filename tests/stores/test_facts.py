"""Filters over facts and numbers mean what `filters.matches` says."""

from __future__ import annotations

from bethink.filters import (
    All,
    AnyOf,
    Condition,
    Filter,
    Not,
    PartOf,
    ValidAt,
    matches,
    parse_filter,
)
from bethink.stores.facts import (
    HOLDS_FROM,
    HOLDS_UNTIL,
    expresses,
    fact,
    facts_asked,
    facts_of,
    numbers_of,
    ranges_asked,
)
from bethink.testing.entries import make_memory
from bethink.testing.filter_cases import FILTERS, filter_memories
from bethink.vocabulary import Memory


def holds(memory: Memory, where: Filter) -> bool:
    """As an engine would find it, from facts and numbers alone."""
    facts, numbers = set(facts_of(memory)), numbers_of(memory)
    if isinstance(where, All):
        return all(holds(memory, part) for part in where.parts)
    if isinstance(where, AnyOf):
        return any(holds(memory, part) for part in where.parts)
    if isinstance(where, Not):
        return not holds(memory, where.part)
    if isinstance(where, ValidAt):
        return numbers[HOLDS_FROM] <= where.micros < numbers[HOLDS_UNTIL]
    if (asked := facts_asked(where)) is not None:
        return bool(facts & set(asked))
    assert isinstance(where, Condition)
    value = numbers.get(where.field)
    compare = {
        "gt": lambda a, b: a > b,
        "gte": lambda a, b: a >= b,
        "lt": lambda a, b: a < b,
        "lte": lambda a, b: a <= b,
    }
    return value is not None and any(
        all(compare[name](value, bound) for name, bound in bounds.items())
        for bounds in ranges_asked(where)
    )


def test_every_filter_that_can_be_expressed_is_exact() -> None:
    expressed = 0
    for case in FILTERS:
        where = parse_filter(case)
        assert where is not None
        if "reinforcement" in case or "access_count" in case or not expresses(where):
            continue
        expressed += 1
        for memory in filter_memories():
            assert holds(memory, where) == matches(memory, where), (case, memory)
    assert expressed > 60  # texts in order are the only ones that are not


def test_parts_and_moments() -> None:
    memories = [make_memory("甲", i) for i in ("doc", "doc.1", "doc.1.2", "doc2", "文档.三", ".x")]
    for ids in (("doc",), ("文档", "doc.1"), ("",), ("nobody",)):
        for memory in memories:
            assert holds(memory, PartOf(ids)) == matches(memory, PartOf(ids)), (ids, memory.id)
    for memory in filter_memories():
        for micros in (0, -1, 1_767_268_800_000_000, 2**52):
            where = ValidAt(micros)
            assert holds(memory, where) == matches(memory, where)
    assert not expresses(ValidAt(2**53))  # engines compare as floating point


def test_texts_have_no_order_there() -> None:
    for case in ({"kind": {"<": "x"}}, {"metadata.a": {">=": "甲"}}, {"metadata.a": {">": 1}}):
        where = parse_filter(case)
        assert where is not None
        assert not expresses(where)


def test_facts_can_be_told_apart_and_not_read() -> None:
    values: list[str | float] = ["1", 1, True, "True", "n1", "", 2**53, 2**53 + 1, 0.5, "0.5"]
    assert len({fact("metadata.a", value) for value in values}) == len(values)
    assert fact("metadata.a", 1) == fact("metadata.a", 1.0)
    assert fact("metadata.a", "x") != fact("metadata.b", "x")
    memory = make_memory("secret 密", "a", tags=("机密",), metadata={"who": "小美"})
    assert not any(word in " ".join(facts_of(memory)) for word in ("机密", "小美", "secret"))
