from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bethink.doors.cli.inputs import filter_option, parse_json, read_text
from bethink.doors.cli.questions import (
    add_tuning_options,
    mention_spaces,
    naming_options,
    question,
    tuning_options,
    with_options,
)
from bethink.doors.cli.session import Session, some
from bethink.errors import InvalidInput

if TYPE_CHECKING:
    from bethink.knowledge import Answer, KnowledgeBase, Passages, Turn

_EPILOG = """\
examples:
  bethink ask "how long is the notice period?" --space handbook
  bethink ask "年假有几天？" --space handbook --save-history talk.json
  bethink ask "那病假呢？" --space handbook --history talk.json --save-history talk.json
  bethink ask --chat --space handbook                 one question a line, until an empty one
  bethink ask "退货政策" --space shop --document policy.pdf --explain

With a language model set ('bethink config set llm openai:MODEL') it writes the answer and cites
the passages, and its citations are checked. Without one you see the cited passages.

talk.json   [{"question": "…", "answer": "…", "references": [{"memory_id": "…"}]}], oldest first
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument(
        "words_asked", nargs="*", metavar="QUESTION", help="what to ask; '-' reads a pipe"
    )
    parser.add_argument(
        "--space", action="append", metavar="NAME", help="the knowledge base; may be repeated"
    )
    parser.add_argument(
        "--document", action="append", metavar="ID", help="only in this document (id or address)"
    )
    parser.add_argument("--where", metavar="JSON", help="a filter; see docs/reference/filters.md")
    parser.add_argument(
        "--limit", "--match-count", type=int, metavar="N", help="how many passages at most"
    )
    parser.add_argument("--budget", type=int, metavar="TOKENS", help="how many tokens at most")
    add_tuning_options(parser)
    parser.add_argument("--history", metavar="FILE", help="the conversation so far, as JSON")
    parser.add_argument(
        "--save-history", metavar="FILE", help="write the conversation there, with this question"
    )
    parser.add_argument("--chat", action="store_true", help="go on asking; earlier turns count")
    parser.add_argument("--web", action="store_true", help="search the web beside the knowledge")
    parser.add_argument("--explain", action="store_true", help="show what every stage did")
    parser.add_argument(
        "--deadline", type=float, metavar="SECONDS", help="of the search: answer with what there is"
    )
    parser.add_argument(
        "--seconds", type=float, metavar="SECONDS", help="that the language model may take (20)"
    )


def run(arguments: argparse.Namespace, session: Session) -> int:
    if arguments.chat and arguments.words_asked:
        raise InvalidInput("--chat reads its questions from standard input, a line each")
    turns = _history(arguments)
    asked: Iterator[str] = _lines() if arguments.chat else iter([_one(arguments)])
    options = _options(arguments)
    if not session.json:  # a program reads one answer; a person reads on while the model writes
        options["on_passages"] = partial(_show_passages, session)
    for text in asked:
        with naming_options():
            answer = _base(arguments, session).ask(text, history=turns, **options)
        answer = replace(answer, reasons=tuple(map(with_options, answer.reasons)))
        if not answer.passages.hits:
            mention_spaces(answer.passages.recollection.query.spaces, session)
            if not arguments.space:
                _mention_bases(session)
        turns = [*turns, answer.turn]
        _show(answer, session, explain=arguments.explain)
        if arguments.save_history:
            _save(arguments.save_history, turns)
    return 0


def _one(arguments: argparse.Namespace) -> str:
    return question(arguments.words_asked, "ask")


def _lines() -> Iterator[str]:
    """Questions, until an empty line or the end."""
    at_a_terminal = sys.stdin.isatty()
    while True:
        if at_a_terminal:
            print("? ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line.strip():
            return
        yield line.strip()


def _show_passages(session: Session, passages: Passages) -> None:
    """Show what was found before the model has answered."""
    language = "zh" if _is_chinese(passages.asked_as) else "en"
    for line in passages.as_text(language).split("\n"):
        session.aside(line)
    session.aside("the language model is writing …")


def _mention_bases(session: Session) -> None:
    """Say which knowledge bases there are if the default space has no answer."""
    from bethink.knowledge.spaces_with_knowledge import knowledge_bases

    asked = session.engine.settings.space
    bases = [one for one in knowledge_bases(session.engine) if one.name != asked]
    if bases:
        held = (f"{b.name} ({b.documents} documents, {b.entries} entries)" for b in bases)
        session.hint(f"{asked!r} was asked; name another with --space: {some(list(held))}")


def _base(arguments: argparse.Namespace, session: Session) -> KnowledgeBase:
    from bethink.knowledge import KnowledgeBase

    engine = session.engine
    return KnowledgeBase(engine, (arguments.space or [engine.settings.space])[0])


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    given = {
        "knowledge_bases": arguments.space,  # named: a slip of the pen is no empty answer
        "documents": arguments.document,
        "where": filter_option(arguments.where),
        "match_count": arguments.limit,
        "budget": arguments.budget,
        **tuning_options(arguments),
        "web": arguments.web or None,
        "deadline": arguments.deadline,
        "seconds": arguments.seconds,
        "touch": False if arguments.explain else None,
    }
    return {name: value for name, value in given.items() if value is not None}


def _history(arguments: argparse.Namespace) -> list[Turn]:
    path = arguments.history
    if path is None or (path == arguments.save_history and not os.path.exists(path)):
        return []  # the first question of a conversation that is to be kept
    from bethink.knowledge.turns import all_turns

    return list(all_turns(parse_json(read_text(path), "--history")))


def _save(path: str, turns: list[Turn]) -> None:
    """Whole or not at all; only its owner may read what was asked."""
    target = Path(path)
    told = json.dumps([turn.as_data() for turn in turns], ensure_ascii=False, indent=1)
    try:
        handle, draft = tempfile.mkstemp(dir=target.parent, prefix=f"{target.name}.draft-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(told.encode() + b"\n")
            os.replace(draft, target)
        except OSError:
            os.unlink(draft)
            raise
    except OSError as e:
        raise InvalidInput(f"--save-history: {path} cannot be written: {e.strerror}") from None


def _show(answer: Answer, session: Session, *, explain: bool) -> None:
    if session.json:
        session.show(answer.as_data(explain=explain))
        return
    if answer.asked_as != answer.question:
        session.say(f"asked as: {answer.asked_as}\n")
    session.say(answer.text)
    if answer.by == "llm":
        shown = answer.passages.citations if answer.uncited else answer.citations
        if shown:
            session.say()
        language = "zh" if _is_chinese(answer.question) else "en"
        for citation in shown:
            session.say(citation.line(language))
    session.say(f"\n{answer.status.value}" + ("" if answer.known else "; not known"))
    for reason in answer.reasons:
        session.say(f"  {reason}")
    if explain:
        for line in answer.passages.explain():
            session.say(line)


def _is_chinese(text: str) -> bool:
    from bethink.knowledge.follow_up_parts import is_chinese_question

    return is_chinese_question(text)
