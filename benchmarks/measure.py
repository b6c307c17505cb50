"""What every benchmark shares: stores to ask, clocks, percentiles, tables and JSON."""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from benchmarks.corpus import Block, Corpus, GivenVectors
from benchmarks.figures import write_figures

from bethink import Engine

Asked = TypeVar("Asked")

EVERY_HUNDREDTH = "rare"  # a tag that one row in a hundred has: the filter to 1 %


def arguments(description: str | None, *, rows: str, few: int = 200) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--rows", default=rows, help="how many rows; several after commas (%(default)s)"
    )
    parser.add_argument(
        "--questions", type=int, default=few, help="how many are asked (%(default)s)"
    )
    parser.add_argument("--seed", type=int, default=7, help="of the data (%(default)s)")
    parser.add_argument("--out", type=Path, help="write the figures here as JSON")
    return parser


def sizes(text: str) -> list[int]:
    """`1k,10k,1M` as numbers."""
    units = {"k": 1_000, "m": 1_000_000}
    return [
        int(float(part[:-1]) * units[part[-1].lower()]) if part[-1].lower() in units else int(part)
        for part in text.replace("_", "").split(",")
    ]


def say(text: str) -> None:
    """Progress, on stderr."""
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


@contextmanager
def workplace(keep: Path | None = None) -> Iterator[Path]:
    """A directory for stores: temporary, unless one is named to keep them for the next run."""
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="bethink-bench-") as name:
        yield Path(name)


@dataclass(frozen=True)
class Times:
    """Wall and CPU milliseconds of many calls. CPU is of the whole process, all threads."""

    wall: tuple[float, ...]
    cpu: float  # mean of one call

    @property
    def p50(self) -> float:
        return float(np.percentile(self.wall, 50))

    @property
    def p95(self) -> float:
        return float(np.percentile(self.wall, 95))

    def figures(self) -> dict[str, float]:
        return {
            "p50_ms": round(self.p50, 3),
            "p95_ms": round(self.p95, 3),
            "cpu_ms": round(self.cpu, 3),
        }


def timed(ask: Callable[[Asked], object], questions: Sequence[Asked], *, warm: int = 10) -> Times:
    """Ask each once, after some that do not count."""
    for question in questions[:warm]:
        ask(question)
    wall: list[float] = []
    cpu = time.process_time()
    for question in questions:
        began = time.perf_counter()
        ask(question)
        wall.append((time.perf_counter() - began) * 1000)
    return Times(tuple(wall), (time.process_time() - cpu) * 1000 / len(questions))


def side_by_side(
    ways: Mapping[str, Callable[[Asked], object]],
    questions: Sequence[Asked],
    *,
    warm: int = 10,
    best_of: int = 1,
) -> dict[str, Times]:
    """Time several ways by turns, so that a noisy machine is noisy for all of them alike.

    At any turn each way gets another question: none finds what another has just fetched. With
    `best_of`, all are asked so often and the best time of each counts: what the work takes, where
    other processes hold the machine most of the time.
    """
    for ask in ways.values():
        for question in questions[:warm]:
            ask(question)
    count = len(questions)
    wall = {name: [inf] * count for name in ways}
    cpu = {name: [inf] * count for name in ways}
    for turn in range(best_of * count):
        for number, (name, ask) in enumerate(ways.items()):
            at = (turn + number * count // len(ways)) % count
            spent, began = time.process_time(), time.perf_counter()
            ask(questions[at])
            took = (time.perf_counter() - began) * 1000
            wall[name][at] = min(wall[name][at], took)
            cpu[name][at] = min(cpu[name][at], (time.process_time() - spent) * 1000)
    return {name: Times(tuple(wall[name]), sum(cpu[name]) / count) for name in ways}


def recall_at_10(found: Sequence[Sequence[str]], exact: Sequence[Sequence[str]]) -> float:
    """Which part of the ten truly nearest was found."""
    hits = [
        len(set(some[:10]) & set(right[:10])) / min(10, len(right))
        for some, right in zip(found, exact, strict=True)
    ]
    return float(np.mean(hits))


def row_id(number: int) -> str:
    return f"row-{number}"


def told(block: Block) -> Iterator[dict[str, Any]]:
    """A block as `remember_many` takes it."""
    for number, text in enumerate(block.texts, start=block.start):
        yield {
            "id": row_id(number),
            "text": text,
            "tags": [EVERY_HUNDREDTH] if number % 100 == 0 else [],
        }


def open_engine(path: Path) -> tuple[Engine, GivenVectors]:
    embedder = GivenVectors()
    return Engine(path, embedder=embedder), embedder


def filled(path: Path, corpus: Corpus, rows: int) -> Path:
    """A store of so many rows at this path, made unless it is there from an earlier run."""
    done = path.with_name(path.name + ".filled")
    if done.exists():
        engine, _ = open_engine(path)
        with engine:
            engine.store.maintain()  # another version may have left files of another form
        return path
    say(f"filling a store with {rows:,} rows")
    engine, embedder = open_engine(path)
    began = last = time.monotonic()

    def stream() -> Iterator[dict[str, Any]]:
        nonlocal last
        for block in corpus.blocks(rows):
            embedder.give(block.texts, block.vectors)
            yield from told(block)
            if time.monotonic() - last > 15:
                last = time.monotonic()
                say(f"  {block.start + len(block.texts):,} rows in {last - began:.0f} s")

    with engine:
        for _ in engine.remember_stream(stream()):
            pass
        say("  index files")
        engine.store.maintain()
    say(f"  done in {time.monotonic() - began:.0f} s")
    done.touch()
    return path


def table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table, aligned."""
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [
        max(len(headings[i]), *(len(row[i]) for row in cells)) if cells else len(headings[i])
        for i in range(len(headings))
    ]

    def line(row: Sequence[str]) -> str:
        return "| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |"

    return "\n".join([line(headings), "|" + "|".join("-" * (w + 2) for w in widths) + "|",
                      *map(line, cells)])  # fmt: skip


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def verdict(name: str, value: float, target: float, *, at_most: bool) -> str:
    reached = value <= target if at_most else value >= target
    sign = "≤" if at_most else "≥"
    return f"{'reached' if reached else 'MISSED '}  {name}: {value:.3g} (target {sign} {target:g})"


def save(path: Path | None, name: str, figures: Mapping[str, Any]) -> None:
    if path is None:
        return
    whole = {
        "benchmark": name,
        "date": time.strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        **figures,
    }
    write_figures(path, whole)
    say(f"figures in {path}")
