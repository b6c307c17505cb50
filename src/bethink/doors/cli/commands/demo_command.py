"""The whole of it in ten seconds: a small bilingual set is remembered, asked and explained."""

from __future__ import annotations

import argparse
import json
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bethink.doors.cli.session import Session, clip

QUESTIONS = (
    "which colour theme does Mei like?",
    "什么时候开预算会？",
    "how do I get rid of ERR_CONN_1042",
    "谁负责支付？",
    "Why did we pick our database?",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "It uses a store of its own, which is gone afterwards; yours is not touched."


def memories() -> list[dict[str, Any]]:
    text = files("bethink.doors.cli.commands").joinpath("demo.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def run(arguments: argparse.Namespace, session: Session) -> int:
    from bethink.engine import Engine
    from bethink.recall.render import as_record, explanation, reason_line

    told = memories()
    answers = []
    with TemporaryDirectory() as folder:
        with Engine(Path(folder) / "demo.db", settings=session.loaded.settings) as engine:
            receipts = engine.remember_many(told)
        # opened again: what was acknowledged is on disk
        with Engine(Path(folder) / "demo.db", settings=session.loaded.settings) as engine:
            answers = [engine.recall(question, limit=2) for question in QUESTIONS]
    if arguments.json:  # a person wants to read it, through a pipe as well
        session.show(
            {"remembered": len(receipts), "answers": [as_record(a, explain=True) for a in answers]}
        )
        return 0
    session.say(
        f"Remembered {len(receipts)} things in English and Chinese, closed, opened again.\n"
    )
    for answer in answers:
        session.say(f"? {answer.query.text}")
        for hit in answer.hits:
            session.say(f"    {hit.score:.2f}  {clip(hit.text, 80)}")
            session.say(f"          because: {reason_line(hit)}")
    session.say("\nHow the last answer came about (bethink recall … --explain):")
    for line in explanation(answers[-1]):
        session.say(f"  {line}")
    session.say(
        "\nNow yours:\n"
        '  bethink remember "the first thing worth keeping"\n'
        '  bethink recall "what is worth keeping?" --explain\n'
        "  bethink --help"
    )
    return 0
