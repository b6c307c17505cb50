"""Several servers on one database: what one of them does holds for all of them, at once."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from bethink.access import server_tables
from bethink.access.audit import Broken
from bethink.access.reception import Reception
from bethink.access.server_tables import ServerTables
from bethink.errors import Conflict, NotFound, StoreBusy, StoreTooNew, Unauthorised
from bethink.settings import Settings
from bethink.stores.postgres.database import tenant_number
from bethink.testing import FakeClock, run_at_once, working
from tests.access.coming_in import AtDesk, caller, desk
from tests.servers.postgres_server import PostgresServer


@pytest.fixture
def other(settings: Settings, clock: FakeClock) -> Iterator[Reception]:
    """Another server process, as far as it matters: nothing is shared but the database."""
    with Reception(settings, clock=clock) as other:
        yield other


def test_a_key_made_by_one_is_known_to_all_and_so_is_its_end(
    reception: Reception, other: Reception
) -> None:
    assert not other.keys.any()
    made = reception.create_key(name="小美", scopes=["read"], spaces=["项目"])
    who = other.caller(made.key, door="rest")
    assert (who.name, who.spaces, who.key_id) == ("小美", ("项目",), made.record.id)
    assert other.keys.any() and other.still_in(who)
    reception.revoke_key(made.record.id)
    with pytest.raises(Unauthorised):
        other.caller(made.key, door="rest")
    assert not other.still_in(who)
    assert [record.id for record in other.keys.list("default")] == [made.record.id]


_REVOKE = """
import sys
from bethink.access.reception import Reception
from bethink.settings import Settings
with Reception(Settings(store=sys.argv[1], embedder="hashing")) as reception:
    reception.revoke_key(sys.argv[2])
