"""Processes beside the server that end, hang, cannot be started or cannot say something: whoever
asks hears of it, and nobody waits for ever."""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bethink import Engine
from bethink.access import answerer, answerers
from bethink.access.answerer import Unforeseen
from bethink.access.answerers import Answerers
from bethink.access.answering import Setup
from bethink.access.reception import Reception
from bethink.errors import InvalidInput, SettingsError, StoreError, StoreUnavailable
from bethink.settings import Settings
from bethink.testing import run_at_once, working
from tests.access.coming_in import AtDesk, caller, desk
from tests.access.test_answerers import MEI, QUESTIONS, is_there, processes
from tests.doors.http.served import until
from tests.embedders_of_tests import Letters


class Panic(BaseException):
    """What a library in Rust raises; it is no Exception."""


class Panicking(Letters):
    def embed(self, texts: Any, *, kind: Any) -> Any:
        if kind == "query" and any("恐慌 panic" in text for text in texts):
            raise Panic("恐慌")
        return super().embed(texts, kind=kind)


class NotSent(Letters):
    def __init__(self) -> None:
        self._lock = threading.Lock()


class NotMadeThere(Letters):
    def __reduce__(self) -> Any:
        return (int, ("不是数",))


@pytest.fixture
def reception(tmp_path: Path) -> Iterator[Reception]:
    with Reception(Settings(store=str(tmp_path / "m.db"), embedder="hashing")) as reception:
        reception.answer_beside(2)
        yield reception


def test_what_cannot_be_sent_is_said_too(reception: Reception) -> None:
    assert reception.answerers is not None
    for _ in range(40):  # more than there are sockets: none of them is lost
        with pytest.raises(Unforeseen, match="pickle"):
            reception.answerers.ask(caller(reception), "export", (), {})


def test_what_is_no_exception_is_said_too(tmp_path: Path) -> None:
    with Reception(Settings(store=str(tmp_path / "m.db")), embedder=Panicking()) as reception:
        reception.answer_beside(1)
        one = desk(reception)
        one.remember({"text": MEI})
        before = processes(reception)
        with pytest.raises(Unforeseen, match="恐慌"):
            one.recall("恐慌 panic")
        assert one.recall("小美喜欢什么主题？")["hits"]
        assert processes(reception) == before


def test_a_question_that_is_nested_deeply(reception: Reception) -> None:
    where: dict[str, Any] = {"tags": "深"}
    for _ in range(5_000):
        where = {"not": where}
    with pytest.raises(InvalidInput, match="nested"):
        desk(reception).recall("深 deep", where=where)


def test_those_that_ended_while_nobody_asked(reception: Reception) -> None:
    """The question did not end them, so it is not refused."""
    one = desk(reception)
    told = one.remember({"text": MEI})
    for number in processes(reception):
        os.kill(number, signal.SIGKILL)
        os.waitid(os.P_PID, number, os.WEXITED | os.WNOWAIT)
    assert one.recall("小美喜欢什么主题？")["hits"][0]["id"] == told["id"]


def known_to_all(reception: Reception, monkeypatch: pytest.MonkeyPatch) -> tuple[AtDesk, str]:
    """Who asks, and the id of what is found. From now on it is soon seen that one hangs."""
    monkeypatch.setattr(answerer, "_LOOK_AFTER", 0.1)
    one = desk(reception)
    told: str = one.remember({"text": MEI})["id"]
    assert one.recall("小美喜欢什么主题？")["hits"]
    monkeypatch.setattr(answerer, "_SILENCE", 4.0)  # on a busy machine the other one is slow
    return one, told


