"""How many questions a second does the server answer on PostgreSQL, against bare SQL?

    python -m benchmarks.postgres_http --rows 100k --clients 4

The server is the application of `bethink serve` in a process of its own, asked over HTTP with a
key by so many clients at once; its vectors are given, no model is measured. The bare one is what
people write: so many connections, each of which asks for the nearest by pgvector (HNSW over halves,
`ef_search` 200) and for the best by full text (a stored `tsvector` of the same terms, GIN,
`ts_rank_cd`), with the texts, and merges the two by rank. It asks for any of the words, as the
server does; and, beside that, for all of them, which takes next to nothing and finds next to
nothing. Bare SQL removes no doubles, keeps no budget, shows no reasons and counts nothing.

Between the two stands what our own store takes to find as much as the server does, without the
server: its two searches and the texts, merged by rank, as often as that is done at once.

With `--workers`, a second server that has so many processes beside it is asked, too, the second
time with the preset `ranks`, which merges by rank as the others do.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import ExitStack
from statistics import median
from typing import Any

import psycopg
from benchmarks.corpus import Corpus, GivenVectors, Question
from benchmarks.measure import arguments, save, say, sizes, table, verdict
from benchmarks.over_http import MOST, Client, rate, reception_at, server_on
from benchmarks.postgres_speed import filled, literal, started

from bethink.stores.postgres.store import DEFAULT_TENANT, PostgresStore
from bethink.text.tokenise import joined_terms, query_terms
from bethink.vocabulary import GLOBAL_SPACE

_HITS = 20
_EF = 200
_TURNS = 3


class Bare:
    """One connection of a script that knows nothing but SQL."""

    def __init__(self, address: str, joiner: str) -> None:
        self._connection = psycopg.connect(address, autocommit=True)
        self._connection.execute("SET search_path = benchmark, public")
        self._connection.execute(f"SET hnsw.ef_search = {_EF}".encode())
        self._joiner = joiner
        self.found = self.asked = 0

    def recall(self, question: Question) -> list[str]:
        near = self._connection.execute(
            "SELECT id, content FROM bare ORDER BY embedding::halfvec(384) <=> %s::halfvec(384) "
            f"LIMIT {_HITS}",
            (literal(question.vector),),
        ).fetchall()
        terms = self._joiner.join(f"'{term}'" for term in query_terms(question.text))
        worded = self._connection.execute(
            "SELECT id, content FROM bare WHERE words @@ %s::tsquery "
            f"ORDER BY ts_rank_cd(words, %s::tsquery) DESC LIMIT {_HITS}",
            (terms, terms),
        ).fetchall()
        self.asked += 1
        self.found += bool(worded)
        scores: dict[str, float] = {}
        for found in (near, worded):
            for rank, (_, content) in enumerate(found):
                scores[content] = scores.get(content, 0.0) + 1 / (60 + rank)
        return sorted(scores, key=lambda content: -scores[content])[:10]


class Searches:
    """The two searches of the store and nothing after them."""

    def __init__(self, address: str) -> None:
        self._store = PostgresStore(address)

    def recall(self, question: Question) -> list[str]:
        store = self._store
        near = store.search_meaning(
            question.vector,
            fingerprint=GivenVectors.fingerprint,
            spaces=[GLOBAL_SPACE],
            where=None,
            limit=_HITS,
        )
        terms = query_terms(question.text)
        worded = store.search_words(terms, spaces=[GLOBAL_SPACE], where=None, limit=_HITS)
        scores: dict[tuple[str, int], float] = {}
        for found in (near, worded):
            for rank, (memory_id, ordinal, _) in enumerate(found):
                key = (memory_id, ordinal)
                scores[key] = scores.get(key, 0.0) + 1 / (60 + rank)
        best = sorted(scores, key=lambda key: -scores[key])[:10]
        return [held[0].text for held in store.fetch(best) if held is not None]

    def close(self) -> None:
        self._store.close()


def _fill_bare(address: str, corpus: Corpus, rows: int) -> None:
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA IF NOT EXISTS benchmark")
        connection.execute("SET search_path = benchmark, public")
        connection.execute("DROP TABLE IF EXISTS bare")
        connection.execute(
            "CREATE TABLE bare (id bigint PRIMARY KEY, content text, terms text, "
            "embedding vector(384), "
            "words tsvector GENERATED ALWAYS AS (to_tsvector('simple', terms)) STORED)"
        )
        for block in corpus.blocks(rows):
            with connection.cursor().copy(
                "COPY bare (id, content, terms, embedding) FROM STDIN"
            ) as copy:
                for number, (text, vector) in enumerate(
                    zip(block.texts, block.vectors, strict=True), block.start
                ):
                    copy.write_row((number, text, joined_terms(text), literal(vector)))
        connection.execute("SET maintenance_work_mem = '512MB'")
        connection.execute(
            "CREATE INDEX ON bare USING hnsw ((embedding::halfvec(384)) halfvec_cosine_ops)"
        )
        connection.execute("CREATE INDEX ON bare USING gin (words)")
        connection.execute("VACUUM ANALYZE bare")


def measured(
    address: str, corpus: Corpus, rows: int, count: int, clients: int, workers: int
) -> dict[str, Any]:
    say("filling the bare table")
    _fill_bare(address, corpus, rows)
    say("filling the store")
    with filled(address, DEFAULT_TENANT, corpus, rows, 1) as store:
        store.maintain()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
    questions = corpus.questions(count, rows)
    with reception_at(address, questions) as reception:
        key = reception.create_key(name="benchmark", scopes=["read"], per_minute=MOST).key
    some = {"any": [Bare(address, " | ") for _ in range(clients)],
            "all": [Bare(address, " & ") for _ in range(clients)]}  # fmt: skip
    asked: dict[str, dict[str, str]] = {"http": {}}
    if workers:
        asked |= {"workers": {}, "workers, ranks": {"preset": "ranks"}}
    rates: dict[str, list[float]] = {name: [] for name in (*asked, "any", "all", "searches")}
    searches = Searches(address)
    with ExitStack() as stack:
        beside = {"http": 0, "workers": workers, "workers, ranks": workers}
        ports = {
            number: stack.enter_context(
                server_on(address, rows, count, corpus.seed, workers=number)
            )
            for number in sorted({beside[name] for name in asked})
        }

        def asking(name: str) -> list[Callable[[Question], object]]:
            """Connections to the server anew for each turn: it hangs up on those that say nothing
            for some seconds, and the others' turn takes as long."""
            if name in asked:
                port = ports[beside[name]]
                return [Client(port, key, **asked[name]).recall for _ in range(clients)]
            if name == "searches":
                return [searches.recall] * clients
            return [one.recall for one in some[name]]

        for name in rates:  # a connection plans its statements anew the first five times
            rate(asking(name), questions[: 5 if name == "any" else 20])
        for turn in range(_TURNS):
            say(f"{clients} clients, turn {turn + 1}")
            for name in rates:
                ask = asking(name)
                rate(ask, questions[:1])  # the connection is open when the clock starts
                few = questions[: max(5, count // 10)] if name == "any" else questions
                began = time.perf_counter()
                rates[name].append(rate(ask, few))
                say(f"  {name}: {rates[name][-1]:.1f}/s in {time.perf_counter() - began:.0f} s")
    searches.close()
    found = {name: sum(b.found for b in bare) / sum(b.asked for b in bare)
             for name, bare in some.items()}  # fmt: skip
    per_second = {name: round(median(rate), 1) for name, rate in rates.items()}
    return {
        "rows": rows,
        "clients": clients,
        "workers": workers,
        "per_second": per_second,
        "found_by_words": {name: round(share, 3) for name, share in found.items()},
        "ratios": {
            name: {
                other: round(per_second[name] / per_second[other], 2)
                for other in ("any", "all", "searches")
            }
            for name in asked
        },
    }


def main() -> None:
    parser = arguments(__doc__, rows="100k", few=100)
    parser.add_argument("--store", help="the address of a server to use instead of a new one")
    parser.add_argument("--clients", type=int, default=4, help="how many at once (%(default)s)")
    parser.add_argument(
        "--workers", type=int, default=0, help="a second server has so many beside it (%(default)s)"
    )
    options = parser.parse_args()
    corpus = Corpus(options.seed)
    every: list[dict[str, Any]] = []
    for rows in sizes(options.rows):
        with started(options.store) as address:
            every.append(
                measured(address, corpus, rows, options.questions, options.clients, options.workers)
            )
    said = {"any": "bare SQL, any word", "all": "bare SQL, all words",
            "searches": "the store's own searches"}  # fmt: skip
    for one in every:
        print(table(
            ["over HTTP", "/s", *(f"÷ {what}" for what in said.values())],
            [[name, one["per_second"][name], *ratios.values()]
             for name, ratios in one["ratios"].items()],
        ))  # fmt: skip
        print(table(
            ["against", "/s"], [[what, one["per_second"][name]] for name, what in said.items()]
        ))  # fmt: skip
        for name, ratios in one["ratios"].items():
            for other, ratio in ratios.items():
                label = f"{one['rows']:,} rows, requests a second, {name} ÷ {said[other]}"
                print(verdict(label, ratio, 0.6, at_most=False))
    print(json.dumps(every))
    save(options.out, "postgres_http", {"sizes": every})


if __name__ == "__main__":
    main()
