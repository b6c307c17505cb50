"""Of prompts to a coding agent, how many get the note that bears on them, and how many get any?

The prompts and notes are in `sets/prompts/`, written before the rules were known: 35 prompts a
language with the note that they need, and 40 without one. A note was said to the agent (the hook
captures it if its rules do), stands in `notes/*.md` under a title, or was remembered as a fact.
All of a language are in one store, as in a project.

    python -m benchmarks.prompts [--embedder none] [--show]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bethink import Engine
from bethink.doors.hooks.inject import asks_for_nothing, recalled
from bethink.doors.hooks.learned import lessons
from bethink.notebook.books import Form
from bethink.settings import Settings

_SETS = Path(__file__).parent / "sets" / "prompts"
LANGUAGES = ("en", "zh")


def rows(language: str) -> list[dict[str, Any]]:
    """Return the prompts of a language, with their note where they have one."""
    text = (_SETS / f"{language}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def fill(engine: Engine, told: list[dict[str, Any]], folder: Path) -> int:
    """Store the notes as they would have come there. Return how many were said and not captured."""
    missed = 0
    notes = folder / "notes"
    notes.mkdir(parents=True)
    for number, row in enumerate(told):
        match row.get("way"):
            case "said":
                learned = list(lessons(row["text"]))
                missed += not learned
                for lesson in learned:
                    engine.remember(lesson.text, kind=lesson.kind, role="user", confidence=0.5)
            case "note":
                text = f"# {row['title']}\n\n{row['text']}\n"
                (notes / f"note-{number}.md").write_text(text, "utf-8")
            case "fact":
                engine.remember(row["text"])
    assert engine.books is not None
    engine.books.add(folder, space="global", form=Form.NOTES, writable=False, project=False)
    engine.sync()
    return missed


def served(engine: Engine, told: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], int]]:
    """Ask as the hook does. Yield each row with the place of its note among the memories that were
    put before the prompt, 0 if it was not; for a row without a note, with how many there were."""
    for row in told:
        prompt = row["prompt"]
        hits = () if asks_for_nothing(prompt) else recalled(engine, prompt).hits
        if "way" not in row:
            yield row, len(hits)
            continue
        note = row["text"].rstrip(".。")
        place = next((n for n, hit in enumerate(hits, 1) if note in hit.memory.text), 0)
        yield row, place


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--embedder", default=Settings().embedder)
    parser.add_argument("--show", action="store_true", help="print what was missed and injected")
    arguments = parser.parse_args()
    print("| language | on topic | got their note | off topic | got any | said, not captured |")
    print("|---|---|---|---|---|---|")
    for language in LANGUAGES:
        told = rows(language)
        with tempfile.TemporaryDirectory() as folder:
            settings = Settings(embedder=arguments.embedder, sync_seconds=0)
            with Engine(Path(folder) / "memory.db", settings=settings) as engine:
                missed = fill(engine, told, Path(folder) / "project")
                asked = list(served(engine, told))
        on = [(row, place) for row, place in asked if "way" in row]
        off = [(row, count) for row, count in asked if "way" not in row]
        right = sum(place > 0 for _, place in on)
        wrong = sum(count > 0 for _, count in off)
        print(f"| {language} | {len(on)} | {right} | {len(off)} | {wrong} | {missed} |")
        if arguments.show:
            for row, place in on:
                if not place:
                    print(f"    missed: {row['prompt']}  ←  {row.get('title', row['text'])}")
            for row, count in off:
                if count:
                    print(f"    {count} for: {row['prompt']}")


if __name__ == "__main__":
    main()
