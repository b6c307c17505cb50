"""What does it cost to keep the store true to a folder of Markdown?

    python -m benchmarks.notebook_sync --rows 10k

Makes so many files, reads them once, then measures a sync with nothing changed, one changed file
(by its name, as the watcher does, and found by looking at all), one new file and one moved file.
Every time is also given as a multiple of `os.scandir` with `stat` over the same files, and of a
durable write of one small file, measured by turns in the same run.
"""

from __future__ import annotations

import os
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.measure import arguments, save, say, sizes, table, verdict, workplace

from bethink import Engine
from bethink.notebook.books import Form

_WORDS = (
    "release budget theme server meeting port cache index plan review deploy token "
    "预算 会议 主题 服务器 端口 缓存 索引 计划 评审 部署 发布 令牌"
).split()


def note(number: int, chance: random.Random, version: int = 0) -> str:
    """A note of three sections, in both languages."""

    def line() -> str:
        return " ".join(chance.choices(_WORDS, k=14))

    return (
        f"# Note {number}\n\n{line()}\n\n## Why 原因\n\n{line()} {number}\n\n"
        f"## Result 结果\n\n- {line()}\n- version {version}\n"
    )


def make(root: Path, files: int, seed: int) -> None:
    chance = random.Random(seed)
    old = time.time() - 3_600  # written an hour ago: their times can be trusted
    for number in range(files):
        file = root / f"{number // 100:03}" / f"note-{number}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(note(number, chance), "utf-8")
        os.utime(file, (old, old))


def walk(root: Path) -> int:
    """The least that anybody must do to see whether something changed."""
    seen = 0
    folders = [str(root)]
    while folders:
        with os.scandir(folders.pop()) as scan:
            for entry in scan:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    seen += entry.stat(follow_symlinks=False).st_size
    return seen


def durable(path: Path) -> None:
    with path.open("wb") as file:
        file.write(b"x" * 4096)
        file.flush()
        os.fsync(file.fileno())


def measured(work: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU milliseconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return (time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000


def run(folder: Path, files: int, embedder: str, times: int, seed: int) -> dict[str, Any]:
    root = folder / "book"
    root.mkdir()
    say(f"writing {files:,} files")
    make(root, files, seed)
    chance = random.Random(seed + 1)
    figures: dict[str, Any] = {}
    with Engine(folder / "memory.db", embedder=embedder) as engine:
        assert engine.books is not None
        engine.books.add(root, space="notes", form=Form.FOLDER, writable=False, project=False)
        say("first sync")
        wall, cpu = measured(engine.sync)
        held = engine.store.count(spaces=["notes"])
        figures["first"] = {"wall_s": wall / 1000, "cpu_s": cpu / 1000, "memories": held}
        engine.recall("budget 预算", spaces="notes")

        picked = iter(chance.sample(range(files), min(files, times * 4)))

        def file_of(number: int) -> Path:
            return root / f"{number // 100:03}" / f"note-{number}.md"

        def edit() -> Path:
            number = next(picked)
            path = file_of(number)
            text = path.read_text("utf-8").replace("version 0", "version 一 1")
            path.write_text(text, "utf-8")
            return path

        def named() -> Callable[[], object]:
            path = edit()
            return lambda: engine.sync(paths=[path])

        def looked_for() -> Callable[[], object]:
            edit()
            return engine.sync

        def new() -> Callable[[], object]:
            number = next(picked)
            (root / f"new-{number}.md").write_text(note(number, chance, 9), "utf-8")
            return engine.sync

        def moved() -> Callable[[], object]:
            number = next(picked)
            file_of(number).rename(root / f"moved-{number}.md")
            return engine.sync

        ways: dict[str, Callable[[], Callable[[], object]]] = {
            "walk with stat": lambda: lambda: walk(root),
            "durable write of 4 kB": lambda: lambda: durable(folder / "durable"),
            "nothing changed": lambda: engine.sync,
            "one changed file, by name": named,
            "one changed file, looked for": looked_for,
            "one new file": new,
            "one moved file": moved,
        }
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
        for turn in range(times):
            for name, prepare in ways.items():
                if name == "nothing changed":
                    engine.sync()  # what the other ways left: very new files are read again
                work = prepare()
                taken[name].append(measured(work))
            say(f"turn {turn + 1} of {times}")
        assert engine.store.count(spaces=["notes"]) == held + 3 * times
    for name, all_times in taken.items():
        figures[name] = {
            "best_ms": min(wall for wall, _ in all_times),
            "wall_ms": statistics.median(wall for wall, _ in all_times),
            "cpu_ms": statistics.median(cpu for _, cpu in all_times),
        }
    return {"files": files, "embedder": embedder, "ways": figures}


def show(one: dict[str, Any]) -> None:
    figures = dict(one["ways"])
    first = figures.pop("first")
    print(
        f"First sync of {one['files']:,} files into {first['memories']:,} memories with "
        f"{one['embedder']}: {first['wall_s']:.1f} s ({first['cpu_s']:.1f} s CPU)\n"
    )
    walked, written = figures["walk with stat"], figures["durable write of 4 kB"]
    rows = [
        [name, f["best_ms"], f["wall_ms"], f["cpu_ms"], f"{f['cpu_ms'] / walked['cpu_ms']:.2f}×",
         f"{f['wall_ms'] / written['wall_ms']:.1f}×"]
        for name, f in figures.items()
    ]  # fmt: skip
    print(
        table(
            ["what", "best ms", "median ms", "CPU ms", "CPU ÷ walk", "median ÷ durable write"], rows
        )
    )
    print()
    idle = figures["nothing changed"]
    print(verdict("CPU s of a sync with nothing changed", idle["cpu_ms"] / 1000, 1, at_most=True))
    changed = figures["one changed file, by name"]
    print(verdict("ms of one changed file (median)", changed["wall_ms"], 50, at_most=True))
    print(verdict("ms of one changed file (best)", changed["best_ms"], 50, at_most=True))


def main() -> None:
    parser = arguments(__doc__, rows="10k")
    parser.add_argument("--times", type=int, default=11, help="runs of each (%(default)s)")
    parser.add_argument("--embedder", default="use-m", help="(%(default)s)")
    given = parser.parse_args()
    for files in sizes(given.rows):
        with workplace() as folder:
            one = run(folder, files, given.embedder, given.times, given.seed)
        show(one)
        save(given.out, "notebook_sync", one)


if __name__ == "__main__":
    main()
