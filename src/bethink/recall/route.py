"""A question for a list ("what are my preferences", 最近的决策) gets that list without a search.

A route is taken in two ways. Its pattern fits the whole question, less politeness: "what's left to
do". Or one of its keywords stands anywhere in the question: "which decisions are still open". A
question with a keyword may be about something else ("the rules of chess"). It is searched if the
list holds none of its other words and another memory does.

With a time in the question the list is that of the period, newest first. The wall holds: a route
looks in the spaces that the query names and nowhere else. The limit counts search hits; a list is
cut by the budget alone, and the answer says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from bethink.filters import All, AnyOf, Condition, Filter, Not, matches
from bethink.recall.draft import Draft, Kit
from bethink.recall.sections import fit, in_order, sections
from bethink.recall.timeline import during
from bethink.recall.timeline_path import period_named
from bethink.text.fold import fold
from bethink.vocabulary import GLOBAL_SPACE, Found, Memory, Passage, Query, Status

CHANNEL = "route"
MAX_QUESTION_CHARS = 160  # who asks for a list is brief; no pattern ever sees more than this

_HINTS = (
    "to do",
    *"prefer like instruct rule told tell ask todo to-do entit people person contact know".split(),
    *"decid decis pattern 偏好 喜好 喜欢 指令 指示 规则 规矩 要求 任务 待办 要做".split(),
    *"没做 没完 没办 没有做 未做 未完 未办 剩 待处理 进行中".split(),
    *"实体 人物 联系人 人脉 认 决 模式 惯例".split(),
)
_LOOKED_AT = 10  # memories that may be what a question with a keyword is about
_VAGUE = r"最近|近期|近来|recent|latest|lately"  # a period that the newest entries answer
_DONE = Condition("metadata", "done", "=", True)
Scope = Literal["all", "global", "project"]


class RouteRule(NamedTuple):
    """Questions like these patterns (over the whole question, folded) ask for this set."""

    name: str
    patterns: tuple[str, ...]
    where: Filter
    spaces: Scope = "all"  # of those that the query names: all, only `global`, or all but `global`
    done: Literal["", "last", "out"] = ""  # tasks that are done: at the end, or not at all
    keywords: tuple[str, ...] = ()  # plain words that lead here wherever they stand
    built_in: bool = False  # the keywords of `route_keywords.py` lead here too


@dataclass(frozen=True, slots=True)
class Route:
    name: ClassVar[str] = "route"
    routes: tuple[RouteRule, ...] | None = None  # None: those of the settings, else the built-in

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        query = draft.query
        if draft.settled or len(query.text) > MAX_QUESTION_CHARS:
            return draft
        asked = query.text if draft.period is None else draft.period.rest
        rules = self._rules(query.text, kit)
        rule = route_of(query.text, rules) or route_of(asked, rules)
        by_keyword = rule is None
        rule = rule or keyword_rule(asked, rules)
        if rule is None:
            return draft
        spaces = _in_scope(query.spaces, rule.spaces)
        kit.store.pending(query.spaces)  # a space that does not exist is an error all the same
        where = rule.where if query.where is None else All((query.where, rule.where))
        every = where
        if rule.done == "out":
            where = All((where, Not(_DONE)))
        # a token each is the least that an entry costs
        most = query.budget + 1
        told = list(kit.store.scan(spaces=spaces, where=where, limit=most).memories)
        if (
            not told
            and every is not where
            and kit.store.scan(spaces=spaces, where=every, limit=1).memories
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
        if by_keyword and (other := _about_something_else(asked, told, query, kit)):
            return draft.note(f"route {rule.name}: not taken, because {other}")
        if draft.period is None:
            return _handed_out(draft, kit, rule, told, spaces, where)
        then = All((where, during(draft.period)))
        dated = list(kit.store.scan(spaces=spaces, where=then, limit=most).memories)
        if dated:
            return _handed_out(draft, kit, rule, _newest_first(dated), spaces, then)
        none = f"nothing in the list {rule.name!r} is of {period_named(draft.period)}"
        if _has_journal(draft, kit) and not re.search(_VAGUE, fold(query.text)):
            return draft.fault(Status.ANSWERED, f"{none}; the journal of that time follows")
        draft = draft.fault(Status.ANSWERED, f"{none}; this is the whole list, newest first")
        return _handed_out(draft, kit, rule, _newest_first(told), spaces, where)

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


def keyword_rule(question: str, rules: Iterable[RouteRule]) -> RouteRule | None:
    """Return the route that a keyword anywhere in the question leads to."""
    listed = tuple(rules)
    folded = fold(question)
    for rule in listed:
        if any(_holds_word(folded, fold(word)) for word in rule.keywords):
            return rule
    if not any(rule.built_in for rule in listed):
        return None
    from bethink.recall.route_keywords import keyword_route

    name = keyword_route(question)
    return next((rule for rule in listed if rule.built_in and rule.name == name), None)


def _holds_word(folded: str, word: str) -> bool:
    if not word.isascii():  # Chinese has no spaces between words
        return word in folded
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", folded) is not None


def file_of_route(question: str, kit: Kit) -> str:
    """Return the file of the built-in route that this question takes, or an empty string."""
    rules = kit.routes()
    if rules is None:
        if len(question) > MAX_QUESTION_CHARS or not may_ask_for_a_list(question):
            return ""
        from bethink.recall.route_table import built_in_routes

        rules = built_in_routes()
    rule = route_of(question, rules) or keyword_rule(question, rules)
    parts = rule.where.parts if rule is not None and isinstance(rule.where, AnyOf) else ()
    sources = (one.value for one in parts if isinstance(one, Condition) and one.field == "source")
    return str(next(sources, ""))


def _plain(question: str) -> str:
    """Small letters, one space between words and none beside Chinese, no politeness, no marks."""
    from bethink.text.keywords import without_scaffolding

    text = fold(without_scaffolding(question)).replace("’", "'")
    text = re.sub(r"[?!.,;:。、…~\"“”]+", " ", text)
    return re.sub(r"(?<![a-z0-9]) +| +(?![a-z0-9])", "", " ".join(text.split()))


def _handed_out(
    draft: Draft, kit: Kit, rule: RouteRule, told: list[Memory], spaces: tuple[str, ...],
    where: Filter,
) -> Draft:  # fmt: skip
    """Return the draft with these entries as its candidates: all, or the most relevant."""
    query = draft.query
    whole = fit(told, query, kit)
    if whole:
        if draft.period is None:
            told = sorted(told, key=_place)  # stable: what stands in no file stays as it was told
        pieces = [(memory, Passage(0, 0, len(memory.text))) for memory in told]
        note = f"route {rule.name}: all {len(pieces)}"
        note += ", in the order told" if draft.period is None else ", newest first"
    else:
        pieces = _most_relevant(draft, kit, spaces, where)
        note = f"route {rule.name}: more than fits; by the question's words, then newest first"
    if rule.done == "last" and any(_is_done(memory) for memory, _ in pieces):
        pieces.sort(key=lambda piece: _is_done(piece[0]))
        note += "; what is done at the end"
    return draft._replace(
        candidates=in_order(pieces, channel=CHANNEL, falling=not whole or draft.period is not None),
        channels={},
        settled=f"the route {rule.name!r} has the whole list",
    ).note(note)


def _about_something_else(question: str, told: list[Memory], query: Query, kit: Kit) -> str:
    """Return why the question is not about the list, or an empty string.

    It is not if it has words besides the keyword, no entry of the list holds one of them, and
    another memory holds at least half of them: "the rules of chess" where chess is a note.
    """
    from bethink.recall.route_keywords import topic_of
    from bethink.text.tokenise import telling_terms

    topic = frozenset(telling_terms(topic_of(question)))
    if not topic:
        return ""
    if any(topic & frozenset(telling_terms(memory.text)) for memory in told):
        return ""
    found = kit.store.search_words(
        sorted(topic), spaces=query.spaces, where=query.where, limit=_LOOKED_AT
    )
    ids = list(dict.fromkeys(one.memory_id for one in found))
    for memory in kit.store.get(ids, spaces=query.spaces):
        if memory is None:
            continue
        held = topic & frozenset(telling_terms(memory.text))
        if 2 * len(held) >= len(topic):
            return f"the list holds no word of what is asked, and the memory {memory.id} does"
    return ""


def _newest_first(memories: list[Memory]) -> list[Memory]:
    """By when it happened, else by when it was told; in one file the later line is the newer."""
    return sorted(
        memories, key=lambda m: ((m.occurred_at or m.created_at), _place(m)[-1]), reverse=True
    )


def _place(memory: Memory) -> tuple[str, int]:
    line = memory.provenance.get("line")
    file = memory.provenance.get("file")
    return (file, line) if isinstance(file, str) and isinstance(line, int) else ("", 0)


def _has_journal(draft: Draft, kit: Kit) -> bool:
    assert draft.period is not None
    query = draft.query
    journal = All((Condition("kind", None, "=", "journal"), during(draft.period)))
    where = journal if query.where is None else All((query.where, journal))
    return bool(kit.store.scan(spaces=query.spaces, where=where, limit=1).memories)


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
    most = query.budget + 1  # a token each is the least that an entry costs
    if terms:
        found = kit.store.search_words(terms, spaces=spaces, where=where, limit=most)
    best = kit.store.get(list(dict.fromkeys(f.memory_id for f in found)), spaces=spaces)
    newest = kit.store.scan(spaces=spaces, where=where, newest_first=True, limit=most)
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
