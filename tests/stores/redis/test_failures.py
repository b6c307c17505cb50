"""Redis away, slow, silent, cut off, restarted, full, read-only or locked: answers still come, the
reason is said, nobody waits twice, and the copy is made again."""

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
from bethink.stores.redis.answers import RedisAnswers
from bethink.stores.redis.keys import Keys
from bethink.stores.redis.link import Bounds, Link, Unanswered
from bethink.stores.tiers import RecentByTruth
from bethink.testing import working
from bethink.testing.entries import NOON, make_memory
from bethink.testing.redis_server import RedisServer
from bethink.testing.tier_contract.working import add
from tests.stores.redis.beside import SQLiteWithRedis
from tests.stores.redis.conftest import HASTY, PATIENT
from tests.stores.redis.proxy import Proxy

NEVER = Bounds(patience=0.3, connecting=5.0, first_pause=600, longest_pause=600)  # tried again


@pytest.fixture
def beside(new_path: Callable[[], Path]) -> Iterator[Callable[[str, Bounds], SQLiteWithRedis]]:
    opened: list[SQLiteWithRedis] = []

    def beside(address: str, bounds: Bounds) -> SQLiteWithRedis:
        opened.append(SQLiteWithRedis(new_path()).with_redis(address, bounds))
        return opened[-1]

    yield beside
    for store in opened:
        store.close()


Beside = Callable[[str, Bounds], SQLiteWithRedis]


def asked(store: SQLiteWithRedis) -> tuple[list[str], str]:
    """What is recent, and why the store answered, if it did."""
    found = store.tiers().working.recent(["global"], now=NOON, limit=9)
    return [m.id for m in found], found.why if isinstance(found, RecentByTruth) else ""


def number(client: redis.Redis, section: str, name: str) -> int:
    found = client.info(section)
    assert isinstance(found, dict)
    return int(found[name])


def until_it_returns(store: SQLiteWithRedis) -> None:
    assert store.hot is not None
    end = time.monotonic() + 60
    while store.hot.link.why:
        assert time.monotonic() < end, store.hot.link.why
        time.sleep(0.01)


def test_silent_it_is_asked_once_and_then_left_alone(proxy: Proxy, beside: Beside) -> None:
    store = beside(proxy.address, NEVER)
    add(store.tiers().working, "a", "乙")
    assert asked(store) == (["乙", "a"], "")
    proxy.hangs = True
    assert asked(store) == (["乙", "a"], "it did not answer in time")
    sent = proxy.received
    for _ in range(5):
        assert asked(store) == (["乙", "a"], "it did not answer in time")
        add(store.tiers().working, "c")
        store.tiers().working.remove(["c"])
    assert proxy.received == sent  # nobody waited for it again
    assert store.hot is not None
    assert store.hot.shortcomings() == [
        "hot memory is answered by the store: redis, it did not answer in time"
    ]
    assert "breaker open" in store.hot.line(["global"])
    assert not store.hot.check(["global"]).ok


def test_slow_it_is_left_alone_until_it_is_fast(proxy: Proxy, beside: Beside) -> None:
    store = beside(proxy.address, HASTY)
    add(store.tiers().working, "甲")
    proxy.delay = 2.0
    assert asked(store) == (["甲"], "it did not answer in time")
    add(store.tiers().working, "乙")  # the copy does not hear of it
    proxy.delay = 0.0
    proxy.drop()
    until_it_returns(store)
    assert asked(store) == (["乙", "甲"], "")


def test_cut_in_the_middle_of_a_command(proxy: Proxy, beside: Beside) -> None:
    store = beside(proxy.address, HASTY)
    add(store.tiers().working, "a")
    proxy.cut_after_command = True
    found, why = asked(store)
    assert found == ["a"]
    assert why.startswith("it cannot be reached")
    proxy.cut_after_command = False
    until_it_returns(store)
    assert asked(store) == (["a"], "")


def test_away_and_back_again(proxy: Proxy, beside: Beside) -> None:
    store = beside(proxy.address, HASTY)
    add(store.tiers().working, "a")
    proxy.cut()
    assert asked(store)[0] == ["a"]
    assert asked(store)[1].startswith("it cannot be reached")
    add(store.tiers().working, "乙")
    proxy.listen()
    until_it_returns(store)
    assert asked(store) == (["乙", "a"], "")
    assert store.hot is not None
    assert store.hot.shortcomings() == []
    assert store.hot.line(["global"]).endswith("1 spaces, breaker closed")


def test_what_was_forgotten_while_it_was_away_is_erased_when_it_returns(
    proxy: Proxy, server: RedisServer, beside: Beside
) -> None:
    store = beside(proxy.address, HASTY)
    add(store.tiers().working, "a")
    assert store.hot is not None
    assert store.hot.working.copied(["global"]) == 1
    proxy.cut()
    assert asked(store)[1]
    store.tiers().working.remove(["a"])
    (owed,) = store.hot.owed()
    assert "still holds a copy" in owed
    proxy.listen()
    until_it_returns(store)
    assert store.hot.owed() == []
    assert store.hot.working.copied(["global"]) == 0


