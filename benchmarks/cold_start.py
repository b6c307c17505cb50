"""What does a fresh process cost? CPU time of whole processes, as an agent's hook would start them.

`python -c pass` is the yardstick. Against it: `import bethink`, `bethink recall --words` (by
words alone), `bethink recall` with the local model, and opening a large store and answering the
first question by words and a given vector (as a whole process, and inside it without the imports).

    python -m benchmarks.cold_start --rows 100k --times 15
    python -m benchmarks.cold_start --rows 10k --imports      # which modules cost most
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from benchmarks.corpus import Corpus
from benchmarks.measure import arguments, filled, save, say, sizes, table, verdict, workplace

_FIRST_QUESTION = """
import json, os, sys, time
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"  # as the command does
import apsw, numpy
import bethink, bethink.stores.sqlite.store, bethink.stores.sqlite.vectors
import bethink.stores.sqlite.postings
from benchmarks.corpus import GivenVectors
path, vector, text = sys.argv[1], numpy.load(sys.argv[2]), sys.argv[3]
began = time.process_time()
engine = bethink.Engine(path, embedder=GivenVectors())
answer = engine.recall(text, vector=vector, touch=False)
print(json.dumps([(time.process_time() - began) * 1000, len(answer.hits), answer.status]))
engine.close()
"""

_SMALL = (
    "Mei prefers dark mode.",
    "The build fails with ERR_CONN_1042 when the proxy is down.",
    "小美喜欢深色主题。",
    "Backups run every night at two.",
)


def cpu_of(command: Sequence[str], times: int) -> dict[str, Any]:
    """User + system milliseconds of a command and its children, over several runs."""
    spent: list[float] = []
    output = ""
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=_environ())
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
        output = done.stdout
        spent.append(1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    return {"best_ms": min(spent), "median_ms": median(spent), "output": output}


def _environ() -> dict[str, str]:
    here = str(Path(__file__).parents[1])
    environ = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {  # an installed package has its modules compiled: so must these
        **environ,
        "PYTHONPATH": os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), here])),
    }


def _small_store(folder: Path, command: str) -> Path:
    path = folder / "small.db"
    subprocess.run([command, "init", "--store", str(path)], check=True, capture_output=True)
    for text in _SMALL:
        subprocess.run(
            [command, "remember", text, "--store", str(path)], check=True, capture_output=True
        )
    return path


def measure(folder: Path, corpus: Corpus, rows: int, times: int) -> dict[str, Any]:
    python, command = sys.executable, _command()
    say("a small store, with the local model")
    small = _small_store(folder, command)
    large = filled(folder / f"{rows}.db", corpus, rows)
    asked = corpus.questions(1, rows)[0]
    vector = folder / "question.npy"
    np.save(vector, asked.vector)
    recall = [command, "recall", "which theme does Mei like?", "--store", str(small), "--json"]
    big = [command, "recall", asked.text, "--store", str(large), "--words", "--json"]
    commands = {
        "python -c pass": [python, "-c", "pass"],
        "import numpy": [python, "-c", "import numpy"],
        "import bethink": [python, "-c", "import bethink"],
        "bethink recall --words, small store": [*recall, "--words"],
        f"bethink recall --words, {rows:,} rows": big,
        "bethink recall with the local model, small store": recall,
        f"first question by words and vector, {rows:,} rows": [
            python, "-c", _FIRST_QUESTION, str(large), str(vector), asked.text,
        ],
    }  # fmt: skip
    figures: dict[str, Any] = {}
    for name, line in commands.items():
        say(name)
        figures[name] = cpu_of(line, times)
    inside = [json.loads(cpu_of(list(commands.values())[-1], 1)["output"])[0] for _ in range(times)]
    figures["the same without its imports"] = {
        "best_ms": min(inside), "median_ms": median(inside), "output": "",
    }  # fmt: skip
    return {"rows": rows, "processes": figures}


def _command() -> str:
    beside = Path(sys.executable).with_name("bethink")
    found = str(beside) if beside.exists() else shutil.which("bethink")
    if found is None:
        raise SystemExit("the command 'bethink' is not installed; run: pip install -e .[bench]")
    return found


def imports(command: Sequence[str]) -> list[tuple[float, str]]:
    """(own milliseconds, module), most expensive first."""
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=_environ())
    lines = re.findall(r"import time:\s+(\d+) \|\s+\d+ \|\s*(\S+)", done.stderr)
    return sorted(((int(own) / 1000, name) for own, name in lines), reverse=True)


def show(one: dict[str, Any]) -> None:
    figures = one["processes"]
    bare = figures["python -c pass"]
    rows = [
        [name, round(f["best_ms"]), round(f["median_ms"]), f"{f['best_ms'] / bare['best_ms']:.1f}×",
         f"{f['median_ms'] / bare['median_ms']:.1f}×"]
        for name, f in figures.items()
    ]  # fmt: skip
    print(table(["process", "best CPU ms", "median CPU ms", "÷ pass (best)", "÷ pass"], rows))
    print()
    words = figures["bethink recall --words, small store"]
    ratio = words["median_ms"] / bare["median_ms"]
    print(verdict("recall by words alone ÷ python -c pass", ratio, 10, at_most=True))
    first = next(f for name, f in figures.items() if name.startswith("first question"))
    print(verdict("CPU ms of the first question", first["median_ms"], 300, at_most=True))


def main() -> None:
    parser = arguments(__doc__, rows="100k")
    parser.add_argument("--times", type=int, default=15, help="runs of each (%(default)s)")
    parser.add_argument("--keep", type=Path, help="keep the stores here for the next run")
    parser.add_argument("--imports", action="store_true", help="also list the dearest imports")
    given = parser.parse_args()
    corpus = Corpus(given.seed)
    rows = sizes(given.rows)[0]
    with workplace(given.keep) as stores, workplace() as folder:
        if given.keep is not None:  # a kept store is used where it lies
            for name in (f"{rows}.db", f"{rows}.db.index", f"{rows}.db.filled"):
                filled(stores / f"{rows}.db", corpus, rows)
                (folder / name).symlink_to(stores / name)
        one = measure(folder, corpus, rows, given.times)
        show(one)
        if given.imports:
            line = [sys.executable, "-X", "importtime", _command(), "recall", "theme", "--store",
                    str(folder / "small.db"), "--words", "--json"]  # fmt: skip
            print("\nDearest imports of a recall by words:")
            print(table(["own ms", "module"], imports(line)[:15]))
    for figure in one["processes"].values():
        del figure["output"]
    save(given.out, "cold_start", one)


if __name__ == "__main__":
    main()
