"""JSON of others, read without trust: one value after the other, from lines or a whole document.

A bad line is named and passed over. Nothing here may hang, fill the memory or recurse without end.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from bethink.errors import InvalidInput
from bethink.formats.taking import Failed

# A memory holds a million characters; with its fields and escapes it fits here several times.
MAX_LINE_BYTES = 16_000_000
# A whole document must be held in memory, at about ten times its size.
MAX_DOCUMENT_BYTES = 256_000_000
_LINES_TRIED = 20


class Value(NamedTuple):
    place: str
    value: Any


def open_file(path: Path) -> IO[bytes]:
    """A regular file, opened without ever waiting for a writer. A link that the user names is
    followed: it is theirs."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise InvalidInput(f"there is no file {path}") from None
    except OSError as e:
        raise InvalidInput(f"{path} cannot be read: {e.strerror}") from None
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        kind = "a folder" if stat.S_ISDIR(mode) else "a pipe or device"
        raise InvalidInput(f"{path} is {kind}, not a file; give a pipe as '-'")
    return os.fdopen(handle, "rb")


def values(path: Path) -> Iterator[Value | Failed]:
    """Every JSON value of a file, with its place."""
    with open_file(path) as file:
        if _in_lines(file):
            yield from _lines(file, path.name)
        elif os.fstat(file.fileno()).st_size:
            yield _document(file, path)


def _in_lines(file: IO[bytes]) -> bool:
    """Is one of the first lines a value of its own? Else it is one document over many lines."""
    try:
        for number in range(_LINES_TRIED):
            line = file.readline(MAX_LINE_BYTES)
            if not line:
                return False
            text = line.decode("utf-8-sig" if number == 0 else "utf-8", "replace").strip()
            if text[:1] in ("{", "[") and text not in ("{", "["):
                try:
                    json.loads(text)
                except (ValueError, RecursionError):
                    continue
                return True
        return False
    finally:
        file.seek(0)


def _lines(file: IO[bytes], name: str) -> Iterator[Value | Failed]:
    number = 0
    while line := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        place = f"{name}:{number}"
        if len(line) > MAX_LINE_BYTES:
            while line and not line.endswith(b"\n"):
                line = file.readline(MAX_LINE_BYTES)
            yield Failed(place, f"the line is longer than {MAX_LINE_BYTES:,} bytes")
            continue
        if line.strip():
            yield _value(line, place, first=number == 1)


def _document(file: IO[bytes], path: Path) -> Value | Failed:
    size = os.fstat(file.fileno()).st_size
    if size > MAX_DOCUMENT_BYTES:
        return Failed(
            path.name,
            f"one JSON document of {size:,} bytes; at most {MAX_DOCUMENT_BYTES:,} can be read at "
            "once. Write it as one object a line, for example with: jq -c '.results[]'",
        )
    return _value(file.read(MAX_DOCUMENT_BYTES + 1), path.name, first=True)


def _value(data: bytes, place: str, *, first: bool) -> Value | Failed:
    try:
        text = data.decode("utf-8-sig" if first else "utf-8")
    except UnicodeDecodeError as e:
        return Failed(place, f"not UTF-8 text (byte {e.start}); convert it with iconv")
    try:
        return Value(place, json.loads(text))
    except RecursionError:
        return Failed(place, "nested too deeply to be read")
    except ValueError as e:
        return Failed(place, f"not JSON: {e}")


# Where others put their lists.
_LISTS = ("results", "memories", "items", "data", "conversations", "threads")


def objects(path: Path) -> Iterator[Value | Failed]:
    """Every object of a file: the values themselves, or those in their lists."""
    for found in values(path):
        if isinstance(found, Failed):
            yield found
        else:
            yield from _unpacked(found.place, found.value, depth=0)


def _unpacked(place: str, value: Any, *, depth: int) -> Iterator[Value | Failed]:
    if isinstance(value, dict):
        inside = next((n for n in _LISTS if isinstance(value.get(n), list)), None)
        if inside is None or _tells_something(value):
            yield Value(place, value)
            return
        if inside == "memories" and "categories" in value:  # names that the entries refer to
            yield Value(place, {"categories": value["categories"], "user": value.get("user")})
        value = value[inside]
    if isinstance(value, list) and depth < 3:
        for number, item in enumerate(value, start=1):
            yield from _unpacked(f"{place} item {number}", item, depth=depth + 1)
    else:
        yield Failed(place, f"expected an object, got {type(value).__name__}")


def _tells_something(value: dict[str, Any]) -> bool:
    """A memory may have a field that is named like one of the lists."""
    return any(name in value for name in ("text", "memory", "content", "role", "key", "message"))


def first_objects(path: Path, at_most: int = 50) -> tuple[list[dict[str, Any]], list[Failed]]:
    """A look at what a file holds, and what could not be read of it."""
    seen: list[dict[str, Any]] = []
    failed: list[Failed] = []
    for found in objects(path):
        if isinstance(found, Failed):
            failed.append(found)
        else:
            seen.append(found.value)
        if len(seen) >= at_most or len(failed) >= at_most:
            break
    return seen, failed


_ENDINGS = (".json", ".jsonl", ".ndjson")
_MAX_FILES = 100_000
_MAX_DEPTH = 16


def json_files(root: Path) -> tuple[list[Path], list[Failed]]:
    """The JSON files of a folder in order of their names. Links are not followed: they may lead
    anywhere, or around."""
    files: list[Path] = []
    refused: list[Failed] = []
    folders = [(root, 0)]
    while folders:
        folder, depth = folders.pop()
        inner: list[tuple[Path, int]] = []
        try:
            with os.scandir(folder) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as e:
            refused.append(Failed(str(folder), f"the folder cannot be read: {e.strerror}"))
            continue
        for entry in entries:
            wanted = entry.name.lower().endswith(_ENDINGS)
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                if depth < _MAX_DEPTH:
                    inner.append((Path(entry.path), depth + 1))
                else:
                    refused.append(Failed(entry.path, "folders are nested too deeply"))
            elif wanted and not entry.is_file(follow_symlinks=False):
                refused.append(Failed(entry.name, "it is a link, a pipe or a device, not a file"))
            elif wanted and len(files) < _MAX_FILES:
                files.append(Path(entry.path))
            elif wanted:
                refused.append(Failed(entry.name, f"more than {_MAX_FILES:,} files"))
                return files, refused
        folders.extend(reversed(inner))
    return files, refused
