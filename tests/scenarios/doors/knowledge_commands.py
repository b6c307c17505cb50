"""`bethink documents`, `faq` and `ask`: files are written first, for commands take paths."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from tests.scenarios.doors.door import failed
from tests.scenarios.doors.knowledge_in_python import taken
from tests.scenarios.scenario import Json

# The command, and what it is told to do.
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "add_document": ("documents", "add"),
    "replace_document": ("documents", "replace"),
    "bases": ("documents", "bases"),
    "documents": ("documents", "list"),
    "document": ("documents", "show"),
    "enable_document": ("documents", "enable"),
    "disable_document": ("documents", "disable"),
    "remove_document": ("documents", "remove"),
    "add_faq": ("faq", "add"),
    "faqs": ("faq", "list"),
    "faq": ("faq", "show"),
    "enable_faq": ("faq", "enable"),
    "disable_faq": ("faq", "disable"),
    "remove_faq": ("faq", "remove"),
    "ask": ("ask",),
}
OPTIONS = {
    "base": "--space",
    "answers": "--answer",
    "similar": "--similar",
    "negative": "--negative",
    "tags": "--tag",
    "id": "--id",
    "documents": "--document",
    "limit": "--limit",
    "floor": "--floor",
    "weights": "--weights",
    "candidates": "--candidates",
    "words_threshold": "--words-threshold",
    "meaning_threshold": "--meaning-threshold",
    "enable_query_expansion": "--enable-query-expansion",
    "history": "--history",
}
PLAIN = ("document", "entry", "question")  # without a name; a file comes behind
FILE = frozenset({"name", "text"})  # what is in it
_MANY = frozenset({"bases", "documents", "faqs"})
_UNREADABLE = 2


def options(verb: str, given: Mapping[str, Json], folder: Path) -> tuple[list[str], list[str]]:
    """Those with a name, and the others."""
    named: list[str] = []
    plain = [given[name] for name in PLAIN if name in given]
    if "text" in given:
        name = str(given.get("name") or PurePosixPath(given["document"]).name)
        plain.append(_written(folder / name, given["text"]))
    for name, value in given.items():
        if name in PLAIN or name in FILE:
            continue
        if name == "history":
            value = _written(folder / "talk.json", json.dumps(value))
        for one in value if isinstance(value, list) else [value]:
            if one is False:
                named.append("--no-" + OPTIONS[name].removeprefix("--"))
            else:
                named += [OPTIONS[name], str(one)]
    return named, plain


def _written(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return str(path)


def in_one_form(verb: str, code: int, out: str) -> Json:
    """The answer as the other doors give it."""
    lines = [json.loads(line) for line in out.splitlines()]
    if verb in _MANY:
        return lines
    (answer,) = lines
    if verb == "add_document":
        (file,) = answer["files"]
        if code == _UNREADABLE:
            return failed("document_unreadable", file["why"])
        return taken({"sections": 0, **file})
    if verb == "replace_document":
        return taken(answer)
    if verb in ("enable_document", "disable_document"):
        return {"id": answer["id"], "enabled": answer["enabled"]}
    if verb == "remove_document":
        return {"id": answer.pop("removed")[0], **answer}
    if verb == "add_faq":
        return {"id": answer["memory_id"]}
    if verb in ("enable_faq", "disable_faq"):
        ((done, ids),) = answer.items()
        return {"id": ids[0], "enabled": done == "enabled"}
    if verb == "remove_faq":
        return {"id": answer.pop("removed")[0], "removed": True, **answer}
    return answer