"""


def test_another_process_revokes(reception: Reception, settings: Settings) -> None:
    made = reception.create_key(name="ci", scopes=["read"])
    reception.caller(made.key, door="rest")
    subprocess.run([sys.executable, "-c", _REVOKE, settings.store, made.record.id], check=True)
    with pytest.raises(Unauthorised):
        reception.caller(made.key, door="rest")


def test_a_write_sent_to_two_servers_is_done_once(reception: Reception, other: Reception) -> None:
    who = caller(reception)
    done: list[str] = []
    began, go = threading.Event(), threading.Event()

    def slowly() -> Any:
        began.set()
        assert go.wait(30)
        done.append("reception")
        return AtDesk(reception, who).remember({"text": "预算会议改到周五"})

    def again() -> Any:
        done.append("other")
        return {}

    def send(given: tuple[Reception, Callable[[], Any]]) -> object:
        at, write = given
        return at.idempotent(who, "k", "h", write).record

    with working(send, [(reception, slowly)], end=go) as first:
        assert began.wait(30)
        with working(send, [(other, again)]) as second:
            go.set()
    assert done == ["reception"]
    assert first.answers() == second.answers()
    assert len(AtDesk(other, who).list()["memories"]) == 1
    with pytest.raises(Conflict, match="another request"):
        other.idempotent(who, "k", "different", again)


def test_one_audit_trail_of_all_servers(
    reception: Reception, other: Reception, settings: Settings
) -> None:
    def work(given: tuple[Reception, str]) -> None:
        at, name = given
        for n in range(10):
            at.audit.note("remember", tenant=name, targets=[f"记 {n}"])

    run_at_once(work, [(reception, "a"), (other, "b"), (other, "c")])
    assert [row.number for row in other.audit.list()] == list(range(30, 0, -1))
    assert reception.audit.head() == other.audit.head()
    assert other.audit.verify(head=reception.audit.head()) is None
    assert len(other.audit.list(tenant="b")) == 10


def test_a_trail_that_was_changed_is_seen(
    reception: Reception, settings: Settings, server: PostgresServer
) -> None:
    for n in range(5):
        reception.audit.note("remember", targets=[str(n)])
    database = settings.store.split("/")[3].split("?")[0]
    with psycopg.connect(settings.store, autocommit=True) as raw:
        assert raw.execute("SELECT count(*) FROM bethink_server.audit").fetchone() == (0,)
        raw.execute(f"SET bethink.tenant = '{tenant_number(' server')}'")
        for sql in ("UPDATE {} SET door = 'x'", "DELETE FROM {}"):
            with pytest.raises(psycopg.errors.RaiseException, match="only grows"):
                raw.execute(sql.format("bethink_server.audit").encode())
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            raw.execute("TRUNCATE bethink_server.audit")
    forced = "ALTER TABLE bethink_server.audit DISABLE TRIGGER audit_is_not_changed"
    server.execute(forced, "DELETE FROM bethink_server.audit WHERE number = 5", database=database)
    assert reception.audit.verify() == Broken(5, "rows from 5 to 5 are missing at the end")
    server.execute(
        "UPDATE bethink_server.audit SET action = 'forget' WHERE number = 2", database=database
    )
    found = reception.audit.verify()
    assert found is not None and found.number == 2


def test_nobody_who_names_a_tenant_sees_keys(reception: Reception, settings: Settings) -> None:
    reception.create_key(name="ci", scopes=["read"])
    reception.create_tenant("acme")
    with psycopg.connect(settings.store, autocommit=True) as raw:
        for tenant in ("", "4711", str(tenant_number("acme")), str(tenant_number("default"))):
            raw.execute(f"SET bethink.tenant = '{tenant}'")
            for table in ("keys", "audit", "tenants", "meta", "idempotency"):
                row = raw.execute(f"SELECT count(*) FROM bethink_server.{table}".encode())
                assert row.fetchone() == (0,), (tenant, table)


def test_tables_of_the_first_version_are_brought_up_to_date(
    reception: Reception, settings: Settings
) -> None:
    """TRUNCATE asks no policy, so it is not allowed, where it was before neither."""
    made = reception.create_key(name="旧的 key", scopes=["read"])
    walled = [f"bethink_server.{name}" for name in server_tables._WALLED]
    with psycopg.connect(settings.store, autocommit=True) as raw:
        raw.execute(f"GRANT TRUNCATE ON {', '.join(walled)} TO CURRENT_USER".encode())
        raw.execute("UPDATE bethink_server.version SET number = 1")
        ServerTables(settings.store).close()
        for table in walled:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                raw.execute(f"TRUNCATE {table} CASCADE".encode())
    assert reception.caller(made.key, door="rest").name == "旧的 key"


def test_a_look_up_that_is_held_up_is_ended_by_the_server(
    reception: Reception, settings: Settings, server: PostgresServer
) -> None:
    """Whoever gives up first leaves it waiting there, beside those who come next."""
    made = reception.create_key(name="小美", scopes=["read"])
    database = str(psycopg.conninfo.conninfo_to_dict(settings.store)["dbname"])
    with psycopg.connect(server.address(database)) as holder:
        holder.execute("LOCK TABLE bethink_server.keys IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(StoreBusy, match="busy for too long"):
            reception.keys.record_of(made.key)
        assert holder.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").fetchone() == (0,)
    assert reception.caller(made.key, door="rest").name == "小美"
    tables = ServerTables(settings.store)
    with tables.read() as reader:  # a trail may be long
        assert reader is not None
        assert reader.execute("SHOW statement_timeout").fetchone() == ("30s",)
    tables.close()


def test_each_tenant_is_a_tenant_of_the_database(reception: Reception, other: Reception) -> None:
    for name in ("acme", "研发部"):
        reception.create_tenant(name)
        with pytest.raises(Conflict):
            other.create_tenant(name)
    assert other.tenants.list() == ["default", "acme", "研发部"]
    acme, ours = desk(reception, tenant="acme"), desk(other, tenant="研发部")
    acme.remember({"text": "Acme's budget is 7 million", "id": "budget"})
    ours.remember({"text": "研发部的预算是三百万", "id": "budget"})
    assert [h["text"] for h in ours.recall("budget 预算")["hits"]] == ["研发部的预算是三百万"]
    beside = desk(other, tenant="acme")
    assert [m["text"] for m in beside.list()["memories"]] == ["Acme's budget is 7 million"]
    assert desk(other).list()["memories"] == []


def test_a_removed_tenant_is_gone_with_every_row(
    reception: Reception, other: Reception, settings: Settings, server: PostgresServer
) -> None:
    for name in ("acme", "研发部"):
        reception.create_tenant(name)
    key = reception.create_key(name="ci", scopes=["admin"], tenant="acme")
    at = AtDesk(reception, reception.caller(key.key, door="rest"))
    at.remember({"text": "canary 金丝雀"})
    at.offer({"text": "有人说过的 canary that was only offered, long enough to be kept here 足够长",
              "confidence": 1.0})  # fmt: skip
    at.recall("canary")
    desk(reception, tenant="研发部").remember({"text": "stays 留下"})
    assert [one.id for one in other.remove_tenant("acme")] == [key.record.id]
    with pytest.raises(Unauthorised):
        reception.caller(key.key, door="rest")
    assert reception.tenants.list() == ["default", "研发部"]
    with pytest.raises(NotFound):
        reception.create_key(name="x", scopes=["read"], tenant="acme")
    database = settings.store.split("/")[3].split("?")[0]
    with psycopg.connect(server.address(database)) as above:  # whom no policy holds back
        tables = above.execute(
            "SELECT table_name FROM information_schema.columns WHERE table_schema = 'bethink' "
            "AND column_name = 'tenant'"
        ).fetchall()
        assert len(tables) > 10
        for (table,) in tables:
            row = above.execute(
                f"SELECT count(*) FROM bethink.{table} WHERE tenant = %s".encode(),
                (tenant_number("acme"),),
            )
            assert row.fetchone() == (0,), table
    assert [m["text"] for m in desk(other, tenant="研发部").list()["memories"]] == ["stays 留下"]
    other.create_tenant("acme")
    assert desk(other, tenant="acme").list()["memories"] == []
    with pytest.raises(Unauthorised):
        other.caller(key.key, door="rest")


def test_pages_go_on_at_another_server(reception: Reception, other: Reception) -> None:
    who = caller(reception)
    at, beside = AtDesk(reception, who), AtDesk(other, who)
    for n in range(5):
        at.remember({"text": f"第 {n} number"})
    page = at.list(limit=3)
    rest = beside.list(limit=3, cursor=page["cursor"])
    assert len(page["memories"]) == 3 and len(rest["memories"]) == 2


def test_tables_of_a_newer_version_are_refused(
    reception: Reception, settings: Settings, server: PostgresServer
) -> None:
    database = settings.store.split("/")[3].split("?")[0]
    server.execute("UPDATE bethink_server.version SET number = 99", database=database)
    with pytest.raises(StoreTooNew, match="schema 99"):
        ServerTables(settings.store)
