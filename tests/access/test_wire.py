"""Messages over a socket: whole, in order, however long; and whoever waits can give up."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.access.wire import Wire
from bethink.testing import working

LONG = "长 long ".encode() * 200_000  # more than any buffer


class GivenUp(Exception):
    pass


def give_up() -> None:
    raise GivenUp


@pytest.fixture
def ends() -> Iterator[tuple[Wire, Wire]]:
    one, other = map(Wire, socket.socketpair())
    yield one, other
    one.close()
    other.close()


@given(messages=st.lists(st.binary(max_size=300), max_size=20))
def test_messages_come_whole_and_in_order(messages: list[bytes]) -> None:
    one, other = map(Wire, socket.socketpair())
    for message in messages:
        one.send(message)
    assert [other.receive() for _ in messages] == messages
    one.close()
    with pytest.raises(EOFError):
        other.receive()
    other.close()


def test_long_ones_go_in_pieces(ends: tuple[Wire, Wire]) -> None:
    one, other = ends
    messages = [LONG, b"", b"short", LONG]

    def send(_: int) -> None:
        for message in messages:
            one.send(message)

    with working(send, [1]):
        assert [other.receive(after=30, look=give_up) for _ in messages] == messages


def test_who_waits_can_give_up(ends: tuple[Wire, Wire]) -> None:
    one, other = ends
    with pytest.raises(GivenUp):
        one.receive(after=0.01, look=give_up)
    with pytest.raises(GivenUp):
        one.send(LONG, after=0.01, look=give_up)
    with pytest.raises(GivenUp):  # the beginning came, and no more
        other.receive(after=0.01, look=give_up)


def test_looking_is_not_giving_up(ends: tuple[Wire, Wire]) -> None:
    one, other = ends
    looks: list[str] = []

    def look() -> None:
        looks.append("看")
        if len(looks) == 3:
            other.send("终于 at last".encode())

    assert one.receive(after=0.01, look=look).decode() == "终于 at last"
    assert len(looks) == 3


def test_what_was_sent_before_the_end_is_received(ends: tuple[Wire, Wire]) -> None:
    one, other = ends
    one.send(b"last")
    one.send_no_more()
    assert other.receive() == b"last"
    with pytest.raises(EOFError):
        other.receive()
    other.send(b"answer")
    assert one.receive() == b"answer"
    one.close()
    with pytest.raises(OSError, match="descriptor"):
        one.receive()
