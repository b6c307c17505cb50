from __future__ import annotations

import pytest

from bethink.access.rates import Rates
from bethink.access.reception import Reception
from bethink.errors import TooManyRequests
from bethink.settings import Settings
from tests.access.coming_in import caller


class Timer:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_is_served_a_flood_is_not_and_it_says_when_to_come_back() -> None:
    timer = Timer()
    rates = Rates(per_minute=60, timer=timer)
    for _ in range(60):
        rates.take("k")
    with pytest.raises(TooManyRequests) as refused:
        rates.take("k")
    assert refused.value.seconds == pytest.approx(1.0)
    timer.now += 0.5
    with pytest.raises(TooManyRequests) as refused:
        rates.take("k")
    assert refused.value.seconds == pytest.approx(0.5)
    timer.now += 0.5
    rates.take("k")
    timer.now += 3600
    for _ in range(60):  # a minute's worth is the most that gathers
        rates.take("k")
    with pytest.raises(TooManyRequests):
        rates.take("k")


def test_each_key_has_its_own_share() -> None:
    rates = Rates(per_minute=600, timer=Timer())
    rates.take("slow", 1)
    with pytest.raises(TooManyRequests) as refused:
        rates.take("slow", 1)
    assert refused.value.seconds == pytest.approx(60)
    for _ in range(600):
        rates.take("usual")
    with pytest.raises(TooManyRequests):
        rates.take("usual")


def test_the_reception_asks_for_the_share_of_the_key(settings: Settings) -> None:
    with Reception(settings, open_to_all=True) as reception:
        who = caller(reception, "read", per_minute=2)
        reception.allow(who)
        reception.allow(who)
        with pytest.raises(TooManyRequests, match="try again"):
            reception.allow(who)
        reception.allow(caller(reception, "read"))
        local = reception.caller(None, door="rest")
        for _ in range(1_000):  # on this machine only: nobody to be protected from
            reception.allow(local)
