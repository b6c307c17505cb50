"""Files of frequent questions: CSV (also with Chinese column names), JSON, JSON lines.

In a cell of CSV, `##` stands between several questions or answers; a line break stands between
questions too. UTF-8, with a mark at its beginning or without, UTF-16 with one, and GB18030 (as
spreadsheets in China write it) are read.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bethink.checks import shown
from bethink.errors import InvalidInput
from bethink.knowledge.faq_entry import FIELDS
from bethink.text.csv_records import Record, csv_records, guarded, unguarded
from bethink.text.fold import fold

FORMATS = ("csv", "json", "jsonl")
SEPARATOR = "##"
MAX_BYTES = 200_000_000
_MOST_NAMED = 20  # fields that are not read

# What columns may be called, without case, blanks, and what stands in brackets behind.
_COLUMNS = {
    "question": "question standardquestion q 标准问题 标准问 问题 问",
    "similar": "similar similarquestions alternatives 相似问题 相似问 相似问法 扩展问",
    "negative": "negative negativequestions exclude 反例问题 反例 排除问题 排除问",
    "answers": "answers answer a 答案 回答 答 机器人回答",
    "tags": "tags tag category 标签 分类",
    "id": "id 编号",
    "enabled": "enabled 启用 是否启用",
    "disabled": "disabled 停用 是否停用 禁用",
}
_NAMES = {name: field for field, names in _COLUMNS.items() for name in names.split()}
_YES = frozenset("1 true yes y on 是 启用 真".split())
_NO = frozenset("0 false no n off 否 停用 禁用 假".split())
_WRITTEN = ("id", "question", "similar", "negative", "answers", "tags", "enabled")


class Row(NamedTuple):
    """A row as it was read: its place, and its fields or why it cannot be read."""

    place: int  # the line of a CSV or JSONL file, or the number in a list, from 1
    told: Mapping[str, Any] | None
    why: str = ""


class Read(NamedTuple):
    rows: Iterator[Row]
    notes: list[str]


def read_file(
    path: str | os.PathLike[str], *, format_name: str = "auto", separator: str = SEPARATOR
) -> Read:
    file = Path(path).expanduser()
    return read_bytes(_bytes(file), str(path), format_name=format_name, separator=separator)


def read_bytes(
    data: bytes, name: str, *, format_name: str = "auto", separator: str = SEPARATOR
) -> Read:
    """What was sent, under the name that it is called by in errors; the name's ending counts."""
    text = _decoded(data, name)
    form = _format(name, text) if format_name == "auto" else format_name
    if form not in FORMATS:
        raise InvalidInput(f"format: expected {', '.join(FORMATS)} or auto, got {shown(form)}")
    if not separator or separator.isspace():
        raise InvalidInput("the separator is empty; use something that no question holds, as ##")
    if form == "csv":
        return _csv(text, separator, name)
    notes: list[str] = []
    unread = Unread(notes)
    return Read(_json(text, name, unread) if form == "json" else _jsonl(text, unread), notes)


def written(records: Iterable[Mapping[str, Any]], form: str, *, separator: str = SEPARATOR) -> str:
    """Entries in one of the forms; read again, they are the same."""
    if form == "json":
        return json.dumps(list(records), ensure_ascii=False, indent=1) + "\n"
    if form == "jsonl":
        return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records)
    if form != "csv":
        raise InvalidInput(f"format: expected {', '.join(FORMATS)}, got {shown(form)}")
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(_WRITTEN)
    for record in records:
        writer.writerow([guarded(_cell(record[name], separator)) for name in _WRITTEN])
    return out.getvalue()


def _cell(value: object, separator: str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, list):
        return str(value)
    held = next((one for one in value if separator in one), None)
    if held is not None:
        raise InvalidInput(
            f"{shown(held)} holds the separator {separator!r}; name another, or write JSON"
        )
    return separator.join(value)


def _bytes(file: Path) -> bytes:
    try:
        if file.is_dir():
            raise InvalidInput(f"{file} is a folder; name a file")
        if file.stat().st_size > MAX_BYTES:
            raise InvalidInput(f"{file} is larger than {MAX_BYTES:,} bytes; cut it into parts")
        return file.read_bytes()
    except FileNotFoundError:
        raise InvalidInput(f"there is no file {file}") from None
    except OSError as e:
        raise InvalidInput(f"{file} cannot be read: {e.strerror}") from None


