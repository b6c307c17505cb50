"""What does an agent wait for when its hooks run? Wall time of whole processes, best and median.

An agent waits until the process is gone; counters are written after that. `python -c pass` is the
yardstick.

    python -m benchmarks.hooks --times 15
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

_MEMORIES = (
    ("Mei prefers dark mode.", "preference"),
    ("The build fails with ERR_CONN_1042 when the proxy is down.", "note"),
    ("小美喜欢深色主题。", "preference"),
    ("Run the tests before each push.", "instruction"),
    ("Backups run every night at two.", "note"),
)
_PROMPT = json.dumps({"prompt": "which theme does Mei like? 小美喜欢什么主题？"})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=15)
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder}
        environment.pop("BETHINK_STORE", None)
        beside = Path(sys.executable).with_name("bethink")

        def run(words: list[str], given: str = "{}") -> float:
            began = time.perf_counter()
            subprocess.run(
                words, input=given, text=True, capture_output=True, check=True, env=environment
            )
            return 1000 * (time.perf_counter() - began)

        for text, kind in _MEMORIES:
            run([str(beside), "remember", text, "--kind", kind])
        hook = [str(beside), "hook"]
        agent = ["--harness", "claude"]
        asked: dict[str, tuple[list[str], str]] = {
            "python -c pass": ([sys.executable, "-c", "pass"], ""),
            "hook start": ([*hook, "start", *agent], "{}"),
            "hook prompt, with the model": ([*hook, "prompt", *agent], _PROMPT),
            "hook prompt, words alone": ([*hook, "prompt", *agent, "--embedder", "none"], _PROMPT),
            "hook stop, nothing learned": ([*hook, "stop", *agent], "{}"),
        }
        spent: dict[str, list[float]] = {name: [] for name in asked}
        for _ in range(times):  # in turns: what else the machine does falls on all alike
            for name, (words, given) in asked.items():
                spent[name].append(run(words, given))
        yardstick = min(spent["python -c pass"])
        print("| process | best, ms | median, ms | best, × `python -c pass` |\n|---|---|---|---|")
        for name, took in spent.items():
            print(
                f"| `{name}` | {min(took):.0f} | {median(took):.0f} | {min(took) / yardstick:.1f} |"
            )


if __name__ == "__main__":
    main()
