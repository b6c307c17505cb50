"""Every field of a memory without its secrets, and a mark that says so.

`provenance["redacted"]` names the kinds, for whoever looks at the memory later. It follows from the
marks that stand in the fields: a text that was redacted elsewhere (in a notebook's file, in what
was exported) is marked too, and where a revision took the last mark away, so does this.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bethink.text.redaction import has_trace, kinds_marked, redact, redaction_note
from bethink.vocabulary import Memory

MARK = "redacted"
_TEXTS = {"text": 0, "kind": 128, "section": 512, "source": 2_048}  # and the longest that fits
_LABELS = {"tags": 128, "entities": 128}
_OBJECTS = ("metadata", "provenance")
_FIELDS = dict.fromkeys((*_TEXTS, *_LABELS, *_OBJECTS))
_LEAST_NUMBER = 10**13  # below this, a number is nobody's card


def redacted_fields(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields as they may be kept: these themselves where there is nothing to redact. What is
    not text stays as it is, for others to check."""
    told: list[str] = []
    for name, value in fields.items():
        if name not in _FIELDS:
            continue
        if isinstance(value, str):
            told.append(value)
        elif value:
            told += _texts(value)
    if not has_trace("\n".join(told)) and not _is_marked(fields.get("provenance")):
        return fields
    done = dict(fields)
    for name, longest in _TEXTS.items():
        if isinstance(done.get(name), str):
            done[name] = _clipped(redact(done[name]).text, longest)
    for name, longest in _LABELS.items():
        if isinstance(done.get(name), list | tuple):
            labels = (_label(item, longest) for item in done[name])
            done[name] = type(done[name])(labels)
    for name in _OBJECTS:
        if isinstance(done.get(name), Mapping):
            done[name] = _cleaned(done[name])
    return _marked(done)


def _is_marked(provenance: Any) -> bool:
    return bool(provenance) and isinstance(provenance, Mapping) and MARK in provenance


def redacted_of(memory: Memory) -> str:
    """What a receipt says of a memory: "redacted: 1 github token"; nothing if nothing was."""
    if MARK not in memory.provenance:
        return ""
    return redaction_note(_kinds({name: getattr(memory, name) for name in _FIELDS}))


def _marked(fields: dict[str, Any]) -> dict[str, Any]:
    kinds = list(dict.fromkeys(_kinds(fields)))
    provenance = fields.get("provenance") or {}
    if not isinstance(provenance, Mapping):
        return fields  # whoever checks it will say so
    others = {key: value for key, value in provenance.items() if key != MARK}
    if not kinds and MARK not in provenance:
        return fields
    return {**fields, "provenance": {**others, MARK: kinds} if kinds else others}


def _kinds(fields: Mapping[str, Any]) -> Iterator[str]:
    for name in _FIELDS:
        value = fields.get(name)
        if name == "provenance" and isinstance(value, Mapping):
            value = {key: item for key, item in value.items() if key != MARK}
        for text in _texts(value):
            yield from kinds_marked(text)


def _texts(value: Any) -> Iterator[str]:
    """Every text within, each key with what it says."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            if isinstance(item, str):  # most of them are
                yield item
            else:
                yield from _texts(item)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if isinstance(item, (str, int)):
                yield f"{key}: {item}"
            else:
                yield str(key)
                yield from _texts(item)
    elif isinstance(value, int) and abs(value) >= _LEAST_NUMBER:
        yield str(value)


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value).text
    if isinstance(value, Mapping):
        return {
            redact(key).text if isinstance(key, str) else key: _said_of(key, item)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_cleaned(item) for item in value]
    if isinstance(value, int) and abs(value) >= _LEAST_NUMBER:
        done = redact(str(value))
        return done.text if done.kinds else value
    return value


def _said_of(key: Any, item: Any) -> Any:
    """{"password": "…"}: the key is the label."""
    if isinstance(key, str) and isinstance(item, str):
        done, lead = redact(f"{key}: {item}"), f"{key}: "
        if done.kinds and done.text.startswith(lead):
            return done.text.removeprefix(lead)
    return _cleaned(item)


def _label(item: Any, longest: int) -> Any:
    return _clipped(redact(item).text, longest) if isinstance(item, str) else item


def _clipped(text: str, longest: int) -> str:
    """A mark may be longer than what it stands for."""
    return text[:longest] if longest else text
