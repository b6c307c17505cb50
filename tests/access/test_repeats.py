"""Writes that are sent again under the same Idempotency-Key."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bethink.access.reception import Reception
from bethink.access.repeats import derived_id
from bethink.clock import system_clock
from bethink.errors import Conflict, InvalidInput, NotFound, StoreError, StoreFull
from bethink.settings import Settings
from bethink.testing import FakeClock, working
from tests.access.coming_in import LONG, AtDesk, caller


class Counted:
    def __init__(self, do: Callable[[], Any] = lambda: {"id": "a", "notes": ["x"]}) -> None:
        self.times, self._do = 0, do

    def __call__(self) -> Any:
        self.times += 1
        return self._do()


def test_sent_again_it_is_answered_again_and_not_done_again(reception: Reception) -> None:
    who = caller(reception)
    do = Counted(lambda: AtDesk(reception, who).remember({"text": "预算会议改到周五"}))
    first, replayed = reception.idempotent(who, "key-1", "h", do)
    assert not replayed
    again, replayed = reception.idempotent(who, "key-1", "h", do)
    assert replayed
    assert again == first
    assert do.times == 1
    assert len(AtDesk(reception, who).list()["memories"]) == 1


def test_the_same_key_with_another_request_is_a_conflict(reception: Reception) -> None:
    who = caller(reception)
    reception.idempotent(who, "k", "one", Counted())
    do = Counted()
    with pytest.raises(Conflict, match="another request"):
        reception.idempotent(who, "k", "two", do)
    assert do.times == 0


def test_keys_of_others_are_others(reception: Reception) -> None:
    reception.create_tenant("acme")
    do = Counted()
    for who in (caller(reception), caller(reception), caller(reception, tenant="acme")):
        assert not reception.idempotent(who, "k", who.key_id, do).replayed
    assert do.times == 3


def test_they_are_kept_for_a_day(reception: Reception, clock: FakeClock) -> None:
    who, do = caller(reception), Counted()
    reception.idempotent(who, "k", "h", do)
    clock.advance(hours=23, minutes=59)
    assert reception.idempotent(who, "k", "h", do).replayed
    clock.advance(minutes=1)
    assert not reception.idempotent(who, "k", "h", do).replayed
    assert do.times == 2


@pytest.mark.parametrize("key", ["", "x" * 256, "a\nb", "\0", None, 7])
def test_what_is_no_key_is_refused(reception: Reception, key: Any) -> None:
    do = Counted()
    with pytest.raises(InvalidInput):
        reception.idempotent(caller(reception), key, "h", do)
    assert do.times == 0


def test_at_the_same_time_one_does_it_and_the_others_get_its_answer(
    settings: Settings,
) -> None:
    with Reception(settings) as one, Reception(settings) as other:
        who = caller(one)
        entered, go = threading.Event(), threading.Event()

        def slowly() -> Any:
            entered.set()
            assert go.wait(30)
            return {"id": "the one"}

        do = Counted(slowly)

        def send(reception: Reception) -> tuple[Any, bool]:
            return reception.idempotent(who, "k", "h", do)

        with working(send, [one], end=go) as first:
            assert entered.wait(30)
            with working(send, [one, other, other]) as others:
                go.set()
        answers = first.answers() + others.answers()
        assert do.times == 1
        assert [answer for answer, _ in answers] == [{"id": "the one"}] * 4
        assert sorted(replayed for _, replayed in answers) == [False, True, True, True]


def test_who_waits_too_long_is_told_to_come_back(reception: Reception) -> None:
    who = caller(reception)
    reception._repeats._patience = 0.05
    entered, go = threading.Event(), threading.Event()

    def slowly() -> Any:
        entered.set()
        assert go.wait(30)
        return {}

    with working(lambda key: reception.idempotent(who, key, "h", slowly), ["k"], end=go):
        assert entered.wait(30)
        with pytest.raises(Conflict, match="try again"):
            reception.idempotent(who, "k", "h", Counted())
    assert reception.idempotent(who, "k", "h", Counted()).replayed


@pytest.mark.parametrize("error", [InvalidInput("no"), NotFound("no"), StoreFull("full")])
def test_what_was_refused_may_be_tried_again(reception: Reception, error: Exception) -> None:
    who = caller(reception)

    def fail() -> Any:
        raise error

    for _ in range(2):
        with pytest.raises(type(error)):
            reception.idempotent(who, "k", "h", fail)
    assert not reception.idempotent(who, "k", "h", Counted()).replayed


@pytest.mark.parametrize("error", [StoreError("the disk failed"), RuntimeError("a bug")])
def test_where_nobody_knows_whether_it_was_done_it_is_not_done_again(
    reception: Reception, error: Exception
) -> None:
    who, do = caller(reception), Counted()

    def fail() -> Any:
        raise error

    with pytest.raises(type(error)):
        reception.idempotent(who, "k", "h", fail)
    with pytest.raises(Conflict, match="interrupted"):
        reception.idempotent(who, "k", "h", do)
    assert do.times == 0
    assert reception.idempotent(who, "k", "h", do, repeatable=True).replayed is False
    assert do.times == 1


_KILLED = """
import os, sys
from bethink.access.reception import Reception
from bethink.settings import Settings
reception = Reception(Settings(store=sys.argv[1], embedder="none"))
who = reception.caller(sys.argv[2], door="rest")
def do():
    with reception.desk(who) as desk:
        desk.offer({"id": sys.argv[3], "text": sys.argv[4]})
    os.kill(os.getpid(), 9)
