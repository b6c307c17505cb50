"""What random programs are made of: few ids, texts and values, so that they meet often."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any, get_args

import numpy as np
from hypothesis import strategies as st

from bethink.clock import to_micros
from bethink.filters import (
    LIST_FIELDS,
    NUMBER_FIELDS,
    TEXT_FIELDS,
    TIME_FIELDS,
    All,
    AnyOf,
    Condition,
    Filter,
    Not,
    Operator,
    ValidAt,
)
from bethink.testing import programs as p
from bethink.testing.entries import NOON, make_entry, make_memory
from bethink.text.searched import SECTION
from bethink.text.tokenise import query_terms, terms
from bethink.vocabulary import Entry, Memory

IDS = [f"m{number}" for number in range(8)]
SPACES = ["global", "项目", "team/b"]
TEXTS = [
    "alpha beta",
    "alpha alpha gamma",
    "beta gamma delta\nalpha",
    "the disk is full: ERR_CONN_1042",
    "磁盘已满，预算不足",
    "预算\n磁盘 alpha\nuser_id --no-cache",
    "don't/stop C++ a.b.c",
    "…",
]
# What FTS engines read as operators, and terms that no text can hold.
HOSTILE_TERMS = [
    '"',
    "'",
    "*",
    "alph*",
    "OR",
    "alpha OR beta",
    "NEAR(",
    "terms:alpha",
    "^",
    "",
    "-",
]
KEYS = ["author", "作者", "n", "a-b", "_x"]
HOSTILE_KEYS = ['x"y', "$.id", "a.b", "'; DROP TABLE memories;--", "", "[0]", "\\"]
VALUES: list[Any] = [
    1, 1.0, 2.5, -3, 0, 2**53, True, False, None, "", "Li", "李", "1", "true", "a\"b'c\\", "\n",
    [1, "Li"], [], {"k": 1}, {},
]  # fmt: skip
MOMENTS = [NOON + timedelta(days=days, microseconds=7) for days in (-400, -1, 0, 1, 30)]
LABELS = ["db", "数据库", "a'b", 'q"q', "%"]
SCALARS: list[Any] = [v for v in VALUES if isinstance(v, str | int | float)]

moments = st.none() | st.sampled_from(MOMENTS)
labels = st.lists(st.sampled_from(LABELS), unique=True, max_size=2).map(tuple)
objects = st.dictionaries(st.sampled_from(KEYS + HOSTILE_KEYS), st.sampled_from(VALUES), max_size=3)
spaces = st.sampled_from(SPACES)
some_spaces = st.lists(st.sampled_from([*SPACES, SPACES[0]]), min_size=1, max_size=3).map(tuple)
# A space that nobody made: asking for it is an error, and must be the same one everywhere.
asked_spaces = st.integers(0, 9).flatmap(lambda n: some_spaces if n else st.just(("nowhere",)))
limits = st.sampled_from([1, 2, 3, 5, 50])
ids = st.sampled_from(IDS)
embedders = st.sampled_from([p.EMBEDDERS[0], p.EMBEDDERS[0], *p.EMBEDDERS])


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    plain = make_memory(draw(st.sampled_from(TEXTS)), draw(ids), space=draw(spaces))
    if draw(st.booleans()):
        return plain
    start, end = sorted(draw(st.tuples(st.sampled_from(MOMENTS), st.sampled_from(MOMENTS))))
    return replace(
        plain,
        kind=draw(
            st.sampled_from(["note", SECTION, "task", "决定"])
        ),  # of the second, headings count
        section=draw(st.sampled_from(["", "a/b", "第一章 › 预算 alpha"])),
        source=draw(st.sampled_from(["", "chat"])),
        tags=draw(labels),
        entities=draw(labels),
        confidence=draw(st.sampled_from([0.0, 0.5, 1.0])),
        occurred_at=draw(moments),
        valid_from=draw(st.sampled_from([None, start])),
        valid_to=draw(st.sampled_from([None, end])),
        reinforcement=draw(st.integers(0, 2)),
        access_count=draw(st.integers(0, 2)),
        metadata=draw(objects),
        provenance=draw(objects),
    )


@st.composite
def entries(draw: st.DrawFn) -> tuple[Entry, str | None]:
    """An entry and the fingerprint to give with it; now and then one that must be refused."""
    memory, merge = draw(memories()), draw(st.booleans())
    kind = draw(st.sampled_from(["with", "with", "with", "without", "short", "nan", "other"]))
    first = p.EMBEDDERS[0]
    if kind == "without":
        return make_entry(memory, merge=merge), None
    entry = make_entry(memory, first, merge=merge)
    assert entry.vectors is not None
    if kind == "short":
        entry = entry._replace(vectors=entry.vectors[:, :-1])
    if kind == "nan":
        entry = entry._replace(vectors=np.full_like(entry.vectors, np.nan))
    return entry, p.EMBEDDERS[1].fingerprint if kind == "other" else first.fingerprint


@st.composite
def puts(draw: st.DrawFn) -> p.Put:
    told = draw(st.lists(entries(), min_size=1, max_size=3))
    return p.Put(tuple(entry for entry, _ in told), told[0][1])


def _text_test(field: str) -> st.SearchStrategy[Filter]:
    headings = ["a/b", "第一章 › 预算 alpha", ""]
    values = {"id": IDS, "kind": ["note", SECTION, "决定", ""], "section": headings}
    return _test(field, None, values.get(field, ["chat", "", "x"]))


def _test(field: str, key: str | None, values: list[Any]) -> st.SearchStrategy[Filter]:
    value = st.sampled_from(values)
    ordered = st.sampled_from([v for v in values if not isinstance(v, bool)])
    many = st.lists(value, min_size=1, max_size=3).map(tuple)
    orders: tuple[Operator, ...] = ("<", "<=", ">", ">=")
    assert set(orders) < set(get_args(Operator))
    return st.one_of(
        value.map(lambda v: Condition(field, key, "=", v)),
        st.builds(lambda o, v: Condition(field, key, o, v), st.sampled_from(orders), ordered),
        many.map(lambda vs: Condition(field, key, "in", vs)),
        st.just(Condition(field, key, "exists", True)),
    )


def _list_test(field: str) -> st.SearchStrategy[Filter]:
    return st.one_of(
        st.sampled_from(LABELS).map(lambda v: Condition(field, None, "has", v)),
        st.lists(st.sampled_from(LABELS), min_size=1).map(
            lambda v: Condition(field, None, "in", tuple(v))
        ),
        st.just(Condition(field, None, "exists", True)),
    )


tests = st.one_of(
    st.sampled_from(sorted(TEXT_FIELDS)).flatmap(_text_test),
    st.sampled_from(sorted(NUMBER_FIELDS)).flatmap(lambda f: _test(f, None, [0, 1, 0.5, 2])),
    st.sampled_from(sorted(TIME_FIELDS)).flatmap(
        lambda f: _test(f, None, [to_micros(m) for m in MOMENTS])
    ),
    st.sampled_from(sorted(LIST_FIELDS)).flatmap(_list_test),
    st.tuples(st.sampled_from(["metadata", "provenance"]), st.sampled_from(KEYS)).flatmap(
        lambda at: _test(at[0], at[1], SCALARS)
    ),
    st.sampled_from(MOMENTS).map(lambda m: ValidAt(to_micros(m))),
)
filters = st.recursive(
    tests,
    lambda inner: st.one_of(
        inner.map(Not),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: All(tuple(parts))),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: AnyOf(tuple(parts))),
    ),
    max_leaves=4,
)
where = st.none() | filters
every_term = sorted({t for text in TEXTS for t in [*terms(text), *query_terms(text)]})
questions = st.lists(
    st.sampled_from(every_term) | st.sampled_from(every_term + HOSTILE_TERMS), max_size=4
).map(tuple)
counts = st.dictionaries(ids | st.just("nobody"), st.integers(1, 3), max_size=2)
some_ids = st.lists(ids | st.just("nobody"), max_size=4).map(tuple)

searches: st.SearchStrategy[p.Step] = st.one_of(
    st.builds(p.Frequencies, spaces=asked_spaces, terms=questions),
    st.builds(p.SearchWords, spaces=asked_spaces, where=where, limit=limits, terms=questions),
    st.builds(
        p.SearchMeaning,
        spaces=asked_spaces,
        where=where,
        limit=limits,
        text=st.sampled_from(TEXTS),
        embedder=embedders,
    ),
)
looks: st.SearchStrategy[p.Step] = st.one_of(
    st.builds(
        p.Scan,
        spaces=st.none() | asked_spaces,
        where=where,
        newest_first=st.booleans(),
        limit=limits,
    ),
    st.builds(p.Count, spaces=st.none() | asked_spaces, where=where),
    st.builds(p.Get, ids=some_ids, spaces=st.none() | asked_spaces),
    st.builds(p.Fetch, keys=st.lists(st.tuples(ids, st.integers(0, 3)), max_size=4).map(tuple)),
    st.builds(p.History, memory_id=ids),
    st.builds(p.Known, entries=entries().map(lambda told: (told[0],))),
)
changes: st.SearchStrategy[p.Step] = st.one_of(
    puts(),
    entries().map(lambda told: p.Revise(*told)),
    st.builds(p.Delete, ids=some_ids),
    st.builds(p.Touch, accessed=counts, reinforced=counts),
)
care: st.SearchStrategy[p.Step] = st.one_of(
    st.builds(p.DeleteSpace, space=spaces),
    st.builds(p.Build, embedder=embedders),
    st.builds(
        p.Fill, embedder=embedders, places=st.lists(st.integers(0, 5), max_size=3).map(tuple)
    ),
    st.builds(p.FillAll, embedder=embedders),
    st.builds(p.Switch, embedder=embedders),
    st.just(p.ClearVectors()),
    st.just(p.RebuildWords()),
    st.just(p.Maintain()),
    st.just(p.Reopen()),
    st.builds(p.Declare, embedder=embedders),
)


@st.composite
def programs(draw: st.DrawFn, steps: int) -> list[p.Step]:
    """Mostly declared and filled first, so that most of a program works on something."""
    opening: list[p.Step] = [p.Declare(p.EMBEDDERS[0])] if draw(st.integers(0, 5)) else []
    opening += draw(st.lists(puts(), min_size=2, max_size=5))
    step = st.one_of(changes, changes, searches, searches, looks, care)
    return opening + draw(st.lists(step, min_size=steps // 3, max_size=steps))
