"""What does Redis beside a store bring, and what does it cost when it is away?

    python -m benchmarks.redis_speed --memories 5000

Starts a server of its own. All ways are asked by turns, so that a busy machine is busy for all of
them; what counts are the ratios within one run. Milliseconds of the clock, medians.
"""

from __future__ import annotations

import argparse
import itertools
import socket
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from statistics import median

from tests.servers.postgres_server import PostgresServer
from tests.servers.redis_server import RedisServer

from bethink import Engine
from bethink.settings import Settings
from bethink.stores.protocol import KeepsGenerations

_SUBJECTS = "budget theme meeting garden server invoice 预算 主题 会议 花园 服务器 发票".split()
_VERBS = "moves changes waits grows fails passes 推迟 改变 等待 增长 失败 通过".split()


def _texts(count: int) -> list[str]:
    made = itertools.product(_SUBJECTS, _VERBS, _SUBJECTS, range(count))
    return [
        f"The {a} {verb} because of the {b}, says note {n}. 关于{a}的第 {n} 条记录，与{b}有关。"
        for a, verb, b, n in itertools.islice(made, 0, count * 400, 400)
    ]


def _by_turns(ways: Mapping[str, Callable[[], object]], turns: int) -> dict[str, float]:
    took: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(turns):
        for name, way in ways.items():
            began = time.perf_counter()
            way()
            took[name].append((time.perf_counter() - began) * 1000)
    return {name: median(times) for name, times in took.items()}


def _show(title: str, took: Mapping[str, float]) -> None:
    first = next(iter(took.values()))
    print(f"\n{title}")
    for name, milliseconds in took.items():
        print(f"  {name:<46} {milliseconds:8.3f} ms   {milliseconds / first:6.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=5_000)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--postgres", action="store_true", help="with a store on PostgreSQL")
    given = parser.parse_args()
    with ExitStack() as last:
        folder = Path(last.enter_context(tempfile.TemporaryDirectory()))
        server = last.enter_context(RedisServer.started())
        silent = last.enter_context(socket.create_server(("127.0.0.1", 0)))  # takes, never answers
        away = f"redis://127.0.0.1:{silent.getsockname()[1]}"
        settings = replace(Settings(), offer_characters=10)
        address: str | Path = folder / "m.db"
        if given.postgres:
            address = last.enter_context(PostgresServer.started()).new_database()

        def opened(hot: str) -> Engine:
            return last.enter_context(
                Engine(address, embedder="hashing", settings=settings, hot=hot)
            )

        plain = opened("none")
        plain.remember_many({"text": text} for text in _texts(given.memories))
        for number, text in enumerate(_texts(50)):
            plain.offer(f"{text} ({number})")
        redis, memory, hung = opened(server.address), opened("memory"), opened(away)
        engines = {"none": plain, "redis": redis, "memory": memory, "redis, silent": hung}
        for engine in engines.values():
            engine.recall("warm up", preset="workflow")
        _measure(engines, given.turns)
        print(f"\nstatus: {redis.status().hot}\n        {hung.status().hot}")


def _measure(engines: Mapping[str, Engine], turns: int) -> None:
    numbers = itertools.count()
    store = engines["none"].store
    assert isinstance(store, KeepsGenerations)
    now = engines["none"].now()

    for preset in ("workflow", "balanced"):

        def new(engine: Engine, preset: str = preset) -> Callable[[], object]:
            return lambda: engine.recall(
                f"why does the garden fail 花园 w{next(numbers)}x", preset=preset
            )

        def same(engine: Engine, preset: str = preset) -> Callable[[], object]:
            return lambda: engine.recall("why does the budget wait 预算", preset=preset)

        ways = {f"hot: {name}": new(engine) for name, engine in engines.items()}
        _show(f"a recall ({preset}), each question a new one", _by_turns(ways, turns))
        ways = {f"hot: {name}": same(engine) for name, engine in engines.items()}
        _show(f"a recall ({preset}), the same question again", _by_turns(ways, turns))
    _show(
        "what a question pays to know whether anything was written",
        _by_turns(
            {
                "generation of one space": lambda: store.generation(["global"]),
                "when it changes by itself": lambda: store.changes_by_itself(["global"], after=now),
            },
            turns,
        ),
    )


if __name__ == "__main__":
    main()
