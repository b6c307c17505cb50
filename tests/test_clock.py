from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.clock import from_micros, parse_moment, system_clock, to_micros
from bethink.errors import InvalidInput


@pytest.fixture
def shanghai() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "Asia/Shanghai")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("shanghai")
@pytest.mark.parametrize(
    ("told", "moment"),
    [
        ("2026-05-01T14:30:00+08:00", datetime(2026, 5, 1, 6, 30, tzinfo=UTC)),
        ("2026-05-01T14:30:00Z", datetime(2026, 5, 1, 14, 30, tzinfo=UTC)),
        (date(2026, 5, 1), datetime(2026, 4, 30, 16, 0, tzinfo=UTC)),
        (" 2026-05-01 ", datetime(2026, 4, 30, 16, tzinfo=UTC)),
        ("2026-05-01 14:30", datetime(2026, 5, 1, 6, 30, tzinfo=UTC)),
        (datetime(2026, 5, 1, 8), datetime(2026, 5, 1, tzinfo=UTC)),
        (
            datetime(2026, 5, 1, tzinfo=timezone(timedelta(hours=-5))),
            datetime(2026, 5, 1, 5, tzinfo=UTC),
        ),
    ],
)
def test_moments(told: str | datetime, moment: datetime) -> None:
    parsed = parse_moment(told, name="occurred_at")
    assert parsed == moment
    assert parsed.tzinfo is UTC


@pytest.mark.parametrize(
    "told",
    ["", "soon", "昨天", "2026-13-01", "2026-05-01T25:00", None, 5, True, []],
)
def test_what_is_no_moment_is_refused_with_an_example(told: Any) -> None:
    with pytest.raises(InvalidInput, match=r"when: .*2026-05-01"):
        parse_moment(told, name="when")


@pytest.mark.parametrize("told", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_outside_the_calendar(told: str) -> None:
    with pytest.raises(InvalidInput, match="outside the years"):
        parse_moment(told, name="when")


@given(st.datetimes(timezones=st.just(UTC)))
def test_micros_lose_nothing(moment: datetime) -> None:
    assert from_micros(to_micros(moment)) == moment


def test_the_system_clock_is_aware() -> None:
    assert system_clock().tzinfo is UTC
