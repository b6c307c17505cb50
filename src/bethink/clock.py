"""Time is given, never taken: whoever needs "now" asks the clock it was handed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from bethink.errors import InvalidInput

Clock = Callable[[], datetime]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def system_clock() -> datetime:
    """Now, in UTC."""
    return datetime.now(UTC)


def to_micros(moment: datetime) -> int:
    """Whole microseconds since 1970, the form in which stores keep a moment."""
    return (moment - EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    return EPOCH + timedelta(microseconds=micros)


def end_of_day(value: object, zone: tzinfo, now: datetime) -> datetime | None:
    """Return the last moment of a day in the zone, or None if the value names more than a day.

    The value is a `date`, or text like 2026-05-01. Of today, it is now: the rest has not happened.
    """
    day = value
    if isinstance(value, str):
        try:
            day = date.fromisoformat(value.strip())
        except ValueError:
            return None
    if not isinstance(day, date) or isinstance(day, datetime):
        return None
    try:
        start = datetime.combine(day, time.min, zone).astimezone(UTC)
        end = datetime.combine(day, time.max, zone).astimezone(UTC)
    except (OverflowError, ValueError):
        raise InvalidInput(f"{day} is outside the years that can be stored") from None
    return now if start <= now < end else end


def parse_moment(value: str | date, *, name: str) -> datetime:
    """An aware moment in UTC from a datetime, a date or ISO 8601 text.

    A value without a zone is taken in the local zone of this machine, as a person would mean it.
    """
    moment: object = value
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value.strip())
        except ValueError:
            raise InvalidInput(
                f"{name}: {value[:60]!r} is not a date or time; write it like 2026-05-01 "
                "or 2026-05-01T14:30:00+08:00"
            ) from None
    elif isinstance(value, date) and not isinstance(value, datetime):
        moment = datetime(value.year, value.month, value.day)
    if not isinstance(moment, datetime):
        raise InvalidInput(
            f"{name}: expected a date and time like 2026-05-01T14:30:00+08:00, "
            f"got {type(moment).__name__}"
        )
    try:
        return moment.astimezone(UTC)
    except (OverflowError, ValueError, OSError):
        raise InvalidInput(
            f"{name}: {moment} is outside the years that can be stored; give one from 1 to 9999"
        ) from None
