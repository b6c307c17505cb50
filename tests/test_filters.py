"""The filter algebra: what it accepts, what it refuses and how, and what it means."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.errors import InvalidFilter, InvalidInput
from bethink.filters import (
    LIST_FIELDS,
    MAX_CONDITIONS,
    NUMBER_FIELDS,
    TEXT_FIELDS,
    TIME_FIELDS,
    All,
    AnyOf,
    Condition,
    Filter,
    Not,
    ValidAt,
    matches,
    parse_filter,
)
from bethink.vocabulary import Memory

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
MEMORY = Memory(
    id="m1",
    space="global",
    text="Mei prefers dark mode. 小美喜欢深色主题。",
    kind="decision",
    section="界面",
    tags=("ui", "主题"),
    entities=("Mei", "小美"),
    source="",
    provenance={"door": "cli", "作者": "李"},
    confidence=0.8,
    occurred_at=datetime(2026, 4, 30, tzinfo=UTC),
    created_at=NOW,
    updated_at=NOW,
    reinforcement=3,
    metadata={
        "author": "Li", "n": 5, "f": 2.5, "yes": True, "list": [1], "object": {"a": 1},
        "none": None, "empty": "", "text5": "5",
    },
)  # fmt: skip


@pytest.mark.parametrize("data", [None, {}])
def test_no_filter(data: Any) -> None:
    assert parse_filter(data) is None
    assert matches(MEMORY, None)


@pytest.mark.parametrize(
    ("data", "holds"),
    [
        ({"kind": "decision"}, True),
        ({"kind": "Decision"}, False),
        ({"id": "m1"}, True),
        ({"section": "界面"}, True),
        ({"kind": {"!=": "note"}}, True),
        ({"kind": {"!=": "decision"}}, False),
        ({"kind": {"in": ["note", "decision"]}}, True),
        ({"kind": {"in": ["note"]}}, False),
        ({"kind": {">": "c", "<": "e"}}, True),
        ({"kind": {">=": "decision", "<=": "decision"}}, True),
        ({"source": {"exists": True}}, False),
        ({"source": {"exists": False}}, True),
        ({"source": ""}, True),
        ({"confidence": 0.8}, True),
        ({"confidence": {">=": 0.8}}, True),
        ({"confidence": {">": 0.8}}, False),
        ({"confidence": {"<": 1}}, True),
        ({"confidence": {"in": [1, 0.8]}}, True),
        ({"reinforcement": 3}, True),
        ({"reinforcement": 3.0}, True),
        ({"access_count": {"exists": True}}, True),
        ({"tags": "ui"}, True),
        ({"tags": {"has": "主题"}}, True),
        ({"tags": {"has": "UI"}}, False),
        ({"tags": {"in": ["x", "ui"]}}, True),
        ({"tags": {"!=": "ui"}}, False),
        ({"tags": {"!=": "x"}}, True),
        ({"tags": {"exists": True}}, True),
        ({"entities": "小美"}, True),
        ({"occurred_at": "2026-04-30T08:00:00+08:00"}, True),
        ({"occurred_at": {">=": "2026-04-30T00:00:00Z", "<": "2026-05-01T00:00:00Z"}}, True),
        ({"occurred_at": {"in": [datetime(2026, 4, 30, tzinfo=UTC)]}}, True),
        ({"created_at": {">": NOW}}, False),
        ({"updated_at": NOW}, True),
        ({"valid_from": {"exists": False}}, True),
        ({"valid_to": {">": NOW}}, False),
        ({"valid_to": {"!=": NOW}}, True),
        ({"metadata.author": "Li"}, True),
        ({"metadata.n": 5}, True),
        ({"metadata.n": "5"}, False),
        ({"metadata.text5": 5}, False),
        ({"metadata.n": {">": 4.5}}, True),
        ({"metadata.n": {"in": ["5", 6]}}, False),
        ({"metadata.f": {"<=": 2.5}}, True),
        ({"metadata.yes": True}, True),
        ({"metadata.yes": 1}, False),
        ({"metadata.n": True}, False),
        ({"metadata.list": {"exists": True}}, True),
        ({"metadata.list": "1"}, False),
        ({"metadata.object": {"exists": True}}, True),
        ({"metadata.none": {"exists": True}}, False),
        ({"metadata.empty": {"exists": True}}, False),
        ({"metadata.missing": {"exists": True}}, False),
        ({"metadata.missing": {"!=": "x"}}, True),
        ({"metadata.missing": {"<": 5}}, False),
        ({"provenance.door": "cli"}, True),
        ({"provenance.作者": "李"}, True),
        ({"kind": "decision", "confidence": {">": 0.9}}, False),
        ({"and": [{"kind": "decision"}, {"tags": "ui"}]}, True),
        ({"or": [{"kind": "note"}, {"tags": "ui"}]}, True),
        ({"or": [{"kind": "note"}, {"tags": "x"}]}, False),
        ({"not": {"kind": "note"}}, True),
        ({"not": {"not": {"kind": "decision"}}}, True),
        ({"kind": "decision", "or": [{"tags": "x"}, {"not": {"source": "chat"}}]}, True),
    ],
    ids=str,
)
def test_meaning(data: dict[str, Any], holds: bool) -> None:
    assert matches(MEMORY, parse_filter(data)) is holds
    assert matches(MEMORY, parse_filter({"not": data})) is not holds


def test_shape() -> None:
    assert parse_filter({"kind": "a"}) == Condition("kind", None, "=", "a")
    assert parse_filter({"tags": "a"}) == Condition("tags", None, "has", "a")
    assert parse_filter({"metadata.k": {"<": 1}}) == Condition("metadata", "k", "<", 1)
    assert parse_filter({"kind": {"!=": "a"}}) == Not(Condition("kind", None, "=", "a"))
    both = parse_filter({"or": [{"kind": "a"}, {"source": "b", "section": "c"}]})
    assert both == AnyOf(
        (
            Condition("kind", None, "=", "a"),
            All((Condition("source", None, "=", "b"), Condition("section", None, "=", "c"))),
        )
    )


def deep(levels: int, kind: str = "not") -> dict[str, Any]:
    data: dict[str, Any] = {"kind": "a"}
    for _ in range(levels):
        data = {kind: data if kind == "not" else [data]}
    return data


DEEP = deep(3_000)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], "an object like"),
        ("kind=a", "an object like"),
        (5, "an object like"),
        ({"colour": "red"}, "unknown filter field 'colour'; known: "),
        ({5: "red"}, "unknown filter field 5; known: "),
        ({"space": "other"}, "name spaces with the argument spaces"),
        ({"text": "x"}, "unknown filter field 'text'"),
        ({"metadata": {}}, "metadata.<key>"),
        ({"metadata": "a"}, "metadata.<key>"),
        ({"metadata.": 1}, "a key of metadata has up to 64 letters"),
        ({"metadata.a.b": 1}, "a key of metadata has up to 64 letters"),
        ({"metadata." + "k" * 65: 1}, "a key of metadata has up to 64 letters"),
        ({"kind": 5}, "expected text, got 5"),
        ({"kind": None}, "expected text, got None"),
        ({"kind": [["a"]]}, "expected text, got ['a']"),
        ({"kind": {}}, "an empty condition; write e.g."),
        ({"kind": {"like": "a%"}}, "unknown operator 'like'; use one of "),
        ({"kind": {"has": "a"}}, "use one of !=, <, <=, =, >, >=, exists, in"),
        ({"tags": {"=": "a"}}, "use one of !=, exists, has, in"),
        ({"tags": {"<": "a"}}, "use one of !=, exists, has, in"),
        ({"tags": 1}, "expected text"),
        ({"kind": {"in": []}}, "a list of 1 to 256 values"),
        ({"kind": {"in": "abc"}}, "a list of 1 to 256 values"),
        ({"kind": {"in": ["a"] * 257}}, "a list of 1 to 256 values"),
        ({"kind": {"in": ["a", 1]}}, "expected text, got 1"),
        ({"kind": {"exists": "yes"}}, "takes true or false"),
        ({"confidence": "high"}, "expected a number, got 'high'"),
        ({"confidence": True}, "expected a number, got True"),
        ({"confidence": float("nan")}, "is no usable number"),
        ({"confidence": float("inf")}, "is no usable number"),
        ({"reinforcement": 2**63}, "is no usable number"),
        ({"confidence": 10**5_000}, "is no usable number"),
        ({"metadata.n": float("nan")}, "is no usable number"),
        ({"metadata.n": -(10**5_000)}, "is no usable number"),
        ({"metadata.yes": {">": True}}, "have no order; use '='"),
        ({"metadata.list": [[1]]}, "expected text, a number, true or false"),
        ({"metadata.n": None}, "expected text, a number, true or false"),
        ({"created_at": "soon"}, "write it like 2026-05-01"),
        ({"created_at": 5}, "expected a date and time like 2026-05-01"),
        ({"created_at": "x" * 10_000}, "write it like 2026-05-01"),
        ({"kind": "a\0b"}, "Remove the NUL and try again"),
        ({"kind": "a\ud800"}, "decode it with errors='replace'"),
        ({"metadata.a": "\udfff"}, "decode it with errors='replace'"),
        ({"and": {"kind": "a"}}, '"and" takes a list of filters'),
        ({"or": []}, '"or" takes a list of filters'),
        ({"and": [5]}, "an object like"),
        ({"not": []}, "an object like"),
        ({"not": {}}, "an object like"),
        (deep(9), "nested deeper than 8 levels; flatten it"),
        (deep(9, "and"), "nested deeper than 8 levels; flatten it"),
        (DEEP, "nested deeper than 8 levels; flatten it"),
        ({"and": DEEP}, '"and" takes a list of filters'),
        ({"kind": {"=": DEEP}}, "expected text, got"),
        ({"kind": "x" * 10_000_000, "colour": 1}, "unknown filter field"),
        ({"kind": [["x" * 10_000_000]]}, "expected text, got"),
        ({"tags": []}, "'in' takes a list of 1 to 256 values"),
        ({"or": [{"kind": "a"}] * (MAX_CONDITIONS + 1)}, "more than 64 conditions; simplify it"),
        ({f"metadata.k{n}": 1 for n in range(65)}, "more than 64 conditions; simplify it"),
    ],
    ids=lambda value: str(value)[:40] if isinstance(value, str) else "",
)
def test_refusals_say_what_to_do(data: Any, says: str) -> None:
    with pytest.raises(InvalidFilter if isinstance(data, dict) else InvalidInput) as caught:
        parse_filter(data)
    assert says in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    "key",
    [
        "a'b", 'a"b', "a;b", "a b", "a)b", "a') OR 1=1 --", "$", "a[0]", "a\\b", "a\nb", "a\0b",
        "%",         "a`b", "\ud800", "a/*",
    ],
)  # fmt: skip
@pytest.mark.parametrize("field", ["metadata", "provenance"])
def test_keys_cannot_carry_anything_but_a_name(field: str, key: str) -> None:
    with pytest.raises(InvalidInput, match="a key of"):
        parse_filter({f"{field}.{key}": 1})
    with pytest.raises(InvalidInput, match="unknown filter field"):
        parse_filter({f"kind{key}": 1})


def test_limits_are_just_high_enough() -> None:
    assert parse_filter(deep(8)) is not None
    assert parse_filter({"or": [{"kind": "a"}] * (MAX_CONDITIONS - 1)}) is not None
    assert parse_filter({"kind": {"in": ["a"] * 256}}) is not None


@pytest.mark.parametrize(
    ("start", "end", "holds"),
    [
        (None, None, True),
        (NOW, None, True),
        (None, NOW, False),
        (datetime(2026, 5, 2, tzinfo=UTC), None, False),
        (datetime(2026, 4, 1, tzinfo=UTC), datetime(2026, 5, 2, tzinfo=UTC), True),
    ],
)
def test_valid_at(start: datetime | None, end: datetime | None, holds: bool) -> None:
    from dataclasses import replace

    from bethink.clock import to_micros

    memory = replace(MEMORY, valid_from=start, valid_to=end)
    assert matches(memory, ValidAt(to_micros(NOW))) is holds


SCALARS: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.datetimes()
)
NAMES = st.sampled_from(
    [
        *sorted(TEXT_FIELDS | NUMBER_FIELDS | TIME_FIELDS | LIST_FIELDS),
        "metadata.n",
        "metadata.list",
        "provenance.door",
        "and",
        "or",
        "not",
        "nonsense",
        "metadata.'",
    ]
)
OPERATORS = st.sampled_from(["=", "!=", "<", "<=", ">", ">=", "in", "has", "exists", "like"])
JSON: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(OPERATORS, inner, max_size=2),
        st.dictionaries(NAMES, inner, max_size=3),
    ),
    max_leaves=8,
)


@given(st.dictionaries(NAMES, JSON, max_size=3))
def test_anything_is_either_a_filter_or_invalid_input(data: dict[str, Any]) -> None:
    try:
        parsed: Filter | None = parse_filter(data)
    except InvalidInput:
        return
    assert matches(MEMORY, parsed) in (True, False)
    if parsed is not None:
        assert matches(MEMORY, Not(parsed)) is not matches(MEMORY, parsed)


@pytest.mark.parametrize(
    ("guessed", "documented"),
    [
        ({"kind": ["task", "决定"]}, {"kind": {"in": ["task", "决定"]}}),
        ({"kind": ("task", "决定")}, {"kind": {"in": ["task", "决定"]}}),
        ({"kind": {"task"}}, {"kind": {"in": ["task"]}}),
        ({"tags": ["预算", "db"]}, {"tags": {"in": ["预算", "db"]}}),
        ({"metadata": {"author": "李雷"}}, {"metadata.author": "李雷"}),
        ({"metadata": {"n": {"gte": 2, "lt": 5}}}, {"metadata.n": {">=": 2, "<": 5}}),
        ({"confidence": {"$gt": 0.5, "$lte": 1}}, {"confidence": {">": 0.5, "<=": 1}}),
        ({"kind": {"eq": "a"}}, {"kind": "a"}),
        ({"kind": {"==": "a"}}, {"kind": "a"}),
        ({"kind": {"$ne": "a"}}, {"kind": {"!=": "a"}}),
        ({"tags": {"contains": "预算"}}, {"tags": {"has": "预算"}}),
        ({"$or": [{"kind": "a"}, {"id": "b"}]}, {"or": [{"kind": "a"}, {"id": "b"}]}),
        ({"$not": {"kind": "b"}}, {"not": {"kind": "b"}}),
        ({"created_at": {">=": date(2026, 5, 1)}}, {"created_at": {">=": "2026-05-01"}}),
    ],
)  # fmt: skip
def test_other_spellings_mean_the_documented_one(guessed: Any, documented: Any) -> None:
    assert parse_filter(guessed) == parse_filter(documented)