def _decoded(data: bytes, name: str) -> str:
    marked = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    for encoding in ("utf-16",) if marked else ("utf-8-sig", "gb18030"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise InvalidInput(f"{name} is neither UTF-8 nor GB18030 text; save it as UTF-8 and try again")


def _format(name: str, text: str) -> str:
    by_name = {".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl"}
    ending = Path(name).suffix.lower()
    if ending in by_name:
        return by_name[ending]
    start = text.lstrip()[:1]
    if start == "[":
        return "json"
    return "jsonl" if start == "{" else "csv"


def _csv(text: str, separator: str, name: str) -> Read:
    lines = list(io.StringIO(text, newline=""))
    for delimiter in ",\t;":
        reader = csv.reader(lines, delimiter=delimiter)
        try:
            header = next(reader, [])
        except csv.Error:
            continue
        fields = [_NAMES.get(_column(cell)) for cell in header]
        if "question" in fields and "answers" in fields:
            break
    else:
        raise InvalidInput(
            f"{name}: the first line must name the columns, with 'question' and 'answers' (or "
            "标准问题 and 答案) among them"
        )
    double = [field for field in set(fields) if field and fields.count(field) > 1]
    if double:
        raise InvalidInput(f"{name}: two columns are called {sorted(double)[0]!r}; keep one")
    unread = [cell for cell, field in zip(header, fields, strict=True) if not field and cell]
    notes = [f"columns that were not read: {', '.join(unread)}"] if unread else []
    records = csv_records(lines, reader.line_num, delimiter)
    return Read(_csv_rows(records, fields, separator), notes)


def _csv_rows(records: Iterable[Record], fields: list[str | None], separator: str) -> Iterator[Row]:
    for place, cells, fault in records:
        if fault:
            yield Row(place, None, fault)
            continue
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) > len(fields) and any(cell.strip() for cell in cells[len(fields) :]):
            yield Row(place, None, f"has {len(cells)} cells where the first line has {len(fields)}")
            continue
        told: dict[str, Any] = {}
        why = ""
        for field, cell in zip(fields, cells, strict=False):
            if field is not None and cell.strip():
                try:
                    _add(told, _parsed(field, unguarded(cell.strip()), separator))
                except InvalidInput as e:
                    why = str(e)
        yield Row(place, None, why) if why else Row(place, told)


def _add(told: dict[str, Any], more: Mapping[str, Any]) -> None:
    for field, value in more.items():
        if field in told and told[field] != value:
            raise InvalidInput(f"{field!r} is told twice, and differently; keep one")
        told[field] = value


def _parsed(field: str, cell: str, separator: str) -> dict[str, Any]:
    if field in ("question", "id"):
        return {field: cell}
    if field in ("enabled", "disabled"):
        said = fold(cell)
        if said not in _YES | _NO:
            raise InvalidInput(f"{field}: expected yes or no (是, 否), got {shown(cell)}")
        return {"enabled": (said in _YES) == (field == "enabled")}
    several = cell.split(separator)
    if field != "answers":  # an answer may have several lines
        several = [line for one in several for line in one.splitlines()]
    return {field: [one.strip() for one in several if one.strip()]}


def _column(cell: str) -> str:
    """`相似问题（选填，多个用##分隔）` is the column 相似问题."""
    return re.sub(r"[\s_*-]+|\(.*", "", fold(cell).strip("\ufeff"))


def _json(text: str, name: str, unread: Unread) -> Iterator[Row]:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as e:
        raise InvalidInput(f"{name} is not JSON: {e}") from None
    if isinstance(whole, dict):
        lists = [whole[key] for key in ("entries", "faqs", "faq", "data") if key in whole]
        whole = lists[0] if lists else [whole]
    if not isinstance(whole, list):
        raise InvalidInput(f"{name}: expected a list of entries")
    return (_object(place, one, unread) for place, one in enumerate(whole, start=1))


def _jsonl(text: str, unread: Unread) -> Iterator[Row]:
    for place, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield _object(place, json.loads(line), unread)
            except (ValueError, RecursionError) as e:
                yield Row(place, None, f"is not JSON: {e}")


class Unread:
    """The fields that no entry has, said once in a note however many rows have them."""

    def __init__(self, notes: list[str]) -> None:
        self._notes = notes
        self._names: dict[str, None] = {}

    def add(self, name: str) -> None:
        if name in self._names or len(self._names) >= _MOST_NAMED:
            return
        self._names[name] = None
        self._notes[:] = [f"fields that were not read: {', '.join(self._names)}"]


def _object(place: int, value: object, unread: Unread) -> Row:
    """Keys may be called as columns are."""
    if not isinstance(value, dict):
        return Row(place, None, f"expected an object with a 'question', got {shown(value)}")
    told: dict[str, Any] = {}
    try:
        for key, item in value.items():
            field = _NAMES.get(_column(str(key)), str(key))
            if field == "disabled" and isinstance(item, bool):
                _add(told, {"enabled": not item})
            elif field in ("enabled", "disabled") and isinstance(item, str):
                _add(told, _parsed(field, item, SEPARATOR))
            elif field == "disabled" and item is not None:
                raise InvalidInput(f"{key}: expected true or false, got {shown(item)}")
            elif field in FIELDS:
                _add(told, {field: item})
            elif field != "disabled":
                unread.add(shown(str(key)))
    except InvalidInput as e:
        return Row(place, None, str(e))
    return Row(place, told)
