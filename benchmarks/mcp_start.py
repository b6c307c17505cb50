"""How long until an agent has the tools? From the start of `bethink mcp` to the answers to
`initialize` and `tools/list`; then the first call, which opens the store and loads the model.

The yardsticks are `python -c pass` and the SDK's own `MCPServer` without any tools. Wall time, in
turns, so that what else the machine does falls on all alike; beside it the CPU time of
the whole process.

    python -m benchmarks.mcp_start --times 10
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

_EMPTY = "from mcp.server.mcpserver import MCPServer; MCPServer('empty', log_level='ERROR').run()"
_OURS = ["-m", "bethink.doors.cli.main", "mcp"]


def _frame(number: int | None, method: str, **params: Any) -> bytes:
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        message["id"] = number
    return json.dumps(message).encode() + b"\n"


_HELLO = _frame(
    1,
    "initialize",
    protocolVersion="2025-11-25",
    capabilities={},
    clientInfo={"name": "benchmark", "version": "1"},
)
_READY = _frame(None, "notifications/initialized")
_LIST = _frame(2, "tools/list")


class Spent(NamedTuple):
    tools: float  # seconds until the tools are there
    cpu: float  # of the whole process
    first: float = 0.0  # of the first call


def spent(words: Sequence[str], environment: dict[str, str], call: bytes | None = None) -> Spent:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def answered(*frames: bytes) -> None:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(b"".join(frames))
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            if "error" in answer or answer["result"].get("isError"):
                raise SystemExit(f"not answered: {answer}")

        answered(_HELLO)
        answered(_READY, _LIST)
        tools = time.perf_counter() - began
        first = 0.0
        if call is not None:
            began = time.perf_counter()
            answered(call)
            first = time.perf_counter() - began
        process.stdin.close()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Spent(tools, cpu, first)


def bare() -> Spent:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    took = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Spent(took, cpu)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=10)
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "BETHINK_STORE": str(Path(folder) / "m.db")}
        told = {"text": "Mei prefers dark mode. 小美喜欢深色主题。"}
        remember = _frame(3, "tools/call", name="remember", arguments=told)
        recall = _frame(
            3, "tools/call", name="recall", arguments={"question": "小美喜欢什么主题？"}
        )
        spent(_OURS, environment, remember)
        found: dict[str, list[Spent]] = {"python -c pass": [], "an empty MCPServer": []}
        found |= {"bethink mcp": [], "bethink mcp, and a recall": []}
        for _ in range(times):
            found["python -c pass"].append(bare())
            found["an empty MCPServer"].append(spent(["-c", _EMPTY], environment))
            found["bethink mcp"].append(spent(_OURS, environment))
            found["bethink mcp, and a recall"].append(spent(_OURS, environment, recall))
    pass_cpu = median(one.cpu for one in found["python -c pass"])
    empty_cpu = median(one.cpu for one in found["an empty MCPServer"])
    print(
        "| process | tools, ms (best, median) | CPU, ms | CPU × `pass` | CPU × empty | first call |"
    )
    print("|---|---|---|---|---|---|")
    for name, runs in found.items():
        tools = [1000 * one.tools for one in runs]
        cpu = median(one.cpu for one in runs)
        first = 1000 * median(one.first for one in runs)
        print(
            f"| {name} | {min(tools):.0f}, {median(tools):.0f} | {1000 * cpu:.0f} "
            f"| {cpu / pass_cpu:.1f} | {cpu / empty_cpu:.2f} | {f'{first:.0f}' if first else ''} |"
        )


if __name__ == "__main__":
    main()
