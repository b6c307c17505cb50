from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bethink.doors.cli.colour import identifier
from bethink.doors.cli.inputs import (
    add_speaker,
    line_text,
    memory_fields,
    numbered_lines,
    parse_json,
    piped,
    read_text,
)
from bethink.doors.cli.session import Session, clip
from bethink.errors import InvalidInput
from bethink.remember.transfer import receipt_record
from bethink.vocabulary import Receipt

_RECEIPT = 60  # columns of a memory's text in its receipt
_EPILOG = """\
examples:
  bethink remember "The API key rotates every 90 days" --kind instruction --tag security
  bethink remember --file meeting.md --space work --occurred-at 2026-05-01
  pbpaste | bethink remember --source clipboard
  bethink remember --jsonl facts.jsonl          one object a line: {"text": "…", "tags": ["…"]}
  bethink remember "…" --meta author='"Li"' --meta priority=2
  bethink remember "I moved to Bergen" --speaker Mei --conversation standup

  bethink remember "The port is now 9090" --kind decision     corrects the line in the notebook
  bethink remember "Reviewed the API" --kind journal

Told again in the same words, a memory is reinforced instead of repeated.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument(
        "words", nargs="*", metavar="TEXT", help="what to remember; '-' reads a pipe"
    )
    parser.add_argument("--file", metavar="FILE", help="remember this file's text")
    parser.add_argument(
        "--jsonl", metavar="FILE", help="remember many: one JSON object a line ('-': pipe)"
    )
    parser.add_argument("--space", help="where to keep it (default: the setting 'space')")
    parser.add_argument(
        "--kind",
        help="note (default) or a word of your own; preference, instruction, entity, task, "
        "decision, pattern and journal go into the space's notebook if it has one",
    )
    parser.add_argument("--section", help="a heading that it belongs under")
    parser.add_argument("--tag", action="append", metavar="TAG", help="may be repeated")
    parser.add_argument(
        "--entity", action="append", metavar="NAME", help="who or what it is about; may be repeated"
    )
    parser.add_argument("--source", help="where it comes from")
    add_speaker(parser)
    parser.add_argument("--confidence", type=float, metavar="0..1", help="how sure you are")
    parser.add_argument(
        "--occurred-at", metavar="TIME", help="when it happened, e.g. 2026-05-01, yesterday"
    )
    parser.add_argument("--valid-from", metavar="TIME", help="from when it holds")
    parser.add_argument("--valid-to", metavar="TIME", help="until when it holds")
    parser.add_argument(
        "--meta", action="append", metavar="KEY=JSON", help="your own fields; may be repeated"
    )
    parser.add_argument(
        "--supersedes", metavar="ID", help="take the place of this memory, which is kept as history"
    )
    parser.add_argument(
        "--merge",
        choices=("words", "corrections", "meaning"),
        help="sure corrections supersede (default); words: never; meaning: and the same in other "
        "words is counted",
    )
    parser.add_argument("--id", help="an id of your own; delivering it again changes nothing")


def run(arguments: argparse.Namespace, session: Session) -> int:
    if arguments.jsonl is not None:
        if arguments.words or arguments.file:
            raise InvalidInput("--jsonl brings its own texts; leave out TEXT and --file")
        if arguments.supersedes or arguments.merge:
            raise InvalidInput("--supersedes and --merge are for one text; leave out --jsonl")
        return _bulk(arguments, session)
    fields = _meant(_fields(arguments), session)
    if arguments.supersedes:
        from bethink.doors.cli.ids import memory_id

        fields["supersedes"] = memory_id(session.engine, arguments.supersedes)
    if arguments.merge:
        fields["merge"] = arguments.merge
    receipt = session.engine.remember(**fields)
    if session.json:
        session.show(receipt_record(receipt))
    else:
        _say_receipt(receipt, session)
    for note in receipt.notes:
        session.hint(note)
    return 0


_DONE = {
    "created": "Remembered in",
    "reinforced": "Told again in",
    "unchanged": "Already known in",
    "revised": "Corrected in",
}


def _say_receipt(receipt: Receipt, session: Session) -> None:
    """Say in one line what is stored where: the space, the id, the notebook's file, and the text as
    it is stored, without what was redacted."""
    memory = session.engine.get(receipt.id)
    done = _DONE.get(receipt.action.value, f"{receipt.action.value} in")
    file, times, text = "", "", ""
    if memory is not None:
        book, path = memory.provenance.get("book"), memory.provenance.get("file")
        file = f" ({Path(str(book)) / str(path)})" if book and path else ""
        if receipt.action.value == "reinforced":
            times = f", reinforced {memory.reinforcement}×"
        text = f': "{clip(memory.text, _RECEIPT)}"'
    session.say(f"{done} {receipt.space!r} as ", identifier(receipt.id), f"{times}{file}{text}")


def _meant(fields: dict[str, Any], session: Session) -> dict[str, Any]:
    """Kinds and moments as people name them, read as what they mean."""
    for name in ("occurred_at", "valid_from", "valid_to"):
        if name in fields:
            from bethink.doors.cli.moments import moment

            option = "--" + name.replace("_", "-")
            fields[name] = moment(fields[name], option, session)
    if "kind" in fields:
        from bethink.notebook.layout import kind_named

        told, fields["kind"] = fields["kind"], kind_named(fields["kind"])
        if told != fields["kind"]:
            session.hint(f"the kind {told!r} is kept as {fields['kind']!r}")
    return fields


def _shared_fields(arguments: argparse.Namespace) -> dict[str, Any]:
    own = {"space": arguments.space, "id": arguments.id}
    given = {name: value for name, value in own.items() if value is not None}
    return {**memory_fields(arguments), **given}


def _fields(arguments: argparse.Namespace) -> dict[str, Any]:
    fields = _shared_fields(arguments)
    if arguments.file is not None:
        if arguments.words:
            raise InvalidInput("give either TEXT or --file, not both")
        fields["text"] = read_text(arguments.file)
        fields.setdefault("source", str(arguments.file))
    elif arguments.words and arguments.words != ["-"]:
        fields["text"] = " ".join(arguments.words)
    elif arguments.words == ["-"] or not sys.stdin.isatty():
        fields["text"] = piped()
    else:
        raise InvalidInput('nothing to remember; say: bethink remember "…" (or --help)')
    return fields


def _bulk(arguments: argparse.Namespace, session: Session) -> int:
    from bethink.remember.pipeline import IN_STORE_ALONE

    shared = _meant(_shared_fields(arguments), session)
    lines = numbered_lines(arguments.jsonl)
    numbers: list[int] = []  # which line each item came from
    failures: list[dict[str, Any]] = []

    def fail(line: int, reason: str) -> None:
        failures.append({"line": line, "error": reason})
        session.hint(f"line {line}: {reason}")

    def items() -> Iterator[dict[str, Any]]:
        for line, raw in lines:
            try:
                if not (text := line_text(raw, arguments.jsonl)):
                    continue
                item = parse_json(text, "not taken")
                if not isinstance(item, dict):
                    raise InvalidInput('expected an object like {"text": "…"}')
            except InvalidInput as e:
                fail(line, str(e))
                continue
            numbers.append(line)
            yield {**shared, **item}

    fates: Counter[str] = Counter()
    waiting = 0
    redacted = 0
    alone: Counter[str] = Counter()
    with session.progress("remembering") as progress:
        for receipt in session.engine.remember_stream(
            items(), progress=progress, refused=lambda n, e: fail(numbers[n - 1], str(e))
        ):
            fates[receipt.action.value] += 1
            waiting += not receipt.embedded
            redacted += any(note.startswith("redacted: ") for note in receipt.notes)
            alone.update(note for note in receipt.notes if note.startswith(IN_STORE_ALONE))
    failures.sort(key=lambda failure: failure["line"])
    if session.json:
        session.show({**fates, "failed": failures, "without_vector": waiting})
    else:
        told = ", ".join(f"{count:,} {fate}" for fate, count in fates.items()) or "nothing"
        session.say(f"{told}; {len(failures):,} lines were not taken")
    for note, count in alone.items():
        session.hint(f"{count:,} {note}")
    if redacted:
        session.hint(f"{redacted:,} held secrets, which were redacted")
    session.mention_move()
    if waiting:
        session.hint(f"{waiting} wait for vectors; 'bethink reindex' fills them in")
    return 2 if failures else 0