def test_one_that_hangs_is_killed_and_replaced(
    reception: Reception, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, told = known_to_all(reception, monkeypatch)
    before = processes(reception)
    os.kill(before[0], signal.SIGSTOP)
    answers = run_at_once(lambda number: one.recall(QUESTIONS[number % 3])["hits"], range(12))
    assert {hits[0]["id"] for hits in answers} == {told}
    until(lambda: reception.answerers is not None and reception.answerers.alive == 2)
    assert before[0] not in processes(reception)
    assert not is_there(before[0])


def test_a_long_question_to_one_that_hangs(
    reception: Reception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does not fit into the socket, and nobody reads it there."""
    one, told = known_to_all(reception, monkeypatch)
    hung = processes(reception)
    for number in hung:
        os.kill(number, signal.SIGSTOP)
    long = "小美喜欢什么主题？ which theme does Mei like? " * 20_000
    with pytest.raises(StoreUnavailable, match="ended"):
        one.recall(long)
    until(lambda: not any(map(is_there, hung)))
    until(lambda: reception.answerers is not None and reception.answerers.alive == 2)
    assert one.recall(long)["hits"][0]["id"] == told


def test_one_that_waits_for_a_lock_does_not_hang(
    reception: Reception, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What it noted of questions is to be written, and somebody else writes for long."""
    one = desk(reception)
    one.remember({"text": MEI, "space": "甲"})
    monkeypatch.setattr(answerer, "_LOOK_AFTER", 0.1)
    monkeypatch.setattr(answerer, "_SILENCE", 5.0)
    before = processes(reception)
    for question in QUESTIONS * 2:
        one.recall(question, spaces="甲")
    with (tmp_path / "m.db.lock").open("rb+") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        with working(lambda space: one.forget_space(space), ["甲"]) as forgetting:
            time.sleep(6)  # longer than silence is borne
            assert processes(reception) == before
            fcntl.lockf(lock, fcntl.LOCK_UN)
    assert forgetting.answers() == [{"space": "甲", "forgotten": 1}]
    assert processes(reception) == before


def test_what_fails_in_them_is_told(tmp_path: Path) -> None:
    """Events of questions are written by them, and nobody else knows that they cannot be."""
    Engine(tmp_path / "m.db", settings=Settings(embedder="hashing")).close()
    for file in tmp_path.glob("m.db.events*"):
        file.unlink()
    (tmp_path / "m.db.events").mkdir()
    with Reception(Settings(store=str(tmp_path / "m.db"), embedder="hashing")) as reception:
        reception.answer_beside(2)
        one = desk(reception)
        assert one.status()["notes"] == []
        one.remember({"text": MEI})
        one.recall("小美喜欢什么主题？")
        until(lambda: any("events cannot be kept" in note for note in one.status()["notes"]))
        (fault,) = (c for c in one.doctor() if c["part"] == "processes that answer")
        assert not fault["ok"]
        assert "events cannot be kept" in fault["finding"]
        assert str(tmp_path) not in fault["finding"]
        some = desk(reception, spaces=("global",))
        assert some.status()["notes"] == []  # it may concern spaces that it must not know of


def test_an_embedder_that_cannot_be_given_away(tmp_path: Path) -> None:
    settings = Settings(store=str(tmp_path / "m.db"))
    with (
        Reception(settings, embedder=NotSent()) as reception,
        pytest.raises(SettingsError, match="cannot be pickled"),
    ):
        reception.answer_beside(1)
    with (
        Reception(settings, embedder=NotMadeThere()) as reception,
        pytest.raises(StoreError, match=r"could not start: ValueError: .*不是数"),
    ):
        reception.answer_beside(2)


@contextmanager
def no_more_files() -> Iterator[None]:
    """For this process, as with `ulimit -n`."""
    former = resource.getrlimit(resource.RLIMIT_NOFILE)
    os.close(free := os.open(os.devnull, os.O_RDONLY))
    resource.setrlimit(resource.RLIMIT_NOFILE, (free + 6, former[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, former)


def test_no_room_for_another(
    reception: Reception,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    one = desk(reception)
    one.remember({"text": MEI})
    one.recall("小美喜欢什么主题？")
    with no_more_files(), pytest.raises(StoreError, match=r"ulimit -n.*start fewer"):
        Answerers(1, Setup(Settings(store=str(tmp_path / "n.db")), "hashing"))
    monkeypatch.setattr(answerers, "_PAUSES", (0.1,))
    with no_more_files():
        os.kill(processes(reception)[0], signal.SIGKILL)
        until(lambda: one.recall("小美", touch=False) and "ulimit -n" in caplog.text)
    until(lambda: reception.answerers is not None and reception.answerers.alive == 2)
    assert one.recall("小美喜欢什么主题？")["hits"]


def test_a_server_that_goes_while_one_starts_is_no_fault() -> None:
    ours, theirs = socket.socketpair()
    ours.close()
    with theirs:
        said = subprocess.run(
            [sys.executable, "-m", "bethink.access.answering_process", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            capture_output=True,
            check=True,
        )
    assert said.stderr == b""


def test_a_trace_that_could_not_be_written_is_not_written_after_an_erasure(tmp_path: Path) -> None:
    """The log refused it while the server erased what was asked."""
    with Engine(tmp_path / "m.db", settings=Settings(embedder="hashing")) as engine:
        engine.remember("小美")
    for file in tmp_path.glob("m.db.events*"):
        file.unlink()
    events = tmp_path / "m.db.events"
    events.mkdir()
    with Engine(tmp_path / "m.db", settings=Settings(embedder="hashing")) as engine:
        engine.recall("小美的秘密 secret")
        engine._settle(forget=True)
        events.rmdir()
        engine.events.flush()
        assert engine.events.since(0) == []
    assert not any("秘密".encode() in file.read_bytes() for file in tmp_path.glob("m.db.events*"))
