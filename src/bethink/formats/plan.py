"""Before anything is taken: what is this, what does it hold, whose is it, where does it go?

The source is read twice: first to say all that, then to take it. Memories of several people or
projects never meet in one space unless the user says so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from fnmatch import fnmatchcase
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from bethink.checks import check_reachable, check_space
from bethink.errors import InvalidInput
from bethink.formats import bethink_jsonl, chat, langgraph, mem0
from bethink.formats.names import FORMATS
from bethink.formats.taking import Failed, Item, Items, LeftOut, Taken

_MARKDOWN = (".md", ".markdown")
_JSON_FORMATS = (bethink_jsonl, langgraph, mem0, chat)  # the pickiest first
# Ours name spaces; the others name users, agents, projects, namespaces.
_OURS = ("bethink", "bethink-markdown")

KEPT_FAILURES = 1_000  # told one by one; the rest is counted


class Reader(NamedTuple):
    format: str
    what: str
    read: Callable[[], Items]


@dataclass
class Failures:
    """What could not be taken, and why; the first thousand by name."""

    told: list[Failed] = field(default_factory=list)
    count: int = 0

    def add(self, failed: Failed) -> None:
        self.count += 1
        if len(self.told) < KEPT_FAILURES:
            self.told.append(failed)


@dataclass
class Plan:
    format: str
    what: str
    read: Callable[[], Items]
    memories: int
    spaces: dict[str, str]  # owner in the source -> our space
    owners: Counter[str]
    left_out: Counter[str]
    failures: Failures
    places: list[str] = field(default_factory=list)

    def records(self) -> Iterator[dict[str, Any]]:
        """The records, with space and id. `places` tells where each came from, by its number."""
        for item in self.read():
            if isinstance(item, Taken):
                space = self.spaces.get(item.owner)
                if space is None:
                    continue  # came to be between the two readings
                self.places.append(item.place)
                yield _record(item, space, self.format)


def _record(item: Taken, space: str, format_name: str) -> dict[str, Any]:
    record = {**item.fields, "space": space}
    if not record.get("id"):
        text = record.get("text")
        key = item.key or (
            "",
            *(str(record.get(n, "")) for n in ("kind", "section", "occurred_at")),
            str(text),
        )
        joined = "\x1f".join((space, format_name, *key))
        record["id"] = f"{format_name}-{sha256(joined.encode('utf-8', 'replace')).hexdigest()[:24]}"
    return record


# What is it?


def reader_for(path: Path, format_name: str, zone: tzinfo) -> Reader:
    if format_name not in FORMATS:
        raise InvalidInput(f"unknown format {format_name!r}; known: {', '.join(FORMATS)}")
    check_reachable(path)
    if not path.exists():
        raise InvalidInput(f"there is no file {path}, and no folder")
    if too_broad(path.resolve(), Path.home().resolve()):
        raise InvalidInput(
            f"{path} is a whole home or disk: everything that lies in it would be read, also what "
            "is nobody's memory. Name the folder that you mean"
        )
    if format_name == "auto":
        format_name = _looks_like(path)
    if format_name == "bethink-markdown":
        from bethink.formats import bethink_markdown

        return Reader(
            format_name, bethink_markdown.WHAT, partial(bethink_markdown.read, path, zone)
        )
    if format_name == "claude":
        from bethink.formats import claude_memory

        return Reader(format_name, claude_memory.WHAT, partial(claude_memory.read, path, zone))
    if format_name == "markdown":
        from bethink.formats import markdown_folder

        return Reader(format_name, markdown_folder.WHAT, partial(markdown_folder.read, path, zone))
    module = next(module for module in _JSON_FORMATS if format_name == module.NAME)
    return Reader(format_name, module.WHAT, partial(_of_files, module.read, path))


def too_broad(path: Path, home: Path) -> bool:
    """The root, a home, or what homes lie in: nobody means all of that."""
    return path == Path(path.anchor) or home.is_relative_to(path)


def _of_files(read: Callable[[Path, str], Items], path: Path) -> Items:
    if not path.is_dir():
        yield from read(path, path.stem)
        return
    from bethink.formats.json_values import json_files

    files, refused = json_files(path)
    yield from refused
    for file in files:
        inside = file.relative_to(path)
        folder = "" if inside.parent == Path() else f"{inside.parent.as_posix()}/"
        try:
            for item in read(file, folder + file.stem):
                yield _in_folder(item, folder)
        except InvalidInput as e:
            yield Failed(folder + file.name, str(e))


def _in_folder(item: Item, folder: str) -> Item:
    """With its folder before its place. Transcripts of an agent lie in a folder for each project,
    and what was said in one is not the other's."""
    if isinstance(item, LeftOut) or not folder:
        return item
    if isinstance(item, Taken) and not item.owner:
        origin = item.fields.get("provenance")
        if isinstance(origin, dict) and origin.get("project"):
            item = item._replace(owner=folder.split("/")[0].strip("-"))
    return item._replace(place=folder + item.place)


def _looks_like(path: Path) -> str:
    if path.is_dir():
        return _folder_looks_like(path)
    name = path.name.lower()
    if name.endswith(_MARKDOWN):
        return _markdown_looks_like(path)
    return _json_looks_like([path])


