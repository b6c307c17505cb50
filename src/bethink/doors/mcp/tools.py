"""The tools: ten for everybody, named by our verbs. What is said of each is read by a model that
decides whether to call it: what it does, when to use it, when not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import mcp_types as types

from bethink.access.caller import Scope
from bethink.doors.mcp import answers, arguments, verbs
from bethink.doors.mcp.schemas import input_schema, output_schema

if TYPE_CHECKING:
    from bethink.access.desk import Desk

_READS = frozenset({Scope.READ})
_WRITES = frozenset({Scope.WRITE})


class Tool(NamedTuple):
    name: str
    title: str
    about: str
    takes: type[arguments.Arguments]
    gives: type
    act: Callable[[Desk, Any], Any]
    scopes: frozenset[Scope]  # with any of them it can be called
    destructive: bool = False
    repeatable: bool = True  # called twice is called once
    open_world: bool = False  # it may ask elsewhere, as the web
    fits: Callable[[Desk], bool] | None = None  # listed only where it does; None: everywhere

    @property
    def writes(self) -> bool:
        return Scope.READ not in self.scopes


TOOLS = (
    Tool(
        "recall",
        "Recall",
        "Find what is remembered about a question, best first, within a token budget.\n"
        "Use it before answering anything that may depend on earlier conversations: "
        "preferences, decisions, people, projects, how something was solved.\n"
        "Not for general knowledge or for what was just said. If nothing fits, `status` says "
        "so; do not make it up.",
        arguments.Recall,
        answers.Recalled,
        verbs.recall,
        _READS,
    ),
    Tool(
        "remember",
        "Remember",
        "Keep one lasting fact: a preference, decision, instruction, or what was learned. It "
        "is on disk when this answers; told again, it is counted and not repeated.\n"
        "Use it when the user asks for it or says something that will matter later.\n"
        "Not for passing remarks, secrets or what can be looked up. Set `heard` for what a "
        "page, mail or tool output says. `action` is `offered` if it waits for review.",
        arguments.Remember,
        answers.Written,
        verbs.remember,
        frozenset({Scope.WRITE, Scope.OFFER}),
        repeatable=False,
    ),
    Tool(
        "get",
        "Get a memory",
        "One memory by its id, whole, with where it came from and when. Use it when an "
        "excerpt is not enough.",
        arguments.Get,
        answers.Whole,
        verbs.get,
        _READS,
    ),
    Tool(
        "revise",
        "Revise a memory",
        "Correct or complete one memory; its former form is kept as history. Only what is "
        "given changes.\n"
        "Use it for mistakes. If the world changed, use remember with `supersedes` instead: "
        "both then stay true for their time.",
        arguments.Revise,
        answers.Written,
        verbs.revise,
        _WRITES,
    ),
    Tool(
        "forget",
        "Forget a memory",
        "Erase one memory everywhere, with its history. It cannot be undone.\n"
        "Use it only when the user asks for it. For what is merely outdated use remember with "
        "`supersedes`.",
        arguments.Forget,
        answers.Written,
        verbs.forget,
        _WRITES,
        destructive=True,
    ),
    Tool(
        "recent",
        "Recent memories",
        "The newest memories, a page at a time, without a question. Use it to see what was "
        "kept lately; to answer something, recall is better.",
        arguments.Recent,
        answers.Page,
        verbs.recent,
        _READS,
    ),
    Tool(
        "status",
        "Status",
        "How much is remembered in which spaces, whether anything is amiss, and what you may "
        "do here. Use it to learn the names of spaces.",
        arguments.Status,
        answers.Condition,
        verbs.status,
        _READS,
    ),
    Tool(
        "context",
        "Context for a task",
        "The memories that bear on a task as one text, ready to be put before a model, "
        "labelled as data. Use it to brief yourself or another agent; recall gives the same "
        "as separate hits.",
        arguments.Context,
        answers.ContextText,
        verbs.context,
        _READS,
    ),
    Tool(
        "search",
        "Search",
        "Ids, titles and addresses of memories that match a query, for clients that work with "
        "search and fetch. Elsewhere recall tells more.",
        arguments.Search,
        answers.Results,
        verbs.search,
        _READS,
    ),
    Tool(
        "fetch",
        "Fetch",
        "The whole text of one result of search. Elsewhere get tells more.",
        arguments.Fetch,
        answers.Document,
        verbs.fetch,
        _READS,
    ),
)
BY_NAME = {tool.name: tool for tool in TOOLS}


def tools_for(scopes: Iterable[Scope], more: Iterable[Tool] = ()) -> list[types.Tool]:
    """Those that can be called with these scopes."""
    had = frozenset(scopes)
    return [_described(tool) for tool in (*TOOLS, *more) if tool.scopes & had]


@cache
def _described(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.about,
        input_schema=input_schema(tool.takes),
        output_schema=output_schema(tool.gives),
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=not tool.writes,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.repeatable,
            open_world_hint=tool.open_world,
        ),
    )
