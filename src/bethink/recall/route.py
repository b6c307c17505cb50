"""A question that asks for a whole list ("what are my preferences", 有哪些待办) gets that list.

No search is needed for it, and none would do as well: it would give the ten that share words with
the question. A route is taken only when its pattern fits the whole question, less politeness: a
question that merely mentions a task or a decision asks for something in particular: search it.

The wall holds: a route looks in the spaces that the query names and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from bethink.filters import All, Condition, Filter, Not, matches
from bethink.recall.draft import Draft, Kit
from bethink.recall.sections import fit, in_order, sections
from bethink.text.fold import fold
from bethink.vocabulary import GLOBAL_SPACE, Found, Memory, Passage, Status

CHANNEL = "route"
MAX_QUESTION_CHARS = 160  # who asks for a list is brief; no pattern ever sees more than this

_HINTS = (
    "to do",
    *"prefer like instruct rule told tell ask todo to-do entit people person contact know".split(),
    *"decid decis pattern 偏好 喜好 喜欢 指令 指示 规则 规矩 要求 任务 待办 要做".split(),
    *"没做 没完 没办 没有做 未做 未完 未办 剩 待处理 进行中".split(),
    *"实体 人物 联系人 人脉 认 决 模式 惯例".split(),
)
_DONE = Condition("metadata", "done", "=", True)
Scope = Literal["all", "global", "project"]


class RouteRule(NamedTuple):
    """Questions like these patterns (over the whole question, folded) ask for this set."""

    name: str
    patterns: tuple[str, ...]
    where: Filter
    spaces: Scope = "all"  # of those that the query names: all, only `global`, or all but `global`
    done: Literal["", "last", "out"] = ""  # tasks that are done: at the end, or not at all


@dataclass(frozen=True, slots=True)
class Route:
    name: ClassVar[str] = "route"
    routes: tuple[RouteRule, ...] | None = None  # None: those of the settings, else the built-in

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled or len(draft.query.text) > MAX_QUESTION_CHARS:
            return draft
        rule = route_of(draft.query.text, self._rules(draft.query.text, kit))
        if rule is None:
            return draft
        query = draft.query
        spaces = _in_scope(query.spaces, rule.spaces)
        kit.store.pending(query.spaces)  # a space that does not exist is an error all the same
        where = rule.where if query.where is None else All((query.where, rule.where))
        every = where
        if rule.done == "out":
            where = All((where, Not(_DONE)))
        told = kit.store.scan(spaces=spaces, where=where, limit=query.limit + 1).memories
        if (
            not told
            and every is not where
            and kit.store.scan(spaces=spaces, where=every, limit=1)[0]
        ):
            said = f"the list {rule.name!r} is empty: all is done"
            return draft._replace(candidates=(), channels={}, settled=said).fault(
                Status.EMPTY, said
            )
        if not told:
            return draft.fault(
                Status.ANSWERED,  # makes no status worse: the search may well have an answer
                f"the list {rule.name!r} is empty; it was searched by words and meaning instead",
            )
        whole = fit(told, query, kit)
        if whole:
            pieces = [(memory, Passage(0, 0, len(memory.text))) for memory in told]
            note = f"route {rule.name}: all {len(pieces)}, in the order told"
        else:
            pieces = _most_relevant(draft, kit, spaces, where)
            note = f"route {rule.name}: more than fits; by the question's words, then newest first"
        if rule.done == "last" and any(_is_done(memory) for memory, _ in pieces):
            pieces.sort(key=lambda piece: _is_done(piece[0]))
            note += "; what is done at the end"
        return draft._replace(
            candidates=in_order(pieces, channel=CHANNEL, falling=not whole),
            channels={},
            settled=f"the route {rule.name!r} has the whole list",
        ).note(note)

    def _rules(self, question: str, kit: Kit) -> tuple[RouteRule, ...]:
        rules = self.routes if self.routes is not None else kit.routes()
        if rules is None:
            if not may_ask_for_a_list(question):
                return ()
            from bethink.recall.route_table import built_in_routes

            rules = built_in_routes()
        return rules


def may_ask_for_a_list(question: str) -> bool:
    """A cheap look before the built-in table is loaded, which costs a cold process some 10 ms.
    Every question that takes a built-in route holds one of these; a test says so."""
    folded = fold(question)
    return any(hint in folded for hint in _HINTS)


def route_of(question: str, rules: Iterable[RouteRule]) -> RouteRule | None:
    """The first route whose pattern fits the whole question."""
    asked = _plain(question)
    for rule in rules:
        if any(re.fullmatch(pattern, asked) for pattern in rule.patterns):
            return rule
    return None


def _plain(question: str) -> str:
    """Small letters, one space between words and none beside Chinese, no politeness, no marks."""
    from bethink.text.keywords import without_scaffolding

    text = fold(without_scaffolding(question)).replace("’", "'")
    text = re.sub(r"[?!.,;:。、…~\"“”]+", " ", text)
    return re.sub(r"(?<![a-z0-9]) +| +(?![a-z0-9])", "", " ".join(text.split()))


def _is_done(memory: Memory) -> bool:
    return matches(memory, _DONE)


def _in_scope(named: tuple[str, ...], scope: Scope) -> tuple[str, ...]:
    """Of the spaces that are named those that the route is about. Whoever names but one, or only
    projects, means these: tasks may be kept in `global` and preferences in a project."""
    meant = tuple(space for space in named if (space == GLOBAL_SPACE) is (scope == "global"))
    return named if scope == "all" else meant or named


def _most_relevant(
    draft: Draft, kit: Kit, spaces: tuple[str, ...], where: Filter
) -> list[tuple[Memory, Passage]]:
    """The question's words choose first, then what was told last. A memory that is larger than
    the whole budget comes in sections. No more is read than an answer could show."""
    from bethink.text.tokenise import telling_terms

    query = draft.query
    terms = telling_terms(query.text)
    found: list[Found] = []
    if terms:
        found = kit.store.search_words(terms, spaces=spaces, where=where, limit=2 * query.limit)
    best = kit.store.get(list(dict.fromkeys(f.memory_id for f in found)), spaces=spaces)
    newest = kit.store.scan(spaces=spaces, where=where, newest_first=True, limit=query.limit)
    memories = {m.id: m for m in (*best, *newest.memories) if m is not None}
    parts = {m.id: sections(m, query, kit) for m in memories.values()}
    chosen: dict[tuple[str, int], tuple[Memory, Passage]] = {}
    for memory_id, ordinal, _ in found:
        if memory_id in parts:
            of_memory = parts[memory_id]
            passage = of_memory[min(ordinal, len(of_memory) - 1)]
            chosen.setdefault((memory_id, passage.ordinal), (memories[memory_id], passage))
    for memory in (*newest.memories, *memories.values()):
        for passage in parts[memory.id]:
            chosen.setdefault((memory.id, passage.ordinal), (memory, passage))
    return list(chosen.values())