def _markdown_looks_like(path: Path) -> str:
    from bethink.formats import bethink_markdown, claude_memory
    from bethink.formats.json_values import open_file

    with open_file(path) as file:
        head = file.read(100).decode("utf-8", "replace")
    if bethink_markdown.looks_like(head):
        return bethink_markdown.NAME
    return claude_memory.NAME if claude_memory.looks_like(path) else "markdown"


def _folder_looks_like(path: Path) -> str:
    from bethink.formats import bethink_markdown, claude_memory
    from bethink.formats.json_values import json_files
    from bethink.notebook.reading import list_files

    if (path / bethink_markdown.MARKER).exists():
        return bethink_markdown.NAME
    if claude_memory.looks_like(path):
        return claude_memory.NAME
    if list_files(path, max_files=1).files:
        return "markdown"
    files, _ = json_files(path)
    if not files:
        raise InvalidInput(f"{path} holds no Markdown and no JSON; nothing was taken")
    return _json_looks_like(files[:20])


def _json_looks_like(files: Iterable[Path]) -> str:
    from bethink.formats.json_values import first_objects

    reasons: list[Failed] = []
    any_seen = False
    for file in files:
        seen, failed = first_objects(file)
        reasons += failed
        any_seen = any_seen or bool(seen)
        for item in seen:
            for module in _JSON_FORMATS:
                if module.looks_like(item):
                    return str(module.NAME)
    if reasons:
        raise InvalidInput(f"nothing in it can be read: {reasons[0].place}: {reasons[0].why}")
    if not any_seen:
        raise InvalidInput("it is empty; nothing was taken")
    raise InvalidInput(
        "its format is not known: it is none of "
        f"{', '.join(name for name in FORMATS if name != 'auto')}. Say which with --format, or "
        'turn it into one object a line like {"text": "…"} for \'bethink remember --jsonl\''
    )


# What does it hold, and where does it go?


def plan(
    path: Path,
    *,
    format_name: str = "auto",
    zone: tzinfo,
    default_space: str,
    space: str | None = None,
    spaces: Mapping[str, str] | None = None,
    own_spaces: bool = False,
    progress: Callable[[int, int | None], None] | None = None,
) -> Plan:
    """Read the source once. `spaces` maps owners (or patterns like `team-*`) to spaces."""
    if space is not None:
        check_space(space)
    for target in (spaces or {}).values():
        check_space(target)
    reader = reader_for(path, format_name, zone)
    owners: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    failures = Failures()
    for number, item in enumerate(reader.read(), start=1):
        if isinstance(item, Taken):
            owners[item.owner] += 1
        elif isinstance(item, LeftOut):
            left_out[item.what] += 1
        else:
            failures.add(item)
        if progress is not None and number % 1_000 == 0:
            progress(number, None)
    where = _Where(reader.format, default_space, space, spaces or {}, own_spaces)
    return Plan(
        reader.format, reader.what, reader.read, owners.total(), where.of(owners), owners,
        left_out, failures,
    )  # fmt: skip


class _Where(NamedTuple):
    format: str
    default: str
    space: str | None
    spaces: Mapping[str, str]
    own: bool

    def of(self, owners: Counter[str]) -> dict[str, str]:
        """A space for every owner, or an error that says what to say."""
        found: dict[str, str] = {}
        open_owners: list[str] = []
        named = [owner for owner in owners if owner]
        for owner in owners:
            target = self._mapped(owner)
            if target is None and not owner:
                target = self.space or self.default
            elif target is None and self.space is not None and len(owners) == 1:
                target = self.space  # one owner, one space: nothing is mixed
            elif target is None and self.space is None and self.format in _OURS:
                target = owner
            elif target is None and self.own:
                target = _as_space(owner)
            if target is None:
                open_owners.append(owner)
            else:
                found[owner] = target
        if open_owners:
            raise InvalidInput(self._ask(owners, named))
        return found

    def _mapped(self, owner: str) -> str | None:
        if owner in self.spaces:
            return self.spaces[owner]
        return next((s for p, s in self.spaces.items() if fnmatchcase(owner, p)), None)

    def _ask(self, owners: Counter[str], named: list[str]) -> str:
        some = ", ".join(f"{owner} ({owners[owner]:,})" for owner in named[:10])
        more = f" and {len(named) - 10:,} others" if len(named) > 10 else ""
        one = named[0]
        return (
            f"these memories belong to {some}{more}. Nothing was taken: say where they go. "
            f"--map '{one}=SPACE' for each (patterns like 'team-*=SPACE' work), --own-spaces to "
            "give each a space of its name, or --map '*=SPACE' to put all into one"
            + (f", or --space SPACE for {one}" if len(owners) == 1 else "")
        )


def _as_space(owner: str) -> str:
    """A name that a space can have; where it had to be changed, a sum keeps two from being one."""
    name = re.sub(r"[^\w.:/@+-]+", "-", owner)
    name = re.sub(r"^\W+", "", name)[:100]
    if name == owner:
        return owner
    return f"{name or 'owner'}-{sha256(owner.encode('utf-8', 'replace')).hexdigest()[:8]}"