def test_killed_and_started_again_empty(own_server: RedisServer, beside: Beside) -> None:
    store = beside(own_server.address, HASTY)
    add(store.tiers().working, "a")
    own_server.kill()
    assert asked(store)[0] == ["a"]
    assert asked(store)[1]
    own_server.start()
    until_it_returns(store)
    assert asked(store) == (["a"], "")
    assert store.hot is not None
    assert store.hot.working.copied(["global"]) == 1


def test_killed_while_many_ask(own_server: RedisServer, beside: Beside) -> None:
    store = beside(own_server.address, HASTY)
    add(store.tiers().working, "a", "乙")
    done = threading.Event()

    def ask(_: int) -> None:
        while not done.is_set():
            found, _why = asked(store)
            assert found == ["乙", "a"]

    with working(ask, range(4), end=done):
        for _ in range(3):
            own_server.kill()
            own_server.start()
            until_it_returns(store)


def test_a_key_of_another_type(server: RedisServer, beside: Beside) -> None:
    store = beside(server.address, PATIENT)
    add(store.tiers().working, "a")
    assert store.hot is not None
    key = store.hot.working._keys.hot("global")
    with server.client() as client:
        client.delete(key)
        client.set(key, "somebody else's")
    found, why = asked(store)
    assert found == ["a"]
    assert "holds something else there" in why
    with server.client() as client:
        client.delete(key)
    until_it_returns(store)
    assert asked(store) == (["a"], "")


def test_out_of_memory(own_server: RedisServer, beside: Beside) -> None:
    store = beside(own_server.address, PATIENT)
    with own_server.client() as client:
        client.config_set("maxmemory", "1")
        client.config_set("maxmemory-policy", "noeviction")
    add(store.tiers().working, "a")
    found, why = asked(store)
    assert found == ["a"]
    assert "out of memory" in why


def test_what_is_evicted_costs_a_look_only(own_server: RedisServer, beside: Beside) -> None:
    store = beside(own_server.address, PATIENT)
    with own_server.client() as client:
        used = number(client, "memory", "used_memory")
        client.config_set("maxmemory", str(used + 300_000))
        client.config_set("maxmemory-policy", "allkeys-lru")
    working = store.tiers().working
    for n in range(60):
        memory = make_memory("长" * 5_000, f"m{n}", space=f"项目 {n}")
        working.add([memory], now=NOON, keep=9, seconds=99)
    for n in range(60):
        found = working.recent([f"项目 {n}"], now=NOON, limit=9)
        assert [m.id for m in found] == [f"m{n}"]
        assert not isinstance(found, RecentByTruth)
    with own_server.client() as client:
        assert number(client, "stats", "evicted_keys") > 0


def test_a_replica_that_may_only_be_read(server: RedisServer, beside: Beside) -> None:
    replica_of = f"127.0.0.1 {1}"  # nobody is there; it is a replica all the same
    with RedisServer.started(replicaof=replica_of, replica_serve_stale_data="yes") as replica:
        store = beside(replica.address, PATIENT)
        add(store.tiers().working, "a")
        found, why = asked(store)
        assert found == ["a"]
        assert "name the primary" in why


def test_a_password(beside: Beside) -> None:
    with RedisServer.started(requirepass="开门 sesame") as locked:
        for given, said in (("", "it wants a password"), (":wrong@", "does not take this user")):
            store = beside(f"unix://{given}{locked.socket}", HASTY)
            add(store.tiers().working, "a")
            found, why = asked(store)
            assert found == ["a"]
            assert said in why
            assert store.hot is not None
            assert "wrong" not in store.hot.line(["global"])
        store = beside(f"unix://:%E5%BC%80%E9%97%A8%20sesame@{locked.socket}", PATIENT)
        add(store.tiers().working, "a")
        assert asked(store) == (["a"], "")
        assert store.hot is not None
        assert "sesame" not in store.hot.line(["global"])


def test_over_tls(server: RedisServer, beside: Beside, tmp_path: Path) -> None:
    authority = trustme.CA()
    here = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(here)
    known = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(known))
    with Proxy(server.socket, here) as proxy:
        trusted = beside(f"{proxy.address}?ssl_ca_certs={known}", PATIENT)
        add(trusted.tiers().working, "a")
        assert asked(trusted) == (["a"], "")
        stranger = beside(proxy.address, HASTY)
        add(stranger.tiers().working, "a")
        found, why = asked(stranger)
        assert found == ["a"]
        assert "no secure connection" in why


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
