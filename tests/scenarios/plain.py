"""What must differ from one run to the next is made the same; all else is left as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from bethink.tiers.offering import source_hash
from tests.scenarios.doors.door import WHO
from tests.scenarios.scenario import Json

_ID = re.compile(r"\b[0-9a-f]{12}-[0-9a-f]{16}\b")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:\+00:00|Z)")
_SPENT = re.compile(r"\d+(?:\.\d+)? ms\b")
# Scores hold how old a memory is, and no two doors ask in the same microsecond.
_TOLERANCE = 1e-4
# What names no source comes from whoever brought it, through that door.
_UNNAMED = {source_hash(f"{door}:{WHO}"): f"<{WHO}>" for door in ("python", "cli", "http", "mcp")}
_REPLACED = {
    "milliseconds": "<spent>",
    "door": "<door>",
    # counted at once and written with the next batch: a command ends at once, a server goes on
    "access_count": "<count>",
}


class Plain:
    """Of one run of one scenario: ids become numbers in the order in which they appear."""

    def __init__(self) -> None:
        self._ids: dict[str, str] = {}

    def __call__(self, value: Json) -> Json:
        if isinstance(value, dict):
            return {
                self._text(key): _REPLACED.get(key) or self(inner) for key, inner in value.items()
            }
        if isinstance(value, list):
            return [self(inner) for inner in value]
        return self._text(value) if isinstance(value, str) else value

    def _text(self, text: str) -> str:
        text = _ID.sub(self._numbered, _UNNAMED.get(text, text))
        return _SPENT.sub("<spent>", _TIME.sub(_now, text))

    def _numbered(self, found: re.Match[str]) -> str:
        return self._ids.setdefault(found[0], f"<id {len(self._ids) + 1}>")


def _now(found: re.Match[str]) -> str:
    """Moments that were told stay; those at which something was done just now do not."""
    moment = datetime.fromisoformat(found[0])
    return "<now>" if abs(datetime.now(UTC) - moment) < timedelta(hours=1) else found[0]


def differences(expected: Json, got: Json, way: str = "") -> Iterator[str]:
    """Where two answers differ, key by key."""
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in expected | got:
            here = f"{way}.{key}" if way else str(key)
            if key not in got:
                yield f"{here}: missing, expected {expected[key]!r}"
            elif key not in expected:
                yield f"{here}: not expected, got {got[key]!r}"
            else:
                yield from differences(expected[key], got[key], here)
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        for number, (one, other) in enumerate(zip(expected, got, strict=True)):
            yield from differences(one, other, f"{way}.{number}")
    elif not _same(expected, got):
        yield f"{way}: expected {expected!r}, got {got!r}"


def _same(expected: Any, got: Any) -> bool:
    if type(expected) is float and type(got) is float:
        return abs(expected - got) <= _TOLERANCE
    return type(expected) is type(got) and bool(expected == got)
