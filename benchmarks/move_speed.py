"""How fast is a store taken from a file to PostgreSQL and back, compared included?

python -m benchmarks.move_speed --rows 20k
"""

from __future__ import annotations

import time
from typing import Any

from benchmarks.corpus import Corpus
from benchmarks.measure import arguments, filled, save, say, sizes, table, workplace
from tests.servers.postgres_server import PostgresServer

from bethink.relocate.move import move, verify
from bethink.stores.postgres.store import PostgresStore
from bethink.stores.protocol import Store
from bethink.stores.sqlite.store import SQLiteStore

_SETTINGS = {"shared_buffers": "512MB", "maintenance_work_mem": "512MB", "max_wal_size": "4GB"}


def measured(rows: int, seed: int) -> dict[str, float]:
    figures: dict[str, float] = {}

    def moved(name: str, source: Store, target: Store) -> None:
        say(name)
        began = time.perf_counter()
        done = move(source, target)
        figures[name] = round(rows / (time.perf_counter() - began))
        assert done.proof.holds and done.proof.same_order and done.carried == rows

    with workplace() as folder, PostgresServer.started(**_SETTINGS) as server:
        first = SQLiteStore(filled(folder / "first.db", Corpus(seed), rows), read_only=True)
        server_store = PostgresStore(server.new_database())
        last = SQLiteStore(folder / "last.db")
        moved("file to server", first, server_store)
        moved("server to file", server_store, last)
        say("compare")
        began = time.perf_counter()
        assert verify(first, last).holds
        figures["compared, file and file"] = round(rows / (time.perf_counter() - began))
        for store in (first, server_store, last):
            store.close()
    return figures


def main() -> None:
    options = arguments(__doc__, rows="20k").parse_args()
    results: dict[str, Any] = {}
    for rows in sizes(options.rows):
        results[str(rows)] = figures = measured(rows, options.seed)
        print(f"\n{rows:,} passages\n")
        print(table(["what", "memories a second"], [[n, f"{v:,.0f}"] for n, v in figures.items()]))
    save(options.out, "move_speed", results)


if __name__ == "__main__":
    main()
