"""Moments as people name them: 2026-05-01, now, yesterday, 昨天, last Friday."""

from __future__ import annotations

from datetime import datetime, timedelta

from bethink.clock import end_of_day, parse_moment, system_clock
from bethink.doors.cli.session import Session
from bethink.errors import InvalidInput

_NOW = frozenset({"now", "现在", "此刻"})


def moment(text: str, name: str, session: Session, *, at_its_end: bool = False) -> datetime:
    """A date or time, or a phrase that names one: its beginning, or (as far as it has gone by) its
    end."""
    day = end_of_day(text, session.loaded.settings.zone, system_clock()) if at_its_end else None
    if day is not None:
        return day
    try:
        return parse_moment(text, name=name)
    except InvalidInput as e:
        told, now = text.strip(), system_clock()
        if told.casefold() in _NOW:
            return now
        from bethink.text.time_phrases import find_time_phrases

        for phrase in find_time_phrases(told, now=now, zone=session.loaded.settings.zone):
            if phrase.span == (0, len(told)):
                last = min(phrase.end - timedelta(microseconds=1), now)
                return max(phrase.start, last) if at_its_end else phrase.start
        raise InvalidInput(f"{e}, or as in a question: yesterday, 昨天, last Friday") from None
