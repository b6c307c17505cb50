"""Which door has which verb and which argument, read from the doors themselves."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from bethink.access.reception import Reception
from bethink.doors.cli.main import COMMANDS, build_parser
from bethink.doors.http.app import create_app
from bethink.doors.mcp.knowledge import knowledge_tools
from bethink.doors.mcp.tools import TOOLS
from bethink.settings import Settings
from tests.scenarios.doors import (
    at_the_command_line,
    in_python,
    knowledge_commands,
    over_mcp,
    over_rest,
    story_commands,
)
from tests.scenarios.scenario import CLI, MCP, PYTHON, REST, Step

# No verb, and why.
NO_VERB: Mapping[tuple[str, str], str] = {
    (CLI, "remember_many"): "'remember --jsonl' takes a file, goes on after a bad line, and counts",
    (CLI, "context"): "'recall --format model' prints the text alone",
    **{
        (MCP, verb): "at most ten tools, so that a model chooses well; people and programs do this"
        for verb in (
            "remember_many", "reinforce", "forget_space", "why_not", "history", "spaces", "presets",
            "offered", "quarantine", "working", "digest", "promote_by_rules", "promote", "reject",
            "restore", "undo", "from_source", "roll_back", "events", "bases", "add_document",
            "replace_document", "documents", "document", "enable_document", "disable_document",
            "remove_document", "add_faq", "faqs", "faq", "enable_faq", "disable_faq", "remove_faq",
        )
    },
    **{
        (MCP, verb): "one who writes gets three tools of one story, over stdio: 'mcp --story'"
        for verb in (*story_commands.COMMANDS, "search_story")
    },
    (CLI, "search_story"): "'bethink scene' searches; 'recall --preset story' is for one phrase",
    (CLI, "search_knowledge"): "'bethink ask' shows the passages, with their citations",
}  # fmt: skip
# The verb without an argument that others have.
NO_ARGUMENT: Mapping[tuple[str, str], frozenset[str]] = {
    (CLI, "recall"): frozenset({"touch"}),  # '--explain' is how one only looks
    (MCP, "remember"): frozenset({"merge", "section", "valid_from", "valid_to"}),
    (MCP, "list"): frozenset({"where", "newest_first"}),
    (MCP, "context"): frozenset({"preset"}),
    # a model has the conversation before it, and asks whole questions
    (MCP, "search_knowledge"): frozenset({"history"}),
    (MCP, "ask"): frozenset({"history"}),
    (MCP, "recall"): frozenset({"deadline", "meaning", "touch", "unverified_share", "words"}),
}  # fmt: skip
NOBODY_KNOWS = frozenset({"colour", "provenance"})  # asked for to be refused


def without(door: str, step: Step) -> bool:
    """Has this door no way to say that?"""
    known = knows(door, step.verb)
    return known is None or bool(step.given.keys() - NOBODY_KNOWS - known)


@cache
def knows(door: str, verb: str) -> frozenset[str] | None:
    """The arguments of the table that a verb takes there; None: there is no such verb."""
    return {PYTHON: _python, CLI: _command, REST: _route, MCP: _tool}[door](verb)


def _python(verb: str) -> frozenset[str] | None:
    return _EVERYTHING if hasattr(in_python.InPython, f"_{verb}") else None


def _command(verb: str) -> frozenset[str] | None:
    of_knowledge = knowledge_commands.COMMANDS.get(verb)
    command = at_the_command_line.COMMAND_OF.get(verb, verb)
    of_stories = story_commands.COMMANDS.get(verb)
    if of_knowledge or of_stories:
        command = (of_knowledge or of_stories or ("",))[0]
    if command not in COMMANDS or (CLI, verb) in NO_VERB:
        return None
    parser = build_parser(command)._subparsers
    assert parser is not None
    (group,) = parser._group_actions
    assert isinstance(group.choices, dict)
    actions = group.choices[command]._actions
    options = {option for action in actions for option in action.option_strings}
    if of_knowledge:
        named = {name for name, option in knowledge_commands.OPTIONS.items() if option in options}
        return frozenset({*named, *knowledge_commands.PLAIN, *knowledge_commands.FILE})
    if of_stories:
        named = {name for name, option in story_commands.OPTIONS.items() if option in options}
        return frozenset({*named, *story_commands.PLAIN})
    plain = any(not action.option_strings for action in actions)
    named = {name for name in _EVERYTHING if at_the_command_line.option_of(name) in options}
    switches = {
        name for (name, _), flags in at_the_command_line.SWITCHES.items() if flags[0] in options
    }
    unnamed = {*at_the_command_line.ARGUMENTS, "source"} if plain else set()
    return frozenset(named | switches | unnamed)


def _route(verb: str) -> frozenset[str] | None:
    route = over_rest.ROUTES.get(verb)
    if route is None:
        return None
    described = _openapi()["paths"][f"/v1{route.path.replace('{id}', _name_in(route.path))}"]
    operation = described[route.method.lower()]
    found = {
        name for one in operation.get("parameters", ()) for name in _as_in_the_table(one["name"])
    }
    content = operation.get("requestBody", {}).get("content", {})
    found |= {"text"} if "application/octet-stream" in content else set()
    body = content.get("application/json", {})
    name = body.get("schema", {}).get("$ref", "").rpartition("/")[2]
    if name:
        found |= _openapi()["components"]["schemas"][name]["properties"].keys()
    of_knowledge = {name for name, one in over_rest.OF_KNOWLEDGE.items() if one in found}
    return frozenset({*found, *of_knowledge, *({"id"} if "{id}" in route.path else ())})


def _name_in(path: str) -> str:
    return "{offer_id}" if path.startswith("/offers") else "{memory_id}"


def _as_in_the_table(parameter: str) -> set[str]:
    """In an address a name that may be repeated is in the singular."""
    return {parameter} | {name for name, one in over_rest.PARAMETERS.items() if one == parameter}


@cache
def _openapi() -> dict[str, Any]:
    import tempfile

    with (
        tempfile.TemporaryDirectory() as folder,
        Reception(Settings(store=f"{folder}/memory.db", embedder="none")) as reception,
    ):
        return create_app(reception).openapi()


def _tool(verb: str) -> frozenset[str] | None:
    tool = over_mcp.TOOLS.get(verb)
    if tool is None:
        return None
    names = {one: name for name, one in over_mcp.ARGUMENTS.items()}
    takes = {one.name: one.takes for one in (*TOOLS, *knowledge_tools())}[tool]
    return frozenset(names.get(name, name) for name in takes.model_fields)


_EVERYTHING = frozenset(
    "id ids text question source space spaces kind kinds section tags entities confidence "
    "occurred_at valid_from valid_to metadata speaker role conversation "
    "supersedes merge times parents reason memories "
    "limit budget where as_of preset words meaning meaning_threshold words_threshold floor "
    "unverified_share weights enable_query_expansion candidates "
    "deadline touch explain language cursor newest_first decisions after "
    "base name document documents entry answers similar negative history "
    "project chapter scene characters plan states events threads facts entity window closed query "
    "resolution before top_k to_chapter to_scene allow_future".split()
)
