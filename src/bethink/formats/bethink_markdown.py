"""Our own folder of Markdown: one file for each memory, the fields above, the text below as it is.

    ---
    bethink: 1
    id: "0197-…"
    space: work
    kind: decision
    tags: ["budget", "预算"]
    created_at: 2026-05-01T14:30:00+00:00
    ---

    The budget meeting moves to Friday.

Every field is one line, its value JSON (which YAML reads too); a text that any reader takes as
plain stands without quotes. Below the second `---` nothing is interpreted, so every text survives,
whatever it looks like. `export_markdown.py` writes it, this reads it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import tzinfo
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from bethink.errors import NotebookFileRefused
from bethink.formats.taking import Failed, Items, LeftOut, Taken

NAME = "bethink-markdown"
WHAT = "memories of Bethink in Markdown"

MARKER = ".bethink-export"  # in the root of a folder that export wrote: which files are its own
INDEX = "INDEX.md"
_VERSION = 1
# The longest text with a long history; as much as any one document may have.
_MAX_FILE_BYTES = 256_000_000
_MAX_FILES = 10_000_000
_FENCE = "---"

# In this order in the file; what has its default is left out.
_DEFAULTS: dict[str, Any] = {
    "id": None, "space": None, "kind": None, "section": "", "tags": [], "entities": [],
    "source": "", "confidence": 1.0, "occurred_at": None, "created_at": None, "updated_at": None,
    "valid_from": None, "valid_to": None, "reinforcement": 0, "access_count": 0, "metadata": {},
    "provenance": {}, "withheld": False,
}  # fmt: skip


def looks_like(text: str) -> bool:
    return text.startswith((f"{_FENCE}\nbethink: {_VERSION}\n", f"{_FENCE}\r\nbethink: "))


# Writing


def page(record: Mapping[str, Any]) -> str:
    """A memory, as `Engine.export` gives it, as a file's text."""
    lines = [_FENCE, f"bethink: {_VERSION}"]
    lines += _field_lines(record)
    former = record.get("history")
    if former:
        lines.append("history:")
        for form in former:  # of the same memory, so without its id and space
            thin = {k: v for k, v in _thin(form).items() if k not in ("id", "space")}
            lines.append(f"  - {_json(thin)}")
    return "\n".join([*lines, _FENCE, "", str(record["text"]), ""])


def _field_lines(record: Mapping[str, Any]) -> list[str]:
    lines = []
    for name, value in _thin(record).items():
        if name in _DEFAULTS:
            as_text = isinstance(value, str) and (name.endswith(("_at", "_to", "_from")))
            lines.append(f"{name}: {value if as_text else _scalar(value)}")
    return lines


def _thin(record: Mapping[str, Any]) -> dict[str, Any]:
    """Without what would come back by itself."""
    thin = {
        name: record[name]
        for name, default in _DEFAULTS.items()
        if name in record and record[name] != default
    }
    if thin.get("updated_at") == thin.get("created_at"):
        thin.pop("updated_at", None)
    others = ("text", "replaced_at")
    return {**thin, **{name: record[name] for name in others if name in record}}


def _scalar(value: Any) -> str:
    if isinstance(value, str) and _plain().fullmatch(value) and value.lower() not in _WORDS:
        return value
    return _json(value)


# What some reader of YAML or JSON takes for something else than text.
_WORDS = frozenset("true false null yes no on off y n none nan infinity inf".split())


@cache
def _plain() -> re.Pattern[str]:
    return re.compile(r"[^\W\d_](?:[\w./@+-]| (?! )){0,200}(?<! )")


def _json(value: Any) -> str:
    """JSON on one line that a reader of YAML takes too: what it calls unprintable is escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return _unprintable().sub(lambda found: f"\\u{ord(found.group()):04x}", text)


@cache
def _unprintable() -> re.Pattern[str]:
    return re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


# Reading


def record_of(text: str) -> dict[str, Any]:
    """The record of a file's text. Raises ValueError saying what is wrong, and RecursionError."""
    lines_end = "\r\n" if text.startswith(_FENCE + "\r\n") else "\n"
    head, fence, body = text[len(_FENCE + lines_end) :].partition(f"{lines_end}{_FENCE}{lines_end}")
    if not fence:
        raise ValueError("its fields have no end: a line '---' is missing")
    record: dict[str, Any] = {}
    for number, line in enumerate(head.split(lines_end), start=2):
        _read_line(line, number, record)
    record.pop("bethink", None)
    record["text"] = body.removeprefix(lines_end).removesuffix(lines_end)
    return record


def _read_line(line: str, number: int, record: dict[str, Any]) -> None:
    if not line.strip() or line.startswith("#"):
        return
    if line.startswith("  - ") and isinstance(record.get("history"), list):
        form = json.loads(line[4:])
        record["history"].append(form)
        return
    name, colon, value = line.partition(":")
    if not colon or name in record:
        raise ValueError(f"line {number} is no field 'name: value', or one that is there already")
    value = value.strip()
    if name == "history":
        record[name] = []
        return
    try:
        record[name] = json.loads(value)
    except ValueError:
        record[name] = value


def read(path: Path, zone: tzinfo) -> Items:
    """One file, or every file of a folder."""
    from bethink.notebook.reading import list_files, read_text

    if not path.is_dir():
        yield _one(path.parent, PurePosixPath(path.name))
        return
    listing = list_files(path, max_bytes=_MAX_FILE_BYTES, max_files=_MAX_FILES)
    yield from (Failed(str(refused.path), refused.why) for refused in listing.refused)
    order = _order(path)
    for file in sorted(listing.files, key=lambda file: order.get(str(file.path), len(order))):
        if file.path.name == INDEX:
            try:
                if not looks_like(read_text(path, file.path)):
                    continue
            except NotebookFileRefused:
                continue
        yield _one(path, file.path)


def _order(folder: Path) -> dict[str, int]:
    """The order in which the files were written, which is the one in which they were told. It is a
    help, no more: a folder whose list is lost is read by the files' names."""
    from bethink.notebook.reading import read_bytes

    try:
        lines = read_bytes(folder, PurePosixPath(MARKER), max_bytes=_MAX_FILE_BYTES).splitlines()
    except NotebookFileRefused:
        return {}
    order: dict[str, int] = {}
    for number, line in enumerate(lines):
        try:
            order[str(json.loads(line)["path"])] = number
        except (ValueError, TypeError, KeyError, RecursionError):
            continue
    return order


def _one(root: Path, file: PurePosixPath) -> Taken | Failed | LeftOut:
    from bethink.notebook.reading import read_text

    try:
        text = read_text(root, file, max_bytes=_MAX_FILE_BYTES)
        if not looks_like(text):
            return LeftOut("file that export did not write; take it with --format markdown")
        record = record_of(text)
    except NotebookFileRefused as e:
        return Failed(str(file), e.why)
    except RecursionError:
        return Failed(str(file), "nested too deeply to be read")
    except ValueError as e:
        return Failed(str(file), str(e))
    space = record.get("space")
    return Taken(record, str(file), owner=space if isinstance(space, str) else "")
