"""What the operations page says of backups, done: dumped, restored, and the same."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import psycopg

from bethink.relocate.move import verify
from bethink.stores.postgres.database import tenant_number
from bethink.stores.postgres.store import PostgresStore
from tests.relocate.filling import answers, fill
from tests.servers.postgres_server import PostgresServer, programs

SCHEMAS = ("--schema=bethink", "--schema=bethink_server")


def run(
    program: str, *arguments: str, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [programs() / program, *arguments],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )


def name_of(address: str) -> str:
    return address.split("/")[3].split("?")[0]


def test_a_dump_restored_elsewhere_is_the_same(server: PostgresServer, tmp_path: Path) -> None:
    address, empty = server.new_database(), server.new_database()
    tenants = ("default", "研发部")
    for tenant in tenants:
        store = PostgresStore(address, tenant=tenant)
        fill(store)
        store.close()
    file = str(tmp_path / "dump")
    dumped = run("pg_dump", "--format=custom", f"--file={file}", *SCHEMAS,
                 server.address(name_of(address)))  # fmt: skip
    assert dumped.returncode == 0, dumped.stderr
    restored = run("pg_restore", "--exit-on-error", "--single-transaction",
                   f"--dbname={server.address(name_of(empty))}", file)  # fmt: skip
    assert restored.returncode == 0, restored.stderr
    for tenant in tenants:
        before, after = PostgresStore(address, tenant=tenant), PostgresStore(empty, tenant=tenant)
        proof = verify(before, after, events=True)
        assert proof.holds and proof.same_order and proof.memories == 62
        assert answers(after) == answers(before)
        assert [c for c in after.check() if not c.ok and "wait" not in c.finding] == []
        before.close()
        after.close()
    with psycopg.connect(empty) as raw:  # the walls were restored too
        assert raw.execute("SELECT count(*) FROM bethink.memories").fetchone() == (0,)


def test_who_stands_under_the_rules_cannot_dump_everything(
    server: PostgresServer, tmp_path: Path
) -> None:
    address = server.new_database()
    for tenant in ("acme", "研发部"):
        store = PostgresStore(address, tenant=tenant)
        store.write_note("whose", tenant)
        store.close()
    refused = run("pg_dump", "--schema=bethink", address)
    assert refused.returncode != 0
    assert "row-level security" in refused.stderr
    one = run(
        "pg_dump", "--schema=bethink", "--enable-row-security", address,
        environment={"PGOPTIONS": f"-c bethink.tenant={tenant_number('acme')}"},
    )  # fmt: skip
    assert one.returncode == 0, one.stderr
    assert "acme" in one.stdout
    assert "研发部" not in one.stdout
