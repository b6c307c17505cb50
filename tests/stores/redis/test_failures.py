"""Redis away, slow, silent, cut off, restarted, full, read-only or locked: the store answers, the
reason is said, nobody waits twice, and answers are cached again when it returns."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
import trustme

from bethink.errors import SettingsError
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.redis.answers import RedisAnswers
from bethink.stores.redis.hot import HotOnRedis
from bethink.stores.redis.keys import Keys
from bethink.stores.redis.link import Bounds, Link, Unanswered
from bethink.testing import working
from tests.servers.redis_server import RedisServer
from tests.stores.redis.conftest import HASTY, PATIENT
from tests.stores.redis.proxy import Proxy

NEVER = Bounds(patience=0.3, connecting=5.0, first_pause=600, longest_pause=600)  # tried again
ANSWER = "答案 answer".encode()

Beside = Callable[[str, Bounds], HotOnRedis]


@pytest.fixture
def beside() -> Iterator[Beside]:
    opened: list[HotOnRedis] = []

    def beside(address: str, bounds: Bounds) -> HotOnRedis:
        opened.append(HotOnRedis(address, InMemoryStore(), bounds))
        return opened[-1]

    yield beside
    for hot in opened:
        hot.close()


def asked(hot: HotOnRedis, key: str = "问题") -> bytes | None:
    """What is cached for this question; cached now, if it was not."""
    looked = hot.answers.look(key)
    if looked.value is None:
        hot.answers.keep(key, ANSWER, seconds=60, looked=looked)
    return looked.value


def cached(hot: HotOnRedis, key: str = "问题") -> None:
    assert asked(hot, key) is None
    assert asked(hot, key) == ANSWER


def number(client: redis.Redis, section: str, name: str) -> int:
    found = client.info(section)
    assert isinstance(found, dict)
    return int(found[name])


def until_it_returns(hot: HotOnRedis) -> None:
    end = time.monotonic() + 60
    while hot.link.why:
        assert time.monotonic() < end, hot.link.why
        time.sleep(0.01)


def test_silent_it_is_asked_once_and_then_left_alone(proxy: Proxy, beside: Beside) -> None:
    hot = beside(proxy.address, NEVER)
    cached(hot)
    proxy.hangs = True
    assert asked(hot) is None
    assert hot.link.why == "it did not answer in time"
    sent = proxy.received
    for _ in range(5):
        assert asked(hot) is None
        hot.answers.forget()
    assert proxy.received == sent  # nobody waited for it again
    assert hot.shortcomings() == [
        "repeated questions are answered by the store: redis, it did not answer in time"
    ]
    assert "breaker open" in hot.line()
    assert not hot.check().ok


def test_slow_it_is_left_alone_until_it_is_fast(proxy: Proxy, beside: Beside) -> None:
    hot = beside(proxy.address, HASTY)
    cached(hot)
    proxy.delay = 2.0
    assert asked(hot) is None
    assert hot.link.last_refusal == "it did not answer in time"
    proxy.delay = 0.0
    proxy.drop()
    until_it_returns(hot)
    assert asked(hot) == ANSWER


def test_cut_in_the_middle_of_a_command(proxy: Proxy, beside: Beside) -> None:
    hot = beside(proxy.address, HASTY)
    cached(hot)
    proxy.cut_after_command = True
    assert asked(hot) is None
    assert hot.link.last_refusal.startswith("it cannot be reached")
    proxy.cut_after_command = False
    until_it_returns(hot)
    assert asked(hot) == ANSWER


def test_away_and_back_again(proxy: Proxy, beside: Beside) -> None:
    hot = beside(proxy.address, HASTY)
    cached(hot)
    proxy.cut()
    assert asked(hot) is None
    assert hot.link.last_refusal.startswith("it cannot be reached")
    proxy.listen()
    until_it_returns(hot)
    assert asked(hot) == ANSWER
    assert hot.shortcomings() == []
    assert hot.line().endswith(", breaker closed")


def test_what_was_forgotten_while_it_was_away_is_erased_when_it_returns(
    proxy: Proxy, server: RedisServer, beside: Beside
) -> None:
    hot = beside(proxy.address, HASTY)
    cached(hot)
    proxy.cut()
    assert asked(hot) is None
    hot.answers.forget()
    (owed,) = hot.owed()
    assert "may still hold an answer" in owed
    proxy.listen()
    until_it_returns(hot)
    assert hot.owed() == []
    assert hot.answers.look("问题").value is None


def test_killed_and_started_again_empty(own_server: RedisServer, beside: Beside) -> None:
    hot = beside(own_server.address, HASTY)
    cached(hot)
    own_server.kill()
    assert asked(hot) is None
    assert hot.link.last_refusal
    own_server.start()
    until_it_returns(hot)
    cached(hot)


def test_killed_while_many_ask(own_server: RedisServer, beside: Beside) -> None:
    hot = beside(own_server.address, HASTY)
    done = threading.Event()

    def ask(_: int) -> None:
        while not done.is_set():
            assert asked(hot) in (None, ANSWER)

    with working(ask, range(4), end=done):
        for _ in range(3):
            own_server.kill()
            own_server.start()
            until_it_returns(hot)
    asked(hot)
    assert asked(hot) == ANSWER


def test_a_key_of_another_type(server: RedisServer, beside: Beside) -> None:
    hot = beside(server.address, PATIENT)
    with server.client() as client:
        client.rpush(hot._keys.answers, "somebody else's")
    assert asked(hot) is None
    assert "holds something else there" in hot.link.last_refusal
    with server.client() as client:
        client.delete(hot._keys.answers, hot._keys.answer("问题"))
    until_it_returns(hot)
    cached(hot)


def test_out_of_memory(own_server: RedisServer, beside: Beside) -> None:
    hot = beside(own_server.address, PATIENT)
    with own_server.client() as client:
        client.config_set("maxmemory", "1")
        client.config_set("maxmemory-policy", "noeviction")
    assert asked(hot) is None
    assert "out of memory" in hot.link.last_refusal
    assert asked(hot) is None


def test_what_is_evicted_is_asked_of_the_store(own_server: RedisServer, beside: Beside) -> None:
    hot = beside(own_server.address, PATIENT)
    cached(hot)  # connections and the script take memory too
    with own_server.client() as client:
        used = number(client, "memory", "used_memory")
        client.config_set("maxmemory", str(used + 300_000))
        client.config_set("maxmemory-policy", "volatile-lru")
    for n in range(60):
        looked = hot.answers.look(f"问题 {n}")
        assert looked.value is None
        hot.answers.keep(f"问题 {n}", b"x" * 15_000, seconds=60, looked=looked)
    found = [hot.answers.look(f"问题 {n}").value for n in range(60)]
    assert None in found
    assert hot.shortcomings() == []
    with own_server.client() as client:
        assert number(client, "stats", "evicted_keys") > 0


def test_a_replica_that_may_only_be_read(beside: Beside) -> None:
    replica_of = f"127.0.0.1 {1}"  # nobody is there; it is a replica all the same
    with RedisServer.started(replicaof=replica_of, replica_serve_stale_data="yes") as replica:
        hot = beside(replica.address, PATIENT)
        assert asked(hot) is None
        assert "name the primary" in hot.link.last_refusal


def test_a_password(beside: Beside) -> None:
    with RedisServer.started(requirepass="开门 sesame") as locked:
        for given, said in (("", "it wants a password"), (":wrong@", "does not take this user")):
            hot = beside(f"unix://{given}{locked.socket}", HASTY)
            assert asked(hot) is None
            assert said in hot.link.last_refusal
            assert "wrong" not in hot.line()
        hot = beside(f"unix://:%E5%BC%80%E9%97%A8%20sesame@{locked.socket}", PATIENT)
        cached(hot)
        assert "sesame" not in hot.line()


def test_over_tls(server: RedisServer, beside: Beside, tmp_path: Path) -> None:
    authority = trustme.CA()
    here = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(here)
    known = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(known))
    with Proxy(server.socket, here) as proxy:
        cached(beside(f"{proxy.address}?ssl_ca_certs={known}", PATIENT))
        stranger = beside(proxy.address, HASTY)
        assert asked(stranger) is None
        assert "no secure connection" in stranger.link.last_refusal


def test_a_slow_reader_does_not_cache_what_was_forgotten_meanwhile(
    server: RedisServer, beside: Beside
) -> None:
    hot = beside(server.address, PATIENT)
    looked = hot.answers.look("问题")
    hot.answers.forget()
    hot.answers.keep("问题", ANSWER, seconds=60, looked=looked)
    assert hot.answers.look("问题").value is None


def test_stores_share_no_answers(server: RedisServer, beside: Beside) -> None:
    one, other = beside(server.address, PATIENT), beside(server.address, PATIENT)
    cached(one)
    assert other.answers.look("问题").value is None


@pytest.mark.parametrize("address", ["http://h", "redis//x", "", "memory"])
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(SettingsError, match="redis://"):
        Link(address)


def test_a_few_refusals_in_a_row_and_it_is_left_alone(server: RedisServer) -> None:
    link = Link(server.address, NEVER)
    for _ in range(3):
        assert not link.why
        with pytest.raises(Unanswered):
            link.ask(lambda client: client.eval("return redis.call('NO-SUCH')", 0))
    assert "Unknown" in link.why
    asked_anyway: list[int] = []
    with pytest.raises(Unanswered):
        link.ask(lambda client: asked_anyway.append(1))
    assert asked_anyway == []
    link.close()


def test_what_is_owed_meanwhile_is_not_taken_for_paid(server: RedisServer, tmp_path: Path) -> None:
    away = Link(f"unix://{tmp_path / 'nobody'}", NEVER)
    answers = RedisAnswers(away, Keys("欠"))

    class AnotherForgets(redis.Redis):
        """Right after what was owed until then is erased, and before it is noted as paid."""

        def eval(self, script: str, numkeys: int, *keys_and_args: Any) -> Any:
            done = super().eval(script, numkeys, *keys_and_args)
            answers.forget()
            return done

    answers.forget()
    owes = [answers.owes]
    for kind in (AnotherForgets, redis.Redis):
        with kind.from_url(server.address) as client:
            answers._pay(client)
        owes.append(answers.owes)
    assert owes == [True, True, False]
    away.close()
