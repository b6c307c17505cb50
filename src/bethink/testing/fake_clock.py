"""A clock that stands still until it is told to move."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class FakeClock:
    """Give it to an `Engine` as its clock; then time is whatever the test says."""

    def __init__(self, now: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **amount: float) -> datetime:
        """Move on by days, hours, minutes or seconds, as `timedelta` names them."""
        self.now += timedelta(**amount)
        return self.now
