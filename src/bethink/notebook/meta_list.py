"""What a note says of itself: in front matter, or in a plain list under a heading "Meta".

## Meta
- tags: network, 网络
- when to load: a connection is refused
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, tzinfo
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from bethink.notebook.front_matter import Scalar, Value
from bethink.vocabulary import Json

META_TITLES = frozenset({"meta", "metadata", "元数据", "元信息", "元資料"})
_MAX_LABELS = 64
_MAX_LABEL_CHARS = 128
_MAX_FIELDS = 64
_MAX_METADATA_CHARS = 20_000
_MAX_NUMBER = 2**53

_NAMES: dict[str, str] = {
    name: field
    for field, names in {
        "kind": "kind type 类型 類型 种类",
        "tags": "tags tag keywords 标签 標籤 关键词",
        "entities": "entities entity people 实体 人物",
        "occurred_at": "occurred_at date happened day 日期 时间 發生 发生",
        "valid_from": "valid_from since 自 起",
        "valid_to": "valid_to until 至 止",
        "title": "title name 标题 標題 名称",
        "when_to_load": "when_to_load load_when when use_when description 何时加载 加载时机",
        "was_in": "was_in 原在",
        "replaced_by": "replaced_by 取代为 替换为",
    }.items()
    for name in names.split()
}


class Meta(NamedTuple):
    """Fields by our own names; `others` are the author's own, simple values only."""

    kind: str = ""
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    occurred_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    others: Mapping[str, Json] = MappingProxyType({})

    def over(self, below: Meta) -> Meta:
        """These, and from below what these do not say."""
        if self is NO_META or below is NO_META:
            return below if self is NO_META else self
        return Meta(
            self.kind or below.kind,
            tuple(dict.fromkeys((*below.tags, *self.tags)))[:_MAX_LABELS],
            tuple(dict.fromkeys((*below.entities, *self.entities)))[:_MAX_LABELS],
            self.occurred_at or below.occurred_at,
            self.valid_from or below.valid_from,
            self.valid_to or below.valid_to,
            {**below.others, **self.others} if below.others else self.others,
        )


NO_META = Meta()


def read_meta(fields: Mapping[str, Value], zone: tzinfo) -> Meta:
    """Never fails: a field that cannot be what its name says is kept as the author's own."""
    known: dict[str, Any] = {}
    others: dict[str, Json] = {}
    room = _MAX_METADATA_CHARS
    for name, value in fields.items():
        field = field_of(name)
        read = _READERS[field](value, zone) if field in _READERS else None
        if read:
            known.setdefault(field, read)
            continue
        simple = _simple(value)
        size = len(repr(simple)) + len(repr(name))
        if simple in (None, "", []) or size > room or len(others) >= _MAX_FIELDS:
            continue
        room -= size
        others.setdefault(field if field in ("title", "when_to_load") else name.strip(), simple)
    return Meta(**known, others=others)


def field_of(name: str) -> str:
    """Our name for a field as people write it, or "" for one of their own."""
    words = name.lower().replace("_", " ").replace("-", " ").split()
    return _NAMES.get("_".join(words), "")


def meta_fields(lines: list[str]) -> tuple[dict[str, Value], int]:
    """The fields of the list under "Meta", and how many lines it takes.

    None at all unless one of them is a field of ours: a chapter about metadata is no metadata.
    """
    fields: dict[str, Value] = {}
    key, taken = "", 0
    for at, line in enumerate(lines):
        if not line.strip():
            continue
        told = item_field(line)
        if told is not None and not line[0].isspace():
            key = told[0]
            fields[key] = Scalar(told[1], True)
        elif key and line[0].isspace() and line.lstrip()[:2] in ("- ", "* ", "+ "):
            held = fields[key]
            items = held if isinstance(held, list) else []
            fields[key] = [*items, Scalar(line.lstrip()[2:].strip(), True)]
        else:
            break
        taken = at + 1
    return (fields, taken) if any(map(field_of, fields)) else ({}, 0)


def item_field(line: str) -> tuple[str, str] | None:
    """Key and value of `- key: value`, `* **key**: value`, `- 标签：网络`."""
    text = line.strip()
    if text[:2] not in ("- ", "* ", "+ "):
        return None
    text = text[2:].lstrip()
    at = min((found for found in (text.find(":"), text.find("：")) if found > 0), default=-1)
    if at < 0 or at > 64:
        return None
    key, value = text[:at], text[at + 1 :]
    return key.strip(" *_`"), value.lstrip("*_").strip()


def read_moment(text: str, zone: tzinfo) -> datetime | None:
    """A date or a date with a time; without a zone of its own it is in the user's."""
    text = text.strip()
    if not 8 <= len(text) <= 40 or not text[0].isdigit():
        return None
    text = text.replace("/", "-")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        found = _chinese_date().fullmatch(text)
        if found is None:
            return None
        try:
            moment = datetime.combine(date(*map(int, found.groups())), time())
        except ValueError:
            return None
    if not 1 < moment.year < 9999:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)


@cache
def _chinese_date() -> re.Pattern[str]:
    return re.compile(r"([0-9]{4})年([0-9]{1,2})月([0-9]{1,2})日")


def _text(value: Value, zone: tzinfo) -> str:
    text = " ".join(value.text.split()) if isinstance(value, Scalar) else ""
    return text if len(text) <= _MAX_LABEL_CHARS else ""


def _labels(value: Value, zone: tzinfo) -> tuple[str, ...]:
    if isinstance(value, Scalar):
        text = value.text.strip()
        if text.startswith("[") and text.endswith("]"):
            text = text[1:-1]
        if not re.search(r"[,，、;；]", text) and text.count("#") > 1:
            text = text.replace("#", ",")
        parts = re.split(r"[,，、;；]", text)
    elif isinstance(value, list):
        parts = [item.text for item in value if isinstance(item, Scalar)]
    else:
        return ()
    clean = (" ".join(part.split()).strip("\"'").lstrip("#").strip() for part in parts)
    labels = dict.fromkeys(label for label in clean if 0 < len(label) <= _MAX_LABEL_CHARS)
    return tuple(labels)[:_MAX_LABELS]


def _moment(value: Value, zone: tzinfo) -> datetime | None:
    return read_moment(value.text, zone) if isinstance(value, Scalar) else None


_READERS: dict[str, Any] = {
    "kind": _text,
    "tags": _labels,
    "entities": _labels,
    "occurred_at": _moment,
    "valid_from": _moment,
    "valid_to": _moment,
}


def _simple(value: Value) -> Json:
    """A single value or a list of such; what is nested deeper is the author's, not metadata."""
    if isinstance(value, list):
        return [_simple(item) for item in value if isinstance(item, Scalar)]
    if not isinstance(value, Scalar):
        return None
    text = value.text
    if not value.plain:
        return text
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text.lower() in ("", "null", "~"):
        return None
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) < 17 and str(int(digits)) == digits:
        return int(text) if abs(int(text)) <= _MAX_NUMBER else text
    return text
