"""What does the context of a scene hold, and what must it not hold?

    python -m benchmarks.story --out story.json
    python -m benchmarks.story --language zh --llm scripted --misses
    python -m benchmarks.story --data DIR --out story.json

A novel of thirteen chapters, in English and in Chinese, is taken in to its last page; then the
context of every scene is asked for, and compared with a table of questions. With DIR, dialogues of
the public sets below it are taken in as scenes too. The page is made with
`python -m benchmarks.story.page story.json > docs/reference/story-quality.md`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.figures import write_figures
from benchmarks.quality.progress import say
from benchmarks.story.dialogues import SETS, dialogues
from benchmarks.story.measure import LAST_TEN, ask, ingest, latest
from benchmarks.story.novel import LANGUAGES, load
from benchmarks.story.report import dialogues_table, rows, shares, sizes
from benchmarks.story.runs import MAIN, RUNS


def main(arguments: list[str] | None = None) -> int:
    options = _arguments().parse_args(arguments)
    names = [
        name
        for name, run in RUNS.items()
        if (options.llm != "none" or not run.model)
        and (options.llm != "scripted" or run.model)
        and (options.runs == "all" or name in MAIN)
    ]
    whole: dict[str, Any] = {
        "benchmark": "story",
        "date": time.strftime("%Y-%m-%d"),
        "embedder": options.embedder,
        "counted": [],
        "figures": [],
        "missed": [],
        "leaks": [],
        "dialogues": [],
    }
    for language in options.language.split(","):
        if language not in LANGUAGES:
            print(f"story: no novel in {language!r}; known: {', '.join(LANGUAGES)}",
                  file=sys.stderr)  # fmt: skip
            return 2
        _measure(language, names, options.embedder, whole)
        write_figures(options.out, whole)
    if options.data:
        for name in SETS:
            if (options.data / name).is_dir():
                whole["dialogues"] += dialogues(
                    options.data / name, options.embedder, questions=options.questions
                )
                write_figures(options.out, whole)
    _print(whole, names, misses=options.misses)
    return 1 if whole["leaks"] else 0


def _measure(language: str, names: list[str], embedder: str, whole: dict[str, Any]) -> None:
    novel = load(language)
    whole["counted"] += rows(LAST_TEN, language, latest(novel))
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "story.db")
        threads = ingest(novel, store, embedder)
        for name in names:
            asked = ask(novel, store, embedder, RUNS[name], threads)
            whole["counted"] += rows(name, language, asked.verdicts)
            figures = {**asked.figures, "leaks": len(asked.leaks)}
            whole["figures"].append({"run": name, "language": language, **figures})
            whole["leaks"] += [f"{language}, {name}: {leak}" for leak in asked.leaks]
            whole["missed"] += [
                {"run": name, "language": language, "half": v.check.half, "check": v.check.id}
                for v in asked.verdicts
                if not v.holds
            ]
            for fault in sorted(set(asked.faults)):
                say(f"{language}, {name}: {fault}")
            say(f"{language}: {name}, {asked.figures['ms']:.0f} ms for a context")


def _print(whole: dict[str, Any], names: list[str], *, misses: bool) -> None:
    counted = whole["counted"]
    print(shares(counted, [LAST_TEN, *names]), end="\n\n")
    print(shares(counted, [name for name in names if name in MAIN], halves=True), end="\n\n")
    print(sizes(whole["figures"]))
    if whole["dialogues"]:
        print(f"\n{dialogues_table(whole['dialogues'])}")
    if misses:
        for miss in whole["missed"]:
            print(f"missed: {miss['language']}, {miss['run']}, {miss['half']}: {miss['check']}")
    for leak in whole["leaks"]:
        print(f"LEAK: {leak}")


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.story",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--language", default=",".join(LANGUAGES), help="%(default)s")
    parser.add_argument(
        "--llm", choices=("both", "none", "scripted"), default="both",
        help="rules alone, a scripted model server, or one after the other (%(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--runs", choices=("all", "main"), default="all", help="with the ablations or without"
    )
    parser.add_argument("--misses", action="store_true", help="print what was missed")
    parser.add_argument("--data", type=Path, help="a folder of public sets")
    parser.add_argument(
        "--questions", type=int, default=0, help="about so many of each set; 0: all (0)"
    )
    parser.add_argument("--embedder", default="use-m", help="as in the settings (%(default)s)")
    parser.add_argument("--out", type=Path, help="a JSON file for the figures")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
