"""What Claude Code keeps: `CLAUDE.md` and rules (instructions that people wrote) and the notes that
it writes itself in `memory` folders.

A project's folder, a `.claude` folder, a `memory` folder or one file may be named. Under
`~/.claude` every project has its own notes; they are that project's, and are not mixed with the
others'. Files that a `CLAUDE.md` refers to with `@path` are not followed, since they may lie
anywhere; they are named.
"""

from __future__ import annotations

import re
from datetime import tzinfo
from functools import cache, partial
from pathlib import Path, PurePosixPath
from typing import Any

from bethink.errors import NotebookFileRefused
from bethink.formats.markdown_folder import files_of, pieces
from bethink.formats.taking import Failed, Items, LeftOut, Taken
from bethink.notebook.forms import Form
from bethink.notebook.parse import Piece
from bethink.notebook.reading import FileStat, read_text

NAME = "claude"
WHAT = "instructions and notes of Claude Code"

_INSTRUCTIONS = frozenset({"claude.md", "claude.local.md", "agents.md"})
_INDEX = "memory.md"
_HIDDEN = ".claude"
# The folders whose files are memory; everything else in a project is its own documentation.
_FOLDERS = ("rules", "memory", "agent-memory", "agent-memory-local")


def looks_like(path: Path) -> bool:
    if not path.is_dir():
        return path.name.lower() in (*_INSTRUCTIONS, _INDEX)
    if path.name in (_HIDDEN, "memory") and _has_any(
        path, ("CLAUDE.md", "MEMORY.md", "rules", "projects")
    ):
        return True
    return _has_any(path, ("CLAUDE.md", "CLAUDE.local.md", "MEMORY.md", _HIDDEN))


def _has_any(folder: Path, names: tuple[str, ...]) -> bool:
    return any((folder / name).exists() for name in names)


def read(path: Path, zone: tzinfo) -> Items:
    if not path.is_dir():
        yield from _folder(path, PurePosixPath(), zone)
        return
    yield from _folder(path, PurePosixPath(), zone)
    for _ in path.glob("projects/*/*.jsonl"):
        yield LeftOut("transcript of a session; take it with --format chat")
    hidden = path / _HIDDEN  # passed over by the listing, as all hidden folders are
    if hidden.is_symlink():
        yield Failed(_HIDDEN, "it is a link; name its target")
    elif hidden.is_dir():
        yield from _folder(hidden, PurePosixPath(_HIDDEN), zone)


def _folder(path: Path, below: PurePosixPath, zone: tzinfo) -> Items:
    """`below`: where the folder lies within what the user named."""
    root, files, refused = files_of(path)
    yield from refused
    own = path.is_dir() and (path.name in (_HIDDEN, *_FOLDERS) or (path / "MEMORY.md").exists())
    for file in files:
        role = (
            _role(file.path, own=own and path.name != _HIDDEN) if path.is_dir() else _of_file(path)
        )
        if role is None:
            yield LeftOut("Markdown that is no memory of Claude; take it with --format markdown")
            continue
        owner = _project(file.path)
        linked = file.path.name.lower() == _INDEX and len(files) > 1
        if role == "instruction":
            yield from _not_followed(root, file)
        for item in pieces(
            root, file, form=Form.FOLDER, zone=zone, format_name=NAME, owner=owner,
            kind=partial(_kind, role=role),
        ):  # fmt: skip
            if not isinstance(item, Taken):
                yield item
            elif linked and _only_links(item.fields["text"]):
                yield LeftOut("list of links to the other notes")
            else:
                yield item._replace(fields=_placed(item.fields, below))


def _not_followed(root: Path, file: FileStat) -> Items:
    """Instructions are often spread over files that the first one names."""
    try:
        text = read_text(root, file.path)
    except NotebookFileRefused:
        return  # said when its pieces are read
    for name in dict.fromkeys(_mention().findall(text)):
        yield LeftOut(f"@{name} in {file.path}, which is not followed; import that file as well")


@cache
def _mention() -> re.Pattern[str]:
    return re.compile(r"(?<![\w`@/.])@((?:~?/)?[\w./-]+\.(?:md|markdown|txt))\b")


def _role(path: PurePosixPath, *, own: bool) -> str | None:
    """Is this an instruction or a note, or neither?"""
    if path.name.lower() in _INSTRUCTIONS:
        return "instruction"
    for folder in _FOLDERS:
        if folder in path.parts[:-1]:
            return "instruction" if folder == "rules" else "note"
    return "note" if own or path.name.lower() == _INDEX else None


def _of_file(path: Path) -> str:
    in_rules = "rules" in path.parts and _HIDDEN in path.parts
    return "instruction" if in_rules or path.name.lower() in _INSTRUCTIONS else "note"


def _project(path: PurePosixPath) -> str:
    """Under `projects/NAME/memory/` notes are of that project alone."""
    parts = path.parts
    return parts[1].strip("-") if len(parts) > 2 and parts[0] == "projects" else ""


_KINDS = {"feedback": "instruction", "user": "preference", "project": "note", "reference": "note"}


def _kind(piece: Piece, role: str) -> str:
    """The notes say by a type of their own what they are; the words are Claude's, not ours."""
    return _KINDS.get(piece.kind, role if piece.kind == "note" else piece.kind)


def _only_links(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return bool(lines) and all(_link().match(line) for line in lines[1:]) and len(lines) > 1


@cache
def _link() -> re.Pattern[str]:
    return re.compile(r"\s*[-*+] \[[^\]]*\]\([^)]+\.md\)")


def _placed(fields: dict[str, Any], below: PurePosixPath) -> dict[str, Any]:
    where = str(below / fields["source"])
    return {
        **fields,
        "source": where,
        "provenance": {**fields["provenance"], "file": where},
    }