reception.idempotent(who, "k", "h", do)
"""


def test_killed_between_the_deed_and_its_note_nothing_is_doubled(settings: Settings) -> None:
    clock = FakeClock()
    with Reception(settings, clock=clock) as reception:
        made = reception.create_key(name="ci", scopes=["admin"])
        who = reception.caller(made.key, door="rest")
        own = derived_id(who, "k")
        arguments = [settings.store, made.key, own, LONG]
        killed = subprocess.run([sys.executable, "-c", _KILLED, *arguments], timeout=120)
        assert killed.returncode == -9
        at = AtDesk(reception, who)
        reception._repeats._patience = 0.0
        do = Counted(lambda: at.offer({"id": own, "text": LONG}))
        clock.now = system_clock()  # as the killed one had it
        with pytest.raises(Conflict, match="under way"):  # it may be: nobody saw it die
            reception.idempotent(who, "k", "h", do)
        clock.advance(minutes=2)
        with pytest.raises(Conflict, match="interrupted"):
            reception.idempotent(who, "k", "h", do)
        assert do.times == 0
        answer, replayed = reception.idempotent(who, "k", "h", do, repeatable=True)
        assert not replayed
        assert answer["id"] == own
        assert len(at.quarantine()["offers"]) == 1
        assert len(at.working()["memories"]) == 1


def test_no_text_is_kept_beside_the_store_and_what_is_forgotten_is_gone(
    reception: Reception, tmp_path: Path
) -> None:
    who = caller(reception)
    at = AtDesk(reception, who)
    text = f"金丝雀 canary. {LONG}"
    do = Counted(lambda: {"offers": [at.offer({"text": text, "source": "canary.example"})]})
    first = reception.idempotent(who, "k", "h", do).record
    assert reception.idempotent(who, "k", "h", do) == (first, True)
    for file in tmp_path.glob("m.db.server*"):
        assert "金丝雀".encode() not in file.read_bytes()
        assert b"canary" not in file.read_bytes()
    offer_id = first["offers"][0]["id"]
    at.forget(offer_id)
    gone = reception.idempotent(who, "k", "h", do).record
    assert gone == {"offers": [{"id": offer_id, "forgotten": True}]}
    assert do.times == 1
