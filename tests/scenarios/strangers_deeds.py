"""What strangers who share a server do, at which door, and what they say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from mcp import Client

from tests.scenarios.doors.knowledge_commands import COMMANDS
from tests.scenarios.doors.over_mcp import TOOLS, OverMcp
from tests.scenarios.doors.over_rest import ROUTES, OverRest
from tests.scenarios.doors.story_commands import COMMANDS as STORY_COMMANDS
from tests.scenarios.watching import Watched

LONG = "is what the ops team agreed on for every Friday. 运维组约定每周五上午十点由小美主持会议。"
SOURCES = ("mail", "wiki")
SPACES = ("global", "nowhere", "c", "d")
CHOSEN_IDS = ("one", "two", "c/one", "d/one")

KNOWLEDGE = frozenset({*COMMANDS, "search_knowledge"})
STORY = frozenset({*STORY_COMMANDS, "search_story"})
REST, MCP, OTHERWISE = "rest", "mcp", "otherwise"
DEEDS = (
    *((REST, verb) for verb in ROUTES),
    *((MCP, verb) for verb in TOOLS),
    (MCP, "resources"),
    (MCP, "prompt"),
    (MCP, "search"),
    (MCP, "fetch"),
    (OTHERWISE, "repeat"),  # with an Idempotency-Key that all of them use
    (OTHERWISE, "session"),  # an MCP session of whoever came last
    (OTHERWISE, "server"),  # what is of the whole server
    (OTHERWISE, "export"),
    (OTHERWISE, "settings"),
)


class Actor(NamedTuple):
    canary: str
    key: str
    home: str  # the space where it keeps its things; of the tenants it is named by the canary
    rest: OverRest
    mcp: OverMcp
    agent: Client
    streams: tuple[Watched, Watched]


def what_is_given(
    actor: Actor, verb: str, n: int, *, some_id: str, cursors: Sequence[str]
) -> dict[str, Any]:
    """What an actor says with a verb, as `n` decides; ids and cursors are those that got around."""
    text = f"{actor.canary} {n % 4} {LONG}"
    space = (None, actor.home, *SPACES)[n % 6]
    told: dict[str, Any] = {"text": text, "source": SOURCES[n % 2]}
    told |= {"space": space} if space else {}
    told |= {"id": CHOSEN_IDS[n % len(CHOSEN_IDS)]} if n % 3 == 0 else {}
    where = {"spaces": [space]} if space else {}
    question = {"question": f"canary 雀 {actor.canary} {n}"}
    cursor = {"cursor": cursors[n % len(cursors)]} if cursors and n % 2 else {}
    match verb:
        case "remember":
            return told | ({"supersedes": some_id} if n % 5 == 0 else {})
        case "remember_many":
            return {"memories": [told, {"text": f"{text} more"}]}
        case "offer":
            return told | {"parents": [some_id]}
        case "revise":
            return {"id": some_id, "text": f"{text} revised"}
        case "recall" | "context":
            return question | where
        case "why_not":
            return question | where | {"id": some_id}
        case "get" | "history" | "reinforce" | "forget" | "offered" | "undo":
            return {"id": some_id}
        case "promote" | "reject" | "restore":
            return {"ids": [some_id]}
        case "from_source" | "roll_back":
            return {"source": SOURCES[n % 2]} | where
        case "list" | "quarantine":
            return {"limit": 1 + n % 3} | where | cursor
        case "working":
            return where
        case "digest" | "promote_by_rules":
            return {"space": space} if space else {}
        case "forget_space":
            return {"space": space or "nowhere"}
        case "events":
            return {"limit": 1000}
    if verb in STORY:
        return _of_a_story(actor, verb, n, some_id)
    return of_knowledge(actor, verb, n, some_id) if verb in KNOWLEDGE else {}


def _of_a_story(actor: Actor, verb: str, n: int, some_id: str) -> dict[str, Any]:
    """The same few scenes and names, whosever they are."""
    project = {"project": (actor.home, actor.home, *SPACES)[n % 6]}
    at = {"chapter": 1 + n % 2, "scene": 1}
    text = f"小雀 {actor.canary} {n % 4} 说了话。"
    match verb:
        case "set_story_cast":
            who = {"id": f"who-{n % 2}", "name": "小雀", "description": actor.canary}
            return project | {"characters": [who]}
        case "add_story_scene":
            told = {"states": {"小雀": {"wing": text}}, "threads": [text]}
            return project | at | told | {"text": text}
        case "add_story_chapter":
            return project | {"chapter": 1 + n % 2, "text": text}
        case "record_story_state":
            return project | at | {"entity": "小雀", "facts": {"note": text}}
        case "open_story_thread":
            return project | at | {"text": text}
        case "close_story_thread":
            return project | {"id": some_id, "chapter": 9, "scene": 1}
        case "story_state":
            return project | {"entity": "小雀", "chapter": 9, "scene": 9}
        case "story_states":
            return project | {"chapter": 9, "scene": 9}
        case "story_timeline" | "remove_from_story":
            return project | {"chapter": 1 + n % 3}
        case "search_story":
            return project | {"query": "canary 雀 说了话"}
        case "scene_context":
            plan = {"summary": "canary 雀 说了话", "characters": ["小雀"]}
            return project | {"chapter": 9, "scene": 1, "plan": plan}
        case "move_in_story":
            return project | {"chapter": 1 + n % 2, "to_chapter": 3 + n % 3}
    return project


def of_knowledge(actor: Actor, verb: str, n: int, some_id: str) -> dict[str, Any]:
    """The same few names of documents and entries, whosever they are."""
    base = (actor.home, actor.home, *SPACES)[n % 6]
    text = f"# {actor.canary}\n\n{actor.canary} {n % 4} {LONG}"
    names = ("手册.md", "plan.md", some_id)
    name, entry = names[n % 3], ("退款？", "own", some_id)[n % 3]
    asked = {"base": base, "question": f"canary 雀 {actor.canary} {n}"}
    match verb:
        case "add_document":
            return {"base": base, "name": name, "text": text}
        case "replace_document":
            return {"base": base, "document": name, "text": f"{text} newer"}
        case "documents" | "faqs":
            return {"base": base}
        case "add_faq":
            told = {"base": base, "question": "退款？", "answers": [text]}
            return told | {"negative": [f"换货 {actor.canary}？"], "id": entry.strip("？")}
        case "search_knowledge" | "ask":
            return asked | ({"documents": [name]} if n % 5 == 0 else {})
    return {"base": base} | ({"entry": entry} if "faq" in verb else {"document": name})
