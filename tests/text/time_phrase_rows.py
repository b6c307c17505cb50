"""A table of what phrases mean, seen from Thursday, 14 May 2026, 10:30 in Shanghai."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

SHANGHAI = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 5, 14, 10, 30, tzinfo=SHANGHAI)


class Row(NamedTuple):
    phrase: str
    start: datetime
    end: datetime


def rows(table: str) -> list[Row]:
    """`phrase | start | end`; an hour may follow the date."""
    split = [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]
    return [Row(phrase, _moment(start), _moment(end)) for phrase, start, end in split]


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=SHANGHAI)
