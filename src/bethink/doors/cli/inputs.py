"""What commands read: text from files and pipes, lines of JSON, options that hold JSON."""

from __future__ import annotations

import argparse
import json
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bethink.errors import InvalidInput

_PIPE = "standard input"


def parse_json(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as e:
        raise InvalidInput(f"{name}: {text[:80]!r} is not JSON ({e})") from None


def piped() -> str:
    """All of standard input."""
    return _decode(sys.stdin.buffer.read(), _PIPE)


def memory_fields(arguments: argparse.Namespace) -> dict[str, Any]:
    """The fields of a memory that options gave; what was not given is left out."""
    given = {
        "kind": arguments.kind,
        "section": arguments.section,
        "tags": arguments.tag,
        "entities": arguments.entity,
        "source": arguments.source,
        "confidence": arguments.confidence,
        "occurred_at": arguments.occurred_at,
        "valid_from": arguments.valid_from,
        "valid_to": arguments.valid_to,
        "metadata": metadata(arguments.meta),
        "speaker": arguments.speaker,
        "role": arguments.role,
        "conversation": arguments.conversation,
    }
    return {name: value for name, value in given.items() if value is not None}


def add_speaker(parser: argparse.ArgumentParser) -> None:
    """The options that say who said it."""
    parser.add_argument("--speaker", metavar="NAME", help="who said it")
    parser.add_argument("--role", help="of the speaker: user, assistant, tool or other")
    parser.add_argument("--conversation", metavar="NAME", help="the conversation it was said in")


def metadata(pairs: list[str] | None) -> dict[str, Any] | None:
    """KEY=JSON pairs; a value that is not JSON is taken as text, as a person would mean it."""
    if not pairs:
        return None
    found: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise InvalidInput(f"--meta: expected KEY=VALUE, got {pair!r}")
        try:
            found[key] = json.loads(value)
        except ValueError:
            found[key] = value
    return found


def read_text(path: str) -> str:
    if path == "-":
        return piped()
    try:
        return _decode(Path(path).read_bytes(), path)
    except IsADirectoryError:
        raise InvalidInput(f"{path} is a directory; name a file") from None
    except FileNotFoundError:
        raise InvalidInput(f"there is no file {path}") from None
    except OSError as e:
        raise InvalidInput(f"{path} cannot be read: {e.strerror}") from None


def _decode(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        # Notepad's "Unicode" begins with a mark; without one, Chinese text is most often this
        marked = data.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
        convert = f"iconv -f {'UTF-16' if marked else 'GB18030'} -t UTF-8"
        how = f"put {convert} before it" if name == _PIPE else f"e.g. {convert} {name}"
        raise InvalidInput(
            f"{name} is not UTF-8 text (byte {e.start}); convert it, {how}"
        ) from None


def numbered_lines(path: str) -> Iterator[tuple[int, bytes]]:
    """Numbered lines, read as they are needed; `line_text` says what one holds."""
    try:
        file = sys.stdin.buffer if path == "-" else Path(path).open("rb")  # noqa: SIM115  (closed below)
    except FileNotFoundError:
        raise InvalidInput(f"there is no file {path}") from None
    except OSError as e:
        raise InvalidInput(f"{path} cannot be read: {e.strerror}") from None
    return _numbered(file)


def _numbered(file: Any) -> Iterator[tuple[int, bytes]]:
    with file:
        yield from enumerate(file, start=1)


def line_text(raw: bytes, path: str) -> str:
    return _decode(raw, _PIPE if path == "-" else path).strip()


def filter_option(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    found = parse_json(text, "--where")
    if not isinstance(found, dict):
        raise InvalidInput('--where: expected an object like {"kind": "decision"}')
    return found
