"""How much room does a store on PostgreSQL take, table by table, and how fast is it filled?

    python -m benchmarks.postgres_sizes --rows 100k

Starts a server of its own, remembers made-up passages with vectors of 384 numbers, builds what
maintenance builds, and asks PostgreSQL for the size of every table and index.
"""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import urlsplit

import psycopg
from benchmarks.corpus import Corpus, GivenVectors
from benchmarks.measure import arguments, save, say, sizes, table, told
from tests.servers.postgres_server import PostgresServer

from bethink import Engine
from bethink.settings import Settings
from bethink.stores.postgres.store import PostgresStore

_SETTINGS = {"shared_buffers": "512MB", "maintenance_work_mem": "512MB", "max_wal_size": "4GB"}
_ROOM = """
SELECT c.relname, pg_table_size(c.oid), pg_indexes_size(c.oid)
FROM pg_class c WHERE c.relnamespace = 'bethink'::regnamespace AND c.relkind = 'r'
AND pg_total_relation_size(c.oid) > 100000 ORDER BY pg_total_relation_size(c.oid) DESC
"""
_NEAR = """
SELECT coalesce(sum(pg_relation_size(c.oid)), 0) FROM pg_class c
WHERE c.relnamespace = 'bethink'::regnamespace AND c.relkind = 'i' AND c.relname LIKE '%near%'
"""


def measured(rows: int, seed: int) -> dict[str, Any]:
    with PostgresServer.started(**_SETTINGS) as server:
        address = server.new_database()
        store = PostgresStore(address)
        embedder = GivenVectors()
        texts = 0
        spent = 0.0
        with Engine(store, embedder=embedder, settings=Settings()) as engine:
            for block in Corpus(seed).blocks(rows):
                embedder.give(block.texts, block.vectors)
                texts += sum(len(text.encode()) for text in block.texts)
                many = list(told(block))
                began = time.perf_counter()
                for receipt in engine.remember_stream(iter(many)):
                    assert receipt.embedded, receipt
                spent += time.perf_counter() - began
                say(f"{block.start + len(block.texts):,}")
            began = time.perf_counter()
            store.maintain()
            indexed = time.perf_counter() - began
        with psycopg.connect(server.address(urlsplit(address).path[1:])) as raw:
            raw.autocommit = True
            raw.execute("VACUUM ANALYZE")
            found = raw.execute(_ROOM).fetchall()
            (near,) = raw.execute(_NEAR).fetchone() or (0,)
    return {
        "text_bytes": round(texts / rows, 1),
        "written_per_s": round(rows / spent),
        "indexed_s": round(indexed, 1),
        "near_index": round(int(near) / rows, 1),
        "bytes": {
            name: {"rows": round(own / rows, 1), "indexes": round(index / rows, 1)}
            for name, own, index in found
        },
    }


def main() -> None:
    options = arguments(__doc__, rows="100k").parse_args()
    results: dict[str, Any] = {}
    for rows in sizes(options.rows):
        results[str(rows)] = figures = measured(rows, options.seed)
        print(f"\n{rows:,} passages, {figures['text_bytes']} bytes of text each")
        print(f"written {figures['written_per_s']:,} a second, HNSW in {figures['indexed_s']} s")
        lines = [[name, one["rows"], one["indexes"]] for name, one in figures["bytes"].items()]
        both = [sum(one[key] for one in figures["bytes"].values()) for key in ("rows", "indexes")]
        lines.append(["together", *(round(value, 1) for value in both)])
        print(f"of which the index of vectors: {figures['near_index']} bytes a passage\n")
        print(table(["table", "bytes a passage", "its indexes"], lines))
    save(options.out, "postgres_sizes", results)


if __name__ == "__main__":
    main()
