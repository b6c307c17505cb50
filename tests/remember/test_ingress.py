"""The door for what is told: what it takes, what it refuses, and what it says."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.errors import InvalidInput
from bethink.remember.ingress import FIELDS, MAX_TEXT_CHARS, accept, identity, new_id
from bethink.vocabulary import Memory

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def told(**fields: Any) -> Memory:
    return accept({"text": "Mei prefers dark mode", **fields}, now=NOW)


def test_what_is_left_out_is_filled_in() -> None:
    memory = told()
    assert memory == Memory(
        id=memory.id,
        space="global",
        text="Mei prefers dark mode",
        created_at=NOW,
        updated_at=NOW,
    )
    assert memory.kind == "note"


@pytest.mark.parametrize("nothing", [None, ""])
def test_null_and_empty_mean_left_out(nothing: Any) -> None:
    names = ("space", "kind", "section", "source", "confidence", "reinforcement", "access_count")
    memory = told(**dict.fromkeys(names, nothing))
    plain = told()
    assert all(getattr(memory, name) == getattr(plain, name) for name in names)
    assert told(id=nothing).id
    assert told(tags=None, entities=None, metadata=None, provenance=None, valid_to=None)


def test_every_field_is_taken() -> None:
    fields = {
        "id": "m-1", "space": "项目/a.b:c@d+e", "text": "文字 text", "kind": "决定",
        "section": "界面", "tags": ["a", "主题", "a"], "entities": ("Mei",),
        "source": "chat", "confidence": 0,
        "provenance": {"door": "cli"}, "occurred_at": "2026-04-30T00:00:00Z",
        "created_at": "2026-04-01T00:00:00Z", "updated_at": "2026-04-02T00:00:00Z",
        "valid_from": "2026-01-01T00:00:00+08:00", "valid_to": datetime(2027, 1, 1, tzinfo=UTC),
        "reinforcement": 3, "access_count": 2**53, "metadata": {"深": {"a": [1, 2.5, None, True]}},
        "speaker": "小美", "role": "user", "conversation": "周会",
    }  # fmt: skip
    assert fields.keys() == FIELDS.keys()
    memory = accept(fields, now=NOW)
    assert memory.tags == ("a", "主题")
    assert memory.entities == ("Mei",)
    assert memory.confidence == 0.0
    assert memory.created_at == datetime(2026, 4, 1, tzinfo=UTC)
    assert memory.valid_from == datetime(2025, 12, 31, 16, tzinfo=UTC)
    assert memory.metadata == {
        "深": {"a": [1, 2.5, None, True]},
        "speaker": "小美", "role": "user", "conversation": "周会",
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "x", "好", "🙂👩‍👩‍👧‍👦", "مرحبا بالعالم", "\u202eabc", "a\tb\r\nc\x0b",
        "  kept as told  ", "\u200b.",
        "x" * MAX_TEXT_CHARS, "\x01\x7f", "\ufffe\uffff",
    ],
    ids=lambda text: ascii(text[:10]),
)  # fmt: skip
def test_texts_are_kept_as_told(text: str) -> None:
    assert told(text=text).text == text


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"text": None}, "a memory needs a 'text'"),
        ({"text": ""}, "text is empty; there is nothing to remember"),
        ({"text": " \n\t\u3000"}, "text is empty; there is nothing to remember"),
        ({"text": 5}, "text: expected text, got int"),
        ({"text": b"bytes"}, "text: expected text, got bytes"),
        ({"text": ["a"]}, "text: expected text, got list"),
        ({"text": "x" * 10_000_000}, "10,000,000 characters; a memory holds at most 1,000,000"),
        ({"text": "好" * (MAX_TEXT_CHARS + 1)}, "Tell it in parts"),
        ({"text": "a\0b"}, "NUL character at position 1; is it a binary file?"),
        ({"text": "ab\ud800"}, "half a character (a lone surrogate) at position 2"),
        ({"colour": "red"}, "unknown field 'colour'; known: access_count, "),
        ({"colour": "red"}, "Put what is your own into 'metadata'"),
        ({"id": "a b"}, "is no id; use 1 to 256 visible characters"),
        ({"id": "a\u200bb"}, "is no id"),
        ({"id": "a\u3000b"}, "is no id"),
        ({"id": "\u202eabc"}, "is no id"),
        ({"id": "\ud800"}, "is no id"),
        ({"id": "x" * 257}, "is no id"),
        ({"id": 5}, "5 is no id"),
        ({"id": "a\0"}, "is no id"),
        ({"space": "a b"}, "is no name for a space; use up to 128 letters"),
        ({"space": ".hidden"}, "is no name for a space"),
        ({"space": "x" * 129}, "is no name for a space"),
        ({"space": 0}, "0 is no name for a space"),
        ({"space": ["a"]}, "is no name for a space"),
        ({"space": "a\n"}, "is no name for a space"),
        ({"kind": " "}, "kind is empty; name it or leave it out"),
        ({"kind": 0}, "kind: expected text, got int"),
        ({"kind": "x" * 129}, "kind has 129 characters; at most 128 fit"),
        ({"kind": "\0"}, "kind has a NUL"),
        ({"section": False}, "section: expected text, got bool"),
        ({"section": "x" * 513}, "at most 512 fit"),
        ({"source": []}, "source: expected text, got list"),
        ({"source": "x" * 2_049}, "at most 2,048 fit"),
        ({"source": "\udfff"}, "source has half a character"),
        ({"tags": "ui"}, 'expected a list of texts like ["a", "b"], got \'ui\''),
        ({"tags": {"a"}}, "expected a list of texts"),
        ({"tags": [1]}, "tags: expected text, got int"),
        ({"tags": [""]}, "tags is empty"),
        ({"tags": ["a"] * 257}, "257 are too many; at most 256 fit"),
        ({"entities": "Mei"}, "entities: expected a list of texts"),
        ({"entities": ["\ud800"]}, "entities has half a character"),
        ({"confidence": "high"}, "confidence: expected a number from 0 to 1, got 'high'"),
        ({"confidence": True}, "got True"),
        ({"confidence": 1.01}, "from 0 to 1, got 1.01"),
        ({"confidence": -0.1}, "from 0 to 1"),
        ({"confidence": float("nan")}, "from 0 to 1, got nan"),
        ({"reinforcement": -1}, "reinforcement: expected a whole number from 0, got -1"),
        ({"reinforcement": 1.5}, "expected a whole number"),
        ({"access_count": 2**53 + 1}, "expected a whole number"),
        ({"access_count": 10**5_000}, "access_count: expected a whole number from 0, got <int>"),
        ({"occurred_at": "yesterday"}, "occurred_at: 'yesterday' is not a date or time; write it"),
        ({"created_at": 1_700_000_000}, "created_at: expected a date and time like"),
        ({"valid_to": "0001-01-01T00:00:00+14:00"}, "valid_to: "),
        (
            {"valid_from": "2026-02-01T00:00Z", "valid_to": "2026-02-01T00:00Z"},
            "valid_to must be later than valid_from",
        ),
        ({"metadata": []}, 'metadata: expected an object like {"key": "value"}, got []'),
        ({"metadata": "x"}, "metadata: expected an object"),
        ({"metadata": {1: 2}}, "metadata: keys are text, got 1"),
        ({"metadata": {"a": float("nan")}}, "NaN and infinity cannot be kept; use null or text"),
        ({"metadata": {"a": [float("-inf")]}}, "NaN and infinity"),
        ({"metadata": {"a": 2**53 + 1}}, "too large a number; write it as text"),
        ({"metadata": {"a": -(10**5_000)}}, "too large a number; write it as text"),
        ({"metadata": {"a": {1}}}, "set is not JSON; use text, numbers, lists, objects"),
        ({"metadata": {"a": NOW}}, "datetime is not JSON"),
        ({"metadata": {"a": b"x"}}, "bytes is not JSON"),
        ({"metadata": {"a": "\0"}}, "metadata has a NUL"),
        ({"metadata": {"\ud800": 1}}, "metadata has half a character"),
        ({"metadata": {"a": "x" * 100_001}}, "at most 100,000 fit"),
        ({"provenance": {"a": object()}}, "provenance: object is not JSON"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else ",".join(value),
)
def test_refusals_say_what_to_do(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        told(**fields)
    assert says in str(caught.value)
    assert len(str(caught.value)) < 500


def test_nesting_has_an_end() -> None:
    nested: dict[str, Any] = {}
    for _ in range(15):
        nested = {"a": nested}
    assert told(metadata=nested).metadata == nested
    circle: dict[str, Any] = {}
    circle["a"] = [circle]
    for deep in ({"a": {"a": {"a": nested}}}, circle):
        with pytest.raises(InvalidInput, match="nested deeper than 16 levels; flatten it"):
            told(metadata=deep)


def test_naive_times_are_local() -> None:
    naive = datetime(2026, 5, 1, 8)
    assert told(occurred_at=naive).occurred_at == naive.astimezone(UTC)
    assert told(occurred_at="2026-05-01T08:00").occurred_at == naive.astimezone(UTC)


def test_what_was_told_is_not_kept_by_reference() -> None:
    mine: dict[str, Any] = {"a": [1]}
    memory = told(metadata=mine)
    mine["a"].append(2)
    assert memory.metadata == {"a": [1]}


def test_ids_sort_as_they_were_made_and_never_meet() -> None:
    made = [new_id(datetime(2026, 5, 1, 0, 0, second, tzinfo=UTC)) for second in range(60)]
    assert made == sorted(made)
    assert len({new_id(NOW) for _ in range(1_000)}) == 1_000


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({}, {"tags": ["x"], "confidence": 0.5, "source": "chat", "metadata": {"a": 1}}, True),
        ({}, {"text": "  Mei prefers dark mode \n"}, True),
        ({"text": "a\nb"}, {"text": "a  \r\nb"}, True),
        ({"text": "a b"}, {"text": "a  b"}, False),
        ({"text": "a\nb"}, {"text": "a\n b"}, False),
        ({"text": "深色主题"}, {"text": "深色主題"}, False),
        ({}, {"text": "mei prefers dark mode"}, False),
        ({}, {"kind": "decision"}, False),
        ({}, {"section": "ui"}, False),
        ({"kind": "a", "section": "bc"}, {"kind": "ab", "section": "c"}, False),
        ({}, {"occurred_at": "2026-01-01"}, False),
        (
            {"occurred_at": "2026-01-01T00:00:00Z"},
            {"occurred_at": "2026-01-01T08:00:00+08:00"},
            True,
        ),
    ],
)
def test_identity(one: dict[str, Any], other: dict[str, Any], same: bool) -> None:
    assert (identity(told(**one)) == identity(told(**other))) is same


@given(
    st.dictionaries(
        st.sampled_from(sorted(FIELDS)),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.datetimes(),
            lambda inner: (
                st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
            ),
            max_leaves=5,
        ),
    )
)
def test_anything_is_either_taken_or_invalid_input(fields: dict[str, Any]) -> None:
    try:
        memory = accept(fields, now=NOW)
    except InvalidInput:
        return
    assert memory.text.strip()
    assert len(identity(memory)) == 40
