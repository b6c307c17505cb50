"""A scenario is data: what is asked in which order, and what must hold of the answers. The words
are those of no door; each door has a translator (`doors/`) that puts them as its users would."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

Json: TypeAlias = Any  # what `json.loads` gives

PYTHON, CLI, REST, MCP = DOORS = ("python", "cli", "rest", "mcp")


class Step(NamedTuple):
    verb: str
    given: Mapping[str, Json]
    keep: str = ""  # a name for the id in the answer; "$name" stands for it from then on
    holds: Mapping[str, Json] = {}  # by the way there: {"hits.0.text": "…", "hits.#": 1}
    refused: str = ""  # the code of the error
    says: str = ""  # a part of its message
    # The door's own parser refuses it, before anything of ours sees it: same code, and a message
    # that names the argument; the words are the parser's.
    parsed: str = ""
    not_at: tuple[str, ...] = ()  # doors that have no such verb or argument


class Scenario(NamedTuple):
    name: str
    steps: tuple[Step, ...]
    embedder: str = "hashing"
    settings: Mapping[str, Json] = {}  # from the start, as a settings file would say


def do(
    verb: str,
    *,
    keep: str = "",
    holds: Mapping[str, Json] | None = None,
    not_at: tuple[str, ...] = (),
    **given: Json,
) -> Step:
    return Step(verb, given, keep=keep, holds=holds or {}, not_at=not_at)


def wrong(
    verb: str,
    code: str,
    says: str = "",
    *,
    parsed: str = "",
    not_at: tuple[str, ...] = (),
    **given: Json,
) -> Step:
    return Step(verb, given, refused=code, says=says, parsed=parsed, not_at=not_at)


def named(name: str, *steps: Step, embedder: str = "hashing", **settings: Json) -> Scenario:
    return Scenario(name, steps, embedder, settings)


def filled_in(given: Json, kept: Mapping[str, str]) -> Json:
    """With the ids that "$name" stands for."""
    if isinstance(given, str) and given.startswith("$"):
        return kept[given[1:]]
    if isinstance(given, Mapping):
        return {key: filled_in(value, kept) for key, value in given.items()}
    if isinstance(given, list | tuple):
        return [filled_in(value, kept) for value in given]
    return given


def at(answer: Json, way: str) -> Json:
    """What stands there: "hits.0.text"; "#" counts, "*" is a list of what stands there in each."""
    for position, part in enumerate(parts := way.split(".")):
        if part == "#":
            answer = len(answer)
        elif part == "*":
            rest = ".".join(parts[position + 1 :])
            return [at(one, rest) if rest else one for one in answer]
        else:
            answer = answer[int(part) if isinstance(answer, list) else part]
    return answer


def id_in(answer: Json) -> str:
    first = answer[0] if isinstance(answer, list) else answer
    found = first["id"]
    assert isinstance(found, str)
    return found
